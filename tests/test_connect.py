"""Connecting a host changes what it says it changes and nothing else, and disconnecting takes exactly that out."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import memoro
from memoro import hosts
from memoro.cli.command_table import COMMANDS
from memoro.config.settings import (
    DailySettings,
    ExtractSettings,
    LanguageModelSettings,
    ProactiveSettings,
    RecallSettings,
    Settings,
    TranscriptSettings,
    WritingSettings,
)
from memoro.connect import file_edits
from memoro.connect.editors import EDITORS
from memoro.connect.edits import UneditableSettings, is_our_hook, without_pieces
from memoro.connect.effects import effects, places
from memoro.connect.json_editor import JsonEditor
from memoro.connect.json_text import parse
from memoro.connect.plan import connection_of, settings_files
from memoro.connect.toml_editor import TomlEditor
from memoro.errors import ConfigError
from memoro.hosts.settings import HookGroup, Member, Registration, SettingsFile, SettingsItem, SettingsRoots
from tests.conftest import Result, fingerprint, times

PYTHON = os.path.abspath(sys.executable)  # it may have been started by a relative path
COMMAND = "/opt/memoro/bin/memoro hook claude"
SERVER = Member(("mcpServers", "memoro"), {"command": "/opt/memoro/bin/memoro", "args": ["mcp"]})
ITEMS: tuple[SettingsItem, ...] = (
    SERVER,
    HookGroup(
        "SessionStart", {"matcher": "startup", "hooks": [{"type": "command", "command": COMMAND, "timeout": 10}]}
    ),
    HookGroup("Stop", {"hooks": [{"type": "command", "command": COMMAND, "async": True}]}),
)
MEMBERS = (SERVER.path,)
TABLE = Member(("mcp_servers", "memoro"), {"command": "/opt/memoro/bin/memoro", "args": ["mcp", "ü \\ \"'"]})

# ------ files as people have them

keys = st.sampled_from(["a", "theme", "mcpServers", "hooks", "SessionStart", "Stop", "command", "ü", 'q"', "memory"])
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)
others = st.dictionaries(st.sampled_from(["b", "other", "zed"]), st.fixed_dictionaries({"command": st.text()}))
groups = st.lists(
    st.fixed_dictionaries({"hooks": st.lists(st.fixed_dictionaries({"command": st.text()}), max_size=2)}), max_size=2
)
settings = st.builds(
    lambda rest, known: {**rest, **known},
    st.dictionaries(keys.filter(lambda key: key not in ("mcpServers", "hooks")), values, max_size=4),
    st.fixed_dictionaries(
        {}, optional={"mcpServers": others, "hooks": st.dictionaries(st.sampled_from(["Stop", "PreToolUse"]), groups)}
    ),
)


@st.composite
def written(draw: st.DrawFn, value: object, *, comments: bool) -> str:
    """The value as somebody may have written it: any white space, and comments and last commas where they may be."""
    blanks = ["", " ", "\n", "\n  ", "\r\n\t", " \n\n    "]
    if comments:
        blanks += [" // said, {not} [meant]\n", '/* a\n"b": */ ', "\n  // one\n  // two\n"]
    blank = st.sampled_from(blanks)

    def say(one: object) -> str:
        if not isinstance(one, dict | list):
            return json.dumps(one, ensure_ascii=draw(st.booleans()))
        parts = [
            f"{draw(blank)}{json.dumps(key)}{draw(blank)}:{draw(blank)}{say(inner)}{draw(blank)}"
            for key, inner in one.items()
        ] if isinstance(one, dict) else [f"{draw(blank)}{say(inner)}{draw(blank)}" for inner in one]  # fmt: skip
        last = f",{draw(blank)}" if comments and parts and draw(st.booleans()) else ""
        opening, closing = "{}" if isinstance(one, dict) else "[]"
        return f"{opening}{','.join(parts) or draw(blank)}{last}{closing}"

    start = draw(st.sampled_from(["", "\ufeff", "\n"]))
    return f"{start}{draw(blank)}{say(value)}{draw(blank)}"


texts = st.sampled_from([False, True]).flatmap(
    lambda comments: settings.flatmap(
        lambda value: written(value, comments=comments).map(lambda text: (comments, value, text))
    )
)


@given(texts)
def test_json_is_read_as_everyone_reads_it(given: tuple[bool, dict[str, Any], str]) -> None:
    comments, value, text = given
    node = parse(text, comments=comments)
    assert node is not None and node.value == value
    if not comments:
        assert json.loads(text.removeprefix("\ufeff")) == node.value


@given(st.text(alphabet='{}[]",:/*\\ \n\rtrue1.e-nul\ufeff') | st.text())
def test_what_json_refuses_is_refused_with_its_place_and_nothing_else_happens(text: str) -> None:
    try:
        expected = json.loads(text.removeprefix("\ufeff"), parse_constant=lambda _: 1 / 0)
    except (ValueError, ZeroDivisionError):
        if text.removeprefix("\ufeff").strip(" \t\r\n"):
            with pytest.raises(UneditableSettings, match="line "):
                parse(text, comments=False)
    else:
        node = parse(text, comments=False)
        assert node is not None and node.value == expected


@given(texts)
def test_connecting_and_disconnecting_gives_the_same_bytes(given: tuple[bool, dict[str, Any], str]) -> None:
    comments, _, text = given
    edited = JsonEditor(comments).insert(text, ITEMS)
    assert without_pieces(edited.text, edited.pieces) == text


@given(texts)
def test_connecting_changes_no_other_key_and_no_line_that_was_there(given: tuple[bool, dict[str, Any], str]) -> None:
    comments, value, text = given
    file = JsonEditor(comments)
    edited = file.insert(text, ITEMS)
    after = file.value(edited.text)
    assert isinstance(after, dict)
    assert after["mcpServers"].pop("memoro") == SERVER.value
    for item in ITEMS[1:]:
        assert isinstance(item, HookGroup)
        after["hooks"][item.event].remove(item.group)
    assert _without_empty(after) == _without_empty(value)
    assert file.holds(edited.text, ITEMS, MEMBERS)
    rest = iter(edited.text)
    assert all(character in rest for character in text), "what was there is there still, in its order"


def _without_empty(value: dict[str, Any]) -> dict[str, Any]:
    """Without what is empty where we put things: `{"hooks": {}}` says what `{}` does."""
    hooks = {event: found for event, found in value.get("hooks", {}).items() if found}
    kept = {**value, "hooks": hooks, "mcpServers": value.get("mcpServers", {})}
    return {key: one for key, one in kept.items() if one or key not in ("hooks", "mcpServers")}


@given(texts)
def test_what_others_reformatted_is_taken_out_by_what_it_is(given: tuple[bool, dict[str, Any], str]) -> None:
    comments, value, text = given
    file = JsonEditor(comments)
    edited = file.insert(text, ITEMS).text
    taken = file.remove(edited, MEMBERS)
    left = file.value(taken)
    assert isinstance(left, dict)
    assert file.holds(taken, (), MEMBERS)
    assert _without_empty(left) == _without_empty(value)
    assert file.remove(text, MEMBERS) == text


@given(texts, st.data())
def test_what_others_write_elsewhere_meanwhile_stays_to_the_byte(
    given: tuple[bool, dict[str, Any], str], data: st.DataObject
) -> None:
    comments, _, text = given
    edited = JsonEditor(comments).insert(text, ITEMS)
    changed = edited.text + data.draw(st.sampled_from(["\n", "  ", "\n\n"]))
    assert without_pieces(changed, edited.pieces) == text + changed[len(edited.text) :]


@given(texts)
@hypothesis_settings(max_examples=times(15, 2000))
def test_a_file_that_was_connected_and_disconnected_is_the_same_on_the_disk(
    tmp_path_factory: pytest.TempPathFactory, given: tuple[bool, dict[str, Any], str]
) -> None:
    comments, _, text = given
    folder = tmp_path_factory.mktemp("host")
    home, file = str(folder / "home"), folder / "settings.json"
    file.write_bytes(text.encode())
    target = SettingsFile(str(file), "jsonc" if comments else "json", items=ITEMS, members=MEMBERS)
    change = file_edits.connecting_edit(target, None)
    assert change is not None
    file_edits.carry_out(home, [change])
    assert file_edits.connecting_edit(target, file_edits.insertions(home).get(target.file)) is None
    back = file_edits.disconnecting_edit(target, file_edits.insertions(home).get(target.file))
    assert back is not None
    file_edits.carry_out(home, [back])
    assert file.read_bytes() == text.encode()
    assert file_edits.insertions(home) == {}


# ------ TOML

toml_lines = st.sampled_from(
    [
        "# a comment",
        "",
        'model = "o9"',
        "'quoted key' = 1",
        "[mcp_servers.other]",
        'command = "x"',
        "args = [",
        '  "[mcp_servers.memoro]", # ]',
        "]",
        '[profiles."a.b"]',
        "[[rules]]",
        'said = """',
        "[mcp_servers.memoro]",
        'command = "in a text"',
        '"""',
        "raw = '''",
        "'''",
        "dotted.key.deep = { a = 1, b = [2] }",
        "mcp_servers.third.command = 'y'",
        "[mcp_servers]",
        "[features]",
    ]
)
tomls = st.tuples(st.lists(toml_lines, max_size=12), st.sampled_from(["\n", "\r\n"]), st.booleans()).map(
    lambda t: t[1].join(t[0]) + (t[1] if t[2] else "")
)


