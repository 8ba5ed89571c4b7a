"""Anthropic's memory tool on the vault: the texts that models know, and nothing written that cannot be undone."""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memoro
from memoro.errors import ConfigError
from memoro.notes import memory_tool
from memoro.notes.memory_tool import MemoryTool, ToolError
from memoro.workspace import Workspace
from tests.conftest import CAMPAIGN, fingerprint, write_vault

WHY = "the anthropic SDK is not installed (`pip install anthropic`): its own tool is not compared with ours"


@pytest.fixture
def m(home: Path, vault: Path) -> Iterator[Workspace]:
    with memoro.open(home, vault) as opened:
        yield opened


@pytest.fixture
def tool(m: Workspace) -> MemoryTool:
    return m.memory_tool


def refused(tool: MemoryTool, **command: Any) -> str:
    with pytest.raises(ToolError) as error:
        tool.run(command)
    return str(error.value)


def test_the_six_commands_answer_with_the_texts_that_models_know(tool: MemoryTool, vault: Path) -> None:
    run = tool.run
    text = "one\ntwo\nthree\nfour\nfive\nsix\n"
    made = run({"command": "create", "path": "/memories/a.md", "file_text": text})
    assert made == "File created successfully at: /memories/a.md"
    assert (vault / "agent" / "a.md").read_text() == text
    run({"command": "create", "path": "/memories/work/deep/b.md", "file_text": "b"})
    assert run({"command": "view", "path": "/memories"}) == (
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:\n"
        "4K\t/memories\n28B\t/memories/a.md\n4K\t/memories/work/\n4K\t/memories/work/deep/"
    )
    assert run({"command": "view", "path": "/memories/a.md"}) == (
        "Here's the content of /memories/a.md with line numbers:\n"
        "     1\tone\n     2\ttwo\n     3\tthree\n     4\tfour\n     5\tfive\n     6\tsix\n     7\t"
    )
    assert run({"command": "view", "path": "/memories/a.md", "view_range": [5, -1]}) == (
        "Here's the content of /memories/a.md with line numbers:\n     5\tfive\n     6\tsix\n     7\t"
    )
    replaced = {"command": "str_replace", "path": "/memories/a.md", "old_str": "three", "new_str": "3\n3½"}
    assert run(replaced) == (
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
        "     1\tone\n     2\ttwo\n     3\t3\n     4\t3½\n     5\tfour"
    )
    inserted = {"command": "insert", "path": "/memories/a.md", "insert_line": 0, "insert_text": "zero\n"}
    assert run(inserted) == "The file /memories/a.md has been edited."
    assert (vault / "agent" / "a.md").read_text() == "zero\none\ntwo\n3\n3½\nfour\nfive\nsix\n"
    moved = {"command": "rename", "old_path": "/memories/work", "new_path": "/memories/play"}
    assert run(moved) == "Successfully renamed /memories/work to /memories/play"
    assert (vault / "agent" / "play" / "deep" / "b.md").read_text() == "b"
    assert run({"command": "delete", "path": "/memories/play"}) == "Successfully deleted /memories/play"
    assert not (vault / "agent" / "play" / "deep" / "b.md").exists()


