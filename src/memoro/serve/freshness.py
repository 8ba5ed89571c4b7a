"""The part that keeps the index fresh: it watches the folders, and syncs when it is time."""

from __future__ import annotations

from memoro.errors import MemoroError
from memoro.index.sync import Report
from memoro.model.notes import files_said
from memoro.serve.parts import Room


class Freshness:
    name = "freshness"

    def run(self, room: Room) -> None:
        said: list[str] = []  # the failure that was told last, so that it is told once

        def heard(reason: str, result: Report | MemoroError) -> None:
            if isinstance(result, MemoroError):
                if said != [str(result)]:
                    said[:] = [str(result)]
                    room.complain(str(result))
                return
            said.clear()
            if what := done(result):
                room.tell(f"{reason}: {what}")

        room.workspace.watch(room.stop, heard)


def done(report: Report) -> str:
    """What a sync did, in a line; empty where it found nothing to do."""
    counts = {"added": report.added, "changed": report.changed, "moved": report.moved, "gone": report.hidden}
    parts = [f"{count} {word}" for word, count in counts.items() if count]
    if report.rebuilt:
        parts.append(f"index rebuilt ({report.rebuilt})")
    return f"{', '.join(parts)}; {files_said(report.files, report.transcripts)}" if parts else ""
