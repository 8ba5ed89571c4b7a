"""What the real hook puts before an agent: nothing of a diary, of a private note, or of another project's note."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from tests.conftest import write_vault

TODAY = date.today().isoformat()
NOTES = {
    "MEMORY.md": "# Memory\n- Deploys go out on Tuesdays.\n- The marina is sold in May #private\n",
    "Work/harbor.md": "# harbor\nThe crane controller listens on port 7411 and restarts with `crane restart`.\n",
    "Work/lantern.md": "# lantern\nThe crane controller of the lantern listens on port 9922.\n",
    "Lantern/Crane.md": "# Crane\nThe lantern's crane controller restarts with `wick down`.\n",
    "Work/Crane offer.md": "# Crane offer\nThe crane controller costs 88,000. Keep this between us.\n",
    "Health/Crane.md": "# Crane\nFell from the crane controller, knee surgery in March.\n",
    "Secret/Plan.md": "# Plan\nThe crane controller is replaced by robots.\n",
    f"daily/{TODAY}.md": (
        "- crane controller dreams again, told the therapist about the restart\n"
        "- harbor: counted the buoys at the pier\n"
        "- 10:00 session saved — crane controller of the wicks #project/lantern\n"
    ),
    "daily/2026-01-05.md": "- Joana and I restarted, the crane controller of our marriage\n",
}
FORBIDDEN = ("9922", "wick", "88,000", "knee", "robots", "therapist", "marriage", "marina")


class Person:
    def __init__(self, folder: Path) -> None:
        self.me, self.vault = folder / "me", folder / "vault"
        write_vault(self.vault, NOTES)
        home = self.me / ".memoro"
        home.mkdir(parents=True, mode=0o700)
        logs = self.me / ".claude" / "projects"
        for project in ("harbor", "lantern"):
            (folder / "src" / project).mkdir(parents=True)
            self._log(logs / project, folder / "src" / project, project)
        (home / "memoro.toml").write_text(f'[privacy]\nprivate = ["secret"]\n[transcripts]\nfolders = ["{logs}"]\n')
        self.folder = folder / "src" / "harbor"

    def _log(self, folder: Path, worked_in: Path, project: str) -> None:
        folder.mkdir(parents=True)
        turns = [
            ("user", f"Hello {project}, what next?"),
            ("assistant", f"The buoys of {project} are painted green."),
        ]
        lines = [
            {
                "type": kind,
                "sessionId": f"s-{project}",
                "cwd": str(worked_in),
                "timestamp": f"2026-01-05T10:00:0{number}.000Z",
                "uuid": f"{project}-{number}",
                "message": {"role": kind, "content": said},
            }
            for number, (kind, said) in enumerate(turns)
        ]
        (folder / f"s-{project}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))

    def is_given(self, event: dict[str, str]) -> str:
        clean = {key: value for key, value in os.environ.items() if not key.startswith(("MEMORO_", "CLAUDE"))}
        done = subprocess.run(
            [sys.executable, "-P", "-m", "memoro", "hook", "claude"],
            input=json.dumps({"session_id": "now", "cwd": str(self.folder), **event}).encode(),
            capture_output=True,
            env={**clean, "HOME": str(self.me), "MEMORO_VAULT": str(self.vault), "MEMORO_HOOK_SECONDS": "40"},
            cwd=self.folder,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        return str(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]) if done.stdout.strip() else ""


@pytest.fixture(scope="module")
def person(tmp_path_factory: pytest.TempPathFactory) -> Person:
    return Person(tmp_path_factory.mktemp("person"))


@pytest.mark.process
def test_a_session_begins_with_nothing_of_the_diary_and_nothing_private(person: Person) -> None:
    given = person.is_given({"hook_event_name": "SessionStart", "source": "startup"})

    assert "Tuesdays" in given
    assert not [word for word in FORBIDDEN if word in given]


@pytest.mark.process
@pytest.mark.parametrize(
    ("prompt", "wanted"),
    [
        ("On which port does the crane controller listen?", "7411"),
        ("How do I restart the crane controller?", "crane restart"),
        ("What does the crane controller cost?", ""),
        ("Who fell from the crane controller?", ""),
    ],
)
def test_a_prompt_is_given_what_belongs_to_the_project_alone(person: Person, prompt: str, wanted: str) -> None:
    given = person.is_given({"hook_event_name": "UserPromptSubmit", "prompt": prompt, "session_id": prompt[:12]})

    assert wanted in given
    assert not [word for word in FORBIDDEN if word in given]