def _toml(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


@given(tomls)
def test_a_table_in_toml_comes_and_goes_and_the_rest_stays(text: str) -> None:
    before = _toml(text)
    if before is None:
        with pytest.raises(UneditableSettings, match="not valid TOML"):
            TomlEditor().insert(text, [TABLE])
        return
    if "memoro" in before.get("mcp_servers", {}):
        with pytest.raises(UneditableSettings, match="nothing can be added to it"):
            TomlEditor().insert(text, [TABLE])
    else:
        edited = TomlEditor().insert(text, [TABLE])
        assert without_pieces(edited.text, edited.pieces) == text
        after = tomllib.loads(edited.text)
        assert after["mcp_servers"].pop("memoro") == TABLE.value
        assert {**after, "mcp_servers": {**after["mcp_servers"]}} == {"mcp_servers": {}, **before}
        assert TomlEditor().holds(edited.text, [TABLE], [TABLE.path])
        text = edited.text
    left = tomllib.loads(TomlEditor().remove(text, [TABLE.path]))
    expected = tomllib.loads(text)
    del expected["mcp_servers"]["memoro"]
    assert {"mcp_servers": {}, **left} == {"mcp_servers": {}, **expected}


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers.memoro = { command = "old" }\n# stays\nb = 1\n',
        '[mcp_servers]\nmemoro = { command = "old" }\nb = 1\n',
        '[mcp_servers.memoro]\ncommand = "old"\n[mcp_servers.memoro.env]\nA = "1"\n# stays\n[other]\nb = 1\n',
        '[mcp_servers.memoro] # ours\ncommand = """\n[x]\n"""\n\n[other]\nb = 1',
    ],
)
def test_a_table_written_in_another_way_is_taken_out_and_replaced(text: str) -> None:
    taken = TomlEditor().remove(text, [TABLE.path])
    assert "old" not in taken and "b = 1" in taken
    assert ("# stays" in text) == ("# stays" in taken)
    assert tomllib.loads(TomlEditor().insert(taken, [TABLE]).text)["mcp_servers"]["memoro"] == TABLE.value


