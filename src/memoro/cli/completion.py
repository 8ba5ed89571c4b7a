"""`memoro completion`: scripts made from the parsers themselves, so that they are never out of date.

A script holds all words itself. Pressing Tab starts no Python.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from memoro.cli.command_table import COMMANDS
from memoro.cli.parser import parsers_of_actions

SHELLS = ("bash", "zsh", "fish")


class CommandWords(NamedTuple):
    """The words that may follow a command, or an action of one such as `memory store`."""

    path: str
    summary: str = ""
    # With the values to choose from; an empty tuple for free ones, None for a flag.
    options: Mapping[str, tuple[str, ...] | None] = MappingProxyType({})
    arguments: tuple[tuple[str, ...], ...] = ()  # for each place the words to choose from; none for free ones


def configure_completion(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help='The shell; for bash: eval "$(memoro completion bash)".')
    parser.set_defaults(run=_completion)


def _completion(chosen: argparse.Namespace) -> int:
    print({"bash": _bash, "zsh": _zsh, "fish": _fish}[chosen.shell](list(_commands())))
    return 0


def _commands() -> Iterator[CommandWords]:
    from memoro.cli.run import parser_of

    common: dict[str, tuple[str, ...] | None] = {"--home": (), "--vault": (), "--version": None, "--help": None}
    yield CommandWords(path="", options=common)
    yield CommandWords(path="help", summary="Explain a command.", arguments=(("all", *COMMANDS),))
    for name in COMMANDS:
        parser = parser_of(name)
        for one in (parser, *parsers_of_actions(parser)):
            yield _words_of(one)


def _words_of(parser: argparse.ArgumentParser) -> CommandWords:
    path = parser.prog.removeprefix("memoro ")
    options: dict[str, tuple[str, ...] | None] = {}
    arguments = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            continue
        values = tuple(str(one) for one in action.choices or ())
        if action.option_strings:
            names = [name for name in action.option_strings if name.startswith("--")]
            options |= dict.fromkeys(names, None if action.nargs == 0 else values)
        else:
            arguments.append(values or _known(path, action.dest))
    return CommandWords(path=path, summary=parser.description or "", options=options, arguments=tuple(arguments))


def _known(path: str, argument: str) -> tuple[str, ...]:
    """Return words for an argument whose parser takes others too."""
    from memoro import hosts
    from memoro.config.keys import keys

    if path in ("config set", "config unset") and argument == "key":
        return tuple(keys())
    if path in ("transcripts add", "transcripts remove"):
        return hosts.LOG_AGENTS
    return hosts.HOOK_AGENTS if path == "hook" else ()


def _setting_values() -> dict[str, tuple[str, ...]]:
    """Return the values of each setting that has few."""
    from memoro.config.keys import keys

    found = {name: ("true", "false") if key.type is bool else key.choices for name, key in keys().items()}
    return {name: tuple(map(str, values)) for name, values in found.items() if values}


def _paths(commands: Iterable[CommandWords]) -> list[str]:
    """Return every command and action, and the beginnings of those with several words."""
    words = (one.path.split() for one in commands if one.path)
    return list(dict.fromkeys(" ".join(all[:count]) for all in words for count in range(1, len(all) + 1)))


def _next_words(paths: Iterable[str], path: str) -> list[str]:
    """Return the words that make a longer command of this one."""
    start = f"{path} " if path else ""
    rest = (one.removeprefix(start) for one in paths if one.startswith(start) and one != path)
    return list(dict.fromkeys(one.split()[0] for one in rest))


# ------ bash and zsh: one function, in which only the names of the variables differ


def _bash(commands: list[CommandWords]) -> str:
    body = _function(commands)
    return f"""_memoro() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" found=""
  set -- "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"
{body}
  COMPREPLY=($(compgen -W "$found" -- "$current"))
}}
complete -o default -F _memoro memoro"""


def _zsh(commands: list[CommandWords]) -> str:
    body = _function(commands)
    return f"""#compdef memoro
