"""The parser of the command line: errors that say what was meant, and help that ends with examples."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from memoro.cli.lines import help_columns, say

USAGE = 2
WIDEST_CHOICES = 24  # characters of choices that are shown where an argument is named

# argparse would load a catalogue of translations for its own few words, which takes a millisecond at every start.
argparse._ = lambda text: text  # type: ignore[attr-defined]


class HelpLayout(argparse.HelpFormatter):
    """Help as wide as the terminal. Long lists of choices stand in the text, where they can be wrapped."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=help_columns())

    def _metavar_formatter(self, action: argparse.Action, default_metavar: str) -> Callable[[int], tuple[str, ...]]:
        if _has_many_choices(action):
            return lambda size: (str(action.metavar or action.dest).upper(),) * size
        if not action.option_strings and not action.choices:
            default_metavar = (default_metavar or "").upper()  # None while an argument is added
        return super()._metavar_formatter(action, default_metavar)

    def _get_help_string(self, action: argparse.Action) -> str | None:
        if not _has_many_choices(action) or not action.choices:
            return action.help
        return f"{action.help or ''} One of {_listed([str(one) for one in action.choices], 'or')}.".strip()


def _has_many_choices(action: argparse.Action) -> bool:
    if not action.choices or isinstance(action, argparse._SubParsersAction):
        return False
    return len(",".join(map(str, action.choices))) > WIDEST_CHOICES


