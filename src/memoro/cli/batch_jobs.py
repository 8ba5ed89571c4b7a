"""The views of `memoro provider jobs`, `cancel` and `resume`: what a person sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoro.cli.command import command
from memoro.cli.lines import say
from memoro.cli.show import printable
from memoro.model.local_time import local
from memoro.model.notes import counted
from memoro.operations.batch_jobs import CANCEL, JOBS, RESUME, ListJobs
from memoro.providers.prices import in_dollars

if TYPE_CHECKING:
    from memoro.index.batch_control import JobList, Resumed, ShownJob


def _show_jobs(found: JobList, request: ListJobs) -> None:
    if not found.jobs:
        say("No batch jobs yet." if request.all else "No batch job is running. `--all` lists ended ones.")
    for one in found.jobs:
        say(_line(one), hang=2)
    for provider in found.switched_off:
        say(
            f"{provider} gets no more batch jobs, because two failed in a row. `memoro provider resume` tries them "
            "again; until then plain requests are sent."
        )


def _line(one: ShownJob) -> str:
    cost = "price unknown" if one.dollars is None else in_dollars(one.dollars)
    why = f": {one.why}" if one.why else ""
    waiting = f", {one.waiting:,} waited for" if one.waiting and one.waiting != one.texts else ""
    line = f"{one.id}  {one.state}{why}  {one.provider} {one.model}  {counted(one.texts, 'text')}{waiting}  {cost}"
    return printable(f"{line}  since {local(one.since)}")


def _show_cancelled(one: ShownJob) -> None:
    if one.state == "cancelled":
        say(f"The job {one.id} is cancelled; the provider never had it. The next sync embeds its passages.")
    else:
        say(
            f"The provider was asked to end the job {one.id}. The next sync keeps what it has done by then, and "
            "embeds the rest."
        )


def _show_resumed(done: Resumed) -> None:
    say(f"{printable(done.host or done.space)} is asked again from now on.")
    if done.jobs_were_off:
        say("Large indexes are embedded by batch jobs again.")
    if done.rejected:
        were = "was" if done.rejected == 1 else "were"
        say(f"The next sync sends {counted(done.rejected, 'text')} once more that {were} rejected before.")


VIEWS = {
    "provider jobs": command(JOBS, _show_jobs),
    "provider cancel": command(CANCEL, lambda done, _: _show_cancelled(done)),
    "provider resume": command(RESUME, lambda done, _: _show_resumed(done)),
}