def test_a_table_that_cannot_be_taken_out_of_a_line_is_left_for_a_person() -> None:
    with pytest.raises(UneditableSettings, match="by hand"):
        TomlEditor().remove('mcp_servers = { memoro = { command = "old" }, b = 1 }\n', [TABLE.path])


@pytest.mark.parametrize(
    ("command", "ours"),
    [
        ("/opt/bin/memoro hook claude", True),
        ("'/my apps/bin/memoro' --home '/a b' hook gemini", True),
        ("/usr/bin/python -P -m memoro hook codex", True),
        ("memoro search x", False),
        ("/opt/memoro/bin/other hook claude", False),
        ("memoro-tools hook claude", False),
        ("run hook memoro", False),
    ],
)
def test_a_hook_is_ours_if_it_calls_memoro_hook(command: str, ours: bool) -> None:
    assert is_our_hook({"type": "command", "command": command}) is ours


def test_hooks_that_others_put_into_our_group_stay() -> None:
    text = json.dumps(
        {
            "hooks": {
                "Stop": [{"hooks": [{"command": "mine"}, {"command": COMMAND}]}, {"hooks": [{"command": COMMAND}]}]
            }
        }
    )
    taken = JsonEditor().remove(text, MEMBERS)
    assert json.loads(taken) == {"hooks": {"Stop": [{"hooks": [{"command": "mine"}]}]}}


@pytest.mark.parametrize("text", ["[]", "1", '{"mcpServers": []}', '{"mcpServers": null}', '{"hooks": {"Stop": {}}}'])
def test_a_file_of_another_shape_is_refused(text: str) -> None:
    with pytest.raises(UneditableSettings, match="in it"):
        JsonEditor().insert(text, ITEMS)


# ------ every host, on real files


REGISTRATION = Registration(("/opt/memoro/bin/memoro", "--home", "/my home"))


def files_of(host: str, roots: SettingsRoots, registration: Registration = REGISTRATION) -> list[SettingsFile]:
    return settings_files(hosts.load(host), roots, registration)


def settings_text(file: SettingsFile) -> str:
    """An empty settings file, once connected."""
    return EDITORS[file.syntax].insert("", file.items).text


def every(tmp_path: Path) -> list[tuple[str, str, SettingsFile]]:
    found: list[tuple[str, str, SettingsFile]] = []
    for name in hosts.CONNECTABLE:
        for scope in connection_of(hosts.load(name)).scopes:
            place = SettingsRoots({"HOME": str(tmp_path / "me")}, str(tmp_path / "project"), scope)
            found += [(name, scope, target) for target in files_of(name, place)]
    return found


def test_every_host_gets_what_it_reads_and_is_left_as_it_was(tmp_path: Path) -> None:
    home = str(tmp_path / "home")
    (tmp_path / "project").mkdir()
    found = every(tmp_path)
    assert {name for name, _, _ in found} == {
        "claude-code", "claude-desktop", "codex", "gemini", "cursor", "vscode", "opencode"
    }  # fmt: skip
    before = fingerprint(tmp_path)
    for _, _, target in found:
        change = file_edits.connecting_edit(target, None)
        assert change is not None
        file_edits.carry_out(home, [change])
        assert file_edits.connecting_edit(target, file_edits.insertions(home).get(target.file)) is None, (
            "a second time changes nothing"
        )
    assert {file for _, _, target in found for file in [target.file]} == {
        str(tmp_path / file) for file in fingerprint(tmp_path) if not file.startswith("home/")
    }
    for _, _, target in found:
        gone = file_edits.disconnecting_edit(target, file_edits.insertions(home).get(target.file))
        assert gone is not None
        file_edits.carry_out(home, [gone])
    left = {file for file in fingerprint(tmp_path) if not file.startswith("home/")}
    assert left == set(before)
    assert list((tmp_path / "project").iterdir()) == [], "folders that we made are gone with what was in them"


