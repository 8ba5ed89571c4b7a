"""`memoro connect` and `memoro disconnect`."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Mapping
from typing import NamedTuple

from memoro.cli.options import add_json, opened
from memoro.connect import claude, hosts, plan
from memoro.connect.hosts import HOSTS, PROFILES, PROJECT, USER, Place, Target, Wanted
from memoro.connect.plan import Change
from memoro.errors import NeedsConsent
from memoro.store.folder import make_home

DEFAULT_HOME = "~/.memoro"


class Work(NamedTuple):
    """What would be done, as a person is shown it."""

    changes: tuple[Change, ...] = ()
    runs: tuple[claude.Run, ...] = ()
    notices: tuple[str, ...] = ()


def configure_connect(parser: argparse.ArgumentParser) -> None:
    _add_common(parser)
    parser.add_argument("--print", action="store_true", dest="only_print", help="Only print what belongs where.")
    parser.add_argument("--no-mcp", action="store_true", help="Without the MCP server.")
    parser.add_argument("--no-hooks", action="store_true", help="Without hooks, where the program has them.")
    parser.add_argument("--profile", choices=PROFILES, default="default", help="Which tools the MCP server offers.")
    parser.set_defaults(run=_connect)


def configure_disconnect(parser: argparse.ArgumentParser) -> None:
    _add_common(parser)
    parser.set_defaults(run=_disconnect)


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("host", choices=list(HOSTS), help="The program.")
    parser.add_argument(
        "--scope",
        choices=[USER, PROJECT],
        help="For all that you do, or in the folder you are in alone. `connect` takes `user` if you do not say, "
        "`disconnect` both.",
    )
    parser.add_argument("-y", "--yes", action="store_true", help="Do not ask.")
    add_json(parser)


def _connect(chosen: argparse.Namespace) -> int:
    environment, host = dict(os.environ), HOSTS[chosen.host]
    with opened(chosen) as m:
        home, has_vault = m.home, bool(m.settings.vault.path)
    wanted = Wanted(_program(chosen, environment, home), not chosen.no_mcp, not chosen.no_hooks, chosen.profile)
    place = Place(environment, os.getcwd(), chosen.scope or host.scopes[0])
    targets = hosts.targets(chosen.host, place, wanted)
    if chosen.only_print:
        return _print_only(chosen, place, wanted, targets)
    known = plan.known(home)
    found = (plan.connecting(target, known.get(target.file)) for target in targets)
    changes = tuple(change for change in found if change)
    runs, notices = _claude_adds(chosen, place, wanted)
    work = Work(changes, tuple(runs), (*notices, *_missing(wanted, has_vault)))
    done = _carry_out(chosen, work, home, environment)
    if not chosen.json:
        _tell_connected(chosen, done, work)
    return 0


def _disconnect(chosen: argparse.Namespace) -> int:
    environment, host = dict(os.environ), HOSTS[chosen.host]
    with opened(chosen) as m:
        home = m.home
    known, runs = plan.known(home), []
    changes: dict[str, Change] = {}  # one for each file: whoever works at home has both scopes in one
    for scope in [chosen.scope] if chosen.scope else host.scopes:
        place = Place(environment, os.getcwd(), scope)
        for target in hosts.targets(chosen.host, place, Wanted(("memoro",))):
            if change := plan.disconnecting(target, known.get(target.file)):
                changes.setdefault(os.path.realpath(target.file), change)
        program = _claude(chosen, place)
        if program and claude.knows(program, environment):
            runs += claude.removing(program)
    work = Work(tuple(changes.values()), tuple(runs))
    done = _carry_out(chosen, work, home, environment)
    if not chosen.json:
        print(f"{host.title} is disconnected." if done else f"{host.title} is not connected; nothing to change.")
    return 0


def _carry_out(chosen: argparse.Namespace, work: Work, home: str, environment: Mapping[str, str]) -> bool:
    """Show, ask and do it; whether there was anything to do."""
    wanted = bool(work.changes or work.runs)
    if not chosen.json:
        for change in work.changes:
            print(change.diff)
        for run in work.runs:
            print(f"$ {run}\n")
    if wanted:
        _ask(chosen)
        make_home(home)
        plan.carry_out(home, work.changes)
        claude.carry_out(work.runs, environment)
    if chosen.json:
        from memoro import documents

        print(documents.dumps(_as_json(chosen, work)))
    return wanted


def _as_json(chosen: argparse.Namespace, work: Work) -> dict[str, object]:
    return {
        "host": chosen.host,
        "changed": bool(work.changes or work.runs),
        "files": [{"file": change.file, "diff": change.diff} for change in work.changes],
        "commands": [str(run) for run in work.runs],
        "notices": list(work.notices),
    }


def _ask(chosen: argparse.Namespace) -> None:
    if chosen.yes:
        return
    if chosen.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise NeedsConsent("Nothing was changed: nobody could be asked. Add --yes to do it without asking.")
    try:
        answer = input("Do this? [y/N] ").strip().lower()
    except EOFError:
        answer = ""
    if answer not in ("y", "yes"):
        raise NeedsConsent("Nothing was changed.")


def _tell_connected(chosen: argparse.Namespace, done: bool, work: Work) -> None:
    host = HOSTS[chosen.host]
    print(f"{host.title} is connected. {host.after}." if done else f"{host.title} is connected; nothing to change.")
    for notice in work.notices:
        print(f"memoro: {notice}", file=sys.stderr)
    if host.logs:
        print(f"Next: memoro transcripts add {host.logs}   # makes what was said in it findable")


def _print_only(chosen: argparse.Namespace, place: Place, wanted: Wanted, targets: list[Target]) -> int:
    shown = [(target.file, target.syntax.put("", target.items).text) for target in targets if target.items]
    runs = claude.adding("claude", wanted)[1:] if _is_claude_user(chosen, place) and wanted.mcp else []
    if chosen.json:
        from memoro import documents

        parts = [{"file": file, "text": text} for file, text in shown]
        print(documents.dumps({"host": chosen.host, "files": parts, "commands": [str(run) for run in runs]}))
        return 0
    for file, text in shown:
        print(f"In {file}:\n\n{text}")
    for run in runs:
        print(f"Run:\n\n{run}")
    return 0


def _is_claude_user(chosen: argparse.Namespace, place: Place) -> bool:
    return bool(chosen.host == "claude-code" and place.scope == USER)


def _claude(chosen: argparse.Namespace, place: Place) -> str | None:
    """Claude Code's own command, where it is needed and there."""
    return shutil.which("claude") if _is_claude_user(chosen, place) else None


