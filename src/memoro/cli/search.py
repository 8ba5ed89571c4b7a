"""`memoro search`."""

from __future__ import annotations

import argparse

from memoro.cli.options import add_json, number, opened
from memoro.model.vocabulary import KINDS, MODES, NOTE_TIERS
from memoro.search.grouping import GROUPS

NOTHING_FOUND = 1


def configure_search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", nargs="+", help="What to look for: any words at all, quoted or not.")
    parser.add_argument("-n", "--limit", type=number, metavar="N", help="How many results (6).")
    parser.add_argument("--mode", choices=MODES, help="How to search (hybrid).")
    parser.add_argument("--explain", action="store_true", help="Show how each score was computed.")
    parser.add_argument("--group", choices=GROUPS, help="Of each conversation, give its best passage alone.")
    add_json(parser)
    only = parser.add_argument_group("filters (repeat one for alternatives; different ones add up)")
    only.add_argument("--kind", action="append", default=[], choices=KINDS, help="Kind of source.")
    only.add_argument("--tier", action="append", default=[], choices=NOTE_TIERS, help="What the note is for.")
    only.add_argument(
        "--path", action="append", default=[], metavar="PATH", help="A note, a folder, or a pattern with *."
    )
    only.add_argument("--tag", action="append", default=[], metavar="TAG", help="A tag, with those nested below it.")
    only.add_argument(
        "--agent",
        action="append",
        default=[],
        metavar="NAME",
        help="Notes of this agent (frontmatter), or its conversations.",
    )
    only.add_argument(
        "--project", action="append", default=[], metavar="NAME", help="Notes and conversations of this project."
    )
    only.add_argument(
        "--since", metavar="WHEN", help='From this day on: 2026-03-05, 2026-03, "last week", yesterday.'
    )
    only.add_argument("--used-in", metavar="SESSION", help="Only what this session was given.")
    only.add_argument("--until", metavar="WHEN", help="Up to and with this day.")
    parser.set_defaults(run=_search)


def _search(chosen: argparse.Namespace) -> int:
    from memoro.cli import show

    with opened(chosen) as m, show.progress("Indexing") as progress:
        answer = m.search(
            " ".join(chosen.query), limit=chosen.limit, mode=chosen.mode, kind=chosen.kind, tier=chosen.tier,
            path=chosen.path, tag=chosen.tag, agent=chosen.agent, project=chosen.project,
            since=chosen.since, until=chosen.until, group=chosen.group,
            used_in=chosen.used_in, progress=progress,
        )  # fmt: skip
    if chosen.json:
        from memoro import documents

        print(documents.dumps(documents.answer(answer, explain=chosen.explain, grouped=chosen.group is not None)))
    else:
        show.answer(answer, explain=chosen.explain)
    return 0 if answer.results else NOTHING_FOUND