def test_the_shapes_are_those_that_hosts_read(tmp_path: Path) -> None:
    shapes = {(name, os.path.basename(t.file)): t for name, scope, t in every(tmp_path)}
    vscode = json.loads(settings_text(shapes["vscode", "mcp.json"]))
    server = ["/opt/memoro/bin/memoro", "--home", "/my home", "mcp"]
    assert vscode == {"servers": {"memoro": {"type": "stdio", "command": server[0], "args": server[1:]}}}
    opencode = shapes["opencode", "opencode.json"]
    assert json.loads(settings_text(opencode)) == {
        "mcp": {"memoro": {"type": "local", "command": server, "enabled": True}}
    }
    codex = shapes["codex", "config.toml"]
    assert tomllib.loads(settings_text(codex)) == {
        "mcp_servers": {"memoro": {"command": server[0], "args": server[1:]}}
    }
    gemini = json.loads(settings_text(shapes["gemini", "settings.json"]))
    assert gemini["hooks"]["BeforeAgent"][0]["hooks"][0] == {
        "type": "command",
        "name": "memoro",
        "command": "/opt/memoro/bin/memoro --home '/my home' hook gemini",
        "timeout": 5000,
    }


@pytest.mark.parametrize(
    ("variable", "host", "file"),
    [
        ("CLAUDE_CONFIG_DIR", "claude-code", "settings.json"),
        ("CODEX_HOME", "codex", "config.toml"),
        ("GEMINI_CLI_HOME", "gemini", ".gemini/settings.json"),
        ("XDG_CONFIG_HOME", "opencode", "opencode/opencode.json"),
    ],
)
def test_variables_of_hosts_say_where_their_files_are(variable: str, host: str, file: str) -> None:
    place = SettingsRoots({"HOME": "/me", variable: "/elsewhere"}, "/project")
    assert files_of(host, place)[0].file == f"/elsewhere/{file}"


def test_opencodes_file_with_comments_is_the_one_meant_where_there_is_one(tmp_path: Path) -> None:
    (tmp_path / "opencode.jsonc").write_text("{}")
    (found,) = files_of("opencode", SettingsRoots({}, str(tmp_path), "project"))
    assert found.file.endswith("opencode.jsonc")


def test_a_scope_that_a_host_does_not_have_is_refused() -> None:
    with pytest.raises(ConfigError, match="Codex can be connected for user"):
        files_of("codex", SettingsRoots({}, "/project", "project"))


# ------ the plugin

ROOT = Path(__file__).parent.parent


def plugin(name: str) -> Any:
    return json.loads((ROOT / name).read_text(encoding="utf-8"))


def test_the_plugin_has_the_hooks_and_the_server_that_connecting_gives() -> None:
    (target,) = settings_files(
        hosts.load("claude-code"), SettingsRoots({"HOME": "/me"}, "/project"), Registration(("memoro",))
    )
    hooks = plugin("plugin/hooks/hooks.json")
    assert hooks.pop("description")
    assert hooks == json.loads(settings_text(target))
    servers, _ = settings_files(
        hosts.load("claude-code"),
        SettingsRoots({"HOME": "/me"}, "/project", "project"),
        Registration(("memoro",), agent="claude-code"),
    )
    assert plugin("plugin/.mcp.json") == EDITORS[servers.syntax].value(settings_text(servers))


def test_the_plugin_is_listed_with_its_version() -> None:
    about = plugin("plugin/.claude-plugin/plugin.json")
    assert about["version"] == memoro.__version__
    (listed,) = plugin(".claude-plugin/marketplace.json")["plugins"]
    assert listed["name"] == about["name"] and listed["description"] == about["description"]
    assert (ROOT / listed["source"] / ".claude-plugin" / "plugin.json").exists()


def test_every_command_that_the_plugin_names_exists() -> None:
    files = [file for file in (ROOT / "plugin").rglob("*") if file.is_file()]
    named = {name for file in files for name in re.findall(r"\bmemoro (?!-)(\w+)", file.read_text(encoding="utf-8"))}
    named |= {file.stem for file in files if file.parent.name == "commands"}
    named.add(plugin("plugin/.mcp.json")["mcpServers"]["memoro"]["args"][0])
    assert {"hook", "mcp", "remember", "recall", "wrong", "good", "review", "tidy"} <= named
    if not (ROOT / "src/memoro/cli/mcp.py").exists():
        named.remove("mcp")
    assert named <= set(COMMANDS)


# ------ the command


