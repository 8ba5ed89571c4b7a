"""Anthropic's memory tool on the folder `agent/` of the vault: six commands, with the texts that models know.

What an agent writes here are notes: indexed, in the journal, undoable, and its owner's to read and edit.
The always-loaded files can be viewed beside them and not be written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, NamedTuple, ParamSpec

from memoro.errors import ConfigError, MemoroError
from memoro.model.output_filter import OutputFilter, is_respelled
from memoro.model.placeholders import resolve
from memoro.notes.files import Files
from memoro.vault.files import VaultFiles
from memoro.vault.layout import AGENTS_FOLDER, ROLES

Arguments = ParamSpec("Arguments")

ROOT = "/memories"
BY = "memory-tool"
# What each command takes; a question mark: it may be left out.
COMMANDS: dict[str, dict[str, type]] = {
    "view": {"path": str, "view_range?": list},
    "create": {"path": str, "file_text": str},
    "str_replace": {"path": str, "old_str": str, "new_str": str},
    "insert": {"path": str, "insert_line": int, "insert_text": str},
    "delete": {"path": str},
    "rename": {"old_path": str, "new_path": str},
}
_MAX_LINES = 999_999
_FOLDER_BYTES = 4096  # what a folder is said to take
_LOADED = tuple(name for names in ROLES.values() for name in names)
_CONTEXT = 2  # lines shown on each side of the place of a replacement


class ToolError(Exception):
    """The sentence that the model reads when a command fails."""


class _Item(NamedTuple):
    name: str  # as the model names it, below the root
    size: int


def _filtered(command: Callable[Arguments, str]) -> Callable[Arguments, str]:
    """Make the answer of a command, or its error, pass the output filter on its way to the model."""

    @wraps(command)
    def answered(*arguments: Arguments.args, **named: Arguments.kwargs) -> str:
        tool = arguments[0]
        assert isinstance(tool, MemoryTool)
        try:
            return tool.filter.text(command(*arguments, **named))
        except ToolError as error:
            raise ToolError(tool.filter.text(str(error))) from error

    return answered


class MemoryTool:
    """`m.memory_tool`. Each command takes what the model sent and returns the text to answer with."""

    def __init__(self, files: Files, vault: VaultFiles, filter: OutputFilter) -> None:
        self._files = files
        self._vault = vault
        self.filter = filter

    @_filtered
    def run(self, command: Mapping[str, Any], *, key: str | None = None) -> str:
        """Do what the input of a `tool_use` block says; ToolError where it cannot be done.

        With a `key`, such as the id of the block, a command that is repeated is done once.
        """
        name = command.get("command")
        if not isinstance(name, str) or name not in COMMANDS:
            raise ToolError(f"Unknown command: {name}")
        given: dict[str, Any] = {}
        for field, kind in COMMANDS[name].items():
            value = command.get(field.rstrip("?"))
            if value is None and field.endswith("?"):
                continue
            if not isinstance(value, kind) or isinstance(value, bool):
                raise ToolError(f"Wrong input for {name}: {field.rstrip('?')} must be {_KINDS[kind]}.")
            given[field.rstrip("?")] = value
        if key is not None and name != "view":
            given["key"] = key
        answer: str = getattr(self, name)(**given)
        return answer

    @_filtered
    def view(self, path: str, view_range: Sequence[int] | None = None) -> str:
        inner = self._inner(path)
        if self._is_folder(inner):
            return self._folder(path, inner)
        lines = self.filter.text(self._text(path, inner)).split("\n")
        if len(lines) > _MAX_LINES:
            raise ToolError(f"File {path} exceeds maximum line limit of {_MAX_LINES:,} lines.")
        first = 0
        if view_range and len(view_range) == 2 and all(isinstance(number, int) for number in view_range):
            first = max(1, view_range[0]) - 1
            lines = lines[first : len(lines) if view_range[1] == -1 else view_range[1]]
        return f"Here's the content of {path} with line numbers:\n{_numbered(lines, first)}"

    @_filtered
    def create(self, path: str, file_text: str, *, key: str | None = None) -> str:
        inner = self._writable(path)
        if not self._files.is_done(key):
            if self._is_folder(inner) or self._note(inner) is not None:
                raise ToolError(f"File {path} already exists")
            self._check_parents(inner)
        self._do(lambda: self._files.new(_path(inner), file_text, by=BY, key=key))
        return f"File created successfully at: {path}"

    @_filtered
    def str_replace(self, path: str, old_str: str, new_str: str, *, key: str | None = None) -> str:
        inner = self._writable(path)
        if self._files.is_done(key):
            self._do(lambda: self._files.edit(_path(inner), new_str, old=old_str, by=BY, key=key))
            return f"The memory file {path} has been edited."
        text = self._file_text(path, inner)
        shown, old_str = old_str, resolve(old_str, text, self.filter.known)
        found = text.count(old_str) if old_str else 0
        if found == 0:
            raise ToolError(f"No replacement was performed, old_str `{shown}` did not appear verbatim in {path}.")
        if found > 1:
            listed = ", ".join(map(str, _lines_with(text, old_str)))
            raise ToolError(
                f"No replacement was performed. Multiple occurrences of old_str `{shown}` in lines: {listed}. "
                "Please ensure it is unique"
            )
        self._do(lambda: self._files.edit(_path(inner), new_str, old=shown, by=BY, key=key))
        lines = self.filter.text(self._text(path, inner)).split("\n")
        at = text[: text.index(old_str)].count("\n")
        first = max(0, at - _CONTEXT)
        return (
            "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
            f"{_numbered(lines[first : at + _CONTEXT + 1], first)}"
        )

    @_filtered
    def insert(self, path: str, insert_line: int, insert_text: str, *, key: str | None = None) -> str:
        inner = self._writable(path)
        text = self._file_text(path, inner)
        lines = text.count("\n") + (not text.endswith("\n") and text != "")
        if not 0 <= insert_line <= lines and not self._files.is_done(key):
            raise ToolError(
                f"Invalid `insert_line` parameter: {insert_line}. It should be within the range [0, {lines}]."
            )
        self._do(lambda: self._files.insert(_path(inner), insert_line, insert_text, by=BY, key=key))
        return f"The file {path} has been edited."

    @_filtered
    def delete(self, path: str, *, key: str | None = None) -> str:
        if _inner(path) == "":
            raise ToolError(f"Cannot delete the {ROOT} directory itself")

        def find() -> list[str]:
            names = self._names(self._writable(path))
            if not names:
                raise ToolError(f"The path {path} does not exist")
            return names

        for name in self._files.names_once(key, ("delete", path), find):
            own = _own_key(key, name)
            self._do(lambda name=name, own=own: self._files.delete(_path(name), by=BY, key=own))  # type: ignore[misc]
        return f"Successfully deleted {path}"

    @_filtered
    def rename(self, old_path: str, new_path: str, *, key: str | None = None) -> str:
        if _inner(old_path) == "":
            raise ToolError(f"Cannot rename the {ROOT} directory itself")
        old, new = self._writable(old_path), self._writable(new_path)

        def find() -> list[str]:
            if self._is_folder(new) or self._note(new) is not None:
                raise ToolError(f"The destination {new_path} already exists")
            names = self._names(old)
            if not names:
                raise ToolError(f"The path {old_path} does not exist")
            self._check_parents(new)
            return names

        for name in self._files.names_once(key, ("rename", old_path, new_path), find):
            target, own = new + name.removeprefix(old), _own_key(key, name)
            self._do(lambda one=name, to=target, own=own: self._files.move(_path(one), _path(to), by=BY, key=own))  # type: ignore[misc]
        return f"Successfully renamed {old_path} to {new_path}"

    def _do(self, work: Callable[[], object]) -> None:
        try:
            work()
        except MemoroError as error:
            raise ToolError(str(error)) from error

    def _inner(self, path: str) -> str:
        """The path below the root as it stands in the vault: the model may name it as it was shown."""
        inner = _inner(path)
        if not is_respelled(inner) or self._note(inner) is not None:
            return inner
        return self.filter.find(inner, [item.name for item in self._below("")]) or inner

    def _writable(self, path: str) -> str:
        inner = self._inner(path)
        if inner in _LOADED and self._read(_path(inner)) is None:
            raise ToolError(f"{path} is always loaded and belongs to its owner; it can be viewed and not be written.")
        return inner

    def _check_parents(self, inner: str) -> None:
        """Raise where a file stands at the path of a folder."""
        parts = inner.split("/")
        for depth in range(1, len(parts)):
            parent = "/".join(parts[:depth])
            if self._note(parent) is not None:
                raise ToolError(f"The path {ROOT}/{parent} is not a directory.")

    def _names(self, inner: str) -> list[str]:
        """The file of that name, or all below the folder of that name."""
        return [inner] if self._note(inner) is not None else [item.name for item in self._below(inner)]

    def _is_folder(self, inner: str) -> bool:
        return inner == "" or (self._note(inner) is None and bool(self._below(inner)))

    def _note(self, inner: str) -> bytes | None:
        """The bytes of a file as the model names it: below `agent/`, or an always-loaded one."""
        if inner == "":
            return None
        found = self._read(_path(inner))
        return found if found is not None or inner not in _LOADED else self._read(inner)

    def _read(self, path: str) -> bytes | None:
        try:
            return self._vault.read(path).data
        except MemoroError:
            return None

    def _text(self, path: str, inner: str) -> str:
        data = self._note(inner)
        if data is None:
            raise ToolError(f"The path {path} does not exist. Please provide a valid path.")
        return data.decode("utf-8", "replace")

    def _file_text(self, path: str, inner: str) -> str:
        """The text of a file that is to be written."""
        if self._is_folder(inner):
            raise ToolError(f"The path {path} is not a file.")
        return self._text(path, inner)

    def _below(self, inner: str) -> list[_Item]:
        """All files below a folder, as the model names them."""
        prefix = f"{inner}/" if inner else ""
        found = self._vault.list().files
        own = {_shown(path): stamp.size for path, stamp in found.items() if path.startswith(AGENTS_FOLDER)}
        loaded = {path: found[path].size for path in found if path in _LOADED}
        return [_Item(name, size) for name, size in (loaded | own).items() if name.startswith(prefix)]

    def _folder(self, path: str, inner: str) -> str:
        depth_above = inner.count("/") + 1 if inner else 0
        rows: dict[tuple[str, ...], int | None] = {}  # None: a folder
        for item in self._below(inner):
            parts = tuple(item.name.split("/")[depth_above:])
            rows |= {parts[:depth]: None for depth in range(1, min(len(parts) - 1, 2) + 1)}
            if len(parts) <= 2:
                rows[parts] = item.size
        lines = [f"{_size(_FOLDER_BYTES)}\t{path}"]
        for parts, size in sorted(rows.items()):
            name = self.filter.name("/".join(parts))
            lines.append(
                f"{_size(size)}\t{path}/{name}" if size is not None else f"{_size(_FOLDER_BYTES)}\t{path}/{name}/"
            )
        head = f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:"
        return "\n".join([head, *lines])


def _own_key(key: str | None, name: str) -> str | None:
    """Return the key of one file of a command that is about several."""
    return None if key is None else f"{key}:{name}"


_KINDS = {str: "a text", int: "a whole number", list: "a list of two numbers"}


def _numbered(lines: Sequence[str], first: int) -> str:
    return "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(lines, first + 1))


def _lines_with(text: str, part: str) -> list[int]:
    """The line of each place where it stands; places may overlap."""
    found, line, at, last = [], 1, text.find(part), 0
    while at >= 0:
        line += text.count("\n", last, at)
        found.append(line)
        last, at = at, text.find(part, at + 1)
    return found


def _inner(path: str) -> str:
    """The path below the root, checked as the model must be told."""
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise ToolError(f"Path must start with {ROOT}, got: {path}")
    parts: list[str] = []
    for part in path.removeprefix(ROOT).split("/"):
        if part == ".." and not parts:
            raise ToolError(f"Path {path} would escape {ROOT} directory")
        if part == "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    if any(part.startswith(".") or "\x00" in part for part in parts):
        raise ToolError(f"The path {path} does not exist. Please provide a valid path.")
    return "/".join(parts)


def _path(inner: str) -> str:
    """Where a file stands in the vault: only notes do, so another name gets `.md` behind it."""
    return f"{AGENTS_FOLDER}{inner}" if inner.lower().endswith(".md") else f"{AGENTS_FOLDER}{inner}.md"


def _shown(path: str) -> str:
    name = path.removeprefix(AGENTS_FOLDER)
    bare = name[:-3]
    return bare if "." in bare.rpartition("/")[2] else name


def _size(size: int) -> str:
    units = "BKMG"
    value, unit = float(size), 0
    while value >= 1024 and unit < len(units) - 1:
        value, unit = value / 1024, unit + 1
    return f"{int(value)}{units[unit]}" if value == int(value) else f"{value:.1f}{units[unit]}"


def for_anthropic(tool: MemoryTool) -> Any:
    """The tool as an object that `client.beta.messages.tool_runner(tools=[…])` takes (extra `anthropic`)."""
    lib = _sdk()

    class VaultMemoryTool(lib.BetaAbstractMemoryTool):  # type: ignore[misc, name-defined]
        """Answers the six commands from the vault."""

        def _run(self, command: Any) -> str:
            return _answered(tool, command, lib.ToolError)

        view = create = str_replace = insert = delete = rename = _run

    return VaultMemoryTool()


def for_async_anthropic(tool: MemoryTool) -> Any:
    """The same for an `AsyncAnthropic` client: each command runs on a thread."""
    lib = _sdk()

    class AsyncVaultMemoryTool(lib.BetaAsyncAbstractMemoryTool):  # type: ignore[misc, name-defined]
        """Answers the six commands from the vault."""

        async def _run(self, command: Any) -> str:
            import asyncio

            return await asyncio.to_thread(_answered, tool, command, lib.ToolError)

        view = create = str_replace = insert = delete = rename = _run

    return AsyncVaultMemoryTool()


def _answered(tool: MemoryTool, command: Any, error_class: type[Exception]) -> str:
    try:
        return tool.run(command.model_dump())
    except ToolError as error:
        raise error_class(str(error)) from error


def _sdk() -> Any:
    try:
        from anthropic.lib import tools
    except ImportError as error:
        raise ConfigError("The anthropic SDK is not installed: `pip install 'memoro[anthropic]'`.") from error
    return tools
