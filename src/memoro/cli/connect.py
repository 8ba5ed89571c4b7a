"""`memoro connect` and `memoro disconnect`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from memoro import hosts
from memoro.cli.host_sources import LOGS, MEMORIES, SourceKey, added_by_connect, agrees, offer, remove
from memoro.cli.lines import say
from memoro.cli.options import add_json, opened
from memoro.errors import NeedsConsent
from memoro.model.vocabulary import TOOL_PROFILES
from memoro.store.opening import make_home

if TYPE_CHECKING:
    from memoro.config import Settings
    from memoro.connect.effects import Effect
    from memoro.connect.plan import ConnectionPlan
    from memoro.hosts.host import Host
    from memoro.hosts.settings import Registration, SettingsRoots

DEFAULT_HOME = "~/.memoro"
_SCOPES = ("user", "project")


def configure_connect(parser: argparse.ArgumentParser) -> None:
    _add_common(parser)
    parser.add_argument(
        "--print", action="store_true", dest="only_print", help="Only print which lines to add to which file."
    )
    parser.add_argument("--no-mcp", action="store_true", help="Leave out the MCP server.")
    parser.add_argument("--no-hooks", action="store_true", help="Leave out hooks.")
    parser.add_argument(
        "--profile",
        choices=TOOL_PROFILES,
        default="default",
        help="The tools of the MCP server: recall only reads, full has all (default).",
    )
    parser.add_argument(
        "--add-logs", action="store_true", help="Search your conversations with this host too, without asking."
    )
    parser.add_argument(
        "--add-memories", action="store_true", help="Search the host's own memory files too, without asking."
    )
    parser.add_argument(
        "--no-logs", action="store_true", help="Do not offer to search your conversations with this host."
    )
    parser.add_argument(
        "--no-memories", action="store_true", help="Do not offer to search the host's own memory files."
    )
    parser.add_argument(
        "--agent",
        metavar="NAME",
        help="The name of the agent; [agents.NAME] has its settings and rights (MEMORO_AGENT, else the name of "
        "the host).",
    )
    parser.add_argument(
        "--project", metavar="NAME", help="The project of all its sessions (that of the working folder)."
    )
    parser.set_defaults(run=_connect)


def configure_disconnect(parser: argparse.ArgumentParser) -> None:
    _add_common(parser)
    parser.set_defaults(run=_disconnect)


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("host", choices=list(hosts.CONNECTABLE), help="The host: the program that runs your agents.")
    parser.add_argument(
        "--scope",
        choices=_SCOPES,
        help="Connect it everywhere (user), or only in the current folder (project). Default: `connect` uses "
        "user, `disconnect` both.",
    )
    parser.add_argument("-y", "--yes", action="store_true", help="Answer yes to every question.")
    add_json(parser)


def _connect(chosen: argparse.Namespace) -> int:
    from memoro.connect import plan
    from memoro.connect.effects import effects, places
    from memoro.hosts.settings import Registration, SettingsRoots

    environment, host = dict(os.environ), hosts.load(chosen.host)
    with opened(chosen) as m:
        home, settings = m.home, m.settings
    registration = Registration(
        program=_program(chosen, environment, home),
        mcp=not chosen.no_mcp,
        hooks=not chosen.no_hooks,
        profile=chosen.profile,
        agent=chosen.agent or environment.get("MEMORO_AGENT") or host.name,
        project=chosen.project or environment.get("MEMORO_PROJECT"),
        warnings=settings.recall.warnings,
    )
    roots = SettingsRoots(environment, os.getcwd(), chosen.scope or plan.connection_of(host).scopes[0])
    if chosen.only_print:
        return _print_manual_steps(chosen, host, roots, registration)
    planned = plan.plan_connecting(host, roots, registration, home)
    planned = planned._replace(notices=(*planned.notices, *_missing(registration, bool(settings.vault.path))))
    if planned.changes_anything and not chosen.json:
        where = places(host, environment, home)
        done = registration._replace(mcp=registration.mcp and not planned.lacks_tools)
        _show_effects(effects(host, done, settings, _count_tools(registration), where), host)
    _show_and_carry_out(chosen, planned, home)
    if not chosen.json:
        if not planned.changes_anything:
            _print_notices(planned)
        _print_connected(host, planned, has_hooks=registration.hooks)
    return offer(chosen, host, settings, home)


def _disconnect(chosen: argparse.Namespace) -> int:
    from memoro.connect import plan
    from memoro.hosts.settings import SettingsRoots

    environment, host = dict(os.environ), hosts.load(chosen.host)
    with opened(chosen) as m:
        home, settings = m.home, m.settings
    scopes = [chosen.scope] if chosen.scope else plan.connection_of(host).scopes
    all_roots = tuple(SettingsRoots(environment, os.getcwd(), scope) for scope in scopes)
    planned = plan.plan_disconnecting(host, all_roots, home)
    sources = added_by_connect(home, host, settings)
    for key in sources:
        planned = planned._replace(settings=(*planned.settings, f"{key} of {home}/memoro.toml: without {host.agent}"))
    _show_and_carry_out(chosen, planned, home)
    if not chosen.json:  # before the settings change: on a full disk that may fail
        state = "is disconnected." if planned.changes_anything else "is not connected; nothing to change."
        print(f"{host.title} {state}", flush=True)
    if sources:
        remove(chosen, host, sources)
    if not chosen.json:
        _print_sources_left(host, settings, sources)
    return 0


def _print_sources_left(host: Host, settings: Settings, removed: Sequence[SourceKey]) -> None:
    """Say what of the host is still searched, because somebody else than `connect` said so."""
    if LOGS not in removed and any(one.source == host.agent for one in settings.transcripts.entries):
        print(f"Your conversations with it are still searched: `memoro transcripts remove {host.agent}` ends that.")
    if MEMORIES not in removed and host.agent in settings.vault.memories:
        print("Its own memory is still searched, as vault.memories in the settings says.")


def _show_and_carry_out(chosen: argparse.Namespace, planned: ConnectionPlan, home: str) -> None:
    """Show the plan, ask, and carry it out."""
    if not chosen.json:
        for edit in planned.edits:
            print(edit.diff)
        for run in planned.runs:
            print(f"$ {run}\n")
        for line in planned.settings:
            print(f"{line}\n")
    if planned.changes_anything:
        from memoro.connect import plan

        if not chosen.json:
            _print_notices(planned)  # before the question: whoever agrees must know what will not work
        ask(chosen)
        make_home(home)
        unrecorded = plan.carry_out(planned, home, os.environ)
        planned = planned._replace(notices=(*planned.notices, *unrecorded))
        if not chosen.json:
            _print_sentences(unrecorded)
    if chosen.json:
        from memoro import documents

        print(documents.dumps(_document(chosen.host, planned)))


def _document(host: str, planned: ConnectionPlan) -> dict[str, object]:
    return {
        "host": host,
        "changed": planned.changes_anything,
        "files": [{"file": edit.file, "diff": edit.diff} for edit in planned.edits],
        "commands": [str(run) for run in planned.runs],
        "settings": list(planned.settings),
        "notices": list(planned.notices),
    }


def ask(chosen: argparse.Namespace) -> None:
    """Ask whether to do what was shown. Raises NeedsConsent without a yes, or without a terminal to ask on."""
    if chosen.yes:
        return
    if chosen.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise NeedsConsent("Nothing was changed: there is no terminal to ask on. Add --yes to do it without asking.")
    if not agrees("Do this? [y/N] "):
        raise NeedsConsent("Nothing was changed.")


def _print_connected(host: Host, planned: ConnectionPlan, *, has_hooks: bool) -> None:
    next_step = host.connection.next_step if host.connection else ""
    if planned.lacks_tools:
        has = "has the hooks of Memoro, but not its tools" if has_hooks else "does not have the tools of Memoro"
        print(f"{host.title} {has}: the command above adds them. {next_step}.")
        return
    print(
        f"{host.title} is connected. {next_step}."
        if planned.changes_anything
        else f"{host.title} is connected; nothing to change."
    )


def _print_notices(planned: ConnectionPlan) -> None:
    _print_sentences(planned.notices)


def _print_sentences(sentences: Sequence[str]) -> None:
    for sentence in sentences:
        say(f"memoro: {sentence}", file=sys.stderr)


def _show_effects(found: Sequence[Effect], host: Host) -> None:
    say(f"Once {host.title} is connected, Memoro")
    for one in found:
        say(f"  {one.verb:7} {one.sentence}", hang=10)
    say("`memoro disconnect` ends all of this. These files change:\n")


def _count_tools(registration: Registration) -> int:
    from memoro.mcp import tools

    return len(tools.chosen(registration.profile))


def _print_manual_steps(
    chosen: argparse.Namespace, host: Host, roots: SettingsRoots, registration: Registration
) -> int:
    from memoro.connect.plan import manual_steps

    by_hand = manual_steps(host, roots, registration)
    if chosen.json:
        from memoro import documents

        parts = [{"file": file, "text": text} for file, text in by_hand.files]
        print(documents.dumps({"host": host.name, "files": parts, "commands": [str(run) for run in by_hand.runs]}))
        return 0
    for file, text in by_hand.files:
        print(f"In {file}:\n\n{text}")
    for run in by_hand.runs:
        print(f"Run:\n\n{run}")
    return 0


def _missing(registration: Registration, has_vault: bool) -> list[str]:
    from importlib.util import find_spec

    found = []
    if registration.mcp and find_spec("mcp") is None:
        found.append("The MCP server needs a package that is missing: pip install 'memoro[mcp]'.")
    if not has_vault:
        found.append("No vault is set yet: `memoro init FOLDER` says where your notes are.")
    return found


def _program(chosen: argparse.Namespace, environment: Mapping[str, str], home: str) -> tuple[str, ...]:
    """Return the command that runs this installation on this home from any folder and with any PATH."""
    script = os.path.abspath(sys.argv[0])
    if os.path.basename(script) == "memoro" and os.access(script, os.X_OK):
        program = [script]
    else:
        # -P: modules in the host's working folder must not shadow ours.
        program = [os.path.abspath(sys.executable), "-P", "-m", "memoro"]
    if home != os.path.abspath(os.path.expanduser(DEFAULT_HOME)):
        program += ["--home", home]
    vault = chosen.vault or environment.get("MEMORO_VAULT")
    if vault:
        program += ["--vault", os.path.abspath(os.path.expanduser(vault))]
    return tuple(program)
