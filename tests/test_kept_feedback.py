"""Feedback in conversations of many kinds, what is curated after it, and what leaves a file, are as they were kept.

After a change that is meant, look at what moved, then keep the new answers: `python -m tests.test_kept_feedback`.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import memoro
from memoro.curate.feedback.current_conversation import ConversationSources, find_conversation
from memoro.curate.gating.loaded_files import read_loaded_files
from memoro.curate.rounds.planning import RoundPlanning
from memoro.curate.snapshot.reader import SnapshotReader, without_private
from memoro.curate.snapshot.sources import CurationSources
from memoro.errors import MemoroError
from memoro.model.proposals import Evidence, MoveEntry, PromoteMemory, RetireEntry, Suggestion, WriteNote
from memoro.model.scope import Scope
from memoro.providers.language.ports import LanguageModelInfo, Prompt
from memoro.testing import ScriptedModel, records_of
from memoro.vault.files import VaultFiles
from memoro.workspace import Workspace
from tests.conftest import write_vault
from tests.curated import SETTINGS
from tests.kept import check_kept, in_words, read_kept, write_kept
from tests.lived import aged
from tests.test_kept_sessions import in_utc, without

KEPT = Path(__file__).parent / "data" / "kept_feedback.json"
NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
LONG, SHORT = "0af31c2e-1111-4222-8333-444455556666", "abc12"
NOTES = {
    "MEMORY.md": "# Memory\n\n## Ports\n\n- The proxy listens on port 8080 ^proxy\n- The mill is at 9000 #private\n"
    "- See [[lost note]] and [[map]] ^lost\n- The fair is on 3 May 2026 ^fair\n### Deep\n- Anna likes figs\n\n"
    "## People\n- Lena leads harbor ^lena\n",
    "PROCEDURAL.md": "---\nprivate: true\n---\n# Rules\n\n- Use tabs ^tabs\n- Never push on a Friday ^push\n",
    "Pier/map.md": "# Map\n\nThe pier.\n",
    "notes/titled.md": "---\ntitle: Lost note of mine\naliases: [lost one]\n---\n\nx\n",
    "agent/one.md": "The pump is loud. See [[lost one]] and [[gone]].\n",
    "agent/two.md": "The pump is loud.\n",
    "agent/hidden.md": "Secret things #private\n",
    "agent/archive/old.md": "Old.\n",
    "agent/long.md": "x" * (64 * 1024 + 1),
    "agent/fits.md": "y" * (64 * 1024),
}


class Person:
    """Somebody with logs of two hosts, and a clock of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.now = folder, NOON
        self.me, self.home = folder / "me", folder / "home"
        self.home.mkdir(mode=0o700)
        self.me.mkdir()
        (self.home / "memoro.toml").write_text(
            '[transcripts]\nfolders = ["claude"]\n\n[extract]\nmin_user_messages = 1\n'
        )
        aged(write_vault(folder / "vault", NOTES), NOON)

    def project(self, name: str) -> Path:
        found = self.me / "src" / name
        found.mkdir(parents=True, exist_ok=True)
        return found

    def logged(
        self, session: str, *said: str, project: str = "heron", minutes: int = 0, host: str = "claude"
    ) -> Path:
        """A conversation whose last message is so many minutes old."""
        lines: list[dict[str, Any]] = []
        if host == "codex":
            about = {"id": session, "cwd": str(self.project(project)), "timestamp": "2026-11-16T10:00:00Z"}
            lines.append({"timestamp": "2026-11-16T10:00:00Z", "type": "session_meta", "payload": about})
        for number, text in enumerate(said):
            side = "assistant" if number % 2 else "user"
            at = (NOON - timedelta(minutes=minutes + len(said) - number)).isoformat()
            if host == "codex":
                kind = "output_text" if number % 2 else "input_text"
                message = {"type": "message", "role": side, "content": [{"type": kind, "text": text}]}
                lines.append({"timestamp": at, "type": "response_item", "payload": message})
            else:
                content: object = [{"type": "text", "text": text}] if number % 2 else text
                about = {"uuid": f"{session}-{number}", "sessionId": session, "timestamp": at}
                made = {"role": side, "content": content}
                lines.append({"type": side, **about, "cwd": str(self.project(project)), "message": made})
        if host == "codex":
            file = (
                self.me
                / ".codex"
                / "sessions"
                / "2026"
                / "11"
                / "16"
                / f"rollout-2026-11-16T10-00-00-{session}.jsonl"
            )
        else:
            file = self.me / ".claude" / "projects" / f"-{project}" / f"{session}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"{json.dumps(one)}\n" for one in lines))
        moment = (NOON - timedelta(minutes=minutes)).timestamp()
        os.utime(file, (moment, moment))
        return file

    def opened(self, **options: Any) -> Workspace:
        return memoro.open(self.home, self.folder / "vault", clock=self._clock, **options)

    def _clock(self) -> datetime:
        return self.now


QUESTION, ANSWER = "Which port does the proxy of heron listen on?", "It listens on port 8080."


