"""The view of `memoro numbers`: what a person sees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from memoro.cli.command import command
from memoro.cli.lines import say
from memoro.cli.show import printable
from memoro.model.local_time import local
from memoro.operations.numbers import NUMBERS, ShowNumbers
from memoro.providers.prices import in_dollars

if TYPE_CHECKING:
    from memoro.home_numbers import FeedbackWeek, FileNumbers, GivenNumbers, ModelNumbers, Numbers, StoredNumbers

_KINDS = {"note": "notes", "transcript": "conversations", "memory": "memories", "experience": "experiences"}


def _show_numbers(found: Numbers, _request: ShowNumbers) -> None:
    for notice in found.notices:
        say(f"note: {printable(notice)}")
    if found.stored:
        _show_stored(found.stored, found.weeks)
    if found.given:
        _show_given(found.given)
    if found.feedback is not None:
        _show_feedback(found.feedback)
    if found.models:
        _show_models(found.models, found.weeks)
    if found.files:
        _show_files(found.files)


def _show_stored(found: StoredNumbers, weeks: Sequence[str]) -> None:
    archived = f", {found.archived:,} archived" if found.archived else ""
    memories = "1 memory" if found.memories == 1 else f"{found.memories:,} memories"
    experiences = "1 experience" if found.experiences == 1 else f"{found.experiences:,} experiences"
    passages = "1 passage" if found.passages == 1 else f"{found.passages:,} passages"
    say(f"Stored: {passages}, {memories}{archived}, {experiences}")
    rows = [(one.kind, one.tier, one.project or "", f"{one.total:,}") for one in found.counts]
    _table(("kind", "tier", "project", ""), rows, right=(3,))
    columns = [(_KINDS[one.kind], one.totals) for one in found.growth]
    say("At the end of each week")
    _table(
        ("", *(name for name, _ in columns)),
        [(week, *(f"{totals[at]:,}" for _, totals in columns)) for at, week in enumerate(weeks)],
    )


def _show_given(found: GivenNumbers) -> None:
    say("Given to agents, by week")
    rows = [
        (one.week, f"{one.prompts:,}", f"{one.silent:,}", f"{one.items:,}", f"{one.tokens:,}", f"{one.again:,}")
        for one in found.weeks
    ]
    _weeks(("", "prompts", "silent", "items", "tokens", "used again"), rows)
    if found.since:
        say(f"There were too many recalls to read them all; these begin on {found.since}.")
    speed = found.speed
    if speed.measured:
        say(f"A recall took {speed.median:,.0f} ms (median), {speed.p95:,.0f} ms (95 of 100 took less).")


def _show_feedback(found: Iterable[FeedbackWeek]) -> None:
    say("Feedback, by week")
    rows = [(one.week, *(f"{number:,}" for number in one[1:])) for one in found]
    _weeks(("", "good", "wrong", "reinforced", "demoted"), rows)


def _show_models(found: ModelNumbers, weeks: Sequence[str]) -> None:
    if not found.sums:
        say("Models: none but the built-in one, which costs nothing.")
        return
    say("Models, by week")
    rows = [
        (week, f"{tokens:,}", in_dollars(dollars))
        for week, tokens, dollars in zip(weeks, found.tokens, found.dollars, strict=True)
    ]
    _weeks(("", "tokens", "cost"), rows)
    say(f"Today: {in_dollars(found.today)}. `memoro usage` has the purposes.")


def _show_files(found: FileNumbers) -> None:
    say(printable(f"Files in {found.home}"))
    _table(("", "files", "bytes"), [(one.part, f"{one.files:,}", f"{one.bytes:,}") for one in found.parts])
    for backup in found.backups[:1]:
        say(f"Last backup, verified when it was made: {local(backup.created_at)}, {backup.bytes:,} bytes.")
    if found.sync_ms is not None:
        say(f"The last sync that changed the index read and wrote for {found.sync_ms:,.0f} ms.")


def _weeks(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """The weeks from the first in which something happened on."""
    first = next((at for at, row in enumerate(rows) if any(cell not in ("0", "$0.00") for cell in row[1:])), None)
    if first is None:
        say("  Nothing yet.")
    else:
        _table(head, rows[first:])


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] | None = None) -> None:
    """Columns; all but the first to the right, or those that are named."""
    numbers = range(1, len(head)) if right is None else right
    widths = [max(len(row[at]) for row in (head, *rows)) for at in range(len(head))]
    for row in (head, *rows):
        cells = [cell.rjust(widths[at]) if at in numbers else cell.ljust(widths[at]) for at, cell in enumerate(row)]
        say(printable("  " + "  ".join(cells).rstrip()))


VIEWS = {"numbers": command(NUMBERS, _show_numbers)}
