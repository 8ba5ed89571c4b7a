"""`memoro serve`."""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, TextIO

from memoro.cli.options import number, opened
from memoro.errors import ConfigError
from memoro.model.vocabulary import TOOL_PROFILES

if TYPE_CHECKING:
    from memoro.serve.http import ProxyOptions
    from memoro.serve.services import Service
    from memoro.workspace import Workspace


_MISSING = (
    "`--http` needs packages that are not installed: `pip install 'memoro[ui]'` for the page and the API, "
    "`pip install 'memoro[mcp]'` for agents over MCP. Then try again."
)


_HOST_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?(:[0-9]{1,5})?", re.IGNORECASE)
_DRAIN_SECONDS = 5  # a proxy that asks every second or two notices within that time
_FINISH_SECONDS = 30.0  # as long as a request may take


def configure_serve(parser: argparse.ArgumentParser) -> None:
    from memoro.serve.units import UNIT_KINDS

    parser.add_argument(
        "--idle-exit",
        type=number,
        metavar="MINUTES",
        help="Stop after this many minutes without a change or a request (never).",
    )
    parser.add_argument(
        "--print-unit",
        choices=UNIT_KINDS,
        metavar="KIND",
        help="Only print a unit file that runs this in the background.",
    )
    parser.add_argument(
        "--http",
        action="store_true",
        help="Also serve the HTTP API, MCP, hooks and the page on this machine, to clients with a token.",
    )
    parser.add_argument("--port", type=number, metavar="N", help="The port for --http; 0 takes any free one (7391).")
    parser.add_argument(
        "--profile",
        choices=TOOL_PROFILES,
        default="default",
        help="The tools of MCP over HTTP: recall only reads, full has all (default).",
    )
    parser.add_argument(
        "--agent",
        metavar="NAME",
        help="The agent of clients with the token: its settings, its rights, and what it sees.",
    )
    parser.add_argument(
        "--behind-proxy",
        action="append",
        default=[],
        metavar="NAME",
        help="The host name of the TLS proxy in front of this server; repeat for several.",
    )
    parser.add_argument(
        "--listen",
        metavar="ADDRESS",
        help="Listen on this address, for a proxy on another machine (127.0.0.1).",
    )
    parser.add_argument(
        "--drain",
        type=number,
        metavar="SECONDS",
        help="After SIGTERM, report not ready but keep answering for this long, until the proxy turns away (5).",
    )
    parser.add_argument(
        "--log",
        choices=("text", "json"),
        default="text",
        help="Write the log as text, or as one JSON object a line, also for each request (text).",
    )
    parser.add_argument(
        "--project", metavar="NAME", help="The project of clients with the token; it limits what they see."
    )
    parser.set_defaults(run=_run)


def _run(chosen: argparse.Namespace) -> int:
    if chosen.print_unit:
        return _print_unit(chosen)
    if chosen.idle_exit is not None and chosen.idle_exit < 1:
        raise ConfigError("--idle-exit takes a number of minutes from 1 on.")
    from memoro.serve.allocator import keep_little
    from memoro.serve.process import STOPPING_SECONDS, ServeOptions, serve
    from memoro.serve.signals import Signals
    from memoro.store.opening import limit_caches

    keep_little()
    limit_caches()
    with Signals() as signals:
        proxy = _proxy(chosen)
        is_json = chosen.log == "json"
        options = ServeOptions(
            wait=signals.wait,
            print_line=_print_json_line if is_json else _print_line,
            print_error=_print_json_error if is_json else print_error,
            idle_exit=None if chosen.idle_exit is None else chosen.idle_exit * 60.0,
            stopping_seconds=STOPPING_SECONDS + proxy.drain_seconds + proxy.finish_seconds,
        )
        why = serve(lambda: opened(chosen), [*background_services(), *_http(chosen, proxy)], options)
    options.print_line(f"stopped: {why}")
    return 0


def background_services() -> list[Service]:
    """All services but HTTP."""
    from memoro.hooks.action import ActionService, ActionWarnings
    from memoro.hooks.service import CaptureService
    from memoro.serve.batch_jobs import BatchJobService
    from memoro.serve.curating import CurationService
    from memoro.serve.hook_service import HookSocketService
    from memoro.serve.housekeeping import HousekeepingService
    from memoro.serve.outbox import OutboxService
    from memoro.serve.syncing import SyncService

    warnings = ActionWarnings()
    background: list[Service] = [SyncService(), HousekeepingService(), CaptureService(), ActionService(warnings)]
    background.append(CurationService())
    background.append(BatchJobService())
    background.append(OutboxService())
    return [*background, HookSocketService(os.environ, warnings)]