class Person:
    """Somebody with a home of their own, in a project."""

    def __init__(self, folder: Path) -> None:
        self.me, self.project = folder / "me", folder / "project"
        self.me.mkdir()
        self.project.mkdir()
        self.environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith(("MEMORO_", "CLAUDE", "CODEX"))},
            "HOME": str(self.me),
            "PATH": f"{self.me / 'bin'}:/usr/bin:/bin",
            "PYTHONWARNINGS": "error",
        }
        for name in ("XDG_CONFIG_HOME", "GEMINI_CLI_HOME", "OPENCODE_CONFIG"):
            self.environment.pop(name, None)

    def types(self, *arguments: str, **more: str) -> Result:
        done = subprocess.run(
            [sys.executable, "-m", "memoro", *arguments],
            capture_output=True, text=True, env={**self.environment, **more}, cwd=self.project,
            stdin=subprocess.DEVNULL, timeout=60, check=False,
        )  # fmt: skip
        return Result(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(tmp_path)


CURSOR = '{\n  // mine\n  "mcpServers": {\n    "other": {"command": "x"}, // and why\n  },\n}\n'


def cursor_of(person: Person) -> Path:
    file = person.me / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_text(CURSOR)
    return file


def test_the_change_is_shown_and_not_made_without_a_yes(person: Person) -> None:
    file = cursor_of(person)
    done = person.types("connect", "cursor")
    assert done.code == 5
    assert '+    "memoro": {' in done.out
    assert "--yes" in done.err
    assert file.read_text() == CURSOR


def test_a_person_at_a_terminal_is_asked(person: Person) -> None:
    file = cursor_of(person)
    for answer, connected in (("n", False), ("y", True)):
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, "-m", "memoro", "connect", "cursor"],
            stdin=theirs, stdout=theirs, stderr=theirs, env=person.environment, cwd=person.project,
        )  # fmt: skip
        os.close(theirs)
        os.write(ours, f"{answer}\n".encode())
        shown = b""
        while True:
            try:
                block = os.read(ours, 4096)
            except OSError:  # Linux tells the end so
                break
            if not block:
                break
            shown += block
        process.wait(60)
        os.close(ours)
        assert b"Do this? [y/N]" in shown
        assert ("memoro" in file.read_text()) is connected
        assert process.returncode == (0 if connected else 5)


def test_connecting_twice_changes_nothing_and_disconnecting_restores_the_bytes(person: Person) -> None:
    file = cursor_of(person)
    os.chmod(file, 0o640)
    assert person.types("connect", "cursor", "--yes").code == 0
    once = file.read_bytes()
    assert b"memoro" in once
    assert file.stat().st_mode & 0o777 == 0o640
    again = person.types("connect", "cursor", "--json")
    assert again.code == 0 and again.json["changed"] is False and again.json["files"] == []
    assert file.read_bytes() == once
    assert person.types("disconnect", "cursor", "--yes").code == 0
    assert file.read_text() == CURSOR
    nothing = person.types("disconnect", "cursor")
    assert nothing.code == 0 and "nothing to change" in nothing.out


def test_a_change_of_options_replaces_what_was_there(person: Person) -> None:
    file = person.me / ".gemini" / "settings.json"
    person.types("connect", "gemini", "--yes")
    assert set(json.loads(file.read_text())) == {"mcpServers", "hooks"}
    person.types("connect", "gemini", "--yes", "--no-hooks", "--profile", "full")
    found = json.loads(file.read_text())
    assert set(found) == {"mcpServers"}
    assert found["mcpServers"]["memoro"]["args"][-2:] == ["--profile", "full"]
    person.types("disconnect", "gemini", "--yes")
    assert not file.exists() and not file.parent.exists()


def test_whoever_works_at_home_has_one_file_for_both_scopes(person: Person) -> None:
    person.project = person.me
    file = cursor_of(person)
    person.types("connect", "cursor", "--yes")
    done = person.types("disconnect", "cursor", "--yes")
    assert done.code == 0, done.err
    assert file.read_text() == CURSOR


def test_disconnecting_from_another_home_takes_it_out_all_the_same(person: Person, tmp_path: Path) -> None:
    file = cursor_of(person)
    person.types("connect", "cursor", "--yes")
    person.types("disconnect", "cursor", "--yes", "--home", str(tmp_path / "another"))
    assert file.read_text() == CURSOR


@pytest.mark.parametrize("damage", ["a byte", "16 bytes", "half"])
def test_a_damaged_record_is_named_and_everything_is_taken_out_all_the_same(person: Person, damage: str) -> None:
    file, gemini = cursor_of(person), person.me / ".gemini" / "settings.json"
    for host in ("cursor", "gemini"):
        assert person.types("connect", host, "--yes").code == 0
    record = person.me / ".memoro" / "connections.json"
    whole = record.read_bytes()
    start, middle, end = whole[:300], whole[300:316], whole[316:]
    damaged = {"a byte": start + b"\xff" + middle + end, "16 bytes": start + b"\xfe" * 16 + end, "half": start}[
        damage
    ]
    record.write_bytes(damaged)
    checks = {check["name"]: check["found"] for check in person.types("doctor", "--json").json["checks"]}
    assert "connections.json cannot be read: it is not " in checks["record of connections"]

    done = person.types("disconnect", "cursor", "--yes")
    assert (done.code, file.read_text()) == (0, CURSOR), done
    assert "the record of what was connected, cannot be read" in " ".join(done.err.split())
    assert record.with_name("connections.json.damaged").read_bytes() == damaged
    assert "record of connections" not in person.types("doctor").out
    record.write_bytes(damaged)

    done = person.types("uninstall", "--yes")
    assert done.code == 0, done
    assert "the record of what was connected, cannot be read" in " ".join(done.out.split())
    assert "memoro" not in gemini.read_text() and not record.parent.exists()


def test_a_file_that_is_not_valid_is_left_alone_and_the_place_is_said(person: Person) -> None:
    file = cursor_of(person)
    broken = CURSOR.replace('"mcpServers": {', '"mcpServers" {')
    file.write_text(broken)
    done = person.types("connect", "cursor", "--yes")
    assert done.code == 2
    assert "line 3, column 16" in done.err and str(file) in done.err
    assert file.read_text() == broken


