"""The views of `memoro experience …`: what they read and what a person sees."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from memoro.cli.command import NOTHING_FOUND, Run, command
from memoro.cli.journal import show_changes
from memoro.cli.lines import say
from memoro.cli.options import read_stdin
from memoro.cli.show import printable, show_next_page, show_visibility
from memoro.errors import ConfigError
from memoro.experiences.results import WeightedExperience
from memoro.experiences.solutions import on_one_line, whole
from memoro.model.experiences import CONFIRMED, PREFERENCE, Experience, caution, outcome_of, passage
from memoro.model.local_time import local
from memoro.model.notes import counted
from memoro.operations import experiences as operations
from memoro.operations.fields import NOT_GIVEN
from memoro.operations.operation import Operation, Request

if TYPE_CHECKING:
    from memoro.experiences.results import ExperienceStats, RecordedExperience, SimilarExperiences

_SHOWN = 100  # letters of a solution in a list


def _read_solution(argument: str | None) -> object:
    text = read_stdin() if argument in (None, "-") else argument
    if not text or not text.strip():
        raise ConfigError("Give the solution as an argument, or on standard input.")
    return _json_or_text(text)


def _read_value(argument: object) -> object:
    return _json_or_text(argument) if isinstance(argument, str) else NOT_GIVEN


def _json_or_text(text: str) -> object:
    """The JSON value that the text is, or else the text itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text.strip()


def _show_recorded(done: RecordedExperience, _request: operations.RecordExperience) -> None:
    if done.new:
        say(f"experience:{done.experience.id} recorded")
    else:
        say(f"experience:{done.experience.id} was known: {_about(WeightedExperience(done.experience, done.weight))}")
    if done.redacted:
        say(f"   removed before it was stored: {', '.join(done.redacted)}")


def _changed(operation: Operation[Request, WeightedExperience], said: Callable[[WeightedExperience], str]) -> Run:
    """The command for a change to one experience: show the experience, and what was done to it."""
    return command(operation, lambda shown, _: say(f"{_line(shown.experience)}\n   {said(shown)}", hang=3))


def _show_preferences(found: operations.Preferences, _request: operations.Prefer) -> None:
    for one in found.preferences:
        confirmed = one.experience.trust == CONFIRMED
        sure = ", confirmed" if confirmed else ""
        say(printable(f"{one.category}: {on_one_line(one.experience)}  confidence {one.confidence:.2f}{sure}"))
        for other in one.others:
            told = "not confirmed" if confirmed and other.trust != CONFIRMED else "less sure"
            say(printable(f"   {told}: {on_one_line(other)}  confidence {other.success:.2f}"))
    if not found.preferences:
        say("No preference found. `memoro experience prefer CATEGORY VALUE` records one.", file=sys.stderr)


def _preferences_code(found: operations.Preferences, _request: operations.Prefer) -> int:
    return 0 if found.preferences else NOTHING_FOUND


def _run_prefer(chosen: argparse.Namespace) -> int:
    """Record or show preferences. The exit code says that there are none only to people: JSON has a list."""
    run = command(operations.PREFER, _show_preferences, _preferences_code, {"value": _read_value})
    code = run(chosen)
    return 0 if chosen.json else code


def _show_found(found: SimilarExperiences, _request: operations.FindExperiences) -> None:
    for notice in found.degraded:
        say(f"memoro: {notice}", file=sys.stderr)
    for one in found.results:
        say(
            f"{_line(one.experience)}\n   {one.score:.2f}  {_about(WeightedExperience(one.experience, one.weight))}",
            hang=3,
        )
        said = caution(one.experience) if outcome_of(one.experience) not in ("worked", None) else ""
        say("   " + " ".join(part for part in (said, _shortened(one.experience)) if part))
    if not found.results:
        say("No similar experience found. Try other words, or `memoro experience list`.", file=sys.stderr)


