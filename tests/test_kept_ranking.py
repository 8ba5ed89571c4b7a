"""Made-up candidates are weighed, compared and ordered as they were when that was kept.

Each rule of the ranking is tried on many small inputs that a seed makes, at both sides of its thresholds. After a
change that is meant, look at what moved, then keep the new values: `python -m tests.test_kept_ranking`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy
import pytest

from memoro.memories.rank import RankedMemory, best, limit_sources, memory_of, rank_memory, worth
from memoro.model.answers import (
    Evidence,
    Explanation,
    Held,
    Hit,
    Match,
    Passage,
    Statistics,
    Term,
    TermScore,
    Where,
)
from memoro.model.ledger import ItemFit
from memoro.model.memories import Memory
from memoro.model.names import OWNER, KnownNames, Subject, Subjects, TextSource
from memoro.model.notes import Chunk, FileEntry, Indexed, Note
from memoro.model.sentences import topic_words
from memoro.model.sessions import RecordedRecall
from memoro.model.vocabulary import TRUSTS, MirroredKind, Tier, Trust
from memoro.providers.builtin.model import builtin
from memoro.providers.calibration import OF_BUILTIN
from memoro.search import phrasing, signals, turns
from memoro.search import query as queries
from memoro.search.answer_kind import AnswerKind, asks_for_fact, holds, holds_what_is_asked, kind_asked
from memoro.search.attribute import StatedValues, asks_of_person, attribute, attribute_of_statement, with_stated
from memoro.search.attribute import candidates as stating
from memoro.search.candidates import standard
from memoro.search.compared_statements import (
    Moment,
    Statement,
    ends,
    has_other_value,
    is_later,
    is_newer,
    may_displace,
    only_ends,
    repeats,
    shares_value,
    slots_between,
    specific_words,
)
from memoro.search.copies import extracted_line, without_copies
from memoro.search.coverage import coverage, information
from memoro.search.grouping import by_conversation, described
from memoro.search.item_words import ItemText, ItemWords, best_fits, count_words
from memoro.search.linked import linked
from memoro.search.newest import (
    Comparison,
    OrderedPassages,
    is_marked,
    is_outdated,
    marked_replacement,
    moment,
    newest_first,
)
from memoro.search.pairs import near_pairs
from memoro.search.past import as_of, time_asked, time_values, which_statement, widened, without_date_words
from memoro.search.rank import Ranked, confidence, fit, rank, rarity, word_shares
from memoro.search.relevance import cut, isotonic, word_scores
from memoro.search.retrieve import identifier, side_by_side, with_days_of_files
from memoro.search.same_thing import AskedFor, Older, StatementPair, WhichStatement, arrange, best_of, lifted
from memoro.search.slots import differing_slots
from memoro.search.standing import holding, worths
from memoro.search.subjects import (
    Placed,
    SubjectSignals,
    asked_subjects,
    project_of,
    source_of,
    subject_signals,
    with_names,
)
from memoro.search.times import of_that_time, only_time, ranked
from memoro.search.unfinished import with_unfinished
from memoro.search.used_in import marked, narrowed
from memoro.search.weights import by_length, weights_for
from memoro.store.changes import Write
from memoro.store.plain.index import PlainIndex
from memoro.store.ports import COLUMNS, Neighbour
from tests.kept import check_kept, read_kept, write_kept
from tests.test_used_in import given

KEPT = Path(__file__).parent / "data" / "kept_ranking.json"
TODAY = date(2026, 3, 5)
T = TypeVar("T")


class Draw:
    """Values that a seed chooses, the same on every version of Python."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def one(self, of: Sequence[T]) -> T:
        return of[int(self._random.random() * len(of))]

    def some(self, of: Sequence[T], count: int) -> list[T]:
        return [self.one(of) for _ in range(count)]

    def chance(self, share: float) -> bool:
        return self._random.random() < share


def passage(text: str, path: str = "note.md", tier: Tier = "note", line: int = 1, **fields: Any) -> Passage:
    made = Passage(path, tier, fields.pop("title", "note"), fields.pop("date", None), line, line,
                   fields.pop("headings", ()), text, fields.pop("digest", "d"), fields.pop("number", 1))  # fmt: skip
    return made._replace(**fields)


def rounded(value: Any) -> Any:
    """A value as it is kept: lists for sequences and sets, and three digits."""
    match value:
        case float() | numpy.floating():
            return round(float(value), 3)
        case numpy.integer():
            return int(value)
        case numpy.ndarray():
            return rounded(value.tolist())
        case frozenset() | set():
            return sorted(rounded(list(value)))
        case dict():
            return {f"{key}": rounded(one) for key, one in value.items()}
        case tuple() | list():
            return [rounded(one) for one in value]
    return value


# Statements about the same thing

FAMILIES = (
    ("lives in Lisbon", "lives in Porto now", "moved to Porto", "moved from Lisbon to Ghent", "no longer in Lisbon",
     "should we move to Rome?", "maybe Rome", "went to Rome", "lives in Lisbon with two cats", "lives in Ghent"),
    ("the API listens on 9090", "the API listens on 8443", "the API went from 9090 to 8443", "the API is now on 7070",
     "the API listens on 8443 since May", "the API no longer listens on 9090", "the API is slow"),
    ("we dropped Jenkins", "builds run on Jenkins", "builds run on GitLab", "it is GitLab, not Jenkins",
     "builds run on GitLab now",
     "builds are slow"),
    ("frankfurt-1 has 32 GB", "frankfurt-2 has 64 GB", "frankfurt-1 now has 64 GB", "frankfurt-2 now has 32 GB",
     "the host has 8 GB",
     "frankfurt-1 has 32 GB of memory"),
    ("Eva owns the billing service", "Marek now owns the search service", "Marek now owns the billing service",
     "Eva owns the search service", "Eva used to own the billing service",
    "Rui now owns the new billing service in Porto"),
    ("we use Postgres 15", "we switched to MySQL 8", "we no longer use Postgres 15",
     "we now use MySQL 8 instead of Postgres 15",
     "we use Postgres 15 again", "replaced the old pump", "had lunch with Priya", "has a son"),
    ("the office is open", "the office is open late", "the office is no longer open", "the office is closed now",
     "the office is no longer open late", "the office is no longer open early, late or at noon",
     "the office is closed on Monday", "the office is now closed on Friday", "the deploy takes five minutes",
     "the slow deploy now takes ten minutes"),
)  # fmt: skip
SLOTS = (
    ("Eva owns the billing service", "Marek now owns the search service"), ("the shop opens Monday",
    "the shop opens Friday"),
    ("red barn stands here", "blue house stands here"), ("old red barn stands here", "tall blue house stands here"),
    ("the shop opens late", "the shop opens"), ("the shop sells tea", "the shop now sells tea"),
    ("the shop sells tea", "the shop sells new coffee"), ("the shop sells May tea", "the shop sells June coffee"),
    ("tea costs 3 euros", "tea costs 4 euros"), ("tea costs 3 euros", "tea costs 3 euros"), ("", ""), ("tea",
    "coffee"),
    ("it sold tea in May", "it moved tea in May"), ("Ana sold tea to Bo", "Eva sold jam to Tom"),
)  # fmt: skip
SAID = tuple(text for family in FAMILIES for text in family)
DAYS = (None, "2025-01-01", "2025-01-01", "2025-03-01", "2025-06-01", "2025-09-01")
NEAR = (0.1, 0.49, 0.5, 0.55, 0.59, 0.6, 0.65, 0.69, 0.7, 0.75, 0.9)
WHICH: tuple[WhichStatement, ...] = ("newest", "newest", "newest", "replaced", "first", "best")
ATTRIBUTES = ("home", "port", "database", "owner")


