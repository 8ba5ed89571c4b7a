"""`memoro narrative`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from memoro.cli.options import add_json, number, opened
from memoro.model.memories import Narrative


def configure_narrative(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(title="what to do", metavar="ACTION", required=True)
    update = actions.add_parser("update", help="Say in a sentence what is going on now.")
    update.add_argument("summary", nargs="+", help="One sentence; it goes on from the last one.")
    update.add_argument(
        "--memories", type=_numbers, default=[], metavar="N,N", help="The numbers of the memories it rests on."
    )
    update.add_argument("--session", metavar="S", help="The session in which it happens.")
    update.add_argument("--project", metavar="NAME", help="The project; each has a chain of its own.")
    update.add_argument("--source", default="agent", metavar="S", help="Who says so (agent).")
    update.add_argument("--key", metavar="K", help="Repeated with the same key, this is done only once.")
    update.set_defaults(run=_update)
    search = actions.add_parser("search", help="The latest; or one by its number; or those that hold words.")
    search.add_argument("query", nargs="*", help="Nothing, a number, or words.")
    search.add_argument("-n", "--limit", type=number, default=5, metavar="N", help="How many (5).")
    search.set_defaults(run=_search)
    show = actions.add_parser("show", help="One with what led to it and what followed.")
    show.add_argument("number", type=number, metavar="N", help="Its number.")
    show.set_defaults(run=_show)
    for one in (update, search, show):
        add_json(one)


_NONE = 'No narrative yet: `memoro narrative update "What is going on"`.'
_NO_WORDS = "No narrative holds these words; `memoro narrative search` alone shows the latest."


def _numbers(text: str) -> list[int]:
    return [number(part) for part in text.replace(" ", "").split(",") if part]


def _update(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        made = m.narratives.update(
            " ".join(chosen.summary), chosen.memories, session=chosen.session, project=chosen.project,
            source=chosen.source, key=chosen.key,
        )  # fmt: skip
    return _print(chosen, [made])


def _search(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        found = m.narratives.search(" ".join(chosen.query), chosen.limit)
    return _print(chosen, [told.narrative for told in found], nothing=_NO_WORDS if chosen.query else _NONE)


def _show(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        chain = m.narratives.chain(chosen.number)
    return _print(chosen, chain)


def _print(chosen: argparse.Namespace, found: Sequence[Narrative], nothing: str = _NONE) -> int:
    if chosen.json:
        from memoro import documents

        print(documents.dumps({"results": [documents.narrative(one) for one in found]}))
    else:
        from memoro.cli.show import printable

        for one in found:
            on = f"  on {', '.join(f'[id:{m}]' for m in one.memories)}" if one.memories else ""
            print(printable(f"{one.id}. {one.created_at[:16].replace('T', ' ')}Z  {one.summary}{on}"))
        if not found:
            print(nothing)
    return 0 if found else 1
