"""The dialogue of `memoro review`: every key, in a real home, with keys that a test presses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro.cli.keys import END
from memoro.cli.proposal_words import heading, origin_line, uses_line, wish_in_words
from memoro.cli.review_dialogue import ReviewActions, ReviewDialogue, ReviewTally, summary
from memoro.curate.reviewing.amending import amended, editable_text
from memoro.curate.reviewing.digest import ProposalDigest, digest, kind_of_change, kinds_in_words
from memoro.errors import Refused
from memoro.model.proposals import (
    AddRule,
    ChangeMemory,
    EditEntry,
    Evidence,
    Proposal,
    ProposedChange,
    RememberEntry,
    RetireEntry,
    RetireMemory,
    StoreMemory,
    Suggestion,
    SupersedeMemory,
    WriteNote,
)
from memoro.model.sessions import Uses
from memoro.operations.reviewing import reviewed
from memoro.workspace import Workspace
from tests.test_gate import changes

TEA = RememberEntry(text="Tea is served at four", tier="semantic", section=None, path="MEMORY.md")
BREAD = TEA._replace(text="Bread comes on Mondays")
SAID = Evidence(quote="I always drink tea at four", path="@logs/a.jsonl", line=7, date="2026-03-05", speaker="User")


class PressedByTest:
    """Keys and lines in the order in which a test presses them; an exception is raised in its place."""

    def __init__(self, *keys: str | type[BaseException]) -> None:
        self._keys = list(keys)

    def read(self, prompt: str) -> str:
        found = self._next()
        print(prompt, found)
        return found

    def line(self, prompt: str) -> str | None:
        found = self._next()
        print(prompt, found)
        return None if found == END else found

    def _next(self) -> str:
        found = self._keys.pop(0) if self._keys else END
        if not isinstance(found, str):
            raise found
        return found

    def released(self) -> AbstractContextManager[None]:
        return nullcontext()


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "MEMORY.md").write_text("# Memory\n\n- The kettle is blue ^kettle\n- Anna likes figs ^figs\n")
    return folder


@pytest.fixture
def m(tmp_path: Path, vault: Path) -> Iterator[Workspace]:
    with memoro.open(tmp_path / "home", vault) as workspace:
        yield workspace


def propose(m: Workspace, *changes: ProposedChange) -> list[int]:
    made = [Suggestion(one, (SAID,), "review", score=0.8, reason="It came up on 3 days.") for one in changes]
    return [m.proposals.propose(one, by="memoro").proposal.id for one in made]


def press(m: Workspace, *keys: str | type[BaseException], environment: dict[str, str] | None = None) -> ReviewTally:
    actions = ReviewActions(
        look=lambda number: reviewed(m, m.proposals.preview(number)),
        accept=lambda number, text: m.proposals.accept(number, text=text),
        reject=m.proposals.reject,
    )
    return ReviewDialogue(actions, PressedByTest(*keys), environment or {}).run(m.proposals.all())


def states(m: Workspace) -> list[str]:
    return [one.state for one in m.proposals.all(None)]


def test_a_accepts_and_says_how_to_take_it_back(
    m: Workspace, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    propose(m, TEA)
    press(m, "a")
    assert TEA.text in (vault / "MEMORY.md").read_text()
    shown = capsys.readouterr().out
    assert "1 of 1: add a fact to MEMORY.md (proposal 1)" in shown
    assert "+ Tea is served at four" in shown
    assert "why: It came up on 3 days." in shown
    assert "because: “I always drink tea at four” (User, 2026-03-05, @logs/a.jsonl:7)" in shown
    assert "from: a look at what is used and what recurs" in shown
    change = m.journal.log(1)[0]
    assert f"`memoro undo {change.id}` reverts it" in shown
    m.journal.undo(change.id)
    assert TEA.text not in (vault / "MEMORY.md").read_text()


def test_r_rejects_for_ever(m: Workspace, vault: Path) -> None:
    propose(m, TEA)
    press(m, "r")
    assert states(m) == ["rejected"]
    again = Suggestion(TEA._replace(text="Tea is at four o'clock"), origin="review")
    assert [one.reason for one in m.gate.offer([again], by="memoro").withheld] == ["rejected"]
    assert "Tea" not in (vault / "MEMORY.md").read_text()


def test_s_leaves_it_for_the_next_review_and_q_leaves_the_rest(m: Workspace) -> None:
    propose(m, TEA, BREAD)
    tally = press(m, "s", "q")
    assert states(m) == ["open", "open"]
    assert (tally.outcomes, tally.is_ended) == (((1, "skipped"),), True)


@pytest.mark.parametrize("leave", [END, "q", KeyboardInterrupt, EOFError])
def test_whoever_leaves_keeps_what_was_decided(m: Workspace, vault: Path, leave: str | type[BaseException]) -> None:
    propose(m, TEA, BREAD)
    tally = press(m, "a", leave)
    assert states(m) == ["accepted", "open"]
    assert tally.is_ended
    assert BREAD.text not in (vault / "MEMORY.md").read_text()


def test_any_other_key_explains_the_keys(m: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    propose(m, TEA)
    press(m, "?", "x", "", "s")
    assert capsys.readouterr().out.count("r  reject for ever: neither this nor the same in other words") == 3


def test_e_accepts_a_persons_own_words(m: Workspace, vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    propose(m, TEA)
    tally = press(m, "e", "Tea is served at five", "y")
    text = (vault / "MEMORY.md").read_text()
    assert "Tea is served at five" in text and "at four" not in text
    assert tally.outcomes == ((1, "edited"),)
    assert "- Tea is served at four" in capsys.readouterr().out
    assert m.journal.log(1)[0].actor == "user"


@pytest.mark.parametrize("typed", ["", "   ", "Tea is served at four", END])
def test_an_unchanged_or_empty_text_changes_nothing_and_asks_again(m: Workspace, typed: str) -> None:
    propose(m, TEA)
    press(m, "e", typed, "s")
    assert states(m) == ["open"]


def test_an_edit_that_cannot_be_kept_is_said_and_asked_again(
    m: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    propose(m, TEA)
    press(m, "e", "tea " * 1000, "e", "Tea at six", "n", "s")
    assert "an entry has at most 2,000" in capsys.readouterr().out
    assert states(m) == ["open"]


def test_a_proposal_without_text_cannot_be_edited(m: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    propose(m, RetireEntry("figs", "MEMORY.md", "Anna likes figs"))
    press(m, "e", "a")
    assert "there is nothing to edit" in capsys.readouterr().out
    assert states(m) == ["accepted"]


def test_upper_a_shows_all_of_a_kind_and_accepts_them_after_a_yes(
    m: Workspace, vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    propose(m, TEA, EditEntry("kettle", "The kettle is green", "MEMORY.md"), BREAD)
    press(m, "A", "n", "q")
    assert f"+ {BREAD.text}" in capsys.readouterr().out
    tally = press(m, "A", "y", "s")
    assert states(m) == ["accepted", "open", "accepted"]
    assert dict(tally.outcomes) == {1: "accepted", 3: "accepted", 2: "skipped"}
    assert "green" not in (vault / "MEMORY.md").read_text()


def test_what_somebody_else_decided_meanwhile_is_said_plainly(
    m: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = propose(m, TEA, BREAD)

    class Meanwhile(PressedByTest):
        def read(self, prompt: str) -> str:
            if m.proposals.all():
                m.proposals.accept(first)
                m.proposals.reject(second)
            return super().read(prompt)

    actions = ReviewActions(
        look=lambda number: reviewed(m, m.proposals.preview(number)),
        accept=lambda number, text: m.proposals.accept(number, text=text),
        reject=m.proposals.reject,
    )
    tally = ReviewDialogue(actions, Meanwhile("r", "a"), {}).run(m.proposals.all())
    shown = capsys.readouterr().out
    today = datetime.now(UTC).astimezone().date().isoformat()
    assert f"Not done: Proposal 1 was accepted on {today}." in shown
    assert f"Proposal 2 was rejected on {today}. It is left as it is." in shown
    assert tally.outcomes == ((1, "gone"), (2, "gone"))
    assert states(m) == ["accepted", "rejected"]


def test_a_decision_that_fails_leaves_the_proposal_open(m: Workspace, vault: Path) -> None:
    propose(m, EditEntry("kettle", "The kettle is green", "MEMORY.md"))
    (vault / "MEMORY.md").write_bytes(b"# Memory\n\n- Caf\xe9 ^kettle\n")
    tally = press(m, "a")
    assert tally.count("failed") == 1
    assert "1 could not be done; 1 waits." in summary(tally, 1)[0]


def test_the_summary_says_what_was_decided_and_how_to_undo() -> None:
    tally = ReviewTally(((1, "accepted"), (2, "edited"), (3, "rejected"), (4, "gone")))
    first, second = summary(tally, 3)
    assert first == "2 accepted (1 edited), 1 rejected, 0 skipped, 1 decided or changed elsewhere; 3 wait."
    assert "`memoro undo`" in second
    assert len(summary(ReviewTally(), 0)) == 1


def test_uses_of_a_memory_are_told(m: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    number = m.memories.store("Deploys run at noon", source="user").memory.id
    m.memories.query("when do deploys run", session="s1")
    propose(m, RetireMemory(number))
    press(m, "s")
    assert "used: " in capsys.readouterr().out
    assert uses_line(Uses()) == "never given to an agent"
    assert uses_line(Uses(recalled=4, reinforced=2, demoted=1)) == (
        "given 4 times, found useful twice, found wrong or useless once"
    )


# Amending


@given(changes, st.text(max_size=60))
def test_an_amended_change_has_the_persons_words_and_nothing_else_new(change: ProposedChange, text: str) -> None:
    try:
        done = amended(change, text)
    except Refused:
        assert editable_text(change) is None or not text.strip() or "\ud800" <= max(text, default="") <= "\udfff"
        return
    said = editable_text(done)
    assert type(done) is type(change)
    assert said is not None and said.split() == text.split()
    if isinstance(change, EditEntry) and isinstance(done, EditEntry):
        assert done._replace(text=change.text) == change


def test_a_memory_in_a_persons_words_has_the_person_as_its_source() -> None:
    assert amended(StoreMemory("Tea at four"), " Tea at five\n") == StoreMemory("Tea at five", source="user")


# Digest and words


def one(change: ProposedChange, at: str = "2026-03-05T12:00:00.000Z") -> Proposal:
    return Proposal(id=3, at=at, actor="memoro", agent=None, change=change, state="open", origin="tidy")


def test_the_digest_counts_what_waits_by_kind() -> None:
    waiting = [
        one(TEA),
        one(AddRule("Never push to main", "PROCEDURAL.md"), "2026-03-01T12:00:00.000Z"),
        one(RetireMemory(7)),
        one(SupersedeMemory(7, 8)),
        one(TEA)._replace(state="rejected"),
    ]
    found = digest(waiting)
    assert found == ProposalDigest(4, (("add", 2), ("replace", 1), ("retire", 1)), "2026-03-01T12:00:00.000Z")
    assert kinds_in_words(found) == "2 to add, 1 to replace, 1 to retire or remove"
    assert digest([]) == ProposalDigest()


@given(changes)
def test_every_change_has_a_kind_and_plain_words(change: ProposedChange) -> None:
    assert kind_of_change(change)
    assert wish_in_words(change)
    assert heading(one(change)).startswith("3. ")


def test_the_origin_is_told_in_words() -> None:
    told = origin_line(one(WriteNote("agent/a.md", "x"))._replace(score=0.8, project="github.com/acme/api"))
    assert told.startswith("a look for what is repeated, outdated or misplaced, in project api, on 2026-03-05")
    assert told.endswith("80 % sure")


NOTHING_TO_EDIT = "writes no text of its own"


@pytest.mark.parametrize(
    ("change", "text", "done"),
    [
        (TEA, "x" * 2000, TEA._replace(text="x" * 2000)),
        (TEA, "x" * 2001, "has 2,001 characters; an entry has at most 2,000"),
        (TEA, " Tea \n at  five ", TEA._replace(text="Tea at five")),
        (TEA, " \n", "The edited text is empty"),
        (StoreMemory("Tea"), "  ", "The edited text is empty"),
        (StoreMemory("Tea"), "x" * 2001, StoreMemory("x" * 2001, source="user")),
        (ChangeMemory(7, "Tea"), " Tea\nat five ", ChangeMemory(7, "Tea\nat five")),
        (ChangeMemory(7, valid_to="2026-03-04"), "Tea", NOTHING_TO_EDIT),
        (AddRule("Tea first", "PROCEDURAL.md"), "Milk\nfirst", AddRule("Milk first", "PROCEDURAL.md")),
        (WriteNote("agent/a.md", "x"), " a \n\n b\n", WriteNote("agent/a.md", " a \n\n b\n")),
        (RetireMemory(7), "Tea", NOTHING_TO_EDIT),
        (SupersedeMemory(7, 8), "Tea", NOTHING_TO_EDIT),
    ],
)
def test_a_persons_words_stand_where_the_change_writes_words(
    change: ProposedChange, text: str, done: ProposedChange | str
) -> None:
    if isinstance(done, str):
        with pytest.raises(Refused, match=done):
            amended(change, text)
    else:
        assert amended(change, text) == done