def statement(draw: Draw, total: float, among: Sequence[str], common: Sequence[str] = ()) -> Statement:
    text = draw.one(among)
    path = draw.one(("a.md", "a.md", "b.md", "memory:1", "memory:2", "c.md", "d.md", "e.md"))
    said = Moment(
        day=draw.one(DAYS),
        path=path,
        line=draw.one((0, 1, 2, 3)),
        version=draw.one(((), (), (), (1, 2), (1, 10))),
        written=draw.one((None, "2025-03-01", "2025-07-01")),
        stored=int(path.removeprefix("memory:")) if path.startswith("memory:") else 0,
        section=draw.one(((), ("A",))),
    )
    is_outdated = draw.chance(0.1)
    return Statement(
        text=text,
        words=topic_words(text),
        attributes=frozenset((*draw.some(ATTRIBUTES, draw.one((0, 0, 0, 1))), *(common if draw.chance(0.8) else ()))),
        said=said,
        total=total,
        trust=draw.one((None, None, *TRUSTS)) if said.stored else None,
        outdated=is_outdated,
        ended=is_outdated and draw.chance(0.5),
    )


def of_arrangements() -> Iterator[list[Any]]:
    for seed in range(500):
        draw = Draw(seed)
        among = draw.one(FAMILIES) if draw.chance(0.85) else SAID
        count = draw.one((2, 2, 3, 3, 4, 5, 6))
        step = draw.one((0.0, 0.1, 1.0, 2.0, 3.9, 4.0, 4.1, 8.0, 8.1))
        common = draw.one(((), ("home",)))
        told = [statement(draw, 5.0 - step * place, among, common) for place in range(count)]
        pairs = [
            StatementPair(one, other, draw.one(NEAR))
            for one in range(count)
            for other in range(one)
            if draw.chance(0.8)
        ]
        asked = AskedFor(
            frozenset(common if draw.chance(0.7) else draw.some(ATTRIBUTES, draw.one((0, 1)))),
            draw.one(("9999-12-31", "9999-12-31", "2025-06-01", "2025-05-01", "2025-03-01")),
            draw.one(WHICH),
            topic_words(draw.one(among)) if draw.chance(0.6) else frozenset(),
        )
        known = {draw.one(range(count)): Older(draw.one(range(count)), "ledger")} if draw.chance(0.1) else {}
        found = arrange(told, pairs, asked, {one: by for one, by in known.items() if by.by != one})
        older = {place: [one.by, one.why] for place, one in found.older.items()}
        totals, sure = [one.total for one in told], [draw.one((0.1, 0.4, 0.5, 0.9)) for _ in told]
        yield rounded([seed, found.order, found.raised, older, lifted(found, totals), best_of(found, sure)])


def of_comparisons() -> Iterator[list[Any]]:
    for seed in range(500):
        draw = Draw(1000 + seed)
        among = draw.one(FAMILIES)
        one, other = statement(draw, 1.0, among), statement(draw, 1.0, among)
        tests = (is_newer, ends, repeats, shares_value, has_other_value)
        read = [int(test(one, other)) for test in tests] + [int(is_later(one.said, other.said)), int(only_ends(one))]
        slots = [[sorted(slot.old), sorted(slot.new)] for slot in slots_between(one, other)]
        yield [seed, "".join(map(str, read)), int(may_displace(one.trust, other.trust)), slots]
    for text in SAID:
        yield [text, sorted(specific_words(text))]
    for old, new in SLOTS:
        yield [old, new, [[sorted(slot.old), sorted(slot.new)] for slot in differing_slots(old, new)]]


def of_pairs() -> Iterator[list[Any]]:
    anna, berg, harbor = Subject("anna"), Subject("anna berg"), Subject("harbor admin")
    told = [
        Subjects(frozenset(told), frozenset(assumed))
        for told in ((), (anna,), (berg,), (OWNER,), (OWNER, anna), (harbor,), (harbor, berg))
        for assumed in ((), (harbor,), (OWNER,))
    ]
    for seed in range(60):
        draw = Draw(2000 + seed)
        count = draw.one((1, 2, 3, 4))
        angles = [draw.one((0.0, 0.3, 1.0, 1.47, 1.4706, 1.5, 3.0)) for _ in range(count)]
        vectors = numpy.asarray([[numpy.cos(a), numpy.sin(a)] for a in angles], numpy.float32).reshape(count, 2)
        words = [frozenset(draw.some("abcdefgh", draw.one((0, 1, 2, 4)))) for _ in range(count)]
        found = near_pairs(draw.some(told, count), words, vectors, draw.some((True, False), count))
        yield rounded([seed, found])


# Passages of which one is newer

LISTED = (
    "Anna lives in Lisbon.", "- Anna lives in Lisbon.\n- Anna likes tea.\n", "- [x] 09:10 Anna moved to Porto.",
    "~~Anna lives in Lisbon.~~", "- ~~Anna lives in Lisbon.~~\n- Anna lives in Ghent.",
    "Anna lives in Ghent. So nice!",
    "Hello! Anna lives in Ghent. How are you?", "# Anna\nAnna lives in Ghent.\n\nAnna likes tea.",
    "The API listens on 9090.", "The API went from 9090 to 8443.",
    "1. The API listens on 8443\n2) The UI listens on 80",
    "The API listens on 9090. " + "Much else is told about the harbor and its cranes. " * 3,
    "The API listens on 9090. " + "Much else is told about the harbor and its cranes. " * 7,
    "Much else is told about the harbor. The API listens on 9090 " + "and so on " * 30, "Tea is green.",
    "The API listens on 7070 until May. Tea is green.", "We use Postgres. ~~We use MySQL.~~", "",
)  # fmt: skip
ABOVE: tuple[tuple[str, ...], ...] = (
    (), (), ("Note",), ("Note", "Old"), ("Note", "Formerly"), ("Old",), ("Changes", "v1.2.0"), ("Changes", "1.10"),
    ("2025-04-03",), ("Note", "Archived (superseded)"),
)  # fmt: skip
ASKED = (
    "Where does Anna live?", "Which port does the API listen on?", "When did Anna move?", "What do we use?", "Anna",
    "Why did the API move?", "What port did the API have?",
)  # fmt: skip


def candidate(draw: Draw, place: int) -> Passage:
    kind = draw.one(("note", "note", "note", "memory", "chat"))
    ended = draw.chance(0.2)
    text = draw.one(LISTED)
    fields: dict[str, Any] = {"date": draw.one(DAYS), "written": draw.one((None, "2025-03-01")), "line": place + 1}
    if kind == "memory":
        fields |= {"path": f"memory:{place + 1}", "tier": "memory", "valid_from": "2025-01-01"}
    elif kind == "chat":
        speaker = draw.one(("User", "Assistant", "Ann"))
        fields |= {"path": "@logs/a.jsonl", "tier": "transcript", "speaker": speaker}
        text = f"{speaker}: {text}"
    else:
        fields |= {"path": draw.one(("a.md", "b.md")), "headings": draw.one(ABOVE)}
    if ended:
        fields |= {"superseded_by": draw.one(("memory:1", "memory:2", "")), "valid_from": "2025-01-01"}
        fields |= {"valid_to": draw.one(("2025-05-01", "2025-07-01"))}
    return passage(text, **fields)


def of_newest() -> Iterator[list[Any]]:
    model = builtin()
    for seed in range(160):
        draw = Draw(3000 + seed)
        found = [candidate(draw, place) for place in range(draw.one((1, 2, 3, 4, 5)))]
        if draw.chance(0.1):
            found += [passage("Tea is green.", path=f"t{n}.md") for n in range(28)] + [
                candidate(draw, 33),
                candidate(draw, 34),
            ]
        trusts = {number: draw.one(TRUSTS) for number in range(1, 6)}
        comparison = Comparison(
            known=KnownNames().with_names([Subject("anna")]) if draw.chance(0.5) else KnownNames(),
            embed=model.embed,
            trusts=draw.one((None, partial(trusts_in, trusts))),
            as_of=draw.one(("9999-12-31", "2025-06-01")),
            is_past=draw.chance(0.3),
            which=draw.one(WHICH),
        )
        ordered = OrderedPassages(
            found, [TextSource(speaker=one.speaker) for one in found], [5.0 - n for n in range(len(found))]
        )
        arranged = newest_first(draw.one(ASKED), ordered, comparison)
        older = {place: list(one) for place, one in arranged.older.items()}
        moved = [place for place, one in enumerate(arranged.order) if one != place]
        yield rounded([seed, arranged.order if moved else [], arranged.raised, older])
        said = moment(found[0], 2)
        yield rounded(
            [seed, said, is_outdated(found[0], found[0].text), is_marked(found[0]), marked_replacement(found[0])]
        )


