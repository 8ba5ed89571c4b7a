"""Searches by words and meaning among some hundred passages find what they found when that was kept.

More passages fit than are looked at, so that every limit counts, and each result is kept with the parts of its score.
After a change that is meant, look at what moved, then keep the new results: `python -m tests.test_kept_searches`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy
import pytest

from memoro.model.answers import Held, Passage, Where
from memoro.model.notes import Chunk, FileEntry, Indexed, Note, Validity
from memoro.model.vocabulary import TRUSTS, Tier, Trust
from memoro.providers.builtin.model import builtin
from memoro.providers.calibration import OF_BUILTIN, UNMEASURED
from memoro.search.hybrid import search
from memoro.search.hybrid_query import HybridQuery, Meaning, WeightedSum
from memoro.search.past import understood, with_time
from memoro.search.rank import Ranked
from memoro.search.retrieve import IndexQuery, by_words, hits, identifier
from memoro.search.snippet import MAX_CHARACTERS
from memoro.store.changes import Write
from memoro.store.plain.vectors import PlainCache, PlainVectors
from memoro.store.ports import Index
from memoro.store.sqlite.engine import engine
from memoro.store.sqlite.home import SqliteIndexHome
from memoro.testing import HashEmbedder
from tests.kept import check_kept, read_kept, write_kept
from tests.test_kept_readings import PAIRS

KEPT = Path(__file__).parent / "data" / "kept_searches.json"
TODAY = date(2026, 3, 5)
SHOWN = 4  # of each answer, results that are kept with all their parts
TOPICS = ("the roof", "a ferry", "two kittens", "the invoice", "her garden", "the new lamp", "a broken bike", "jam")


def day(number: int) -> str:
    return (date(2024, 6, 1) + timedelta(days=(number * 37) % 600)).isoformat()


def files() -> Iterator[tuple[str, Tier, Note, list[Chunk]]]:
    """Answers as memories, experiences, notes, lines of days and turns of chats, and much else about one of them."""
    chats: dict[str, list[tuple[str, str]]] = {}
    for number, (question, answer) in enumerate(PAIRS):
        match number % 6:
            case 0:
                yield (
                    f"memory:{number + 1}",
                    "memory",
                    Note("memory", date=day(number)),
                    [Chunk(answer, 1, 1, (), f"m{number}")],
                )
            case 1:
                name = answer.split()[0].strip(".,'s")
                note = Note(name, tags=("people",), links=(PAIRS[number - 1][1].split()[0], "Nora"))
                yield f"people/{name} {number}.md", "note", note, [Chunk(answer, 3, 3, (name,), f"n{number}")]
            case 2:
                chats.setdefault(f"@logs/{number // 6 % 4}.jsonl", []).append((question, answer))
            case 3:
                lines = [
                    Chunk(f"- 09:1{n} {text}", n + 3, n + 3, (), f"d{number}{n}")
                    for n, text in enumerate((answer, "slept well"))
                ]
                yield f"daily/{day(number)}.md", "daily", Note(day(number), date=day(number)), lines
            case 4:
                yield (
                    f"experience:{number}",
                    "experience",
                    Note("experience"),
                    [Chunk(f"{question} {answer}", 1, 1, (), f"e{number}")],
                )
            case _:
                long = f"{answer} " + "It was told at length, with many words that say little. " * (number % 7)
                yield (
                    f"notes/{number}.md",
                    "note",
                    Note(f"Note {number}", date=day(number)),
                    [Chunk(long, 1, 9, ("Old",) if number % 4 == 1 else (), f"l{number}")],
                )
    for number, (path, said) in enumerate(chats.items()):
        turns = [
            one
            for question, answer in said
            for one in (("User", question), (("User", "Assistant")[number % 2], answer))
        ]
        if number == 3:
            turns = [("Ann", text) if place % 2 else ("Ben", text) for place, (_, text) in enumerate(turns)]
        chunks = [
            Chunk(f"{who}: {text}", n, n, (), f"{path}{n}", speaker=who, date=day(number + n))
            for n, (who, text) in enumerate(turns, 1)
        ]
        yield path, "transcript", Note("Talk", agent="codex"), chunks
    for number, (text, told) in enumerate(CHANGED):
        yield NEWER[number], "memory", Note("memory", date=told), [Chunk(text, 1, 1, (), f"c{number}")]
    for number, (who, text) in enumerate(TALK):
        chunk = Chunk(f"{who}: {text}", 1, 1, (), f"t{number}", speaker=who, date="2024-08-01")
        yield f"@talk/{number}.jsonl", "transcript", Note("Talk"), [chunk]
    for name, alias, text in (
        ("Zoe Quist", "Zuzu", "Lives by the sea."),
        ("Zed Olm", "Zorro", "Lives in the hills."),
    ):
        person = Note(name, aliases=(alias,), tags=("person",))
        yield f"persons/{name}.md", "note", person, [Chunk(text, 1, 1, (), name)]
    for number, text in enumerate(LONG):
        yield f"long/{number}.md", "note", Note(f"Long {number}"), [Chunk(text, 1, 9, (), f"long{number}")]
    for number in range(3):
        yield f"copies/{number}.md", "note", Note("Copy"), [Chunk("The pump is behind the shed.", 1, 1, (), "same")]
    for number in range(110):
        text = f"Nora talked about {TOPICS[number % 8]} and {TOPICS[(number * 3 + 1) % 8]} on walk {number}."
        yield f"walks/{number}.md", "note", Note(f"Walk {number}"), [Chunk(text, 1, 1, (), f"w{number}")]


CHANGED = (  # what something newer replaced, with its days
    ("The kiosk listens on port 9090.", "2024-07-01"),
    ("The kiosk went from port 9090 to 8443.", "2025-08-01"),
    ("The boiler runs at 60 degrees.", "2024-07-01"),
    ("The boiler went from 60 to 55 degrees.", "2025-08-01"),
    ("The heater always runs at 70 degrees.", "2024-07-01"),
    ("We launched the kiosk on 3 March 2025.", "2025-04-01"),
    ("The launch of the kiosk was a success.", "2025-03-10"),
    ("The launch of the kiosk is planned.", "2025-02-01"),
    ("Rui ran the kiosk.", "2024-09-01"),
    ("Ines ran the kiosk after the launch.", "2025-05-01"),
    ("The regatta was yesterday.", "2025-07-08"),
    ("The fair was on 4 May 2025 and on 6 May 2025.", "2025-05-09"),
    ("The heater went from 70 to 65 degrees.", "2025-08-01"),
    ("The cooler always runs at 8 degrees.", "2024-07-01"),
    ("The cooler went from 8 to 6 degrees.", "2025-08-01"),
    ("The mixer always runs at 300 turns.", "2024-07-01"),
    ("The mixer went from 300 to 250 turns.", "2025-08-01"),
)

NEWER = tuple(f"memory:{901 + number}" for number in range(len(CHANGED)))


def of_length(text: str, length: int) -> str:
    """The text with a word more, so that the turn has so many characters."""
    return f"{text} {'o' * (length - len(text) - 1)}"


TALK = (
    ("Ann", "The heater runs at 70 degrees, as it does in every winter at the lighthouse."),
    ("User", of_length("The cooler runs at 8 degrees, as it always does", 300 - len("User: "))),
    ("User", of_length("The mixer runs at 300 turns, as it always does", 301 - len("User: "))),
    ("Assistant", "The kiosk listens on port 9090."),
)
FILLER = "Nothing of note is told here, and it goes on and on. "
LONG = (  # as long as a result shows whole, and longer, with the word that is looked for far down
    *(of_length(f"{FILLER * 8}The marzipan is in the cellar", size) for size in (MAX_CHARACTERS - 1, MAX_CHARACTERS)),
    of_length(f"{FILLER * 8}The marzipan is in the cellar", MAX_CHARACTERS + 1),
    f"{FILLER * 20}The marzipan is in the cellar. {FILLER * 5}",
    f"{FILLER * 20}Das Marzipan liegt im Keller, für später. {FILLER * 5}",
    f"{'これは長い話です。' * 90}朝食は七時半からです。{'これは長い話です。' * 20}",
    f"{FILLER * 20}The marzipanFactory is in the cellar. {FILLER * 5}",
)
ENDS = ((), (), ("2025-11-01", "memory:7"), ("2026-01-01",))  # of memories: the last day, and what took their place


Home = tuple[Index, Meaning]


def made(folder: Path) -> Home:
    index, model = SqliteIndexHome(str(folder), engine(str(folder))).first(), builtin()
    writes = []
    for number, (path, tier, note, chunks) in enumerate(files()):
        entry = FileEntry(path, tier, digest=path, stamp=None)
        ends = ENDS[number % 4] if path not in NEWER else ()
        first = note.date if path in NEWER and note.date else day(number)
        validity = Validity(first, *ends) if tier == "memory" else None
        dated = tuple(chunk._replace(date=chunk.date or note.date) for chunk in chunks)
        indexed = Indexed(entry=entry, note=note, day=note.date or "2025-01-01", chunks=dated, validity=validity)
        writes.append(Write(indexed._replace(listed=validity is None or validity.last is None)))
    index.apply(writes)
    texts = index.texts_after(0, 10_000)
    exact = model.embed([one.text for one in texts])
    vectors, cache = PlainVectors(exact.shape[1]), PlainCache()
    vectors.append([one.chunk for one in texts], (numpy.round(exact * 40) / 40).astype(numpy.float32))
    cache.put(str(model.space), {one.digest: row for one, row in zip(texts[::2], exact[::2], strict=True)})
    meaning = Meaning(
        embedder=model,
        calibration=OF_BUILTIN,
        word_model=model,
        vectors=vectors,
        cache=cache,
        today=TODAY,
        half_life_days=90.0,
        standing=standing,
        trusts=trusts,
    )
    return index, meaning


def standing(paths: Sequence[str], _held: Held | None) -> dict[str, float]:
    """All but some hold, and some are worth more than others."""
    return {path: (0.5, 1.0, 3.0)[len(path) % 3] for path in paths if not path.endswith("3") or path in NEWER}


def trusts(paths: Sequence[str]) -> dict[str, Trust]:
    numbers = {path: int(path.rpartition(":")[2]) for path in paths}
    return {
        path: "user_confirmed" if number > 900 else TRUSTS[number % len(TRUSTS)] for path, number in numbers.items()
    }


def without_walks(_index: Index, passages: Sequence[Passage]) -> list[Passage | None]:
    return [None if one.path.startswith("walks/") else one for one in passages]


def with_ends(_index: Index, passages: Sequence[Passage]) -> list[Passage | None]:
    """The ledger knows of memories that took the place of what was said in conversations."""
    return [
        one._replace(
            valid_from="2024-01-01", valid_to="2025-06-01", superseded_by=f"memory:{1 + 6 * (one.start_line % 5)}"
        )
        if one.speaker
        else one
        for one in passages
    ]


QUERIES: tuple[tuple[str, dict[str, Any]], ...] = (
    *((question, {}) for question, _ in PAIRS[::8]),
    ("What did Nora talk about?", {}), ("What did Nora talk about?", {"limit": 45}), ("Nora", {"limit": 70}),
    ("Nora talked about jam", {"asks": False}), ("Nora talked about jam", {"asks": False, "limit": 30}),
    ("Nora and the ferry", {"words": False}), ("Nora and the ferry", {"words": False, "limit": 50}),
    *((question, {"words": False}) for question, _ in PAIRS[5::30]),
    ("Nora lives in Bern", {"asks": False}), ("atlas listens on 80", {"asks": False, "limit": 4}),
    ("any suggestions for a gift for Nora?", {}), ("What did I ask about harbor?", {}),
    ("Did Ben talk about Priya?", {}),
    *((question, {"limit": 3}) for question, _ in PAIRS[20::24]), *((question, {}) for question, _ in PAIRS[2::36]),
    ("harb", {}), ("Nora and kitt", {}),
    ("List all that I told about harbor", {"where": Where(kinds=("transcript",))}),
    ("How many ports are there in total?", {"where": Where(kinds=("transcript",))}), ("uwvx", {}), ("Nora uwvx", {}),

      *((f"{text}?", {}) for text in ("Which port does the kiosk listen on",
      "At how many degrees does the boiler run")),
    *((text, {"asks": False}) for text in ("The kiosk listens on port 9090.", "The boiler runs at 60 degrees.")),
    *((f"{text}?", {"words": False}) for text in ("Which port does the kiosk listen on", "How warm is the boiler")),
    *((f"{text.partition(',')[0]} {text.split()[-1]}", {}) for _, text in TALK[:3]), ("the pump behind the shed", {}),
    ("the pump behind the shed", {"limit": 90}),
    *((f"Which kiosk did Rui run {when}?", {}) for when in (
        "before the launch of the kiosk", "after the launch of the kiosk", "before the regatta",
        "after the regatta", "before the fair",
        "before the zeppelin landed", "after the zeppelin landed", "before 2025", "until the launch",
    )),
    ("Which kiosk did Rui run before the launch of the kiosk?", {"where": Where(held=Held("2024-01-01",
    "2024-12-31"))}),
    ("When did we stop using MySQL?", {}), ("When did Rui leave the kiosk?", {}),
    ("Where is the marzipan?", {}), ("朝食は何時から", {}), ("marzipan cellar", {"limit": 3}), ("factory", {}),
    ("Where does Zuzu live?", {}), ("Where does Zorro live?", {}),
    ("The heater runs at which degrees", {}), ("The cooler runs at 8 degrees, as it always does?", {}),
    ("The mixer runs at 300 turns, as it always does?", {}), ("What did you say about the port of the kiosk?", {}),
    ("List all ports of the kiosk", {}), ("Which port did the kiosk have before that?", {}),
    ("Where did Nora live in 2025?", {}), ("Where did Nora live before May 2025?", {}),
    ("Where did I work last summer?", {}),
    ("Which database did atlas use at first?", {}), ("Who was the customer of atlas before that?", {}),
    ("What did I stop using?", {}), ("What happened after the move of Nora?", {}),
    ("What did I do before I married Olga?", {}),
    ("How long since Priya tore a ligament?", {}), ("Where do I live?", {"where": Where(projects=("harbor",))}),
    ("What did you say about harbor?", {}), ("How many walks did Nora take, all of them?", {}),
    ("Can you remind me of the port of atlas?", {}),
    ("kittens", {"certain": ("notes/5.md", "experience:4")}), ("zzzz qqqq", {}), ("", {}),
    ("harb", {"unfinished": True}),
    ("a walk with jam", {"admits": without_walks}), ("jam", {"where": Where(kinds=("memory",))}),
    ("Which database does harbor use?", {"admits": with_ends}), ("Where does Nora live?", {"admits": with_ends}),
    ("Which database does harbor use?", {"admits": with_ends, "where": Where(kinds=("transcript",))}),
    ("Which port had harbor in 2025?", {"admits": with_ends}),
    ("harbor uses Postgres", {"admits": with_ends, "asks": False}),
    ("Nora jam", {"where": Where(unlisted=True)}), ("Which port?", {"as_of": date(2025, 1, 1)}),
    ("Wo wohnt Jonas jetzt?", {}), ("write a mail to Nora", {}), ("What did Ann say about Priya?", {}),
    ("Nora jam", {"where": Where(held=Held("2024-01-01", "2025-01-01", only=True))}),
)  # fmt: skip
WEIGHTED = (WeightedSum(0.7, 0.5, 0.35), WeightedSum(0.0, 0.0, 0.1), WeightedSum(0.2, 0.8, 0.05))


def asked(text: str, options: dict[str, Any]) -> HybridQuery:
    return HybridQuery(text, **{"where": Where(), "limit": 8, "words": True, **options})


def shown(found: Sequence[Ranked]) -> list[Any]:
    first = [
        [
            one.match.passage.path,
            one.match.passage.start_line,
            round(one.score, 3),
            round(one.explanation.total or 0.0, 3),
            one.explanation.vector_rank or 0,
            [round(value, 3) for value in one.explanation.evidence or ()],
            {part.name: [round(part.value, 3), round(part.share, 3)] for part in one.explanation.parts},
            list(one.replaced_by) if one.replaced_by else "",
            one.explanation.newer_than or "",
            [round(value, 3) for value in one.explanation.own or ()],
        ]
        for one in found[:SHOWN]
    ]
    return [*first, " ".join(f"{one.match.chunk}" for one in found[SHOWN:])]


def of_meaning(index: Index, meaning: Meaning) -> Iterator[list[Any]]:
    for text, options in QUERIES:
        question = asked(text, options)
        question = with_time(index, question, meaning) if question.asks and "as_of" not in options else question
        found = search(index, question, meaning)
        told = {stem: round(value, 3) for stem, value in found.information.items()}
        newer = [one.replaced_by.text for one in hits(index, found.ranked, str.upper) if one.replaced_by]
        yield [text, newer, list(found.notices), list(understood(question.when) or ()), told, *shown(found.ranked)]


def of_weights(index: Index, meaning: Meaning) -> Iterator[list[Any]]:
    for weights in WEIGHTED:
        for text, options in QUERIES[2:30:5]:
            found = search(index, asked(text, options), meaning._replace(weighted=weights))
            yield [text, *shown(found.ranked)]
    other = HashEmbedder()
    texts = index.texts_after(0, 10_000)
    vectors = PlainVectors(other.space.dimensions)
    vectors.append([one.chunk for one in texts], other.embed([one.text for one in texts], "document"))
    unmeasured = meaning._replace(embedder=other, calibration=UNMEASURED, vectors=vectors, cache=None, trusts=None)
    for text, options in QUERIES[4:40:6]:
        yield [text, *shown(search(index, asked(text, options), unmeasured).ranked)]


def of_words(index: Index, meaning: Meaning) -> Iterator[list[Any]]:
    for text, options in QUERIES:
        where, admits = options.get("where", Where()), options.get("admits")
        question = IndexQuery(text, where, 5, "words", unfinished="unfinished" in options, admits=admits)
        found = by_words(index, question, 3, meaning.standing)
        told = [[identifier(one.match.passage), round(one.score, 3)] for one in found.ranked]
        snippets = [[len(one.snippet), one.snippet[:9]] for one in hits(index, found.ranked, str.swapcase)]
        yield [text, told, snippets, {stem: round(value, 2) for stem, value in found.information.items()}]


WAYS = {"meaning": of_meaning, "weights": of_weights, "words": of_words}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return made(tmp_path_factory.mktemp("kept"))


@pytest.mark.parametrize("way", WAYS)
def test_results_are_those_that_were_kept(way: str, home: Home) -> None:
    kept = read_kept(KEPT)[way]
    check_kept([one[:1] for one in kept], list(WAYS[way](*home)), kept)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        opened = made(Path(place))
        write_kept(KEPT, {way: list(find(*opened)) for way, find in WAYS.items()})