def test_where_the_record_cannot_be_kept_nothing_is_connected_and_that_file_is_named(person: Person) -> None:
    record = person.me / ".memoro" / "connections.json"
    record.mkdir(parents=True)
    done = person.types("connect", "cursor", "--yes")
    assert done.code == 2
    assert done.err.endswith(f"memoro: {record} is left unchanged: it cannot be read: is a directory.\n")
    assert not (person.me / ".cursor").exists()


def test_what_a_link_leads_to_is_written_and_the_link_stays(person: Person, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "mcp.json"
    real.parent.mkdir()
    real.write_text(CURSOR)
    link = person.me / ".cursor" / "mcp.json"
    link.parent.mkdir()
    link.symlink_to(real)
    person.types("connect", "cursor", "--yes")
    assert link.is_symlink() and "memoro" in real.read_text()
    person.types("disconnect", "cursor", "--yes")
    assert link.is_symlink() and real.read_text() == CURSOR


def test_a_file_that_others_wrote_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text("{}")
    change = file_edits.connecting_edit(SettingsFile(str(file), "json", items=(SERVER,), members=MEMBERS), None)
    assert change is not None
    file.write_text('{"theirs": 1}')
    with pytest.raises(UneditableSettings, match="changed it meanwhile"):
        file_edits.carry_out(str(tmp_path / "home"), [change])
    assert file.read_text() == '{"theirs": 1}'
    assert [name for name in os.listdir(tmp_path) if name not in ("mcp.json", "home")] == []


def test_print_only_prints(person: Person) -> None:
    for host in hosts.CONNECTABLE:
        done = person.types("connect", host, "--print")
        assert done.code == 0 and "memoro" in done.out
    assert list(person.me.iterdir()) == list(person.project.iterdir()) == []


CLAUDE = """#!/bin/sh
# Claude Code's own command, as far as it keeps servers: one line for each.
file="$HOME/.claude.json"
[ "$1" = mcp ] || exit 9
case "$2" in
  get) grep "^$3 " "$file" 2>/dev/null || { echo "No MCP server found" >&2; exit 1; } ;;
  remove) [ "$3 $4" = "--scope user" ] || exit 9
    grep -q "^$5 " "$file" 2>/dev/null || exit 1; grep -v "^$5 " "$file" > "$file.new"; mv "$file.new" "$file" ;;
  add) [ "$3 $4" = "--scope user" ] && [ "$6" = "--" ] || exit 9
    grep -q "^$5 " "$file" 2>/dev/null && { echo "already exists" >&2; exit 1; }
    name=$5; shift 6; echo "$name Command: $*" >> "$file" ;;
esac
"""


def test_claude_codes_server_is_told_by_its_own_command(person: Person) -> None:
    (person.me / "bin").mkdir()
    claude = person.me / "bin" / "claude"
    claude.write_text(CLAUDE)
    claude.chmod(0o755)
    servers, settings = person.me / ".claude.json", person.me / ".claude" / "settings.json"
    servers.write_text("other Command: x\n")
    done = person.types("connect", "claude-code", "--yes")
    assert done.code == 0, done.err
    assert "mcp add --scope user memoro --" in done.out
    assert servers.read_text().endswith(f"memoro Command: {PYTHON} -P -m memoro mcp --agent claude-code\n")
    assert set(json.loads(settings.read_text())["hooks"]) == {
        "SessionStart", "UserPromptSubmit", "PreToolUse", "PreCompact", "Stop", "SessionEnd"
    }  # fmt: skip
    assert person.types("connect", "claude-code", "--json").json["changed"] is False
    assert person.types("connect", "claude-code", "--yes", "--profile", "recall").code == 0
    assert servers.read_text().endswith("mcp --agent claude-code --profile recall\n")
    assert person.types("disconnect", "claude-code", "--yes").code == 0
    assert servers.read_text() == "other Command: x\n"
    assert not settings.exists()


def test_the_event_before_a_tool_acts_is_registered_as_the_setting_says(person: Person) -> None:
    settings = person.me / ".claude" / "settings.json"
    assert person.types("connect", "claude-code", "--yes").code == 0
    [group] = json.loads(settings.read_text())["hooks"]["PreToolUse"]
    assert group["hooks"][0]["command"].endswith("hook claude --only-served")
    assert "Bash" in group["matcher"]
    assert person.types("config", "set", "recall.warnings", "false").code == 0
    assert person.types("connect", "claude-code", "--yes").code == 0
    assert "PreToolUse" not in json.loads(settings.read_text())["hooks"]


def test_what_will_not_be_connected_is_said_before_the_question(person: Person) -> None:
    asked = person.types("connect", "claude-code", PATH=str(person.me / "bin"))

    assert asked.code == 5 and "is connected." not in asked.out
    said = "so the MCP server with the tools is not connected"
    assert asked.err.index(said) < asked.err.index("Nothing was changed")


def test_without_claude_codes_command_the_hooks_are_connected_and_the_rest_is_said(person: Person) -> None:
    done = person.types("connect", "claude-code", "--yes", PATH=str(person.me / "bin"))  # the machine may have it
    assert done.code == 0
    assert "claude mcp add --scope user memoro --" in done.err and "--scope project" in done.err
    assert "has the hooks of Memoro, but not its tools" in done.out
    assert "is connected." not in done.out and "tools over MCP" not in done.out
    again = person.types("connect", "claude-code", "--yes", PATH=str(person.me / "bin"))
    assert "but not its tools" in again.out and "nothing to change" not in again.out
    assert "claude mcp add --scope user memoro --" in again.err
    assert done.err.count("is not on the PATH") == 1
    assert person.types("connect", "claude-code", "--yes", "--scope", "project").code == 0
    server = json.loads((person.project / ".mcp.json").read_text())["mcpServers"]["memoro"]
    assert server == {"command": PYTHON, "args": ["-P", "-m", "memoro", "mcp", "--agent", "claude-code"]}


def test_the_home_and_vault_that_are_meant_are_named(person: Person, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    person.types("connect", "cursor", "--yes", "--vault", str(notes), MEMORO_HOME=str(tmp_path / "other home"))
    server = json.loads((person.me / ".cursor" / "mcp.json").read_text())["mcpServers"]["memoro"]
    assert server["args"][3:] == [
        *("--home", str(tmp_path / "other home"), "--vault", str(notes), "mcp", "--agent", "cursor")
    ]


def test_a_person_learns_what_is_read_given_and_written_before_anything_is_asked(person: Person) -> None:
    shown = person.types("connect", "claude-code", "--scope", "project").out
    told = shown.partition("--- /dev/null")[0]
    assert "reads   each prompt that you send" in told
    assert "the conversation (~/.claude/projects), when it ends" in told
    assert "MEMORY.md, PROCEDURAL.md, PINNED.md, today's lines, and where you left off" in told
    assert "at most 2,400 tokens in all" in told
    assert "at most 5 items and 500 tokens, usually none to 200; nothing for a word of thanks" in told
    assert "nothing private, nothing of other projects" in told
    assert "only if you say so (--add-logs)" in told and "only if you say so (--add-memories)" in told
    assert "what it gave and why, in ~/.memoro" in told
    assert "sends   nothing. What it gives becomes part of what Claude Code sends to its own model." in told
    assert "in `sessions/` of your vault" in told and "a line in the daily note in `daily/`" in told
    assert (
        "writes  facts that you state in a conversation, in your words, as lines `[extracted]` of the daily" in told
    )
    assert (
        re.search(r"\d+ tools over MCP \(profile default\)", told) and "without your consent: `memoro review`" in told
    )
    only_tools = person.types("connect", "claude-code", "--no-hooks").out
    assert "each prompt" not in only_tools and "sessions/" not in only_tools
    reading = person.types("connect", "cursor", "--profile", "recall").out
    assert "offers" in reading and "writes" not in reading


def test_what_connecting_leads_to_follows_the_settings() -> None:
    settings = Settings(
        daily=DailySettings(folder="."),
        writing=WritingSettings(agent_writes="direct"),
        recall=RecallSettings(proactive=ProactiveSettings(max_items=2, max_tokens=123)),
        transcripts=TranscriptSettings(folders=("gemini",)),
        extract=ExtractSettings(to="memories"),
        llm=LanguageModelSettings(provider="openai", model="m"),
    )
    host = hosts.load("gemini")
    where = places(host, {"HOME": "/me"}, "/elsewhere/memory")
    told = " ".join(one.sentence for one in effects(host, Registration(("memoro",)), settings, 3, where))
    assert "at most 2 items and 123 tokens" in told
    assert "~/.gemini/tmp/*/chats/session-*, as you have said" in told and "in /elsewhere/memory;" in told
    assert "a line in the daily note when" in told and "without asking (writing.agent_writes = direct)" in told
    assert "`[extracted]` of the daily note, and each as a memory (extract.to = memories)" in told
    assert "to the models that your settings name" in told and "nothing." not in told
    quiet = settings._replace(extract=ExtractSettings(enabled=False))
    assert "extracted" not in str(effects(host, Registration(("memoro",)), quiet, 3, where))


def test_logs_are_added_when_asked_for(person: Person) -> None:
    logs = person.me / ".gemini" / "tmp"
    logs.mkdir(parents=True)
    (person.me / "notes").mkdir()
    person.types("init", str(person.me / "notes"), "--no-memory")
    done = person.types("connect", "gemini", "--yes")
    assert "Next: memoro transcripts add gemini" in done.out
    done = person.types("connect", "gemini", "--yes", "--add-logs")
    assert done.code == 0 and "Next:" not in done.out
    assert 'folders = ["gemini"]' in (person.me / ".memoro" / "memoro.toml").read_text()
    assert "Next:" not in person.types("connect", "gemini", "--yes").out


def with_claudes_files(person: Person) -> Path:
    """Notes and a home; a conversation and a memory of Claude Code. Returns the settings."""
    (person.me / "notes").mkdir()
    person.types("init", str(person.me / "notes"), "--no-memory")
    project = person.me / ".claude" / "projects" / "-project"
    (project / "memory").mkdir(parents=True)
    (project / "memory" / "tea.md").write_text("The kettle is descaled on Mondays.\n")
    record = {
        "type": "user",
        "uuid": "1",
        "cwd": "/x",
        "message": {"role": "user", "content": "kettle of the office"},
    }
    (project / "s.jsonl").write_text(json.dumps(record) + "\n")
    return person.me / ".memoro" / "memoro.toml"


def test_without_a_terminal_sources_are_named_and_added_only_by_options(person: Person) -> None:
    settings = with_claudes_files(person)
    before = settings.read_text()
    done = person.types("connect", "claude-code", "--yes")
    assert (
        "Next: memoro transcripts add claude" in done.out and "Next: memoro connect claude-code --add-mem" in done.out
    )
    assert settings.read_text() == before
    refused = person.types("connect", "claude-code", "--yes", "--no-logs", "--no-memories")
    assert refused.code == 0 and "Next:" not in refused.out
    added = person.types("connect", "claude-code", "--yes", "--add-logs", "--add-memories")
    assert "Your conversations with Claude Code are searched too." in added.out
    assert "its paths begin with @claude-memory/" in added.out
    assert 'memories = ["claude"]' in settings.read_text() and 'folders = ["claude"]' in settings.read_text()
    assert "Mondays" in person.types("search", "kettle", "--mode", "words").out


def test_disconnecting_takes_out_the_sources_that_connecting_added(person: Person) -> None:
    settings = with_claudes_files(person)
    person.types("connect", "claude-code", "--yes", "--add-logs", "--add-memories")
    asked = person.types("disconnect", "claude-code")
    assert asked.code == 5 and "vault.memories of" in asked.out and "claude" in settings.read_text()
    done = person.types("disconnect", "claude-code", "--yes")
    assert "Claude Code is disconnected." in done.out and "still searched" not in done.out
    assert "claude" not in settings.read_text()
    assert person.types("search", "kettle", "--mode", "words").code == 1
    assert "nothing to change" in person.types("disconnect", "claude-code", "--yes").out


def test_disconnecting_leaves_what_the_person_added_and_says_so(person: Person) -> None:
    settings = with_claudes_files(person)
    person.types("transcripts", "add", "claude")
    person.types("connect", "claude-code", "--yes", "--add-logs", "--add-memories")
    done = person.types("disconnect", "claude-code", "--yes")
    assert "still searched: `memoro transcripts remove claude` ends that" in done.out
    assert 'folders = ["claude"]' in settings.read_text() and "memories" not in settings.read_text()


def test_a_person_at_a_terminal_is_asked_about_each_source(person: Person) -> None:
    settings = with_claudes_files(person)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "memoro", "connect", "claude-code"],
        stdin=theirs, stdout=theirs, stderr=theirs, env=person.environment, cwd=person.project,
    )  # fmt: skip
    os.close(theirs)
    os.write(ours, b"y\nn\ny\n")
    shown = b""
    while True:
        try:
            block = os.read(ours, 4096)
        except OSError:  # Linux tells the end so
            break
        if not block:
            break
        shown += block
    process.wait(60)
    os.close(ours)
    assert process.returncode == 0
    assert b"Search your conversations with Claude Code too?" in shown
    assert b"Search the memory that Claude Code keeps itself too?" in shown
    assert "folders" not in settings.read_text() and 'memories = ["claude"]' in settings.read_text()


