"""Writes a labelled collection as logs in a home of its own, which is then synced and searched as usual."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from memoro.evaluate.questions import LabelledTurn


class CollectionHome(NamedTuple):
    """The folders of a written collection, and the id of the turn at each line of each log."""

    home: Path
    vault: Path  # empty
    logs: Path
    ids: dict[tuple[str, int], str]


def prepare(folder: Path, turns: Iterable[LabelledTurn]) -> CollectionHome:
    """Write the sessions as logs below an empty folder. Nothing is indexed yet."""
    written = CollectionHome(home=folder / "home", vault=folder / "vault", logs=folder / "logs", ids={})
    for made in (written.logs, written.vault):
        made.mkdir()
    written.home.mkdir(mode=0o700)
    sessions: dict[str, list[LabelledTurn]] = defaultdict(list)
    for turn in turns:
        sessions[turn.session].append(turn)
    for session, in_session in sessions.items():
        path = path_of(session)
        written.ids.update(((path, line), turn.id) for line, turn in enumerate(in_session, 1))
        lines = "".join(json.dumps(_record(turn), ensure_ascii=False) + "\n" for turn in in_session)
        (written.logs / path.removeprefix("@logs/")).write_text(lines, encoding="utf-8")
    return written


def path_of(session: str) -> str:
    """Return the path by which a search names the log of a session."""
    return f"@logs/s-{re.sub(r'[^A-Za-z0-9_-]', '_', session)}.jsonl"


def _record(turn: LabelledTurn) -> dict[str, str | None]:
    record = {"role": "user", "content": turn.text, "timestamp": turn.date}
    if turn.speaker in ("user", "assistant"):
        return {**record, "role": turn.speaker}
    return {**record, "speaker": turn.speaker}
