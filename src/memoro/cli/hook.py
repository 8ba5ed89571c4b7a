"""`memoro hook`: an event on standard input, an answer in the host's format on standard output, exit code 0.

Nothing is imported at the top that the event of a moment may not need: a host waits for this.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from memoro.hooks.events import Capture, Prompt, Start
    from memoro.workspace import Workspace

# After so many seconds we give up and say nothing, well before the host would.
_PROMPT = 3.0
_CAPTURE = 4.0  # noting down takes milliseconds; a host that waits less ends us itself
_BACKGROUND = 50.0  # where the host does not wait
_MAX_BYTES = 64 * 1024 * 1024


def configure_hook(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("host", metavar="HOST", help="The program whose event it is: claude, codex or gemini.")
    parser.set_defaults(run=lambda chosen: respond([chosen.host], chosen.home, chosen.vault))


def is_call(arguments: Sequence[str]) -> bool:
    """Whether this is `memoro [--home DIR] [--vault DIR] hook …`, as hosts call it."""
    position = 0
    while arguments[position : position + 1] and arguments[position] in ("--home", "--vault"):
        position += 2
    return list(arguments[position : position + 1]) == ["hook"] and not {"-h", "--help"} & set(arguments)


def called(arguments: Sequence[str]) -> NoReturn:
    """The same as the command, without a parser: an error of usage must not be an exit code of 2, which blocks.

    It ends the process: all is closed, and taking modules apart would make the host wait a tenth longer.
    """
    places: dict[str, str] = {}
    rest: list[str] = []
    ahead = iter(arguments)
    for one in ahead:
        if one in ("--home", "--vault"):
            places[one] = next(ahead, "")
        else:
            rest.append(one)
    code = respond(rest[1:], places.get("--home"), places.get("--vault"))
    sys.stderr.flush()
    os._exit(code)


def respond(arguments: Sequence[str], home: str | None, vault: str | None) -> int:
    """Answer one event; whatever happens, the host goes on."""
    out = _own_output()
    try:
        _respond(arguments[0] if arguments else "", home, vault, out)
    except BaseException as error:
        _note(home, arguments, error)
    return 0


def _respond(host: str, home: str | None, vault: str | None, out: int) -> None:
    from memoro.hooks.events import HOSTS, Capture, understand

    if host not in HOSTS:
        raise ValueError(f"there is no host {host!r}; choose from {', '.join(HOSTS)}")
    if sys.stdin.isatty():
        print("memoro: a host calls this, with an event on standard input.", file=sys.stderr)
        return
    _give_up_after(_patience(start=True), home, host)  # a host may forget to end its input
    event = _event()
    told = understand(host, event, os.environ)
    if isinstance(told, Capture):
        _capture(told, str(event.get("hook_event_name")), home, vault)
    elif told is not None:
        _answer(host, told, home, vault, out)


def _patience(*, start: bool) -> float:
    """Where somebody waits to type, a session may take twice as long to begin as a prompt to be sent."""
    try:
        seconds = float(os.environ.get("MEMORO_HOOK_SECONDS") or _PROMPT)
    except ValueError:
        seconds = _PROMPT
    return (2 if start else 1) * (seconds if 0 < seconds < 3600 else _PROMPT)


def _event() -> Mapping[str, object]:
    import json

    data = sys.stdin.buffer.read(_MAX_BYTES)
    found = json.loads(data) if data.strip() else {}
    return found if isinstance(found, dict) else {}


def _capture(told: Capture, event: str, home: str | None, vault: str | None) -> None:
    """Note it down. Where the host does not wait, also write what has been noted down, once in a while."""
    import time

    from memoro.hooks import spool
    from memoro.hooks.events import HOSTS

    _give_up_after(_CAPTURE, home, told.host)
    folder = _home(home)
    spool.append(folder, told)
    if event in HOSTS[told.host].background:
        _give_up_after(_BACKGROUND, home, told.host)
        from memoro.hooks.capture import is_due

        if is_due(folder, now=time.time()):
            from memoro import opening

            with opening.open(home, vault) as m:
                _work_off(m, turns=True)


def _answer(host: str, told: Start | Prompt, home: str | None, vault: str | None, out: int) -> None:
    import json

    from memoro import opening
    from memoro.hooks.answers import began, context
    from memoro.hooks.events import Start, as_output

    _give_up_after(_patience(start=isinstance(told, Start)), home, host)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with opening.open(home, vault) as m:
        block = context(told, m, host)
        if block:
            _write_all(out, json.dumps(as_output(told.event, block)).encode())
        os.close(out)
        if isinstance(told, Start):
            began(m)
            _work_off(m, turns=False)


def _work_off(m: Workspace, *, turns: bool) -> None:
    from memoro.hooks import spool

    if spool.is_waiting(m.home):
        from memoro.hooks.capture import work_off

        work_off(m, turns=turns)


def _own_output() -> int:
    """A descriptor of standard output that is ours alone; whatever else is printed goes to standard error."""
    sys.stdout.flush()
    out = os.dup(1)
    os.dup2(2, 1)
    return out


def _write_all(out: int, data: bytes) -> None:
    while data:
        data = data[os.write(out, data) :]


def _give_up_after(seconds: float, home: str | None, host: str) -> None:
    """End the process then, as if there were nothing to say. Whatever is under way can be cut off at any moment."""
    import signal

    def give_up(_signal: int, _frame: object) -> None:
        _note(home, [host], TimeoutError(f"no answer within {seconds:g} s"))
        os._exit(0)

    signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _home(home: str | None) -> str:
    from memoro.model.home import home_folder

    return home_folder(home, os.environ, os.environ.get("MEMORO_AGENT"))


def _note(home: str | None, arguments: Sequence[str], error: BaseException) -> None:
    """Say what went wrong where its owner finds it, and never to the host's model."""
    try:
        from memoro.hooks import spool

        sentence = f"hook {' '.join(arguments)}: {type(error).__name__}: {error}"
        print(f"memoro: {sentence}", file=sys.stderr)
        folder = _home(home)
        if os.path.isdir(folder):
            spool.log(folder, sentence)
    except BaseException:  # there is nobody left to tell
        pass
