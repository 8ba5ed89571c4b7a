"""`memoro completion`: each script completes in its own shell, and starts no Python to do so."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from memoro import hosts
from memoro.cli.command_table import COMMANDS
from memoro.cli.completion import SHELLS
from memoro.config.keys import keys
from tests.command import run_memoro

# Each file ends with the words of a line as arguments, and prints what may follow, one word in a line.
CALLS = {
    "bash": 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _memoro; printf "%s\\n" "${COMPREPLY[@]}"',
    "zsh": 'compadd() { shift; print -rl -- "$@" }\n_files() { print FILES }\nwords=("$@"); CURRENT=$#; _memoro',
    "fish": 'complete -C (string join " " -- $argv) | string replace -r "\\t.*" ""',
}


@cache
def script(shell: str) -> str:
    return run_memoro("completion", shell).out


def completed(shell: str, folder: Path, *words: str) -> list[str]:
    """What the shell offers for the last of the words. Only zsh leaves the choice among them to itself."""
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"there is no {shell} on this machine")
    file = folder / f"completion.{shell}"
    before = "compdef() { : }\n" if shell == "zsh" else ""
    file.write_text(f"{before}{script(shell)}\n{CALLS[shell]}\n")
    options = {"bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]}[shell]
    done = subprocess.run(
        [program, *options, str(file), *words], capture_output=True, text=True, timeout=60, check=False,
        env={"PATH": "/nowhere", "HOME": str(folder)},
    )  # fmt: skip
    assert done.stderr == ""
    return [word for word in done.stdout.splitlines() if word.startswith(words[-1])]


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("sea",), {"search"}),
        (("memory", "sto"), {"store"}),
        (("search", "--ex"), {"--explain"}),
        (("memory", "store", "--val"), {"--valid-from", "--valid-to"}),
        (("search", "--mode", ""), {"hybrid", "words", "vectors"}),
        (("search", "--mode", "words", "--expl"), {"--explain"}),
        (("connect", ""), set(hosts.CONNECTABLE)),
        (("connect", "codex", "--scope", ""), {"user", "project"}),
        (("config", "set", "query."), {name for name in keys() if name.startswith("query.")}),
        (("config", "set", "query.mode", ""), {"hybrid", "words", "vectors"}),
        (("config", "set", "sync.watch", ""), {"true", "false"}),
        (("admin", "tenant", ""), {"add", "list", "remove"}),
        (("--home", "here", "unins"), {"uninstall"}),
        (("help", "disc"), {"disconnect"}),
    ],
)
def test_a_line_is_completed(shell: str, words: tuple[str, ...], expected: set[str], tmp_path: Path) -> None:
    found = completed(shell, tmp_path, "memoro", *words)
    assert set(found) == expected
    assert len(found) == len(expected)


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_is_offered_first(shell: str, tmp_path: Path) -> None:
    assert set(completed(shell, tmp_path, "memoro", "")) == {"help", *COMMANDS}


def test_a_name_of_a_file_is_left_to_the_shell(tmp_path: Path) -> None:
    assert completed("bash", tmp_path, "memoro", "get", "no") == []
    assert "complete -o default" in script("bash")
