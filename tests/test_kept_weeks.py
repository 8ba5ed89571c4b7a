"""Ten weeks of extraction, feedback, rounds and decisions in one home are those that were kept.

After a change that is meant, look at what moved, then keep the new answers: `python -m tests.test_kept_weeks`.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.extraction import read
from benchmarks.rewording import pairs

import memoro
from memoro.curate.extraction.runs import ExtractionRequest
from memoro.curate.reviewing.amending import editable_text
from memoro.curate.reviewing.digest import digest, kinds_in_words
from memoro.errors import MemoroError
from memoro.model.proposals import Proposal
from memoro.workspace import Workspace
from tests.conftest import write_vault
from tests.kept import check_kept, read_kept, write_kept
from tests.test_kept_sessions import in_utc, without

HERE = Path(__file__).parent
KEPT = HERE / "data" / "kept_weeks.json"
DATA = HERE.parent / "benchmarks" / "data"
FIRST = datetime(2026, 8, 3, 9, tzinfo=UTC)
WEEKS = 10
SETTINGS = """[transcripts]
folders = ["claude"]

[extract]
to = "memories"
min_user_messages = 1

[curate]
memory_tokens = 260
rules_tokens = 120
proposals_per_round = 7
"""
NOTES = {
    "MEMORY.md": "# Memory\n\n- The proxy listens on port 8080\n- Anna likes figs\n- The proxy listens on port 8080\n"
    "- Always run the tests before a commit\n- The token of the mirror is ghp_0123456789abcdefghijklmnopqrstuvwxyzA\n"
    "- The trip to Ghent is from 3 to 6 August 2026\n- Lena leads the harbor team\n"
    "- See [[old harbour]] for the map\n"
    "- Yesterday the backup failed and I restarted it\n- My dentist is called Dr. Pohl #private\n",
    "PROCEDURAL.md": "# Rules\n\n- Use tabs in Go files\n- My sister Ida lives in Bremen\n"
    "- Never deploy on a Friday\n",
    "Harbour/map.md": "---\naliases: [harbour map]\n---\n# Map\n\n"
    "See [[Missing note]] and [[map of the pier|the pier]].\n",
    "Pier/map of the pier.md": "# Map of the pier\n\nThe pier has 12 berths.\n",
}
# What was said in each week, by project: later weeks change what earlier ones said.
TALKS: Sequence[Sequence[tuple[str, str]]] = (
    (
        ("harbor", "The harbor API listens on port 9090. Lena leads the harbor team."),
        ("", "I live in Kiel and my cat is called Miso. I prefer tea over coffee."),
        ("parcels", "We decided to keep parcels in Postgres 15. The release of parcels is on Tuesdays."),
    ),
    (
        ("harbor", "The harbor API listens on port 9191 now, 9090 collided with the proxy."),
        ("", "My dentist is Dr. Pohl, next appointment on Monday. Please never use emoji in my mails."),
        ("parcels", "Always squash commits of parcels before a merge."),
    ),
    (
        ("harbor", "Noor took over from Lena, Noor leads the harbor team now."),
        ("", "Ich wohne jetzt in Lübeck. Meine Bank ist die GLS."),
        ("parcels", "The staging server of parcels is called heron. Its password is Tr0ub4dor&3."),
    ),
    (
        ("harbor", "The harbor API listens on port 9191. The office opens at 8:30."),
        ("", "My cat is called Miso. I moved from Kiel to Lübeck in August."),
        ("parcels", "The staging server of parcels is called heron, not egret."),
    ),
    (
        ("harbor", "The office opens at 9:00 instead of 8:30 since Monday."),
        ("", "I don't drink tea any more, I prefer coffee."),
        ("parcels", "The staging server of parcels is called heron. Parcels runs on Postgres 16 now."),
    ),
)
ASKED = (
    ("Which port does the harbor API listen on?", "9191"), ("What is my cat called?", "Miso"),
    ("What is the staging server of parcels called?", "heron"), ("Who leads the harbor team?", "Noor"),
    ("Where do I live?", "Lübeck"), ("What do I prefer to drink?", "coffee"),
)  # fmt: skip
FEEDBACK = (
    "Write answers in short sentences", "The proxy listens on port 8443", "Write answers in short sentences",
    "Never use emoji in my mails", "Anna does not like figs any more", "Answer in German when I write German",
    "Answer in German when I write German", "that was nonsense", "Always name the file that you changed",
    "Always name the file that you changed",
)  # fmt: skip
WRITTEN = [text for pair in pairs("dev")[::9] for text in (pair.one, pair.other)]
TALKS_OF_OTHERS = [one for one in read(DATA / "extraction-dev.txt") if one.turns]


class Weeks:
    def __init__(self, folder: Path) -> None:
        self.folder, self.now = folder, FIRST
        self.logs = folder / "me" / ".claude" / "projects" / "-work"
        self.logs.mkdir(parents=True)
        (folder / "home").mkdir(mode=0o700)
        (folder / "home" / "memoro.toml").write_text(SETTINGS, encoding="utf-8")
        write_vault(folder / "vault", NOTES)
        self.decided = 0

    def live(self) -> Iterator[list[Any]]:
        """Everything that happens, a line for each."""
        with in_utc(self.folder), memoro.open(
            self.folder / "home", self.folder / "vault", clock=lambda: self.now
        ) as m:  # fmt: skip
            for week in range(WEEKS):
                self.now += timedelta(days=2)
                for number, turns in enumerate(self._talks(week)):
                    yield self._extracted(m, f"w{week}-{number}", *turns)
                yield from self._work(m, week)
                self.now += timedelta(days=5)
                yield from self._round(m, week)
            yield from end(m, self.folder)

    def _talks(self, week: int) -> Iterator[tuple[str, list[tuple[str, str]]]]:
        for project, said in TALKS[week % len(TALKS)]:
            yield project, [("user", said), ("assistant", "I keep that in mind.")]
        for one in TALKS_OF_OTHERS[3 * week : 3 * week + 3]:
            yield "", [("user" if turn.is_owner else "assistant", turn.text) for turn in one.turns]

    def _extracted(self, m: Workspace, name: str, project: str, turns: Sequence[tuple[str, str]]) -> list[Any]:
        self.now += timedelta(hours=1)
        where = self.folder / "src" / project if project else self.folder / "me"
        where.mkdir(parents=True, exist_ok=True)
        lines = [
            {"type": side, "uuid": f"{name}-{n}", "sessionId": name, "cwd": str(where),
             "timestamp": (self.now + timedelta(minutes=n)).isoformat(), "message": {"role": side, "content": text}}
            for n, (side, text) in enumerate(turns, 1)
        ]  # fmt: skip
        log = self.logs / f"{name}.jsonl"
        log.write_text("".join(f"{json.dumps(one)}\n" for one in lines), encoding="utf-8")
        run = m.extraction.run(ExtractionRequest(logs=(str(log),)))
        return [
            name,
            [
                [
                    [[one.text, one.kind, round(one.score, 3)] for one in found.facts],
                    [list(map(str, one[1:])) for one in found.kept],
                    list(found.proposals),
                    [one.text for one in found.known],
                    [list(map(str, one)) for one in found.omitted],
                    [found.project, found.why, list(found.notices)],
                ]
                for found in (*run.conversations, *run.left_out)
            ],
        ]

    def _work(self, m: Workspace, week: int) -> Iterator[list[Any]]:
        """Write entries, memories and experiences by hand, ask, and say what was wrong."""
        own = WRITTEN[4 * week : 4 * week + 4]
        for number, text in enumerate(own):
            with suppress(MemoroError):
                if number % 2:
                    m.memories.store(text, source="user" if week % 2 else "web", project=None)
                else:
                    m.remember(text, tier="procedural" if week % 5 == 4 else "semantic")
        for number, (question, answer) in enumerate(ASKED):
            session = f"s{week}-{number}"
            given = m.recall(question, session=session)
            for item in (one for one in given.items if one.kind == "memory"):
                marks = m.memories.reinforce if answer in item.text else m.memories.demote
                with suppress(MemoroError):
                    marks(int(item.path.removeprefix("memory:")), session=session)
        self.now += timedelta(hours=1)
        for number, note in enumerate((FEEDBACK[week], FEEDBACK[(week + 1) % len(FEEDBACK)])):
            tell = m.feedback.good if (week + number) % 6 == 5 else m.feedback.wrong
            try:
                told = tell(note, session=f"s{week}-{number}")
                yield ["feedback", note, told.new, [list(map(str, one)) for one in told.items], list(told.notices)]
            except MemoroError as error:
                yield ["feedback", note, str(error)]
        made = m.experiences.record("task_solution", f"mend the {week % 3}. crane", "grease it", success=0.0)
        if week == 4:
            m.memories.supersede(1, 2)
            m.memories.update(3, "My cat is called Miso and is five years old.")
        yield ["experience", made.experience.id]

    def _round(self, m: Workspace, week: int) -> Iterator[list[Any]]:
        if week % 3 == 2:
            yield self._tidied(m, dry_run=True)
            yield self._tidied(m, dry_run=False)
        report = m.curation.run()
        yield [f"round {week}", report.sentence, [one.reason for one in report.offered.withheld]]
        if week % 4 == 3:
            self.now += timedelta(days=8)  # as what was made last week counts no more
            yield ["again", m.curation.run().sentence]
        for shown in m.proposals.previews():
            yield [*_told(shown.proposal), shown.before, shown.after, shown.outdated]
        found = digest(m.proposals.all())
        yield ["digest", found.waiting, kinds_in_words(found), found.oldest]
        for proposal in m.proposals.all():
            self.decided += 1
            yield ["decided", proposal.id, *self._decide(m, proposal)]

    def _tidied(self, m: Workspace, *, dry_run: bool) -> list[Any]:
        done = m.tidy(dry_run=dry_run)
        return [
            "tidied",
            [repr(one.change) for one in done.planned],
            [one.id for one in done.proposed],
            [[one.reason, repr(one.suggestion.change)] for one in done.withheld],
            [repr(one) for one in done.contradictions],
        ]

    def _decide(self, m: Workspace, proposal: Proposal) -> list[Any]:
        """By turns: accept, accept and undo, reject, accept in other words, leave, reject and reopen."""
        turn = self.decided % 6
        text = editable_text(proposal.change)
        try:
            if turn in (0, 1, 3):
                done = m.proposals.accept(proposal.id, text=f"{text}, really" if turn == 3 and text else None)
                told = [done.path, done.text]
                if turn == 1:
                    m.journal.undo_proposal(proposal.id)
                return ["accepted" if turn != 1 else "undone", *told]
            if turn in (2, 5):
                m.proposals.reject(proposal.id)
                if turn == 5:
                    m.proposals.reopen(proposal.id)
        except MemoroError as error:
            return [type(error).__name__, str(error)]
        return [("", "", "rejected", "", "left", "reopened")[turn]]


def _told(one: Proposal) -> list[Any]:
    return [
        one.id, one.operation, repr(one.change), one.reason, one.score, one.origin, one.actor, one.expires_at,
        [[quote.quote, quote.path, quote.line, quote.date] for quote in one.evidence],
    ]  # fmt: skip


def end(m: Workspace, folder: Path) -> Iterator[list[Any]]:
    """The files, the memories, and what was decided of each proposal."""
    for file in sorted((folder / "vault").rglob("*.md")):
        yield [str(file.relative_to(folder / "vault")), file.read_text(encoding="utf-8").split("\n")]
    for one in m.memories.all():
        yield [one.id, one.content, one.source, one.trust, one.feedback, one.hit_at, one.project, one.valid_to]
    for proposal in m.proposals.all(None):
        yield [proposal.id, proposal.state, proposal.settled_at]


def answers(folder: Path) -> list[Any]:
    return [without(str(folder), one) for one in Weeks(folder).live()]


def test_weeks_of_curation_go_as_those_that_were_kept(tmp_path: Path) -> None:
    kept = read_kept(KEPT)["weeks"]
    check_kept([one[:2] for one in kept], answers(tmp_path), kept)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        write_kept(KEPT, {"weeks": answers(Path(place))})
