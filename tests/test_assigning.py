"""What was written without a project gets that of its conversation, by the log."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import memoro
from memoro.index.assigning import assignments
from memoro.store.changes import Assign

KEPT = Path(__file__).parent / "data" / "home-0.1.0"
ID = "7b1aa767-a1a6-56af-b5f9-9a11d5f68754"


def test_a_log_is_known_by_its_name_or_by_the_id_that_ends_it() -> None:
    projects = {
        f"@codex/2026/rollout-2026-01-05T10-00-00-{ID}.jsonl": "~/src/a",
        "@claude/-x/evening.jsonl": "~/src/b",
    }

    assert assignments({"sessions/a.md": ID, "memory:1": "evening", "memory:2": "other", "s.md": "g"}, projects) == [
        Assign("sessions/a.md", "~/src/a"),
        Assign("memory:1", "~/src/b"),
    ]


def claude_log(folder: Path, session: str, worked_in: Path) -> None:
    said = {
        "type": "user",
        "sessionId": session,
        "cwd": str(worked_in),
        "timestamp": "2026-03-05T16:59:00.000Z",
        "uuid": f"u-{session}",
        "message": {"role": "user", "content": "How many cups of tea do we have?"},
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{session}.jsonl").write_text(json.dumps(said) + "\n")


def test_the_notes_and_memories_of_a_home_of_0_1_0_get_projects_from_their_logs(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    for name in ("ledger.db", "archive.db"):
        (home / name).write_bytes(gzip.decompress((KEPT / f"{name}.gz").read_bytes()))
    shutil.copy(KEPT / "memoro.toml", home)
    shutil.copytree(KEPT / "vault", tmp_path / "vault")
    teahouse = tmp_path / "src" / "teahouse"
    teahouse.mkdir(parents=True)
    with memoro.open(home, tmp_path / "vault") as m:
        memory = m.memories.store("The cups for tea are from Assam", session="evening").memory.id
        m.sync()
    for session in ("afternoon", "evening"):
        claude_log(tmp_path / "logs" / "-teahouse", session, teahouse)
    with (home / "memoro.toml").open("a") as file:
        file.write(f'\n[transcripts]\nfolders = ["{tmp_path / "logs"}"]\n')

    with memoro.open(home, tmp_path / "vault") as m:
        m.sync()
        inside = {hit.path: hit.project for hit in m.search("tea cups", limit=50, min_score=0.0).results}
    assert inside["sessions/2026-03-05T16-59-00.md"] == inside[f"memory:{memory}"] == str(teahouse)
    with memoro.open(home, tmp_path / "vault", project="elsewhere") as m:
        found = {hit.path for hit in m.search("tea cups", limit=50, min_score=0.0).results}
        assert not found & {"sessions/2026-03-05T16-59-00.md", f"memory:{memory}"}