def test_doctor_says_how_to_renew_a_connection_without_the_name_of_an_agent(person: Person) -> None:
    assert "connections" not in person.types("doctor").out
    assert person.types("connect", "codex", "--yes").code == 0
    settings = person.me / ".codex" / "config.toml"
    named = settings.read_text()
    assert '"mcp", "--agent", "codex"' in named
    assert "✓ connections: Codex" in person.types("doctor").out
    settings.write_text(named.replace(', "--agent", "codex"', ""))  # as version 0.1.0 wrote it
    (person.me / ".claude.json").write_text(
        json.dumps({"mcpServers": {"memoro": {"command": "memoro", "args": ["mcp"]}}})
    )
    told = person.types("doctor").out
    assert "! connections: claude-code, codex: connected by an earlier version" in told
    assert "Run `memoro connect codex` again." in told
    assert person.types("connect", "codex", "--yes").code == 0
    assert settings.read_text() == named
    assert person.types("disconnect", "codex", "--yes").code == 0
    assert not settings.exists()


def test_doctor_names_a_connection_that_has_the_hooks_but_not_the_tools(person: Person) -> None:
    assert person.types("connect", "codex", "--yes", "--no-mcp").code == 0
    assert person.types("connect", "gemini", "--yes").code == 0
    told = person.types("doctor").out
    assert "✓ connections: Codex (has the hooks, but not the tools of Memoro), Gemini CLI" in told
    assert "`memoro connect codex` adds the tools" in told
    assert person.types("connect", "codex", "--yes").code == 0
    assert "not the tools" not in person.types("doctor").out


def test_another_name_and_project_are_written_for_the_server_and_the_hooks(person: Person) -> None:
    done = person.types("connect", "codex", "--yes", "--agent", "gardener", "--project", "beds")
    assert done.code == 0
    assert '"mcp", "--agent", "gardener", "--project", "beds"' in (person.me / ".codex" / "config.toml").read_text()
    assert "hook codex --agent gardener --project beds" in (person.me / ".codex" / "hooks.json").read_text()
    assert person.types("connect", "gemini", "--yes", MEMORO_AGENT="work").code == 0
    assert "hook gemini --agent work" in (person.me / ".gemini" / "settings.json").read_text()
