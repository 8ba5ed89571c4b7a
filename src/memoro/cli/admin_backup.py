"""The views of `memoro admin backup` and `memoro admin vacuum`: what a person sees."""

from __future__ import annotations

from memoro.cli.command import PROBLEM, command
from memoro.cli.lines import say
from memoro.cli.show import printable
from memoro.operations.admin_backup import BACKUP, VACUUM, BackupServer, ServerBackup, Vacuumed, VacuumServer


def _show_backup(found: ServerBackup, request: BackupServer) -> None:
    tenants = "1 tenant" if len(found.tenants) == 1 else f"{len(found.tenants)} tenants"
    say(f"{printable(found.file)}: {tenants}, {found.rows:,} rows, as of {found.made_at}")
    if not request.verify:
        say(f"   `memoro admin backup {printable(found.file)} --verify` restores it to check it.")
    elif found.problems:
        for problem in found.problems:
            say(f"   problem: {printable(problem)}")
    else:
        say(f"   restored into {found.restored_into}: every row is there, and the database is deleted again.")


def _exit_code(found: ServerBackup, _request: BackupServer) -> int:
    return PROBLEM if found.problems else 0


def _show_vacuumed(found: Vacuumed, _request: VacuumServer) -> None:
    say(f"{len(found.tables)} tables were rewritten; their files hold nothing of deleted rows.")
    say("   The log (WAL) and its archive, replicas and dumps are not changed by this.")


VIEWS = {
    "admin backup": command(BACKUP, _show_backup, _exit_code),
    "admin vacuum": command(VACUUM, _show_vacuumed),
}
