"""What is given for errors that were met before is what was given when it was kept.

Conversations of many trades in one home, with notes, memories, experiences, and tools that showed errors. After a
change that is meant, look at what moved, then keep the new answers: `python -m tests.test_kept_errors`.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import memoro
from memoro.model.answers import Where
from memoro.model.error_signatures import errors_in
from memoro.model.sessions import HeldContext
from memoro.search.filters import where_of
from memoro.unasked.logged_errors import LOG_BYTES, ends, logged_errors, newest_logs
from memoro.workspace import Workspace
from tests.conftest import write_vault
from tests.kept import check_kept, read_kept, write_kept
from tests.lived import aged
from tests.test_kept_sessions import in_utc, without
from tests.test_unasked_errors import CURE, LATER, TRACE, claude_log, findings

HERE = Path(__file__).parent
KEPT = HERE / "data" / "kept_errors.json"
KNOWN = json.loads((HERE / "data" / "solved_errors.json").read_text(encoding="utf-8"))
NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
ODD = "SpindleError: cannot open the spindle of drum 9"
STUCK = "ValueError: the tape reel of unit 7 is stuck"
LONG_CURE = (
    "The reel was wound backwards, so its sensor saw nothing. " + "I turned it round and wrote that down. " * 30
)
MORE: tuple[list[tuple[str, str]], ...] = (
    [("U", TRACE), ("A", "The queue is full. Restart the worker."), ("U", "no, same error again"), ("A", CURE)],
    [
        ("U", LATER),
        ("A", "Which version is it?"),
        ("U", "2.4"),
        ("A", "Update it to 2.5, the lease bug is fixed there."),
    ],
    [
        ("U", STUCK),
        ("A", "Turn it off and on."),
        ("U", "that did not help"),
        ("A", "Clean the head."),
        ("U", "still stuck"),
    ],
    [("U", f"hello\n{STUCK}"), ("A", LONG_CURE), ("U", "ok"), ("A", "Anything else?")],
    [("U", STUCK), ("U", "found it: the belt was torn, I replaced it"), ("A", "Good.")],
    [("A", f"I saw `{STUCK}` in the log and oiled the axle."), ("A", "It runs.")],
    [("U", "it fails"), ("A", f"It says {ODD}. Grease the spindle of the drum, then it opens.")],
    [("U", ODD), ("A", ODD)],
    [("U", f"{ODD}\ntoken ghp_0123456789abcdefghijklmnopqrstuvwxyzA"), ("A", "Set `SPINDLE=9`; the port was wrong.")],
)
TOOLS = {
    "run.jsonl": claude_log(
        ("U", "build it"), ("T", "make => Exit code 2\nld: undefined symbol: pump_start_v9"),
        ("A", "Link libpump first."),
        ("T", "make => Exit code 2\nld: undefined symbol: pump_start_v9"),
        ("A", "libpump was too old; I updated it."),
    ),
    "unsaid.jsonl": claude_log(
        ("U", "go"), ("T", "go run . => Exit code 1\npanic: gauge 12 overflowed its ring"), ("U", "leave it"),
        day="2026-11-03",
    ),
    "long.jsonl": claude_log(
        ("U", "go"),
        ("T", f"go run . => Exit code 1\n{'x ' * 5000}\npanic: gauge 12 overflowed its ring\n{'y ' * 900}"),
        ("A", "The ring of the gauge was too short, so I doubled it."), day="2026-11-04",
    ),
}  # fmt: skip
NOTES = {
    "Fixes.md": f"# Fixes\n\n## Reels\n\n`{STUCK}`: wind it by hand, because the motor is weak.\n\n## Drum\n\n"
    f"`{ODD}`. {'We looked at it for long and found nothing. ' * 14}In the end the drum was upside down.\n",
    "short.md": f"{ODD}\n",
    "sessions/2026-01-05T10-00-00-claude.md": "---\nsession: s0\nstarted: 2026-01-05T10:00:00\n---\n\n# Reels\n\n"
    f"## Errors\n\n- `{STUCK}`: oiled\n",
    "daily/2026-01-05.md": f"# 2026-01-05\n\n- 10:00 {STUCK}, oiled the reel and the axle of it again\n",
}
MESSAGES = (
    *(message for message, _ in KNOWN["prompts"]), TRACE, LATER, STUCK, ODD, f"{ODD}\n{STUCK}",
    "ld: undefined symbol: pump_start_v9", "panic: gauge 3 overflowed its ring", "we get the BrokenLeaseError again",
    "ValueError: the tape reel of unit 12 is stuck in the drum", "ValueError: bad", "KeyError: 'berth'",
    "what is an error?", "Permission denied (publickey).",
)  # fmt: skip


def opened(folder: Path) -> Workspace:
    home, logs = folder / "home", folder / "logs"
    home.mkdir(mode=0o700)
    roles = {"U": "user", "A": "assistant"}
    for number, said in enumerate((*KNOWN["conversations"], *MORE)):
        day = f"2026-{number % 10 + 1:02}-{number % 27 + 1:02}T10:00:00Z"
        lines = [json.dumps({"role": roles[who], "content": text, "timestamp": day}) + "\n" for who, text in said]
        write_vault(logs, {f"{number}.jsonl": "".join(lines)})
    write_vault(logs, TOOLS)
    (home / "memoro.toml").write_text(f'[transcripts]\nfolders = ["{logs}"]\n')
    return memoro.open(home, aged(write_vault(folder / "vault", NOTES), NOW), clock=lambda: NOW)


def prepare(m: Workspace) -> None:
    m.memories.store(f"Against `{ODD}` helps a drop of oil on the drum.", source="user", trust="user_confirmed")
    m.memories.store(f"{STUCK} comes from cheap tape, buy the blue one.", source="web", trust="tool_or_web")
    m.experiences.record("error_recovery", STUCK, "hit it with a hammer", success=0.0)
    m.experiences.record(
        "error_recovery", ODD, f"open the spindle by hand, {'slowly, ' * 60}then close it", success=1.0
    )


def told(m: Workspace) -> Iterator[list[Any]]:
    everything = where_of(m.parts.home.runtime.scope)
    for message in MESSAGES:
        yield [message, *given(m, message, everything)]
    wheres = {
        "notes alone": everything._replace(kinds=("note",)),
        "memories alone": everything._replace(kinds=("memory",)),
        "conversations": everything._replace(kinds=("transcript", "experience")),
        "since August": everything._replace(since="2026-08-01"),
        "of a project": everything._replace(bound_projects=("/w/api",), shared=True),
    }
    for name, where in wheres.items():
        for message in (STUCK, ODD, "ld: undefined symbol: pump_start_v9", "panic: gauge 3 overflowed its ring"):
            yield [f"{name}: {message}", *given(m, message, where)]
        yield [f"logs, {name}", m.parts.indexing.read(newest_logs(where))]
    for message in (STUCK, ODD, TRACE):
        first = findings(m, message, everything)
        held = HeldContext(frozenset(one.item.id for one in first[:1]))
        yield [f"again: {message}", *given(m, message, everything, held)]
        whole = HeldContext(frozenset(one.item.path for one in first))
        yield [f"of no such file: {message}", *given(m, message, everything, whole)]
    shown = errors_in("panic: gauge 3 overflowed its ring\nld: undefined symbol: pump_start_v9")
    paths = [f"@logs/{name}" for name in TOOLS]
    yield ["in logs", [list(one) for one in logged_errors(m.vault(), paths, shown)]]


def given(m: Workspace, message: str, where: Where, held: HeldContext | None = None) -> list[Any]:
    return [
        [one.item.id, one.why, round(one.sure, 3), one.item.tokens, list(one.item.passages), one.item.text]
        for one in findings(m, message, where, held)
    ]


def answers(folder: Path) -> list[Any]:
    with in_utc(folder), opened(folder) as m:
        prepare(m)
        m.sync()
        return [without(str(folder), one) for one in told(m)]


def test_errors_are_given_what_was_kept(tmp_path: Path) -> None:
    kept = read_kept(KEPT)["errors"]
    check_kept([one[0] for one in kept], answers(tmp_path), kept)


@pytest.mark.parametrize(("size", "is_whole"), [(8_000, True), (8_001, False)])
def test_an_error_is_looked_for_at_both_ends_of_a_long_output(size: int, is_whole: bool) -> None:
    output = "a" * 4_000 + "b" * (size - 8_000) + "c" * 4_000
    assert ends(output) == (output if is_whole else "a" * 4_000 + "\n" + "c" * 4_000)
    assert LOG_BYTES == 24 * 1024 * 1024


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        write_kept(KEPT, {"errors": answers(Path(place))})
