"""The server of the page that runs for a home, and links with a code that it gives out."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import StoreUnavailable

if TYPE_CHECKING:
    from memoro.store.serving import Serving

_ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d{1,5})(?:/|$)")
_SECONDS = 10.0
_STARTING_SECONDS = 2.0  # within which a server says where it answers, on a machine that is not overloaded
_ASK_AGAIN_SECONDS = 0.05


class PageServer(NamedTuple):
    port: int
    pid: int | None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def link(self, home: str) -> str:
        """A link that lets one browser in, within a minute. Raises StoreUnavailable if the server gives none."""
        import http.client

        from memoro.serve.token import token

        # Not urllib, which would hand the token to a proxy that the environment names.
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_SECONDS)
        headers = {"Authorization": f"Bearer {token(home, 'admin')}", "Content-Type": "application/json"}
        try:
            connection.request("POST", "/page/code", b"{}", headers)
            with connection.getresponse() as answer:
                status, body = answer.status, answer.read(10_000)
        except (OSError, http.client.HTTPException) as error:
            raise StoreUnavailable(self._silent(error)) from error
        finally:
            connection.close()
        path = _text_of(body, "path")
        if status != 200 or not path.startswith("/open?"):
            raise StoreUnavailable(self._refused(status, _text_of(body, "error")))
        return self.address + path

    def _silent(self, error: Exception) -> str:
        from memoro.model.system_errors import reason

        why = reason(error) if isinstance(error, OSError) else str(error)
        return f"The server of this home, at {self.address}, does not answer: {why}. {self._remedy}"

    def _refused(self, status: int, why: str) -> str:
        if "not installed" in why:
            return f"{why} Then end the server and start it again."
        return (
            f"The server of this home, at {self.address}, gives no link to the page ({status}): "
            f"another version of Memoro runs there. {self._remedy}"
        )

    @property
    def _remedy(self) -> str:
        which = "" if self.pid is None else f", process {self.pid},"
        return f"End it{which} and run `memoro ui` again."


def find_server(home: str) -> PageServer | None:
    """The server of this home that answers over HTTP; None if none runs."""
    from memoro.store.serving import FILE, PAGE_FILE, serving

    for file in (FILE, PAGE_FILE):
        running = serving(home, file)
        if running is not None and (found := _ADDRESS.match(running.http or "")):
            return PageServer(int(found[1]), running.pid)
    return None


def find_starting_server(home: str) -> PageServer | None:
    """Wait for the address of a `memoro serve` that started a moment ago; None if none did, or without HTTP."""
    from memoro.store.serving import serving

    until = time.monotonic() + _STARTING_SECONDS
    while time.monotonic() < until:
        running = serving(home)
        if running is None or not _has_just_started(running):
            break
        time.sleep(_ASK_AGAIN_SECONDS)
        if found := find_server(home):
            return found
    return None


def _has_just_started(running: Serving) -> bool:
    """Return whether a server may not have said yet where it answers HTTP requests."""
    try:
        started = time.mktime(time.strptime(running.since or "", "%Y-%m-%dT%H:%M:%S"))
    except (ValueError, OverflowError):
        return False
    return running.http is None and abs(time.time() - started) < 1 + _STARTING_SECONDS  # `since` has whole seconds


def _text_of(body: bytes, field: str) -> str:
    """A text in the JSON object of an answer; empty if there is none."""
    import json

    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    value = found.get(field) if isinstance(found, dict) else None
    return value if isinstance(value, str) else ""
