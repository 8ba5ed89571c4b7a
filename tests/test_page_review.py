"""Review on the page: proposals as differences with their evidence, decided by forms."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import memoro
from memoro.model.proposals import EditEntry, Evidence, RememberEntry, StoreMemory, Suggestion, WriteNote
from memoro.page.proposal_cards import ProposalCard
from memoro.page.rendering import render
from memoro.page.shown_difference import ShownDifference, shown_difference
from memoro.page.view import Done, Fields, PageRequest, Shown
from memoro.page.views.review import decide, review
from memoro.page.views.undoing import undo
from memoro.workspace import Workspace
from tests.waiting_proposals import CHANGES, make_home, notes_in, opened

lines = st.lists(st.text(alphabet="ab c\u3042.", max_size=8), max_size=12)
TEA = RememberEntry(text="Tea is at four", tier="semantic", section=None, path="MEMORY.md")


@pytest.fixture
def m(tmp_path: Path):
    (tmp_path / "vault").mkdir()
    make_home(tmp_path / "home", tmp_path / "vault")
    with opened(tmp_path / "home", tmp_path / "vault") as made:
        yield made


@pytest.fixture
def empty_home(tmp_path: Path):
    (tmp_path / "vault").mkdir()
    with memoro.open(tmp_path / "home", tmp_path / "vault") as made:
        yield made


def ask(m: Workspace, **query: str) -> Shown:
    return review(PageRequest(m, query=Fields(tuple(query.items()))))


def cards(m: Workspace, **query: str) -> dict[int, ProposalCard]:
    found = ask(m, **query).values["cards"]
    assert isinstance(found, tuple)
    return {one.number: one for one in found}


def html(shown: Shown, part: str = "") -> str:
    frame = {
        "csrf": "c", "here": "/review", "query": Fields(), "menu": (), "notice": None, "live": None, "state": "{}",
        "static": dict.fromkeys(("theme.js", "style.css", "icon.svg", "htmx.js", "page.js"), "/x"),
    }  # fmt: skip
    return render(shown.template, {**frame, **shown.values}, part)


def send(m: Workspace, *pairs: tuple[str, object]) -> Done:
    return decide(PageRequest(m, form=Fields(tuple((name, str(value)) for name, value in pairs))))


def take_back(m: Workspace, *pairs: tuple[str, object], key: str = "k") -> Done | Shown:
    return undo(PageRequest(m, form=Fields((("key", key), *((name, str(value)) for name, value in pairs)))))


# The difference of two texts


def told(shown: ShownDifference, *kinds: str) -> list[str]:
    return [line.text for line in shown.lines if line.kind in kinds]


@given(old=lines, new=lines)
def test_a_whole_difference_holds_both_texts(old: list[str], new: list[str]) -> None:
    assume("\n".join(old).splitlines() != "\n".join(new).splitlines())  # else there is nothing to show lines around
    shown = shown_difference("\n".join(old), "\n".join(new), most=99, context=99)
    assert told(shown, "same", "removed") == "\n".join(old).splitlines()
    assert told(shown, "same", "added") == "\n".join(new).splitlines()
    assert (shown.added, shown.removed) == (len(told(shown, "added")), len(told(shown, "removed")))
    assert shown.left_out == 0


@given(old=lines, new=lines)
def test_words_that_are_not_marked_stand_in_both_texts(old: list[str], new: list[str]) -> None:
    shown = shown_difference("\n".join(old), "\n".join(new), most=99)
    marked = [line for line in shown.lines if any(piece.is_changed for piece in line.pieces)]
    kept = [
        ["".join(piece.text for piece in line.pieces if not piece.is_changed) for line in marked if line.kind == kind]
        for kind in ("removed", "added")
    ]
    for line in kept[0]:  # a line may only lose words, so that its other one has nothing marked
        assert line in kept[1] or line in told(shown, "added")
    for line in kept[1]:
        assert line in kept[0] or line in told(shown, "removed")


@given(old=lines, new=lines, most=st.integers(0, 9), context=st.integers(0, 3))
def test_no_line_of_a_difference_is_lost_without_being_counted(
    old: list[str], new: list[str], most: int, context: int
) -> None:
    shown = shown_difference("\n".join(old), "\n".join(new), most=most, context=context)
    whole = shown_difference("\n".join(old), "\n".join(new), most=999, context=context)
    assert len(shown.lines) <= most
    assert sum(line.kind != "gap" for line in whole.lines) == shown.left_out + len(
        told(shown, "same", "removed", "added")
    )
    assert all(line.skipped for line in whole.lines if line.kind == "gap")


def test_changed_words_are_marked_and_unchanged_lines_far_away_are_folded() -> None:
    old = "".join(f"line {n}\n" for n in range(20))
    shown = shown_difference(old, old.replace("line 9\n", "line nine\n"), context=1)
    assert [(line.kind, line.skipped) for line in shown.lines] == [
        ("gap", 8), ("same", 0), ("removed", 0), ("added", 0), ("same", 0), ("gap", 9),
    ]  # fmt: skip
    assert [piece.text for line in shown.lines for piece in line.pieces if piece.is_changed] == ["9", "nine"]


def test_a_very_long_text_is_compared_in_a_moment() -> None:
    old, new = "\n".join(f"a{n}" for n in range(15_000)), "\n".join(f"b{n}" for n in range(15_000))
    shown = shown_difference(old, new)
    assert (shown.added, shown.removed, len(shown.lines)) == (15_000, 15_000, 60)


# The queue


def test_every_kind_of_proposal_is_shown_with_what_it_would_do(m: Workspace) -> None:
    found = cards(m)
    assert len(found) == len(CHANGES)
    page = html(ask(m))
    for number, card in found.items():
        assert card.title and f'id="proposal-{number}"' in page
        assert card.difference.lines or card.says
    titles = [card.title for card in found.values()]
    assert titles[0] == "Add a fact to MEMORY.md" and "Supersede memory 2 by memory 3" in titles
    lost = {card.title: card.loss for card in found.values()}
    assert lost["Remove memory 4"] == "Memory 4 is removed. Undo restores it, until you forget it."


def test_hostile_words_of_a_proposal_are_shown_as_words(empty_home: Workspace) -> None:
    bad = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
    evidence = (Evidence(quote=bad, path=f"{bad}.md", line=3, speaker=bad, date=bad),)
    change = StoreMemory(bad)
    empty_home.proposals.propose(Suggestion(change, evidence=evidence, reason=bad), by=bad.replace("\n", ""))
    page = html(ask(empty_home))
    assert "<script>alert" not in page and "<img" not in page


def test_evidence_leads_to_where_it_was_said(empty_home: Workspace) -> None:
    said = Evidence("I drink tea at four", "@logs/a b.jsonl", 7, "2026-03-05T10:00:00Z", "User")
    number = empty_home.proposals.propose(Suggestion(TEA, evidence=(said,), origin="extraction")).proposal.id
    (shown,) = cards(empty_home)[number].evidence
    assert (shown.href, shown.date) == ("/read?id=%40logs%2Fa+b.jsonl%3A7", "2026-03-05")


def test_the_agent_that_asks_is_named(empty_home: Workspace, tmp_path: Path) -> None:
    with memoro.open(tmp_path / "home", tmp_path / "vault", agent="codex") as codex:
        number = codex.remember("Tea is at four", by="agent").proposal
    assert number is not None
    assert cards(empty_home)[number].by == "codex"
    assert "an agent asked for it, by codex" in " ".join(html(ask(empty_home)).split())


def test_a_proposal_that_no_longer_fits_says_so(m: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "vault" / "MEMORY.md"
    file.write_text(file.read_text().replace("Fact number 1 ", "Fact number one "))
    m.memories.update(1, "Tea is at six.", source="user")
    m.memories.remove(5, source="user")
    (tmp_path / "vault" / "agent" / "pots.md").write_text("another")
    outdated = {card.title for card in cards(m).values() if card.outdated}
    assert outdated == {
        "Reword an entry of MEMORY.md",
        "Store this as a memory, in place of memory 1",
        "Move memory 5 to the archive, out of every search",
        "Move the agents’ note agent/pots.md to their archive",
    }


def test_what_is_outdated_is_what_cannot_be_accepted(m: Workspace, tmp_path: Path) -> None:
    for note in ("MEMORY.md", "PROCEDURAL.md", "agent/pots.md"):
        (tmp_path / "vault" / note).write_text("# Empty\n")
    for memory in m.memories.all():
        m.memories.remove(memory.id, source="user")
    for number, card in cards(m).items():
        done = send(m, ("proposal", number), ("decision", "accept"))
        assert bool(done.proposals) != bool(card.outdated), (card.title, card.outdated, done.sentence)


def test_the_queue_is_narrowed_to_a_kind_and_proposals_can_be_put_off(m: Workspace) -> None:
    every = cards(m)
    only = cards(m, kind="add")
    assert {card.kind for card in only.values()} == {"add"} and len(only) < len(every)
    first = next(iter(every))
    shown = ask(m, later=str(first))
    assert first not in [card.number for card in shown.values["cards"]]  # type: ignore[attr-defined]
    assert [card.number for card in shown.values["later"]] == [first]  # type: ignore[attr-defined]
    assert len(cards(m, show="3")) == 3


def test_words_of_unrelated_lines_are_not_told_apart() -> None:
    """Spaces and a full stop are not enough in common."""
    shown = shown_difference("Departures are kept in SQLite, one row each.", "The board runs on a small computer.")
    assert [len(line.pieces) for line in shown.lines] == [1, 1]
    shown = shown_difference("The feed is fetched every 60 seconds.", "The feed is fetched every 5 minutes.")
    assert all(len(line.pieces) > 1 for line in shown.lines)


def test_an_empty_queue_says_what_to_do(empty_home: Workspace) -> None:
    page = html(ask(empty_home))
    assert "Nothing waits for your decision" in page and "Look for more" in page


# Decisions


def test_accepting_changes_the_file_and_undo_restores_its_bytes(m: Workspace, tmp_path: Path) -> None:
    before = notes_in(tmp_path / "vault")
    done = send(m, ("proposal", 1), ("decision", "accept"), ("to", "/review?kind=add"))
    assert (done.proposals, done.to) == ((1,), "/review?kind=add")
    assert done.sentence == "Accepted: add a fact to MEMORY.md."
    assert b"Tea is at four" in notes_in(tmp_path / "vault")["MEMORY.md"]
    again = take_back(m, ("proposal", 1))
    assert isinstance(again, Done) and again.undo
    assert notes_in(tmp_path / "vault") == before


def test_a_proposal_is_accepted_in_other_words(m: Workspace, tmp_path: Path) -> None:
    done = send(m, ("proposal", 1), ("decision", "edit"), ("text", "Tea is at half past four"))
    assert "in your words" in done.sentence
    assert "half past four" in (tmp_path / "vault" / "MEMORY.md").read_text()


def test_words_that_were_not_changed_accept_the_proposal_as_it_is(m: Workspace, tmp_path: Path) -> None:
    m.proposals.propose(Suggestion(WriteNote("two.md", "one\ntwo\n")))
    number = max(cards(m))
    done = send(m, ("proposal", number), ("decision", "edit"), ("text", "one\r\ntwo\r\n"))
    assert done.sentence == "Accepted: write the note two.md."
    assert (tmp_path / "vault" / "two.md").read_bytes() == b"one\ntwo\n"


def test_a_rejected_proposal_can_wait_again(m: Workspace) -> None:
    assert "Rejected for ever" in send(m, ("proposal", 2), ("decision", "reject")).sentence
    assert 2 not in cards(m)
    decided = ask(m).values["decided"][0]  # type: ignore[index]
    assert (decided.number, decided.state, decided.can_reopen) == (2, "rejected", True)
    assert send(m, ("proposal", 2), ("decision", "reopen")).sentence == "Proposal 2 waits again."
    assert 2 in cards(m)


def test_what_was_decided_lately_is_told_with_its_text(m: Workspace) -> None:
    numbers = list(cards(m))
    for number in numbers[:-1]:
        send(m, ("proposal", number), ("decision", "reject"))
        decided = ask(m).values["decided"][0]  # type: ignore[index]
        assert (decided.number, decided.state) == (number, "rejected")
        assert decided.text or "agents’ note" in decided.title, decided.title
        assert "\n" not in decided.text and "^" not in decided.text and len(decided.text) < 500
    m.proposals.propose(Suggestion(TEA._replace(text="Tea is at noon"), origin="review"), by="memoro")
    send(m, ("proposal", max(cards(m))), ("decision", "edit"), ("text", "Tea is at one"))
    assert ask(m).values["decided"][0].text == "Tea is at one"  # type: ignore[index]
    assert "<q>Tea is at one</q>" in html(ask(m))


@pytest.mark.parametrize("name", sorted(CHANGES.keys() - {"put back"}))  # whose lines are in the note already
def test_only_what_was_accepted_in_other_words_is_said_to_be_so(m: Workspace, name: str) -> None:
    waiting = {one.proposal.change: one.proposal.id for one in m.proposals.previews()}
    number = waiting[CHANGES[name]]
    send(m, ("proposal", number), ("decision", "accept"))
    (found,) = [one for one in m.proposals.previews("accepted") if one.proposal.id == number]
    assert not found.reworded and not found.undone
    m.journal.undo_proposal(number)
    (found,) = [one for one in m.proposals.previews("accepted") if one.proposal.id == number]
    assert found.undone and not found.reworded


def test_several_are_decided_at_once_and_one_that_fails_is_told(m: Workspace) -> None:
    send(m, ("proposal", 3), ("decision", "reject"))
    done = send(m, ("proposal", 1), ("proposal", 2), ("proposal", 3), ("decision", "accept"))
    assert done.proposals == (1, 2)
    assert done.sentence.startswith("2 proposals accepted. Proposal 3: ")


def test_nothing_selected_and_no_decision_are_told(m: Workspace) -> None:
    assert "Select at least one" in send(m, ("decision", "accept")).sentence
    with pytest.raises(memoro.errors.QueryError, match="accept, edit or reject"):
        send(m, ("proposal", 1), ("decision", "eat"))


def test_a_form_leads_to_no_other_server(m: Workspace) -> None:
    for to in ("//elsewhere", "https://elsewhere", "/\\elsewhere", "javascript:1"):
        assert send(m, ("proposal", 1), ("decision", "accept"), ("to", to)).to == "/review"


# Undo


def test_an_undone_proposal_is_done_again_and_undone_again(m: Workspace, tmp_path: Path) -> None:
    """A proposal with several changes: all of them go together, as often as it is asked."""
    number = [*CHANGES].index("retire an entry") + 1
    before = notes_in(tmp_path / "vault")
    send(m, ("proposal", number), ("decision", "accept"))
    after = notes_in(tmp_path / "vault")
    done = take_back(m, ("proposal", number), key="1")
    for turn in range(2, 8):
        expected = before if turn % 2 == 0 else after
        found = {path: data for path, data in notes_in(tmp_path / "vault").items() if data or path in before}
        assert found == expected or notes_in(tmp_path / "vault") == expected, turn
        assert isinstance(done, Done) and isinstance(done.undo, tuple)
        done = take_back(m, *(("change", one) for one in done.undo), key=str(turn))


def test_a_change_that_was_changed_again_says_which_changes_stand_in_the_way(m: Workspace) -> None:
    changed = m.memories.store("Coffee is at nine.").memory.id
    m.memories.update(changed, "Coffee is at ten.")
    first = m.journal.log(1)[0].id
    m.memories.update(changed, "Coffee is at eleven.")
    later = m.journal.log(1)[0].id
    shown = take_back(m, ("change", first))
    assert isinstance(shown, Shown) and shown.status == 409
    assert [one.number for one in shown.values["later"]] == [later]  # type: ignore[attr-defined]
    page = html(shown)
    assert f'href="/log/{later}"' in page and "has been changed again since" in page


def test_the_same_undo_sent_twice_undoes_once(m: Workspace) -> None:
    number = m.memories.store("Coffee is at nine.").memory.id
    change = m.journal.log(1)[0].id
    for _ in range(2):
        assert isinstance(take_back(m, ("change", change), key="same"), Done)
    assert m.memories.all()[-1].id != number
    assert sum(one.undoes == change for one in m.journal.log(9)) == 1


def test_undo_without_a_change_is_told(m: Workspace) -> None:
    with pytest.raises(memoro.errors.QueryError, match="which change"):
        take_back(m)
    with pytest.raises(memoro.errors.QueryError, match="whole number"):
        take_back(m, ("change", "1; DROP"))


def test_edit_keeps_the_id_of_its_entry(m: Workspace, tmp_path: Path) -> None:
    number = next(n for n, change in enumerate(CHANGES.values(), 1) if isinstance(change, EditEntry))
    send(m, ("proposal", number), ("decision", "edit"), ("text", "Fact one, in my words"))
    assert "- Fact one, in my words ^f1\n" in (tmp_path / "vault" / "MEMORY.md").read_text()
