"""The command line: parse, call one operation, show its result. A command is loaded only when it is called."""

from __future__ import annotations

import gc
import os
import sys


def main(arguments: list[str] | None = None) -> int:
    """Run one command; the exit code (docs/cli.md lists them)."""
    # Most commands end before a collection could pay for itself.
    gc.set_threshold(50_000)
    # A pool of threads takes time to start, and one query has no work for it.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    given = sys.argv[1:] if arguments is None else arguments
    try:
        if "hook" in given:
            from memoro.cli import hook_client

            if hook_client.is_call(given):
                hook_client.run(given)
        from memoro.cli.run import run

        return run(given)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader has seen enough, as `head` has. Python would complain again while it shuts down.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    finally:
        if arguments is None:  # the process ends now; Python would look through all objects for garbage once more
            gc.freeze()
