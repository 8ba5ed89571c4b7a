"""Notes in plain English about other things, for a question to find its own note among."""

from __future__ import annotations

import random
from pathlib import Path

_SENTENCES = Path(__file__).parent / "data" / "filler.txt"
_NAMES = {
    "person": "Agnes, Bertil, Chiara, Dmitri, Eszter, Farid, Gudrun, Hamid, Ines, Jarek, Kaia, Luca, Maren, Nils",
    "town": "Aldermoor, Brackwater, Coldhurst, Dunmere, Eastry, Fernholt, Glenhaven, Hartsea, Ivelow, Oakfen",
    "street": "Bell Lane, Cooper Street, Fish Row, Canal Road, Lime Walk, Dyer Street, Quarry Hill",
    "day": "Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday",
    "month": "January, February, March, April, May, June, July, August, September, October, November, December",
}
_SLOTS = {f"{{{slot}}}": names.split(", ") for slot, names in _NAMES.items()}


def write_notes(folder: Path, count: int, *, seed: int = 1) -> None:
    """Put as many notes of two to five sentences into the folder, the same on every machine."""
    rng = random.Random(seed)
    every = sentences()
    for number in range(count):
        text = " ".join(filled(sentence, rng) for sentence in rng.sample(every, rng.randint(2, 5)))
        file = folder / f"other{number % 40:02}" / f"note{number:05}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + "\n", encoding="utf-8")


def sentences() -> list[str]:
    """The sentences, with places for names."""
    return _SENTENCES.read_text(encoding="utf-8").splitlines()


def filled(sentence: str, rng: random.Random) -> str:
    for slot, values in _SLOTS.items():
        sentence = sentence.replace(slot, rng.choice(values))
    return sentence