OLD, NEW = "The API listens on 9090.", "The API went from 9090 to 8443."
LINE = "The API went from 9090 to 8443 because of the proxy and the many other things that stood in its way"


def newer(text: str = NEW, path: str = "b.md", **fields: Any) -> Passage:
    return passage(text, path=path, date="2025-06-01", **fields)


def older(text: str = OLD, path: str = "a.md", **fields: Any) -> Passage:
    return passage(text, path=path, **{"date": "2025-01-01", **fields})


def said(text: str, speaker: str, line: int = 1, **fields: Any) -> Passage:
    path = fields.pop("path", "@logs/a.jsonl")
    return passage(f"{speaker}: {text}", path=path, tier="transcript", speaker=speaker, line=line, **fields)


def remembered(text: str, number: int, day: str, **fields: Any) -> Passage:
    return passage(text, path=f"memory:{number}", tier="memory", date=day, valid_from=day, **fields)


TEA = tuple(passage("Tea is green.", path=f"t{number}.md") for number in range(40))
ENDED: dict[str, Any] = {
    "valid_from": "2025-01-01",
    "valid_to": "2025-05-01",
    "superseded_by": "memory:9",
    "date": "2025-01-01",
}
PORT = remembered("The API listens on 8443.", 9, "2025-05-01")
WEB, OWN = ("tool_or_web", "user_confirmed")
CASES: tuple[tuple[list[Passage], dict[str, Any]], ...] = (
    ([older(), newer()], {}),
    ([older(), newer()], {"which": "replaced"}),
    ([older(), newer()], {"which": "first"}),
    ([older(), newer()], {"which": "best"}),
    ([older(), newer()], {"as_of": "2025-03-01", "is_past": True}),
    *(([older(), newer(LINE + "x" * (size - len(LINE)))], {}) for size in (160, 161, 300, 301)),
    *(([older(), said(LINE + "x" * (size - len(LINE)), "User", date="2025-06-01")], {}) for size in (234, 235, 300)),
    *(([older(), said(NEW, speaker, date="2025-06-01")], {}) for speaker in ("User", "Assistant", "Ann")),
    *(([older(), newer(text)], {}) for text in (
        f"Hello! {NEW}", NEW.replace(".", "!"), f"# Hello!\n{NEW}", f"# News\n- {NEW}\n- Where is it?", f"Hey {NEW}",
        f"{NEW}\n\nThanks.", f"~~{NEW}~~", f"- ~~{NEW}~~\n- Tea is green.", f"{NEW} Tea is green.",
    f"- [ ] 09:10 {NEW}",
        f"Tea is green. {NEW}", f"Tea is green. {NEW} " + "Nothing is told here. " * 6, f"12) {NEW}",
    f"1234) {NEW}", "",
        f"# Title\n\n# {NEW}", f"- Tea is green.\n- {NEW}\n- The API is slow.", f"{NEW} Who did that?",
    )),
    *(([older(text), newer()], {}) for text in (
        f"- {OLD}\n- The UI is blue.", f"- {OLD}", f"# Ports\n- {OLD}", f"- ~~{OLD}~~\n- The UI is blue.",
    f"- {OLD}\n- The API listens on 7070.",
    )),
    *(([older(headings=above), newer()], {}) for above in ABOVE),
    *(([older(date=None), passage(NEW, path="a.md", headings=above, line=5)], {}) for above in ABOVE),
    ([older(date=None, headings=("v1.2",)), passage(NEW, path="a.md", headings=("v1.10",), line=9)], {}),
    ([older(date=None, headings=("v1.10",)), passage(NEW, path="a.md", headings=("v1.2",), line=9)], {}),
    ([older(date=None), passage(NEW, path="a.md", line=2)], {}),
    ([passage(NEW, path="a.md", line=1), older(date=None, line=2)], {}),
    *(([older(f"{OLD} The API is " + "s" * (size - len(OLD) - 14) + "w."), newer()], {}) for size in (159, 160, 161)),
    *(([passage(f"- Tea is green.\n- {OLD}", path="a.md", line=1), passage(text, path="a.md", line=line)], {})
      for line in (1, 2, 3, 4) for text in (NEW, f"{LINE} {'so on ' * 20}")),
    ([older(), newer("The API is slow. It went from 9090 to 8443.")], {}),
    ([older(), newer("The harbor API is slow. The port of it is now 8443. Tea is green.")], {}),
    ([said(OLD, "User", **ENDED), PORT], {}),
    ([said(OLD, "User", **ENDED), *TEA[:28], PORT], {}),
    ([said(OLD, "User", **ENDED), *TEA[:29], PORT], {}),
    ([said(OLD, "User", **ENDED), *TEA[:35], PORT], {}),
    ([*TEA[:29], said(OLD, "User", **ENDED), PORT], {}),
    ([*TEA[:30], said(OLD, "User", **ENDED), PORT], {}),
    ([older(), *TEA[:28], newer()], {}),
    ([older(), *TEA[:29], newer()], {}),
    ([older(superseded_by="b.md"), *TEA[:30], newer()], {}),
    *(([said(OLD, "User", **ENDED), PORT], {"as_of": f"2025-0{day}", "is_past": True})
      for day in ("4-30", "5-01", "5-02")),
    ([remembered(OLD, 1, "2025-01-01", superseded_by="memory:9"), PORT], {}),
    ([remembered(OLD, 1, "2025-01-01", superseded_by="memory:9", valid_to="2025-05-01"), PORT], {}),
    *(([remembered(OLD, 1, "2025-01-01"), remembered(NEW, 2, "2025-06-01")], {"trusts": trusts})
      for trusts in ({1: OWN, 2: WEB}, {1: WEB, 2: OWN}, {1: WEB, 2: WEB}, {1: OWN, 2: OWN}, {})),
    *(([older(), remembered(NEW, 2, "2025-06-01")], {"trusts": trusts}) for trusts in ({2: WEB}, {2: OWN}, {})),
    *(([remembered(OLD, 1, "2025-01-01"), newer()], {"trusts": trusts}) for trusts in ({1: WEB}, {1: OWN})),
    *(([remembered(OLD, 1, day), remembered(text, 2, day)], {}) for day in ("2025-01-01",)
      for text in (NEW, "The API listens on 8443.", "The API is fast.")),
)  # fmt: skip
HOMES = (
    "Anna lives in Lisbon.", "Anna has a flat in Ghent.", "Anna moved to Porto.", "Her post goes to Rome now.",
    "Anna likes tea.",
    "Anna no longer lives in Lisbon.", "Anna Berg lives in Oslo.", "Anna works in Bern.",
)  # fmt: skip


def trusts_in(known: Mapping[int, Trust], paths: Sequence[str]) -> dict[str, Trust]:
    numbers = {path: int(path.removeprefix("memory:")) for path in paths}
    return {path: known[number] for path, number in numbers.items() if number in known}


