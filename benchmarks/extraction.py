"""Facts by rules: precision and recall on conversations of our own, and on chats with the facts of each speaker.

`python -m benchmarks extraction --chats FILE` measures a file of chats, JSON lines with `turns` and `facts`; without
the option, the one beside the project, where it is present. Beside the rules, one run has a plain rule (every
statement in the first person) and keyword rules of the kind that plugins of agents use.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import measure
from memoro.model.fact_rules import facts_of
from memoro.model.facts import ConversationTurn
from memoro.model.sentence_ends import split_sentences
from memoro.model.words import STOP_WORDS

_DATA = Path(__file__).parent / "data"
_PERSONAS = Path(__file__).parent.parent.parent / "shared" / "data" / "personas-dev.jsonl.gz"
_MOST, _LONGEST = 5, 200  # the defaults of `extract.max_facts` and `extract.max_chars`
_ALL = 1_000_000
_FIRST_PERSON = re.compile(r"(?i)\b(?:i|i'm|i've|i'd|i'll|my|we|we're|we've|our|ich|mein\w*|wir|unser\w*)\b|我|咱们")
_KEYWORDS = re.compile(
    r"(?i)\b(?:i (?:really )?(?:prefer|like|want|need|use|hate)|always|never|you should|you must|don't|do not|you are"
    r"|we decided|decided to|let's (?:use|go with)|remember|note that|keep in mind|important|actually|correction"
    r"|from now on|my name is|instead of|ich (?:bevorzuge|mag|will|möchte)|immer|nie|wir haben entschieden|merk dir"
    r"|wichtig|ab jetzt)\b|我(?:喜欢|讨厌|想|要)|总是|从不|以后|不要|必须|记住|决定|其实"
)
_WORD = re.compile(r"[^\W_]+")

Extractor = Callable[[Sequence[ConversationTurn]], list[str]]


class Conversation(NamedTuple):
    """A conversation of our own with the facts that are to be kept, and those that may be."""

    name: str
    language: str
    turns: tuple[ConversationTurn, ...]
    facts: tuple[str, ...]
    allowed: tuple[str, ...]


class Counts(NamedTuple):
    """What an extractor returned, and how much of it is right."""

    lines: int = 0
    right: int = 0
    facts: int = 0
    found: int = 0

    def __add__(self, other: object) -> Counts:
        assert isinstance(other, Counts)
        return Counts(*(one + two for one, two in zip(self, other, strict=True)))

    def row(self) -> list[object]:
        precision, recall = self.right / max(1, self.lines), self.found / max(1, self.facts)
        return [self.lines, self.facts, f"{precision:.3f}", f"{recall:.3f}"]


def run(options: Sequence[str] = ()) -> None:
    rows: list[list[object]] = []
    for half in ("dev", "check"):
        conversations = read(_DATA / f"extraction-{half}.txt")
        for name, extract in _extractors(_MOST).items():
            counts = sum((judge(extract(one.turns), one) for one in conversations), Counts())
            rows.append([f"own, {half}", name, *counts.row()])
        for language in ("en", "de", "zh"):
            chosen = [one for one in conversations if one.language == language]
            counts = sum((judge(_rules(one.turns, _MOST), one) for one in chosen), Counts())
            rows.append([f"own, {half}, {language}", "rules", *counts.row()])
    personas = Path(options[options.index("--chats") + 1]) if "--chats" in options else _PERSONAS
    if personas.exists():
        chats = read_chats(personas)
        middle = len(chats) // 2
        for half, part in (("first half", chats[:middle]), ("second half", chats[middle:])):
            for name, extract in _extractors(_ALL).items():
                counts = sum((judge_chat(extract, one) for one in part), Counts())
                rows.append([f"personas, {half}", name, *counts.row()])
    else:
        print("There is no file of chats with facts; give its path as an option.\n")
    measure.table(["set", "extractor", "lines", "facts", "precision", "recall"], rows)


def measure_own(half: str) -> Counts:
    """Return the counts of the rules on one half of our own conversations."""
    conversations = read(_DATA / f"extraction-{half}.txt")
    return sum((judge(_rules(one.turns, _MOST), one) for one in conversations), Counts())


def _extractors(most: int) -> dict[str, Extractor]:
    return {"rules": lambda turns: _rules(turns, most), "first person": first_person, "keywords": keywords}


def _rules(turns: Sequence[ConversationTurn], most: int) -> list[str]:
    return [one.text for one in facts_of(turns, most=most, longest=_LONGEST)]


def first_person(turns: Sequence[ConversationTurn]) -> list[str]:
    """Return every sentence of the owner with a word of the first person that is no question."""
    return [one for one in _statements(turns) if _FIRST_PERSON.search(one)]


def keywords(turns: Sequence[ConversationTurn]) -> list[str]:
    """Return every sentence of the owner with a word of preference, rule, decision or correction."""
    return [one for one in _statements(turns) if _KEYWORDS.search(one)]


def _statements(turns: Sequence[ConversationTurn]) -> Iterator[str]:
    for turn in turns:
        if turn.is_owner:
            for line in turn.text.split("\n"):
                yield from (one for one in split_sentences(line) if not one.rstrip().endswith(("?", "？")))


def read(path: Path) -> list[Conversation]:
    """Read conversations with labels; the head of a file says how they are written."""
    found: list[Conversation] = []
    texts: list[tuple[bool, str]] = []
    facts: list[str] = []
    allowed: list[str] = []
    head: list[str] = []
    for line in [*path.read_text(encoding="utf-8").split("\n"), "## "]:
        match line[:2]:
            case "##":
                if head:
                    found.append(Conversation(head[0], head[1], _turns(texts), tuple(facts), tuple(allowed)))
                head, texts, facts, allowed = line[3:].split(), [], [], []
            case "U:" | "A:":
                texts.append((line.startswith("U:"), line[2:].strip()))
            case "  ":
                texts[-1] = (texts[-1][0], f"{texts[-1][1]}\n{line[2:]}")
            case "= ":
                facts.append(line[2:])
            case "~ ":
                allowed.append(line[2:])
    return found


def _turns(texts: Sequence[tuple[bool, str]]) -> tuple[ConversationTurn, ...]:
    return tuple(
        ConversationTurn("User" if own else "Assistant", text, n, "2026-03-02", own)
        for n, (own, text) in enumerate(texts, 1)
    )


def judge(lines: Sequence[str], conversation: Conversation) -> Counts:
    """Count the lines that name a fact to keep, and the facts that a line names. What may be kept is not counted."""
    right = [one for one in lines if any(names(one, fact) for fact in conversation.facts)]
    wrong = [one for one in lines if one not in right and not any(names(one, fact) for fact in conversation.allowed)]
    found = sum(any(names(one, fact) for one in lines) for fact in conversation.facts)
    return Counts(len(right) + len(wrong), len(right), len(conversation.facts), found)


def names(line: str, label: str) -> bool:
    """Return whether a line holds all parts of a label, each in one of its spellings."""
    lower = line.lower()
    return all(any(one.strip().lower() in lower for one in part.split("|")) for part in label.split("&"))


def read_chats(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def judge_chat(extract: Extractor, chat: dict[str, Any]) -> Counts:
    """The counts of one chat, with each speaker as the owner."""
    counts = Counts()
    for speaker, facts in chat["facts"].items():
        turns = [
            ConversationTurn(turn["speaker"], turn["text"], n, None, turn["speaker"] == speaker)
            for n, turn in enumerate(chat["turns"], 1)
        ]
        lines = extract(turns)
        right = sum(any(shares(line, fact) for fact in facts) for line in lines)
        found = sum(any(shares(line, fact) for line in lines) for fact in facts)
        counts += Counts(len(lines), right, len(facts), found)
    return counts


# Words that stand in so many facts that sharing them says nothing.
_USUAL_WORDS = """
    like love enjoy favorite favourite really lot very good great best thing things time go goes going went get
    got make want have has had much many im ive people always currently still sometimes often day days year
    years old new big would ll don doesn didn isn am one since too kind
"""
_USUAL = frozenset(_USUAL_WORDS.split())


def shares(line: str, fact: str) -> bool:
    """Return whether a line says a fact: it has half of its content words, and two of them if there are three.

    Content words are compared without endings; words of liking and having, which most facts hold, do not count.
    """
    wanted, given = _content(fact), _content(line)
    shared = len(wanted & given)
    return shared > 0 and 2 * shared >= len(wanted) and (shared > 1 or len(wanted) < 3)


def _content(text: str) -> frozenset[str]:
    words = (word for word in _WORD.findall(text.lower()) if word not in STOP_WORDS and word not in _USUAL)
    return frozenset(_stem(word) for word in words if len(word) > 1)


def _stem(word: str) -> str:
    for end in ("ing", "ies", "ers", "er", "ed", "es", "s", "y", "e"):
        if word.endswith(end) and len(word) - len(end) >= 3:
            return word[: -len(end)]
    return word
