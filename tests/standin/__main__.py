"""`python -m tests.standin --flavour openai --port 0 --seed 3 --log FILE`: the stand-in as a process of its own.

It prints its URL as the first line, and runs until its standard input ends or it is killed.
"""

from __future__ import annotations

import argparse
import json
import sys

from tests.standin.faults import ALL_FAULTS, Faults
from tests.standin.options import FLAVOURS, Options
from tests.standin.server import Standin


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.standin", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--flavour", choices=FLAVOURS, default="openai")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--log", help="append every request, delivery and payment to this file, as lines of JSON")
    parser.add_argument("--dimensions", type=int, default=256)
    parser.add_argument("--faults", nargs="*", default=[], metavar="FAULT", help=", ".join(ALL_FAULTS))
    parser.add_argument("--probability", type=float, default=1.0, help="of a fault, for each call")
    parser.add_argument("--options", type=json.loads, default={}, help="further options of the server, as JSON")
    asked = parser.parse_args()
    options = Options(
        **{"dimensions": asked.dimensions, "log": asked.log}
        | {name: tuple(value) if isinstance(value, list) else value for name, value in asked.options.items()}
    )
    server = Standin(asked.flavour, asked.seed, options, asked.port)
    if asked.faults:
        server.set_faults(Faults(kinds=tuple(asked.faults), probability=asked.probability))
    print(server.url, flush=True)
    try:
        sys.stdin.read()
    except KeyboardInterrupt:
        pass
    finally:
        server.close()


if __name__ == "__main__":
    main()
