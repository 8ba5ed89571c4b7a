"""The views of `memoro space …`: what a person sees."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from memoro.cli.command import command
from memoro.cli.embedding import may_ask
from memoro.cli.lines import say
from memoro.cli.show import printable
from memoro.errors import NeedsConsent
from memoro.index.embedding_plan import estimate_in_words
from memoro.operations.spaces import DROP, LIST, DropSpace, SpaceList

if TYPE_CHECKING:
    from memoro.index.embedding_plan import EmbeddingPlan
    from memoro.kept_spaces import DroppedSpace, KeptSpace


def _show_spaces(found: SpaceList, _request: object) -> None:
    if not found.spaces:
        say("There are no vectors yet; the first `memoro sync` makes them.")
    for one in found.spaces:
        say(f"{one.state.use:9} {printable(one.state.name)}  {_about(one)}", hang=10)
        if one.suspicion:
            say(f"          not searched: {printable(one.suspicion)}", hang=10)


def _about(one: KeptSpace) -> str:
    filled = f", {int(100 * one.state.filled)} % filled" if one.state.vectors or one.state.use != "left over" else ""
    calibrated = f"; calibrated with {one.calibrated} lines of yours" if one.calibrated else ""
    return f"{one.state.vectors:,} vectors{filled}; {one.cached:,} in the cache{calibrated}"


def _show_dropped(found: DroppedSpace, _request: DropSpace) -> None:
    say(
        f"Dropped {printable(found.name)}: {found.vectors:,} vectors, {found.cached:,} in the cache; "
        f"{found.bytes / 1e6:.1f} MB are free."
    )
    if found.refill.missing.texts:
        say(f"   To fill it again takes {estimate_in_words(found.refill)}{_asks(found.refill)}.")


def _asks(refill: EmbeddingPlan) -> str:
    """Say whether a sync asks before it fills a space; nothing where that costs nothing."""
    if refill.dollars == 0:
        return ""
    unless = "" if refill.host else ", unless the server is on this machine"
    return f"; `memoro sync` asks before{unless}"


def _drop(chosen: argparse.Namespace) -> int:
    """Drop a space; on a terminal, after a yes."""
    run = command(DROP, _show_dropped)
    try:
        return run(chosen)
    except NeedsConsent as error:
        if not may_ask(chosen):
            raise
        from memoro.cli.host_sources import agrees

        say(error.at_a_terminal.replace(" Add --yes to do it.", ""))
        if not agrees("Drop it? [y/N] "):
            raise NeedsConsent("Nothing was dropped.") from None
    chosen.yes = True
    return run(chosen)


VIEWS = {"space list": command(LIST, _show_spaces), "space drop": _drop}
