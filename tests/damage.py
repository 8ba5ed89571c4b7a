"""Ways to damage a database file."""

from __future__ import annotations

import os
import random
from pathlib import Path

from tests.raw_sqlite import make_foreign, root_page

PAGE = 4096


def overwrite(file: Path, at: int, data: bytes) -> None:
    with file.open("r+b") as handle:
        handle.seek(at)
        handle.write(data)


def flip(file: Path, rng: random.Random, *, low: int = 0, high: int | None = None) -> None:
    """Damage one place: a bit, a byte, a short run of zeros, or garbage up to a page long."""
    data = file.read_bytes()
    at = rng.randrange(low, high or len(data))
    match rng.randrange(5):
        case 0 | 1:
            overwrite(file, at, bytes([data[at] ^ (1 << rng.randrange(8))]))
        case 2:
            overwrite(file, at, bytes([data[at] ^ rng.randrange(1, 256)]))
        case 3:
            overwrite(file, at, bytes(min(64, len(data) - at)))
        case _:
            overwrite(file, at, rng.randbytes(min(rng.choice([16, 512, PAGE]), len(data) - at)))


def overwrite_table(file: Path, table: str, at: int, data: bytes) -> None:
    """Damage the first page of a table or an index, from this byte of the page on."""
    overwrite(file, (root_page(file, table) - 1) * PAGE + at, data)


def empty(file: Path, _: random.Random) -> None:
    file.write_bytes(b"")


def cut(file: Path, rng: random.Random) -> None:
    os.truncate(file, rng.randrange(file.stat().st_size))


def cut_at_a_page(file: Path, rng: random.Random) -> None:
    os.truncate(file, PAGE * rng.randrange(file.stat().st_size // PAGE))


def garbage(file: Path, rng: random.Random) -> None:
    file.write_bytes(rng.randbytes(file.stat().st_size))


def garbage_with_a_good_header(file: Path, rng: random.Random) -> None:
    data = file.read_bytes()
    file.write_bytes(data[:100] + rng.randbytes(len(data) - 100))


def text(file: Path, _: random.Random) -> None:
    file.write_text("This is no database, and it never was one.\n" * 1000)


def another_database(file: Path, _: random.Random) -> None:
    file.unlink()
    make_foreign(file)