def test_what_cannot_be_done_is_told_in_the_words_that_models_know(tool: MemoryTool) -> None:
    tool.create("/memories/a.md", "x\ny x\n")
    missing = "The path /memories/no.md does not exist. Please provide a valid path."
    assert refused(tool, command="view", path="/memories/no.md") == missing
    assert refused(tool, command="str_replace", path="/memories/no.md", old_str="a", new_str="b") == missing
    assert refused(tool, command="insert", path="/memories/no.md", insert_line=0, insert_text="b") == missing
    again = refused(tool, command="create", path="/memories/a.md", file_text="")
    assert again == "File /memories/a.md already exists"
    assert refused(tool, command="str_replace", path="/memories/a.md", old_str="Z", new_str="b") == (
        "No replacement was performed, old_str `Z` did not appear verbatim in /memories/a.md."
    )
    assert refused(tool, command="str_replace", path="/memories/a.md", old_str="x", new_str="b") == (
        "No replacement was performed. Multiple occurrences of old_str `x` in lines: 1, 2. Please ensure it is unique"
    )
    assert refused(tool, command="insert", path="/memories/a.md", insert_line=99, insert_text="b") == (
        "Invalid `insert_line` parameter: 99. It should be within the range [0, 2]."
    )
    root = refused(tool, command="delete", path="/memories")
    assert root == "Cannot delete the /memories directory itself"
    assert refused(tool, command="delete", path="/memories/no") == "The path /memories/no does not exist"
    assert refused(tool, command="rename", old_path="/memories", new_path="/memories/b") == (
        "Cannot rename the /memories directory itself"
    )
    assert refused(tool, command="rename", old_path="/memories/no", new_path="/memories/a.md") == (
        "The destination /memories/a.md already exists"
    )
    assert refused(tool, command="rename", old_path="/memories/no", new_path="/memories/b") == (
        "The path /memories/no does not exist"
    )
    tool.create("/memories/folder/c.md", "c")
    assert refused(tool, command="str_replace", path="/memories/folder", old_str="a", new_str="b") == (
        "The path /memories/folder is not a file."
    )
    assert refused(tool, command="create", path="/memories/a.md/b.md", file_text="") == (
        "The path /memories/a.md is not a directory."
    )


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("notes/a.md", "Path must start with /memories, got: notes/a.md"),
        ("/etc/passwd", "Path must start with /memories, got: /etc/passwd"),
        ("/memories/../MEMORY.md", "Path /memories/../MEMORY.md would escape /memories directory"),
        ("/memories/a/../../x.md", "Path /memories/a/../../x.md would escape /memories directory"),
        ("/memories/.hidden", "The path /memories/.hidden does not exist. Please provide a valid path."),
        ("/memories/a\x00b", "The path /memories/ab does not exist. Please provide a valid path."),
    ],
)
@pytest.mark.parametrize("command", ["view", "create", "str_replace", "insert", "delete"])
def test_no_path_leads_out_of_the_agents_folder(
    tool: MemoryTool, vault: Path, path: str, said: str, command: str
) -> None:
    write_vault(vault, {"MEMORY.md": "mine", "x.md": "mine", "agent/a/b.md": "b"})
    before = fingerprint(vault)
    more = {"file_text": "t", "old_str": "mine", "new_str": "n", "insert_line": 0, "insert_text": "t"}
    assert refused(tool, command=command, path=path, **more) == said
    assert fingerprint(vault) == before


@pytest.mark.parametrize(
    "command",
    [
        {},
        {"command": "format"},
        {"command": ["view"]},
        {"command": "view"},
        {"command": "view", "path": 5},
        {"command": "view", "path": "/memories/a.md", "view_range": "all"},
        {"command": "insert", "path": "/memories/a.md", "insert_line": True, "insert_text": "x"},
        {"command": "insert", "path": "/memories/a.md", "insert_line": "1", "insert_text": "x"},
        {"command": "create", "path": "/memories/b.md", "file_text": None},
        {"command": "rename", "old_path": "/memories/a.md"},
    ],
)
def test_wrong_input_is_told_to_the_model_and_changes_nothing(
    tool: MemoryTool, vault: Path, command: dict[str, Any]
) -> None:
    write_vault(vault, {"agent/a.md": "a\n"})
    with pytest.raises(ToolError, match=r"Unknown command|Wrong input for"):
        tool.run(command)
    assert fingerprint(vault) == {"agent/a.md": b"a\n"}


def test_odd_ranges_and_unasked_for_fields_are_no_reason_to_fail(tool: MemoryTool, vault: Path) -> None:
    write_vault(vault, {"agent/a.md": "1\n2\n3"})
    head = "Here's the content of /memories/a.md with line numbers:\n"
    for given_range, shown in (
        ([0, 2], "     1\t1\n     2\t2"),
        ([9, 12], ""),
        ([2], "     1\t1\n     2\t2\n     3\t3"),
    ):
        command = {"command": "view", "path": "/memories/a.md", "view_range": given_range, "reason": "why not"}
        assert tool.run(command) == head + shown


def test_a_name_that_is_no_notes_name_gets_one_on_the_disk(tool: MemoryTool, vault: Path) -> None:
    tool.create("/memories/plan.txt", "t")
    tool.create("/memories/todo", "t")
    assert sorted(fingerprint(vault)) == ["agent/plan.txt.md", "agent/todo.md"]
    assert "1B\t/memories/plan.txt\n1B\t/memories/todo.md" in tool.view("/memories")
    assert "1\tt" in tool.view("/memories/plan.txt") and "1\tt" in tool.view("/memories/todo")
    tool.delete("/memories/plan.txt")
    assert sorted(fingerprint(vault)) == ["agent/todo.md"]