def prepared(person: Person, m: Workspace) -> None:
    person.logged(LONG, "Hello", "Hi.", QUESTION, ANSWER, minutes=30)
    person.logged(
        SHORT, "How loud is the pump?", "Very.", "/wrong not very", "Noted.", "Is it blue?", "No.", minutes=20
    )
    person.logged("11112222-3333", "Is the mill red?", "Yes.", project="mill", minutes=10)
    person.logged("5e551001-aaaa", "Who leads harbor?", "Lena does.", minutes=50, host="codex")
    person.logged("99998888-7777", "/good", "Thanks.", minutes=5)
    m.memories.store("The proxy of heron listens on port 8080.", source="user", project=str(person.project("heron")))
    m.memories.store("Lena leads harbor.", source="user", trust="user_confirmed")
    m.experiences.record("task_solution", "tell the port of the proxy of heron", "look into proxy.toml")
    m.sync()


def marks(person: Person, m: Workspace) -> Iterator[list[Any]]:
    """What each word on an answer did."""
    for session in (LONG, "9f9f9f9f-only-recorded"):
        m.recall(QUESTION, session=session)
        m.recall("Who leads harbor?", session=session)
    heron, mill = str(person.project("heron")), str(person.project("mill"))
    given: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("wrong", "It is 8443, not 8080.", {"session": LONG}),
        ("wrong", "It is 8443, not 8080.", {"session": LONG}),
        ("wrong", "", {"session": LONG}),
        ("good", "", {"session": LONG}),
        ("wrong", "Noor does", {"session": "9f9f9f9f-only-recorded"}),
        ("wrong", "It is green", {"session": SHORT}),
        ("good", "", {"folder": mill}),
        ("wrong", "no", {"folder": heron}),
        ("wrong", "no", {}),
        ("wrong", "x", {"session": "nobody"}),
        ("wrong", "Noor", {"session": "5e551001-aaaa"}),
        ("good", "agents say so", {"session": "5e551001-aaaa", "by": "codex"}),
        ("wrong", "by key", {"session": SHORT, "key": "k1"}),
        ("wrong", "by key", {"session": SHORT, "key": "k1"}),
        ("good", "by key", {"session": SHORT, "key": "k1"}),
        ("good", "with tools", {"session": "11112222-3333", "connection": LONG}),
        ("wrong", "odd", {"nonsense": 1}),
    )
    for kind, note, options in given:
        person.now += timedelta(minutes=1)
        ask: Callable[..., Any] = m.feedback.wrong if kind == "wrong" else m.feedback.good
        try:
            done = ask(note, **options)
        except (MemoroError, TypeError) as error:
            yield [kind, note, type(error).__name__, str(error)]
            continue
        yield [kind, note, list(done.entry[1:]), done.new, done.session, done.choice, list(map(list, done.items)),
               done.daily, list(done.notices)]  # fmt: skip
    for number in (1, 2):
        shown = m.memories.show(number).memory
        yield [number, shown.feedback, shown.content]
    yield ["experience", list(m.experiences.show(1).experience[1:11])]


def chosen(person: Person, m: Workspace) -> Iterator[list[Any]]:
    """Which conversations may be meant, by what is known."""
    heron = m.home_context.project_of(str(person.project("heron")))
    assert heron is not None
    environments: dict[str, Mapping[str, str]] = {
        "plain": {"HOME": str(person.me)},
        "of a host": {"HOME": str(person.me), "CLAUDE_CODE_SESSION_ID": SHORT},
        "of no log": {"HOME": str(person.me), "CLAUDE_CODE_SESSION_ID": "zzzz-9999"},
    }
    scopes = {
        "all": Scope(),
        "heron": Scope(project=heron.name, known_as=heron.known_as),
        "codex": Scope(agent="codex"),
    }
    names = (None, LONG, LONG[:8], SHORT, SHORT[:3], f"{LONG} (2)", "9f9f9f9f-only-recorded", "5e551001-aaaa", "zzzz")
    for told, environment in environments.items():
        for scope_name, scope in scopes.items():
            sources = ConversationSources(m.ledger.access, m.vault, environment, scope, m.home_context.project_of)
            for session in names if told == "plain" else (None,):
                for folder in (None, str(person.project("mill"))) if session is None else (None,):
                    asked = [told, scope_name, session, folder]
                    try:
                        found = list(find_conversation(sources, session, folder))
                    except MemoroError as error:
                        yield [*asked, str(error)]
                        continue
                    yield [
                        *asked,
                        [[one.session, one.log and one.log.path, one.project, one.host, one.choice] for one in found],
                    ]


