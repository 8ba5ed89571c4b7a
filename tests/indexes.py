"""What an index says, so that two can be compared, and vaults that give it something to do."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import memoro
from memoro.model.answers import Hit
from memoro.store.sqlite.engine import engine
from memoro.store.sqlite.generations import Generations
from memoro.store.sqlite.home import SqliteIndexHome
from tests.raw_sqlite import index_rows

_letters = random.Random(7)
WORDS = tuple(
    "".join(_letters.choice("bcdfgklmnprstv") + _letters.choice("aeiou") for _ in range(_letters.randint(2, 4)))
    for _ in range(600)
)
QUERIES = (
    *(" ".join(_letters.choices(WORDS, k=size)) for size in (1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 8)),
    "what did we decide about the release",
    "Grüße aus Köln",
    "記憶",
    "tag:no such thing",
    "2026-03-03",
    "march tuesday",
    '"quoted" OR NEAR(*)',
    "snake_case readFileSync",
    "nothing-holds-this-word",
)


class Said(NamedTuple):
    """All that an index says about visible notes; row numbers, stamps and hidden files are not part of it."""

    files: list[tuple[object, ...]]
    chunks: list[tuple[object, ...]]
    tags: list[tuple[object, ...]]
    words: list[tuple[object, ...]]


def said(home: Path) -> Said:
    rows = index_rows(home)
    visible = {path for path, *_ in rows["files"]}
    return Said(**{**rows, "tags": [row for row in rows["tags"] if row[0] in visible]})


def complaints(home: Path) -> list[str]:
    """What the integrity check of the current index says; nothing where there is no index yet."""
    indexes = SqliteIndexHome(str(home), engine(str(home)))
    try:
        index = indexes.current()
        return index.check() if index else []
    finally:
        indexes.close()


def fresh(vault: Path, home: Path) -> Said:
    """What an index says that is built from nothing, in a home of its own."""
    shutil.rmtree(home, ignore_errors=True)
    with memoro.open(home, vault) as m:
        m.sync()
    return said(home)


def answers(home: Path, vault: Path, queries: Iterable[str] = QUERIES) -> list[tuple[Hit, ...]]:
    """The whole of every answer: order, ids, lines, snippets, scores and how they came about."""
    with memoro.open(home, vault) as m:
        return [m.search(query, limit=10, mode="words").results for query in queries]


def leftovers(home: Path) -> set[str]:
    """Files in a closed home that belong to no index in use."""
    current = Generations(str(home)).current()
    belong = {f"index.{current}.db", f"index.{current}.lock", "embeddings.db"}
    belong |= {"sync.lock", "write.lock", "vectors.lock", "memoro.toml"}
    belong |= {file.name for file in home.glob("vectors-*.lock")}
    vectors = re.compile(rf"(index\.{current}\.vectors-[0-9a-f]{{8}}\.(?:rows|scales|chunks|sums))(?:-(\d+))?")
    found = [found for file in home.iterdir() if (found := vectors.fullmatch(file.name))]
    newest = {name: max(int(one[2] or 0) for one in found if one[1] == name) for name in {one[1] for one in found}}
    belong |= {one[0] for one in found if int(one[2] or 0) == newest[one[1]]}  # files are written anew under a number
    return {file.name for file in home.iterdir()} - belong


def make_vault(folder: Path, count: int, seed: int = 1) -> Path:
    rng = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        write_note(folder / _place(number), rng)
    return folder


def write_note(file: Path, rng: random.Random) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(note(rng), encoding="utf-8")


def note(rng: random.Random) -> str:
    parts = [f"# {rng.choice(WORDS)} {rng.choice(WORDS)}\n\n"]
    if rng.random() < 0.3:
        parts.insert(
            0, f"---\ntags: [{rng.choice(WORDS)}, {rng.choice(WORDS)}]\ndate: 2026-03-0{rng.randint(1, 9)}\n---\n"
        )
    for _ in range(rng.randint(2, 6)):
        words = " ".join(rng.choices(WORDS, k=rng.randint(20, 90)))
        extra = rng.choice(
            ["", "readFileSync and snake_case", "記憶は力なり", "Grüße aus Köln", f"#{rng.choice(WORDS)}"]
        )
        parts.append(f"## {rng.choice(WORDS)}\n\n{words} {extra}\n\n")
    return "".join(parts)


def change_vault(vault: Path, rng: random.Random, *, edits: int = 60, few: int = 8) -> None:
    """Edit many notes; add, delete and rename a few, below what the brake calls an accident."""
    notes = sorted(vault.rglob("*.md"))
    rng.shuffle(notes)
    for file in notes[:edits]:
        write_note(file, rng)
    for file in notes[edits : edits + few]:
        file.unlink()
    for file in notes[edits + few : edits + 2 * few]:
        file.rename(file.with_name(f"renamed-{rng.randrange(10**9)}.md"))
    for _ in range(few):
        write_note(vault / "new" / f"{rng.randrange(10**9)}.md", rng)


def _place(number: int) -> str:
    match number % 5:
        case 0:
            return f"daily/2026-{number // 5 % 12 + 1:02}-{number // 60 % 28 + 1:02}-{number}.md"
        case 1:
            return f"projects/p{number % 7}/note {number}.md"
        case _:
            return f"note-{number}.md"