def of_newer_ones() -> Iterator[list[Any]]:
    """Which of two is newer, at both sides of every limit; and homes in other words."""
    homes = [
        ([older(one), newer(other)], {"query": "Where does Anna live?"})
        for one in HOMES
        for other in HOMES
        if one != other
    ]
    for number, (found, options) in enumerate([*CASES, *homes]):
        query = options.get("query")
        known = options.get("trusts")
        chosen = {key: value for key, value in options.items() if key in ("as_of", "is_past", "which")}
        comparison = Comparison(
            known=KnownNames(),
            embed=builtin().embed,
            trusts=partial(trusts_in, known) if known is not None else None,
            **{"as_of": "9999-12-31", **chosen},
        )
        sources = [TextSource(speaker=one.speaker) for one in found]
        ordered = OrderedPassages(found, sources, [5.0 - n / 10 for n in range(len(found))])
        for asked in (
            (query,) if query else ("Which port does the API listen on?", "the API", "When did the API move?")
        ):
            made = newest_first(asked, ordered, comparison)
            moved = [one for place, one in enumerate(made.order) if one != place]
            yield rounded(
                [number, asked, moved, made.raised, {place: list(one) for place, one in made.older.items()}]
            )


# Words

WORDS = ("tea", "cup", "pot", "harbor")


def match_of(draw: Draw, place: int) -> Match:
    counts = tuple((word, draw.one(tuple(COLUMNS)), draw.one((1, 2, 9))) for word in WORDS if draw.chance(0.5))
    found = passage("tea " * draw.one((1, 50, 200)), path=draw.one(("a.md", "b.md")), line=draw.one((1, 2)),
                    digest=draw.one(("0", "1")), number=place)  # fmt: skip
    return Match(found, counts, draw.one((1.0, 10.0, 300.0)), place)


def of_words() -> Iterator[list[Any]]:
    terms = [Term(word, word) for word in WORDS]
    for seed in range(60):
        draw = Draw(4000 + seed)
        chunks = draw.one((1, 150, 200, 201, 5000))
        frequencies = {word: min(chunks, draw.one((0, 1, 3, 199, 2000))) for word in WORDS}
        statistics = Statistics(chunks, draw.one((0.0, 10.0, 40.0)), frequencies)
        plan = queries.plan(
            terms, frequencies, postings=draw.one((1, 200, 2200, 20_000)), leading=draw.one((1, 200, 2000))
        )
        found = rank([match_of(draw, place) for place in range(6)], plan, statistics, COLUMNS)
        shares = word_shares(terms, statistics)
        held = [("tea", 2), ("nothing", 3), ("pot", 1)]
        yield rounded(
            [
                seed,
                [[one.match.chunk, one.score, one.explanation.ignored, one.explanation.word_rank] for one in found],
                [[term.word for term in part] for part in plan],
                shares,
                fit(held, 12.0, shares, statistics.average_length),
                word_scores(found),
                information(terms, statistics, builtin()),
                weights_for(found, OF_BUILTIN)["words"],
                weights_for(found[:5], OF_BUILTIN)["around"],
            ]
        )
    usual = [Term(word, word) for word in ("the", "of", "and", "in", "day", "feline")]
    yield rounded(
        [
            "usual",
            information(
                usual, Statistics(3, 10.0, dict.fromkeys(("the", "of", "and", "in", "day", "feline"), 0)), builtin()
            ),
        ]
    )
    for length in (0, 150, 151, 300, 600, 601, 5000):
        yield rounded([length, by_length(length, OF_BUILTIN)])
    for frequency, chunks in ((0, 1), (1, 1), (5, 1), (3, 200), (0, 200)):
        yield rounded([frequency, chunks, rarity(frequency, chunks)])
    for covered, near, words, passages in (
        (0.0, 0.0, 0.0, 0),
        (0.5, 0.2, 0.1, 149),
        (0.5, 0.2, 0.1, 150),
        (1.0, 0.9, 0.4, 900),
    ):
        evidence = Evidence(coverage=covered, nearness=near, words=words, passages=passages)
        yield rounded([evidence, confidence(evidence, OF_BUILTIN.confidence, 150)])
    for values in ([0.1, 0.2], [0.2, 0.1, 0.3], [0.5, 0.4, 0.4, 0.9, 0.1], [], [0.3]):
        yield rounded([values, isotonic(values), standard(values or [0.0]), standard(values or [1.0], 0.01)])


LOOKED_UP = (
    "tea for two", "the", "a b c", "x tea", "the a", "", "teas tea", "what is it", "tea " * 2000,
    " ".join(f"w{n:02}" for n in range(64)), " ".join(f"w{n:02}" for n in range(65)), "t" * 4097, "t" * 4096,
    "https://example.com/tea", "\x00", "? !", "_", "#",
)  # fmt: skip
BY_TIME = (
    "what did I do last week", "what did I do with x last week", "what did I do with xy last week", "yesterday",
    "tea yesterday", "notes of May 2025",
    "what happened on 3 April?", "was habe ich gestern gemacht", "last week at a b", "tea", "I met xy on Monday",
)  # fmt: skip
PAST = (
    "where did I live in May 2025", "where did I live before May 2025", "what did we use at first", "tomorrow",
    "what did we use before that", "what did I stop doing", "how long before the move did we pack",
    "how many weeks after the launch did it fail", "what did we do before the move", "what broke after the launch",
    "where will I live in May 2027",
)  # fmt: skip


def terms_of(text: str) -> list[Term]:
    return [Term(word, word.lower().removesuffix("s")) for word in text.split()]


def of_queries() -> Iterator[list[Any]]:
    for text in LOOKED_UP:
        found = queries.parse(text, terms_of)
        yield [text[:40], [one.word[:20] for one in found.terms][-5:], len(found.terms), list(found.notices)]
    for text in BY_TIME:
        found_time = only_time(text, TODAY)
        when = time_asked(text, TODAY)
        yield [
            text,
            found_time and [f"{one}" for one in found_time.span],
            which_statement(when),
            f"{as_of(Where(), when, TODAY)}",
        ]
    for text in PAST:
        when = time_asked(text, TODAY)
        for held in (None, Held("2025-01-01", "2025-02-01"), Held("2025-01-01", "2027-02-01", only=True)):
            where = widened(Where(held=held), when, TODAY)
            yield [text, where.held and list(where.held), which_statement(when), f"{as_of(where, when, TODAY)}"]


PUT = (
    "can you remind me of the port?", "what did you say?", "remind me", "do you remember",
    "What did we talk about in our last chat?",
    "what was in our previous conversation about tea", "What was the name in the last chat?",
    "what did I say and what did you suggest",
    "did you tell me what I said about tea?", "what did I mention about tea", "your advice on tea",
    "what do you recommend",
    "what did we decide about tea?", "my tea", "meine Tasse", "unser Tee", "tea", "hast du Tee gesagt",
    "was habe ich gesagt",
    "any tips on tea?", "I asked about tea", "help me with tea", "write a mail", "please write a mail",
    "can you write a mail",
    "I need to write a mail", "did I need to write a mail", "roll out the tea", "set up tea", "should I buy tea",
    "how do I brew tea", "remember to write a mail", "write what you said", "write what I said",
    "write what I said and you said",
    "list all the teas", "how many teas", "in what order", "give me a summary of the tea talks", "what about it",
    "what is the best tea", "would it be better", "I'm planning a trip", "bitte schreib eine Mail",
    "soll ich Tee kaufen",
    "last time we had tea", "show me how", "find me a tea", "all about our last chat",
    "what was the previous discussion on?",
)  # fmt: skip


def of_phrasing() -> Iterator[list[Any]]:
    """How questions are put: what is left of them, whose words they are about, and what they want."""
    for text in PUT:
        tests = (phrasing.questions_count, phrasing.is_about_several, phrasing.is_task)
        yield [text, phrasing.asked(text), phrasing.side(text), "".join(f"{test(text):d}" for test in tests)]


