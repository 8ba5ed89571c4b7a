"""`memoro uninstall`: takes Memoro out of every program, deletes its home, and leaves the notes."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from memoro.cli.connect import ask
from memoro.cli.lines import say
from memoro.cli.options import add_json, opened
from memoro.cli.outbox import waiting_line
from memoro.errors import Refused
from memoro.ledger_status import own_ledger

if TYPE_CHECKING:
    from memoro.config import Settings
    from memoro.connect.uninstalling import Installation, UninstallPlan


def configure_uninstall(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--keep-home", action="store_true", help="Keep Memoro's own folder, with all memories.")
    parser.add_argument("-y", "--yes", action="store_true", help="Do not ask.")
    add_json(parser)
    parser.set_defaults(run=_uninstall)


def _uninstall(chosen: argparse.Namespace) -> int:
    from memoro.connect.uninstalling import Installation, carry_out, plan_uninstalling, refuse_unsent

    if os.environ.get("MEMORO_AGENT"):
        raise Refused(
            "`memoro uninstall` is for a person, and MEMORO_AGENT says that this is an agent's shell. "
            "Ask the user to run it in their own."
        )
    with opened(chosen) as m:
        settings = m.settings
        there = Installation(
            home=m.home,
            vault=settings.vault.path,
            ledger=settings.ledger.url,
            project=os.getcwd(),
            environment=dict(os.environ),
            secrets=_references(settings),
        )
    planned = plan_uninstalling(there, keep_home=chosen.keep_home)
    if not chosen.json:
        _show(planned, there, keeps_home=chosen.keep_home)
    if planned.changes_anything:
        refuse_unsent(planned)
        ask(chosen)
        carry_out(planned, there)
    if chosen.json:
        from memoro import documents

        print(documents.dumps(_document(planned, there)))
    else:
        _show_end(planned)
    return 0


def _references(settings: Settings) -> dict[str, str]:
    """Return the settings that say where a password or a key is, with what they say."""
    named = {
        "ledger.password": settings.ledger.password,
        "embedding.key": settings.embedding.key,
        "llm.key": settings.llm.key,
    }
    return {setting: reference for setting, reference in named.items() if reference}


def _show(planned: UninstallPlan, there: Installation, *, keeps_home: bool) -> None:
    """Show the plan: each change in detail, and below, above the question, its summary."""
    from memoro.connect.uninstalling import unit_runs

    if planned.connections.edits:
        print("Each change in detail; the summary is below.\n")
    for edit in planned.connections.edits:
        print(edit.diff)
    for run in (*planned.connections.runs, *unit_runs(planned.units)):
        print(f"$ {run}\n")
    _summarise(planned, there, keeps_home=keeps_home)


def _summarise(planned: UninstallPlan, there: Installation, *, keeps_home: bool) -> None:
    if planned.hosts:
        say(f"Disconnects  {', '.join(planned.hosts)}.", hang=13)
    for unit in planned.units:
        say(f"Deletes      {unit}, which starts `memoro serve`.", hang=13)
    for file in planned.completions:
        say(f"Deletes      {file}, which completes words in your shell.", hang=13)
    if planned.home:
        size = f"{planned.home.files:,} files, {planned.home.bytes / 1e6:,.1f} MB"
        say(f"Deletes      {planned.home.folder} ({size}): {_contents_of_home(there)}", hang=13)
        for one in planned.home.waiting:
            say(f"Not sent     {waiting_line(one)}", hang=13)
    elif keeps_home and os.path.isdir(there.home):
        say(f"Keeps        {there.home}, as it is.", hang=13)
    if there.vault:
        say(f"Keeps        {there.vault}: your notes are not touched.", hang=13)
    for secret in planned.secrets:
        say(
            f"Keeps        {secret.place}, which `{secret.setting}` names. Delete it if nothing else uses it.",
            hang=13,
        )
    for sentence in planned.by_hand:
        say(f"By hand      {sentence}", hang=13)


def _contents_of_home(there: Installation) -> str:
    """Return in words what is lost with the home, and how to keep it."""
    if there.ledger is None:
        return (
            "settings, memories, experiences, sessions, backups and models. `memoro export --output FILE` keeps a "
            "copy of the memories; --keep-home keeps all."
        )
    own = own_ledger(there.home)
    unused = f"this home's own ledger ({own.in_words}), " if own else ""
    return (
        f"settings, the local copy of the shared ledger, {unused}backups and models. The shared ledger stays in "
        f"{there.ledger}; --keep-home keeps all."
    )


def _show_end(planned: UninstallPlan) -> None:
    print("\nDone." if planned.changes_anything else "There is nothing to remove.")
    if planned.hosts:
        print(f"Restart {', '.join(planned.hosts)}.")
    print(f"To remove the program too: {_removal_of_program()}")


def _removal_of_program() -> str:
    """Return the command that removes the package, as far as the place of this Python tells how it was installed."""
    prefix = os.path.realpath(sys.prefix)
    if f"{os.sep}pipx{os.sep}" in prefix:
        return "pipx uninstall memoro"
    if f"{os.sep}uv{os.sep}tools{os.sep}" in prefix:
        return "uv tool uninstall memoro"
    return f"{sys.executable} -m pip uninstall memoro"


def _document(planned: UninstallPlan, there: Installation) -> dict[str, object]:
    removal = planned.home
    return {
        "changed": planned.changes_anything,
        "hosts": list(planned.hosts),
        "files": [{"file": edit.file, "diff": edit.diff} for edit in planned.connections.edits],
        "commands": [str(run) for run in planned.connections.runs],
        "units": list(planned.units),
        "completions": list(planned.completions),
        "home": {"folder": removal.folder, "files": removal.files, "bytes": removal.bytes} if removal else None,
        "vault": there.vault,
        "secrets": [{"setting": one.setting, "place": one.place} for one in planned.secrets],
        "by_hand": list(planned.by_hand),
        "next": _removal_of_program(),
    }
