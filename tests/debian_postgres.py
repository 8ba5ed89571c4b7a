"""The Postgres 15 of Debian as a second server for tests, where it is installed."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from urllib.parse import quote

import psycopg

from memoro.store.postgres.installing import install
from memoro.store.postgres.schema import APPLICATION_ROLE
from tests.postgres import InstalledServer

PROGRAMS = Path("/usr/lib/postgresql/15/bin")
_SUPERUSER = "postgres"
_SETTINGS = ("listen_addresses=", "fsync=off", "shared_preload_libraries=pg_stat_statements", "max_connections=100")


def is_installed() -> bool:
    return (PROGRAMS / "initdb").exists()


@cache
def debian_server() -> InstalledServer:
    """Start it, with an extension that counts every statement it is sent."""
    folder = tempfile.mkdtemp(prefix="memoro-pg15-")
    os.chmod(folder, 0o700)
    if os.getuid() == 0:  # Postgres refuses to run as root
        shutil.chown(folder, _SUPERUSER)
    _run("initdb", "-D", f"{folder}/data", "-U", _SUPERUSER, "-A", "trust", "--no-sync")
    options = " ".join(f"-c {one}" for one in (*_SETTINGS, f"unix_socket_directories={folder}"))
    _run("pg_ctl", "-D", f"{folder}/data", "-l", f"{folder}/log", "-o", options, "-w", "start")
    atexit.register(_end, folder)
    with psycopg.connect(_address(_SUPERUSER, "postgres", folder), autocommit=True) as connection:
        connection.execute("CREATE ROLE memoro_owner LOGIN CREATEROLE")
        connection.execute("CREATE DATABASE memoro OWNER memoro_owner")
    with psycopg.connect(_address(_SUPERUSER, "memoro", folder)) as connection:
        connection.execute("CREATE EXTENSION pg_stat_statements")
    owner = _address("memoro_owner", "memoro", folder)
    with psycopg.connect(owner) as connection:
        install(connection)
    return InstalledServer(owner, _address(APPLICATION_ROLE, "memoro", folder))


def statements_received(server: InstalledServer) -> list[str]:
    """Every statement that the server has run for nodes, as the server itself counted them."""
    with psycopg.connect(server.owner_url.replace("memoro_owner@", f"{_SUPERUSER}@")) as connection:
        query = """SELECT s.query FROM pg_stat_statements s JOIN pg_roles r ON r.oid = s.userid
                   WHERE r.rolname = %s"""
        return [str(row[0]) for row in connection.execute(query, [APPLICATION_ROLE])]


def _address(role: str, database: str, folder: str) -> str:
    return f"postgresql://{role}@/{database}?host={quote(folder)}"


def _run(program: str, *arguments: str) -> None:
    user = _SUPERUSER if os.getuid() == 0 else None
    # Not captured: the server keeps a pipe open for as long as it runs.
    subprocess.run(
        [PROGRAMS / program, *arguments], user=user, cwd="/", check=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def _end(folder: str) -> None:
    _run("pg_ctl", "-D", f"{folder}/data", "-m", "immediate", "stop")
    shutil.rmtree(folder, ignore_errors=True)
