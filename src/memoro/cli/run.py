"""One command from its arguments to its exit code."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import TextIO

import memoro
from memoro.cli.command_table import COMMANDS, PROCESSES
from memoro.cli.lines import say
from memoro.cli.parser import USAGE, Parser, parsers_of_actions
from memoro.errors import (
    AlreadyServed,
    ConfigError,
    LedgerError,
    LedgerNotRecognised,
    MemoroError,
    NeedsConsent,
    NoteExists,
    NoteNotFound,
    NoteUnwritable,
    NotFound,
    StorageFull,
    StoreError,
    TooManyGone,
    VaultChanged,
    VaultError,
    WaitsInOutbox,
)
from memoro.model.home import home_folder
from memoro.model.system_errors import MANY_FILES, is_out_of_files, is_out_of_space, remedy
from memoro.model.values import is_text

STORE = 4
SPOOL = "hooks.spool"  # in the home: events of hooks that are not written yet
UNENDED = "hooks.unended"  # in the home: sessions that have not ended
# Commands whose output is filtered elsewhere, is no text of the owner's, or must stay exact: an export is imported.
_AS_IT_IS = {*PROCESSES, "export"}
# Arguments that name files and folders to read or write. Home and vault are none of them: SQLite takes only UTF-8.
_FILE_NAMES = {"file", "place", "output", "source", "compare"}
# The first class that fits gives the code.
EXIT_CODES: list[tuple[type[MemoroError], int, str]] = [
    (ConfigError, USAGE, "a wrong argument or setting"),
    (NoteNotFound, 1, "no such note, passage, line or entry"),
    (NotFound, 1, "no such memory, narrative, change or backup"),
    (LedgerError, 5, "it cannot be undone, or was changed since, and you must decide"),
    (TooManyGone, 5, "so many notes are gone that you must decide"),
    (VaultChanged, 5, "another folder stands where the vault was, and you must decide"),
    (NoteExists, 5, "there is a note of that name, and you must decide"),
    (NoteUnwritable, 3, "a note cannot be written"),
    (VaultError, 3, "no vault, or it cannot be read"),
    (LedgerNotRecognised, 5, "the ledger or archive is missing, older or another one, and you must decide"),
    (AlreadyServed, 6, "another `serve` looks after this home"),
    (WaitsInOutbox, 0, "a write waits in the outbox"),
    (StoreError, 4, "the home or the index cannot be used"),
    (MemoroError, 4, "anything else"),
]


def run(arguments: list[str]) -> int:
    _write_anything(sys.stdout)
    _write_anything(sys.stderr)
    if sys.stdout.isatty() or sys.stderr.isatty():
        from memoro.cli.output import safe

        sys.stdout, sys.stderr = safe(sys.stdout), safe(sys.stderr)
    common, rest = _before_command(arguments)
    if common.version:
        print(f"memoro {memoro.__version__}")
        return 0
    if not rest or rest[0] in ("-h", "--help", "help"):
        rest = _help(rest)
        if not rest:
            return 0 if arguments else USAGE
    name = rest[0]
    if name not in COMMANDS:
        say(f"memoro: there is no command {name!r}.{_similar(name)}", hang=0, file=sys.stderr)
        return USAGE
    given = rest[1:]
    if name not in PROCESSES and given:
        from memoro.cli.command import action_first, whole_action

        given = whole_action(name, action_first(name, given) if given[0].startswith("-") else given)
    parser = parser_of(name, given)
    try:
        chosen = parser.parse_args(given, namespace=_defaults(common))
    except SystemExit as stopped:  # argparse has said why
        return int(stopped.code or 0)
    completes = getattr(chosen, "completes_sessions", False) and not getattr(chosen, "dry_run", False)
    if completes and getattr(chosen, "round", False):  # a round of review looks at what ended sessions have left
        _write_captures(chosen)
    code = _run_for_agent(chosen) if os.environ.get("MEMORO_AGENT") and name not in _AS_IT_IS else _guarded(chosen)
    if completes:  # a command that reads leaves the vault alone
        _write_captures(chosen)
    return code


def _run_for_agent(chosen: argparse.Namespace) -> int:
    from memoro.cli.output import agent_filter, run_filtered

    filter = agent_filter()
    if filter is None:
        return _guarded(chosen)
    return run_filtered(lambda: _guarded(chosen), filter, as_json=getattr(chosen, "json", False))


def _defaults(common: argparse.Namespace) -> argparse.Namespace:
    return argparse.Namespace(home=common.home, vault=common.vault, json=False)


def _write_captures(chosen: argparse.Namespace) -> None:
    """Write what hooks have spooled; usually after the command's answer, so that nobody waits for it."""
    try:
        home = home_folder(chosen.home, os.environ, os.environ.get("MEMORO_AGENT"))
        if not _has_captures(home):
            return
        sys.stdout.flush()
        from memoro import hooks, opening

        with opening.open(chosen.home, chosen.vault) as m:
            hooks.write_captures(m)
    except (MemoroError, OSError):  # it stays in the spool; `doctor` reports it
        pass


