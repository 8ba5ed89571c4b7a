"""The service of `memoro serve` that writes what hooks have spooled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoro.errors import MemoroError

if TYPE_CHECKING:
    from memoro.serve.services import ServiceContext

_SECONDS = 2.0  # between two checks of the spool


class CaptureService:
    name = "hooks"

    def run(self, context: ServiceContext) -> None:
        from memoro.hooks.capture import write_captures

        reported = ""  # the failure that was reported last, so that each is reported once
        while not context.stop.wait(_SECONDS):
            try:
                count = write_captures(context.workspace)
            except MemoroError as error:
                if str(error) != reported:
                    context.reports.failed(f"hooks: {error}")
                    reported = str(error)
            else:
                if count:
                    context.reports.done(f"hooks: {count} event{'s' if count != 1 else ''} written down")
