"""The programs of Postgres on this machine: finding one that is new enough for a server, and running it."""

from __future__ import annotations

import glob
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from memoro.errors import StoreUnavailable

VARIABLE = "MEMORO_POSTGRES_PROGRAMS"
_PLACES = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql@*/bin")


class Program(NamedTuple):
    file: str
    version: int  # major


def find_program(name: str, at_least: int, folder: str | None) -> Program:
    """A program of this version or a later one: from the folder that the owner named, from PATH, or as packaged."""
    found = [program for file in _candidates(name, folder) if (program := _asked(file)) is not None]
    fitting = [program for program in found if program.version >= at_least]
    if fitting:
        return fitting[0]
    there = f"{found[0].file} is of version {found[0].version}" if found else "there is none on PATH"
    raise StoreUnavailable(
        f"This needs `{name}` of Postgres {at_least} or later, and {there}. Install the client programs of that "
        f"version, or name their folder in {VARIABLE}."
    )


def _candidates(name: str, folder: str | None) -> Iterator[str]:
    if folder is not None:
        yield os.path.join(folder, name)
        return
    on_path = shutil.which(name)
    if on_path is not None:
        yield on_path
    for pattern in _PLACES:
        yield from sorted(glob.glob(os.path.join(pattern, name)), reverse=True)


def _asked(file: str) -> Program | None:
    try:
        done = subprocess.run([file, "--version"], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    version = re.search(r"\(PostgreSQL\) (\d+)", done.stdout)
    return Program(file, int(version[1])) if version else None


def run(program: str, arguments: Sequence[str], url: str | None = None, options: str = "") -> None:
    """Run a program on a database. Its password is passed in the environment, which other users cannot read."""
    environment = dict(os.environ)
    named: list[str] = []
    if url is not None:
        parts = conninfo_to_dict(url)
        if password := parts.pop("password", None):
            environment["PGPASSWORD"] = str(password)
        named = [f"--dbname={make_conninfo('', **parts)}"]
    if options:
        environment["PGOPTIONS"] = options
    done = subprocess.run(
        [program, *arguments, *named],
        capture_output=True,
        text=True,
        env=environment,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["no reason given"])[0]
        raise StoreUnavailable(f"{os.path.basename(program)} failed: {why}")