def _claude_adds(chosen: argparse.Namespace, place: Place, wanted: Wanted) -> tuple[list[claude.Run], list[str]]:
    if not _is_claude_user(chosen, place):
        return [], []
    program = _claude(chosen, place)
    if program is None:
        if not wanted.mcp:
            return [], []
        by_hand = claude.adding("claude", wanted)[-1]
        return [], [
            f"The command `claude` is not on the PATH, so the MCP server is not connected. Run `{by_hand}` where "
            "it is, or use --scope project."
        ]
    environment = place.environment
    if not wanted.mcp:
        return (claude.removing(program) if claude.knows(program, environment) else []), []
    return ([] if claude.knows(program, environment, wanted) else claude.adding(program, wanted)), []


def _missing(wanted: Wanted, has_vault: bool) -> list[str]:
    from importlib.util import find_spec

    found = []
    if wanted.mcp and find_spec("mcp") is None:
        found.append("The MCP server needs a package that is missing: pip install 'memoro[mcp]'.")
    if not has_vault:
        found.append("No vault is set yet: `memoro init FOLDER` says where your notes are.")
    return found


def _program(chosen: argparse.Namespace, environment: Mapping[str, str], home: str) -> tuple[str, ...]:
    """What a host has to run to get this very Memoro on this home: it has another folder and another PATH."""
    script = os.path.abspath(sys.argv[0])
    if os.path.basename(script) == "memoro" and os.access(script, os.X_OK):
        program = [script]
    else:
        # -P: a folder that is worked in must not put its own modules before ours.
        program = [os.path.abspath(sys.executable), "-P", "-m", "memoro"]
    if home != os.path.abspath(os.path.expanduser(DEFAULT_HOME)):
        program += ["--home", home]
    vault = chosen.vault or environment.get("MEMORO_VAULT")
    if vault:
        program += ["--vault", os.path.abspath(os.path.expanduser(vault))]
    return tuple(program)