def _print_unit(chosen: argparse.Namespace) -> int:
    from memoro.serve.units import unit

    with opened(chosen) as m:
        command = [sys.executable, "-m", "memoro", "--home", m.home]
        origin = next(setting.origin for setting in m.origins if setting.key == "vault.path")
        if m.settings.vault.path and origin.startswith(("argument", "environment")):
            command += ["--vault", os.path.abspath(os.path.expanduser(m.settings.vault.path))]
    command += ["serve"]
    if chosen.http:
        command += ["--http", "--profile", chosen.profile]
        command += [] if chosen.port is None else ["--port", str(chosen.port)]
        command += [] if chosen.agent is None else ["--agent", chosen.agent]
        command += [] if chosen.project is None else ["--project", chosen.project]
        command += [word for name in chosen.behind_proxy for word in ("--behind-proxy", name)]
        command += [] if chosen.listen is None else ["--listen", chosen.listen]
        command += [] if chosen.drain is None else ["--drain", str(chosen.drain)]
    command += [] if chosen.log == "text" else ["--log", chosen.log]
    print(unit(chosen.print_unit, command, os.environ), end="")
    return 0


def _proxy(chosen: argparse.Namespace) -> ProxyOptions:
    """How the server is reached. Others than this machine may connect only where a proxy is named."""
    from memoro.serve.http import ProxyOptions
    from memoro.serve.listening import address_family, is_loopback

    if chosen.listen is not None:
        address_family(chosen.listen)  # before anything else is started
    if not chosen.behind_proxy:
        if chosen.listen is not None and not is_loopback(chosen.listen):
            raise ConfigError(
                f"--listen {chosen.listen} would send tokens and memories over the network as plain text. Put a "
                "proxy that speaks TLS in front, and name it with --behind-proxy NAME."
            )
        if chosen.drain is not None:
            raise ConfigError("--drain is for --behind-proxy: add that too.")
        return ProxyOptions(address=chosen.listen)
    for name in chosen.behind_proxy:
        if not _HOST_NAME.fullmatch(name):
            raise ConfigError(f"--behind-proxy takes a host name such as memory.example.org, not {name!r}.")
    drain = _DRAIN_SECONDS if chosen.drain is None else chosen.drain
    return ProxyOptions(
        names=tuple(chosen.behind_proxy),
        address=chosen.listen,
        drain_seconds=float(drain),
        finish_seconds=_FINISH_SECONDS,
    )


def _http(chosen: argparse.Namespace, proxy: ProxyOptions) -> list[Service]:
    """Return the HTTP service if the person asked for it."""
    if not chosen.http:
        needless = [
            flag for flag, value in (("--port", chosen.port), ("--listen", chosen.listen)) if value is not None
        ] + ["--behind-proxy"] * bool(chosen.behind_proxy)
        if needless:
            raise ConfigError(f"{needless[0]} is for --http: add that too.")
        return []
    from memoro import hooks, opening
    from memoro.serve.http import PORT, HttpService, has_packages

    if not has_packages("uvicorn", "anyio"):
        raise ConfigError(_MISSING)

    def open_for(client: str | None) -> Workspace:
        return opening.open(
            chosen.home, chosen.vault, agent=chosen.agent, project=chosen.project, client=client or ""
        )

    port = PORT if chosen.port is None else chosen.port
    log = _log_request if chosen.log == "json" else None
    return [HttpService(port, open_for, profile=chosen.profile, answer_hook=hooks.answer, proxy=proxy, log=log)]


def _print_line(line: str) -> None:
    print(time.strftime("%H:%M:%S"), _for_log(line), flush=True)


def print_error(line: str) -> None:
    print(f"memoro: {_for_log(line)}", file=sys.stderr, flush=True)


def _print_json_line(line: str) -> None:
    _print_json({"level": "info", "message": _for_log(line)}, sys.stdout)


def _print_json_error(line: str) -> None:
    _print_json({"level": "error", "message": _for_log(line)}, sys.stderr)


def _log_request(document: Mapping[str, object]) -> None:
    _print_json(document, sys.stdout)


def _print_json(document: Mapping[str, object], file: TextIO) -> None:
    import json
    from datetime import UTC, datetime

    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    # One write, so that lines of several threads stay whole.
    file.write(json.dumps({"time": now, **document}) + "\n")
    file.flush()


def _for_log(line: str) -> str:
    """A line for a log that others may read: without secrets, and without what would command a terminal."""
    from memoro.cli.show import printable
    from memoro.model.secrets import redact

    return printable(redact(line).text)
