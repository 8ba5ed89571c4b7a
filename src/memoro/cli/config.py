"""`memoro config show`."""

from __future__ import annotations

import argparse

from memoro import opening
from memoro.cli.options import add_json


def configure_config(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=["show"], help="show: every key, its value, and where the value came from.")
    parser.add_argument("--agent", metavar="NAME", help="As this agent sees them ([agents.NAME]).")
    parser.add_argument("--project", metavar="NAME", help="As this project sees them ([projects.NAME]).")
    add_json(parser)
    parser.set_defaults(run=_show)


def _show(chosen: argparse.Namespace) -> int:
    with opening.open(chosen.home, chosen.vault, agent=chosen.agent, project=chosen.project) as m:
        settings = m.origins
    if chosen.json:
        from memoro import documents

        print(documents.dumps(documents.settings(settings)))
        return 0
    from memoro.cli.show import printable, terminal

    rows = [(s.key, _value(s.value), printable(s.origin), s.meaning) for s in settings]
    if console := terminal():
        from rich.table import Table

        table = Table("setting", "value", "from", "meaning", box=None, header_style="bold")
        for row in rows:
            table.add_row(*row)
        console.print(table, markup=False)
    else:
        for key, value, origin, _ in rows:
            print(f"{key} = {value}  ({origin})")
    return 0


def _value(value: object) -> str:
    from memoro import documents

    return (
        "–"
        if value is None
        else documents.dumps(value)
        if not isinstance(value, tuple)
        else f"[{', '.join(map(repr, value))}]"
    )
