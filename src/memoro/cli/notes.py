"""`memoro remember|pin|edit|remove|forget|daily|note|proposals|accept|reject`: what is written into the vault."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from memoro.cli.options import add_json, number, opened
from memoro.cli.show import printable
from memoro.errors import ConfigError
from memoro.model.proposals import Proposal
from memoro.notes.entries import Remembered

NEEDS_CONSENT = 5


def _add_by(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--by", default="user", metavar="SOURCE",
        help="Who writes. Any other than user is an agent, which proposes changes to always-loaded files (user).",
    )  # fmt: skip


def configure_remember(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", nargs="+", help="One fact or rule, in a sentence.")
    parser.add_argument("--tier", choices=("semantic", "procedural"), default="semantic",
                        help="What is true, or how things are to be done (semantic).")  # fmt: skip
    parser.add_argument("--section", metavar="HEADING", help="The heading to put it under.")
    _add_by(parser)
    add_json(parser)
    parser.set_defaults(run=_remember)


def configure_pin(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", nargs="+", help="What must not be missed.")
    _add_by(parser)
    add_json(parser)
    parser.set_defaults(run=_remember, tier="pinned", section=None)


def configure_edit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="An entry's id, as search shows it behind ^, or memory:N.")
    parser.add_argument("text", nargs="+", help="What it is to say from now on.")
    _add_by(parser)
    add_json(parser)
    parser.set_defaults(run=_edit)


def configure_remove(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="An entry's id, memory:N or experience:N. `undo` brings it back.")
    _add_by(parser)
    add_json(parser)
    parser.set_defaults(run=_remove)


def configure_forget(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id",
        metavar="ID",
        help="An entry's id, memory:N, experience:N, or a message's id from a search. It cannot be undone.",
    )
    parser.add_argument("--yes", action="store_true", help="Do it.")
    parser.add_argument("--dry-run", action="store_true", help="Only show what would go.")
    add_json(parser)
    parser.set_defaults(run=_forget)


def configure_daily(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", nargs="+", help="What happened; the time is put before it.")
    _add_by(parser)
    add_json(parser)
    parser.set_defaults(run=_daily)


def configure_note(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(title="what to do", metavar="ACTION", required=True)
    for name, summary, more in (
        ("new", "Make a note where there is none.", ("text",)),
        ("edit", "Give a note another text, or put one stretch of it in other words.", ("text", "old", "expected")),
        ("move", "Give a note another path.", ("new",)),
        ("delete", "Take a note out of the vault; `memoro undo` brings it back.", ()),
        ("restore", "Make a note what it was at a time.", ("at",)),
    ):
        one = actions.add_parser(name, help=summary, description=summary)
        one.add_argument("path", metavar="PATH", help="Where it stands, counted from the vault.")
        if "text" in more:
            one.add_argument("text", nargs="?", help="Its text; - or nothing: from standard input.")
        if "old" in more:
            one.add_argument("--old", metavar="TEXT", help="Replace only this, which must be there exactly once.")
            one.add_argument("--expected", metavar="SHA256", help="Only if the note still has this digest.")
        if "new" in more:
            one.add_argument("new", metavar="NEW", help="Its new path.")
        if "at" in more:
            one.add_argument("--at", required=True, metavar="WHEN", help="2026-03-05, 2026-03-05T14:30, yesterday.")
        _add_by(one)
        add_json(one)
        one.set_defaults(run=_note, action=name)


def configure_proposals(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="Those that are settled too.")
    add_json(parser)
    parser.set_defaults(run=_proposals)


def configure_accept(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("number", type=number, metavar="N", help="The number of a proposal.")
    add_json(parser)
    parser.set_defaults(run=_accept)


def configure_reject(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("number", type=number, metavar="N", help="The number of a proposal.")
    add_json(parser)
    parser.set_defaults(run=_reject)


def _remember(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        made = m.remember(" ".join(chosen.text), tier=chosen.tier, section=chosen.section, by=chosen.by)
    return _show(chosen, made, "remembered" if made.new else "was there already")


def _edit(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        made = m.edit(chosen.id, " ".join(chosen.text), by=chosen.by)
    return _show(chosen, made, "edited")


def _remove(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        made = m.remove(chosen.id, by=chosen.by)
    return _show(chosen, made, "removed; `memoro undo` brings it back")


def _show(chosen: argparse.Namespace, made: Remembered, what: str) -> int:
    if chosen.json:
        from memoro import documents

        print(documents.dumps(documents.remembered(made)))
        return 0
    if made.proposal is not None and made.change is None:
        print(f"proposal {made.proposal}: {printable(made.text)}")
        print(f"   `memoro accept {made.proposal}` writes it into {printable(made.path)}")
    else:
        line = f":{made.line}" if made.line else ""
        own = "" if made.id == made.path else f"  ^{made.id}"  # a memory is its own place
        print(f"{printable(made.path)}{line}  {printable(made.text)}{own}\n   {what}")
    _show_redacted(made.redacted)
    return 0


def _show_redacted(redacted: Sequence[str]) -> None:
    if redacted:
        print(f"   taken out before it was written: {', '.join(redacted)}")


def _forget(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        found = m.forget(chosen.id, yes=chosen.yes, dry_run=chosen.dry_run or not chosen.yes)
    if chosen.json:
        from memoro import documents

        print(documents.dumps(documents.forget_result(found)))
    else:
        print(("Forgotten: " if found.done else "To be forgotten: ") + chosen.id)
        if not found.done:
            print(f"   {printable(found.text)}")
        if found.backups:
            print(f"Still in these backups, until you delete them: {', '.join(found.backups)}")
    if found.done or chosen.dry_run:
        return 0
    print("memoro: this cannot be undone; add --yes to do it.", file=sys.stderr)
    return NEEDS_CONSENT


def _daily(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        made = m.daily.add(" ".join(chosen.text), by=chosen.by)
    if chosen.json:
        from memoro import documents

        print(documents.dumps({**made._asdict(), "redacted": list(made.redacted)}))
    else:
        print(f"{printable(made.path)}  {printable(made.line)}")
        _show_redacted(made.redacted)
    return 0


def _note(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        notes, by = m.notes, chosen.by
        if chosen.action == "new":
            made = notes.new(chosen.path, _text(chosen.text), by=by)
        elif chosen.action == "edit":
            text = _text(chosen.text, whole=chosen.old is None)
            made = notes.edit(chosen.path, text, old=chosen.old, expected=chosen.expected, by=by)
        elif chosen.action == "move":
            made = notes.move(chosen.path, chosen.new, by=by)
        elif chosen.action == "delete":
            made = notes.delete(chosen.path, by=by)
        else:
            made = notes.restore(chosen.path, chosen.at, by=by)
    if chosen.json:
        from memoro import documents

        print(documents.dumps({**made._asdict(), "redacted": list(made.redacted)}))
    else:
        past = {"new": "made", "edit": "edited", "move": "moved", "delete": "deleted", "restore": "restored"}
        done = f"{past[chosen.action]}, change {made.change}" if made.change else "is so already"
        print(f"{printable(made.path)}  {done}")
        _show_redacted(made.redacted)
    return 0


def _text(given: str | None, *, whole: bool = True) -> str:
    """What to write; a whole note ends with a line's end."""
    if given is not None and given != "-":
        return given if given.endswith("\n") or not whole else f"{given}\n"
    if sys.stdin.isatty():
        raise ConfigError("Give the text, or send it to standard input.")
    return sys.stdin.read()


def _proposals(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        found = m.entries.proposals(None if chosen.all else "open")
    if chosen.json:
        from memoro import documents

        print(documents.dumps({"proposals": [one._asdict() for one in found]}))
        return 0
    for one in found:
        print(printable(_line(one)))
    if not found:
        print("No proposals wait for your word.")
    return 0


def _line(one: Proposal) -> str:
    about = one.detail.get("text") or f"^{one.detail.get('id')}"
    state = "" if one.state == "open" else f"  {one.state}"
    return f"{one.id}. {one.operation} in {one.detail.get('path')}, by {one.actor}: {about}{state}"


def _accept(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        made = m.entries.accept(chosen.number)
    return _show(chosen, made, "accepted; `memoro undo` takes it back")


def _reject(chosen: argparse.Namespace) -> int:
    with opened(chosen) as m:
        proposal = m.entries.reject(chosen.number)
    if chosen.json:
        from memoro import documents

        print(documents.dumps(proposal._asdict()))
    else:
        print(printable(_line(proposal)))
    return 0
