"""The meaning of errors of a Postgres server: those that pass, and those that its owner must fix."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from memoro.errors import LedgerServerRefused, LedgerUnreachable
from memoro.store.postgres.connections import AllInUse, Deadline, NotInTime

# What a server says it is, by the beginning of its code (SQLSTATE): all of these pass by.
_PASSING = {
    "25006": "takes no writes now: it is a standby, or another one is taking over",
    "53100": "has no space left on its disk",
    "53200": "has no memory left",
    "53300": "has no connection free",
    "53": "has too few resources",
    "55P03": "is busy: another writer has held this ledger for ten seconds",
    "57014": "cancelled the statement, which took too long or was ended by its owner",
    "57P01": "is being shut down",
    "57P02": "has crashed and is starting anew",
    "57P03": "is starting or being shut down",
    "57P05": "ended the connection, which was idle for too long",
    "25P03": "ended the connection, which was idle for too long",
    "25P04": "ended the transaction, which took too long",
    "40": "could not do this beside another writer",
    "08": "lost the connection",
    "58": "has trouble with its disk",
}
# Errors while connecting have no code in psycopg, only the server's words.
_WORDS = {
    "too many clients": "53300",
    "remaining connection slots": "53300",
    "too many connections": "53300",
    "starting up": "57P03",
    "shutting down": "57P03",
    "recovery mode": "57P03",
    "not accepting connections": "57P03",
    "not yet accepting connections": "57P03",
}
_REFUSING_WORDS = ("authentication failed", "no password supplied", "does not exist", "no pg_hba.conf entry")
# Where the password of a role is looked for. No settings file holds that of an owner.
IN_SETTINGS = "Set ledger.password to where the right one is, such as file:PATH or env:NAME."
OF_OWNER = "Put it into PGPASSWORD or ~/.pgpass, or name its place with --password, such as file:PATH or env:NAME."
FOUND_BY_LIBPQ = "Put it into PGPASSWORD or ~/.pgpass."
_ENDED = "ended the connection"
_SILENT = "does not answer"


class RolledBack(LedgerUnreachable):
    """The server undid a transaction because of another one. It changed nothing, and can be run again."""


@contextmanager
def translated(
    server: str, deadline: Deadline | None = None, *, role: str = "its role", where: str = IN_SETTINGS
) -> Iterator[None]:
    """Raise errors of the server as ours. Others are mistakes of this program, and stay what they are.

    `role` is whom a connection is made as, and `where` says in a sentence where its password is looked for.
    """
    try:
        yield
    except NotInTime as error:
        raise LedgerUnreachable(server, _SILENT) from error
    except AllInUse as error:
        raise LedgerUnreachable(server, "is busy with other requests of this program") from error
    except psycopg.Error as error:
        if deadline is not None and deadline.has_passed:
            raise LedgerUnreachable(server, _SILENT) from error
        if isinstance(error, psycopg.errors.InsufficientPrivilege):
            raise LedgerServerRefused(
                f"The server {server} refuses this to its role: {_first_line(error)}."
            ) from error
        if isinstance(error, psycopg.OperationalError) and any(words in str(error) for words in _REFUSING_WORDS):
            raise LedgerServerRefused(f"The server {server} {_not_let_in(error, role, where)}") from error
        why = _passing(error)
        if why is None:
            raise
        if isinstance(error, psycopg.errors.SerializationFailure | psycopg.errors.DeadlockDetected):
            raise RolledBack(server, why) from error
        raise LedgerUnreachable(server, why) from error


def _not_let_in(error: psycopg.OperationalError, role: str, where: str) -> str:
    """Why the server refuses a connection, and what to do, after its name."""
    if "no password supplied" in str(error):
        return f"needs a password for {role}. {where}"
    if "password authentication failed" in str(error):
        return f"refuses this password of {role}. {where}"
    return f"lets nobody in so: {_first_line(error)}."


def _passing(error: psycopg.Error) -> str | None:
    """What a server does that may do this later; None where the error is of another kind."""
    code = error.sqlstate or next((code for words, code in _WORDS.items() if words in str(error)), None)
    if code is not None:
        return _PASSING.get(code) or _PASSING.get(code[:2])
    if isinstance(error, psycopg.errors.ConnectionTimeout):
        return _SILENT
    if isinstance(error, psycopg.OperationalError):
        line = _first_line(error)
        is_lost = any(words in line for words in ("closed the connection", "consuming input", "connection is lost"))
        return _ENDED if is_lost else f"cannot be reached: {_reason(line)}"
    if isinstance(error, psycopg.InterfaceError):
        return _ENDED
    return None


def _reason(line: str) -> str:
    """What libpq says after the place, which the sentence names already."""
    reason = line.rpartition(" failed: ")[2].removeprefix("FATAL:").strip()
    return reason[:1].lower() + reason[1:]


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or ["no reason given"])[0].rstrip(".")
