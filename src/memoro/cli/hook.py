"""`memoro hook`: an event on standard input, an answer in the host's format on standard output, exit code 0.

The module imports nothing at the top that one event may not need: the host waits for the answer.
"""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from memoro.cli.hook_client import answer_seconds, working_folder
from memoro.model.hook_message import MAX_BYTES

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from memoro.hooks.events import Capture, PromptSubmitted, SessionStarted
    from memoro.workspace import Workspace

_LEAST_SHARE = 0.25  # of the time that an answer gets, however long a server kept us waiting
_CAPTURE_SECONDS = 4.0  # spooling takes milliseconds; a host that waits less ends this process itself
_BACKGROUND_SECONDS = 50.0  # where the host does not wait


class Unanswered(NamedTuple):
    """The attempt to have a server answer an event, before this process answers it itself."""

    started: float  # on the clock of `time.monotonic`
    event: bytes | None = None  # as the host sent it, if it was read
    key: str = ""  # with which a server that did not answer in time may have recorded its answer


class HookCall(NamedTuple):
    """The host that called, and the options of the command."""

    agent: str  # of the host, for its events and logs
    home: str | None
    vault: str | None
    named: str | None = None  # the agent, as its set-up names it
    project: str | None = None
    unanswered: Unanswered | None = None

    @property
    def author(self) -> str:
        """The agent that settings are made for and that what is written carries."""
        from memoro.hosts import name_of

        return self.named or os.environ.get("MEMORO_AGENT") or name_of(self.agent)

    @property
    def home_folder(self) -> str:
        from memoro.model.home import home_folder

        return home_folder(self.home, os.environ, self.author)

    @property
    def key(self) -> str | None:
        return (self.unanswered.key or None) if self.unanswered else None

    def open(self) -> Workspace:
        from memoro import opening

        return opening.open(self.home, self.vault, agent=self.author, project=self.project)


def configure_hook(parser: argparse.ArgumentParser) -> None:
    from memoro.hosts import HOOK_AGENTS

    programs = ", ".join(HOOK_AGENTS)
    parser.add_argument("host", metavar="HOST", help=f"The host that sends the event: one of {programs}.")
    parser.add_argument(
        "--agent", metavar="NAME", help="The name of the agent (MEMORO_AGENT, else the name of the host)."
    )
    parser.add_argument(
        "--project", metavar="NAME", help="The project (MEMORO_PROJECT, else that of the working folder)."
    )
    parser.add_argument(
        "--only-served", action="store_true", help="Print nothing unless `memoro serve` runs for this home."
    )
    parser.set_defaults(
        run=lambda chosen: respond(
            HookCall(
                agent=chosen.host, home=chosen.home, vault=chosen.vault, named=chosen.agent, project=chosen.project
            )
        )
    )


def run(options: Mapping[str, str], host: str, unanswered: Unanswered) -> NoReturn:
    """Answer an event in this process, and exit at once: a normal exit would cost the host a tenth more time."""
    call = HookCall(
        agent=host,
        home=options.get("--home"),
        vault=options.get("--vault"),
        named=options.get("--agent"),
        project=options.get("--project"),
        unanswered=unanswered,
    )
    code = respond(call)
    sys.stderr.flush()
    os._exit(code)


def respond(call: HookCall) -> int:
    """Answer one event of a host. Never fails: the host must go on."""
    out = _take_output()
    try:
        _respond(call, out)
    except BaseException as error:
        log_failure(call, error)
    return 0


def _respond(call: HookCall, out: int) -> None:
    from memoro.hooks.events import ActionAnnounced, Capture, read_event
    from memoro.hosts import HOOK_AGENTS, agent_of

    call = call._replace(agent=agent_of(call.agent))
    if call.agent not in HOOK_AGENTS:
        raise ValueError(f"there is no host {call.agent!r}; choose from {', '.join(HOOK_AGENTS)}")
    if sys.stdin.isatty():
        print("memoro: a host calls this, with an event on standard input.", file=sys.stderr)
        return
    _exit_after(_answer_seconds(call, start=True), call)  # a host may forget to end its input
    document = _read_document(call)
    event = read_event(call.agent, document, os.environ)
    if isinstance(event, Capture):
        event = event._replace(folder=event.folder or working_folder())
        _capture(call, event, str(document.get("hook_event_name")))
    elif event is not None and not isinstance(event, ActionAnnounced):  # `memoro serve` alone answers that
        _answer(call, event._replace(folder=event.folder or working_folder()), out)


