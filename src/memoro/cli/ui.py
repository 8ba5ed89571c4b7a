"""`memoro ui`: open the page in the browser. It finds the server of this home, or serves until Ctrl-C."""

from __future__ import annotations

import argparse
import os
import sys
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING

from memoro.cli.options import number, opened
from memoro.errors import ConfigError, StoreUnavailable

if TYPE_CHECKING:
    from memoro.serve.http import HttpService
    from memoro.serve.services import ServiceContext
    from memoro.workspace import Workspace

_PACKAGES = ("starlette", "uvicorn", "jinja2", "markdown_it", "nh3")
_MISSING = "The page needs packages that are not installed: `pip install 'memoro[ui]'`, then try again."
_PRINT = (
    "Print the link instead of opening a browser. If no server of this home runs, this command serves the page until "
    "Ctrl-C."
)
_ASK_AGAIN_SECONDS = 0.05


def configure_ui(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--print", action="store_true", help=_PRINT)
    parser.add_argument(
        "--port", type=number, metavar="N", help="The port, if no server runs yet (7391, else any free one)."
    )
    parser.set_defaults(run=_run)


def _run(chosen: argparse.Namespace) -> int:
    from memoro.cli.page_link import find_server, find_starting_server

    with opened(chosen) as m:
        home = m.home
    server = find_server(home) or find_starting_server(home)
    if server is None:
        return _serve(chosen, home)
    if chosen.port not in (None, server.port):
        raise ConfigError(f"A server of this home answers at port {server.port} already. Leave out --port.")
    _show(server.link(home), chosen.print)
    return 0


def _serve(chosen: argparse.Namespace, home: str) -> int:
    """Serve the page, and with it all that `memoro serve` does unless another process does that, until Ctrl-C."""
    from memoro.cli.serve import background_services, print_error
    from memoro.serve.http import has_packages
    from memoro.serve.process import ServeOptions, serve
    from memoro.serve.signals import Signals
    from memoro.store.serving import FILE, PAGE_FILE, is_served

    if not has_packages(*_PACKAGES):
        raise ConfigError(_MISSING)
    is_beside = is_served(home)
    http = _http(chosen)
    services = [*([] if is_beside else background_services()), http, _PageOpener(http, only_print=chosen.print)]
    with Signals() as signals:
        options = ServeOptions(
            wait=signals.wait,
            print_line=lambda _line: None,
            print_error=print_error,
            lock_file=PAGE_FILE if is_beside else FILE,
        )
        serve(lambda: opened(chosen), services, options)
    print("The page is closed.")
    return 0


def _http(chosen: argparse.Namespace) -> HttpService:
    from memoro import hooks, opening
    from memoro.serve.http import PORT, HttpService
    from memoro.serve.listening import is_free

    def open_for(client: str | None) -> Workspace:
        return opening.open(chosen.home, chosen.vault, client=client or "")

    port = chosen.port if chosen.port is not None else PORT if is_free(PORT) else 0
    return HttpService(port, open_for, answer_hook=hooks.answer)


class _PageOpener:
    """Opens the page once the server of this process answers."""

    name = "page"

    def __init__(self, http: HttpService, *, only_print: bool) -> None:
        self._http, self._only_print = http, only_print
        self._is_opened = False

    def run(self, context: ServiceContext) -> None:
        from memoro.cli.page_link import PageServer

        while not self._is_opened and not context.stop.wait(_ASK_AGAIN_SECONDS):
            if not self._http.port:
                continue
            try:
                link = PageServer(self._http.port, os.getpid()).link(context.workspace.home)
            except StoreUnavailable:  # it does not listen yet
                continue
            self._is_opened = True  # the services start again when the settings change; the page is open then
            _show(link, self._only_print)
            print("Ctrl-C closes the page.", flush=True)


def _show(link: str, only_print: bool) -> None:
    if only_print:
        print(link, flush=True)
        return
    address = link.partition("/open")[0]
    why = why_no_browser(os.environ, sys.platform, address.rpartition(":")[2])
    if not why and _opens(link):
        print(f"The page is open in your browser: {address}/", flush=True)
        return
    print(
        f"{why or 'No browser could be opened.'} Open this link within a minute; it works once:\n{link}", flush=True
    )


def why_no_browser(environment: Mapping[str, str], platform: str, port: str) -> str:
    """A sentence that says why no browser can be opened from here; empty if one can."""
    if environment.get("BROWSER"):
        return ""
    if environment.get("SSH_CONNECTION"):
        return f"Your browser is on another machine: forward the port to it first (ssh -L {port}:127.0.0.1:{port} …)."
    has_display = bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))
    return "" if platform == "darwin" or has_display else "No browser can be opened here: there is no display."


def _opens(link: str) -> bool:
    """Return whether a browser was opened."""
    import webbrowser

    result: list[bool] = []
    opening = threading.Thread(target=lambda: result.append(webbrowser.open(link)), daemon=True)
    opening.start()
    opening.join(10.0)  # some browsers keep the call until they are closed
    return not result or result[0]
