"""`memoro ui`: open the page in the browser."""

from __future__ import annotations

import argparse
import json

from memoro.cli.options import opened
from memoro.errors import ConfigError, StoreUnavailable


def configure_ui(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--print", action="store_true", help="Print the link instead of opening a browser.")
    parser.set_defaults(run=_run)


def _run(chosen: argparse.Namespace) -> int:
    from memoro.serve.token import token
    from memoro.store.serving import serving

    with opened(chosen) as m:
        running = serving(m.home)
        if running is None or not (running.http or "").startswith("http://"):
            raise ConfigError("No `memoro serve --http` runs for this home. Start it, then try again.")
        address = (running.http or "").partition(" ")[0].removesuffix("/mcp")
        link = address + _code(address, token(m.home, "admin"))
    if chosen.print:
        print(link)
        return 0
    import webbrowser

    if not webbrowser.open(link):
        print(f"No browser could be opened. Open this link within a minute:\n{link}")
    return 0


def _code(address: str, secret: str) -> str:
    from urllib.request import Request, urlopen

    request = Request(f"{address}/page/code", b"{}", method="POST")
    request.add_header("Authorization", f"Bearer {secret}")
    request.add_header("Content-Type", "application/json")
    try:
        with urlopen(request, timeout=10) as answer:
            return str(json.load(answer)["path"])
    except OSError as error:
        raise StoreUnavailable(f"The server at {address} does not answer: {error}.") from error