def of_times() -> Iterator[list[Any]]:
    """How well passages fit a time: what has ended, what was replaced, and what says that something is over."""
    found = [
        passage("x"),
        passage("we no longer use it"),
        *(passage("x", valid_from="2025-01-01", valid_to=day) for day in ("2026-03-04", "2026-03-05", "2026-03-06")),
        passage("x", path="memory:1", tier="memory", valid_from="2025-01-01", superseded_by="memory:2"),
        passage("x", path="memory:2", tier="memory", valid_from="2025-06-01", superseded_by="memory:3"),
        passage("x", path="memory:3", tier="memory", valid_from="2025-09-01"),
        passage("on 3 April 2025 it rained", date="2025-06-01"),
        passage("in April 2025 it rained", date="2025-06-01"),
        passage("from 1 April 2025 to 3 April 2025 it rained", date="2025-06-01"),
        *(passage("x", date=day) for day in ("2025-04-02", "2025-04-03", "2025-04-04", "2025-04-10", "2025-04-11")),
        *(passage("x", valid_from=day) for day in ("2025-04-02", "2025-04-03", "2025-04-04")),
        *(passage("x", valid_from="2025-01-01", valid_to=day) for day in ("2025-04-02", "2025-04-03", "2025-04-04")),
    ]
    for text in ("when did we stop using it", "what did we use before that", "what did we use at first",
    "what was on 3 April 2025",
                 "what did we use before 3 April 2025", "what happened since 3 April 2025", "what is it",
                 "what was about May 2025",
                 "what did we do in April 2025", "what will be on 1 May 2026", "what is on today",
                 "around 3 April 2025, what was it"):  # fmt: skip
        when = time_asked(text, TODAY)
        yield rounded(
            [
                text,
                when and when.relation,
                when and when.about,
                time_values(found, when, TODAY),
                widened(Where(), when, TODAY).held,
            ]
        )


# Results

KINDS = (("a.md", "note"), ("@logs/a.jsonl", "transcript"), ("memory:1", "memory"), ("experience:1", "experience"))
SCORES = (0.04, 0.05, 0.09, 0.1, 0.12, 0.149, 0.15, 0.2, 0.25, 0.3, 0.32, 0.33, 0.5, 0.9)


def result(draw: Draw, place: int) -> Ranked:
    path, tier = draw.one(KINDS)
    held = draw.one((0.0, 0.5, 0.999, 1.0))
    columns = draw.one(({"text": 1}, {"context": 1}, {"text": 1, "context": 2}))
    terms = (TermScore("tea", columns, held, draw.one((0.1, 0.8))),) if held else ()
    total, sure = draw.one(((None, None), (1.0, 0.4), (1.0, 0.4), (1.0, 0.4))) if place else (1.0, 0.4)
    told = Explanation(terms, (), 1, total=total, confidence=sure)
    found = passage("text", path=path, tier=tier, written=draw.one((None, "2025-05-05")))  # type: ignore[arg-type]
    return Ranked(Match(found, (), 1.0, place), draw.one(SCORES), told)


def of_results() -> Iterator[list[Any]]:
    for seed in range(200):
        draw = Draw(5000 + seed)
        found = sorted(
            (result(draw, place) for place in range(draw.one((0, 1, 2, 4, 6)))), key=lambda one: -one.score
        )
        if seed % 20 == 0 and found:
            found[0] = found[0]._replace(explanation=found[0].explanation._replace(confidence=None))
        made = cut(found, draw.one(("hybrid", "hybrid", "words", "vectors")), draw.one((None, None, None, 0.1, 0.3)))
        first = made.first(found, draw.one((1, 2)))
        kept = [[one.match.chunk for one in each.kept] for each in (made, first)]
        yield rounded([seed, kept, made.left_out, made.least, first.left_out, side_by_side(found)])


def hit(draw: Draw, place: int) -> Hit:
    path, tier = draw.one(KINDS)
    kind: Any = tier
    return Hit(
        id=f"{path}#{draw.one((1, 2))}",
        kind=kind,
        tier=kind,
        path=path,
        start_line=draw.one((1, 3)),
        end_line=draw.one((3, 5)),
        heading=(),
        date=draw.one((None, "2025-01-01")),
        score=1.0 - place / 10,
        snippet="x",
        explanation=Explanation((), (), 1),
    )


def recall(number: int, path: str, lines: tuple[int, int]) -> RecordedRecall:
    return given(number, path, lines, item=f"{path}#{1 + number}")


def of_hits() -> Iterator[list[Any]]:
    index = PlainIndex()
    for path, tier in KINDS:
        about = Note(f"Title of {path}", agent="codex", project="~/src/x", links=("b", "C.md "), aliases=("Ay",))
        entry = FileEntry(path, tier, digest=path, stamp=None)  # type: ignore[arg-type]
        chunk = Chunk("tea", 1, 1, (), path, date="2025-01-01")
        index.apply([Write(Indexed(entry=entry, note=about, day="2025-01-01", chunks=(chunk,)))])
    for seed in range(40):
        draw = Draw(6000 + seed)
        found = [hit(draw, place) for place in range(4)]
        recalls = [
            recall(n, draw.one(KINDS)[0], draw.one(((1, 1), (1, 3), (2, 2), (3, 4), (4, 4), (5, 6), (6, 6))))
            for n in range(draw.one((0, 1, 2)))
        ]
        where = narrowed(Where(paths=draw.one(((), ("a.md",), ("@logs",)))), recalls)
        grouped = [[one.id, one.passages] for one in by_conversation(found)]
        told = [[one.title, one.agent, one.project] for one in described(index, found)]
        given = [[one.id, one.start_line, [each.recall for each in one.given]] for one in marked(found, recalls)]
        ranks = [result(draw, place) for place in range(4)]
        days = [one.changed for one in with_days_of_files(found, ranks)]
        yield rounded([seed, grouped, told, where.paths, given, days])
    for seed in range(12):
        draw = Draw(6500 + seed)
        ranks = [result(draw, place) for place in range(5)]
        known = worths(
            [one.match for one in ranks], draw.one((None, lambda paths, _held: dict.fromkeys(paths[:1], 2.0)))
        )
        yield rounded([seed, known, [one.chunk for one in holding([one.match for one in ranks], known)],
                       [identifier(one.match.passage) for one in ranks]])  # fmt: skip


# Signals

TURNS = (
    "Where do I live?", "I live in Lisbon.", "We always run the tests before a release.", "Never deploy on a Friday.",
    "When I ask for flights, show aisle seats.", "where I live", "Lisbon?", "The release is on Friday. And you?",
    "I prefer short answers. " + "And so on. " * 60, "Never deploy on a Friday. " + "x" * 574,
    "Never deploy on a Friday. " + "x" * 575, "where do I", "do I live", "I live where, do I?",
    "live?" + "." * 27, "live?" + "." * 28, "Please run the release", "ok", "My brother lives in Porto.",
    "The harbor API listens on 9090.", "Harbor-admin lives in the cluster.", "Anna Berg lives in Ghent.",
    "Anna Keller said: I live here.", "x " * 160 + "Anna Berg lives in Ghent.",
)  # fmt: skip
QUERIES = (
    "Where do I live?", "Where does Anna Berg live?", "release the board", "What did you say about Lisbon?",
    "aisle seats?",
    "what is the port of harbor", "any ideas for dinner?", "which flights do I like?", "where does Anna live",
    "where does Bobby live", "where does Bo Ek live?", "where does fern live",
    "which database does this project use", "what did I ask about Lisbon?", "Nobody Known",
)  # fmt: skip
SPEAKERS = (None, "User", "Assistant", "Anna Berg")


