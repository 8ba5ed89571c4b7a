"""A labelled collection as a home of its own: sessions become transcripts, and enter by the ordinary door."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from memoro.evaluate.questions import Turn


class Place(NamedTuple):
    """Where a collection was put, and which turn stands at which line of which transcript."""

    home: Path
    vault: Path  # empty
    logs: Path
    ids: dict[tuple[str, int], str]


def prepare(folder: Path, turns: Iterable[Turn]) -> Place:
    """Write the sessions as transcripts below an empty folder. Nothing is indexed yet."""
    place = Place(folder / "home", folder / "vault", folder / "logs", {})
    for made in (place.logs, place.vault):
        made.mkdir()
    place.home.mkdir(mode=0o700)
    sessions: dict[str, list[Turn]] = defaultdict(list)
    for turn in turns:
        sessions[turn.session].append(turn)
    for session, said in sessions.items():
        path = path_of(session)
        place.ids.update(((path, line), turn.id) for line, turn in enumerate(said, 1))
        lines = "".join(json.dumps(_record(turn), ensure_ascii=False) + "\n" for turn in said)
        (place.logs / path.removeprefix("@logs/")).write_text(lines, encoding="utf-8")
    return place


def path_of(session: str) -> str:
    """The transcript of a session, as a search names it."""
    return f"@logs/s-{re.sub(r'[^A-Za-z0-9_-]', '_', session)}.jsonl"


def _record(turn: Turn) -> dict[str, str | None]:
    record = {"role": "user", "content": turn.text, "timestamp": turn.date}
    if turn.speaker in ("user", "assistant"):
        return {**record, "role": turn.speaker}
    return {**record, "speaker": turn.speaker}