class Parser(argparse.ArgumentParser):
    """argparse, with errors as a sentence that says what to do, and help with examples."""

    def __init__(self, prog: str, description: str | None = None) -> None:
        super().__init__(prog, description=description, formatter_class=HelpLayout, allow_abbrev=False)
        self._positionals.title = "arguments"
        self._typed: list[str] = []

    def format_help(self) -> str:
        from memoro.cli.examples import WHEN, examples_of

        name = self.prog.removeprefix("memoro ")
        about, self.description = self.description, " ".join(filter(None, [self.description, WHEN.get(name)]))
        self.usage = " ".join(["%(prog)s", *map(_placeholder, self._get_positional_actions()), "[OPTIONS]"])
        shown = "".join(f"  {one}\n" for one in examples_of(name, self._action_names()))
        text = super().format_help() + (f"\nexamples:\n{shown}" if shown else "")
        self.description = about
        return text

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse as argparse does. A last argument that may be left out may also stand behind options."""
        self._typed = list(args or ())
        found, extra = super().parse_known_args(args, namespace)
        for action in self._get_positional_actions():
            is_open = action.nargs == "?" and getattr(found, action.dest, None) is action.default
            if is_open and len(extra) == 1 and not extra[0].startswith("-"):
                setattr(found, action.dest, self._get_value(action, extra.pop()))
        if extra and self.prog.count(" ") > 1:  # the help of the action says more than that of its command
            self.error(f"unrecognized arguments: {' '.join(extra)}")
        return found, extra

    def error(self, message: str) -> NoReturn:
        missing = message.removeprefix("the following arguments are required: ")
        unknown = message.removeprefix("unrecognized arguments: ")
        if missing != message and "ACTION" in missing.split(", "):
            message = f"`{self.prog}` needs an action: {_listed(self._action_names(), 'or')}"
        elif missing != message:
            message = f"`{self.prog}` needs {self._named(missing)}"
        elif unknown != message:
            message = self._unknown(unknown.split(" "))
        else:
            name, colon, rest = message.removeprefix("argument ").partition(":")
            name = name.upper() if any(name == one.dest for one in self._get_positional_actions()) else name
            message = f"{name}{colon}{rest}".replace(": expected one argument", " needs a value")
        end = "" if message.endswith("?") else "."
        say(f"memoro: {message}{end} `{self.prog} --help` shows how to use it.", hang=0, file=sys.stderr)
        self.exit(USAGE)

    def _named(self, missing: str) -> str:
        """The arguments that are missing; with the words to choose from, where it is one."""
        if missing.startswith("-"):
            return missing
        if ", " in missing:
            return _listed([name.upper() if name.islower() else name for name in missing.split(", ")])
        one = next((one for one in self._get_positional_actions() if _goes_by(one, missing)), None)
        choices = f": {_listed([str(word) for word in one.choices], 'or')}" if one and one.choices else ""
        return f"{missing.upper() if missing.islower() else missing}{choices}"

    def _unknown(self, extra: Sequence[str]) -> str:
        """The sentence about arguments that nobody takes: the first option among them, or a word too many."""
        option = next((one.partition("=")[0] for one in extra if one.startswith("-")), None)
        if option is None:
            return f"{extra[0]!r} is one word too many; {self._way_with_more(extra)}"
        from memoro.model.suggestion import closest

        parsers = [self, *parsers_of_actions(self)]
        known = dict.fromkeys(name for one in parsers for name in one._option_string_actions)
        found = closest(option, [name for name in known if name.startswith("--")])
        return f"there is no option {option}" + (f". Did you mean {found}?" if found else "")

    def _way_with_more(self, extra: Sequence[str]) -> str:
        """Return the advice for extra words: the command for several proposals, or quotes."""
        decision = self.prog.removeprefix("memoro ")
        if decision not in ("accept", "reject") or not all(map(str.isdecimal, extra)):
            return "quote words that belong together"
        numbers = " ".join(one for one in self._typed if one.isdecimal())
        return f"`memoro review --{decision} {numbers}` decides on several"

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Reject what is none of the choices, and name the one that was meant."""
        if action.choices is None or value in action.choices:
            return
        from memoro.model.suggestion import closest

        known = [str(one) for one in action.choices]
        found = closest(str(value), known)
        if isinstance(action, argparse._SubParsersAction):
            if unknown := self._unknown_options_before(str(value)):
                raise argparse.ArgumentError(None, self._unknown(unknown))
            if rest := [one.removeprefix(f"{value} ") for one in known if one.startswith(f"{value} ")]:
                raise argparse.ArgumentError(None, f"`{self.prog} {value}` needs an action: {_listed(rest, 'or')}")
            hint = f". Did you mean `{self.prog} {found}`?" if found else f"; it has {_listed(known)}"
            raise argparse.ArgumentError(None, f"`{self.prog}` has no action {value!r}{hint}")
        hint = f". Did you mean {found}?" if found else ""
        name = "/".join(action.option_strings) or str(action.metavar or action.dest).upper()
        raise argparse.ArgumentError(None, f"{name} is {_listed(known, 'or')}, not {value!r}{hint}")

    def _unknown_options_before(self, word: str) -> list[str]:
        """The options before a word that nobody takes: the word may be the value of one."""
        before = self._typed[: self._typed.index(word)] if word in self._typed else []
        named = [one for one in before if one.startswith("-")]
        return [one for one in named if one.partition("=")[0] not in self._option_string_actions]

    def _action_names(self) -> list[str]:
        return [one.prog.removeprefix(f"{self.prog} ") for one in parsers_of_actions(self)]


def _placeholder(action: argparse.Action) -> str:
    """A positional argument in the usage: `TEXT…` may be many words, `[N]` may be left out."""
    if isinstance(action, argparse._SubParsersAction):
        return "ACTION …" if action.required else "[ACTION]"
    short = action.choices and not action.metavar and not _has_many_choices(action)
    name = "|".join(map(str, action.choices or ())) if short else str(action.metavar or action.dest.upper())
    return {"?": f"[{name}]", "+": f"{name}…", "*": f"[{name}…]"}.get(str(action.nargs), name)


def _goes_by(action: argparse.Action, missing: str) -> bool:
    """Return whether argparse names this argument so where it is missing."""
    return missing.upper() in (_placeholder(action), action.dest.upper())


def parsers_of_actions(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """The parsers of a command's actions, such as `memory store`."""
    found = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return [inner for action in found for inner in action.choices.values()]


def _listed(known: Sequence[str], last: str = "and") -> str:
    return known[0] if len(known) == 1 else f"{', '.join(known[:-1])} {last} {known[-1]}"