def placed(draw: Draw, place: int) -> Passage:
    speaker = draw.one(SPEAKERS)
    text = draw.one(TURNS)
    if speaker is None:
        path = draw.one(
            ("people/Anna Berg.md", "me.md", "projects/harbor.md", "memory:3", "a.md", "x/Bo Ek.md", "x/fern.md")
        )
        title = path.rpartition("/")[2].removesuffix(".md")
        tier: Tier = "memory" if path.startswith("memory") else draw.one(("note", "experience"))
        return passage(text, path=path, tier=tier, title=title, line=place, project=draw.one((None, "harbor")),
                       headings=draw.one(((), ("Anna Keller",))))  # fmt: skip
    return passage(f"{speaker}: {text}", path=draw.one(("@logs/a.jsonl", "@logs/b.jsonl")), tier="transcript",
                   line=draw.one((1, 2, 3, 4, 5, 6)), speaker=speaker)  # fmt: skip


def of_signals() -> Iterator[list[Any]]:
    model = builtin()
    for seed in range(90):
        draw = Draw(7000 + seed)
        query = draw.one(QUERIES)
        found = [placed(draw, place) for place in range(5)]
        where = draw.one(
            (
                Where(),
                Where(projects=("harbor",)),
                Where(projects=("a", "b")),
                Where(bound_projects=("*/harbor", "x")),
            )
        )
        notes = {
            "people/Anna Berg.md": Note("Anna Berg", aliases=("Annie",), tags=("people",)),
            "x/Bo Ek.md": Note("Bo Ek", aliases=("Bobby",), tags=("person",)),
            "x/fern.md": Note("fern", tags=("project",)),
        }
        texts = [Placed(one.text, source_of(one, notes.get(one.path))) for one in found]
        asked = asked_subjects(query, where, texts)
        about = subject_signals(asked, texts)
        terms = terms_of(query.strip("?"))
        counts = [
            tuple((term.stem, draw.one(("text", "context", "heading")), 1) for term in terms if draw.chance(0.3))
            for _ in found
        ]
        nearest = signals.nearest_words(terms, [Match(one, counts[n], 5.0, n) for n, one in enumerate(found)], model)
        words = [term.word.lower() for term in terms]
        named = with_names(nearest, words, asked, about.subject)
        at_limits = with_names(nearest, words, asked, [0.9, -0.9, 0.89, -0.89, 0.0])
        stated = with_stated(
            named, words, query, StatedValues(draw.some((0.0, 0.2, 0.4, 1.0, -0.5), 5), about.subject)
        )
        weights = draw.some((0.0, 1.0, 3.0), len(words))
        before = Neighbour(1, draw.one(SPEAKERS), draw.chance(0.7)) if draw.chance(0.8) else None
        yield rounded(
            [
                seed,
                [
                    [one.name for one, _ in asked.shares],
                    [share for _, share in asked.shares],
                    asked.are_sure,
                    asked.of_person,
                ],
                asked.rest(query),
                project_of(where),
                about,
                about.among_relevant(draw.some((0.1, 0.3, 0.4, 0.74, 0.75, 0.76, 1.0), 5)),
                [
                    turns.asks(query, found),
                    turns.rules(query, found),
                    signals.sides(query, found),
                    signals.experience(query, found),
                ],
                [signals.answers_a_question(one, before) for one in found],
                [
                    signals.word_by_word(weights, one)
                    for one in (nearest.values, nearest.told, named.values, named.told, stated.values)
                ],
                [named.held.sum(), nearest.held.sum(), at_limits.held.sum(0), at_limits.told.sum(0)],
                coverage(words, weights, stated, model),
                attribute_of_statement(draw.one(TURNS), found),
            ]
        )
    for day in (None, "2026-03-05", "2026-03-06", "2026-02-03", "2020-01-01"):
        yield rounded([day, signals.freshness(day, TODAY, 30.0)])
    yield rounded(["no words", coverage([], [], nearest, model)])
    for texts_of in ([-1.0, 0.5, 0.9], [0.9, 0.0, 0.0]):
        yield rounded([texts_of, SubjectSignals(texts_of, [], [0.5, 0.5, 0.5]).among_relevant([1.0, 0.75, 0.74])])


def of_turns() -> Iterator[list[Any]]:
    for seed in range(80):
        draw = Draw(8000 + seed)
        count = draw.one((1, 3, 6, 9))
        chunks, place = [], 0
        for _ in range(count):
            place += draw.one((1, 1, 2, 4, 5))
            chunks.append(place)
        found = [
            passage(
                "x",
                path=draw.one(("@l/a.jsonl", "@l/a.jsonl", "@l/b.jsonl")),
                tier="transcript",
                line=draw.one((n, n, 1)),
                speaker=draw.one(("User", "User", "User", None)),
            )
            for n in range(count)
        ]
        sums = numpy.asarray(draw.some((0.0, 1.0, 1.5, 2.0, 7.0), count))
        yield rounded([seed, turns.nearby(chunks, found, sums), turns.before(found, sums)])
        mirrored = list(reversed(range(count)))
        yield rounded([seed, turns.nearby([chunks[n] for n in mirrored], [found[n] for n in mirrored], sums)])


# What is asked for

HELD = (
    "on floor", "on the floor", "on the big floor", "on the very big floor", "on the very very big floor",
    "floor two",
    "the shelf is near", "next to our old desk", "in May", "in Mays", "in Porto", "in the Porto", "from my Porto",
    "Porto is near",
    "went to Ana", "in Monday", "at home", "athome", "upstairs", "im Haus", "eu-west-1 is down", "see ~/src/x/y",
    "a/b", "a/b/c",
    "mail me@x.org", "the #team", "x#team", "my mother called", "our best friend", "the mother", "Ana called.",
    "Then Ana called.",
    "Ana. And so on", "Ana and Bo went", "We saw Ana", "We were in Ana", "at the Ana", "Never again", "- Ana left",
    "(Ana left)",
    "Say: Ana is here", "ana", "twelve eggs", "12 eggs", "x12", "a dozen", "free of charge", "for nothing",
    "gratis", "tomorrow",
    "in March", "march on", "in may", "at lunch", "in summer", "every other day", "at 9", "9:30", "3rd", "in 2024",
    "1 May 2024",
    "Mondays", "seit gestern", "Q3", "12.5.", "nothing of that kind", "Postgres is fast", "Nora", "", "at twelve",
    "under Ana",
    "Yesterday Ana left", "from the very first Porto", "She met Tom's", "Ana", "since when", "I moved to   Bern",
)  # fmt: skip
ASKING = (
    "Who left?", "Who is Ana?", "When was it?", "Where is it?", "How much is it?", "How many are there?",
    "What is it?", "Ana",
    "Where and when?", "how do I do it", "which steps", "What did we do?", "Which city?", "Who and why",
    "wie alt ist er", "",
)  # fmt: skip
STATED = (
    "Nora lives in Porto.", "- Nora lives in Porto.\n- Nora works at Helios.\n", "Nora works at Helios.",
    "Postgres 15",
    "Nora lives in Porto, works at Helios, was born on 4 May and drives a Volvo.", "the database", "",
    "Tea is green.",
    "- Tea is green.\n\n- harbor uses Postgres.\n", "1. harbor listens on 8443\n2. harbor uses MySQL",
    "harbor uses MySQL", "harbor uses CockroachDB",
    "- Nora works at Helios.\n- Nora drives a Volvo.\n- Tea is green.", "We stopped using MySQL.", "Nora's home",
    "Home: Porto",
    "- Where Nora lives is her own business.\n- Nora drives a Volvo.",
)  # fmt: skip
ABOUT: tuple[tuple[str, ...], ...] = (
    (),
    ("Database",),
    ("Database", "Nora"),
    ("Nora", "Home"),
    ("Database", "Ports", "Else"),
)
ASKED_FOR = (
    "Where does Nora live?", "Which database does harbor use?", "On which port is harbor?", "Which database?",
    "Where do I live?",
    "Which database keeps red boats?", "Which database keeps red boats safe?",
    "Which database keeps red boats safe today?",
    "Which database keeps red boats x?", "Which database keeps red ox yy?", "Which database keeps red boats of Anna?",
    "Which Anna database keeps red boats?", "Boats and databases keep red ox?",
    "Which database keeps red boats of anna?",
    "When did we stop using MySQL?", "What is green?", "what is my job",
    "Which database does my red boat use in Porto?", "",
)  # fmt: skip


