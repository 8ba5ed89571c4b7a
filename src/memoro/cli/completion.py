"""`memoro completion`: scripts made from the parsers themselves, so that they are never out of date."""

from __future__ import annotations

import argparse

from memoro.cli.command_table import COMMANDS

SHELLS = ("bash", "zsh", "fish")


def configure_completion(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help='The shell; for bash: eval "$(memoro completion bash)".')
    parser.set_defaults(run=_completion)


def _completion(chosen: argparse.Namespace) -> int:
    print({"bash": _bash, "zsh": _zsh, "fish": _fish}[chosen.shell]())
    return 0


def _words() -> dict[str, list[str]]:
    """For each command, its options and the fixed values of its arguments."""
    from memoro.cli.run import parser_of

    words: dict[str, list[str]] = {}
    for name in COMMANDS:
        actions = parser_of(name)._actions
        options = [option for action in actions for option in action.option_strings if option.startswith("--")]
        values = [
            str(v) for action in actions if action.choices and not action.option_strings for v in action.choices
        ]
        words[name] = [*options, *values]
    return words


def _bash() -> str:
    cases = "\n".join(f'    {name}) words="{" ".join(words)}" ;;' for name, words in _words().items())
    return f"""_memoro() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" words="{" ".join(COMMANDS)} --home --vault --version --help"
  local word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$word" in
{cases}
    esac
  done
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _memoro memoro"""


def _zsh() -> str:
    return f"autoload -U +X bashcompinit && bashcompinit\n{_bash()}"


def _fish() -> str:
    lines = ["complete -c memoro -n __fish_use_subcommand -f"]
    for name, summary in COMMANDS.items():
        text = summary.replace("'", "\\'")
        lines.append(f"complete -c memoro -n __fish_use_subcommand -a {name} -d '{text}'")
    for name, words in _words().items():
        for word in words:
            flag = f"-l {word[2:]}" if word.startswith("--") else f"-a {word}"
            lines.append(f"complete -c memoro -n '__fish_seen_subcommand_from {name}' {flag}")
    return "\n".join(lines)
