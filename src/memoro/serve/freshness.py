"""The part that keeps the index fresh: it watches the folders, and syncs when it is time."""

from __future__ import annotations

from memoro.errors import MemoroError
from memoro.index.report import Report
from memoro.model.notes import files_said
from memoro.serve.parts import Room

EVENTS = "file events"


class Freshness:
    name = "freshness"

    def run(self, room: Room) -> None:
        if room.workspace.settings.vault.path is None and room.workspace.has_ledger():
            room.watching("nothing: no vault is set, and there are only memories")
            return
        _Following(room).run()


class _Following:
    def __init__(self, room: Room) -> None:
        self._room = room
        self._said = ""  # the failure that was told last, so that it is told once

    def run(self) -> None:
        self._room.watching(EVENTS)
        self._room.workspace.watch(self._room.stop, self._heard, self._noticed)

    def _heard(self, trigger: str, result: Report | MemoroError) -> None:
        if isinstance(result, MemoroError):
            if self._said != str(result):
                self._said = str(result)
                self._room.complain(self._said)
            return
        self._said = ""
        if what := done(result):
            self._room.tell(f"{trigger}: {what}")

    def _noticed(self, why: str | None) -> None:
        self._room.watching(f"polling: {why}" if why else EVENTS)
        self._room.notice(f"polling: {why}; looking every few seconds instead" if why else "file events work again")


def done(report: Report) -> str:
    """What a sync did, in a line; empty where it found nothing to do."""
    counts = {"added": report.added, "changed": report.changed, "moved": report.moved, "gone": report.hidden}
    parts = [f"{count} {word}" for word, count in counts.items() if count]
    if report.rebuilt:
        parts.append(f"index rebuilt ({report.rebuilt})")
    return f"{', '.join(parts)}; {files_said(report.files, report.transcripts)}" if parts else ""