def _has_captures(home: str) -> bool:
    """Return whether hooks have noted something that nobody has written yet, or a session has not gone on."""
    with suppress(FileNotFoundError):
        if os.stat(os.path.join(home, SPOOL)).st_size:
            return True
    if not os.path.exists(os.path.join(home, UNENDED)):
        return False
    import time

    from memoro.hooks import unended

    return unended.has_idle(home, now=time.time())


def _refuse_other_encodings(chosen: argparse.Namespace) -> None:
    """Refuse arguments that are not UTF-8, except for names of files, which may have any bytes."""
    for name, value in vars(chosen).items():
        if name in _FILE_NAMES:
            continue
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and not text.isascii() and not is_text(text):
                shown = text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
                raise ConfigError(
                    f"The argument '{shown}' is not text in UTF-8. Type it in a terminal that is set to UTF-8, or "
                    "convert it with iconv."
                )


def _guarded(chosen: argparse.Namespace) -> int:
    try:
        _refuse_other_encodings(chosen)
        code: int = chosen.run(chosen)
        return code
    except WaitsInOutbox as kept:
        if getattr(chosen, "json", False):
            from memoro import documents

            print(documents.dumps({"outbox": kept.number, "message": str(kept)}))
        else:
            say(str(kept), hang=0)
        return 0
    except MemoroError as error:
        sentence = error.at_a_terminal if isinstance(error, NeedsConsent) else str(error)
        if getattr(chosen, "json", False):
            from memoro import documents

            print(documents.dumps({"error": {"type": type(error).__name__, "message": sentence}}))
        say(f"memoro: {sentence}", hang=0, file=sys.stderr)
        return next(code for kind, code, _ in EXIT_CODES if isinstance(error, kind))
    except OSError as error:
        if is_out_of_space(error):
            say(f"memoro: {StorageFull(str(error.filename or 'the output'))}", hang=0, file=sys.stderr)
            return STORE
        if not is_out_of_files(error):
            raise
        print(f"memoro: {MANY_FILES}. {remedy(error, '')}", file=sys.stderr)
        return STORE


def parser_of(name: str, given: Sequence[str] = ()) -> Parser:
    """The parser of one command, made from its operations or by the module that holds it.

    With the arguments that it will be `given`, it may know only the action that they begin with.
    """
    parser = Parser(f"memoro {name}", COMMANDS[name])
    if name in PROCESSES:
        getattr(import_module(f"memoro.cli.{PROCESSES[name][0]}"), f"configure_{name}")(parser)
    else:
        from memoro.cli.command import configure_command

        configure_command(parser, name, given)
    for one in (parser, *parsers_of_actions(parser)):
        _add_places(one)
    return parser


def _add_places(parser: argparse.ArgumentParser) -> None:
    places = parser.add_argument_group("places")
    places.add_argument(
        "--home",
        metavar="DIR",
        default=argparse.SUPPRESS,
        help="Memoro's own folder (MEMORO_HOME, else ~/.memoro).",
    )
    places.add_argument(
        "--vault",
        metavar="DIR",
        default=argparse.SUPPRESS,
        help="Your folder of notes (MEMORO_VAULT, else the one of `init`).",
    )


def _before_command(arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """Split off what stands before the command: `memoro --home DIR search …` means `memoro search --home DIR …`."""
    common = argparse.Namespace(home=None, vault=None, version=False)
    position = 0
    while position < len(arguments) and arguments[position].startswith("--") and arguments[position] != "--help":
        option, value = arguments[position], arguments[position + 1 : position + 2]
        if option in ("--home", "--vault") and value and not value[0].startswith("-"):
            setattr(common, option[2:], value[0])
            position += 2
        elif option == "--version":
            common.version = True
            position += 1
        else:
            return _parse_before_command(arguments)
    return common, arguments[position:]


def _parse_before_command(arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """The same for unusual spellings and for mistakes, which argparse explains."""
    parser = Parser("memoro")
    parser.add_argument("--home")
    parser.add_argument("--vault")
    parser.add_argument("--version", action="store_true")
    position = 0
    while position < len(arguments) and arguments[position].startswith("--") and arguments[position] != "--help":
        position += 2 if arguments[position] in ("--home", "--vault") else 1
    return parser.parse_args(arguments[:position]), arguments[position:]


def _help(rest: list[str]) -> list[str]:
    """Print the overview, or return the arguments that print the help of one command: `help memory store`."""
    named = rest[1:]
    if named and named[0] in COMMANDS:
        return [*named, "--help"]
    if named[:1] not in ([], ["all"]):
        return named
    from memoro.cli.groups import overview

    for line in overview(COMMANDS, everything=named == ["all"]).split("\n"):
        say(line, hang=15 if line.startswith("  ") else 0)
    return []


def _similar(name: str) -> str:
    from memoro.cli.groups import SYNONYMS
    from memoro.model.suggestion import closest

    found = SYNONYMS.get(name) or closest(name, COMMANDS)
    return f" Did you mean `memoro {found}`?" if found else " `memoro --help` lists them."


def _write_anything(stream: TextIO) -> None:
    """Escape what the terminal's encoding cannot show, in names and notes, rather than fail."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure:
        reconfigure(errors="backslashreplace")
