"""The tokens for HTTP requests: files of the home that only its owner can read, one for each scope.

The scopes are those of the operations: the token for `write` also reads, and the token for `admin` does everything.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress

from memoro.errors import StoreUnavailable
from memoro.model.system_errors import reason, remedy
from memoro.operations.operation import Access
from memoro.store.files import file_beside

FILES: dict[Access, str] = {"read": "http-read.token", "write": "http.token", "admin": "http-admin.token"}
METRICS_FILE = "http-metrics.token"  # for programs that collect metrics: it opens nothing else
_BYTES = 32


def file_of(home: str, scope: Access = "write") -> str:
    return os.path.join(home, FILES[scope])


def token(home: str, scope: Access = "write") -> str:
    """Return a token of this home; creates one if there is none. Raises StoreUnavailable if others can read it.

    The token for `write` is the one that hosts of agents have.
    """
    return _token_in(file_of(home, scope))


def metrics_token(home: str) -> str:
    """Return the token for the metrics, as `token` does."""
    return _token_in(os.path.join(home, METRICS_FILE))


def _token_in(file: str) -> str:
    try:
        return _read(file)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise _unusable(file, error) from error
    with file_beside(file, f"{secrets.token_hex(_BYTES)}\n") as made, suppress(FileExistsError):
        os.link(made, file)  # where another process was faster, its token is complete
    try:
        return _read(file)
    except OSError as error:
        raise _unusable(file, error) from error


def _read(file: str) -> str:
    descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        mode = os.fstat(descriptor).st_mode
        text = os.read(descriptor, 200).decode("ascii", "replace").strip()
    finally:
        os.close(descriptor)
    if mode & 0o077:
        raise StoreUnavailable(f"Others can read {file}. Delete it; the next start creates a new one.")
    if len(text) < 2 * _BYTES:
        raise StoreUnavailable(f"{file} holds no token. Delete it; the next start creates a new one.")
    return text


def _unusable(file: str, error: OSError) -> StoreUnavailable:
    return StoreUnavailable(f"{file} cannot be used: {reason(error)}. {remedy(error, 'Make the home writable.')}")