def test_always_loaded_files_can_be_viewed_and_not_be_written(tool: MemoryTool, vault: Path) -> None:
    write_vault(vault, {"MEMORY.md": "- mine\n"})
    assert "7B\t/memories/MEMORY.md" in tool.view("/memories")
    assert "     1\t- mine" in tool.view("/memories/MEMORY.md")
    path = "/memories/MEMORY.md"
    for command in (
        {"command": "create", "path": path, "file_text": "x"},
        {"command": "str_replace", "path": path, "old_str": "mine", "new_str": "yours"},
        {"command": "insert", "path": path, "insert_line": 0, "insert_text": "x"},
        {"command": "delete", "path": path},
        {"command": "rename", "old_path": path, "new_path": "/memories/x.md"},
        {"command": "rename", "old_path": "/memories/x.md", "new_path": path},
    ):
        assert "belongs to its owner" in refused(tool, **command)
    assert fingerprint(vault) == {"MEMORY.md": b"- mine\n"}


def test_viewing_makes_no_folder(tool: MemoryTool, vault: Path) -> None:
    refused(tool, command="view", path="/memories/some/where/x.md")
    refused(tool, command="delete", path="/memories/some/where/x.md")
    refused(tool, command="rename", old_path="/memories/some/where/x.md", new_path="/memories/y/z.md")
    assert list(vault.iterdir()) == []


def test_what_it_writes_is_indexed_in_the_journal_and_undone_to_the_byte(m: Workspace, vault: Path) -> None:
    write_vault(vault, {"agent/old.md": "kept\r\nas it is", "other.md": "other"})
    m.sync()
    states = [fingerprint(vault)]
    for command in (
        {"command": "create", "path": "/memories/tea.md", "file_text": "Sencha at seventy degrees.\n"},
        {"command": "insert", "path": "/memories/old.md", "insert_line": 1, "insert_text": "between"},
        {"command": "str_replace", "path": "/memories/tea.md", "old_str": "seventy", "new_str": "eighty"},
        {"command": "rename", "old_path": "/memories/tea.md", "new_path": "/memories/drinks/tea.md"},
        {"command": "delete", "path": "/memories/old.md"},
    ):
        m.memory_tool.run(command)
        states.append(fingerprint(vault))
    hit = m.search("sencha eighty degrees", mode="words").results[0]
    assert hit.path == "agent/drinks/tea.md"
    log = m.journal.log()
    assert {entry.actor for entry in log} == {"memory-tool"}
    assert [entry.operation for entry in log] == ["delete", "move", "edit", "edit", "new"]
    for state in reversed(states[:-1]):
        m.journal.undo()
        assert fingerprint(vault) == state


def test_secrets_are_taken_out_of_what_the_model_writes_and_not_of_what_its_owner_wrote(
    tool: MemoryTool, vault: Path
) -> None:
    mine, its = "ghp_" + "a1B2" * 9, "ghp_" + "c3D4" * 9
    write_vault(vault, {"agent/keys.md": f"mine: {mine}\nlast\n"})
    tool.create("/memories/new.md", f"token {its}\n")
    tool.insert("/memories/keys.md", 2, f"token {its}")
    tool.str_replace("/memories/keys.md", "last", f"last, {its}")
    on_disk = "".join(data.decode() for data in fingerprint(vault).values())
    assert mine in on_disk and its not in on_disk
    assert on_disk.count("[redacted:github-token:") == 3


def test_a_file_with_bytes_that_are_no_text_keeps_them(tool: MemoryTool, vault: Path) -> None:
    write_vault(vault, {"agent/a.md": b"caf\xe9\nx\n"})
    tool.insert("/memories/a.md", 2, "y")
    tool.str_replace("/memories/a.md", "x", "z")
    assert (vault / "agent" / "a.md").read_bytes() == b"caf\xe9\nz\ny\n"


def test_without_the_sdk_the_error_names_what_to_install(tool: MemoryTool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "anthropic.lib", None)
    with pytest.raises(ConfigError, match=r"memoro\[anthropic\]"):
        memory_tool.for_anthropic(tool)


# From here on: against the SDK itself.

PATHS = st.sampled_from(["a.md", "b.md", "d.x/a.md", "d.x/e/c.md", "d.x", "x.md/../b.md", "f/./g.md", ""])
NAMES = PATHS.map(lambda name: f"/memories/{name}" if name else "/memories")
TEXTS = st.sampled_from(["", "a", "a\n", "a\nb\n", "a\n\nb", "aa\nba\n\n", "x\r\ny\r\n", "\n", "ünï\n", "a" * 1500])
OLD = st.sampled_from(["a", "b", "aa", "a\nb", "x", "\n", "zz"])
COMMANDS = st.one_of(
    st.fixed_dictionaries(
        {"command": st.just("view"), "path": NAMES},
        optional={"view_range": st.lists(st.integers(-2, 6), min_size=1, max_size=3)},
    ),
    st.fixed_dictionaries({"command": st.just("create"), "path": NAMES, "file_text": TEXTS}),
    st.fixed_dictionaries({"command": st.just("create"), "path": NAMES, "file_text": TEXTS}),
    st.fixed_dictionaries({"command": st.just("str_replace"), "path": NAMES, "old_str": OLD, "new_str": TEXTS}),
    st.fixed_dictionaries(
        {"command": st.just("insert"), "path": NAMES, "insert_line": st.integers(-1, 5), "insert_text": TEXTS}
    ),
    st.fixed_dictionaries({"command": st.just("delete"), "path": NAMES}),
    st.fixed_dictionaries({"command": st.just("rename"), "old_path": NAMES, "new_path": NAMES}),
)


