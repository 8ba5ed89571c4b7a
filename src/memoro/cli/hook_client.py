"""`memoro hook` while `memoro serve` runs: hand the event to its socket, and print its answer.

Whatever is not as expected ends here without a word, and the hook answers by itself (`cli.hook`). A host waits for
this at every prompt, so it imports next to nothing.
"""

from __future__ import annotations

import os
import time

from memoro import __version__
from memoro.model.hook_message import MAX_BYTES, RECEIVED, decode_answer, encode_request
from memoro.store import hook_socket

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

PROMPT_SECONDS = 3.0  # after which we exit without an answer, well before the host would give up
_OPTIONS = ("--home", "--vault", "--agent", "--project")
_ONLY_SERVED = "--only-served"
# The server gets half of the time: what is left is enough to answer without it. A server that does not even say that
# it has the request is stuck, and one host kills its hooks after a second.
_ANSWER_SHARE, _RECEIVED_SHARE = 0.5, 0.1
_READ_BYTES = 1 << 18


def is_call(arguments: Sequence[str]) -> bool:
    """Return whether this is `memoro [--home DIR] [--vault DIR] hook …`, as hosts call it."""
    position = 0
    while arguments[position : position + 1] and arguments[position] in ("--home", "--vault"):
        position += 2
    return list(arguments[position : position + 1]) == ["hook"] and not {"-h", "--help"} & set(arguments)


def run(arguments: Sequence[str]) -> NoReturn:
    """Answer one event, by the server or else in this process, and exit with 0 at once.

    There is no parser: a usage error would exit with 2, which makes a host block the person. A normal exit would
    close everything once more, and cost the host a tenth more time.
    """
    started = time.monotonic()
    options, host = _parse(arguments)
    home = _home_folder(options, host)
    event: bytes | None = None
    key = ""
    if home and hook_socket.exists(home) and not os.isatty(0):
        answer: bytes | None = None
        try:
            event = _read_event()
            key = os.urandom(16).hex()
            named = {name.removeprefix("--"): value for name, value in options.items()}
            fields = {**named, "home": home, "host": host, "folder": working_folder(), "key": key}
            answer = _ask(home, encode_request(__version__, fields, os.environ, event))
        except (OSError, ValueError):  # the server has gone, is none of ours, or is stuck
            pass
        if answer is not None:
            _print(answer)
    if _ONLY_SERVED in arguments:
        os._exit(0)
    from memoro.cli import hook

    hook.run(options, host, hook.Unanswered(started=started, event=event, key=key))


def answer_seconds() -> float:
    """Return the seconds that the answer to a prompt may take."""
    try:
        seconds = float(os.environ.get("MEMORO_HOOK_SECONDS") or PROMPT_SECONDS)
    except ValueError:
        seconds = PROMPT_SECONDS
    return seconds if 0 < seconds < 3600 else PROMPT_SECONDS


def working_folder() -> str:
    """Hosts start hooks in the folder in which the agent works."""
    try:
        return os.getcwd()
    except OSError:  # it was deleted
        return ""


def _parse(arguments: Sequence[str]) -> tuple[dict[str, str], str]:
    """Return the options by name, and the host."""
    options: dict[str, str] = {}
    rest: list[str] = []
    remaining = iter(arguments)
    for argument in remaining:
        if argument in _OPTIONS:
            options[argument] = next(remaining, "")
        elif argument != _ONLY_SERVED:
            rest.append(argument)
    return options, rest[1] if len(rest) > 1 else ""


def _home_folder(options: dict[str, str], host: str) -> str:
    """Return the folder of the home; empty where it cannot be told, which the hook then says by itself."""
    named = options.get("--home")
    folder = named if named is not None else os.environ.get("MEMORO_HOME") or "~/.memoro"
    if "{agent}" in folder:
        from memoro.errors import ConfigError
        from memoro.hosts import name_of
        from memoro.model.home import home_folder

        agent = options.get("--agent") or os.environ.get("MEMORO_AGENT") or name_of(host)
        try:
            return home_folder(named, os.environ, agent)
        except ConfigError:
            return ""
    return os.path.abspath(os.path.expanduser(folder))


def _read_event() -> bytes:
    """Return what is on standard input. Raises TimeoutError if the host does not end it."""
    import select

    until, poll = time.monotonic() + 2 * answer_seconds(), select.poll()
    poll.register(0, select.POLLIN)
    parts, room = [], MAX_BYTES
    while room > 0:
        if not poll.poll(max(0.0, 1000 * (until - time.monotonic()))):
            raise TimeoutError("the host did not end its input")
        if not (part := os.read(0, min(room, _READ_BYTES))):
            break
        parts.append(part)
        room -= len(part)
    return b"".join(parts)


def _ask(home: str, request: bytes) -> bytes | None:
    """Return what the server of this home answers; None if it declines. Raises OSError if there is none."""
    seconds = answer_seconds()
    connection = hook_socket.connect(home, seconds * _RECEIVED_SHARE)
    if connection is None:
        return None
    try:
        connection.sendall(request)
        message, until = b"", time.monotonic() + seconds * _ANSWER_SHARE
        while len(message) < MAX_BYTES and (part := connection.recv(_READ_BYTES)):
            message += part
            if message.startswith(RECEIVED):
                connection.settimeout(max(0.001, until - time.monotonic()))
            if (answer := decode_answer(message.removeprefix(RECEIVED))) is not None:
                return answer
        return None
    finally:
        connection.close()


def _print(answer: bytes) -> NoReturn:
    """Print the answer and exit; a host that has gone away needs none."""
    try:
        while answer:
            answer = answer[os.write(1, answer) :]
    except OSError:
        pass
    os._exit(0)
