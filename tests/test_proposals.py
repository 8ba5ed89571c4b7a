"""Proposals: changes of every kind wait for a person's word, with their evidence; one place carries them out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro import documents
from memoro.curate.reviewing.losses import refuse_loss
from memoro.errors import KeyReused, MemoroError, NoteExists, NoteUnwritable, ProposalOutdated, Refused
from memoro.model.memories import moment, stamp
from memoro.model.proposal_codec import decode_detail, decode_evidence, encode_detail, encode_evidence
from memoro.model.proposals import (
    AddDailyLine,
    AddRule,
    ChangeMemory,
    EditEntry,
    ErasedProposal,
    Evidence,
    MoveEntry,
    PromoteMemory,
    Proposal,
    ProposedChange,
    RememberEntry,
    RemoveEntry,
    RemoveMemory,
    RetireEntry,
    RetireExperience,
    RetireMemory,
    RetireNote,
    StoreMemory,
    Suggestion,
    SupersedeMemory,
    WriteNote,
    at_moment,
    proposed_operation,
    texts_of,
)
from memoro.model.vocabulary import ProposalOrigin
from memoro.workspace import Workspace
from tests import raw_sqlite

NOON = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)
SAID = Evidence(quote="I always drink tea at four", path="@logs/a.jsonl", line=7, date="2026-03-05", speaker="user")
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


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
    (folder / "MEMORY.md").write_text("# Memory\n\n- The kettle is blue ^kettle\n- Cups are white ^cups\n")
    (folder / "agent").mkdir()
    (folder / "agent" / "pots.md").write_text("Pots I have seen.\n")
    return folder


@pytest.fixture
def m(tmp_path: Path, vault: Path, clock: Clock) -> Iterator[Workspace]:
    with memoro.open(tmp_path / "home", vault, clock=clock) as workspace:
        yield workspace


def state(m: Workspace, vault: Path) -> dict[str, object]:
    """All that a person could see changing."""
    notes = {str(p.relative_to(vault)): p.read_text() for p in sorted(vault.rglob("*.md"))}
    experiences = [one.experience for one in m.experiences.list(archived=True)]
    return {
        "notes": notes, "memories": m.memories.all(), "archived": m.memories.stats().archived,
        "archived experiences": experiences,
    }  # fmt: skip


def fill(m: Workspace) -> None:
    m.memories.store("The kettle boils at 96 degrees.", source="user")
    m.memories.store("The kettle boils at 97 degrees.", source="user")
    m.experiences.record("task_solution", "descale the kettle", "vinegar")


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
perhaps = st.none() | texts
numbers = st.integers(1, 2**63 - 1)
proposed: st.SearchStrategy[ProposedChange] = st.one_of(
    st.builds(RememberEntry, texts, st.sampled_from(["semantic", "procedural", "pinned"]), perhaps, texts),
    st.builds(EditEntry, texts, texts, texts, perhaps),
    st.builds(RemoveEntry, texts, texts, perhaps),
    st.builds(AddDailyLine, texts, texts),
    st.builds(StoreMemory, texts, st.lists(texts).map(tuple), texts, perhaps, perhaps, st.none() | numbers),
    st.builds(SupersedeMemory, numbers, numbers, perhaps),
    st.builds(StoreMemory, texts, supersedes=numbers, valid_from=perhaps, was=perhaps),
    st.builds(ChangeMemory, numbers, perhaps, valid_to=perhaps, was=perhaps),
    st.builds(RemoveMemory, numbers),
    st.builds(WriteNote, texts, texts, perhaps),
    st.builds(RetireEntry, texts, texts, texts),
    st.builds(MoveEntry, texts, texts, st.sampled_from(["semantic", "procedural", "pinned"]), texts),
    st.builds(PromoteMemory, numbers, texts, st.sampled_from(["semantic", "procedural", "pinned"]), perhaps, texts),
    st.builds(RetireMemory, numbers),
    st.builds(RetireExperience, numbers),
    st.builds(RetireNote, texts, texts),
    st.builds(AddRule, texts, texts, perhaps, st.lists(texts).map(tuple)),
)
evidence = st.builds(Evidence, texts, perhaps, st.none() | numbers, perhaps, perhaps)


@given(proposed)
def test_every_proposed_change_is_read_as_it_was_written(change: ProposedChange) -> None:
    assert decode_detail(proposed_operation(change), encode_detail(change)) == change


@given(st.lists(evidence))
def test_evidence_is_read_as_it_was_written(given: list[Evidence]) -> None:
    assert decode_evidence(encode_evidence(given)) == tuple(given)


@given(st.sampled_from(["remember", "edit", "fly"]), texts | st.just("{}") | st.just('{"id": 1, "path": 2}'))
def test_a_proposal_that_cannot_be_read_is_kept_as_it_is(operation: str, detail: str) -> None:
    change = decode_detail(operation, detail)
    assert change == ErasedProposal(operation, detail)
    assert (proposed_operation(change), encode_detail(change)) == (operation, detail)


def test_proposals_of_two_kinds_about_one_number_wait_both(m: Workspace) -> None:
    m.memories.store("the kettle is green", source="user")
    queued = [
        m.proposals.propose(Suggestion(change)) for change in (RemoveMemory(1), RetireMemory(1), RemoveMemory(1))
    ]
    assert [one.new for one in queued] == [True, True, False]


@given(proposed, st.lists(evidence), texts)
def test_all_texts_of_a_proposal_are_known_to_forgetting(
    change: ProposedChange, given: list[Evidence], why: str
) -> None:
    proposal = Proposal(
        id=1, at="", actor="a", agent=None, change=change, state="open", evidence=tuple(given), reason=why
    )
    said = {value for name, value in change._asdict().items() if name in ("text", "content", "was") and value}
    assert set(texts_of(proposal)) == said | {one.quote for one in given} | {why}


CHANGES: dict[str, ProposedChange] = {
    "remember": RememberEntry(text="Tea is at four", tier="procedural", section=None, path="PROCEDURAL.md"),
    "edit": EditEntry(id="kettle", text="The kettle is green", path="MEMORY.md"),
    "remove": RemoveEntry(id="kettle", path="MEMORY.md"),
    "daily": AddDailyLine(text="tea at four", at="2026-03-04T16:00:00.000Z"),
    "store a memory": StoreMemory(content="Tea is drunk at four.", tags=("tea",), session="afternoon"),
    "supersede a memory": SupersedeMemory(old=1, new=2),
    "remove a memory": RemoveMemory(number=1),
    "write a new note": WriteNote(path="ideas.md", text="A larger pot.\n"),
    "supersede by a new memory": StoreMemory(content="The kettle boils at 98 degrees.", supersedes=1),
    "retire an entry": RetireEntry(id="kettle", path="MEMORY.md", text="The kettle is blue"),
    "move an entry": MoveEntry(id="kettle", path="MEMORY.md", tier="pinned", text="The kettle is blue"),
    "promote a memory": PromoteMemory(
        number=2, text="The kettle boils at 97 degrees.", tier="semantic", section="Project context", path="MEMORY.md"
    ),
    "retire a memory": RetireMemory(number=1),
    "retire an experience": RetireExperience(number=1),
    "retire a note": RetireNote(path="agent/pots.md", expected=hashlib.sha256(b"Pots I have seen.\n").hexdigest()),
    "add a rule": AddRule(text="Always descale the kettle", path="PROCEDURAL.md", section="Kitchen"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_of_every_kind_waits_is_carried_out_and_undone(name: str, m: Workspace, vault: Path) -> None:
    fill(m)
    before = state(m, vault)
    queued = m.proposals.propose(
        Suggestion(CHANGES[name], (SAID,), "extraction", 0.8, reason="It is said so."), by="helper"
    )
    assert queued.new and state(m, vault) == before
    (waiting,) = m.proposals.all()
    assert waiting == queued.proposal
    assert (waiting.actor, waiting.change, waiting.evidence) == ("helper", CHANGES[name], (SAID,))
    assert (waiting.origin, waiting.score, waiting.state) == ("extraction", 0.8, "open")
    assert waiting.reason == "It is said so."
    done = m.proposals.accept(waiting.id)
    assert done.proposal == waiting.id
    assert state(m, vault) != before
    assert m.proposals.all() == [] and m.proposals.all("accepted")[0].id == waiting.id
    m.journal.undo()
    assert state(m, vault) == before


def test_an_accepted_daily_line_stands_on_the_day_it_happened(m: Workspace, vault: Path) -> None:
    at = datetime(2026, 3, 4, 16, 0, tzinfo=UTC)
    number = m.proposals.propose(Suggestion(CHANGES["daily"])).proposal.id
    made = m.proposals.accept(number)
    local = at.astimezone()
    assert made.path == f"daily/{local:%Y-%m-%d}.md"
    assert f"- {local:%H:%M} tea at four" in (vault / made.path).read_text()


def test_an_accepted_memory_has_its_source_and_a_persons_word(m: Workspace) -> None:
    number = m.proposals.propose(Suggestion(CHANGES["store a memory"])).proposal.id
    made = m.proposals.accept(number)
    memory = m.memories.all()[0]
    assert made.id == f"memory:{memory.id}"
    assert (memory.source, memory.trust, memory.tags, memory.session) == (
        "extraction", "user_confirmed", ("tea",), "afternoon",
    )  # fmt: skip
    assert [e.operation for e in m.journal.undo(by="extraction", since="2026-01-01").entries] == ["store"]
    assert m.memories.all() == []


def test_a_new_fact_takes_the_place_of_an_old_one(m: Workspace) -> None:
    old = m.memories.store("Tea is drunk at five.").memory.id
    number = m.proposals.propose(Suggestion(StoreMemory("Tea is drunk at four.", supersedes=old))).proposal.id
    m.proposals.accept(number)
    assert [memory.content for memory in m.memories.all()] == ["Tea is drunk at four."]
    assert m.memories.get(old).superseded_by == m.memories.all()[0].id
    m.journal.undo()
    assert [memory.content for memory in m.memories.all()] == ["Tea is drunk at five."]


def test_a_new_fact_that_takes_the_place_of_an_old_one_stays_in_its_project(m: Workspace) -> None:
    old = m.memories.store("Tea is drunk at five.", "private", project="mill").memory.id
    number = m.proposals.propose(Suggestion(StoreMemory("Tea is drunk at four.", supersedes=old))).proposal.id
    m.proposals.accept(number)
    assert [(memory.project, memory.tags) for memory in m.memories.all()] == [("mill", ("private",))]


def test_a_note_is_changed_only_if_it_is_what_was_read(m: Workspace, vault: Path) -> None:
    (vault / "ideas.md").write_text("one\n")
    digest = hashlib.sha256(b"one\n").hexdigest()
    first = m.proposals.propose(Suggestion(WriteNote("ideas.md", "two\n", digest))).proposal.id
    second = m.proposals.propose(Suggestion(WriteNote("ideas.md", "three\n", digest))).proposal.id
    third = m.proposals.propose(Suggestion(WriteNote("ideas.md", "four\n"))).proposal.id
    m.proposals.accept(first)
    with pytest.raises(NoteUnwritable, match="has changed since it was read"):
        m.proposals.accept(second)
    with pytest.raises(NoteExists):
        m.proposals.accept(third)
    assert (vault / "ideas.md").read_text() == "two\n"
    assert [one.id for one in m.proposals.all()] == [second, third]


@pytest.mark.parametrize("name", CHANGES)
def test_a_process_that_died_before_it_settled_a_proposal_does_not_do_it_twice(
    name: str, m: Workspace, vault: Path, tmp_path: Path, clock: Clock
) -> None:
    fill(m)
    proposal = m.proposals.propose(Suggestion(CHANGES[name])).proposal
    m.proposals.accept(proposal.id)
    done, entries = state(m, vault), len(m.journal.log(1000))
    m.close()
    reopen(tmp_path / "home", proposal.id)
    with memoro.open(tmp_path / "home", vault, clock=clock) as again:
        again.proposals.accept(proposal.id)
        assert state(again, vault) == done
        assert len(again.journal.log(1000)) == entries


@pytest.mark.parametrize("name", CHANGES)
def test_a_proposal_that_was_accepted_and_undone_waits_again_and_can_be_accepted_anew(
    name: str, m: Workspace, vault: Path
) -> None:
    fill(m)
    number = m.proposals.propose(Suggestion(CHANGES[name])).proposal.id
    m.proposals.accept(number)
    with pytest.raises(Refused, match="undo --proposal"):
        m.proposals.reopen(number)
    m.journal.undo_proposal(number)
    undone = state(m, vault)
    again = m.proposals.reopen(number)
    assert (again.state, again.id) == ("open", number + 1)
    m.proposals.accept(again.id)
    assert state(m, vault) != undone
    assert m.proposals.all() == []


def test_a_bare_undo_after_a_rejection_undoes_nothing_else(m: Workspace, vault: Path, clock: Clock) -> None:
    fill(m)
    number = m.proposals.propose(Suggestion(CHANGES["edit"])).proposal.id
    clock.now += timedelta(minutes=1)
    m.proposals.reject(number)
    before, last = state(m, vault), m.journal.log(1)[0]
    for dry_run in (True, False):
        with pytest.raises(Refused, match=rf"review --reopen {number}`.* `memoro undo {last.id}`"):
            m.journal.undo(dry_run=dry_run)
    assert state(m, vault) == before

    clock.now += timedelta(minutes=1)
    later = m.memories.store("The lamp is green").memory.id
    assert [one.item for one in m.journal.undo().entries] == [later]
    m.journal.undo(last.id)


def reopen(home: Path, number: int) -> None:
    """As if the process had died before it wrote that the proposal was accepted."""
    import apsw

    from memoro.store.sqlite.engine import connect, engine

    db = connect(str(home / "ledger.db"), engine(str(home)))
    assert isinstance(db, apsw.Connection)
    db.execute("UPDATE proposals SET state = 'open', settled_at = NULL WHERE id = ?", (number,))
    db.close()


def test_a_proposal_expires(m: Workspace, clock: Clock) -> None:
    queued = m.proposals.propose(Suggestion(CHANGES["edit"], waits=timedelta(days=1)))
    assert [one.id for one in m.proposals.all()] == [queued.proposal.id]
    clock.now = NOON + timedelta(days=1)
    assert m.proposals.all() == []
    assert [one.state for one in m.proposals.all("expired")] == ["expired"]
    for settle in (m.proposals.accept, m.proposals.reject):
        with pytest.raises(MemoroError, match="Proposal 1 expired on 2026-03-06"):
            settle(queued.proposal.id)
    assert m.proposals.propose(Suggestion(CHANGES["edit"])).new  # and the same can be proposed again


def test_what_was_settled_does_not_expire() -> None:
    settled = Proposal(
        id=1, at="", actor="a", agent=None, change=RemoveMemory(1), state="rejected", expires_at="2026-01-01"
    )
    assert at_moment(settled, "2026-02-01").state == "rejected"
    assert at_moment(settled._replace(state="open"), "2026-02-01").state == "expired"
    assert at_moment(settled._replace(state="open"), "2025-12-31").state == "open"


def test_the_same_change_waits_once(m: Workspace) -> None:
    first = m.proposals.propose(Suggestion(CHANGES["store a memory"], (SAID,)))
    again = m.proposals.propose(Suggestion(CHANGES["store a memory"]))
    assert (first.new, again.new, again.proposal.id) == (True, False, first.proposal.id)


def test_secrets_do_not_get_into_proposals(m: Workspace, tmp_path: Path) -> None:
    quoted = Evidence(quote=f"my token is {TOKEN}")
    queued = m.proposals.propose(Suggestion(StoreMemory(f"The token is {TOKEN}"), (quoted,)))
    assert queued.redacted == ("github-token",)
    assert TOKEN not in json.dumps([documents.proposal(one) for one in m.proposals.all()])
    m.close()
    assert TOKEN.encode() not in b"".join(p.read_bytes() for p in (tmp_path / "home").glob("ledger.db*"))


def test_what_was_forgotten_is_not_proposed_again_and_goes_out_of_proposals(m: Workspace, tmp_path: Path) -> None:
    secret = "The safe opens with left, right, left."
    m.proposals.propose(Suggestion(StoreMemory(secret)))
    m.proposals.propose(Suggestion(RemoveMemory(1), (Evidence(quote=f"he said: {secret}"),)))
    number = m.memories.store(secret).memory.id
    m.memories.forget(number, yes=True)
    assert [(one.state, one.evidence) for one in m.proposals.all(None)] == [("rejected", ()), ("rejected", ())]
    assert all(isinstance(one.change, ErasedProposal) for one in m.proposals.all(None))
    with pytest.raises(MemoroError, match="was forgotten"):
        m.proposals.propose(Suggestion(StoreMemory(secret)))
    m.close()
    assert b"left, right" not in b"".join(p.read_bytes() for p in (tmp_path / "home").glob("ledger.db*"))


def test_a_proposal_is_shown_with_its_evidence(m: Workspace) -> None:
    m.proposals.propose(Suggestion(CHANGES["daily"], (SAID,), "extraction", 0.5, timedelta(days=1)))
    (shown,) = [documents.proposal(one) for one in m.proposals.all()]
    assert shown["operation"] == "daily"
    assert shown["detail"] == {"text": "tea at four", "at": "2026-03-04T16:00:00.000Z"}
    assert shown["evidence"] == [
        {
            "quote": "I always drink tea at four", "path": "@logs/a.jsonl", "line": 7, "date": "2026-03-05",
            "speaker": "user",
        }
    ]  # fmt: skip
    ends = moment(str(shown["at"])) + timedelta(days=1)
    assert (shown["origin"], shown["score"], shown["expires_at"]) == ("extraction", 0.5, stamp(ends))


def test_a_ledger_from_before_proposals_had_a_reason_opens(m: Workspace, vault: Path, tmp_path: Path) -> None:
    fill(m)
    m.proposals.propose(Suggestion(CHANGES["edit"]))
    m.close()
    raw_sqlite.make_format_5(tmp_path / "home" / "ledger.db")
    with memoro.open(tmp_path / "home", vault) as again:
        assert [one.reason for one in again.proposals.all()] == [""]
        assert {entry.proposal for entry in again.journal.log(100)} == {None}
        again.proposals.propose(Suggestion(CHANGES["remove"], reason="Nobody drinks tea."))
        again.proposals.accept(2)
        assert again.proposals.all("accepted")[0].reason == "Nobody drinks tea."
        assert again.journal.log(1)[0].proposal == 2


def test_a_ledger_from_before_changes_could_be_read_by_day_opens(m: Workspace, vault: Path, tmp_path: Path) -> None:
    fill(m)
    m.close()
    raw_sqlite.make_format_6(tmp_path / "home" / "ledger.db")
    with memoro.open(tmp_path / "home", vault) as again:
        again.memories.store("opened")
        assert again.journal.log(since="yesterday", before=99)
    assert raw_sqlite.root_page(tmp_path / "home" / "ledger.db", "journal_by_time")


def test_the_journal_says_which_proposal_each_change_carried_out(m: Workspace) -> None:
    fill(m)
    number = m.proposals.propose(Suggestion(CHANGES["retire an entry"])).proposal.id
    m.proposals.accept(number)
    newest = m.journal.log(3)
    assert [(one.operation, one.item, one.proposal) for one in newest[:2]] == [
        ("remove", "MEMORY.md", number), ("retire", "archive/MEMORY.md", number),
    ]  # fmt: skip
    assert newest[2].proposal is None
    assert documents.entry(newest[0])["proposal"] == number


def test_a_retired_entry_stands_in_the_archive_note_with_the_day(m: Workspace, vault: Path) -> None:
    m.proposals.accept(m.proposals.propose(Suggestion(CHANGES["retire an entry"])).proposal.id)
    assert (vault / "MEMORY.md").read_text() == "# Memory\n\n- Cups are white ^cups\n"
    kept = (vault / "archive" / "MEMORY.md").read_text()
    assert kept == "# Retired from MEMORY.md\n\n- The kettle is blue (retired 2026-03-05) ^kettle\n"


def test_a_moved_entry_keeps_its_id(m: Workspace, vault: Path) -> None:
    m.proposals.accept(m.proposals.propose(Suggestion(CHANGES["move an entry"])).proposal.id)
    assert (vault / "PINNED.md").read_text() == "# Pinned\n\n- The kettle is blue ^kettle\n"
    assert "kettle" not in (vault / "MEMORY.md").read_text()


def test_a_moved_entry_gets_another_id_where_its_own_is_taken(m: Workspace, vault: Path) -> None:
    (vault / "PINNED.md").write_text("- Never boil it dry ^kettle\n")
    made = m.proposals.accept(m.proposals.propose(Suggestion(CHANGES["move an entry"])).proposal.id)
    assert made.id != "kettle"
    assert (vault / "PINNED.md").read_text() == f"- Never boil it dry ^kettle\n- The kettle is blue ^{made.id}\n"


def test_a_retired_entry_takes_its_secrets_along(m: Workspace, vault: Path) -> None:
    (vault / "MEMORY.md").write_text(f"- The token is {TOKEN} ^token\n")
    change = RetireEntry(id="token", path="MEMORY.md", text=f"The token is {TOKEN}")
    m.proposals.accept(m.proposals.propose(Suggestion(change)).proposal.id)
    assert TOKEN in (vault / "archive" / "MEMORY.md").read_text()
    assert (vault / "MEMORY.md").read_text() == ""


@pytest.mark.parametrize(
    "change",
    [
        StoreMemory(content="Tea at three.", supersedes=1, was="Tea at five."),
        SupersedeMemory(old=1, new=2, was="Tea at five."),
        ChangeMemory(number=1, valid_to="2026-03-05", was="Tea at five."),
    ],
    ids=proposed_operation,
)
def test_a_memory_that_says_something_else_by_now_is_not_touched(
    change: StoreMemory | SupersedeMemory | ChangeMemory, m: Workspace
) -> None:
    m.memories.store("Tea at five.", source="user")
    m.memories.store("Tea at four.", source="user")
    number = m.proposals.propose(Suggestion(change, origin="extraction")).proposal.id
    m.memories.update(1, "Tea at six.", source="user")
    before = m.memories.all()
    with pytest.raises(ProposalOutdated, match=r"\[id:1\] says something else now.*withdrawn"):
        m.proposals.accept(number)
    assert m.memories.all() == before
    again = m.proposals.propose(Suggestion(change._replace(was="Tea at six."), origin="extraction")).proposal.id
    m.proposals.accept(again)
    assert m.memories.all() != before


@pytest.mark.parametrize("name", ["retire an entry", "move an entry", "edit", "remove", "retire a note"])
def test_what_its_owner_changed_since_is_not_touched(name: str, m: Workspace, vault: Path) -> None:
    change = CHANGES[name]
    if isinstance(change, EditEntry | RemoveEntry):
        change = change._replace(was="The kettle is blue")
    number = m.proposals.propose(Suggestion(change, origin="tidy")).proposal.id
    (vault / "MEMORY.md").write_text("- The kettle is red ^kettle\n")
    (vault / "agent" / "pots.md").write_text("Pots I have seen, and bought.\n")
    before = state(m, vault)
    with pytest.raises(
        ProposalOutdated, match=r"(?s)now|changed.*Nothing was changed, and the proposal is withdrawn"
    ):
        m.proposals.accept(number)
    assert state(m, vault) == before and m.journal.log() == []
    assert [one.id for one in m.proposals.all("expired")] == [number], "not rejected: it may be made anew"


def test_of_a_proposal_of_an_agent_that_does_not_fit_any_more_the_person_decides(m: Workspace, vault: Path) -> None:
    number = m.edit("kettle", "The kettle is green", by="helper").proposal
    (vault / "MEMORY.md").write_text("- The kettle is red ^kettle\n")
    with pytest.raises(ProposalOutdated, match="still waits"):
        m.proposals.accept(number or 0)
    assert [one.id for one in m.proposals.all()] == [number]
    assert (vault / "MEMORY.md").read_text() == "- The kettle is red ^kettle\n"


def test_a_half_that_cannot_be_completed_is_taken_back(m: Workspace, vault: Path) -> None:
    """A process died between both writes, and the owner changed the entry before it was accepted again."""
    number = m.proposals.propose(Suggestion(CHANGES["retire an entry"], origin="tidy")).proposal.id
    m.proposals.accept(number)
    removed = m.journal.log(1)[0]
    m.close()
    home = vault.parent / "home"
    reopen(home, number)
    raw_sqlite.delete_change(home / "ledger.db", removed.id)
    (vault / "MEMORY.md").write_text("- The kettle is red ^kettle\n")
    with memoro.open(home, vault) as again:
        with pytest.raises(ProposalOutdated):
            again.proposals.accept(number)
        assert not (vault / "archive" / "MEMORY.md").exists()
        assert (vault / "MEMORY.md").read_text() == "- The kettle is red ^kettle\n"


def test_automatic_proposals_take_at_most_a_quarter_of_a_file_within_a_week(
    m: Workspace, vault: Path, clock: Clock
) -> None:
    (vault / "MEMORY.md").write_text("".join(f"- fact {n} ^f{n}\n" for n in range(20)))

    def retire(n: int) -> int:
        change = RetireEntry(id=f"f{n}", path="MEMORY.md", text=f"fact {n}")
        return m.proposals.propose(Suggestion(change, origin="tidy")).proposal.id

    numbers = [retire(n) for n in range(6)]
    for number in numbers[:5]:
        m.proposals.accept(number)
    with pytest.raises(Refused, match=r"6 of 20 entries would leave MEMORY\.md within 7 days"):
        m.proposals.accept(numbers[5])
    assert [one.id for one in m.proposals.all()] == [numbers[5]], "it waits"
    m.journal.undo()
    m.proposals.accept(numbers[5])
    clock.now += timedelta(days=8)
    m.proposals.accept(retire(6))


def test_of_a_small_file_a_few_entries_may_go(m: Workspace, vault: Path) -> None:
    (vault / "MEMORY.md").write_text("".join(f"- fact {n} ^f{n}\n" for n in range(4)))
    for n in range(3):
        change = RetireEntry(id=f"f{n}", path="MEMORY.md", text=f"fact {n}")
        m.proposals.accept(m.proposals.propose(Suggestion(change, origin="tidy")).proposal.id)
    change = RetireEntry(id="f3", path="MEMORY.md", text="fact 3")
    with pytest.raises(Refused, match="4 of 4 entries"):
        m.proposals.accept(m.proposals.propose(Suggestion(change, origin="tidy")).proposal.id)


def test_a_rewritten_note_may_not_drop_many_entries(m: Workspace, vault: Path) -> None:
    text = "".join(f"- fact {n}\n" for n in range(20))
    (vault / "facts.md").write_text(text)
    wanted = WriteNote("facts.md", "- fact 1\n", hashlib.sha256(text.encode()).hexdigest())
    with pytest.raises(Refused, match="19 of 20 entries"):
        m.proposals.accept(m.proposals.propose(Suggestion(wanted, origin="review")).proposal.id)
    m.proposals.accept(
        m.proposals.propose(Suggestion(wanted._replace(text="- fact 2\n"), origin="agent")).proposal.id
    )
    assert (vault / "facts.md").read_text() == "- fact 2\n"


def test_a_key_stands_for_one_decision_in_one_wording(m: Workspace) -> None:
    number = m.proposals.propose(Suggestion(StoreMemory("Tea is drunk at five."))).proposal.id
    m.proposals.accept(number, text="Tea is drunk at four.", key="k")
    assert [one.content for one in m.memories.all()] == ["Tea is drunk at four."]
    with pytest.raises(KeyReused, match="The key 'k'"):
        m.proposals.accept(number, text="Tea is drunk at six.", key="k")
    with pytest.raises(KeyReused, match="The key 'k'"):
        m.proposals.accept(number, key="k")


def test_accepting_says_whether_anything_changed(m: Workspace, vault: Path) -> None:
    (vault / "ideas.md").write_text("one\n")
    digest = hashlib.sha256(b"one\n").hexdigest()
    for text, is_new in (("two\n", True), ("one\n", False)):
        (vault / "ideas.md").write_text("one\n")
        number = m.proposals.propose(Suggestion(WriteNote("ideas.md", text, digest))).proposal.id
        done = m.proposals.accept(number)
        assert (done.new, done.change is not None, done.path) == (is_new, is_new, "ideas.md")
    line = m.proposals.propose(Suggestion(AddDailyLine("We bought a kettle", "2026-06-02T08:00:00.000Z"))).proposal.id
    added = m.proposals.accept(line)
    assert added.new and added.change is not None and "We bought a kettle" in added.text


@pytest.mark.parametrize(("after", "is_refused"), [(timedelta(days=7), True), (timedelta(days=7, seconds=1), False)])
def test_what_left_a_file_counts_for_a_week_unless_a_person_took_it_out(
    tmp_path: Path, vault: Path, after: timedelta, is_refused: bool
) -> None:
    now = [NOON]
    (vault / "MEMORY.md").write_text("".join(f"- fact {n} ^f{n}\n" for n in range(5)))
    (vault / "PROCEDURAL.md").write_text("".join(f"- rule {n} ^r{n}\n" for n in range(5)))

    def retire(m: Workspace, number: int, origin: ProposalOrigin = "tidy", file: str = "MEMORY.md") -> None:
        word = "fact" if file == "MEMORY.md" else "rule"
        change = RetireEntry(id=f"{word[0]}{number}", path=file, text=f"{word} {number}")
        m.proposals.accept(m.proposals.propose(Suggestion(change, origin=origin)).proposal.id)

    with memoro.open(tmp_path / "home", vault, clock=lambda: now[0]) as opened:
        retire(opened, 0, "agent")
        for number in (0, 1):
            retire(opened, number, file="PROCEDURAL.md")
        for number in (1, 2, 3):
            retire(opened, number)
        now[0] = NOON + after
        if is_refused:
            with pytest.raises(Refused, match=r"4 of 4 entries would leave MEMORY\.md"):
                retire(opened, 4)
        else:
            retire(opened, 4)


def test_a_note_that_keeps_its_entries_may_be_written_whatever_has_left_it(m: Workspace, vault: Path) -> None:
    text = "".join(f"- fact {n} ^f{n}\n" for n in range(4))
    (vault / "MEMORY.md").write_text(text)
    for n in range(3):
        change = RetireEntry(id=f"f{n}", path="MEMORY.md", text=f"fact {n}")
        m.proposals.accept(m.proposals.propose(Suggestion(change, origin="tidy")).proposal.id)
    before = (vault / "MEMORY.md").read_bytes()
    for added, is_refused in (("- fact 3\n- another\n", False), ("- another\n", True)):
        wanted = WriteNote("MEMORY.md", added, hashlib.sha256(before).hexdigest())
        number = m.proposals.propose(Suggestion(wanted, origin="review")).proposal.id
        if is_refused:
            with pytest.raises(Refused, match="entries would leave"):
                m.proposals.accept(number)
        else:
            m.proposals.accept(number)
            before = (vault / "MEMORY.md").read_bytes()


def test_an_accepted_proposal_does_not_count_against_itself(m: Workspace, vault: Path) -> None:
    (vault / "MEMORY.md").write_text("".join(f"- fact {n} ^f{n}\n" for n in range(4)))
    for n in range(3):
        change = RetireEntry(id=f"f{n}", path="MEMORY.md", text=f"fact {n}")
        m.proposals.accept(m.proposals.propose(Suggestion(change, origin="tidy")).proposal.id)
    text = (vault / "MEMORY.md").read_text()
    for done in m.proposals.all("accepted"):
        refuse_loss(m.ledger.access, done, lambda _path: text)
    with pytest.raises(Refused, match="4 of 4 entries"):
        refuse_loss(m.ledger.access, done._replace(id=99), lambda _path: text)
