"""Rating one item that an agent was given: what was called wrong is not given unasked again, until that is lifted."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoro
from memoro import hooks
from memoro.errors import MemoroError, MemoryNotFound, OutOfScope, QueryError, Refused, SessionNotFound
from memoro.model.ratings import WHY_MUTED, MutedWords, entry_at, statements_in
from memoro.sessions.rating import GivenPlace
from tests.conftest import write_vault

PORT, WRONG_PORT = "The staging server of heron listens on port 8443.", "The staging server of heron listens on 8080."
ASKED = "Which port does the staging server of heron use?"
NOTE = f"# Ports\n\n{WRONG_PORT}\n\n# Paint\n\nThe fence of the garden is painted green every spring.\n"


class Owner:
    """Somebody with a vault, a home and an agent whose hooks call Memoro."""

    def __init__(self, folder: Path) -> None:
        self.vault, self.home, self.project = folder / "vault", folder / "home", folder / "src" / "heron"
        for one in (self.vault, self.home, self.project):
            one.mkdir(parents=True)
        self.moment = datetime(2026, 11, 16, 14, 30, tzinfo=UTC)
        self.conversations = 0

    def now(self) -> datetime:
        self.moment += timedelta(seconds=1)
        return self.moment

    def opened(self, **options: Any) -> memoro.Workspace:
        return memoro.open(self.home, self.vault, clock=self.now, **options)

    def writes(self, path: str, text: str) -> None:
        (self.vault / path).write_text(text)

    def hears(self, m: memoro.Workspace, prompt: str | None = ASKED) -> str:
        """What the model is told in a new conversation: for a prompt, or at its start."""
        self.conversations += 1
        event = {"session_id": f"s{self.conversations}", "cwd": str(self.project)}
        event |= {"hook_event_name": "UserPromptSubmit", "prompt": prompt} if prompt else {"source": "startup"}
        made = hooks.answer("claude", {"hook_event_name": "SessionStart", **event}, m)
        return made["hookSpecificOutput"]["additionalContext"] if made else ""  # type: ignore[index]

    def given(self, m: memoro.Workspace) -> list[str]:
        """The ids of what the last conversation was given."""
        shown = m.sessions.show(f"s{self.conversations}")
        return [one.item.id for recall in shown.recalls for one in recall.given]


@pytest.fixture
def owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Owner:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CLAUDE_CODE_SESSION_ID", "CLAUDECODE", "CLAUDE_CONFIG_DIR", "MEMORO_HOME", "MEMORO_VAULT"):
        monkeypatch.delenv(name, raising=False)
    return Owner(tmp_path)


@pytest.fixture
def m(owner: Owner) -> Iterator[memoro.Workspace]:
    with owner.opened() as opened:
        yield opened


def given_note(owner: Owner, m: memoro.Workspace) -> str:
    """A passage of a note that the hook gave for the prompt."""
    owner.writes("ports.md", NOTE)
    m.sync()
    assert "8080" in owner.hears(m)
    [item] = owner.given(m)
    return item


def given_memory(owner: Owner, m: memoro.Workspace) -> str:
    number = m.memories.store(WRONG_PORT, source="user").memory.id
    assert "8080" in owner.hears(m)
    return f"memory:{number}"


def test_the_same_prompt_is_not_given_again_what_was_called_wrong_until_that_is_undone(
    owner: Owner, m: memoro.Workspace
) -> None:
    item = given_note(owner, m)
    rated = m.ratings.wrong(item)

    assert (rated.item, rated.word, rated.session, rated.new) == (item, "muted", "s1", True)
    assert owner.hears(m) == ""
    [recall] = m.sessions.show("s2").recalls
    assert recall.recalled.decision.endswith(WHY_MUTED)
    assert (recall.recalled.left_out[0].id, recall.recalled.left_out[0].why) == (item, WHY_MUTED)

    m.journal.undo(rated.change)
    assert "8080" in owner.hears(m)
    assert m.ratings.muted() == []


def test_a_mute_is_no_reason_for_silence_where_what_is_muted_would_not_have_been_given(
    owner: Owner, m: memoro.Workspace
) -> None:
    task = "Add logging to the server of the shop."
    item = given_note(owner, m)
    assert "8080" not in owner.hears(m, task)
    m.ratings.wrong(item)
    owner.hears(m, task)
    [recall] = m.sessions.show(f"s{owner.conversations}").recalls
    assert recall.recalled.decision.startswith("silent") and WHY_MUTED not in recall.recalled.decision


def test_a_memory_that_was_called_wrong_is_not_given_until_it_says_something_else(
    owner: Owner, m: memoro.Workspace
) -> None:
    item = given_memory(owner, m)
    m.ratings.wrong(item)
    assert owner.hears(m) == ""

    m.memories.update(int(item.removeprefix("memory:")), PORT, source="user")
    assert "8443" in owner.hears(m)
    assert [one.lapsed for one in m.ratings.muted()] == [True]


def test_what_is_right_is_given_once_what_is_wrong_is_muted(owner: Owner, m: memoro.Workspace) -> None:
    item = given_note(owner, m)
    m.memories.store(PORT, source="user")
    m.ratings.wrong(item)

    heard = owner.hears(m)
    assert "8443" in heard
    assert "8080" not in heard


@pytest.mark.parametrize(
    "change",
    ["edit another part", "edit the same passage", "move the note", "rebuild", "copy to another note", "reopen"],
)
def test_a_mute_stays_whatever_happens_around_the_words(owner: Owner, change: str) -> None:
    with owner.opened() as m:
        m.ratings.wrong(given_note(owner, m))
        if change == "edit another part":
            owner.writes("ports.md", NOTE.replace("green", "blue") + "\n# More\n\nA gate of oak.\n")
        elif change == "edit the same passage":
            owner.writes("ports.md", NOTE.replace(WRONG_PORT, f"{WRONG_PORT}\nIts rack stands in Rotterdam."))
        elif change == "move the note":
            (owner.vault / "ports.md").rename(owner.vault / "servers.md")
        elif change == "copy to another note":
            owner.writes("other.md", f"# Notes of a call\n\n- {WRONG_PORT}\n")
        m.sync(force=change == "rebuild")
    with owner.opened() as m:
        assert "8080" not in owner.hears(m)


def test_one_line_of_an_always_loaded_note_is_muted_and_its_neighbours_are_not(
    owner: Owner, m: memoro.Workspace
) -> None:
    owner.writes(
        "MEMORY.md", "# Memory\n\n- Deploys need two reviews.\n- The office is in Lisbon. ^abc123\n- Use uv.\n"
    )
    assert "Lisbon" in owner.hears(m, None)
    [item] = owner.given(m)
    assert item == "MEMORY.md:1-5"

    rated = m.ratings.wrong("MEMORY.md:4", GivenPlace(session="s1"))
    assert rated.item == "MEMORY.md:4"
    heard = owner.hears(m, None)
    assert "Lisbon" not in heard
    assert "two reviews" in heard
    assert "Use uv." in heard
    [muted] = m.ratings.muted()
    assert muted.text.startswith("- The office is in Lisbon.")

    m.ratings.allow("MEMORY.md:4")
    assert "Lisbon" in owner.hears(m, None)


def test_a_rule_that_was_called_wrong_is_not_given_for_a_task(owner: Owner, m: memoro.Workspace) -> None:
    owner.writes("AGENTS.md", "# Rules\n\n- Never commit to main without a review.\n- Never commit on Fridays.\n")
    m.sync()
    task = "Commit the change to main."
    heard = owner.hears(m, task)
    assert "without a review" in heard
    assert "on Fridays" in heard

    m.ratings.wrong("AGENTS.md:3")
    heard = owner.hears(m, task)
    assert "without a review" not in heard
    assert "on Fridays" in heard


def test_who_asks_still_finds_it_and_is_told_that_it_is_marked(owner: Owner, m: memoro.Workspace) -> None:
    item = given_note(owner, m)
    m.ratings.wrong(item)

    best, *_ = m.search(ASKED).results
    assert (best.id, best.muted) == (item, True)
    recalled = m.recall(ASKED)
    assert [(one.id, one.muted) for one in recalled.items if "8080" in one.text] == [(item, True)]
    assert '"owner":"marked this as wrong"' in recalled.block


def test_the_same_words_elsewhere_are_allowed_by_the_recall_that_gave_them(owner: Owner, m: memoro.Workspace) -> None:
    given_memory(owner, m)
    given = owner.given(m)
    m.memories.remove(1)
    item = given_note(owner, m)
    m.ratings.wrong(item)

    lifted = m.ratings.allow(given[0], GivenPlace("s1", 1))
    assert (lifted.word, m.ratings.muted()) == ("allowed", [])


def test_a_bare_undo_restores_every_mute_that_one_command_lifted(owner: Owner, m: memoro.Workspace) -> None:
    item = given_memory(owner, m)
    m.ratings.wrong(item)
    m.memories.update(1, "The staging server of heron listens on port 8081.", source="user")
    owner.hears(m)
    m.ratings.wrong(item)
    assert len(m.ratings.muted()) == 2

    m.ratings.allow(item)
    m.journal.undo()
    assert len(m.ratings.muted()) == 2


def test_good_counts_and_can_be_undone(owner: Owner, m: memoro.Workspace) -> None:
    item = given_note(owner, m)
    memory = given_memory(owner, m)

    rated = m.ratings.good(item, GivenPlace(session="s1"))
    assert m.sessions.uses([item])[item].reinforced == 1
    assert m.ratings.good(item, GivenPlace(session="s1")).new is False
    m.journal.undo(rated.change)
    assert m.sessions.uses([item])[item].reinforced == 0

    rated = m.ratings.good(memory)
    assert m.memories.show(1).memory.feedback > 0
    m.journal.undo(rated.change)
    assert m.memories.show(1).memory.feedback == 0


def test_an_undone_undo_mutes_again(owner: Owner, m: memoro.Workspace) -> None:
    item = given_note(owner, m)
    rated = m.ratings.wrong(item)
    m.journal.undo(rated.change)
    m.journal.undo(m.journal.log(1)[0].id)

    assert [one.item for one in m.ratings.muted()] == [item]
    assert m.sessions.uses([item])[item].demoted == 1


def test_what_is_muted_is_not_called_good_before_it_is_allowed(owner: Owner, m: memoro.Workspace) -> None:
    item = given_note(owner, m)
    m.ratings.wrong(item)
    with pytest.raises(Refused, match="is muted"):
        m.ratings.good(item)
    m.ratings.allow(item)
    assert m.ratings.good(item).word == "good"
    with pytest.raises(SessionNotFound, match="is not muted"):
        m.ratings.allow(item)


@pytest.mark.parametrize(
    "item", ["", "memory:77", "ports.md:1", "note:x.md#00000000.1", "MEMORY.md:99999999999", "x" * 9000]
)
def test_what_no_session_was_given_cannot_be_rated(owner: Owner, m: memoro.Workspace, item: str) -> None:
    given_note(owner, m)
    for place in (GivenPlace(), GivenPlace("s1"), GivenPlace(recall=1), GivenPlace("nobody", 2**70)):
        with pytest.raises(MemoroError):
            m.ratings.wrong(item, place)
    assert m.ratings.muted() == []


def test_whoever_is_bound_to_another_project_cannot_rate(owner: Owner, m: memoro.Workspace) -> None:
    item = given_note(owner, m)
    with owner.opened(project="another") as other, pytest.raises(OutOfScope):
        other.ratings.wrong(item)
    assert m.ratings.muted() == []


def test_a_mute_is_in_exports_and_backups_and_holds_no_text(owner: Owner, tmp_path: Path) -> None:
    exported = tmp_path / "all.jsonl"
    with owner.opened() as m:
        item = given_note(owner, m)
        m.ratings.wrong(item)
        [row] = m.items.below("memoro")
        assert "8080" not in row.value
        written: list[str] = []
        m.export(written.append)
        exported.write_text("".join(written))
        name = m.backups.create().name
        m.ratings.allow(item)
        m.backups.restore(name)
        assert owner.hears(m) == ""
    owner.home = tmp_path / "second"
    owner.home.mkdir()
    with owner.opened() as m:
        m.import_(exported, trust=True)
        m.sync()
        assert owner.hears(m) == ""
        assert [one.item for one in m.ratings.muted()] == [item]


def test_what_was_muted_and_is_forgotten_leaves_no_words_in_the_list(owner: Owner, m: memoro.Workspace) -> None:
    item = given_memory(owner, m)
    m.ratings.wrong(item)
    m.forget(item, yes=True)

    assert [(one.item, one.text) for one in m.ratings.muted()] == [(item, "")]


@given(st.text(alphabet="ab .!?\n-#1:", max_size=60))
def test_a_text_whose_every_statement_is_muted_says_nothing(text: str) -> None:
    statements = statements_in(text)
    muted = MutedWords(said=frozenset(statements), digest=lambda one: one)
    left = statements_in(muted.text_without(text))
    assert not set(left) & set(statements)


def test_a_question_is_not_muted_with_its_answer_and_is_not_left_alone() -> None:
    said = statements_in("User: Can you change the link?\nAssistant: It points to DPD. Which carrier should it use?")
    muted = MutedWords(said=frozenset([*said, "which carrier should it use?"]), digest=lambda one: one)

    assert not any(one.startswith(("can you", "which carrier")) for one in said)
    right = "- Which carrier should it use? → We switched from DPD to Post AG in November."
    assert muted.line_without(right) == muted.text_without(right) == right
    assert muted.text_without("- Which carrier should it use? → It points to DPD.") == ""
    assert muted.text_without("User: And the link?\nAssistant: It points to DPD.") == ""
    [asked] = statements_in("- Who feeds the cat?")  # nothing else is said
    assert MutedWords(said=frozenset([asked]), digest=lambda one: one).line_without("- Who feeds the cat?") == ""


@given(
    st.lists(
        st.sampled_from(["# Head", "- one line of it", "  goes on here", "", "Two words. And more."]), max_size=8
    )
)
def test_a_text_without_muted_statements_stays_as_it_is(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert MutedWords(said=frozenset(["something else"]), digest=lambda one: one).text_without(text) == text
    assert all(entry_at(text, 1, number) in (text, *_parts(text)) for number in range(len(lines) + 2))


def _parts(text: str) -> list[str]:
    lines = text.split("\n")
    return ["\n".join(lines[a:b]) for a in range(len(lines)) for b in range(a, len(lines) + 1)]


def test_a_line_of_a_loaded_note_is_found_without_naming_the_session(owner: Owner, m: memoro.Workspace) -> None:
    owner.writes("MEMORY.md", "# Memory\n\n- The rowing club meets on Mondays.\n- The fence is green.\n")
    assert "rowing" in owner.hears(m, None)

    rated = m.ratings.wrong("MEMORY.md:3")

    assert (rated.item, rated.session) == ("MEMORY.md:3", "s1")
    assert "rowing" not in owner.hears(m, None)


def test_a_line_that_was_given_with_others_is_refused_with_their_id(owner: Owner, m: memoro.Workspace) -> None:
    item = given_note(owner, m)

    with pytest.raises(SessionNotFound, match=r"ports.md:3 was given as a part of lines 1-3") as refused:
        m.ratings.wrong("ports.md:3")

    assert str(refused.value).endswith(item)
    with pytest.raises(SessionNotFound, match="`memoro given day` lists"):
        m.ratings.wrong("ports.md:70")


@pytest.mark.parametrize("place", ["ports.md:1-3", "ports.md"])
def test_a_passage_is_rated_by_the_place_that_session_show_prints(
    place: str, owner: Owner, m: memoro.Workspace
) -> None:
    item = given_note(owner, m)

    assert m.ratings.good(place).item == item
    assert (m.ratings.wrong(place).item, m.ratings.wrong(place).new) == (item, False)
    assert owner.hears(m) == ""
    assert m.ratings.allow(place).item == item
    assert "8080" in owner.hears(m)
    with pytest.raises(SessionNotFound, match="is not muted"):
        m.ratings.allow(place)


def test_a_passage_of_one_line_is_rated_by_its_line(owner: Owner, m: memoro.Workspace) -> None:
    owner.writes("port.md", WRONG_PORT)
    m.sync()
    assert "8080" in owner.hears(m)

    assert [m.ratings.wrong("port.md:1", GivenPlace(session="s1")).item] == owner.given(m)


def test_a_path_of_which_several_passages_were_given_names_none(owner: Owner, m: memoro.Workspace) -> None:
    filler = "\n\n".join(f"# Part {n}\n\nThe fence number {n} is painted green every spring." for n in range(8))
    backup = "The staging server of heron is backed up to the disk egret every night."
    owner.writes("servers.md", f"# Port\n\n{PORT}\n\n{filler}\n\n# Backup\n\n{backup}\n")
    m.sync()
    m.recall("staging server of heron: port, backed up to which disk", session="s1")
    [recall] = m.sessions.show("s1").recalls
    given = [one.item.id for one in recall.given]
    assert len(given) == 2, recall.recalled.left_out

    with pytest.raises(SessionNotFound, match=r"2 items of servers\.md were given. Name one: ") as refused:
        m.ratings.wrong("servers.md")
    assert all(one in str(refused.value) for one in given)
    assert m.ratings.muted() == []


@pytest.mark.parametrize("place", ["ports.md:1-2", "ports.md:0-0", "ports.md:1-", "other.md", "ports.md:²"])
def test_a_place_that_was_not_given_cannot_be_rated(place: str, owner: Owner, m: memoro.Workspace) -> None:
    given_note(owner, m)
    with pytest.raises(SessionNotFound, match="No session was given"):
        m.ratings.wrong(place)


@pytest.mark.parametrize("choice", [{"dry_run": True}, {"yes": True}])
def test_a_mute_is_no_memory_and_cannot_be_forgotten_as_one(
    owner: Owner, m: memoro.Workspace, choice: dict[str, bool]
) -> None:
    m.ratings.wrong(given_memory(owner, m))

    with pytest.raises(MemoroError, match=r"There is no memory \[id:2\]"):
        m.forget("memory:2", **choice)

    assert len(m.ratings.muted()) == 1
    assert m.memories.forget(session="s1", dry_run=True).memories == ()


def test_a_mute_takes_a_number_and_is_never_shown_or_forgotten_as_a_memory(owner: Owner, m: memoro.Workspace) -> None:
    item = given_note(owner, m)
    number = m.memories.store("of another thing", source="user").memory.id + 1
    for what, act in (
        (f"is the mute of {item}. `memoro given muted` lists mutes", m.ratings.wrong),
        (f"was the mute of {item}, which no longer holds. `memoro memory list` lists", m.ratings.allow),
    ):
        act(item)
        for find in (
            m.memories.show,
            lambda n: m.forget(f"memory:{n}", dry_run=True),
            lambda n: m.get(f"memory:{n}"),
        ):
            with pytest.raises(MemoryNotFound) as found:
                find(number)
            why = f"There is no memory [id:{number}]. Mutes and marks take such numbers too, and this one {what}"
            assert why in str(found.value)
    assert m.memories.forget(session="s1", dry_run=True).memories == ()


def test_any_item_of_a_recall_can_be_rated_and_the_calls_for_memories_name_how(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "vault", {"kettle.md": "# Kettle\n\nThe kettle is blue.\n"})
    with memoro.open(tmp_path / "home", vault) as m:
        m.experiences.record("tool_chain", "Publish the shed plans", ["export", "upload"])
        [note] = m.recall("which colour is the kettle?", session="s").items
        for item in (note.id, "experience:1"):
            for rate in (m.memories.reinforce, m.memories.demote):
                with pytest.raises(QueryError, match="`memoro given wrong ID` rate any item"):
                    rate(item)
        assert (m.ratings.good(note.id).word, m.ratings.good(note.id).item) == ("good", note.id)
        assert m.ratings.wrong(note.id).word == "muted"
        assert m.ratings.allow(note.id).word == "allowed"