_memoro() {{
  local current="${{words[CURRENT]}}" previous="${{words[CURRENT-1]}}"
  set -- "${{(@)words[2,CURRENT-1]}}"
  local found=""
{body}
  if [[ -n "$found" ]]; then compadd -- ${{=found}}; else _files; fi
}}
if [[ "${{funcstack[1]}}" = _memoro ]]; then _memoro "$@"; else compdef _memoro memoro; fi"""


def _function(commands: list[CommandWords]) -> str:
    """Return the lines that set `found`, from `current`, `previous` and the words before as arguments."""
    paths = _paths(commands)
    known = "|".join(f"'{path}'" for path in paths)
    with_value = [
        f"'{one.path} {name}'" for one in commands for name, values in one.options.items() if values is not None
    ]
    chosen = [(f"{one.path} {name}", values) for one in commands for name, values in one.options.items() if values]
    options = [(one.path, tuple(one.options)) for one in commands]
    places = [
        (f"{one.path} {place}", values) for one in commands for place, values in enumerate(one.arguments) if values
    ]
    nexts = [(f"{path} 0", tuple(_next_words(paths, path))) for path in ("", *paths)]
    return f"""  local given="" count=0 skip="" value="" word
  for word in "$@"; do
    if [[ -n "$skip" ]]; then skip=""; continue; fi
    case "$word" in
      -*) case "$given $word" in {"|".join(with_value)}) skip=1 ;; esac ;;
      *) case "${{given:+$given }}$word" in
           {known}) given="${{given:+$given }}$word" ;;
           *) count=$((count + 1)); value="$word" ;;
         esac ;;
    esac
  done
  if [[ -n "$skip" ]]; then
    case "$given $previous" in
{_cases(chosen)}
    esac
  elif [[ "$current" == -* ]]; then
    case "$given" in
{_cases(options)}
    esac
  else
    case "$given $count" in
{_cases(_merged([*nexts, *places]))}
      'config set 1') case "$value" in
{_cases(_setting_values().items())}
      esac ;;
    esac
  fi"""


def _merged(found: Iterable[tuple[str, tuple[str, ...]]]) -> list[tuple[str, tuple[str, ...]]]:
    """Return one entry for each name: an action and a fixed argument may stand at the same place."""
    merged: dict[str, tuple[str, ...]] = {}
    for name, words in found:
        merged[name] = (*merged.get(name, ()), *words)
    return [(name, words) for name, words in merged.items() if words]


def _cases(found: Iterable[tuple[str, tuple[str, ...]]]) -> str:
    return "\n".join(f"      '{name}') found='{' '.join(words)}' ;;" for name, words in found)


# ------ fish


def _fish(commands: list[CommandWords]) -> str:
    paths = _paths(commands)
    summaries = {one.path: one.summary for one in commands}
    with_value = [
        f"'{one.path} {name}'" for one in commands for name, values in one.options.items() if values is not None
    ]
    lines = [
        "set -g __memoro_paths " + " ".join(f"'{path}'" for path in paths),
        "set -g __memoro_with_value " + " ".join(with_value),
        _FISH_FUNCTION,
        "complete -c memoro -e",
    ]
    for path in ("", *paths):
        for word in _next_words(paths, path):
            about = _quoted(summaries.get(f"{path} {word}".strip(), ""))
            lines.append(f"complete -c memoro -f -n '__memoro_at \"{path}\" 0' -a {word} -d {about}")
    for one in commands:
        lines += [_fish_option(one.path, name, values) for name, values in one.options.items()]
        for place, values in enumerate(one.arguments):
            if values:
                lines.append(f"complete -c memoro -f -n '__memoro_at \"{one.path}\" {place}' -a '{' '.join(values)}'")
    for name, values in _setting_values().items():
        condition = f'__memoro_at "config set" 1 {name}'
        lines.append(f"complete -c memoro -f -n '{condition}' -a '{' '.join(values)}'")
    return "\n".join(lines)


_FISH_FUNCTION = """function __memoro_at
    set -l given ''
    set -l count 0
    set -l skip ''
    set -l value ''
    for word in (commandline -opc)[2..-1]
        if test -n "$skip"
            set skip ''
        else if string match -q -- '-*' $word
            contains -- "$given $word" $__memoro_with_value; and set skip 1
        else if contains -- (string trim "$given $word") $__memoro_paths
            set given (string trim "$given $word")
        else
            set count (math $count + 1)
            set value $word
        end
    end
    test "$given" = "$argv[1]"; or return 1
    set -q argv[2]; and test "$count" != "$argv[2]"; and return 1
    set -q argv[3]; and test "$value" != "$argv[3]"; and return 1
    return 0
end"""


def _fish_option(path: str, name: str, values: tuple[str, ...] | None) -> str:
    takes = "" if values is None else f" -x -a '{' '.join(values)}'" if values else " -r"
    return f"complete -c memoro -n '__memoro_at \"{path}\"' -l {name[2:]}{takes}"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
