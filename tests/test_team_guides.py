"""The guides for several machines: every command runs on the machine that its prompt names, with a real Postgres."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import psycopg
import pytest

from memoro.store.opening import administration
from memoro.store.postgres.schema import APPLICATION_ROLE
from tests.breakable_postgres import BreakableServer
from tests.command import clean_environment
from tests.test_docs import agrees, blocks, read

# The guides, and whether a reader comes to them with a team that has been set up.
GUIDES = {
    "docs/teams.md": False,
    "docs/teams-admin.md": False,
    "docs/teams-privacy.md": True,
    "docs/teams-outages.md": True,
    "docs/teams-moving.md": True,
}
TEAM, PEOPLE = "heron", ("mia", "tom")
SERVER = "db.example.org"  # as the guides name it
PROMPT = re.compile(r"^(\w+)\$ (.*)\n", re.MULTILINE)
WAITING = re.compile(r"^memoro: The index is brought up to date first\..*\n", re.MULTILINE)  # on a busy machine only
COPIED = re.compile(r"scp -p (\S+) (\w+):(\S+)")


class TypedCommand(NamedTuple):
    machine: str
    text: str
    shown: str
    code: int


def typed_commands(block: str) -> list[TypedCommand]:
    """What is typed on which machine, and what is shown; a following `echo $?` shows an exit code other than 0."""
    found = list(PROMPT.finditer(block))
    ends = [one.start() for one in found[1:]] + [len(block)]
    typed = [(one[1], one[2], block[one.end() : end]) for one, end in zip(found, ends, strict=True)]
    codes = [int(after[2]) if after[1] == "echo $?" else 0 for after in [*typed[1:], ("", "", "")]]
    return [
        TypedCommand(machine=machine, text=text, shown=shown, code=code)
        for (machine, text, shown), code in zip(typed, codes, strict=True)
        if text != "echo $?"
    ]


class Machines:
    """The machines that a guide names, each with a folder of its own, and the database that they share."""

    def __init__(self, folder: Path, server: BreakableServer) -> None:
        self._folder, self._server = folder, server
        self._exported: dict[str, str] = {}

    def run(self, typed: TypedCommand, where: str) -> None:
        if typed.text == "systemctl stop postgresql":
            return self._server.stop()
        if typed.text == "systemctl start postgresql":
            return self._server.start()
        if copied := COPIED.fullmatch(typed.text):
            (file,) = self._home(typed.machine).glob(copied[1].removeprefix("~/"))
            shutil.copy2(file, self._home(copied[2]) / copied[3])
            return None
        if exported := re.fullmatch(r"export (\w+)=(\S+)", typed.text):
            self._exported[exported[1]] = self._real(exported[2])
            return None
        code, real = self._shell(typed)
        assert code == typed.code, f"{where}: {typed.text} ended with {code}:\n{real}"
        if typed.shown.strip():
            assert agrees(typed.shown, real), (
                f"{where}: {typed.text} shows\n{typed.shown}\nand what happens is\n{real}"
            )
        return None

    def _shell(self, typed: TypedCommand) -> tuple[int, str]:
        home = self._home(typed.machine)
        environment = {**clean_environment(), **self._exported, "HOME": str(home), "PYTHONWARNINGS": "error"}
        environment["MEMORO_POSTGRES_PROGRAMS"] = str(self._server.programs)
        environment["PATH"] = f"{self._folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["sh", "-c", self._real(typed.text)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env=environment,
            cwd=home,
            timeout=60,
            check=False,
        )
        return done.returncode, self._shown(done.stdout.decode(), home)

    def _real(self, text: str) -> str:
        return text.replace(SERVER, f"127.0.0.1:{self._server.port}")

    def _shown(self, text: str, home: Path) -> str:
        said = WAITING.sub("", text)
        return said.replace(f"127.0.0.1:{self._server.port}", SERVER).replace(str(home), "~")

    def _home(self, machine: str) -> Path:
        home = self._folder / machine
        home.mkdir(exist_ok=True)
        return home

    def set_up(self, machine: str) -> None:
        """A machine that shares the ledger of the team already, as the person of that name."""
        home = self._home(machine) / ".memoro"
        home.mkdir(mode=0o700)
        (home / "memoro.toml").write_text(
            f'[ledger]\nurl = "{self._server.url}"\ntenant = "{TEAM}"\nperson = "{machine}"\n', encoding="utf-8"
        )


@pytest.fixture(scope="module")
def server() -> Iterator[BreakableServer]:
    made = BreakableServer()
    yield made
    made.end()


def fresh_database(server: BreakableServer) -> None:
    """A database without a ledger, of the role that the guides name, and no role for nodes."""
    with psycopg.connect(server.superuser_url.replace("/memoro", "/postgres"), autocommit=True) as connection:
        for statement in (
            "DROP DATABASE memoro WITH (FORCE)",
            f"DROP ROLE {APPLICATION_ROLE}",
            "DROP ROLE IF EXISTS owner",
            "CREATE ROLE owner LOGIN CREATEROLE",
            "CREATE DATABASE memoro OWNER owner",
        ):
            connection.execute(statement)


def set_up_team(server: BreakableServer) -> None:
    owner = administration(server.owner_url.replace("memoro_owner", "owner"), None)
    owner.install(APPLICATION_ROLE, None)
    owner.add_tenant(TEAM)
    for person in PEOPLE:
        owner.add_person(TEAM, person)


@pytest.mark.parametrize("name", GUIDES)
def test_what_a_guide_shows_is_what_happens_on_its_machines(
    name: str, server: BreakableServer, tmp_path: Path
) -> None:
    fresh_database(server)
    (tmp_path / "bin").mkdir()
    script = tmp_path / "bin" / "memoro"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m memoro "$@"\n')
    script.chmod(0o755)
    machines = Machines(tmp_path, server)
    if GUIDES[name]:
        set_up_team(server)
        for person in PEOPLE:
            machines.set_up(person)
    shown = [block for block in blocks(read(name)) if block.kind == "console" and PROMPT.search(block.text)]
    assert shown
    for block in shown:
        for typed in typed_commands(block.text):
            machines.run(typed, f"{name}:{block.line}")
