"""A home whose every text is hostile: a secret, a value of the environment, and characters that nobody sees."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import memoro
from memoro.model.feedback_places import is_feedback_file
from memoro.model.visible import visible
from tests.conftest import write_vault

TOKEN = "gh" + "p_" + "a1B2" * 9
KNOWN = "correct" + "9horse" + "8battery" + "7staple"  # secret only because a variable of the environment holds it
ENVIRONMENT = {"SOME_SERVICE_TOKEN": KNOWN}
TAGS = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
HIDDEN = f"{TAGS}\u202e\u200b\ufeff\x1b]0;x\x07\x9b"
HOSTILE = f"okapi {TOKEN} {KNOWN} {HIDDEN} end"
NAME = f"okapi {TAGS}\u202e\u200b {TOKEN} {KNOWN}"
SAID = "the okapi eats"


class HostileHome(NamedTuple):
    home: Path
    vault: Path

    @property
    def notes(self) -> list[str]:
        """All but the files of feedback, which agents cannot read."""
        found = [str(path.relative_to(self.vault)) for path in self.vault.rglob("*.md")]
        return [path for path in found if not is_feedback_file(path)]


def make(folder: Path) -> HostileHome:
    """Fill a home with everything that an agent may be given. Agents' secrets are taken out as they are stored."""
    made = HostileHome(folder / "home", folder / "vault")
    front = f"---\ntitle: okapi {TOKEN} {KNOWN} {TAGS}\ntags: [okapi{TAGS}]\n---\n"
    write_vault(
        made.vault,
        {
            f"{NAME}.md": f"{front}# {HOSTILE}\n\n{HOSTILE}\n",
            f"{KNOWN}/plain.md": f"# Okapi\n\n## {HOSTILE}\n\nThe okapi eats leaves.\n",
            "MEMORY.md": f"# Memory\n\n- {HOSTILE} ^okapi1\n",
            "PROCEDURAL.md": f"# Rules\n\n- {HOSTILE}\n",
            "agent/own.md": f"{HOSTILE}\n",
            f"agent/{NAME}.md": f"{HOSTILE}\n",
        },
    )
    _write_log(folder / "logs" / f"-w-{TAGS}" / "okapi.jsonl")
    made.home.mkdir(mode=0o700)
    (made.home / "memoro.toml").write_text(
        f"[embedding]\nenabled = false\n[transcripts]\nfolders = [{json.dumps(str(folder / 'logs'))}]\n"
    )
    with memoro.open(made.home, made.vault) as m:
        m.memories.store(HOSTILE, [f"tag{TAGS}"], source="agent", session=f"s{TAGS}")
        m.experiences.record("error_recovery", HOSTILE, {"do": HOSTILE}, success=1.0, source="agent")
        m.narratives.update(HOSTILE, [1])
        m.remember(f"{HOSTILE} more", by="agent")
        m.daily.add(HOSTILE, by="agent")
        m.sync()
        m.sessions.start("okapi", title=HOSTILE)
        m.recall(SAID, session="okapi")
    return made


def _write_log(file: Path) -> None:
    rows = [
        {
            "type": role,
            "uuid": f"u{number}",
            "parentUuid": None,
            "sessionId": "okapi",
            "timestamp": "2026-01-05T10:00:00Z",
            "cwd": f"/w/{TAGS}",
            "message": {"role": role, "content": f"{SAID} {HOSTILE} {number}"},
        }
        for number, role in enumerate(["user", "assistant"])
    ]
    file.parent.mkdir(parents=True)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))


def texts(value: Any) -> Iterator[str]:
    """Every text in a value, the keys of objects too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from texts(key)
            yield from texts(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from texts(inner)


def assert_clean(value: Any, where: str) -> None:
    """Nothing secret and nothing invisible is in any text of a value."""
    for text in texts(value):
        assert TOKEN not in text, f"{where}: a secret in {text!r}"
        assert KNOWN not in text, f"{where}: a value of the environment in {text!r}"
        assert visible(text) == text, f"{where}: invisible characters in {text!r}"
