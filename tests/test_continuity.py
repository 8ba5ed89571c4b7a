"""Where the work of a project was left: told at the start of a session, after a compaction, and to who asks."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro import hooks
from memoro.hooks import spool
from memoro.hooks.events import Capture, read_event
from memoro.model.answers import Where
from memoro.model.open_items import OpenItem, ToldItems, still_open
from memoro.model.scope import Scope
from memoro.model.session_digest import SessionDigest
from memoro.model.sessions import HeldContext
from memoro.search.filters import where_of
from memoro.unasked.continuity import of_time, session_start, where_we_left_off
from memoro.unasked.done_later import without_done
from memoro.unasked.finding import UnaskedRequest
from memoro.unasked.judged import Finding
from memoro.unasked.log_end import digest_of_end
from memoro.unasked.past_sessions import PastSession, SessionSources
from memoro.unasked.session_text import where_it_was_left
from memoro.vault.files import VaultFiles
from tests.conftest import write_vault
from tests.talks import index_of, talk

NOW = datetime(2026, 11, 13, 9, tzinfo=UTC)
Turn = tuple[str, str]  # who, and what they said
BRIDGE: list[Turn] = [
    ("User", "The feed gate on bridge three jams. Which sensor do we use for it?"),
    ("Assistant", "I'd take the inductive sensor, because the optical one gets dirty."),
    ("User", "Inductive sensor then, agreed."),
    ("Tool", "firmware/gate.c"),
    (
        "Assistant",
        "Done. Still open: Marta has to order two spare sensors, and the gate test isn't written.",
    ),
    ("User", "ok, that's all for today"),
]
PUMP: list[Turn] = [
    ("User", "The dosing pump should run at 12 rpm, not 20, because the foam rises."),
    ("Tool", "firmware/pump.c"),
    ("Assistant", "The pump runs at 12 rpm now. Still open: Marta has to calibrate the flow meter."),
    ("User", "good, thanks"),
]
DONE: list[Turn] = [
    ("User", "We decided to log the flow every minute, now that the flow meter is calibrated."),
    ("Tool", "firmware/flow.c"),
    ("Assistant", "The flow is logged every minute. Still open: the dashboard for the flow."),
    ("User", "fine"),
]


class Life:
    """A person with two projects, whose conversations go through the hooks of Claude Code."""

    def __init__(self, folder: Path) -> None:
        self.me, self.home, self.vault = folder / "me", folder / "home", folder / "vault"
        self.me.mkdir()
        write_vault(self.vault, {"Notes/feed.md": "# Feed\n\nThe feed gate is on bridge three.\n"})
        self.sessions = 0

    def folder(self, project: str) -> Path:
        found = self.me / "src" / project
        found.mkdir(parents=True, exist_ok=True)
        return found

    def log(self, project: str, session: str, turns: Sequence[Turn], began: datetime) -> Path:
        file = self.me / ".claude" / "projects" / f"-{project}" / f"{session}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        records = []
        for number, (who, text) in enumerate(turns):
            at = (began + timedelta(minutes=number)).isoformat().replace("+00:00", ".000Z")
            about = {
                "uuid": f"{session}-{number}",
                "sessionId": session,
                "timestamp": at,
                "cwd": str(self.folder(project)),
            }
            if who == "User":
                message: dict[str, object] = {"role": "user", "content": text}
            elif who == "Tool":
                given = {"file_path": str(self.folder(project) / text)}
                use = {"type": "tool_use", "id": f"t{number}", "name": "Edit", "input": given}
                message = {"role": "assistant", "id": f"m{number}", "content": [use]}
            else:
                message = {"role": "assistant", "id": f"m{number}", "content": [{"type": "text", "text": text}]}
            records.append({"type": "user" if who == "User" else "assistant", **about, "message": message})
        file.write_text("".join(f"{json.dumps(one)}\n" for one in records))
        return file

    def event(self, name: str, project: str, session: str, **more: object) -> dict[str, object]:
        log = self.me / ".claude" / "projects" / f"-{project}" / f"{session}.jsonl"
        about = {"session_id": session, "transcript_path": str(log), "cwd": str(self.folder(project))}
        return {**about, "hook_event_name": name, **more}

    def live(self, project: str, turns: Sequence[Turn], began: datetime, session: str = "") -> str:
        """A conversation with its end, which no process has written down yet."""
        self.sessions += 1
        session = session or f"5e55104-{self.sessions}"
        self.log(project, session, turns, began)
        with self.opened(began + timedelta(minutes=len(turns))) as m:
            capture = read_event("claude", self.event("SessionEnd", project, session), m.environment)
            assert isinstance(capture, Capture)
            ended = began + timedelta(minutes=len(turns))
            spool.append(m.home, capture._replace(agent="claude-code"), now=ended.timestamp())
        return session

    def searches_logs(self) -> None:
        self.home.mkdir(mode=0o700)
        (self.home / "memoro.toml").write_text('[transcripts]\nfolders = ["claude"]\n')

    def opened(self, now: datetime = NOW) -> memoro.Workspace:
        return memoro.open(self.home, self.vault, agent="claude-code", clock=lambda: now)

    def starts(self, project: str, session: str = "new", source: str = "startup") -> str:
        """What the start of a session is given."""
        with self.opened() as m:
            made = hooks.answer("claude", self.event("SessionStart", project, session, source=source), m)
        return context_of(made)

    def asks(self, project: str, message: str, *held: str) -> list[Finding]:
        with self.opened() as m:
            hooks.write_captures(m)
            known = m.home_context.project_of(str(self.folder(project)))
            assert known is not None
            scope = Scope(agent="claude-code", project=known.name, known_as=known.known_as, allies=("claude",))
            sources, context = m.recaller_in(scope).sources(), HeldContext(frozenset(held))
            request = UnaskedRequest(message, sources, where_of(scope), scope, context)
            return where_we_left_off(request) or of_time(request)


def context_of(made: dict[str, object] | None) -> str:
    if made is None:
        return ""
    told = made["hookSpecificOutput"]
    assert isinstance(told, dict)
    return str(told["additionalContext"])


def left_off(block: str) -> str:
    """The part of a block that tells where the work was left."""
    found = re.search(r"^\[where we left off\]\n((?:\{.*\n)*)", block, re.MULTILINE)
    return found[1] if found else ""


def texts(found: Sequence[Finding]) -> str:
    return "\n".join(one.item.text for one in found)


@pytest.fixture
def life(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Life]:
    made = Life(tmp_path)
    monkeypatch.setenv("HOME", str(made.me))
    for name in ("CLAUDE_CONFIG_DIR", "MEMORO_HOME", "MEMORO_VAULT", "MEMORO_AGENT", "MEMORO_PROJECT"):
        monkeypatch.delenv(name, raising=False)
    yield made


def test_a_session_starts_where_the_last_one_of_its_project_was_left(life: Life) -> None:
    life.live("bridge", BRIDGE, NOW - timedelta(days=1))

    told = left_off(life.starts("bridge"))

    assert "Marta has to order two spare sensors" in told
    assert "gate test" in told
    assert "nductive sensor" in told
    assert "firmware/gate.c" in told


def test_a_session_that_ended_a_second_ago_is_known_to_the_next(life: Life) -> None:
    life.live("bridge", BRIDGE, NOW - timedelta(minutes=7))
    with life.opened() as m:
        assert spool.has_pending(m.home)

    assert "order two spare sensors" in left_off(life.starts("bridge"))


def test_a_session_whose_host_was_killed_is_known_after_a_while(life: Life) -> None:
    began = datetime.now(UTC) - timedelta(hours=2)
    log = life.log("bridge", "killed", BRIDGE, began)
    os.utime(log, (began.timestamp(), began.timestamp()))
    with life.opened() as m:
        turn = Capture("claude", "turn", "killed", str(log), str(life.folder("bridge")), agent="claude-code")
        spool.append(m.home, turn, now=began.timestamp() + 400)

    assert "order two spare sensors" in left_off(life.starts("bridge"))


def test_nothing_of_another_project_is_told(life: Life) -> None:
    life.live("bridge", BRIDGE, NOW - timedelta(days=1))
    life.live("brewery", PUMP, NOW - timedelta(days=2))

    assert "pump" not in life.starts("bridge", "new1")
    told = left_off(life.starts("brewery", "new2"))
    assert "flow meter" in told and "sensor" not in told


def test_a_project_without_sessions_is_told_nothing(life: Life) -> None:
    life.live("bridge", BRIDGE, NOW - timedelta(days=1))

    assert left_off(life.starts("garden")) == ""


def test_sessions_before_the_last_one_are_told_by_their_titles_and_open_items(life: Life) -> None:
    life.live("bridge", PUMP, NOW - timedelta(days=3))
    life.live("bridge", BRIDGE, NOW - timedelta(days=1))

    records = left_off(life.starts("bridge")).splitlines()

    assert len(records) == 2
    assert "spare sensors" in records[0] and "calibrate the flow meter" in records[1]
    assert "12 rpm" not in records[1].partition("Open")[2]


def test_what_a_later_session_has_done_is_no_longer_open(life: Life) -> None:
    life.live("bridge", PUMP, NOW - timedelta(days=3))
    life.live("bridge", DONE, NOW - timedelta(days=1))

    told = left_off(life.starts("bridge"))

    assert "dashboard" in told
    assert "has to calibrate" not in told


def test_a_start_takes_at_most_three_hundred_tokens(life: Life) -> None:
    many = [
        ("Assistant", f"Still open: the report about valve {n} of the {n}th line has to be written.")
        for n in range(40)
    ]
    for day in range(1, 6):
        life.live("bridge", [*BRIDGE[:4], *many, ("User", "ok")], NOW - timedelta(days=day))

    told = left_off(life.starts("bridge"))

    assert told and len(told) / 4 <= 310


def test_after_a_compaction_the_thread_goes_on(life: Life) -> None:
    life.live("bridge", PUMP, NOW - timedelta(days=1))
    life.starts("bridge", "now")
    life.log("bridge", "now", BRIDGE, NOW - timedelta(minutes=20))
    with life.opened() as m:
        hooks.answer("claude", life.event("PreCompact", "bridge", "now", trigger="auto"), m)

    told = left_off(life.starts("bridge", "now", "compact"))

    assert "spare sensors" in told and "nductive sensor" in told
    assert "flow meter" not in told


def test_a_compaction_without_a_hook_before_it_is_told_from_the_log(life: Life) -> None:
    life.log("bridge", "now", BRIDGE, NOW - timedelta(minutes=20))

    assert "spare sensors" in left_off(life.starts("bridge", "now", "compact"))


def test_a_resumed_conversation_is_told_nothing_again(life: Life) -> None:
    life.live("bridge", BRIDGE, NOW - timedelta(days=1))
    assert left_off(life.starts("bridge", "now"))

    assert life.starts("bridge", "now", "resume") == ""
    assert left_off(life.starts("bridge", "other", "resume")) == ""


def test_a_cleared_conversation_starts_again(life: Life) -> None:
    life.live("bridge", BRIDGE, NOW - timedelta(days=1))
    life.starts("bridge", "now")

    assert "spare sensors" in left_off(life.starts("bridge", "now", "clear"))


def test_a_log_without_a_note_is_read_itself(life: Life) -> None:
    life.log("bridge", "old", PUMP, NOW - timedelta(days=5))
    life.log("bridge", "last", BRIDGE, NOW - timedelta(days=1))
    life.searches_logs()
    with life.opened() as m:
        m.sync()

    told = left_off(life.starts("bridge")).splitlines()

    assert "@claude/-bridge/last.jsonl" in told[0] and "spare sensors" in told[0]
    assert "flow meter" in told[1]
    assert not list(life.vault.glob("sessions/*"))


def test_an_answer_that_knows_nothing_is_not_what_was_left(life: Life) -> None:
    life.searches_logs()
    moon = [
        ("User", "add the chart of the feed"),
        ("Tool", "rates.html"),
        ("Assistant", "The chart is in rates.html."),
    ]
    asked = [("User", "how much does the moon weigh?"), ("Assistant", "I do not know that, sorry.")]
    life.live("bridge", [*moon, *asked], NOW - timedelta(days=1))
    with life.opened() as m:
        hooks.write_captures(m)
        m.sync()

    told = left_off(life.starts("bridge"))

    assert "The chart is in rates.html." in told and "I do not know" not in told


def test_the_log_tells_more_than_a_note_of_version_0_1_0(life: Life) -> None:
    life.searches_logs()
    life.log("bridge", "last", BRIDGE, NOW - timedelta(days=1))
    front = (
        f"session: last\nproject: {life.folder('bridge')}\nstarted: 2026-11-12T09:00:00\nended: 2026-11-12T09:08:00"
    )
    old = f"---\n{front}\n---\n\n# hi there\n\n## Topics\n\n- hi there\n\n## Tools\n\n## Decisions\n\n- x → thanks\n"
    write_vault(life.vault, {"sessions/2026-11-12T09-00-00-claude.md": old})
    with life.opened() as m:
        m.sync()

    told = left_off(life.starts("bridge"))

    assert "spare sensors" in told and "hi there" not in told


def test_a_session_that_goes_on_in_another_window_is_not_the_last(life: Life) -> None:
    life.searches_logs()
    life.live("bridge", PUMP, NOW - timedelta(days=1))
    life.log("bridge", "elsewhere", BRIDGE, NOW - timedelta(minutes=7))
    with life.opened() as m:
        hooks.write_captures(m)
        m.sync()

    told = left_off(life.starts("bridge"))

    assert "flow meter" in told and "sensor" not in told


def test_lines_of_a_diary_and_private_lines_are_not_told(life: Life) -> None:
    (life.vault / "daily").mkdir()
    (life.vault / "daily" / f"{date.today():%Y-%m-%d}.md").write_text("- Nadia expects twins, tell nobody\n")
    session = life.live("bridge", BRIDGE, NOW - timedelta(days=1))
    with life.opened() as m:
        hooks.write_captures(m)
    note = next(life.vault.glob("sessions/*.md"))
    note.write_text(note.read_text() + "- Ask the doctor about the knee #private\n")
    assert session in note.read_text()

    told = life.starts("bridge")

    assert "spare sensors" in told
    assert "twins" not in told and "knee" not in told


def test_an_item_that_its_owner_ticked_off_is_not_told(life: Life) -> None:
    life.live("bridge", BRIDGE, NOW - timedelta(days=1))
    with life.opened() as m:
        hooks.write_captures(m)
    note = next(life.vault.glob("sessions/*.md"))
    items = "- [x] Marta has to order two spare sensors\n- The gate test isn't written\n"
    note.write_text(re.sub(r"- Marta has to order.*\n", items, note.read_text()))

    told = left_off(life.starts("bridge"))

    assert "gate test" in told and "spare sensors" not in told


def test_what_a_start_was_given_is_on_record_and_can_be_read_and_replayed(life: Life) -> None:
    life.live("bridge", BRIDGE, NOW - timedelta(days=1))
    block = life.starts("bridge", "now")

    with life.opened() as m:
        shown = m.sessions.show("now")
        item = shown.recalls[0].given[0].item
        assert item.path.startswith("sessions/")
        assert "Marta has to order two spare sensors" in m.get(item.id).text
        assert m.sessions.replay("now").then.recalled.block == block
        again = m.sessions.replay("now", now=True)
        assert again.now is not None and again.now.items == shown.recalls[0].recalled.items


def test_lines_that_were_given_at_the_start_are_not_given_for_a_prompt(life: Life) -> None:
    life.live("bridge", BRIDGE, NOW - timedelta(days=1))
    life.starts("bridge", "now")
    with life.opened() as m:
        found = m.recall("who has to order two spare sensors?", session="now")

    assert all("order two spare sensors" not in item.text for item in found.items if item.kind == "note")


@pytest.mark.parametrize(
    "message", ["good morning, where were we?", "wo waren wir stehen geblieben?", "onde paramos?"]
)
def test_who_asks_where_we_were_is_told_the_last_session(life: Life, message: str) -> None:
    life.live("bridge", PUMP, NOW - timedelta(days=3))
    life.live("bridge", BRIDGE, NOW - timedelta(days=1))

    found = life.asks("bridge", message)

    assert "nductive sensor" in found[0].item.text and "spare sensors" in found[0].item.text
    assert sum(one.item.tokens for one in found) <= 300


def test_a_conversation_is_not_told_of_itself(life: Life) -> None:
    session = life.live("bridge", BRIDGE, NOW - timedelta(days=1))
    life.live("bridge", PUMP, NOW - timedelta(days=3))

    found = life.asks(
        "bridge", "where were we?", f"@claude/-bridge/rollout-{session}.jsonl", "@claude/-bridge/x.jsonl:1"
    )

    assert "12 rpm" in texts(found) and "sensor" not in texts(found)


def test_who_asks_what_is_open_is_told_that_alone_the_newest_first(life: Life) -> None:
    life.live("bridge", PUMP, NOW - timedelta(days=3))
    life.live("bridge", BRIDGE, NOW - timedelta(days=1))

    found = life.asks("bridge", "what's still open here?")

    assert [one.item.date for one in found] == ["2026-11-12", "2026-11-10"]
    assert "spare sensors" in texts(found) and "flow meter" in texts(found)
    assert "Decisions" not in texts(found)


def test_a_topic_that_no_session_had_is_left_to_the_search(life: Life) -> None:
    life.live("bridge", BRIDGE, NOW - timedelta(days=1))

    assert life.asks("bridge", "what was the last thing we did on the invoices?") == []
    assert "sensor" in texts(life.asks("bridge", "what was the last thing we did on the sensor?"))
    assert "sensor" in texts(life.asks("bridge", "what was the last thing we did on the bridge?"))


def test_who_asks_about_a_time_is_told_its_sessions(life: Life) -> None:
    life.live("bridge", PUMP, NOW - timedelta(days=9))
    life.live("bridge", BRIDGE, NOW - timedelta(days=1))
    life.live("brewery", DONE, NOW - timedelta(days=1))

    yesterday = texts(life.asks("bridge", "what did we do yesterday here?"))
    assert "sensor" in yesterday and "pump" not in yesterday and "flow" not in yesterday
    last_week = texts(life.asks("bridge", "what happened last week?"))
    assert "12 rpm" in last_week and "sensor" not in last_week
    assert life.asks("bridge", "what did we do in August?") == []


def test_an_event_is_dated_before_its_time_is_told(life: Life) -> None:
    life.live("bridge", PUMP, NOW - timedelta(days=9))
    moved: list[Turn] = [
        ("User", "We move the firmware to Zephyr today."),
        ("Tool", "firmware/prj.conf"),
        ("Assistant", "The firmware builds with Zephyr now."),
        ("User", "great"),
    ]
    life.live("bridge", moved, NOW - timedelta(days=4))
    life.live("bridge", BRIDGE, NOW - timedelta(days=1))

    since = texts(life.asks("bridge", "what did we do since the move to Zephyr?"))

    assert "sensor" in since and "12 rpm" not in since


@pytest.mark.process
def test_the_hook_of_a_host_tells_where_the_work_was_left(life: Life) -> None:
    life.live("bridge", BRIDGE, datetime.now(UTC) - timedelta(days=1))
    environment = {
        **os.environ,
        "MEMORO_VAULT": str(life.vault),
        "MEMORO_HOME": str(life.home),
        "MEMORO_HOOK_SECONDS": "40",
    }
    said = json.dumps(life.event("SessionStart", "bridge", "now", source="startup"))

    done = subprocess.run(
        [sys.executable, "-m", "memoro", "hook", "claude"],
        input=said, capture_output=True, text=True, env=environment, timeout=60, check=True,
    )  # fmt: skip

    assert "spare sensors" in left_off(context_of(json.loads(done.stdout)))


# ------ what is still open


def told(day: int, *open_items: str, decisions: Sequence[str] = ()) -> ToldItems:
    return ToldItems(SessionDigest("A title", tuple(decisions), open=open_items), date(2026, 11, day))


def items(*sessions: ToldItems) -> list[str]:
    return [one.text for one in still_open(sessions)]


def test_an_item_that_is_told_again_counts_once_in_its_later_words() -> None:
    later, earlier = "The DynamoDB lock table can be deleted", "Delete the DynamoDB lock table in a week"

    assert items(told(12, later), told(4, earlier)) == [later]


def test_an_item_is_closed_by_a_later_statement_that_it_was_done() -> None:
    done = told(12, decisions=["The DynamoDB lock table is gone"])

    assert items(done, told(4, "Delete the DynamoDB lock table")) == []
    assert items(
        told(12, decisions=["The DynamoDB lock table is not gone yet"]), told(4, "Delete the DynamoDB lock table")
    )


def test_an_item_is_closed_by_a_later_command_that_removes_the_thing() -> None:
    earlier = told(
        2, "I'd remove it next week (Traefik has no traffic since Monday)", "Delete the old dashboards of Grafana"
    )
    later = ToldItems(
        SessionDigest("Cleaning up", commands=("`helm uninstall traefik -n ingress`",)), date(2026, 11, 12)
    )

    assert items(later, earlier) == ["Delete the old dashboards of Grafana"]


def test_an_item_is_closed_by_a_later_session_about_it_unless_a_command_failed_in_the_end() -> None:
    open_item = told(2, "Next time we should look at the reconnect logic, it blocks when the wifi is gone")
    later = SessionDigest("Reconnect logic")
    failing = later._replace(commands=("`pio run -e box` → failed: 1 error",))

    assert items(ToldItems(later, date(2026, 11, 9)), open_item) == []
    assert items(ToldItems(failing, date(2026, 11, 9)), open_item) == list(open_item.digest.open)
    assert items(ToldItems(SessionDigest("Logic tests"), date(2026, 11, 9)), open_item)


def test_an_item_is_closed_by_what_a_later_conversation_says(life: Life) -> None:
    life.searches_logs()
    life.live("bridge", BRIDGE, NOW - timedelta(days=4))
    life.live(
        "bridge",
        [
            ("User", "Which baud rate does the serial line use?"),
            ("Assistant", "9600 baud."),
            ("User", "The gate test is written, I did it myself."),
            ("Assistant", "Good."),
            ("User", "We decided to use 19200 baud for the line, because 9600 is too slow."),
            ("Tool", "firmware/serial.c"),
            ("Assistant", "The line runs at 19200 baud now."),
        ],
        NOW - timedelta(days=2),
    )
    with life.opened() as m:
        m.sync()
    begun = life.starts("bridge")

    assert "spare sensors" in begun and "gate test isn't written" not in begun


def test_conversations_from_before_there_were_notes_are_told_beside_the_first_note(life: Life) -> None:
    life.searches_logs()
    life.log("bridge", "before", PUMP, NOW - timedelta(days=3))
    life.live("bridge", BRIDGE, NOW - timedelta(days=1))
    with life.opened() as m:
        m.sync()
    begun = life.starts("bridge")

    assert "spare sensors" in begun and "flow meter" in begun


def test_a_session_ended_when_something_was_said_last_and_not_when_its_window_was_closed(life: Life) -> None:
    began = NOW - timedelta(days=3)
    life.log("bridge", "late", BRIDGE, began)
    with life.opened() as m:
        capture = read_event("claude", life.event("SessionEnd", "bridge", "late"), m.environment)
        assert isinstance(capture, Capture)
        spool.append(m.home, capture._replace(agent="claude-code"), now=NOW.timestamp())
        hooks.write_captures(m)
    [note] = life.vault.glob("sessions/*.md")

    assert f"ended: {began.astimezone():%Y-%m-%d}" in note.read_text()


def test_the_start_of_a_session_tells_the_command_that_failed_in_the_end() -> None:
    digest = SessionDigest("OTA", commands=("`make` → ok", "`make flash` → failed: image too large"))
    session = PastSession(path="sessions/a.md", began="2026-11-12", ended="2026-11-12", digest=digest)

    assert where_it_was_left(session, ()).text() == "# OTA\nCommands: `make flash` → failed: image too large"


def test_an_earlier_item_that_names_a_day_which_has_passed_is_not_told() -> None:
    assert items(told(12), told(2, "Upgrade the staging cluster on Thursday 5 November")) == []
    assert items(told(12), told(2, "Upgrade the staging cluster on Tuesday 17 November"))


def test_an_earlier_item_that_does_not_say_what_it_is_about_is_not_told() -> None:
    assert items(told(12), told(10, "I'd remove it next week")) == []
    assert items(told(12, "I'd remove it next week")) == ["I'd remove it next week"]


@given(st.lists(st.lists(st.text(max_size=60), max_size=4), max_size=5))
def test_every_item_that_is_still_open_was_told_and_comes_once(sessions: list[list[str]]) -> None:
    given_ = [told(28 - 2 * number, *texts) for number, texts in enumerate(sessions)]
    found = still_open(given_)

    assert all(one.text in sessions[one.session] for one in found)
    assert [one.session for one in found] == sorted(one.session for one in found)


def test_without_an_index_the_notes_of_sessions_are_read(life: Life) -> None:
    life.live("bridge", BRIDGE, NOW - timedelta(days=1))
    with life.opened() as m:
        hooks.write_captures(m)
        known = m.home_context.project_of(str(life.folder("bridge")))
        assert known is not None and not m.has_index()
        scope = Scope(project=known.name, known_as=known.known_as)
        sources = SessionSources(
            vault=m.vault(), read=lambda work: work(m.indexing.current()), where=where_of(scope), now=NOW
        )
        assert "spare sensors" in texts(session_start(sources))


@pytest.mark.parametrize(("more", "is_told"), [(0, True), (1, False)])
def test_of_a_long_log_the_last_ten_thousand_characters_are_read(life: Life, more: int, is_told: bool) -> None:
    life.searches_logs()
    first = "We decided to paint bridge three grey, because rust shows on white."
    life.log("bridge", "long", [("User", first), ("Assistant", "x" * (10_000 - len(first) + more))], NOW)
    with life.opened() as m:
        found = digest_of_end(m.vault(), "@claude/-bridge/long.jsonl")

    assert (first in str(found)) is is_told


def test_lines_of_today_about_a_session_that_is_told_are_not_told_again(life: Life) -> None:
    life.live("bridge", BRIDGE, NOW - timedelta(hours=1))
    title = "The feed gate on bridge three jams"
    day = f"# 2026-11-13\n\n- 08:00 {title} #project/bridge\n- 08:10 The crane is booked #project/bridge\n"
    write_vault(life.vault, {"daily/2026-11-13.md": day})

    block = life.starts("bridge")

    assert block.count(title) == 1 and title in left_off(block)
    assert "The crane is booked" in block


# ————— open items that a later conversation closes

ITEM = "Marta has to order two spare sensors"


def left_after(said: str, day: str, tmp_path: Path, *, speaker: str = "User", items: int = 1) -> int:
    """How many of so many equal items are still open after something was said on a day."""
    index = index_of(talk([(1, speaker, said)], day=day))
    sources = SessionSources(VaultFiles(str(tmp_path)), lambda work: work(index), Where(), NOW)
    session = PastSession("sessions/a.md", "2026-11-10T09:00:00", "2026-11-10T10:00:00", SessionDigest(title="x"))
    return len(without_done(sources, [session], [OpenItem(0, ITEM)] * items))


@pytest.mark.parametrize(
    ("said", "day", "left"),
    [
        ("The two spare sensors are ordered, Marta did it.", "2026-11-11", 0),
        ("The two spare sensors are ordered, Marta did it.", "2026-11-10", 1),
        ("The two spare sensors are ordered, Marta did it.", "2026-11-09", 1),
        ("The two spare sensors are nice, says Marta.", "2026-11-11", 1),
        ("I painted the fence. The two spare sensors are ordered, Marta did it.", "2026-11-11", 0),
        (f"The two spare sensors are ordered, Marta did it{' and more' * 10}.", "2026-11-11", 0),
        (f"The two spare sensors are ordered, Marta did it{' and more' * 11}.", "2026-11-11", 1),
    ],
)
def test_only_a_plain_word_on_a_later_day_closes_an_item(said: str, day: str, left: int, tmp_path: Path) -> None:
    assert left_after(said, day, tmp_path) == left


NOTES = "Release notes for the launch with SEB on 8 December"
ORDER = "Write the release notes for the launch."


def notes_left(tmp_path: Path, *said: tuple[int, str, str], began: str = "", day: str = "2026-11-11") -> int:
    """How many of one item are left after a conversation, by a session that began then."""
    index = index_of(talk(list(said), day=day))
    sources = SessionSources(VaultFiles(str(tmp_path)), lambda work: work(index), Where(), NOW)
    session = PastSession("sessions/a.md", "2026-11-10T09:00:00", "2026-11-10T10:00:00", SessionDigest(title="x"))
    later = PastSession("sessions/b.md", began, began, SessionDigest(title="y"), session="s1")
    sessions = [session, later] if began else [session]
    return len(without_done(sources, sessions, [OpenItem(0, NOTES)]))


def test_an_item_is_closed_by_an_answer_that_reports_what_was_ordered(tmp_path: Path) -> None:
    order = (1, "User", ORDER)
    assert notes_left(tmp_path, order, (2, "Assistant", "They are in RELEASE.md: 60 MB uploads.")) == 0
    assert notes_left(tmp_path, order, (2, "Assistant", "Which of the changes shall they name?")) == 1
    assert notes_left(tmp_path, order, (2, "Assistant", "I'd add the uploads. I need the list first.")) == 1
    assert (
        notes_left(tmp_path, (1, "User", "Are the release notes for the launch done?"), (2, "Assistant", "No.")) == 1
    )
    assert notes_left(tmp_path, (1, "Assistant", 'Committed as "Add release notes for the launch".')) == 0


def test_an_item_is_closed_on_its_own_day_by_a_session_that_began_later(tmp_path: Path) -> None:
    said = ((1, "User", ORDER), (2, "Assistant", "They are in RELEASE.md: 60 MB uploads."))
    day = "2026-11-10"
    assert notes_left(tmp_path, *said, began="2026-11-10T10:30:00", day=day) == 0
    assert notes_left(tmp_path, *said, began="2026-11-10T08:00:00", day=day) == 1
    assert notes_left(tmp_path, *said, day=day) == 1


def test_of_very_many_items_the_first_twelve_are_looked_at(tmp_path: Path) -> None:
    said = "The two spare sensors are ordered, Marta did it."
    assert left_after(said, "2026-11-11", tmp_path, items=12) == 0
    assert left_after(said, "2026-11-11", tmp_path, items=14) == 2