def answer(tool: Any, error: type[Exception], command: dict[str, Any]) -> str:
    try:
        return f"ok: {tool.call(command)}"
    except error as refusal:
        return f"no: {refusal}"


def without_sizes_of_folders(text: str) -> str:
    first = re.sub(r"(excluding hidden items:\n)\S+\t", r"\1-\t", text)
    return re.sub(r"(?m)^\S+\t(/memories/.*/)$", r"-\t\1", first)


def without_empty_folders(folder: Path) -> None:
    """In the vault a folder is there for as long as there is something in it."""
    for inner in sorted((f for f in folder.rglob("*") if f.is_dir()), reverse=True):
        if not any(inner.iterdir()):
            inner.rmdir()


@settings(max_examples=600 if CAMPAIGN else 20)
@given(commands=st.lists(COMMANDS, min_size=4, max_size=14))
def test_ours_answers_as_the_sdks_own(commands: list[dict[str, Any]]) -> None:
    tools = pytest.importorskip("anthropic.lib.tools", reason=WHY)
    builtin = pytest.importorskip("anthropic.lib.tools._beta_builtin_memory_tool", reason=WHY)
    folder = Path(tempfile.mkdtemp())
    try:
        (folder / "vault").mkdir()
        theirs = builtin.BetaLocalFilesystemMemoryTool(str(folder / "sdk"))
        with memoro.open(folder / "home", folder / "vault") as m:
            ours = memory_tool.for_anthropic(m.memory_tool)
            for command in commands:
                try:
                    # The SDK cuts its extracts before the last newline, and between the two characters of "\\r\\n".
                    plain = re.sub(r"\r(?=\n|\Z)", "", answer(theirs, tools.ToolError, command))
                    expected = m.memory_tool.filter.text(plain)
                except OSError:  # such as a folder moved into itself: the SDK has no words for it
                    without_empty_folders(folder / "sdk" / "memories")
                    continue
                without_empty_folders(folder / "sdk" / "memories")
                found = answer(ours, tools.ToolError, command)
                assert without_sizes_of_folders(found) == without_sizes_of_folders(expected), command
            mine = {
                path.removeprefix("agent/").replace("d.x.md", "d.x"): data
                for path, data in fingerprint(folder / "vault").items()
            }
            assert mine == fingerprint(folder / "sdk" / "memories")
    finally:
        shutil.rmtree(folder)


def test_the_sdks_runner_takes_it(m: Workspace, vault: Path) -> None:
    tools = pytest.importorskip("anthropic.lib.tools", reason=WHY)
    tool = memory_tool.for_anthropic(m.memory_tool)
    assert isinstance(tool, tools.BetaAbstractMemoryTool) and isinstance(tool, tools.BetaBuiltinFunctionTool)
    assert tool.to_dict() == {"type": "memory_20250818", "name": "memory"} and tool.name == "memory"
    created = tool.call({"command": "create", "path": "/memories/a.md", "file_text": "hello"})
    assert created == "File created successfully at: /memories/a.md"
    with pytest.raises(tools.ToolError) as error:
        tool.call({"command": "create", "path": "/memories/a.md", "file_text": "again"})
    assert error.value.content == "File /memories/a.md already exists"
    with pytest.raises(tools.ToolError):
        tool.call({"command": "view"})
    assert (vault / "agent" / "a.md").read_text() == "hello"


def test_the_sdks_asynchronous_runner_takes_it_too(m: Workspace, vault: Path) -> None:
    tools = pytest.importorskip("anthropic.lib.tools", reason=WHY)
    tool = memory_tool.for_async_anthropic(m.memory_tool)
    assert isinstance(tool, tools.BetaAsyncAbstractMemoryTool)

    async def work() -> list[str]:
        made = tool.call({"command": "create", "path": "/memories/a.md", "file_text": "hello"})
        return [await made, await tool.call({"command": "view", "path": "/memories/a.md"})]

    assert asyncio.run(work())[1].endswith("     1\thello")
    assert (vault / "agent" / "a.md").read_text() == "hello"
