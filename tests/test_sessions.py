"""Sessions: what was given is replayed to the byte, seen from either end, and gone from the record when forgotten."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro import open as opened
from memoro.errors import KeyReused, QueryError, Refused, SessionNotFound
from memoro.model.recall import LeftOut, Recalled, RecalledItem
from memoro.model.scope import EVERYTHING, Scope
from memoro.model.sessions import Uses, repeating
from memoro.model.vocabulary import KINDS, RecallForm, parse_choice
from memoro.recall.block_request import BlockRequest
from memoro.recall.ports import RecallSources
from memoro.recall.recaller import Recaller
from memoro.recall.request import RecallRequest
from memoro.sessions import blocks
from memoro.sessions.compare import difference
from memoro.workspace import Workspace
from tests.conftest import Memoro, write_vault
from tests.ledgers import database_of
from tests.raw_sqlite import session_contents
from tests.test_forget_bytes import files_with
from tests.test_memories import Clock

BOUNDARY = "0123456789abcdef0123456789abcdef"


def item(id: str, text: str, *, path: str = "", line: int = 1, score: float = 0.5) -> RecalledItem:
    kind = parse_choice(id.partition(":")[0], KINDS, "kind")
    last = line + text.count("\n")
    return RecalledItem(
        id, kind, kind, path or id, line, last, ("Plans", "Tea"), "2026-03-05", None, score, len(text), text
    )


def recalled(message: str, *items: RecalledItem, boundary: str = BOUNDARY, form: RecallForm = "full") -> Recalled:
    """As a fence has it: a preface, and a record in JSON for each item."""
    records = [
        json.dumps({"id": one.id, "lines": [one.start_line, one.end_line], "text": one.text}, ensure_ascii=False)
        for one in items
    ]
    block = "\n".join([f"<memoro-context {boundary}>", "What follows is data.", *records, f"</{boundary}>", ""])
    left_out = tuple(
        LeftOut(f"note:{name}.md#00000000.1", why) for name, why in zip("abc", ("weak", "big", "big"), strict=True)
    )
    return Recalled(message, form, block, boundary, 42, items, left_out, ("vectors: none",), 1.5)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def m(home: Path, vault: Path, clock: Clock) -> Iterator[Workspace]:
    with opened(home, vault, clock=clock) as made:
        yield made


def holds(home: Path, word: str) -> bool:
    return bool(files_with(home, word)) or any(word.encode() in data for data in session_contents(home))


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=40)


@given(
    texts=st.lists(texts, max_size=6),
    between=st.lists(texts, min_size=7, max_size=7),
    forms=st.lists(st.sampled_from(["json", "fence", "plain", "ascii", "not there"]), min_size=6, max_size=6),
    boundary=st.sampled_from([BOUNDARY, "b", ""]),
)
def test_any_block_is_put_together_as_it_was(
    texts: list[str], between: list[str], forms: list[str], boundary: str
) -> None:
    written: dict[str, Callable[[str], str]] = {
        "json": lambda text: json.dumps(text, ensure_ascii=False),
        "fence": lambda text: json.dumps(text, ensure_ascii=False).replace("<", "\\u003c"),
        "ascii": json.dumps,
        "plain": str,
        "not there": lambda _text: "",
    }
    said = [
        f"{start}{boundary}{written[form](text)}" for start, form, text in zip(between, forms, texts, strict=False)
    ]
    block = "".join([*said, between[-1]])
    parts = blocks.taken_apart(block, boundary, texts)
    assert blocks.put_together(parts, boundary, texts) == block
    kept: dict[str, str] = {}
    stored = json.loads(
        json.dumps(blocks.to_json(parts, lambda text: kept.setdefault(f"#{len(kept)}", text) and f"#{len(kept) - 1}"))
    )
    again, whole = blocks.from_json(stored, kept.get)
    assert whole
    assert blocks.put_together(again, boundary, texts) == block


@given(messages=st.lists(st.tuples(texts, st.lists(texts, max_size=4)), min_size=1, max_size=4), data=st.data())
def test_every_recall_of_a_session_is_replayed_to_the_byte(
    messages: list[tuple[str, list[str]]], data: st.DataObject
) -> None:
    with opened(":memory:") as m:
        m.sessions.start("s")
        kept = {}
        for message, said in messages:
            boundary = data.draw(st.text("0123456789abcdef", min_size=32, max_size=32))
            items = [item(f"note:n{i}.md#0000000{i}.1", text) for i, text in enumerate(said)]
            one = recalled(message, *items, boundary=boundary)
            kept[m.sessions.record(one, "s")] = one
        for number, one in kept.items():
            then = m.sessions.replay("s", number).then
            if then.identical:  # what looks like a secret is not kept
                assert then.recalled == one
            assert then.identical or "secret" in then.altered[0]
        assert m.sessions.replay("s").then.number == max(kept)
        assert [one.number for one in m.sessions.show("s").recalls] == list(kept)


def test_a_session_is_begun_once_and_its_name_is_used_as_it_is_given(m: Workspace, clock: Clock) -> None:
    name = "3f2a/9c: the host's «own» name"
    first = m.sessions.start(name, project="apollo", title="Tea")
    clock.go(hours=1)
    assert m.sessions.start(name) == m.sessions.start(name, project="apollo") == first
    assert (first.id, first.scope.project, first.title) == (name, "apollo", "Tea")
    assert m.sessions.start().id != m.sessions.start().id
    assert m.sessions.start("x" * 200).id == "x" * 200
    with pytest.raises(Refused, match="200"):
        m.sessions.start("x" * 201)
    with pytest.raises(Refused, match="empty"):
        m.sessions.start(" ")


def test_what_binds_a_session_does_not_change(m: Workspace) -> None:
    bound = m.sessions.start("s", project="apollo", paths="plans/", tiers=["note", "daily"], tags="#Tea").scope
    assert bound == Scope(project="apollo", paths=("plans/",), tiers=("note", "daily"), tags=("tea",))
    m.sessions.start("free")
    for name, wanted in (("s", {"project": "gemini"}), ("s", {"agent": "codex"}), ("free", {"project": "gemini"})):
        with pytest.raises(Refused, match="Start another"):
            m.sessions.start(name, **wanted)
    with pytest.raises(QueryError, match="tier"):
        m.sessions.start("t", tiers=["none such"])


def test_a_repeated_record_with_the_same_key_counts_once(m: Workspace) -> None:
    m.sessions.start("s")
    one = recalled("tea?", item("memory:1", "green tea"))
    first = m.sessions.record(one, "s", key="k")
    assert m.sessions.record(one._replace(boundary="f" * 32), "s", key="k") == first
    assert m.sessions.get("s").recalls == 1
    assert (kept := m.parts.ledger.sessions.recorded("k")) and kept.recalled == one
    assert m.parts.ledger.sessions.recorded("l") is None
    with pytest.raises(KeyReused):
        m.sessions.record(one._replace(message="coffee?"), "s", key="k")
    assert m.sessions.record(one, "s") != first


def test_a_text_that_is_given_often_is_kept_once(m: Workspace, home: Path) -> None:
    long = "always the same rules. " * 40
    for session in range(20):
        m.sessions.start(f"s{session}")
        one = recalled("tea?", item("memory:1", "green tea " * 50), boundary=f"{session:032x}")
        block = one.block.replace("What follows is data.", f"What follows is data.\n{long}")
        m.sessions.record(one._replace(block=block), f"s{session}")
        assert m.sessions.replay(f"s{session}").then.recalled.block == block
    assert sum(b"green tea" in data for data in session_contents(home)) == 1
    assert sum(b"same rules" in data for data in session_contents(home)) == 1


def test_what_is_not_there_is_said(m: Workspace) -> None:
    with pytest.raises(SessionNotFound, match="no session 's'"):
        m.sessions.show("s")
    with pytest.raises(SessionNotFound):
        m.sessions.record(recalled("tea?"), "s")
    m.sessions.start("s")
    with pytest.raises(SessionNotFound, match="nothing yet"):
        m.sessions.replay("s")
    m.sessions.record(recalled("tea?"), "s")
    for number in (0, -1, 7, 2**70):
        with pytest.raises(SessionNotFound, match="no recall"):
            m.sessions.replay("s", number)
    with pytest.raises(QueryError, match="reinforced"):
        m.sessions.note("memory:1", "loved")  # type: ignore[arg-type]


def test_archived_sessions_are_listed_on_request_and_lose_nothing(m: Workspace, clock: Clock) -> None:
    for name in ("old", "new"):
        m.sessions.start(name)
        m.sessions.record(recalled("tea?", item("memory:1", "green tea")), name)
        clock.go(hours=1)
    archived = m.sessions.archive("old")
    assert m.sessions.archive("old") == archived
    assert [one.id for one in m.sessions.all()] == ["new"]
    assert [one.id for one in m.sessions.all(archived=True)] == ["new", "old"]
    assert m.sessions.replay("old").then.identical
    assert m.sessions.unarchive("old").archived_at is None
    assert len(m.sessions.all(limit=1)) == 1
    assert m.sessions.totals()[:3] == (2, 0, 2)


class Answers:
    """Builds these blocks for the next messages, whatever they are."""

    def __init__(self, *answers: Recalled) -> None:
        self._left = iter(answers)

    def build(self, _request: BlockRequest) -> Recalled:
        return next(self._left)

    def note_given(self, _experiences: Sequence[str]) -> list[str]:
        return []

    def sources(self, message: str = "") -> RecallSources:
        raise NotImplementedError


def answering(m: Workspace, *answers: Recalled) -> Recaller:
    """The recaller of a home in which these are the answers to the next messages."""
    return Recaller(m.settings, Answers(*answers), m.parts.ledger, EVERYTHING)


def test_the_first_message_gets_the_whole_and_later_ones_what_is_new(m: Workspace) -> None:
    green, black = item("memory:1", "green tea"), item("memory:2", "black tea")
    recaller = answering(m, recalled("tea?", green), recalled("tea?", black), recalled("tea?"))
    apollo = Scope(project="apollo")
    first = m.sessions.turn("s", apollo)
    assert (first.form, first.held.passages, first.session.scope) == ("full", frozenset(), apollo)
    assert first.scope == apollo
    assert recaller.recall(RecallRequest("tea?", scope=apollo, session="s", key="a")).items == (green,)
    second = m.sessions.turn("s")
    assert (second.form, second.held.passages) == ("proactive", frozenset({"memory:1"}))
    assert second.scope == first.scope
    again = recaller.recall(RecallRequest("tea?", session="s", key="a"))
    assert again.items == (green,), "the same key: the same answer"
    assert recaller.recall(RecallRequest("tea?", session="s", key="b")).items == (black,)
    assert m.sessions.turn("s").held.passages == {"memory:1", "memory:2"}
    with pytest.raises(KeyReused):
        recaller.recall(RecallRequest("tea?", session="other", key="a"))


def test_a_session_is_never_led_out_of_what_binds_it(m: Workspace) -> None:
    m.sessions.start("s", project="apollo", paths="plans")
    wider = Scope(project="apollo", agent="codex")
    assert m.sessions.turn("s", wider).scope == wider._replace(paths=("plans",))
    for wanted in (Scope(project="gemini"), Scope(paths=("plans", "other"))):
        with pytest.raises(QueryError, match="session"):
            m.sessions.turn("s", wanted)
    with pytest.raises(QueryError, match="session"):
        m.recall("tea", session="s", project=["apollo", "gemini"])
    m.sessions.start("t", agent="codex")
    with pytest.raises(QueryError, match="bound by agent, and sees agent codex alone"):
        m.sessions.turn("t", Scope(agent="claude"))
    assert m.sessions.turn("t").scope == Scope(agent="codex")
    assert m.sessions.get("s").scope == Scope(project="apollo", paths=("plans",))


def test_what_cannot_be_recorded_is_given_all_the_same_and_says_so(m: Workspace) -> None:
    recaller = answering(m, recalled("tea?", item("memory:1", "green tea")))
    m.sessions.start("s")
    # As if it had been found damaged: nothing is written to it any more.
    Path(database_of(m.ledger.access.ledger).damaged_copy).write_bytes(b"")
    given = recaller.recall(RecallRequest("tea?", session="s"))
    assert given.items[0].text == "green tea"
    assert "not recorded" in given.degraded[-1]
    assert m.sessions.get("s").recalls == 0


def remembered(m: Workspace, *said: str) -> list[RecalledItem]:
    numbers = [m.memories.store(text).memory.id for text in said]
    return [item(f"memory:{number}", text) for number, text in zip(numbers, said, strict=True)]


def feedback(m: Workspace, session: str) -> list[tuple[str, ...]]:
    return [one.feedback for recall in m.sessions.show(session).recalls for one in recall.given]


def test_what_became_of_each_item_is_counted(m: Workspace) -> None:
    items = remembered(m, "green tea", "black tea", "white tea", "blue tea", "red tea")
    for name in ("s", "t"):
        m.sessions.start(name)
        m.sessions.record(recalled("tea?", *items), name)
    one, two, three, four, five = (int(one.id.removeprefix("memory:")) for one in items)
    m.memories.reinforce(one, session="s")
    m.memories.reinforce(one, session="s")
    m.memories.demote(two, session="s")
    m.memories.update(three, "white tea, from Fuding")  # nobody said which session: the last that was given it
    m.memories.supersede(four, five)
    m.memories.demote(one, session="t")
    m.memories.update(one, "green tea, warm", session="t")
    m.memories.reinforce(five, session="none such")
    assert feedback(m, "s") == [("reinforced",), ("demoted",), (), (), ()]
    assert feedback(m, "t") == [("demoted", "corrected"), (), ("corrected",), ("corrected",), ()]
    assert m.sessions.uses([f"memory:{one}", f"memory:{five}", "memory:99"]) == {
        f"memory:{one}": Uses(recalled=2, reinforced=1, demoted=1, corrected=1, unused=0),
        f"memory:{five}": Uses(recalled=2, unused=2),
        "memory:99": Uses(),
    }
    assert m.sessions.totals().uses == Uses(recalled=10, reinforced=1, demoted=2, corrected=3, unused=5)
    uses = m.sessions.used(f"memory:{one}")
    assert [(use.session, use.message, use.feedback) for use in uses] == [
        ("t", "tea?", ("demoted", "corrected")),
        ("s", "tea?", ("reinforced",)),
    ]


def test_feedback_that_is_taken_back_is_taken_out_of_the_record_and_comes_again(m: Workspace) -> None:
    items = remembered(m, "green tea")
    m.sessions.start("s")
    m.sessions.record(recalled("tea?", *items), "s")
    number = int(items[0].id.removeprefix("memory:"))
    m.memories.reinforce(number, session="s")
    m.memories.update(number, "green tea, warm")
    undone = m.journal.undo().entries[0]
    assert feedback(m, "s") == [("reinforced",)]
    m.journal.undo(next(e.id for e in m.journal.log() if e.undoes == undone.id))
    assert feedback(m, "s") == [("reinforced", "corrected")]


def test_an_entry_that_is_edited_was_corrected_where_it_was_given(m: Workspace, vault: Path) -> None:
    entry, other = m.remember("Tea at *four*"), m.remember("The blue pot")
    lines = [line for line in (vault / "MEMORY.md").read_text().split("\n") if line.startswith("- ")]
    m.sessions.start("s")
    items = [item(f"note:MEMORY.md#0000000{n}.1", line, path="MEMORY.md") for n, line in enumerate(lines)]
    m.sessions.record(recalled("tea?", *items, item("note:MEMORY.mdx#00000000.1", lines[0])), "s")
    m.edit(str(entry.id), "Tea at five")
    assert feedback(m, "s") == [("corrected",), (), ()]
    proposed = m.edit(str(other.id), "The red pot", by="agent")
    assert feedback(m, "s")[1] == ()
    m.entries.accept(proposed.proposal or 0)
    assert feedback(m, "s")[1] == ("corrected",)


def test_memories_that_were_recalled_together_and_helped_are_linked(m: Workspace) -> None:
    items = remembered(m, "green tea", "the blue pot")
    m.sessions.start("s")
    m.sessions.record(recalled("tea?", *items), "s")
    for one in items:
        m.memories.reinforce(int(one.id.removeprefix("memory:")), session="s")
    assert [link.other(1) for link in m.memories.show(1).links] == [2]


@given(
    given_to=st.lists(st.lists(st.integers(0, 5), unique=True, max_size=6), max_size=6),
    query=st.sampled_from(["tea", "green tea pot", "cup", "which pot?"]),
)
def test_nothing_is_punished_for_being_unused(given_to: list[list[int]], query: str) -> None:
    """Nor rewarded: being recalled without a word about it leaves every ranking as it was."""
    with opened(":memory:", clock=Clock()) as m:
        items = remembered(m, *(f"tea {word} pot cup"[: 6 + 2 * i] + str(i) for i, word in enumerate("abcdef")))
        before = m.memories.query(query, 10), m.search(query, mode="words").results
        for number, chosen in enumerate(given_to):
            m.sessions.start(f"s{number}")
            m.sessions.record(recalled(query, *(items[i] for i in chosen)), f"s{number}")
        assert (m.memories.query(query, 10), m.search(query, mode="words").results) == before


WORD = "pelargonium"


@pytest.mark.parametrize("said", [f"the {WORD} is red", f'the "{WORD}"\nis \\ red', f"der {WORD} – rot\u200b"])
def test_a_forgotten_memory_is_gone_from_every_record(m: Workspace, home: Path, said: str) -> None:
    number = m.memories.store(said).memory.id
    kept = m.memories.get(number).content
    m.memories.store("a lamp")
    m.sessions.start("s")
    given = recalled("what now?", item(f"memory:{number}", kept), item("memory:2", "a lamp"))
    m.sessions.record(given, "s")
    # Another item repeats it, a message does, and a block holds it in a way that was not foreseen.
    m.sessions.record(recalled("more?", item("note:a.md#00000000.1", f"- tea\n- {kept}\n- pot")), "s")
    m.sessions.record(recalled(f"is it so that {kept}?"), "s")
    odd = recalled("odd?")
    m.sessions.record(odd._replace(block=odd.block + kept.replace(" ", "  ") + "." * 300), "s")
    assert m.sessions.replay("s", 1).then.identical
    m.memories.forget(number, yes=True)
    assert not holds(home, WORD)
    shown = m.sessions.show("s").recalls
    assert [one.identical for one in shown] == [False, False, True, False]
    first = shown[0]
    assert first.altered == (f"memory:{number} was forgotten",)
    assert [one.forgotten for one in first.given] == [True, False]
    assert blocks.FORGOTTEN in first.recalled.block
    assert "a lamp" in first.recalled.block
    assert shown[2].recalled.message == ""


def test_a_forgotten_entry_is_gone_from_every_record(m: Workspace, home: Path, vault: Path) -> None:
    entry = m.remember(f"The {WORD} stands by the window")
    m.remember("Tea at five")
    text = (vault / "MEMORY.md").read_text()
    m.sessions.start("s")
    m.sessions.record(recalled("flowers?", item("note:MEMORY.md#00000000.1", text, path="MEMORY.md")), "s")
    m.sessions.record(recalled("tea?", item("note:MEMORY.md#00000000.2", "- Tea at five", path="MEMORY.md")), "s")
    m.sessions.record(recalled("rules", form="prompt")._replace(block=text * 3), "s")
    m.forget(str(entry.id), yes=True)
    assert not holds(home, WORD)
    assert [one.identical for one in m.sessions.show("s").recalls] == [False, True, False]


def test_a_message_that_is_forgotten_is_gone_from_every_record_and_backups_are_named(
    home: Path, vault: Path, tmp_path: Path
) -> None:
    said = [
        ("user", f"where is the {WORD}?"),
        ("assistant", f"Your {WORD} " + "stands there. " * 300),
        ("user", "tea?"),
    ]
    lines = [json.dumps({"role": role, "content": text}) for role, text in said]
    write_vault(tmp_path / "logs", {"a.jsonl": "\n".join(lines) + "\n"})
    home.mkdir(mode=0o700)
    (home / "memoro.toml").write_text(f"[transcripts]\nfolders = [{json.dumps(str(tmp_path / 'logs'))}]\n")
    with opened(home, vault) as m:
        m.sync()
        hits = {hit.start_line: hit for hit in m.search(f"{WORD} tea", limit=50, mode="words").results}
        m.sessions.start("s")
        spoken = [
            item(hits[line].id, m.get(hits[line].id).text, path=hits[line].path, line=line) for line in (1, 2, 3)
        ]
        half = spoken[1]._replace(text=spoken[1].text[:100])  # a long turn is several passages
        m.sessions.record(recalled("flowers?", spoken[0], half, spoken[2]), "s")
        m.sessions.record(recalled("what was said?", spoken[0]._replace(text="\n".join(s.text for s in spoken))), "s")
        name = m.backups.create().name
        assert name in m.forget(hits[2].id, yes=True).backups
        assert name in m.forget(hits[1].id, yes=True).backups
        assert not any(WORD.encode() in data for data in session_contents(home))
        shown = m.sessions.show("s").recalls
        assert [one.forgotten for recall in shown for one in recall.given] == [True, True, False, True]


def test_a_prompt_that_asks_about_a_forgotten_entry_in_its_words_is_gone_from_the_record(
    m: Workspace, home: Path
) -> None:
    prompts = [
        "The shed code is 7741-Q, isn't it?",
        "is the SHED code is 7741-Q still right?",
        "what is the shed code?",
    ]
    entry = m.remember("The shed code is 7741-Q.")
    m.sessions.start("s")
    for prompt in prompts:
        m.sessions.record(recalled(prompt), "s")
    m.forget(str(entry.id), yes=True)
    assert [one.recalled.message for one in m.sessions.show("s").recalls] == ["", "", prompts[2]]
    assert not holds(home, "7741-Q")


def test_a_prompt_is_gone_from_the_record_when_its_message_in_the_log_is_forgotten(home: Path, vault: Path) -> None:
    said = "The shed code is 7741-Q."
    write_vault(vault.parent / "logs", {"a.jsonl": json.dumps({"role": "user", "content": said}) + "\n"})
    home.mkdir(mode=0o700)
    (home / "memoro.toml").write_text(f"[transcripts]\nfolders = [{json.dumps(str(vault.parent / 'logs'))}]\n")
    with opened(home, vault) as m:
        m.sync()
        m.sessions.start("s")
        m.sessions.record(recalled("the shed code is 7741-Q, isn't it?"), "s")
        m.forget(m.search("shed code", mode="words").results[0].id, yes=True)
        assert [one.recalled.message for one in m.sessions.show("s").recalls] == [""]


@pytest.mark.parametrize(
    ("said", "held", "expected"),
    [
        ("The code is 7741-Q.", "Is the code is 7741-Q?", True),
        ("The code is 7741-Q.", "The code is 7741-QX", False),
        ("**PIN 4711**", "my pin 4711, please", True),
        ("车库密码是7741。", "请问车库密码是7741对吗？", True),
        ("Yes.", "yes, and the harbour lamps are green", False),
        ("Yes.", "YES", True),
        ("Pelargonium!", "my pelargonium, please", True),
        ("Tea.", "the teapot", False),
        ("...", "and so on", False),
        ("The code is 7741-Q.", "the\u200b code\x02is 77\u00ad41-Q", True),
        ("Der Käse reift.", "der Kä\u2060se\treift \ud83d\ude00", True),
    ],
)
def test_words_count_as_repeated_whatever_their_case_and_the_marks_around_them(
    said: str, held: str, expected: bool
) -> None:
    assert repeating([said])(held) is expected


def test_what_is_forgotten_while_it_is_being_recalled_does_not_come_back_by_the_record(
    m: Workspace, home: Path, vault: Path
) -> None:
    number = m.memories.store(f"the {WORD} is red").memory.id
    entry = m.remember(f"The {WORD} stands by the window")
    text = (vault / "MEMORY.md").read_text().replace(f" ^{entry.id}", "")
    m.sessions.start("s")
    late = recalled(
        "flowers?", item(f"memory:{number}", f"the {WORD} is red"), item("note:MEMORY.md#00000000.1", text)
    )
    m.memories.forget(number, yes=True)
    m.forget(str(entry.id), yes=True)
    m.sessions.record(late, "s")
    assert not holds(home, WORD)
    assert [one.forgotten for one in m.sessions.show("s").recalls[0].given] == [True, True]


def test_a_note_that_can_be_brought_back_stays_so_though_a_memory_said_the_same(m: Workspace, vault: Path) -> None:
    text = f"the {WORD} is red"
    m.notes.new("a.md", text)
    m.notes.edit("a.md", "gone")
    number = m.memories.store(text).memory.id
    m.sessions.start("s")
    m.sessions.record(recalled("flowers?", item(f"memory:{number}", text)), "s")
    m.memories.forget(number, yes=True)
    assert [one.forgotten for one in m.sessions.show("s").recalls[0].given] == [True]
    m.journal.undo(next(e.id for e in m.journal.log() if e.kind == "note"))
    assert (vault / "a.md").read_text().strip() == text


@given(said=texts.filter(lambda text: len(text.split()) > 0), before=texts, after=texts)
def test_a_text_that_holds_what_was_said_repeats_it_however_it_is_escaped(said: str, before: str, after: str) -> None:
    held = f"{before} {said} {after}"
    repeats = repeating([said])
    if repeats(said):  # what cannot be seen is nothing said
        assert repeats(held)
        assert repeats(json.dumps(held, ensure_ascii=False))
        assert repeats(json.dumps(held))
    assert not repeating([])(held)
    assert not repeats("")


def test_secrets_are_not_kept_and_a_replay_says_so(m: Workspace, home: Path) -> None:
    secret = "sk-ant-" + "api03-" + "Zz9" * 30
    m.sessions.start("s")
    m.sessions.record(recalled(f"use {secret}", item("memory:1", f"the key is {secret}")), "s")
    assert not holds(home, secret)
    assert not m.sessions.replay("s").then.identical


ids = st.sampled_from([f"memory:{n}" for n in range(4)] + [f"note:a.md#0000000{n}.1" for n in range(3)])
some_items = st.lists(
    st.builds(item, ids, st.sampled_from(["tea", "pot", "cup\nand pot"]), path=st.sampled_from(["", "a.md"])),
    unique_by=lambda one: one.id,
    max_size=5,
)


@given(then=some_items, now=some_items)
def test_every_item_of_then_and_now_stands_in_one_place_of_the_difference(
    then: list[RecalledItem], now: list[RecalledItem]
) -> None:
    found = difference(recalled("tea?", *then), recalled("tea?", *now))
    pairs = (*found.same, *found.moved, *found.changed)
    assert sorted([*found.gone, *(pair.then for pair in pairs)]) == sorted(then)
    assert sorted([*found.new, *(pair.now for pair in pairs)]) == sorted(now)
    places = [now.index(pair.now) for pair in found.same]
    assert places == sorted(places)
    assert all(pair.then.text == pair.now.text for pair in found.moved)
    assert all(pair.then.text != pair.now.text for pair in found.changed)
    assert difference(recalled("tea?", *then), recalled("tea?", *then)).is_none


def test_a_difference_names_what_is_gone_new_moved_and_changed() -> None:
    stays, gone, new = item("memory:1", "tea"), item("memory:2", "pot"), item("memory:3", "cup")
    edited = item("memory:4", "hot"), item("memory:4", "cold")
    rewritten = (
        item("note:a.md#00000000.1", "at four", path="a.md"),
        item("note:a.md#11111111.1", "at five", path="a.md"),
    )
    renamed = item("note:b.md#00000000.1", "sugar", path="b.md"), item("note:c.md#00000000.1", "sugar", path="c.md")
    found = difference(
        recalled("?", stays, gone, edited[0], rewritten[0], renamed[0]),
        recalled("?", stays, edited[1], rewritten[1], renamed[1], new),
    )
    assert (found.same, found.gone, found.new) == (((stays, stays),), (gone,), (new,))
    assert [(p.then, p.now) for p in found.changed] == [edited, rewritten]
    assert [(p.then, p.now) for p in found.moved] == [renamed]
    turned = difference(recalled("?", stays, gone, new), recalled("?", new, stays, gone))
    assert [pair.now for pair in turned.moved] == [new]


@pytest.mark.process
def test_several_processes_on_one_session_lose_nothing(home: Path, vault: Path) -> None:
    script = """
