"""The service that keeps the index fresh: it watches the folders, and syncs after changes."""

from __future__ import annotations

from memoro.errors import MemoroError
from memoro.index.report import Report
from memoro.model.notes import count_in_words
from memoro.serve.services import Reports, ServiceContext

EVENTS = "file events"


class SyncService:
    name = "freshness"

    def run(self, context: ServiceContext) -> None:
        workspace, reports = context.workspace, context.reports
        if workspace.settings.vault.path is None and workspace.has_ledger():
            unset = workspace.indexing.notes_without_vault()
            reports.watching(f"nothing: no vault is set{'' if unset else ', and there are only memories'}")
            if unset:
                reports.failed(str(unset))
            return
        reports.watching(EVENTS)
        sync_reports = _SyncReports(reports)
        workspace.watch(context.stop, sync_reports.on_sync, sync_reports.on_polling)


class _SyncReports:
    """Reports each sync that changed the index, and each failure once."""

    def __init__(self, reports: Reports) -> None:
        self._reports = reports
        self._last_failure = ""

    def on_sync(self, trigger: str, result: Report | MemoroError) -> None:
        failure = str(result) if isinstance(result, MemoroError) else " ".join(result.degraded)
        if failure and failure != self._last_failure:
            self._reports.failed(failure)
        self._last_failure = failure
        if isinstance(result, Report) and (line := summary(result)):
            self._reports.done(f"{trigger}: {line}")

    def on_polling(self, why: str | None) -> None:
        """`why` is the reason that there are no file events; None once there are again."""
        self._reports.watching(f"polling: {why}" if why else EVENTS)
        line = f"polling: {why}; looking every few seconds instead" if why else "file events work again"
        self._reports.notice(line)


def summary(report: Report) -> str:
    """Return what a sync did, in a line; empty if it changed nothing."""
    counts = {"added": report.added, "changed": report.changed, "moved": report.moved, "gone": report.hidden}
    parts = [f"{count} {word}" for word, count in counts.items() if count]
    if report.rebuilt:
        parts.append(f"index rebuilt ({report.rebuilt})")
    return f"{', '.join(parts)}; {count_in_words(report.files, report.transcripts)}" if parts else ""
