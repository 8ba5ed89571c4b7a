"""What is told of past sessions is what was told when it was kept: at a start, after a compaction, and to who asks.

After a change that is meant, look at what moved, then keep the new answers: `python -m tests.test_kept_sessions`.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

import memoro
from memoro import hooks
from memoro.model.answers import Where
from memoro.model.calendar_words import Span
from memoro.model.notes import Hidden
from memoro.model.scope import Scope
from memoro.model.sessions import HeldContext
from memoro.search.filters import where_of
from memoro.unasked.continuity import after_compaction, of_time, session_start, where_we_left_off
from memoro.unasked.finding import UnaskedRequest
from memoro.unasked.judged import Finding
from memoro.unasked.log_end import digest_of_end, last_answers
from memoro.unasked.past_sessions import SessionSources, last_sessions, last_time, of_log, own_session
from tests.conftest import write_vault
from tests.kept import check_kept, read_kept, write_kept
from tests.test_continuity import BRIDGE, DONE, NOW, PUMP, Life, Turn

KEPT = Path(__file__).parent / "data" / "kept_sessions.json"
KNEE: list[Turn] = [
    ("User", "The gate motor of bridge three is loud."),
    ("Assistant", "The motor needs grease, and its bracket needs two new screws."),
    ("User", "My knee hurts again #private"),
    ("Assistant", "The appointment about the knee is on Monday at nine #private"),
    ("Tool", "firmware/motor.c"),
    ("Assistant", "Greased."),
    ("Assistant", f"The bracket of the motor is fixed{', and its cover too' * 12}."),
    ("Assistant", "The motor is quiet now. It runs at 40 rpm."),
    ("User", "good"),
]
LONG: list[Turn] = [
    ("User", "We decided to paint bridge three grey, because rust shows on white."),
    *(("Assistant", f"Part {n} of the railing is painted. {'It was dry. ' * 60}") for n in range(20)),
    ("Assistant", "Still open: the paint for the last two railings has to be bought."),
    ("User", "ok"),
]
RAILS = [
    (9, PUMP),
    (11, [("User", "We decided to number the railings from the north."), ("Assistant", "They are numbered now.")]),
    (12, [("User", "Which bolts hold the railings?"), ("Assistant", "The M12 bolts of the old bridge hold them.")]),
    (16, LONG),
    (30, [("User", "We decided to order the lamps of the bridge in Ghent."), ("Assistant", "Ordered, 14 of them.")]),
]
MESSAGES = (
    "where did we leave off?",
    "what is still open?",
    "what's left to do about the sensors?",
    "wo waren wir stehen geblieben?",
    "continue with the pump",
    "what did we do yesterday?",
    "what did we do last week?",
    "what happened in October?",
    "what did we do since the order of the lamps?",
    "what did we decide on Tuesday?",
    "how do I bake bread?",
    "where did we leave the bridge?",
    "where were we with the lamps of the bridge?",
    "what is still open about the paint?",
    "what did we do before the order of the lamps?",
    "what happened since the last release?",
    "was haben wir seit der Bestellung gemacht?",
    "what did we do in the last two weeks?",
)
SPANS = (
    None,
    Span(date(2026, 11, 12), date(2026, 11, 12)),
    Span(date(2026, 11, 1), date(2026, 11, 5)),
    Span(date(2026, 10, 1), date(2026, 10, 31)),
)
STATES = ("logs", "notes", "both", "odd")  # of what past sessions are read
RELEASE: list[Turn] = [
    ("User", "We decided to release the bridge software on Monday, the Ghent release."),
    ("Assistant", "The release is out. Still open: the notes of the release have to be written."),
    ("User", "fine"),
]
WALL: list[Turn] = [
    ("User", "This stays between us: my back hurts."),
    ("Assistant", "Lie down for an hour, the back needs rest."),
    *(("Assistant", f"Stone {n} of the wall is set. {'It fits. ' * 900}") for n in range(30)),
    ("Assistant", "Still open: the last stone of the wall."),
]
HALF: list[Turn] = [
    ("User", "We decided to keep the wall low, because of the view."),
    *(("Assistant", f"Row {n} is done. {'It fits. ' * 900}") for n in range(25)),
    ("User", "This stays between us: which stones are left?"),
    ("Assistant", "Still open: the stones of aunt Ida must be counted."),
    ("User", "And the gate?"),
    ("Assistant", "Done then. Still open: the gate of the wall has to be hung."),
]


def lived(life: Life, state: str) -> None:
    """Sessions of two projects; where there are notes, those of version 0.1.0 and private ones too."""
    life.searches_logs()
    if state != "notes":
        for days, turns in RAILS:
            life.log("bridge", f"rails-{days}", turns, NOW - timedelta(days=days))
        life.log("bridge", "elsewhere", KNEE[:2], NOW - timedelta(minutes=7))
        life.log("bridge", "knee", KNEE, NOW - timedelta(days=2 if state == "logs" else 40))
        life.log("brewery", "beer", PUMP, NOW - timedelta(days=1))
    if state != "logs":
        for days, turns in ((8, PUMP), (6, DONE), (5, KNEE), (1, BRIDGE)):
            life.live("bridge", turns, NOW - timedelta(days=days))
        life.live("brewery", DONE, NOW - timedelta(days=3))
    if state == "both":
        front = f"session: rails-9\nproject: {life.folder('bridge')}\nstarted: 2026-11-04T09:00:00"
        old = f"---\n{front}\nended: 2026-11-04T09:03:00\n---\n\n# hi there\n\n## Topics\n\n- hi there\n"
        shut = (
            f"---\nsession: shut\nproject: {life.folder('bridge')}\nprivate: true\nended: 2026-11-10T08:00:00\n---\n"
        )
        write_vault(
            life.vault,
            {
                "sessions/2026-11-04T09-00-00-claude.md": old,
                "sessions/2026-11-10T08-00-00-claude.md": f"{shut}\n# A secret\n\n## Open\n\n- Tell nobody\n",
                "sessions/nothing.md": "no session\n",
                "daily/2026-11-12.md": "# 2026-11-12\n\n- 09:10 bridge: the feed gate runs. #project/bridge\n"
                "- 10:00 tool: Edit gate.c\n- Slept badly.\n",
            },
        )
    if state == "odd":
        odd(life)
    with life.opened() as m:
        hooks.write_captures(m)
        m.sync()


def odd(life: Life) -> None:
    """Logs that are long, private, of another form, or of now; and notes that are not as Memoro writes them."""
    life.log("bridge", "wall", WALL, NOW - timedelta(days=3))
    life.log("bridge", "half", HALF, NOW - timedelta(days=4))
    life.log("bridge", "running", RELEASE, NOW - timedelta(minutes=11))  # its last line is nine minutes old
    life.log("bridge", "rested", RELEASE, NOW - timedelta(minutes=12))
    life.log("bridge", "went-on", RELEASE, NOW - timedelta(days=6))
    life.log("bridge", "ended", RELEASE, NOW - timedelta(days=7))
    life.log("bridge", "release", RELEASE, NOW - timedelta(days=20))
    life.log("brewery", "beer", PUMP, NOW - timedelta(days=1))
    logs = life.me / ".claude" / "projects" / "-bridge"
    (logs / "document.jsonl").write_text('{"messages": []}')
    (logs / "torn.jsonl").write_text((logs / "rested.jsonl").read_text()[:-40].replace("rested", "torn"))
    own = "project: ~/src/bridge"
    heads = {
        "2026-11-07T09-00-00-a": f"session: went-on\n{own}\nstarted: 2026-11-07T09:00:00\nended: 2026-11-07T08:59:00",
        "2026-11-06T09-00-00-b": f"session: ended\n{own}\nstarted: 2026-11-06T09:00:00\nended: 2026-11-06T09:00:30",
        "2026-11-05T09-00-00-c": f'session: "quoted"\n{own}\nagent: claude-code\nended: 2026-11-05T10:00:00',
        "2026-11-05T08-00-00-d": f"session: codexs\n{own}\nagent: codex\nended: 2026-11-05T09:00:00",
        "2026-11-04T08-00-00-e": "session: nobodys\nended: 2026-11-04T09:00:00",
        "2026-11-03T08-00-00-f": f"session: timeless\n{own}\nended: soon",
        "2026-11-02T08-00-00-g": f"session: long\n{own}\nended: 2026-11-02T09:00:00\n" + "x: y\n" * 20,
        "2026-11-01T08-00-00-h": f"session: 'single'\n{own}\nstarted: 2026-11-01T08:00:00",
    }
    notes = {
        f"sessions/{name}.md": f"---\n{head}\n---\n\n# Session {name[-1]}\n\n## Decisions\n\n"
        f"- Gate {name[-1]} is oiled\n\n## Open\n\n- Paint gate {name[-1]}\n- Tell Ida #private\n"
        for name, head in heads.items()
    }
    notes["sessions/2026-11-08T09-00-00-i.md"] = "---\nsession: empty\nended: 2026-11-08T09:00:00\n---\n\n# Nothing\n"
    notes["sessions/2026-11-08T10-00-00-j.md"] = "---\nsession: unclosed\nended: 2026-11-08T09:00:00\n"
    day = [f"- 1{n}:00 step {n} of the railing, {'painted, ' * n}done #project/bridge" for n in range(9)]
    day += ["- 20:00 tool: Edit x.c #project/bridge", "- 21:00 the beer is good #project/brewery", "- 22:00 slept"]
    notes["daily/2026-11-12.md"] = "# 2026-11-12\n\n" + "\n".join(day) + "\n"
    write_vault(life.vault, notes)


@contextmanager
def in_utc(folder: Path) -> Iterator[None]:
    """Times are told by the local clock."""
    kept = {name: os.environ.get(name) for name in ("TZ", "HOME", "CLAUDE_CONFIG_DIR", "MEMORO_AGENT", "MEMORO_HOME")}
    for name in kept:
        os.environ.pop(name, None)
    os.environ |= {"TZ": "UTC", "HOME": str(folder / "me")}
    time.tzset()
    try:
        yield
    finally:
        for name, value in kept.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        time.tzset()


def found(findings: list[Finding]) -> list[Any]:
    return [[one.item.path, one.item.start_line, one.item.end_line, one.item.date, one.item.tokens, one.item.text]
            for one in findings]  # fmt: skip


def told(life: Life, state: str) -> list[Any]:
    """All that is told of the sessions in a state, each with what was asked."""
    lived(life, state)
    answers: list[Any] = []
    with life.opened() as m:
        known = m.home_context.project_of(str(life.folder("bridge")))
        assert known is not None
        scope = Scope(agent="claude-code", project=known.name, known_as=known.known_as, allies=("claude",))
        open_where = where_of(scope)
        wheres = {
            "open": open_where,
            "no private": open_where._replace(private=False),
            "hidden": open_where._replace(private=False, hidden=("@claude", "sessions/2026-11-07*")),
            "another agent": open_where._replace(bound_agents=("codex",)),
            "no project": Where(),
        }
        for name, where in wheres.items():
            sources = SessionSources(
                vault=m.vault(), read=lambda work: work(m.indexing.current()), where=where, now=NOW
            )
            for span in SPANS:
                for most in (1, 8):
                    each = last_sessions(sources, most, span)
                    lines = [[*one[:3], [list(part) for part in one.digest[1:]], one.digest.title, one.session,
                              len(one.lines), list(one.answers)] for one in each]  # fmt: skip
                    answers.append([f"last {most} of {name}, {span and span.first}", lines])
            answers.append([f"start, {name}", found(session_start(sources))])
            own = sources._replace(own="5e55104-4")
            answers.append([f"start of a session that was there, {name}", found(session_start(own))])
            one = own_session(own)
            answers.append([f"own, {name}", one and [one.path, one.ended, list(one.digest.open)]])
            log = of_log(sources, "@claude/-bridge/rails-9.jsonl")
            answers.append([f"log, {name}", log and [log.ended, list(log.digest.open)]])
            after = after_compaction(own, (m.vault(), "@claude/-bridge/rails-16.jsonl"))
            answers.append([f"compacted, {name}", found(after)])
        sources = SessionSources(m.vault(), lambda work: work(m.indexing.current()), open_where, NOW)
        forgotten = sources._replace(hidden=lambda: Hidden(1, lambda said: "motor" in said or "Open:" in said))
        answers.append(["start, forgotten", found(session_start(forgotten))])
        for name in ("wall", "half", "knee", "document", "torn", "none"):
            path = f"@claude/-bridge/{name}.jsonl"
            ends = [digest_of_end(m.vault(), path, private=private) for private in (True, False)]
            last = [list(last_answers(m.vault(), path, private=private)) for private in (True, False)]
            told_again = [list(last_answers(m.vault(), path, forgotten.hidden())) if forgotten.hidden else []]
            answers.append([f"end of {name}", [one and list(map(list, one[1:])) for one in ends], last, told_again])
            answers.append([f"last time of {name}", last_time(m.vault(), path)])
        answers += asked(m, scope)
    return answers


def asked(m: memoro.Workspace, scope: Scope) -> list[Any]:
    sources = m.recaller_in(scope).sources()
    given = HeldContext(frozenset({"sessions/2026-11-12T09-00-00-claude-code.md:1-9"}))
    return [
        [f"{message} {len(held.passages)}", found(where_we_left_off(request)), found(of_time(request))]
        for message in MESSAGES
        for held in (HeldContext(), given)
        for request in [UnaskedRequest(message, sources, where_of(scope), scope, held)]
    ]


def answers_of(state: str, folder: Path) -> list[Any]:
    with in_utc(folder):
        return told(Life(folder), state)


@pytest.mark.parametrize("state", STATES)
def test_sessions_are_told_as_they_were_when_it_was_kept(state: str, tmp_path: Path) -> None:
    now = answers_of(state, tmp_path)
    for one in now:
        one[1:] = [without(str(tmp_path), part) for part in one[1:]]
    check_kept([one[0] for one in now], now, read_kept(KEPT)[state])


def without(folder: str, value: Any) -> Any:
    """The value without the name of a folder that is another each time."""
    if isinstance(value, str):
        return value.replace(folder, "")
    return [without(folder, one) for one in value] if isinstance(value, list | tuple) else value


def keep() -> None:
    kept: dict[str, list[Any]] = {}
    for state in STATES:
        with tempfile.TemporaryDirectory() as folder:
            kept[state] = [without(folder, one) for one in answers_of(state, Path(folder))]
    write_kept(KEPT, kept)


if __name__ == "__main__":
    keep()
