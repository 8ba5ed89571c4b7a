"""What is new: marks, the answer to a page that asks, and the progress of a sync."""

from __future__ import annotations

import gzip
import http.client
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TypeAlias

import pytest

import memoro
from memoro.index.embedding_plan import FillProgress
from memoro.index.running import RunningSync
from memoro.page.live import ActivityLine, live_state
from memoro.page.static_files import static_files
from memoro.page.texts import texts
from memoro.serve.http import HttpService
from memoro.serve.services import ServiceContext
from memoro.serve.token import token
from tests.conftest import wait_for
from tests.kept_reports import KeptReports


@pytest.fixture
def home(tmp_path: Path) -> Iterator[memoro.Workspace]:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "tea.md").write_text("We drink green tea.\n")
    with memoro.open(tmp_path / "home", vault) as m:
        yield m


def _marker(m: memoro.Workspace) -> str:
    return live_state(m, texts()).marker


def test_a_home_without_anything_has_a_marker_that_stays(home):
    assert _marker(home) == _marker(home)


def test_a_memory_a_recall_and_a_sync_each_change_the_marker_and_their_own_mark(home):
    home.sync()
    before = live_state(home, texts())

    home.memories.store("The kettle is blue.")
    stored = live_state(home, texts())
    home.prompt("which tea do we drink?", session="s1")
    given = live_state(home, texts())
    (Path(home.vault().root) / "coffee.md").write_text("No coffee.\n")
    home.sync()
    synced = live_state(home, texts())

    assert stored.changes > before.changes and stored.recalls == before.recalls
    assert given.recalls > stored.recalls
    assert synced.synced != given.synced
    assert len({before.marker, stored.marker, given.marker, synced.marker}) == 4


def test_another_process_changes_the_marks_too(home, tmp_path):
    home.memories.store("The kettle is blue.")
    before = live_state(home, texts())

    with memoro.open(tmp_path / "home", tmp_path / "vault") as other:
        other.memories.store("The cups are white.")

    assert live_state(home, texts()).changes > before.changes


def test_a_sync_elsewhere_is_told(home):
    home.sync()
    with home.indexing.indexes.syncing.held():
        assert live_state(home, texts()).activity == ActivityLine(texts()("live.elsewhere"))
    assert live_state(home, texts()).activity is None


def test_the_progress_of_a_sync_is_noted_while_it_runs_and_handed_on():
    now = [0.0]
    running, heard = RunningSync(lambda: now[0]), []

    with running.noting(lambda done, total: heard.append((done, total)), None) as noted:
        assert running.now() is None
        now[0] = 2.0
        noted.progress(3, 10)
        reading = running.now()
        noted.filling(FillProgress("space", 4, 5))
        embedding = running.now()

    assert heard == [(3, 10)]
    assert reading is not None and reading == ("reading", 3, 10, 2.0)
    assert embedding is not None and embedding[:3] == ("embedding", 4, 5)
    assert running.now() is None


def test_a_sync_that_waits_for_another_does_not_end_its_line():
    running = RunningSync()
    with running.noting(None, None) as first:
        first.progress(1, 2)
        with running.noting(None, None):
            pass
        assert running.now() is not None
    assert running.now() is None


def test_a_sync_of_this_process_tells_how_far_it_has_come(home, monkeypatch):
    monkeypatch.setattr("memoro.page.live.QUICK_SECONDS", 0.0)
    seen = []

    home.sync(progress=lambda _done, _total: seen.append(live_state(home, texts()).activity))

    assert seen == [ActivityLine("Reading notes and conversations: 1 of 1", 1, 1)]


_Answered: TypeAlias = tuple[int, dict[str, str], bytes]


class _Browser:
    """A client that was let in, over one connection."""

    def __init__(self, port: int, secret: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
        path = json.loads(self._ask("POST", "/page/code", headers, b"{}")[2])["path"]
        self._cookie = self._ask("GET", path, {})[1]["set-cookie"].partition(";")[0]

    def get(self, path: str, **headers: str) -> _Answered:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        return self._ask("GET", path, {"Cookie": self._cookie, **given})

    def close(self) -> None:
        self._connection.close()

    def _ask(self, method: str, path: str, headers: dict[str, str], body: bytes | None = None) -> _Answered:
        self._connection.request(method, path, body, headers)
        answer = self._connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()


class _CountingReports(KeptReports):
    """Counts the requests that keep the process from ending."""

    def __init__(self) -> None:
        super().__init__()
        self.requests = 0

    def request(self) -> None:
        self.requests += 1


class _Served(NamedTuple):
    browser: _Browser
    reports: _CountingReports


@pytest.fixture
def served(home: memoro.Workspace) -> Iterator[_Served]:
    home.sync()
    reports, stop = _CountingReports(), threading.Event()
    service = HttpService(0, lambda _agent: home)
    thread = threading.Thread(target=service.run, args=(ServiceContext(home, stop, reports),), daemon=True)
    thread.start()
    assert wait_for(lambda: bool(reports.lines), 30)
    browser = _Browser(service.port, token(home.home, "admin"))
    yield _Served(browser, reports)
    browser.close()
    stop.set()
    thread.join(30)


def test_a_page_that_asks_gets_nothing_until_something_is_new(home, served):
    status, _, body = served.browser.get("/live")
    known = json.loads(body)
    again = served.browser.get(f"/live?since={known['marker']}")
    home.memories.store("The kettle is blue.")
    after = served.browser.get(f"/live?since={known['marker']}")

    assert status == 200
    assert (again[0], again[2]) == (204, b"")
    assert after[0] == 200
    assert json.loads(after[2])["marks"]["changes"] > known["marks"]["changes"]


def test_a_page_that_is_open_does_not_keep_the_process_from_ending(served):
    before = served.reports.requests
    served.browser.get("/live")
    asked = served.reports.requests
    served.browser.get("/settings")

    assert asked == before
    assert served.reports.requests == before + 1


def test_files_are_kept_by_browsers_under_the_name_of_their_content_alone(served):
    file = static_files()["style.css"]

    kept = served.browser.get(file.url, Accept_Encoding="gzip")
    other = served.browser.get("/static/style.css?older")
    page = served.browser.get("/settings")

    assert kept[1]["cache-control"] == "private, max-age=31536000, immutable"
    assert kept[1]["content-encoding"] == "gzip" and gzip.decompress(kept[2]) == file.content
    assert (other[1]["cache-control"], other[2]) == ("private, no-store", file.content)
    assert page[1]["cache-control"] == "private, no-store"


def test_a_page_that_renews_a_part_of_itself_does_not_take_the_notice_away(served):
    page = served.browser.get("/settings", Memoro_Live="true")

    assert page[0] == 200
    assert b'class="notice"' not in page[2]