def _answer_seconds(call: HookCall, *, start: bool) -> float:
    """The start of a session may take twice as long as a prompt. A server that did not answer has taken its share."""
    seconds = (2 if start else 1) * answer_seconds()
    spent = time.monotonic() - call.unanswered.started if call.key and call.unanswered else 0.0
    return max(_LEAST_SHARE * seconds, seconds - spent)


def _read_document(call: HookCall) -> Mapping[str, object]:
    import json

    data = call.unanswered.event if call.unanswered else None
    if data is None:
        data = sys.stdin.buffer.read(MAX_BYTES)
    found = json.loads(data) if data.strip() else {}
    return found if isinstance(found, dict) else {}


def _capture(call: HookCall, capture: Capture, event_name: str) -> None:
    """Spool the event. Where the host does not wait, also write what is due."""
    from memoro.hooks import spool
    from memoro.hooks.events import hooks_of

    _exit_after(_CAPTURE_SECONDS, call)
    home = call.home_folder
    if _is_switched_off(call):
        return
    project = call.project or os.environ.get("MEMORO_PROJECT") or ""
    spool.append(home, capture._replace(agent=call.author, project=project), key=call.key)
    event = hooks_of(call.agent).event(event_name)
    if event and event.background:
        _exit_after(_BACKGROUND_SECONDS, call)
        from memoro.hooks.capture import is_due

        if is_due(home, now=time.time()):
            with call.open() as m:
                _write_captures(m, turns=True)


def _is_switched_off(call: HookCall) -> bool:
    """Return whether the owner's settings switch Memoro off. Most homes have no such line, and read no settings."""
    try:
        with open(os.path.join(call.home_folder, "memoro.toml"), "rb") as file:
            if b"enabled" not in file.read():
                return False
    except OSError:
        return False
    with call.open() as m:
        return not m.settings.enabled


def _answer(call: HookCall, event: SessionStarted | PromptSubmitted, out: int) -> None:
    import json

    from memoro.hooks.answers import answer_of, refresh_index
    from memoro.hooks.events import SessionStarted
    from memoro.model.feedback import feedback_in

    is_start = isinstance(event, SessionStarted)
    _exit_after(_answer_seconds(call, start=is_start), call)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with call.open() as m:
        if not m.settings.enabled:
            return
        made = answer_of(event, m, call.agent, key=call.key)
        if made:
            _write_all(out, json.dumps(made).encode())
        os.close(out)
        if is_start:
            refresh_index(m)
        if isinstance(event, SessionStarted) or feedback_in(event.text):
            _write_captures(m, turns=False)


def _write_captures(m: Workspace, *, turns: bool) -> None:
    import time

    from memoro.hooks import spool, unended

    if spool.has_pending(m.home) or unended.has_idle(m.home, now=time.time()):
        from memoro.hooks.capture import write_captures

        write_captures(m, turns=turns)


def _take_output() -> int:
    """Return a descriptor of standard output for the answer alone; other prints go to standard error from now on."""
    sys.stdout.flush()
    out = os.dup(1)
    os.dup2(2, 1)
    return out


def _write_all(out: int, data: bytes) -> None:
    while data:
        data = data[os.write(out, data) :]


def _exit_after(seconds: float, call: HookCall) -> None:
    """Exit then without an answer. Every step that runs here can be cut off at any moment."""
    import signal

    from memoro.hooks import spool  # noqa: F401  (half loaded when the time is up, it could not keep the failure)

    def exit_now(_signal: int, _frame: object) -> None:
        log_failure(call, TimeoutError(f"no answer within {seconds:g} s"))
        os._exit(0)

    signal.signal(signal.SIGALRM, exit_now)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def log_failure(call: HookCall, error: BaseException) -> None:
    """Tell the owner on standard error and in the home's log, and never the host's model."""
    try:
        from memoro.hooks import spool

        sentence = f"hook {call.agent}: {type(error).__name__}: {error}"
        print(f"memoro: {sentence}", file=sys.stderr)
        home = call.home_folder
        if os.path.isdir(home):
            spool.log(home, sentence)
    except BaseException:  # there is no way left to report it
        pass