class Crowded(PlainIndex):
    """An index in which every word stands so many times as often."""

    times = 1

    def statistics(self, terms: Sequence[Term]) -> Statistics:
        found = super().statistics(terms)
        return found._replace(frequencies={stem: self.times * count for stem, count in found.frequencies.items()})


def of_attributes() -> Iterator[list[Any]]:
    kinds: tuple[AnswerKind, ...] = ("number", "money", "time", "place", "person")
    for text in HELD:
        yield [
            text,
            [kind for kind in kinds if holds(kind, text, "Who is Bo?")],
            int(holds("person", text, "Is it Ana?")),
        ]
    for query in ASKING:
        told = [text for text in HELD if signals.cue(query)(text)]
        yield [
            query,
            kind_asked(query),
            asks_for_fact(query),
            told == [text for text in HELD if holds_what_is_asked(text, query)],
            len(told),
        ]
    tiers: tuple[Tier, ...] = ("note", "transcript")
    for query in ASKED_FOR:
        for tier in tiers:
            found = [
                passage(text, tier=tier, headings=above)
                for text in STATED
                for above in ABOUT[: 99 // (len(text) + 9)]
            ]
            yield [query, asks_of_person(query), " ".join(f"{value:.2g}" for value in attribute(query, found))]
    for statement_of in STATED:
        yield rounded([statement_of, attribute_of_statement(statement_of, [passage(text) for text in STATED])])
    index = Crowded()
    for number, text in enumerate([*STATED, *(f"Postgres and Oracle{' for tea' * n}" for n in range(24))]):
        entry = FileEntry(f"s{number}.md", "note", digest=text, stamp=None)
        chunks = (Chunk(text, 1, 1, (), f"s{number}"),)
        index.apply([Write(Indexed(entry=entry, note=Note(f"S {number}"), day="2026-01-01", chunks=chunks))])
    for times in (1, 20, 25, 37, 38, 500, 1000, 1001):
        index.times = times
        yield [
            times,
            [
                stating(index, query, where)
                for query in ASKED_FOR
                for where in (Where(), Where(paths=("s1.md", "s9.md")))
            ],
        ]
    words = ["which", "database", "does", "harbor", "use"]
    for about in (-1.0, -0.2, 0.0, 0.5):
        for held in (True, False):
            size = (len(words), 4)
            values = numpy.full(size, 0.3, numpy.float32)
            near = signals.NearestWords(values, values, numpy.full(size, held), numpy.full(4, 9))
            for measured in ([0.0, 0.0, 0.0, 0.0], [0.2, 0.4, 1.0, -0.5]):
                raised = with_stated(
                    near, words, "Which database does harbor use?", StatedValues(measured, [about] * 4)
                )
                yield rounded([about, held, raised.values])
    yield [with_stated(near, ["tea"], "tea", StatedValues([1.0] * 4, [1.0] * 4)) is near]


# In an index

TEXTS: tuple[tuple[str, Tier, str | None, str, dict[str, Any]], ...] = (
    ("a.md", "note", None, "green tea and migration", {"links": ("b",), "title": "Ay"}),
    ("b.md", "note", "2026-02-24", "green tea in Kanazawa", {"aliases": ("Bee",), "title": "B"}),
    ("folder/c.md", "note", "2026-02-25", "black tea", {"links": ("Bee", "folder/d"), "title": "Cee"}),
    ("folder/d.md", "note", None, "white tea", {"title": "Dee"}),
    ("h.md", "note", None, "an ox and the how and the why", {"title": "Aitch"}),
    ("i.md", "note", None, "the end", {"title": "Eye"}),
    ("f.md", "note", None, "red tea", {"links": ("c",), "title": "Eff"}),
    ("g.md", "note", None, "blue tea", {"links": ("folder", "md", "."), "title": "Gee"}),
    ("e.md", "note", "2026-02-26", "running database of the harbor", {"links": (" A.md ",), "title": "E"}),
    ("daily/2026-02-24.md", "daily", "2026-02-24", "- met Rui", {"title": "2026-02-24"}),
    ("daily/2026-02-25.md", "daily", "2026-02-25", "- met Ana", {"title": "2026-02-25"}),
    ("@l/a.jsonl", "transcript", "2026-02-24", "User: tea one", {"title": "Talk"}),
    ("@l/b.jsonl", "transcript", "2026-02-23", "User: tea two", {"title": "Talk"}),
    ("memory:1", "memory", "2026-02-25", "tea is served at five", {"title": "memory"}),
    ("memory:2", "memory", "2026-02-25", "tea tea tea is green", {"title": "memory"}),
    ("memory:3", "memory", "2026-02-25", "the harbor is green and served", {"title": "memory"}),
    ("episodes/e.md", "episodic", "2026-02-24", "A session about tea", {"title": "Session"}),
)  # fmt: skip


TYPED = (
    "green te", "tea kanaz", "kan", "ka", "migratio", "migrations", "migrationxyz", "migrationabcd",
    "migrationabcde", "teaxy", "teaxyz", "oxyy", "the how", "how tea", "how", "databas", "tea ", "the",
    "runnin", "tea teas", "green greenx", "runningabc", "runninga", "mig", "harbo harbor",
)  # fmt: skip


def filled() -> Crowded:
    index = Crowded()
    for path, tier, day, text, about in TEXTS:
        count = 4 if tier == "transcript" else 1
        chunks = tuple(
            Chunk(
                f"{text} {n}" if n else text,
                n + 1,
                n + 1,
                (),
                f"{path}{n}",
                speaker="User" if count > 1 else None,
                date=day,
            )
            for n in range(count)
        )
        entry = FileEntry(path, tier, digest=path, stamp=None)
        index.apply([Write(Indexed(entry=entry, note=Note(**about), day=day or "2026-01-01", chunks=chunks))])
    return index


def of_index() -> Iterator[list[Any]]:
    index = filled()
    for typed in TYPED:
        found = with_unfinished(queries.parse(typed, index.terms), typed, index)
        yield [typed, [[one.word, one.stem, one.prefix] for one in found.terms], list(found.notices)]
        for times in (10_000, 20_000, 20_001):
            index.times = times
            crowded = with_unfinished(queries.parse(typed, index.terms), typed, index)
            yield [typed, times, len(crowded.terms), list(crowded.notices)]
        index.times = 1
    everything = index.look_up([one.chunk for one in index.texts_after(0, 1000)], [])
    passages = [one.passage for one in everything]
    for seed in range(16):
        draw = Draw(9000 + seed)
        chosen = draw.some(passages, draw.one((2, 6, 14)))
        yield [seed, [int(value) for value in linked(index, chosen, list(range(len(chosen))))]]
    for text in ("last week", "on 24 February 2026", "in February", "yesterday"):
        when = only_time(text, TODAY)
        for limit in (3, 50):
            for where in (Where(), Where(kinds=("note",))):
                met = ranked(of_that_time(index, text, when.span, where, limit)) if when else ()
                yield rounded(
                    [
                        text,
                        limit,
                        [[one.match.passage.path, one.match.passage.start_line, one.score] for one in met],
                        met[0].explanation if met else "",
                    ]
                )
    words = ItemWords(
        index,
        "memory",
        {7: count_words(index, ItemText("tea and harbor tea", ("green",))), 8: count_words(index, ItemText("x"))},
    )
    for query in ("green tea", "harbor", "tea served five", "nothing", "te", "tea green harbor served five x and"):
        terms = words.terms(query)
        begun = [*terms[:-1], terms[-1]._replace(prefix=True)]
        for asked in (terms, begun):
            for said in (None, {1: ItemText("green green", ("harbor",)), 9: ItemText("tea")}):
                with words.fits(asked, said) as fits:
                    made = list(fits)
                best_ones = best_fits(sorted(made, key=lambda one: -one.most), 2, lambda number: number != 2)
                yield rounded([query, made, [one.number for one in best_ones]])
        for share in (0.1, 0.5, 0.6, 0.75, 1.0):
            yield [query, share, [term.stem for term in words.telling(terms, share)], sorted(words.stems(query))]
    fresh = ItemWords(
        PlainIndex(),
        "memory",
        {7: count_words(index, ItemText("tea harbor")), 8: count_words(index, ItemText("tea tea tea x"))},
    )
    with fresh.fits(fresh.terms("tea harbor")) as fits:
        yield rounded(["new", list(fits)])
    for seed in range(40):
        draw = Draw(9500 + seed)
        fits_of = sorted(draw.some((0.1, 0.4, 0.4, 0.8, 0.9), 8), reverse=True)
        many = [ItemFit(n, draw.one((fit_of, 0.1)), fit_of) for n, fit_of in enumerate(fits_of)]
        seen: list[int] = []

        def admits(number: int, seen: list[int] = seen) -> bool:
            seen.append(number)
            return number % 3 != 1

        chosen_ones = best_fits(many, draw.one((1, 2, 4)), admits)
        yield rounded([seed, [one.number for one in chosen_ones], seen])
    crowd = CrowdedItems()
    for number in range(1, 11):
        text = " ".join(f"w{n}" for n in range(number, 11))
        entry = FileEntry(f"memory:{number}", "memory", digest=text, stamp=None)
        chunks = (Chunk(text, 1, 1, (), text),)
        crowd.apply([Write(Indexed(entry=entry, note=Note("memory"), day="2026-01-01", chunks=chunks))])
    for times in (1, 50, 99, 100, 101, 167, 500):
        crowd.times = times
        for text in ("w1 w2 w3 w4 w5 w6 w7 w8 w9 w10", "w5 w6 z1 z2 z3", "w1 w9 w10", "z1 z2", ""):
            terms = crowd.terms(text)
            told = [ItemWords(crowd, "memory", {}).telling(terms, share / 10) for share in range(1, 11)]
            yield [times, text, [" ".join(term.stem for term in one) for one in told]]
    mixed = ItemWords(crowd, "memory", {30: count_words(crowd, ItemText("w1 w1 z1 z1 z1"))})
    yield [[term.stem for term in mixed.telling(crowd.terms("w1 w2 z1 z2"), share)] for share in (0.25, 0.5, 0.75)]


class CrowdedItems(PlainIndex):
    """An index in which so many times as many items hold each word."""

    times = 1

    def item_statistics(self, kind: MirroredKind, terms: Sequence[Term]) -> Statistics:
        found = super().item_statistics(kind, terms)
        return found._replace(frequencies={stem: self.times * count for stem, count in found.frequencies.items()})


# Memories

NOW = datetime.fromisoformat("2026-03-05T12:00:00+00:00")


def memory(draw: Draw, number: int) -> Memory:
    return Memory(
        id=number,
        content="tea",
        source=draw.one(("web", "web", "mail", "user")),
        trust=draw.one(TRUSTS),
        created_at=draw.one(("2026-03-01T00:00:00.000Z", "2025-09-01T00:00:00.000Z")),
        feedback=draw.one((0, 0, 3, -2)),
        hit_at=draw.one((None, "2026-03-04T00:00:00.000Z")),
        valid_from=draw.one((None, "2026-01-01")),
        valid_to=draw.one((None, "2026-02-01")),
    )


def of_memories() -> Iterator[list[Any]]:
    for seed in range(60):
        draw = Draw(10_000 + seed)
        known = {number: memory(draw, number) for number in range(1, 13)}
        most = sorted((draw.one((0.02, 0.1, 0.3, 0.3, 0.7, 0.9)) for _ in known), reverse=True)
        fits = [ItemFit(n, draw.one((bound, bound, bound / 8)), bound) for n, bound in zip(known, most, strict=True)]
        limit = draw.one((1, 2, 4, 7, 10))
        seen: list[int] = []

        def see(number: int, known: dict[int, Memory] = known, seen: list[int] = seen) -> Memory | None:
            seen.append(number)
            return known[number] if number % 5 else None

        found = best(fits, limit, most_useful=draw.one((1.0, 2.0)), see=see, now=NOW)
        every: list[RankedMemory] = [rank_memory(one, 0.5, NOW) for one in known.values()]
        limited = limit_sources(every, limit, memory_of)
        yield rounded(
            [
                seed,
                [[one.memory.id, one.score, one.worth, one.since, one.until] for one in found],
                seen,
                [one.memory.id for one in limited],
                [worth(one, NOW) for one in list(known.values())[:3]],
            ]
        )


EXTRACTED = "- 14:30 [extracted] I moved to {} in May. (fact, claude abc:{})"
DAILY = (
    EXTRACTED.format("Porto", 214), f"# 2026-02-24\n\n{EXTRACTED.format('Ghent', 9)}", "- plain", "- a\n- b",
    f"{EXTRACTED.format('Rome', 3)}\n- [extracted]", "- [extracted] of no form", EXTRACTED.format("Oslo", 5),
    EXTRACTED.format("Bern", 7).replace("claude", "log"),
)  # fmt: skip


def of_copies() -> Iterator[list[Any]]:
    match = Match(passage("x", valid_from="2025-01-01"), (("tea", "date", 1), ("tea", "text", 2)), 1.0)
    yield [[list(one.counts) for one in without_date_words([match, match._replace(passage=passage("x"))])]]
    for text in DAILY:
        for tier in ("daily", "note"):
            found = extracted_line(passage(text, tier=tier))
            yield [text, tier, found and list(found)]
    others = (
        passage("User: I moved", path="@claude/abc.jsonl", tier="transcript", line=214),
        passage("User: I moved", path="@claude/abc.jsonl", tier="transcript", line=10),
        passage("User: I moved", path="@codex/abc.jsonl", tier="transcript", line=9),
        passage("I moved to Oslo in May.", path="memory:1", tier="memory"),
        passage("I moved to Ghent in May.", path="a.md", line=9),
        passage("I moved", path="abc.md", line=7),
    )
    plain = [
        passage("- plain", tier="daily"),
        passage(DAILY[0]),
        passage("x", path="@claude/abc.jsonl", tier="transcript"),
    ]
    yield [len(without_copies([Ranked(Match(one, (), 1.0), 1.0, Explanation((), (), 1)) for one in plain]))]
    for count in range(len(others) + 1):
        texts = [*(passage(text, path="daily/x.md", tier="daily") for text in DAILY), *others[:count]]
        told = [Ranked(Match(one, (), 1.0, n), 1.0, Explanation((), (), 1)) for n, one in enumerate(texts)]
        yield [count, [one.match.chunk for one in without_copies(told)]]
        yield [count, [one.match.chunk for one in without_copies(told[1:6])]]


WAYS: dict[str, Callable[[], Iterator[list[Any]]]] = {
    "arrangements": of_arrangements,
    "comparisons": of_comparisons,
    "pairs": of_pairs,
    "newest": of_newest,
    "newer ones": of_newer_ones,
    "words": of_words,
    "queries": of_queries,
    "phrasing": of_phrasing,
    "times": of_times,
    "results": of_results,
    "hits": of_hits,
    "signals": of_signals,
    "turns": of_turns,
    "attributes": of_attributes,
    "index": of_index,
    "memories": of_memories,
    "copies": of_copies,
}


@pytest.mark.parametrize("way", WAYS)
def test_values_are_those_that_were_kept(way: str) -> None:
    kept = read_kept(KEPT)[way]
    check_kept([one[:1] for one in kept], list(WAYS[way]()), kept)


if __name__ == "__main__":
    write_kept(KEPT, {way: list(measure()) for way, measure in WAYS.items()})
