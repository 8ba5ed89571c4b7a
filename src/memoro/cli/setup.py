"""`memoro init`."""

from __future__ import annotations

import argparse
import os
import sys

from memoro import config, opening
from memoro.cli.options import add_json, opened
from memoro.config import edit
from memoro.errors import ConfigError, VaultError
from memoro.model.home import why_nested
from memoro.store.files import unwritable
from memoro.store.opening import make_home
from memoro.vault.layout import FRESH_MEMORY, ROLES

_NEXT = 'memoro search "anything you wrote about"'
_NEXT_WITHOUT_NOTES = 'memoro remember "a fact that your agents should know", or memoro connect HOST'


def configure_init(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", nargs="?", help="The folder of your Markdown notes.")
    parser.add_argument("-y", "--yes", action="store_true", help="Answer yes to every question.")
    parser.add_argument("--no-memory", action="store_true", help="Do not offer to create MEMORY.md.")
    add_json(parser)
    parser.set_defaults(run=_init)


def _init(chosen: argparse.Namespace) -> int:
    named = chosen.folder or chosen.vault or os.environ.get("MEMORO_VAULT") or _ask_folder()
    folder = os.path.realpath(os.path.expanduser(named))
    is_new = not os.path.isdir(folder)
    if is_new:
        _check_new(chosen, folder)
    before = opened(argparse.Namespace(home=chosen.home, vault=None))
    if nested := why_nested(before.home, folder):
        raise ConfigError(f"{nested} Nothing was set up. Give a --home outside of it, or set MEMORO_HOME.")
    known = before.settings.vault.path
    replaces = bool(known) and os.path.realpath(os.path.expanduser(str(known))) != folder
    if replaces and not _agreed(chosen, f"This home already uses {known}. Use {folder} instead?"):
        raise ConfigError(f"The home still uses {known}. Give another --home to keep both, or --yes to replace it.")
    if is_new:
        os.makedirs(folder)
    make_home(before.home)
    edit.write(os.path.join(before.home, config.FILE_NAME), "vault.path", folder)
    made = _offer_memory(chosen, folder)
    return _first_sync(chosen, folder, made, replaces)


def _check_new(chosen: argparse.Namespace, folder: str) -> None:
    """Raise unless the owner agrees that a folder is made."""
    if os.path.exists(folder):
        raise VaultError(
            f"{folder} is a file. Name the folder of your notes: `memoro init FOLDER`. Nothing was set up."
        )
    if not _agreed(chosen, f"There is no folder {folder}. Make it?"):
        raise VaultError("Nothing was set up. Name the folder of your notes: `memoro init FOLDER`.")


def _first_sync(chosen: argparse.Namespace, folder: str, made: bool, replaces: bool) -> int:
    from memoro.cli import show

    with opening.open(chosen.home, folder) as m, show.progress("Indexing") as progress:
        report = m.sync(accept_deletions=replaces, progress=progress)
        home = m.home
    if chosen.json:
        from memoro import documents

        print(
            documents.dumps({"home": home, "vault": folder, "made_memory": made, "report": documents.report(report)})
        )
        return 0
    print(f"Vault {folder}, home {home}.")
    if made:
        print("Made MEMORY.md with four headings to fill.")
    show.report(report)
    is_empty = report.files == int(made) and not report.transcripts
    print(f"\nNext: {_NEXT_WITHOUT_NOTES if is_empty else _NEXT}")
    return 0


def _offer_memory(chosen: argparse.Namespace, folder: str) -> bool:
    """Offer to create MEMORY.md, the only file this command may write, where the vault has none."""
    names = {name.lower() for name in os.listdir(folder)}
    if chosen.no_memory or any(name.lower() in names for name in ROLES["semantic"]):
        return False
    if not _agreed(chosen, "There is no MEMORY.md. Make one with four headings to fill?"):
        return False
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    place = os.path.join(folder, "MEMORY.md")
    descriptor = os.open(place, flags, 0o644)
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(FRESH_MEMORY)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        os.unlink(place)  # an empty one would count as made
        raise unwritable(place, error) from error
    return True


def _agreed(chosen: argparse.Namespace, question: str) -> bool:
    """Ask a person; without one, only `--yes` is a yes."""
    if chosen.yes:
        return True
    if chosen.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        print(f"memoro: {question} Not done without asking; --yes does it.", file=sys.stderr)
        return False
    return _ask(f"{question} [y/N] ").lower() in ("y", "yes")


def _ask_folder() -> str:
    if sys.stdin.isatty() and sys.stdout.isatty() and (answer := _ask("Where are your Markdown notes? ")):
        return answer
    raise ConfigError("Name the folder of your notes: `memoro init FOLDER`.")


def _ask(question: str) -> str:
    try:
        return input(question).strip()
    except EOFError:
        print()
        return ""
