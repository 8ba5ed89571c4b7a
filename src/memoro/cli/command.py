"""A command made from an operation: its arguments, the request they make, the call, and what is printed."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

from memoro import opening, operations
from memoro.cli.options import add_json, number
from memoro.cli.output import agent_filter
from memoro.errors import MemoroError, Refused
from memoro.model.vocabulary import PERSON
from memoro.operations.fields import FieldSpec, JsonType, specs
from memoro.operations.operation import AnyOperation, Caller, Operation, Request, Result

if TYPE_CHECKING:
    from memoro.cli.show import ProgressBar
    from memoro.workspace import Workspace

NOTHING_FOUND = 1
PROBLEM = 1
NEEDS_CONSENT = 5
_CALLER = "caller_"  # before the name of an option about the caller, which a request may use too
Readers = Mapping[str, Callable[[Any], object]]  # by field: makes its value from the argument
NO_READERS: Readers = {}
Run = Callable[[argparse.Namespace], int]


def succeed(_result: object, _request: object) -> int:
    return 0


def command(
    operation: Operation[Request, Result],
    show: Callable[[Result, Request], None],
    exit_code: Callable[[Result, Request], int] = succeed,
    readers: Readers = NO_READERS,
    progress: str | None = None,
) -> Run:
    """Make the command of an operation: it returns the exit code.

    `show` prints the result for people. `readers` make fields of the request from the arguments or from standard
    input. `progress` is what a bar says while the operation runs.
    """

    def run(chosen: argparse.Namespace) -> int:
        request = _request(operation, chosen, readers)
        caller = _caller(operation, chosen)
        caller = caller._replace(output=_write, folder=_working_folder(), filter=agent_filter())
        with (
            opening.open(
                chosen.home, chosen.vault, agent=caller.agent, project=caller.project, notify=_say_why_it_waits
            ) as m,
            _progress(progress) as bar,
        ):
            # Before it, so that `undo` means this command; and never before an `undo`, which would mean the move.
            if operation.is_write and operation.name != "undo":
                with suppress(MemoroError):
                    m.archive_old_days()
            if bar is not None:
                caller = caller._replace(progress=bar.advance, filling=bar.filling, downloading=bar.downloading)
            result = operation.run(m, request, caller)
            notices = (*m.upkeep_notices(), *_stale(m, operation, result))
        if chosen.json:
            from memoro import documents

            print(documents.dumps(operation.document(result)))
        else:
            show(result, request)
        for notice in notices:
            print(f"memoro: {notice.removesuffix('.')}.", file=sys.stderr)
        return exit_code(result, request)

    return run


def _stale(m: Workspace, operation: AnyOperation, result: object) -> list[str]:
    """Why the answer of a command may be old, where it does not say so itself."""
    stale = m.staleness()
    if stale is None:
        return []
    from memoro.model.ledger import tells_staleness

    document = operation.document(result)
    said = (*document.get("degraded", ()), *document.get("notices", ()))
    return [] if tells_staleness(said) else [stale]


def _working_folder() -> str | None:
    try:
        return os.getcwd()
    except OSError:  # it was deleted
        return None


def _progress(what: str | None) -> AbstractContextManager[ProgressBar | None]:
    if what is None:
        return nullcontext()
    from memoro.cli.show import progress_bar

    return progress_bar(what)


def _run(operation: AnyOperation, chosen: argparse.Namespace) -> int:
    """Run an operation with the view that `cli/` has for it; without one, print its document."""
    topic, _ = operations.COMMANDS[operation.name.partition(" ")[0]]
    try:
        views: dict[str, Run] = import_module(f"memoro.cli.{topic}").VIEWS
    except ModuleNotFoundError:
        views = {}
    found = views.get(operation.name) or command(operation, lambda result, _: _show_document(operation, result))
    return found(chosen)


def _show_document(operation: AnyOperation, result: object) -> None:
    from memoro.cli.show import printable

    for name, value in operation.document(result).items():
        print(printable(f"{name}: {value}"))


def _say_why_it_waits(sentence: str) -> None:
    print(f"memoro: {sentence}", file=sys.stderr, flush=True)


def _write(text: str) -> object:
    return sys.stdout.buffer.write(text.encode())


def configure_command(parser: argparse.ArgumentParser, command: str, given: Sequence[str] = ()) -> None:
    """Make the parser of a command from its operations: of the one of its own name, and an action for each other.

    If `given`, the arguments to parse, begin with an action, the other actions are left out: that is quicker.
    """
    found = operations.of_command(command)
    own = [one for one in found if one.name == command]
    rest = [one for one in found if one.name != command]
    if own:
        _configure(parser, own[0])
    else:
        add_json(parser)
    if not rest:
        return
    actions = parser.add_subparsers(title="what to do", metavar="ACTION", required=not own)
    named = [one for one in rest if one.name == f"{command} {given[0]}"] if given else []
    for one in named or rest:
        action = actions.add_parser(one.name.partition(" ")[2], help=one.summary, description=one.summary)
        _configure(action, one)


def action_first(command: str, given: Sequence[str]) -> list[str]:
    """The arguments of a group of operations with its action in front: `config --agent A show` is allowed too."""
    actions = {one.name.partition(" ")[2] for one in operations.of_command(command)}
    position = 0
    while position < len(given) and given[position].startswith("-"):
        has_value = given[position] not in ("--json", "-h", "--help") and "=" not in given[position]
        position += 2 if has_value else 1
    if position < len(given) and given[position] in actions - {""}:
        return [given[position], *given[:position], *given[position + 1 :]]
    return list(given)


def whole_action(command: str, given: Sequence[str]) -> list[str]:
    """The arguments with an action of two words, such as `tenant add`, as one of them."""
    if len(given) > 1 and any(
        one.name == f"{command} {given[0]} {given[1]}" for one in operations.of_command(command)
    ):
        return [f"{given[0]} {given[1]}", *given[2:]]
    return list(given)


def _configure(parser: argparse.ArgumentParser, operation: AnyOperation) -> None:
    """Add every argument of an operation to its parser."""
    groups: dict[str, argparse._ArgumentGroup] = {}
    for spec in specs(operation.request):
        field = spec.field
        if field.internal or (field.stdin and not field.positional):
            continue
        place: argparse._ActionsContainer = parser
        if field.group is not None:
            place = groups.get(field.group) or groups.setdefault(field.group, parser.add_argument_group(field.group))
        names = [spec.name] if field.positional or field.words else _flags(spec)
        place.add_argument(*names, **_settings(spec))
    for option in operation.options:
        parser.add_argument(
            *filter(None, [option.flag, option.alias]),
            dest=_CALLER + option.name,
            metavar=option.metavar,
            default=option.default,
            help=option.help,
        )
    add_json(parser)
    completes = operation.is_write or operation.completes_sessions
    parser.set_defaults(run=lambda chosen: _run(operation, chosen), completes_sessions=completes)


def _flags(spec: FieldSpec) -> list[str]:
    if spec.field.flags:
        return list(spec.field.flags)
    name = spec.name.replace("_", "-")
    return [f"--no-{name}" if spec.default is True else f"--{name}"]


def _settings(spec: FieldSpec) -> dict[str, Any]:
    """The keyword arguments of `add_argument` for a field."""
    field = spec.field
    chosen: dict[str, Any] = {"help": field.help}
    is_positional = field.positional or field.words
    if not is_positional:
        chosen |= {"dest": spec.name, "default": None if spec.is_required else spec.default}
        chosen |= {"required": True} if spec.is_required else {}
    if spec.type == "boolean":
        return {**chosen, "action": "store_false" if spec.default is True else "store_true"}
    choices = field.choices or spec.values
    chosen |= {"choices": choices} if choices else {}
    chosen |= {"metavar": field.metavar} if field.metavar else {}
    if kind := _type(spec):
        chosen["type"] = kind
    if is_positional:
        is_optional = not spec.is_required or field.stdin
        several = field.words or spec.many
        return (
            {**chosen, "nargs": "*" if is_optional else "+"}
            if several
            else (
                {**chosen, "nargs": "?", "default": None if field.stdin else spec.default} if is_optional else chosen
            )
        )
    if field.several:
        return {**chosen, "action": "extend", "nargs": "+", "default": []}
    return {**chosen, "action": "append", "default": []} if spec.many and not field.comma_separated else chosen


def _type(spec: FieldSpec) -> Callable[[str], object] | None:
    prefix, least, most = spec.field.prefix, spec.field.least, spec.field.most
    makers: dict[JsonType, Callable[[str], object]] = {
        "integer": lambda text: _limit(text) if spec.name == "limit" else number(text.removeprefix(prefix)),
        "number": lambda text: _share(text, least, most),
    }
    maker = makers.get(spec.type)
    if maker is None or not spec.field.comma_separated:
        return maker
    return lambda text: [maker(part) for part in text.replace(" ", "").split(",") if part]


def _limit(text: str) -> int:
    """A list of nothing would say that nothing is stored."""
    if (value := number(text)) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return value


def _share(text: str, least: float | None, most: float | None) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if least is None or most is None:
        return value
    if not least <= value <= most:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from {least:g} to {most:g}")
    return value


def _request(operation: Operation[Request, Result], chosen: argparse.Namespace, readers: Readers) -> Request:
    """The request that the arguments make; what `readers` has is read from elsewhere or parsed further."""
    values: dict[str, object] = {}
    for spec in specs(operation.request):
        value = getattr(chosen, spec.name, None)
        if spec.name in readers:
            value = readers[spec.name](value)
        elif spec.field.words:
            value = " ".join(value or ()) if value or spec.is_required else None
        elif spec.many:
            value = tuple(value or ())
        elif spec.field.internal:
            continue
        values[spec.name] = value
    return operation.request(**values)


def _caller(operation: AnyOperation, chosen: argparse.Namespace) -> Caller:
    caller = Caller(**{option.name: getattr(chosen, _CALLER + option.name) for option in operation.options})
    if not os.environ.get("MEMORO_AGENT"):
        return caller
    # Whoever set an agent's environment up decided what it may do, and not the agent's own word.
    if operation.access == "admin":
        raise Refused(
            f"`memoro {operation.name}` is for a person, and MEMORO_AGENT says that this is an agent's shell. "
            "Ask the user to run it in their own."
        )
    bound = os.environ.get("MEMORO_PROJECT")
    if bound and operation.is_write and caller.project not in (None, bound):
        raise Refused(f"This agent's shell is bound to project {bound} by MEMORO_PROJECT. Leave out --project.")
    return caller._replace(source="agent") if caller.source == PERSON else caller
