"""The guides that show curl: every block runs against a real server, and answers as the guide shows."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from memoro.store.opening import make_home
from tests.conftest import write_vault
from tests.test_http import Running, running

DOCS = Path(__file__).parent.parent / "docs"
BLOCK = re.compile(r"^```bash\n(.*?)^```$(?:\n\n```json\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)
PORT = "7391"


class GuideBlock(NamedTuple):
    text: str
    shown: Any  # the answer that the guide shows; None: none


class Guide(NamedTuple):
    text: str

    @property
    def blocks(self) -> list[GuideBlock]:
        return [GuideBlock(text, json.loads(shown) if shown else None) for text, shown in BLOCK.findall(self.text)]

    @property
    def variables(self) -> str:
        """The first block, whose variables the others use."""
        return self.blocks[0].text

    @property
    def examples(self) -> list[GuideBlock]:
        return self.blocks[1:]


def guide(name: str) -> Guide:
    return Guide((DOCS / name).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    yield from serving_notes(tmp_path_factory.mktemp("guide"))


@pytest.fixture
def used_server(tmp_path: Path) -> Iterator[Running]:
    """A server whose home already has a memory and a proposal, which no example may touch."""
    for made in serving_notes(tmp_path):
        for path, body in (
            ("memory/store", {"content": "Staging listens on port 8443"}),
            ("remember", {"text": "The spare key hangs in the shed"}),
        ):
            answers(made, guide("http.md").variables, post("WRITE", path, body))
        yield made


def post(token: str, path: str, body: dict[str, str]) -> str:
    return f"""curl -sS -H "${token}" -H "$JSON" "$API/{path}" -d '{json.dumps(body)}'"""


def serving_notes(folder: Path) -> Iterator[Running]:
    if shutil.which("curl") is None or shutil.which("bash") is None:
        pytest.skip("curl is not installed, so the examples with curl are not run")
    write_vault(folder / "vault", {"tea.md": "# Tea\n\nGreen tea at 80 degrees.\n"})
    make_home(str(folder / ".memoro"))
    with running(folder / ".memoro", folder / "vault") as made:
        yield made


def answers(server: Running, variables: str, block: str) -> list[Any]:
    """Run a block in a shell, as a reader would, and return the JSON documents that it prints."""
    script = f"set -euo pipefail\n{variables}\n{block}".replace(PORT, str(server.port))
    script = script.replace("curl -sS", "curl -sS -w '\\n'")
    environment = {**os.environ, "HOME": str(server.home.parent), "no_proxy": "*"}
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, env=environment, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.strip()]


@pytest.mark.parametrize("name", ["http.md", "building.md"])
def test_every_example_of_the_guide_works_in_order(server: Running, name: str) -> None:
    assert guide(name).examples
    for block in guide(name).examples:
        found = answers(server, guide(name).variables, block.text)
        assert len(found) == len(re.findall(r"^curl ", block.text, re.MULTILINE)), block.text
        errors = [one for one in found if set(one) == {"type", "title", "status", "detail"}]
        if block.shown is None:
            assert errors == [], block.text
        elif "status" in block.shown:
            assert errors == [block.shown]
        else:
            assert set(found[-1]) == set(block.shown), block.text


def test_no_example_changes_what_was_there_before(used_server: Running) -> None:
    http = guide("http.md")
    for block in http.examples:
        answers(used_server, http.variables, block.text)
    (kept,) = answers(used_server, http.variables, 'curl -sS -H "$READ" "$API/memory/show?id=1"')
    assert kept["content"] == "Staging listens on port 8443"
    (waiting,) = answers(used_server, http.variables, 'curl -sS -H "$OWNER" "$API/proposals"')
    assert "The spare key hangs in the shed" in str(waiting["proposals"])


def test_the_guide_shows_ten_things_and_names_each_file_of_a_token() -> None:
    assert len(guide("http.md").examples) >= 10
    assert all(name in guide("http.md").text for name in ("`http-read.token`", "`http.token`", "`http-admin.token`"))
