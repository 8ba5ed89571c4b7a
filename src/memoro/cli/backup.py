"""`memoro backup`."""

from __future__ import annotations

import argparse

from memoro.cli.options import add_json, opened
from memoro.errors import ConfigError
from memoro.ledger.backups import Backup


def configure_backup(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=["create", "list", "verify", "restore"], help="What to do.")
    parser.add_argument("name", nargs="?", help="The backup, as `list` names it; to verify: nothing for all.")
    add_json(parser)
    parser.set_defaults(run=_backup)


def _backup(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        backups = m.backups
        if chosen.action == "create":
            found = [backups.create()]
        elif chosen.action == "list":
            found = backups.all()
        elif chosen.action == "verify":
            names = [chosen.name] if chosen.name else [backup.name for backup in backups.all()]
            found = [backups.verify(name) for name in names]
        else:
            if not chosen.name:
                raise ConfigError("Name the backup: `memoro backup restore NAME`; `memoro backup list` shows them.")
            found = [backups.restore(chosen.name)]
    if chosen.json:
        from memoro import documents

        print(documents.dumps({"backups": [documents.backup(one) for one in found]}))
    else:
        _print(chosen.action, found)
    return 1 if any(one.problems for one in found) else 0


def _print(action: str, found: list[Backup]) -> None:
    if not found:
        print("No backups yet; the first write of a day makes one, and `memoro backup create`.")
    for one in found:
        memories = one.rows.get("ledger", {}).get("memories", 0)
        state = "; ".join(one.problems) or {"verify": "ok", "restore": "restored"}.get(action, "")
        about = f"{one.created_at[:16].replace('T', ' ')}Z  {memories} memories  {one.bytes:,} bytes  {one.why}"
        print(f"{one.name}  {about}{'  ' + state if state else ''}")
