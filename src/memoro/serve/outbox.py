"""The service that sends what waits in the outbox of a shared ledger."""

from __future__ import annotations

from memoro.errors import MemoroError
from memoro.serve.services import ServiceContext

_LOOK_SECONDS = 5.0


class OutboxService:
    name = "outbox"

    def run(self, context: ServiceContext) -> None:
        if not context.workspace.settings.ledger.outbox:
            return
        from memoro.operations.waiting import send_waiting
        from memoro.store.opening import has_outbox

        told = ""
        while not context.stop.is_set():
            if has_outbox(context.workspace.home):
                try:
                    done = send_waiting(context.workspace)
                    failure = done.why or ""
                    if done.applied or done.refused:
                        context.reports.done(f"outbox: {done.applied} sent, {done.refused} refused")
                except MemoroError as error:
                    failure = str(error)
                if failure and failure != told:
                    context.reports.failed(f"outbox: {failure}")
                told = failure
            context.stop.wait(_LOOK_SECONDS)
