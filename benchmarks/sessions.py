"""What the note of a session keeps of 14 sessions with labelled decisions, open items and files"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks import measure
from memoro.conversation.digest import SessionFacts, digest
from memoro.model.session_digest import SessionDigest, session_line
from memoro.transcripts.ports import Turn
from memoro.transcripts.tool_effects import ToolEffect

DATA = Path(__file__).parent / "data"
FOLDER = "/w/project"
_SHELLS = ("Bash", "run_shell_command")
_READS = ("Read", "read_file")

Terms = tuple[tuple[str, ...], ...]


class LabelledSession(NamedTuple):
    name: str
    title: str
    turns: list[Turn]
    effects: list[ToolEffect]
    must: dict[str, list[Terms]]
    may: dict[str, list[Terms]]

    def digest(self) -> SessionDigest:
        return digest(self.turns, self.effects, SessionFacts(title=self.title, folder=FOLDER))


class Found(NamedTuple):
    """Of one part of the notes: the labels that were met, and the lines that meet one."""

    labels: int
    met: int
    lines: int
    right: int

    def plus(self, other: Found) -> Found:
        return Found(*(one + two for one, two in zip(self, other, strict=True)))


def labelled_sessions(half: str) -> list[LabelledSession]:
    text = (DATA / f"sessions-{half}.txt").read_text(encoding="utf-8")
    return [_parsed(block) for block in re.split(r"^## ", text, flags=re.MULTILINE)[1:]]


def _parsed(block: str) -> LabelledSession:
    head, *lines = block.rstrip("\n").split("\n")
    name, _, title = head.partition(" ")
    said: list[tuple[str, str]] = []
    labels: dict[str, list[Terms]] = {mark: [] for mark in "DOEFdoef"}
    for line in lines:
        mark, _, rest = line.partition(" ")
        if mark in ("U:", "A:", "T:"):
            said.append((mark[0], rest))
        elif mark in labels:
            labels[mark].append(_terms(rest))
        elif line:
            said[-1] = (said[-1][0], f"{said[-1][1]}\n{line}")
    turns = [
        Turn("User" if who == "U" else "Assistant", text, number)
        for number, (who, text) in enumerate(said, 1)
        if who != "T"
    ]
    effects = [_effect(text, number) for number, (who, text) in enumerate(said, 1) if who == "T"]
    return LabelledSession(
        name=name,
        title="" if title == "-" else title,
        turns=turns,
        effects=[one for one in effects if one],
        must={mark: labels[mark] for mark in "DOEF"},
        may={mark: labels[mark.lower()] for mark in "DOEF"},
    )


def _effect(text: str, number: int) -> ToolEffect | None:
    call, _, result = text.partition(" => ")
    tool, _, argument = call.strip().partition(" ")
    if tool in _READS:
        return None
    if tool in _SHELLS:
        return ToolEffect(line=number, command=argument, result=result)
    return ToolEffect(line=number, files=(f"{FOLDER}/{argument}",))


def _terms(text: str) -> Terms:
    return tuple(tuple(one.strip().lower() for one in part.split("|")) for part in text.split("&"))


def _names(line: str, terms: Terms) -> bool:
    lowered = line.lower()
    return all(any(one in lowered for one in part) for part in terms)


def judge(lines: Sequence[str], must: Sequence[Terms], may: Sequence[Terms]) -> Found:
    met = sum(any(_names(line, terms) for line in lines) for terms in must)
    right = sum(any(_names(line, terms) for terms in (*must, *may)) for line in lines)
    return Found(labels=len(must), met=met, lines=len(lines), right=right)


def parts(session: LabelledSession, made: SessionDigest) -> dict[str, Found]:
    told = {"D": made.decisions, "O": made.open, "E": made.errors, "F": made.files}
    return {mark: judge(told[mark], session.must[mark], session.may[mark]) for mark in "DOEF"}


def run() -> None:
    names = {"D": "decisions", "O": "open items", "E": "errors", "F": "files"}
    rows = []
    for half in ("dev", "check"):
        total = dict.fromkeys(names, Found(labels=0, met=0, lines=0, right=0))
        for session in labelled_sessions(half):
            for mark, found in parts(session, session.digest()).items():
                total[mark] = total[mark].plus(found)
        for mark, found in total.items():
            kept = f"{found.met} of {found.labels} ({100 * found.met / found.labels:.0f} %)" if found.labels else "–"
            right = (
                f"{found.right} of {found.lines} ({100 * found.right / found.lines:.0f} %)" if found.lines else "–"
            )
            rows.append([half, names[mark], kept, right])
    measure.table(["half", "part of the note", "found", "lines that are right"], rows)
    long = long_session(120_000)
    began = time.process_time()
    digest(long)
    spent = 1000 * (time.process_time() - began)
    size = sum(len(turn.text) for turn in long)
    print(f"\nA session of {size:,} characters in {len(long)} turns: {spent:.0f} ms of CPU.")


def long_session(characters: int) -> list[Turn]:
    """Every prompt of all sessions again and again, each with a long answer; no two are the same."""
    turns = [turn for half in ("dev", "check") for session in labelled_sessions(half) for turn in session.turns]
    prompts = [turn.text for turn in turns if turn.speaker == "User"]
    answers = [turn.text for turn in turns if turn.speaker != "User" and len(turn.text) > 60]
    made: list[Turn] = []
    while sum(len(turn.text) for turn in made) < characters:
        number = len(made) // 2
        answer = " ".join(answers[(5 * number + more) % len(answers)] for more in range(5))
        made.append(Turn("User", f"{prompts[number % len(prompts)]} {number}", 2 * number + 1))
        made.append(Turn("Assistant", f"{answer} {number}", 2 * number + 2))
    return made


def show(half: str) -> None:
    """Print every note, with what is missing and what is wrong."""
    for session in labelled_sessions(half):
        made = session.digest()
        print(f"\n== {session.name} | {made.title}")
        told = {"D": made.decisions, "O": made.open, "E": made.errors, "F": made.files}
        for mark, lines in told.items():
            for line in lines:
                right = any(_names(line, one) for one in (*session.must[mark], *session.may[mark]))
                print(f"  {mark} {' ' if right else 'x'} {line}")
            for terms in session.must[mark]:
                if not any(_names(line, terms) for line in lines):
                    print(f"  {mark} MISSING {' & '.join('|'.join(part) for part in terms)}")
        print("  $", *made.commands, sep="\n    ")
        print("  day:", session_line(made))


if __name__ == "__main__":
    show(sys.argv[1] if len(sys.argv) > 1 else "dev")