import sys
from memoro import open as opened
from tests.test_sessions import item, recalled
with opened(sys.argv[1], sys.argv[2]) as m:
    m.sessions.start("s", project="apollo")
    for n in range(25):
        message = f"{sys.argv[3]} {n}"
        m.sessions.record(recalled(message, item(f"memory:{n + 1}", f"text {n}")), "s", key=message)
"""
    running = [
        subprocess.Popen([sys.executable, "-c", script, str(home), str(vault), str(who)], stderr=subprocess.PIPE)
        for who in (0, 0, 1, 2)
    ]
    for process in running:
        assert process.wait(120) == 0, process.stderr.read() if process.stderr else ""
        if process.stderr:
            process.stderr.close()
    with opened(home, vault) as m:
        shown = m.sessions.show("s")
        assert sorted(one.recalled.message for one in shown.recalls) == sorted(
            f"{w} {n}" for w in range(3) for n in range(25)
        )
        assert all(one.identical for one in shown.recalls)
        assert len(m.sessions.used("memory:7")) == 3


def test_sessions_at_the_shell(memoro: Memoro, home: Path, vault: Path) -> None:
    write_vault(vault, {"a.md": "# Tea\n\ngreen tea at five\n", "b.md": "# Tea\n\nblack tea at six\n"})
    started = memoro("session", "start", "s", "--project", "apollo", "--title", "Tea", "--path", "a.md", "--json")
    assert started.json["bound"] == {"project": "apollo", "agent": None, "paths": ["a.md"], "tiers": [], "tags": []}
    assert re.fullmatch(
        r"\d{4}-\d\d-\d\d \d\d:\d\d  Tea\n   project apollo · sees a\.md · 0 recalls, 0 items · id s\n",
        memoro("session", "start", "s").out,
    )
    assert memoro("session", "start", "s", "--project", "gemini").code == 2
    assert memoro("memory", "store", "green tea is best").code == 0
    with opened(home, vault) as m:
        (hit,) = m.search("green tea at five", path="a.md").results
        given_note = item(hit.id, "green tea at five", path="a.md", line=3)
        one = recalled("when is tea?\nsay", given_note, item("memory:1", "green tea is best"))
        m.sessions.record(one, "s")
    assert memoro("memory", "reinforce", "1", "--session", "s").code == 0
    assert "· 1 recall, 2 items, 42 tokens · id s" in memoro("session", "list").out
    shown = memoro("session", "show", "s").out
    assert "for: when is tea? say" in shown
    assert "[memory:1]  0.50  reinforced" in shown
    assert "a.md:3  0.50  no feedback" in shown
    replayed = memoro("session", "replay", "s")
    assert (replayed.code, replayed.out) == (0, one.block)
    assert memoro("session", "replay", "s", "1", "--json").json["block"] == one.block
    assert memoro("session", "replay", "s", "2").code == 1
    used = memoro("memory", "show", "1", "--used")
    assert "given to s in recall 1" in used.out
    assert "reinforced" in used.out
    assert memoro("memory", "show", "1", "--used", "--json").json["used"][0]["feedback"] == ["reinforced"]
    found = memoro("search", "tea", "--used-in", "s", "--json").json["results"]
    assert {one["id"] for one in found} == {hit.id, "memory:1"}
    assert {tuple(one["given"][0]["feedback"]) for one in found} == {(), ("reinforced",)}
    assert "given in recall 1" in memoro("search", "tea", "--used-in", "s").out
    assert memoro("search", "tea", "--used-in", "s", "--path", "b.md").code == 1
    assert memoro("search", "tea", "--used-in", "none such").code == 1
    memoro("session", "start", "empty")
    assert memoro("search", "tea", "--used-in", "empty").code == 1
    stats = memoro("memory", "stats", "--json").json
    assert (stats["sessions"], stats["recalls"], stats["uses"]["reinforced"]) == (2, 1, 1)
    assert "1 recall, 2 items given: 1 reinforced, 0 demoted, 0 corrected, 1 unused" in memoro("memory", "stats").out
    assert memoro("status", "--json").json["sessions"] == 2
    assert "· archived · id s" in memoro("session", "archive", "s").out
    assert "id s\n" not in memoro("session", "list").out
    assert memoro("memory", "forget", "1", "--yes").code == 0
    again = memoro("session", "replay", "s")
    assert again.code == 1
    assert "memory:1 was forgotten" in again.err
    assert memoro("session", "unarchive", "s", "--json").json["archived_at"] is None


@pytest.mark.parametrize("name", ["[draft] *why?*.md", "plain.md"])
def test_what_was_given_is_searched_whatever_its_file_is_called(m: Workspace, vault: Path, name: str) -> None:
    write_vault(vault, {name: "green tea", "d.md": "green tea", "r why.md": "green tea"})
    m.sync()
    hit = next(one for one in m.search("tea").results if one.path == name)
    m.sessions.start("s")
    m.sessions.record(recalled("tea?", item(hit.id, "green tea", path=name)), "s")
    for wanted in ((), ("d.md", name.replace("[", "[[]")), ("*.md",)):
        assert [one.path for one in m.search("tea", used_in="s", path=wanted).results] == [name]
