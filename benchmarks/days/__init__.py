"""Agents' days: is what the hooks give an agent, unasked, true, relevant and short?"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.days import format as file_format
from benchmarks.days.people import FormatError, read_person


def run(arguments: Sequence[str] = ()) -> None:
    if arguments[:1] == ["--check-format"]:
        sys.exit(check_format([Path(name) for name in arguments[1:]]))


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
