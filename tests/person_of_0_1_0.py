"""A person whose hosts version 0.1.0 connected, in a home folder and a project of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import Result, run_memoro

KEPT = Path(__file__).parent / "data" / "person-0.1.0"
SECONDS = 60


def kept_texts(name: str) -> dict[str, str]:
    texts: dict[str, str] = json.loads((KEPT / name).read_text())
    return texts


class OldPerson:
    """Files as they were after `memoro connect` of 0.1.0 for every host, in every scope."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.me, self.project = folder, folder / "me", folder / "project"
        self.program = folder / "programs" / "memoro"
        self._write(self.program, f'#!/bin/sh\nexec "{sys.executable}" -P -m memoro "$@"\n')
        self._write(self.me / "bin" / "claude", self._claude())
        self.services = self.me / "bin" / "systemctl.log"  # the machine's own services are left alone
        self._write(self.me / "bin" / "systemctl", f'#!/bin/sh\necho "$@" >> "{self.services}"\n')
        for name, text in kept_texts("after.json").items():
            self._write(folder / name, self.named(text))
        (self.me / ".memoro").chmod(0o700)
        self.vault = self.me / "notes"
        self._write(self.vault / "MEMORY.md", "# Memory\n\n- The kettle is blue.\n")
        self._write(self.me / ".memoro" / "memoro.toml", f'[vault]\npath = "{self.vault}"\n')
        self.environment = {"HOME": str(self.me), "PATH": f"{self.me / 'bin'}:/usr/bin:/bin"}
        for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME", "OPENCODE_CONFIG"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.chdir(self.project)

    def types(self, *arguments: str) -> Result:
        return run_memoro(*arguments, env=self.environment)

    def runs(self, command: list[str], stdin: str) -> Result:
        """Run a command as a host runs it: with its own environment, in the project."""
        environment = {**self.environment, "PYTHONWARNINGS": "error"}
        done = subprocess.run(
            command, env=environment, cwd=self.project, input=stdin, capture_output=True, text=True, timeout=SECONDS,
            check=False,
        )  # fmt: skip
        return Result(done.returncode, done.stdout, done.stderr)

    def named(self, text: str) -> str:
        places = {"@ME@": self.me, "@PROJECT@": self.project, "@MEMORO@": self.program}
        for name, place in places.items():
            text = text.replace(name, str(place))
        return text

    def settings_files(self) -> dict[str, str]:
        """The files of hosts, by path; not those of Memoro, of the vault, and the programs."""
        others = (self.me / ".memoro", self.vault, self.me / "bin", self.program.parent)
        return {
            str(file.relative_to(self.folder)): file.read_bytes().decode()
            for file in sorted(self.folder.rglob("*"))
            if file.is_file() and not any(file.is_relative_to(other) for other in others)
        }

    def folders(self) -> set[str]:
        return {str(one.relative_to(self.folder)) for one in self.folder.rglob("*") if one.is_dir()}

    def _claude(self) -> str:
        """Claude Code's own command for servers, as the maker of the kept files has it."""
        text = (KEPT / "make.py").read_text()
        return text.partition('CLAUDE = """')[2].partition('"""')[0]

    def _write(self, file: Path, text: str) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
        if file.parent.name in ("bin", "programs"):
            os.chmod(file, 0o755)