def curated(m: Workspace) -> Iterator[list[Any]]:
    """What a round reads, with and without what is private, and what a model on another machine is asked."""
    for private in ((), ("agent/two.md", "memory:2")):
        sources = CurationSources(
            m.ledger.access, m.ledger.owner, m.vault, m.home_context.daily_place, private=private
        )
        reader = SnapshotReader(sources)
        read = reader.read()
        state = read.state._replace(now=NOON)
        hashed = [one._replace(sha256=one.sha256[:8], text=one.text[:40]) for one in state.notes]
        for name, part in state._replace(notes=tuple(hashed))._asdict().items():
            if isinstance(part, tuple | frozenset):
                yield [name, in_words(part) if name != "alike" else len(part)]
        open_ones = without_private(state)
        yield ["open", [len(part) for part in open_ones if isinstance(part, tuple)]]
        yield ["notices", list(read.notices)]
        for sends in (False, True):
            for is_home in (False, True):
                info = LanguageModelInfo(provider="x", model="far", host="api.example", is_home=is_home)
                model = ScriptedModel(keeping, info=info)
                plan = RoundPlanning(reader, SETTINGS, lambda model=model: model, sends).plan("review")  # type: ignore[misc]
                shown = [one for prompt in model.prompts for one in records_of(prompt)]
                yield [f"{private} {sends} {is_home}", plan.model, [one.reason for one in plan.suggestions],
                       [json.dumps(one, sort_keys=True) for one in shown], len(plan.contradictions)]  # fmt: skip


def keeping(prompt: Prompt) -> dict[str, object]:
    """Keep the first, and do as the others suggest."""
    rows = [
        {"reason": "So.", "number": one["number"], "step": list(one["steps"])[0 if place else -1], "target": 0}  # type: ignore[call-overload]
        for place, one in enumerate(records_of(prompt))
    ]
    for row, one in zip(rows, records_of(prompt), strict=True):
        row["target"] = 1 if "sides" in one and row["step"] == "supersede" else 0
    return {"reason": "All.", "choices": rows}


def lost(m: Workspace, person: Person) -> Iterator[list[Any]]:
    """How many entries may leave a file by proposals that nobody asked for."""
    lines = "".join(f"- Fact {n} of the day ^g{n}\n" for n in range(20))
    vault = person.folder / "vault"
    (vault / "MEMORY.md").write_text(f"# Memory\n\n{lines}")
    for number in range(9):
        text = f"Fact {number} of the day"
        change = (
            MoveEntry(f"g{number}", "MEMORY.md", "pinned", text)
            if number % 4 == 1
            else RetireEntry(f"g{number}", "MEMORY.md", text)
        )
        said = Suggestion(change, (Evidence("x"),), "agent" if number == 2 else "tidy")
        proposed = m.proposals.propose(said).proposal.id
        try:
            m.proposals.accept(proposed)
            yield [number, "gone"]
            if number == 3:
                m.journal.undo_proposal(proposed)
        except MemoroError as error:
            yield [number, str(error)]
            person.now += timedelta(days=6 if number == 6 else 2)
    for kept in (16, 3, 0):
        text = "# Memory\n\n" + "".join(f"- Fact {n} of the day ^g{n}\n" for n in range(20 - kept, 20))
        expected = hashlib.sha256((vault / "MEMORY.md").read_bytes()).hexdigest()
        proposed = m.proposals.propose(Suggestion(WriteNote("MEMORY.md", text, expected), (), "tidy")).proposal.id
        try:
            m.proposals.accept(proposed)
            yield ["written", kept]
        except MemoroError as error:
            yield ["written", kept, str(error)]
    m.proposals.propose(
        Suggestion(PromoteMemory(2, "Lena leads harbor.", "semantic", "People", "MEMORY.md"), (), "tidy")
    )
    loaded = read_loaded_files(VaultFiles(str(vault)), {"semantic": 90, "procedural": 30})
    yield ["files", {path: list(one) for path, one in loaded.files.items()}, dict(loaded.paths), len(loaded.words)]


def answers(folder: Path) -> list[Any]:
    person = Person(folder)
    with in_utc(folder), person.opened() as m:
        prepared(person, m)
        found = [*marks(person, m), *chosen(person, m), *curated(m), *lost(m, person)]
    return [without(str(folder), one) for one in found]


def test_feedback_is_as_it_was_kept(tmp_path: Path) -> None:
    kept = read_kept(KEPT)["feedback"]
    check_kept([one[:3] for one in kept], answers(tmp_path), kept)


@pytest.mark.parametrize(("text", "entries"), [("- a\n- b\n", 2), ("", 0)])
def test_a_file_that_is_missing_or_unreadable_is_measured_all_the_same(
    tmp_path: Path, text: str, entries: int
) -> None:
    vault = write_vault(tmp_path, {"Memory.md": text, "PINNED.md": "- c\n"})
    (vault / "PROCEDURAL.md").write_bytes(b"\xff\xfe\x00\x00\x00")
    found = read_loaded_files(VaultFiles(str(vault)), {"semantic": 90, "procedural": 30})
    assert found.paths["semantic"] == "Memory.md" and found.paths["pinned"] == "PINNED.md"
    assert found.files["Memory.md"].entries == entries and found.files["Memory.md"].most_tokens == 90
    assert found.files["PINNED.md"].most_tokens is None


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        write_kept(KEPT, {"feedback": answers(Path(place))})
