"""Every example in the help of a command works: it is typed in a sample home, and its exit code is 0."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import numpy
import pytest

import memoro as library
from memoro import operations
from memoro.cli.command import whole_action
from memoro.cli.command_table import COMMANDS
from memoro.cli.examples import EXAMPLES
from memoro.cli.run import parser_of
from memoro.demo import copy_vault
from memoro.model.proposals import RememberEntry, Suggestion
from tests.command import run_memoro, run_process

LONGEST = 78  # columns, behind two spaces
# These do not end by themselves, or need a provider: their examples are only parsed.
ENDLESS = (
    "memoro provider cancel memoro-5e1b",
    "memoro provider resume",
    "memoro serve",
    "memoro serve --http",
    "memoro watch",
    "memoro ui",
    "memoro ui --print",
    "memoro mcp --profile recall",
    "memoro memory visibility 3",  # needs a shared ledger, as the next do
    "memoro memory visibility 3 private",
    "memoro experience visibility 1 shared",
    "memoro outbox drop 3",
    "memoro move-ledger --to postgresql://memoro_app@db.example.org/memoro",
    "memoro move-ledger --merge",
    "memoro move-ledger --finish",
    "memoro given wrong memory:3",  # needs a session that was given it, as the next do
    "memoro given wrong MEMORY.md:7 --session s1",
    "memoro given good memory:3",
    "memoro given allow memory:3",
    "memoro provider test --url http://127.0.0.1:11434/v1 --model nomic-embed-text",  # needs that server
)
BACKUP = "20260305T040000Z"  # stands for the name of a backup that there is
MESSAGES = [{"role": "user", "content": "Where is the key?"}, {"role": "assistant", "content": "Under the mat."}]
LOG = {
    "type": "user", "uuid": "u1", "sessionId": "c1", "timestamp": "2026-03-05T10:00:00.000Z", "cwd": "/src/app",
    "message": {"role": "user", "content": "Where is the key?"},
}  # fmt: skip


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Somebody's home folder: sample notes, memories, sessions, proposals, a backup, logs of an agent."""
    folder = tmp_path_factory.mktemp("person")
    Path(copy_vault(str(folder))).rename(folder / "notes")
    home = folder / ".memoro"
    home.mkdir(mode=0o700)
    (home / "memoro.toml").write_text('[vault]\npath = "~/notes"\n\n[query]\nmax_results = 6\n')
    for name in ("logs", ".claude/projects/-src-app"):
        (folder / name).mkdir(parents=True)
        (folder / name / "c1.jsonl").write_text(json.dumps(LOG) + "\n")
    fill(home, folder / "notes")
    (folder / "draft.md").write_text("# A garden\n")
    (folder / "messages.json").write_text(json.dumps(MESSAGES))
    (folder / "questions.toml").write_text(
        '[[question]]\nquery = "who is allergic to cashews"\nexpect = ["people/pia.md"]\n'
    )
    env = {"HOME": str(folder)}
    assert run_memoro("export", "--output", str(folder / "memories.jsonl"), env=env).code == 0
    assert run_memoro("transcripts", "add", "claude", env=env).code == 0
    return folder


def fill(home: Path, vault: Path) -> None:
    def then() -> datetime:
        return datetime(2026, 3, 1, 12, tzinfo=UTC)

    with library.open(home, vault, clock=then) as m:
        m.notes.new("ideas/plan.md", "# A plan\n")
    with library.open(home, vault) as m:
        m.notes.edit("ideas/plan.md", "# Another plan\n")
        m.remember("Tea is at four")
        for text in ("Mira leads the team", "The old server is called stork", "The staging server is called heron"):
            m.memories.store(text, source="Claude")
        m.memories.store("The staging server is heron-2", source="user")
        m.memories.archive(m.memories.store("The fax is in the cellar").memory.id)
        m.experiences.record("error_recovery", "the replica is behind", "restart the sender")
        m.experiences.prefer("editor", "helix")
        m.narratives.update("The server move was planned")
        m.recall("who is allergic to cashews", session="s1")
        m.sessions.start("old", title="Long ago")
        m.sessions.archive("old")
        m.proposals.propose(Suggestion(RememberEntry("Use tabs", "procedural", None, "PROCEDURAL.md")), by="Claude")
        m.backups.create()
        m.indexing.indexes.cache().put("openai/text-embedding-3-small/4/plain", {"ab" * 32: numpy.ones(4, "f4")})


READING = {one.name for one in operations.table() if one.access == "read"}


def name_of(arguments: list[str]) -> str:
    """The command, with its action where it has one."""
    both = " ".join(arguments[:2])
    return both if both in EXAMPLES else arguments[0]


def typed(line: str) -> tuple[list[str], str]:
    """The arguments of a line of shell, and the name of the file that it reads."""
    line = found[1] if (found := re.fullmatch(r'eval "\$\((.*)\)"', line)) else line
    command, _, file = line.partition(" < ")
    program, *arguments = shlex.split(command)
    assert program == "memoro"
    return arguments, file


def all_examples() -> list[str]:
    return [example for examples in EXAMPLES.values() for example in examples]


@pytest.mark.parametrize("example", all_examples())
def test_every_example_works(example: str, sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments, file = typed(example)
    if example in ENDLESS or arguments[0] in ("hook", "admin"):  # a test of its own has a database to administer
        given = whole_action("admin", arguments[1:]) if arguments[0] == "admin" else arguments[1:]
        parser_of(arguments[0]).parse_args(given)
        return
    me = sample if name_of(arguments) in READING else shutil.copytree(sample, tmp_path / "me")
    backups = sorted(one.name for one in (me / ".memoro" / "backups").iterdir())
    arguments = [one.replace("~", str(me)).replace(BACKUP, backups[0]) for one in arguments]
    arguments += (
        ["--yes"] if arguments[0] in ("connect", "disconnect", "uninstall") and "--print" not in arguments else []
    )
    monkeypatch.chdir(me)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    done = run_memoro(*arguments, env={"HOME": str(me)}, stdin=(me / file).read_text() if file else "")
    assert done.code == 0, done.err
    assert done.out


def test_every_command_and_action_has_an_example_of_itself() -> None:
    wanted = {one.name for one in operations.table()} | {name for name in COMMANDS if name not in operations.COMMANDS}
    assert set(EXAMPLES) == wanted
    for name, examples in EXAMPLES.items():
        assert examples
        for example in examples:
            assert f"memoro {name}" in example
            assert len(example) <= LONGEST


@pytest.mark.process
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_help_of_every_command_and_action_ends_with_its_examples(name: str) -> None:
    run = run_process if name == "hook" else run_memoro
    shown = run(*name.split(), "--help")
    assert shown.code == 0
    listed = "".join(f"  {one}\n" for one in EXAMPLES[name])
    assert f"\nexamples:\n{listed}" in shown.out
    assert run("help", *name.split()).out == shown.out
    assert max(map(len, shown.out.splitlines())) <= 80
