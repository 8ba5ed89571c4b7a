"""A person's own words for a text: in their editor, or at a prompt."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING

from memoro.errors import ConfigError

if TYPE_CHECKING:
    from memoro.cli.keys import Keys

_HELP = "\n".join(
    (
        "",
        "# Change the text above, save, and leave the editor. Lines that begin with # are left out.",
        "# An empty text, or an unchanged one, changes nothing: you are asked again.",
        "",
    )
)


def edited(text: str, keys: Keys, environment: Mapping[str, str]) -> str | None:
    """Return a text as a person has changed it; None where they left it as it is, or empty.

    ConfigError where their editor cannot be started, or says that it failed.
    """
    command = environment.get("VISUAL") or environment.get("EDITOR")
    if not command:
        typed = keys.line("New text (empty: leave it as it is): ")
        found = (typed or "").strip()
    else:
        with keys.released():
            found = _in_editor(command, text)
    return found if found and found != text.strip() else None


def _in_editor(command: str, text: str) -> str:
    import subprocess
    import tempfile

    with tempfile.TemporaryDirectory(prefix="memoro-review-") as folder:
        file = os.path.join(folder, "proposal.md")
        is_marked = text.lstrip().startswith("#") or "\n#" in text
        with open(file, "w", encoding="utf-8") as written:
            written.write(text if is_marked else f"{text}\n{_HELP}")
        try:
            done = subprocess.run([*shlex.split(command), file], check=False)
        except (OSError, ValueError) as error:
            raise ConfigError(f"The editor {command!r} cannot be started: {error}. Set EDITOR to another.") from error
        if done.returncode != 0:
            raise ConfigError(f"The editor {command!r} ended with code {done.returncode}; nothing was changed.")
        with open(file, encoding="utf-8", errors="replace") as read:
            lines = read.read().splitlines()
    kept = lines if is_marked else [line for line in lines if not line.startswith("#")]
    return "\n".join(kept).strip()
