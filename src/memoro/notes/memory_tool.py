"""Anthropic's memory tool on the folder `agent/` of the vault: six commands, with the texts that models know.

What an agent writes here are notes: indexed, in the journal, undoable, and its owner's to read and edit.
The always-loaded files can be viewed beside them and not be written.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from memoro.errors import MemoroError, NoteNotFound
from memoro.notes.files import AGENTS_FOLDER, Files
from memoro.notes.scribe import Scribe
from memoro.vault.files import VaultFiles
from memoro.vault.layout import ROLES

ROOT = "/memories"
BY = "memory-tool"
_MAX_LINES = 999_999
_FOLDER_BYTES = 4096  # what a folder is said to take
_LOADED = tuple(name for names in ROLES.values() for name in names)
_CONTEXT = 2  # lines shown on each side of a replacement


class ToolError(Exception):
    """What the model is told when a command cannot be done."""


class _Item(NamedTuple):
    name: str  # as the model names it, below the root
    size: int


class MemoryTool:
    """`m.memory_tool`. Each command takes what the model sent and returns the text to answer with."""

    def __init__(self, scribe: Scribe, files: Files, vault: VaultFiles) -> None:
        self._scribe = scribe
        self._files = files
        self._vault = vault

    def run(self, command: dict[str, Any]) -> str:
        """Do what the input of a `tool_use` block says."""
        arguments = {key: value for key, value in command.items() if key != "command"}
        name = command.get("command")
        if name not in ("view", "create", "str_replace", "insert", "delete", "rename"):
            raise ToolError(f"Unknown command: {name}")
        try:
            answer: str = getattr(self, name)(**arguments)
            return answer
        except TypeError as error:
            raise ToolError(f"Wrong input for {name}: {error}") from error

    def view(self, path: str, view_range: Sequence[int] | None = None) -> str:
        inner = _inner(path)
        if inner == "" or (self._note(inner) is None and self._below(inner)):
            return self._folder(path, inner)
        text = self._text(path, inner)
        lines = text.split("\n")
        if len(lines) > _MAX_LINES:
            raise ToolError(f"File {path} has too many lines ({len(lines)}). Maximum is {_MAX_LINES:,} lines.")
        first, last = _range(view_range, len(lines))
        shown = "\n".join(f"{number:>6}\t{lines[number - 1]}" for number in range(first, last + 1))
        return f"Here's the content of {path} with line numbers:\n{shown}"

    def create(self, path: str, file_text: str) -> str:
        inner = self._writable(path)
        if self._note(inner) is not None or self._below(inner):
            raise ToolError(f"File {path} already exists")
        self._do(lambda: self._files.new(_path(inner), file_text, by=BY))
        return f"File created successfully at: {path}"

    def str_replace(self, path: str, old_str: str, new_str: str) -> str:
        inner = self._writable(path)
        text = self._text(path, inner)
        found = text.count(old_str) if old_str else 0
        if found == 0:
            raise ToolError(f"No replacement was performed, old_str `{old_str}` did not appear verbatim in {path}.")
        if found > 1:
            found_at = [n for n, line in enumerate(text.split("\n"), 1) if old_str.split("\n")[0] in line]
            listed = ", ".join(map(str, found_at))
            raise ToolError(
                f"No replacement was performed. Multiple occurrences of old_str `{old_str}` in lines: {listed}. "
                "Please ensure it is unique"
            )
        self._do(lambda: self._files.edit(_path(inner), new_str, old=old_str, by=BY))
        lines = self._text(path, inner).split("\n")
        at = text[: text.index(old_str)].count("\n")
        first, last = max(0, at - _CONTEXT), min(len(lines), at + new_str.count("\n") + _CONTEXT + 1)
        shown = "\n".join(f"{number + 1:>6}\t{lines[number]}" for number in range(first, last))
        return (
            f"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{shown}"
        )

    def insert(self, path: str, insert_line: int, insert_text: str) -> str:
        inner = self._writable(path)
        lines = self._text(path, inner).split("\n")
        if not 0 <= insert_line <= len(lines):
            raise ToolError(
                f"Invalid `insert_line` parameter: {insert_line}. It should be within the range [0, {len(lines)}]."
            )
        lines.insert(insert_line, insert_text.rstrip("\n"))
        self._do(lambda: self._files.edit(_path(inner), "\n".join(lines), by=BY))
        return f"The file {path} has been edited."

    def delete(self, path: str) -> str:
        inner = self._writable(path, "Cannot delete the /memories directory itself")
        names = [inner] if self._note(inner) is not None else [item.name for item in self._below(inner)]
        if not names:
            raise ToolError(f"The path {path} does not exist")
        for name in names:
            self._do(lambda name=name: self._files.delete(_path(name), by=BY))
        return f"Successfully deleted {path}"

    def rename(self, old_path: str, new_path: str) -> str:
        old = self._writable(old_path, "Cannot rename the /memories directory itself")
        new = self._writable(new_path, "Cannot rename the /memories directory itself")
        names = [old] if self._note(old) is not None else [item.name for item in self._below(old)]
        if not names:
            raise ToolError(f"The path {old_path} does not exist")
        if self._note(new) is not None or self._below(new):
            raise ToolError(f"The destination {new_path} already exists")
        for name in names:
            target = new + name.removeprefix(old)
            self._do(lambda name=name, target=target: self._files.move(_path(name), _path(target), by=BY))
        return f"Successfully renamed {old_path} to {new_path}"

    def _do(self, work: Any) -> None:
        try:
            work()
        except MemoroError as error:
            raise ToolError(str(error)) from error

    def _writable(self, path: str, refusal: str = "The /memories directory itself cannot be written") -> str:
        inner = _inner(path)
        if inner == "":
            raise ToolError(refusal)
        if inner in _LOADED and self._scribe.bytes_of(_path(inner)) is None:
            raise ToolError(f"{path} is always loaded and belongs to its owner; it can be viewed and not be written.")
        return inner

    def _note(self, inner: str) -> bytes | None:
        """The bytes of a file as the model names it: below `agent/`, or an always-loaded one."""
        try:
            found = self._scribe.bytes_of(_path(inner))
            return found if found is not None or inner not in _LOADED else self._scribe.bytes_of(inner)
        except MemoroError:
            return None

    def _text(self, path: str, inner: str) -> str:
        data = self._note(inner)
        if data is None:
            raise ToolError(f"The path {path} does not exist. Please provide a valid path.")
        return data.decode("utf-8", "replace")

    def _below(self, inner: str) -> list[_Item]:
        """All files below a folder, as the model names them."""
        prefix = f"{inner}/" if inner else ""
        found = self._vault.list().files
        own = [_Item(_shown(path), stamp.size) for path, stamp in found.items() if path.startswith(AGENTS_FOLDER)]
        loaded = [_Item(path, found[path].size) for path in found if path in _LOADED]
        return [item for item in [*own, *loaded] if item.name.startswith(prefix)]

    def _folder(self, path: str, inner: str) -> str:
        prefix = f"{inner}/" if inner else ""
        rows: dict[str, int] = {}
        for item in self._below(inner):
            parts = item.name.removeprefix(prefix).split("/")
            for depth in range(1, min(len(parts), 2) + 1):
                whole = depth == len(parts)
                rows["/".join(parts[:depth]) + ("" if whole else "/")] = item.size if whole else _FOLDER_BYTES
        shown = path.rstrip("/")
        lines = [f"{_size(_FOLDER_BYTES)}\t{shown}"]
        lines += [f"{_size(size)}\t{shown}/{name}" for name, size in sorted(rows.items())]
        head = f"Here're the files and directories up to 2 levels deep in {shown}, excluding hidden items:"
        return "\n".join([head, *lines])


def _inner(path: str) -> str:
    """The path below the root, checked as the model must be told."""
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise ToolError(f"Path must start with {ROOT}, got: {path}")
    parts = path.removeprefix(ROOT).strip("/").split("/")
    if any(part in (".", "..") or "\x00" in part for part in parts):
        raise ToolError(f"Path {path} would escape {ROOT} directory")
    if any(part.startswith(".") or (part == "" and len(parts) > 1) for part in parts):
        raise ToolError(f"The path {path} does not exist. Please provide a valid path.")
    return "/".join(parts)


def _path(inner: str) -> str:
    """Where a file stands in the vault: only notes do, so another name gets `.md` behind it."""
    return f"{AGENTS_FOLDER}{inner}" if inner.lower().endswith(".md") else f"{AGENTS_FOLDER}{inner}.md"


def _shown(path: str) -> str:
    name = path.removeprefix(AGENTS_FOLDER)
    bare = name[:-3]
    return bare if "." in bare.rpartition("/")[2] else name


def _range(wanted: Sequence[int] | None, lines: int) -> tuple[int, int]:
    if not wanted:
        return 1, lines
    first, last = wanted[0], wanted[1] if len(wanted) > 1 else lines
    return max(1, first), lines if last == -1 else min(last, lines)


def _size(size: int) -> str:
    units = "BKMG"
    value, unit = float(size), 0
    while value >= 1024 and unit < len(units) - 1:
        value, unit = value / 1024, unit + 1
    return f"{int(value)}{units[unit]}" if value == int(value) else f"{value:.1f}{units[unit]}"


def for_anthropic(tool: MemoryTool) -> Any:
    """The tool as an object that the `anthropic` SDK's tool runner takes (extra `anthropic`)."""
    try:
        from anthropic.lib.tools import BetaAbstractMemoryTool
        from anthropic.lib.tools import ToolError as SdkToolError
    except ImportError as error:
        raise NoteNotFound("The anthropic SDK is not installed: `pip install 'memoro[anthropic]'`.") from error

    class VaultMemoryTool(BetaAbstractMemoryTool):  # type: ignore[misc]
        """Answers the six commands from the vault."""

        def _run(self, command: Any) -> str:
            try:
                return tool.run({k: v for k, v in command.model_dump().items() if v is not None})
            except ToolError as error:
                raise SdkToolError(str(error)) from error

        view = create = str_replace = insert = delete = rename = _run

    return VaultMemoryTool()
