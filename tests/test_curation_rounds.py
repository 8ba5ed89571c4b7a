"""Rounds of curation: what they look at and find, when they are due, and what a session is told of what waits."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import memoro
from memoro.curate.gating.gate import Offered
from memoro.curate.gating.rules import Withheld
from memoro.curate.rounds.planning import LookedAt, PlannedRound, looked_at_in_words
from memoro.curate.rounds.running import RoundReport
from memoro.hooks.answers import context
from memoro.hooks.events import SessionStarted
from memoro.hooks.waiting import waiting_line
from memoro.ledger.housekeeping import has_come
from memoro.ledger.proposals import Queued, WaitingCount
from memoro.model.fence import FENCE_CLOSE, FENCE_OPEN
from memoro.model.proposals import Proposal, RememberEntry, RetireEntry, Suggestion
from memoro.model.rewording import statement_words
from memoro.model.vocabulary import WithheldFor
from memoro.serve.curating import CurationService
from memoro.serve.services import ServiceContext
from memoro.workspace import Workspace

NOON = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)
TEA = RememberEntry(text="Tea is served at four", tier="semantic", section=None, path="MEMORY.md")
TWICE = "- The staging server is called heron ^a1\n- Anna likes figs ^b2\n- The staging server is called heron ^c3\n"


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "MEMORY.md").write_text(f"# Memory\n\n{TWICE}")
    return folder


@pytest.fixture
def m(tmp_path: Path, vault: Path, clock: Clock) -> Iterator[Workspace]:
    with memoro.open(tmp_path / "home", vault, clock=clock) as workspace:
        yield workspace


def every_day(last: datetime, now: datetime) -> bool:
    return now - last >= timedelta(days=1)


def test_a_round_says_what_it_looked_at_and_changes_no_file(m: Workspace, vault: Path) -> None:
    before = (vault / "MEMORY.md").read_bytes()
    found = m.curation.run()
    assert found.sentence == "Looked at 3 entries, by rules, without a language model: 1 new proposal."
    assert [one.proposal.operation for one in found.offered.queued] == ["retire_entry"]
    assert (vault / "MEMORY.md").read_bytes() == before
    assert [one.proposal.actor for one in found.offered.queued] == ["memoro"]


def test_what_was_rejected_is_found_again_and_withheld(m: Workspace) -> None:
    (made,) = m.curation.run().offered.queued
    again = m.curation.run()
    assert again.sentence.endswith("no further proposals.")
    m.proposals.reject(made.proposal.id)
    assert m.curation.run().sentence.endswith("no further proposals; withheld: 1 rejected before.")
    assert m.proposals.all() == []


def test_a_file_over_its_budget_is_offered_the_next_entry_after_one_was_rejected_or_taken_back(
    tmp_path: Path, vault: Path
) -> None:
    lines = [f"- The machine in room {n} of the mill answers at port {8000 + n} ^room{n:02}" for n in range(40)]
    (vault / "MEMORY.md").write_text("# Memory\n\n" + "\n".join(lines) + "\n")
    (tmp_path / "home").mkdir(mode=0o700)
    (tmp_path / "home" / "memoro.toml").write_text("[curate]\nmemory_tokens = 600\nproposals_per_round = 20\n")
    with memoro.open(tmp_path / "home", vault) as m:
        first = _retired(m)
        assert 2 <= len(first) <= 10
        m.proposals.accept(min(first))
        m.journal.undo_proposal(min(first))
        for number in sorted(first)[1:]:
            m.proposals.reject(number)
        second = _retired(m)
    assert len(second) == len(first)
    assert not set(first.values()) & set(second.values())


def _retired(m: Workspace) -> dict[int, str]:
    """Make a round; return which proposals would retire which entries."""
    made = [one.proposal for one in m.curation.run().offered.queued]
    return {one.id: one.change.id for one in made if isinstance(one.change, RetireEntry)}


def test_a_scheduled_round_waits_for_its_time_and_for_a_change(m: Workspace, vault: Path, clock: Clock) -> None:
    assert m.curation.run_if_due(every_day) is None, "the first time of the schedule is waited for"
    clock.now += timedelta(hours=2)
    assert m.curation.run_if_due(every_day) is None
    clock.now += timedelta(days=1)
    found = m.curation.run_if_due(every_day)
    assert found is not None and found.new == 1
    clock.now += timedelta(days=1)
    assert m.curation.run_if_due(every_day) is None, "nothing has changed since"
    with (vault / "MEMORY.md").open("a") as file:
        file.write("- Anna likes figs ^d4\n")
    assert m.curation.run_if_due(every_day) is None, "its time has not come"
    clock.now += timedelta(days=1)
    found = m.curation.run_if_due(every_day)
    assert found is not None and found.new == 1


def test_a_clock_that_was_set_back_waits_for_the_next_time(m: Workspace, clock: Clock) -> None:
    m.curation.run_if_due(every_day)
    clock.now -= timedelta(days=30)
    assert m.curation.run_if_due(every_day) is None
    clock.now += timedelta(days=1)
    assert m.curation.run_if_due(every_day) is not None


def test_a_time_of_the_schedule_has_come_once_a_day() -> None:
    assert has_come("30 3 * * *", NOON, NOON + timedelta(days=1))
    assert not has_come("30 3 * * *", NOON, NOON + timedelta(seconds=1))


class Lines:
    """Keeps what a service reports, and stops it after the first report."""

    def __init__(self, stop: threading.Event) -> None:
        self.stop, self.lines = stop, list[str]()

    def done(self, line: str) -> None:
        self.lines.append(line)
        self.stop.set()

    failed = notice = watching = http = hooks = done

    def request(self) -> None: ...


def test_serve_makes_a_round_on_schedule_and_logs_one_line(m: Workspace, clock: Clock) -> None:
    m.curation.run_if_due(every_day)
    clock.now += timedelta(days=2)
    stop = threading.Event()
    reports = Lines(stop)
    CurationService().run(ServiceContext(m, stop, reports))
    assert reports.lines == ["curation: looked at 3 entries, by rules, without a language model: 1 new proposal"]
    assert len(m.proposals.all()) == 1


def test_what_was_looked_at_is_told_in_words() -> None:
    nothing = LookedAt(entries=0, memories=0, experiences=0, notes=0, extracted=0, feedback=0)
    assert looked_at_in_words(nothing, None) == "nothing yet, by rules, without a language model"
    some = nothing._replace(entries=1, memories=2, feedback=1)
    assert looked_at_in_words(some, "m1") == "1 entry, 2 memories and 1 piece of feedback, with m1"


# At the start of a session


def started(session: str, source: str = "startup") -> SessionStarted:
    return SessionStarted(event="SessionStart", session=session, source=source)


def test_the_first_session_of_a_day_is_told_that_proposals_wait(m: Workspace, clock: Clock) -> None:
    assert "memoro review" not in context(started("s0"), m, "claude")
    m.proposals.propose(Suggestion(TEA, origin="review"), by="memoro")

    told = context(started("s1"), m, "claude")
    assert "1 proposal waits for the user's decision: `memoro review`" in told
    assert told.startswith(FENCE_OPEN) and told.rstrip().endswith(FENCE_CLOSE)
    assert told.count(FENCE_OPEN) == 1
    assert TEA.text not in told, "what is proposed is not given"
    assert "memoro review" not in context(started("s2"), m, "claude")

    clock.now += timedelta(days=1)
    assert "memoro review" not in context(started("s2", "resume"), m, "claude")
    assert "memoro review" in context(started("s3"), m, "claude")


def test_an_agent_is_told_the_number_that_the_person_sees(tmp_path: Path, vault: Path, m: Workspace) -> None:
    for agent in ("a", "claude-code"):
        with memoro.open(tmp_path / "home", vault, agent=agent) as other:
            other.remember(f"The concert of {agent} is on 12 December.", by=agent)
    with memoro.open(tmp_path / "home", vault, agent="claude-code") as bound:
        assert len(bound.proposals.all()) == 1, "an agent may read its own"
        assert "2 proposals wait for the user's decision: `memoro review`" in context(started("s1"), bound, "claude")
    assert len(m.proposals.all()) == 2


def test_a_session_of_a_project_is_told_how_many_concern_it(tmp_path: Path, vault: Path) -> None:
    for project in ("api", "web"):
        with memoro.open(tmp_path / "home", vault, agent="claude", project=f"github.com/acme/{project}") as m:
            m.proposals.propose(Suggestion(TEA, origin="extraction"), by="memoro")
            if project == "web":
                told = context(started("s1"), m, "claude")
    assert "2 proposals wait for the user's decision, of which 1 concerns this project: `memoro review`" in told


def test_an_event_that_is_repeated_gets_the_same_line(m: Workspace) -> None:
    m.proposals.propose(Suggestion(TEA, origin="review"), by="memoro")
    first = context(started("s1"), m, "claude", "key-1")
    assert "memoro review" in first
    assert context(started("s1"), m, "claude", "key-1") == first


def test_a_home_without_notes_is_told_in_a_block_of_its_own(tmp_path: Path, clock: Clock) -> None:
    (tmp_path / "empty").mkdir()
    with memoro.open(tmp_path / "home", tmp_path / "empty", clock=clock) as m:
        m.proposals.propose(Suggestion(TEA, origin="review"), by="memoro")
        told = context(started("s1"), m, "claude")
    assert (
        told.startswith(FENCE_OPEN)
        and waiting_line(WaitingCount(1, 1)) in told
        and told.rstrip().endswith(FENCE_CLOSE)
    )


def test_an_agent_of_another_project_is_not_told(tmp_path: Path, vault: Path) -> None:
    with memoro.open(tmp_path / "home", vault, agent="claude", project="github.com/acme/api") as m:
        m.proposals.propose(Suggestion(TEA, origin="extraction"), by="memoro")
    with memoro.open(tmp_path / "home", vault, agent="claude", project="github.com/acme/web") as m:
        assert "memoro review" not in context(started("s1"), m, "claude")


def test_a_home_in_memory_looks_at_its_memories() -> None:
    with memoro.open(":memory:") as m:
        m.memories.store("Deploys run at noon", source="user")
        assert m.curation.run().sentence.startswith("Looked at 1 memory, ")


def test_a_round_leaves_nothing_that_it_read_in_memory(m: Workspace) -> None:
    statement_words("The kettle is blue")
    m.curation.run()
    assert statement_words.cache_info().currsize == 0


def always(_last: datetime, _now: datetime) -> bool:
    return True


def test_a_round_may_be_due_in_the_moment_in_which_the_last_was_noted(tmp_path: Path, vault: Path) -> None:
    with memoro.open(tmp_path / "home", vault, clock=lambda: NOON) as m:
        assert m.curation.run_if_due(always) is None, "the first time is waited for"
        found = m.curation.run_if_due(always)
        assert found is not None and found.new == 1


def test_a_week_later_a_round_is_made_though_nothing_has_changed(tmp_path: Path, vault: Path) -> None:
    now = [datetime(2026, 3, 2, 12, 0, tzinfo=UTC)]  # a Monday
    with memoro.open(tmp_path / "home", vault, clock=lambda: now[0]) as m:
        m.curation.run_if_due(always)
        assert m.curation.run_if_due(always) is not None
        for day, is_made in ((3, False), (8, False), (9, True), (10, False)):
            now[0] = now[0].replace(day=day)
            assert (m.curation.run_if_due(always) is not None) is is_made, day


def test_a_schedule_is_asked_about_the_time_since_the_last_round(tmp_path: Path, vault: Path) -> None:
    asked: list[tuple[datetime, datetime]] = []

    def never(last: datetime, now: datetime) -> bool:
        asked.append((last, now))
        return False

    now = [NOON]
    with memoro.open(tmp_path / "home", vault, clock=lambda: now[0]) as m:
        assert m.curation.run_if_due(never) is None and asked == []
        for hours in (1, 2):
            now[0] = NOON + timedelta(hours=hours)
            assert m.curation.run_if_due(never) is None
    assert asked == [(NOON, NOON + timedelta(hours=1)), (NOON, NOON + timedelta(hours=2))]


@pytest.mark.parametrize(
    ("reasons", "new", "told"),
    [
        ((), 0, "no further proposals."),
        ((), 1, "1 new proposal."),
        ((), 2, "2 new proposals."),
        (("waits",), 0, "no further proposals."),
        (("budget", "rejected", "waits", "rejected"), 0,
         "no further proposals; withheld: 2 rejected before, 1 beyond a file's budget."),
        (("too_many",), 1, "1 new proposal; withheld: 1 beyond this week's limit."),
    ],
)  # fmt: skip
def test_a_round_is_told_in_one_sentence(reasons: tuple[WithheldFor, ...], new: int, told: str) -> None:
    proposal = Proposal(id=1, at="2026-03-05T12:00:00.000Z", actor="memoro", agent=None, change=TEA, state="open")
    queued = [Queued(proposal, new=True)] * new + [Queued(proposal, new=False)]
    withheld = tuple(Withheld(Suggestion(TEA), reason, "So it is.") for reason in reasons)
    plan = PlannedRound((), LookedAt(1, 0, 0, 0, 0, 0))
    report = RoundReport(plan, Offered(tuple(queued), withheld))
    assert report.sentence == f"Looked at 1 entry, by rules, without a language model: {told}"
    assert report.new == new
