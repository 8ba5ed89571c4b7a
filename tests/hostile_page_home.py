"""A home in which every text is hostile: notes, paths, titles, tags, conversations, memories, proposals, settings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from memoro.errors import MemoroError
from memoro.model.proposals import AddDailyLine, Evidence, RememberEntry, StoreMemory, Suggestion, WriteNote
from memoro.model.scope import Scope
from memoro.recall.request import RecallRequest
from memoro.workspace import Workspace
from tests.sample_home import NOON, SampleHome, ticking

_IN_A_NOTE = 12  # texts in one note
_LONG_NAME = 120  # characters of a file's name
_PROJECTS = 8  # with a hostile name, in the settings


def make_hostile(sample: SampleHome, texts: Sequence[str]) -> None:
    """Put every text into every place of a home that the page shows."""
    _write_notes(sample.vault, texts)
    _write_conversation(sample, texts)
    _write_settings(sample.home, texts)
    with sample.open(ticking(NOON - timedelta(hours=1))) as m:
        m.sync()
        for number, text in enumerate(texts):
            with suppress(MemoroError):  # some texts are refused; then they are on no page
                _store(m, text)
            with suppress(MemoroError):
                _ask(m, text, f"hostile-{number}")
            _propose(m, text, f"hostile/new-{number}.md")


def _write_notes(vault: Path, texts: Sequence[str]) -> None:
    for begin in range(0, len(texts), _IN_A_NOTE):
        some = texts[begin : begin + _IN_A_NOTE]
        front = f"title: {json.dumps(some[0])}\ntags: {json.dumps(some[1:4])}\naliases: {json.dumps(some[4:6])}\n"
        front += f"project: {json.dumps(some[-1])}\nagent: {json.dumps(some[0])}\n"
        body = "\n\n".join([*some, f"## {some[0]}", f"- {some[-1]} ^x{begin}", f"[[{some[0]}]] [x](<{some[-1]}>)"])
        _write(vault / "hostile" / f"{begin}.md", f"---\n{front}---\n# {some[0]}\n\nhostile words\n\n{body}\n")
        _write(vault / "daily" / f"2026-11-{begin % 16 + 1:02}.md", f"# Day\n\n- 10:00 {some[0]}\n")
    for number, text in enumerate(texts):
        name = text.replace("/", "∕").replace("\x00", "").replace("\n", " ")[:_LONG_NAME]
        with suppress(OSError, ValueError):
            _write(vault / "hostile" / name / f"{name}.md", f"hostile words {number}\n\n{text}\n")


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8", errors="replace")


def _write_conversation(sample: SampleHome, texts: Sequence[str]) -> None:
    """A log of Claude Code in which a person and a model say all of it."""
    lines = []
    for number, text in enumerate(texts):
        side = ("user", "assistant")[number % 2]
        content: object = text if side == "user" else [{"type": "text", "text": f"hostile words. {text}"}]
        record = {
            "type": side, "uuid": f"h-{number}", "parentUuid": f"h-{number - 1}" if number else None,
            "sessionId": "hostile-log", "timestamp": f"2026-11-15T10:{number % 60:02}:00.000Z", "cwd": texts[0],
            "version": "2.1.300", "isSidechain": False, "userType": "external",
            "message": {"role": side, "content": content},
        }  # fmt: skip
        lines.append(json.dumps(record))
    _write(sample.folder / "claude" / "projects" / "pier-board" / "hostile-log.jsonl", "\n".join(lines) + "\n")


def _write_settings(home: Path, texts: Sequence[str]) -> None:
    """Projects with hostile names and folders."""
    file = home / "memoro.toml"
    plain = [text for text in texts if text.isprintable()][:_PROJECTS]
    tables = [f"[projects.{json.dumps(text)}]\npaths = [{json.dumps('/' + text)}]\n" for text in plain]
    file.write_text(file.read_text(encoding="utf-8") + "\n" + "\n".join(tables), encoding="utf-8")


def _store(m: Workspace, text: str) -> None:
    m.memories.store(f"hostile words {text}", (text,), source="user", task=text)
    m.experiences.record("task_solution", f"hostile words {text}", {"note": text, text: text})
    m.experiences.prefer(text, text)


def _ask(m: Workspace, text: str, session: str) -> None:
    """A session of a hostile agent, in a hostile project, that is given hostile words."""
    with suppress(MemoroError):
        m.sessions.start(session, title=text, project=text, agent=text)
    request = RecallRequest(f"What are the hostile words {text}?", session=session, proactive=True)
    m.recaller_in(Scope()).recall(request)


def _propose(m: Workspace, text: str, path: str) -> None:
    for change in (
        StoreMemory(f"proposed {text}", tags=(text,), project=text),
        RememberEntry(text=f"remember {text.strip()}", tier="semantic", section=text[:50], path="MEMORY.md"),
        AddDailyLine(text=f"daily {text}", at="2026-11-15T10:00:00.000Z"),
        WriteNote(path, f"{text}\n"),
    ):
        with suppress(MemoroError):
            m.proposals.propose(Suggestion(change, (Evidence(text, path, 1),), "review", reason=text))
