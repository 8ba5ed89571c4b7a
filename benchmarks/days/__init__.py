"""Agents' days: is what the hooks give an agent, unasked, true, relevant and short?

Made-up people live their weeks through real hooks under a false clock; README.md explains files, figures and options.
"""

from __future__ import annotations

import sys
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from benchmarks.days import baselines, report
from benchmarks.days import format as file_format
from benchmarks.days.judging import judge_person
from benchmarks.days.life import ClockMissing, GroupAnswers, Lived, live
from benchmarks.days.people import HALVES, FormatError, Person, read_people, read_person
from benchmarks.days.session_notes import NoteVerdict, judge_notes

_THIS = ("memoro", [sys.executable, "-P", "-m", "memoro"])


def run(arguments: Sequence[str] = ()) -> None:
    chosen = _parse(arguments)
    if chosen.check_format:
        sys.exit(check_format(chosen.check_format))
    people = read_people(chosen.half, frozenset(chosen.person))
    if not people:
        raise SystemExit(f"There is nobody of that name in the half {chosen.half!r}.")
    executables = dict(map(_executable, chosen.memoro)) or dict([_THIS])
    try:
        lived = {name: _lives(people, name, command, chosen) for name, command in executables.items()}
    except ClockMissing as error:
        print(error)
        return
    _print(people, lived, chosen.show)


def _parse(arguments: Sequence[str]) -> Namespace:
    parser = ArgumentParser(prog="python -m benchmarks days")
    parser.add_argument("--half", choices=HALVES, default="dev", help="`check` is for checking only")
    parser.add_argument("--person", nargs="+", default=[], help="these people only")
    parser.add_argument("--memoro", action="append", default=[], metavar="[NAME=]PATH", help="another executable")
    parser.add_argument(
        "--work", type=Path, default=Path(tempfile.gettempdir()) / "memoro-days", help="keeps answers"
    )
    parser.add_argument("--rescore", action="store_true", help="score the kept answers again")
    parser.add_argument("--show", nargs="*", metavar="KIND", help="print failures of these kinds, or all")
    parser.add_argument("--check-format", nargs="+", type=Path, metavar="FILE", help="check files of people")
    return parser.parse_args(list(arguments))


def _executable(text: str) -> tuple[str, list[str]]:
    name, _, path = text.rpartition("=")
    return name or Path(path).parent.parent.name or "memoro", [str(Path(path).absolute())]


def _lives(people: Sequence[Person], name: str, command: Sequence[str], chosen: Namespace) -> dict[str, Lived]:
    """Live each person's weeks, or read the kept answers."""
    found = {}
    for person in people:
        root = chosen.work / name / person.name
        kept = root.with_suffix(".json")
        if not chosen.rescore:
            lived = live(person, command, root)
            kept.write_text(lived.to_json(), encoding="utf-8")
            print(f"{name}, {person.name}: {lived.calls} hook calls, {lived.cpu:.0f} s CPU", file=sys.stderr)
        elif not kept.exists():
            raise SystemExit(f"No answers of {name} for {person.name} are kept in {chosen.work}.")
        found[person.name] = Lived.from_json(kept.read_text(encoding="utf-8"))
    return found


def _print(people: Sequence[Person], lived: dict[str, dict[str, Lived]], show: Sequence[str] | None) -> None:
    scored = {
        name: _score(people, {person: one.answers for person, one in own.items()}) for name, own in lived.items()
    }
    columns = {name: report.figures(one) for name, one in scored.items()}
    columns["BM25 top 3"] = report.figures(_score(people, {one.name: baselines.bm25(one) for one in people}))
    columns["nothing"] = report.figures(_score(people, {one.name: baselines.nothing(one) for one in people}))
    prompts = sum(len(group.prompts) for person in people for group in person.groups)
    sessions = sum(len(person.sessions) for person in people)
    print(f"{len(people)} people, {sessions} sessions, {prompts} prompts\n")
    report.print_figures(columns, goals=True)
    notes = {name: _notes(people, own) for name, own in lived.items()}
    print()
    report.print_notes(notes)
    for name, own in lived.items():
        if len(people) > 1:
            print(f"\n{name}, by person\n")
            by_person = {p.name: report.figures(_score([p], {p.name: own[p.name].answers})) for p in people}
            report.print_figures(by_person, goals=False)
        if show is not None:
            print(f"\nFailures of {name}")
            report.print_failures(scored[name], notes[name], show)


def _score(people: Sequence[Person], answers: dict[str, Sequence[GroupAnswers]]) -> report.Scored:
    judged = [judge_person(person, answers[person.name]) for person in people]
    return report.Scored(
        [one for prompts, _ in judged for one in prompts], [s for _, starts in judged for s in starts]
    )


def _notes(people: Sequence[Person], lived: dict[str, Lived]) -> list[NoteVerdict]:
    return [note for person in people for note in judge_notes(person, lived[person.name].written)]


def check_format(paths: Sequence[Path]) -> int:
    """Print what is wrong with these files, and what is in them."""
    wrong = 0
    for path in paths:
        try:
            person = read_person(path)
        except FormatError as error:
            print(error)
            wrong += 1
            continue
        found = file_format.problems(person)
        wrong += len(found)
        sizes = ", ".join(f"{count} {name}" for name, count in file_format.sizes(person).items())
        kinds = ", ".join(f"{kind} {count}" for kind, count in file_format.kinds(person).most_common())
        print(f"{path.name}: {sizes}; prompts: {kinds}")
        print(*(f"  {one}" for one in found), sep="\n", end="\n" if found else "")
    return 1 if wrong else 0