def _found_code(found: SimilarExperiences, _request: operations.FindExperiences) -> int:
    return 0 if found.results else NOTHING_FOUND


def _show_one(shown: WeightedExperience, _request: object) -> None:
    one = shown.experience
    say(f"experience:{one.id}{' archived' if one.archived_at else ''}")
    say("\n".join(f"   {printable(line)}" for line in whole(one).split("\n")))
    say(f"   weight: {shown.weight:.2f}")
    for name, value in one._asdict().items():
        if name not in ("id", "intent", "solution_json") and value not in (None, ()):
            said = ", ".join(value) if isinstance(value, tuple) else round(value, 4) if name == "success" else value
            said = local(str(said)) if name.endswith("_at") else str(said)
            say(f"   {name.replace('_', ' ')}: {printable(said)}")


def _show_list(found: operations.ExperienceList, request: operations.ListExperiences) -> None:
    for shown in found.results:
        say(f"{_line(shown.experience)}\n   {_about(shown)}", hang=3)
    if not found.results:
        is_chosen = request._replace(limit=0, sort="newest", scope="session") != operations.ListExperiences(limit=0)
        say(
            "No experience matches. Use fewer filters."
            if is_chosen
            else "No experiences yet. `memoro experience record TYPE INTENT SOLUTION` records one."
        )
    show_next_page(found.next)


def _show_stats(stats: ExperienceStats, _request: object) -> None:
    mean = "" if stats.success is None else f", success {stats.success:.2f} on average"
    say(
        f"{counted(stats.live, 'experience')}{mean}; {stats.faded} faded, {stats.archived} archived; "
        f"{counted(stats.uses, 'use')}"
    )
    for name, count in stats.types.items():
        say(f"   {count:>6}  {name}")


def _show_pruned(found: operations.PrunedExperiences, _request: operations.PruneExperiences) -> None:
    plan = found.plan
    verb = "archived" if found.done else "would be archived"
    say(f"{len(plan.archive)} of {plan.live} experiences {verb}.")
    if plan.bring_back:
        back = "restored" if found.done else "would be restored"
        say(f"{len(plan.bring_back)} {back}: a clock that ran ahead had archived them.")
    if plan.braked and not found.done:
        say("So many at once need --force. Check the clock first.")


def _line(one: Experience) -> str:
    """One line with the experience's number, the first line of its text and its tags."""
    first, _, more = passage(one).partition("\n")
    failed = "FAILED: " if outcome_of(one) == "failed" else ""
    tags = f"  #{' #'.join(one.tags)}" if one.tags else ""
    return printable(f"experience:{one.id} {failed}{first}{' …' if more else ''}{tags}")


def _about(shown: WeightedExperience) -> str:
    one = shown.experience
    how = "confidence" if one.type == PREFERENCE else "success"
    used = f"used {one.uses} time{'' if one.uses == 1 else 's'}"
    return f"{one.type}, {how} {one.success:.2f}, weight {shown.weight:.2f}, {used}"


def _shortened(one: Experience) -> str:
    line = on_one_line(one)
    return printable(line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…")


VIEWS = {
    "experience record": command(operations.RECORD, _show_recorded, readers={"solution": _read_solution}),
    "experience use": _changed(operations.USE, _about),
    "experience prefer": _run_prefer,
    "experience trust": _changed(operations.TRUST, lambda shown: shown.experience.trust),
    "experience visibility": command(operations.VISIBILITY_OF, show_visibility),
    "experience find": command(operations.FIND, _show_found, _found_code),
    "experience show": command(operations.SHOW, _show_one),
    "experience history": command(operations.HISTORY, show_changes),
    "experience list": command(operations.LIST, _show_list),
    "experience stats": command(operations.STATS, _show_stats),
    "experience prune": command(operations.PRUNE, _show_pruned),
    "experience remove": _changed(operations.REMOVE, lambda _: "removed; `memoro undo` restores it"),
}
