"""Every setting can be set, says where it came from, and is refused in words when it makes no sense."""

from __future__ import annotations

import functools
import os
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import memoro
from memoro import config
from memoro.config import Settings, Source, parse_file, read_file, restricted, settle
from memoro.config.edit import write
from memoro.config.vault_file import parse_vault_file
from memoro.errors import ConfigError, MemoroError
from memoro.model.vocabulary import MODES
from tests.conftest import Memoro

KEYS = config.keys()


def settings(text: str, **scope: str) -> Settings:
    return settle(parse_file(text, "memoro.toml", **scope))[0]


def origin(shown: tuple[config.Setting, ...], key: str) -> str:
    return next(setting.origin for setting in shown if setting.key == key)


def value_of(made: Settings, key: str) -> Any:
    return functools.reduce(getattr, key.split("."), made)


def another(key: str) -> object:
    """A value for the key that is right and, where there is a choice, not the default."""
    kind, default = KEYS[key].type, KEYS[key].default
    chosen = {
        "query.mode": MODES[-1],
        "query.fusion": "weighted",
        "embedding.provider": "openai",
        "embedding.url": "http://127.0.0.1:11434/v1",
        "embedding.key": "env:SOME_KEY",
        "embedding.fallback": "none",
        "embedding.dimensions": 128,
        "llm.provider": "gemini",
        "llm.url": "http://127.0.0.1:11434/v1",
        "llm.key": "env:SOME_KEY",
        "llm.purposes": ["judge"],
        "extract.to": "memories",
        "curate.schedule": "0 5 * * 1",
        "memory.max_size": "2 GB",
        "memory.prune_schedule": "30 3 * * 0",
        "daily.pattern": "YYYY/MM/DD",
        "writing.agent_writes": "direct",
        "query.sources": ["notes", "memories"],
        "vault.memories": ["codex"],
        "ledger.url": "postgresql://memoro_app@db.example.org/memoro",
        "ledger.password": "file:/run/secrets/ledger",
        "ledger.visibility": "private",
    }
    if key in chosen:
        return chosen[key]
    if kind is bool:
        return not default
    if kind in (int, int | None):
        return default + 1 if isinstance(default, int) else 1
    if kind in (float, float | None):
        return 0.5
    return ["one", "two words"] if kind == tuple[str, ...] else "other"


def toml(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    return str(value).lower() if isinstance(value, bool | int | float) else f'"{value}"'


def line(key: str, value: object) -> str:
    return written(key, toml(value))


def written(key: str, value: str) -> str:
    """A line of a settings file; a key without a table stands at its top."""
    group, _, field = key.rpartition(".")
    return f"[{group}]\n{field} = {value}\n" if group else f"{field} = {value}\n"


@pytest.mark.parametrize("group", ["agents", "projects"])
@pytest.mark.parametrize("value", ["= 5", "= 'helper'", ".helper = 5", ".helper = ['query']"])
def test_settings_for_someone_that_are_no_table_are_refused(group: str, value: str) -> None:
    with pytest.raises(ConfigError, match=rf"{group}.* must be a table of .* such as \[{group}\."):
        config.parse_file(f"{group}{value}\n", "memoro.toml")


@pytest.mark.parametrize("key", KEYS)
def test_every_key_can_be_set_and_shows_its_origin(key: str) -> None:
    value = another(key)
    made, shown = settle(parse_file(line(key, value), "memoro.toml"))
    assert value_of(made, key) == (tuple(value) if isinstance(value, list) else value)
    assert {setting.key for setting in shown if setting.origin == "memoro.toml"} == {key}
    assert {setting.key for setting in shown if setting.origin == "default"} == set(KEYS) - {key}


def test_without_any_source_everything_is_the_default() -> None:
    made, shown = settle([])
    assert made == Settings()
    assert [setting.key for setting in shown] == list(KEYS)
    assert all(setting.meaning for setting in shown)


RIGHT: dict[object, tuple[str, ...]] = {
    bool: ("true",),
    int: ("5",),
    int | None: ("5",),
    float: ("0.5",),
    float | None: ("0.5", "1.5", "5"),
    str: ('"text"',),
    str | None: ('"text"',),
    tuple[str, ...]: ("['text']",),
}
VALUES = {value for values in RIGHT.values() for value in values}
VALUES |= {"1.5", "nan", '""', "[1]", "['a', '']", "[[]]", "{a = 1}", "2026-03-05", '"a\\u0000b"'}
WIDE = ("memory.prune_percent", "usage.ask_above")  # numbers that may be above 1
WRONG = [
    (key, value)
    for key, known in KEYS.items()
    for value in sorted(VALUES - {*RIGHT.get(known.type, ())})
    if (key, value) not in {(name, number) for name in WIDE for number in ("1.5", "5")}
]


def test_a_value_of_the_wrong_type_is_refused_by_name() -> None:
    for key, value in WRONG:
        with pytest.raises(ConfigError, match=rf"memoro.toml: {key} must be "):
            settings(written(key, value))
            pytest.fail(f"{key} = {value} is accepted")


def test_a_key_that_is_pasted_instead_of_its_reference_is_refused_and_not_repeated() -> None:
    with pytest.raises(ConfigError, match=r"embedding.key must be a reference such as env:OPENAI_API_KEY") as refused:
        settings('[embedding]\nkey = "sk-proj-1234567890"\n')
    assert "1234567890" not in str(refused.value)


def test_a_web_address_with_a_name_in_it_is_refused() -> None:
    for address in ("ftp://a.example", "a.example/v1", "http://me:secret@a.example", "http:///v1"):
        with pytest.raises(ConfigError, match=r"embedding.url must be an address such as"):
            settings(f'[embedding]\nurl = "{address}"\n')


def test_a_compatible_server_needs_its_address_and_its_model() -> None:
    with pytest.raises(ConfigError, match=r"needs embedding.url and embedding.model"):
        settings('[embedding]\nprovider = "compatible"\n')
    with pytest.raises(ConfigError, match=r"needs embedding.model, which is not set.*config set embedding.model"):
        settings('[embedding]\nprovider = "compatible"\nurl = "http://localhost:1/v1"\n')
    made = settings('[embedding]\nprovider = "compatible"\nurl = "http://localhost:1/v1"\nmodel = "m"\n')
    assert made.embedding.builtin_dimensions == 256


@pytest.mark.parametrize(
    ("key", "low", "high"),
    [
        ("chunking.tokens", 160, 4000),
        ("chunking.overlap", 0, 200),
        ("sync.watch_debounce_ms", 50, 60_000),
        ("sync.interval_minutes", 1, 1440),
        ("query.max_results", 1, 200),
        ("query.candidate_multiplier", 1, 50),
        ("query.half_life_days", 1, 36_500),
        ("memory.reinforce_weight", 1, 100),
        ("memory.demote_weight", 1, 100),
        ("query.vector_weight", 0, 1),
        ("query.text_weight", 0, 1),
        ("query.min_score", 0, 1),
    ],
)
def test_a_number_has_a_range(key: str, low: int, high: int) -> None:
    for number in (low, high):
        assert value_of(settings(line(key, number)), key) == number
    for number in (low - 1, high + 1, -1, 10**30, 10**400):
        with pytest.raises(ConfigError, match=key.split(".")[0]):
            settings(line(key, number))


@pytest.mark.parametrize(
    "pattern", ["YYYY-MM-DD", "YYYY/MM-MMMM/DD", "[Day] D.M.YY", "dddd, MMMM Do YYYY", "GGGG-[W]WW"]
)
def test_days_are_named_by_a_pattern(pattern: str) -> None:
    assert settings(line("daily.pattern", pattern)).daily.pattern == pattern


@pytest.mark.parametrize("pattern", ["HH:mm", "../YYYY", "YYYY/../DD", "/", "day YYYY", "YYYY [", "Y" * 101])
def test_a_pattern_that_names_no_day_or_leads_elsewhere_is_refused(pattern: str) -> None:
    with pytest.raises(ConfigError, match=r"memoro.toml: daily.pattern must be made of"):
        settings(line("daily.pattern", pattern))


def test_what_agents_may_write_can_be_said_at_the_top_of_the_file() -> None:
    assert settings('agent_writes = "direct"').writing.agent_writes == "direct"
    scoped = 'agent_writes = "direct"\n[agents.helper]\nagent_writes = "propose"\n'
    assert settings(scoped).writing.agent_writes == "direct"
    assert settings(scoped, agent="helper").writing.agent_writes == "propose"
    with pytest.raises(ConfigError, match=r"writing.agent_writes must be one of propose, direct"):
        settings('agent_writes = "ask"')
    with pytest.raises(ConfigError, match="may not set"):
        config.parse_vault_file('agent_writes = "direct"', ".memoro.toml")


def test_the_overlap_is_at_most_half_of_a_passage() -> None:
    assert settings("[chunking]\ntokens = 50\noverlap = 25").chunking.overlap == 25
    with pytest.raises(ConfigError, match="half"):
        settings("[chunking]\ntokens = 50\noverlap = 26")


@pytest.mark.parametrize("folder", ["/daily", "../daily", "a/../../b", "/", "//"])
def test_the_daily_folder_stays_inside_the_vault(folder: str) -> None:
    with pytest.raises(ConfigError, match="inside the vault"):
        settings(line("daily.folder", folder))


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("[vault]\npaht = 'x'", "vault.path"),
        ("[chunk]\ntokens = 5", "chunking.tokens"),
        ("[query]\nmax_result = 5", "query.max_results"),
        ("[dayly]\nfolder = 'x'", "daily.folder"),
    ],
)
def test_an_unknown_key_is_refused_with_the_one_that_was_meant(text: str, meant: str) -> None:
    with pytest.raises(ConfigError, match=f"Did you mean '{meant}'"):
        settings(text)


def test_an_unknown_key_like_no_other_is_refused_too() -> None:
    with pytest.raises(ConfigError, match="Take it out of the file"):
        settings("[zzz]\nqqq = 1")


@pytest.mark.parametrize(
    "text",
    [
        "[vault",
        "vault.path = ",
        "a = 1\na = 2",
        "\x00",
        "x = '\n'",
        "x = " + "[" * 100_000,
        "x = 99999-01-01",
        "x" * 9999,
    ],
)
def test_what_is_not_toml_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=r"memoro\.toml is not valid TOML"):
        settings(text)


def test_a_settings_file_that_is_not_toml_says_how_to_go_on(memoro: Memoro, home: Path, vault: Path) -> None:
    home.mkdir(mode=0o700)
    (home / "memoro.toml").write_text("[vault\npath = ")
    for command in (["status"], ["doctor"], ["init", str(vault)]):
        refused = memoro(*command)
        assert (refused.code, "move the file away and run `memoro init FOLDER`" in refused.err) == (2, True), command
    (home / "memoro.toml").rename(home.parent / "memoro.toml.old")
    assert memoro("init", str(vault)).code == 0


def test_a_settings_file_that_is_not_utf_8_names_the_line_and_says_how_to_go_on(memoro: Memoro, home: Path) -> None:
    home.mkdir(mode=0o700)
    (home / "memoro.toml").write_bytes(b"[recall]\nbudget = 900\n\xff")
    for command in (["status"], ["doctor"], ["config", "set", "recall.budget", "800"]):
        refused = memoro(*command)
        assert refused.code == 2
        assert (
            "memoro.toml cannot be read: line 3 holds the byte 0xff, which is not text in UTF-8. Correct it"
            in refused.err
        )
        assert "move the file away and run `memoro init FOLDER`" in refused.err
        assert "`memoro transcripts add`" in refused.err


def test_a_vaults_own_file_that_is_not_toml_is_not_blamed_on_the_home() -> None:
    with pytest.raises(ConfigError) as refused:
        parse_vault_file("[vault", "notes/.memoro.toml")
    assert "init" not in str(refused.value)


@pytest.mark.parametrize("text", ["path = 'x'", "vault = 5", "'vault.path' = 'x'", "[[vault]]\npath = 'x'"])
def test_a_setting_outside_its_table_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="must be a table"):
        settings(text)


def test_a_later_source_wins_and_is_the_origin() -> None:
    key = "query.max_results"
    made, shown = settle([Source("first", {key: 1}), Source("second", {key: 2}), Source("third", {})])
    assert (made.query.max_results, origin(shown, key)) == (2, "second")


SCOPED = """
[query]
max_results = 1
candidate_multiplier = 2
[agents.helper.query]
max_results = 3
[agents.other.query]
max_results = 4
[projects.kitchen.query]
max_results = 5
[projects.kitchen.daily]
folder = "pans"
"""


def test_settings_for_one_agent_or_project_go_over_the_common_ones() -> None:
    assert settings(SCOPED).query.max_results == 1
    assert settings(SCOPED, agent="helper").query.max_results == 3
    assert settings(SCOPED, agent="helper").query.candidate_multiplier == 2
    assert settings(SCOPED, agent="nobody").query.max_results == 1
    assert settings(SCOPED, agent="helper", project="kitchen").query.max_results == 5
    assert settings(SCOPED, project="kitchen").daily.folder == "pans"


def test_a_scoped_setting_shows_its_table() -> None:
    _, shown = settle(parse_file(SCOPED, "memoro.toml", agent="helper"))
    assert origin(shown, "query.max_results") == "memoro.toml [agents.helper]"
    assert origin(shown, "query.candidate_multiplier") == "memoro.toml"


def test_a_scoped_setting_is_checked_like_any_other() -> None:
    with pytest.raises(ConfigError, match=r"query\.max_results must be"):
        settings("[agents.helper.query]\nmax_results = 0", agent="helper")


@pytest.mark.parametrize("key", KEYS)
def test_a_vault_may_say_how_it_is_laid_out_and_nothing_more(key: str) -> None:
    sources = parse_file(line(key, another(key)), ".memoro.toml")
    if key in ("vault.ignore", "daily.folder"):
        assert restricted(sources) == sources
    else:
        with pytest.raises(ConfigError, match=f"may not set '{key}'"):
            restricted(sources)


@pytest.fixture
def places(home: Path, vault: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    for name in ("MEMORO_HOME", "MEMORO_VAULT"):
        monkeypatch.delenv(name, raising=False)
    home.mkdir()
    return home, vault


def test_flags_go_before_the_environment_and_that_before_the_file(
    places: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, vault = places
    seen = []

    def see(folder: Path | None = None) -> None:
        with memoro.open(home, folder) as m:
            seen.append((m.settings.vault.path, origin(m.origins, "vault.path")))

    see()
    write(str(home / "memoro.toml"), "vault.path", str(vault))
    see()
    monkeypatch.setenv("MEMORO_VAULT", str(tmp_path / "from-environment"))
    see()
    see(tmp_path / "from-flag")
    assert seen == [
        (None, "default"),
        (str(vault), str(home / "memoro.toml")),
        (str(tmp_path / "from-environment"), "environment (MEMORO_VAULT)"),
        (str(tmp_path / "from-flag"), "argument"),
    ]


def test_the_home_is_named_by_the_argument_or_the_environment(
    places: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, _ = places
    monkeypatch.setenv("MEMORO_HOME", str(tmp_path / "{agent}"))
    assert memoro.open(home).home == str(home)
    assert memoro.open(agent="helper").home == str(tmp_path / "helper")
    with pytest.raises(ConfigError, match="one for each agent"):
        memoro.open()
    for name in ("../x", ".x", "a/b"):
        with pytest.raises(ConfigError, match="folder's name"):
            memoro.open(agent=name)


def test_a_vaults_own_file_goes_over_the_settings_file_of_the_home(places: tuple[Path, Path]) -> None:
    home, vault = places
    (home / "memoro.toml").write_text('[daily]\nfolder = "mine"\n[vault]\nignore = ["mine"]\n')
    (vault / ".memoro.toml").write_text('[daily]\nfolder = "its"\n[agents.helper.query]\nmax_results = 9\n')
    with memoro.open(home, vault, agent="helper") as m:
        assert (m.settings.daily.folder, m.settings.vault.ignore) == ("its", ("mine",))
        assert origin(m.origins, "daily.folder") == str(vault / ".memoro.toml")
        assert m.settings.query.max_results == Settings().query.max_results


@pytest.mark.parametrize(
    "text",
    [
        '[vault]\npath = "/etc"',
        '[vault]\nextra = ["/etc"]',
        "[sync]\non_search = false",
        "[zzz]\nx = 1",
        "[vault",
        "x = 1",
    ],
)
def test_a_vaults_own_file_with_anything_else_is_an_error_and_no_surprise(
    text: str, places: tuple[Path, Path]
) -> None:
    home, vault = places
    (vault / ".memoro.toml").write_text(text)
    with pytest.raises(ConfigError, match=r"\.memoro\.toml"):
        memoro.open(home, vault)


def test_a_vaults_own_file_cannot_keep_a_person_waiting(places: tuple[Path, Path]) -> None:
    home, vault = places
    (vault / ".memoro.toml").write_text("a." * 20_000 + "a = 1")
    started = time.process_time()
    with pytest.raises(ConfigError, match=r"\.memoro\.toml"):
        memoro.open(home, vault)
    assert time.process_time() - started < 1


def test_a_vaults_own_file_is_not_followed_out_of_the_vault(places: tuple[Path, Path], tmp_path: Path) -> None:
    home, vault = places
    (tmp_path / "outside.toml").write_text('[daily]\nfolder = "outside"\n')
    (vault / ".memoro.toml").symlink_to(tmp_path / "outside.toml")
    with memoro.open(home, vault) as m:
        assert m.settings.daily.folder == "daily"


def test_a_file_that_is_not_there_says_nothing_and_one_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    assert read_file(str(tmp_path / "none.toml")) == []
    (tmp_path / "latin.toml").write_bytes(b"# caf\xe9")
    for file in (tmp_path / "latin.toml", tmp_path):
        with pytest.raises(ConfigError, match="cannot be read"):
            read_file(str(file))


def after_writing(file: Path, before: str | None, vault: str) -> dict[str, Any]:
    file.unlink(missing_ok=True)
    if before is not None:
        file.write_bytes(before.encode())
    write(str(file), "vault.path", vault)
    return tomllib.loads(file.read_bytes().decode())


ODD_PATHS = (
    "/a b",
    '/"quoted"',
    "/back\\slash",
    "/tab\t",
    "/new\nline",
    "/del\x7f",
    "/\x1b[31m",
    "/茶🫖",
    "/a#b",
    "/'",
    "/]",
)


@given(path=st.text(min_size=1).filter(lambda text: "\x00" not in text) | st.sampled_from(ODD_PATHS))
def test_any_path_that_is_written_is_read_back(path: str, tmp_path: Path) -> None:
    assert after_writing(tmp_path / "memoro.toml", None, path) == {"vault": {"path": path}}
    assert after_writing(tmp_path / "memoro.toml", '[vault]\npath = "old"\n', path) == {"vault": {"path": path}}


def test_a_path_that_no_settings_file_can_hold_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    file = tmp_path / "memoro.toml"
    file.write_text("# mine\n")
    with pytest.raises(ConfigError, match="not valid UTF-8"):
        write(str(file), "vault.path", "/not\udcffutf8")
    assert file.read_text() == "# mine\n"
    assert os.listdir(tmp_path) == ["memoro.toml"]


@pytest.mark.parametrize(
    "before",
    [
        "",
        "# only a comment",
        "[vault]",
        "[vault]\n",
        '[vault]\npath = "old"',
        "[vault]\n  path='old' # here\nextra = ['x']\n",
        "[vault] # my notes\npath = 'old'\n",
        "[ vault ]\npath = 'old'\n",
        "  [vault]\n  path = 'old'\n  [sync]\n  watch = false\n",
        "[vault]\nignore = [\n  'a',\n  'b',\n]\npath = 'old'\n",
        "[sync]\nwatch = false\n",
        "[vault]\nextra = ['x']\n[sync]\nwatch = false\n",
        "[vault]\nextra = ['x']\n\n[agents.a.vault]\npath = 'its own'\n",
        "[vault]\nextra = ['x']\n\n  [agents.a.vault]\n  path = 'its own'\n",
        "[agents.a.vault]\npath = 'its own'\n",
        "[vault]\nextra = ['line\u2028separator\u0085']\n",
        "# \u2028 in a comment\n[daily]\nfolder = '\u2028'\n",
        "[vault]\r\npath = 'old'\r\n\r\n[sync]\r\nwatch = false\r\n",
        "[vault]\npaths = 1\npath = 'old'\n",
        "vault.path = 'old'\n",
        "['vault']\npath = 'old'\n",
        "[vault]\n'path' = 'old'\n",
        "[vault]\npath = '''old'''\n",
        "[daily]\nfolder = '''\n[vault]\npath = \"trap\"\n'''\n",
    ],
)
def test_the_rest_of_the_file_stays_as_it_is(before: str, tmp_path: Path) -> None:
    table = tomllib.loads(before)
    expected = {**table, "vault": {**table.get("vault", {}), "path": "/new"}}
    file = tmp_path / "memoro.toml"
    assert after_writing(file, before, "/new") == expected
    after = file.read_bytes().decode()
    kept = [line for line in before.split("\n") if "'old'" not in line and '"old"' not in line]
    assert [line for line in kept if line not in after] == []


@pytest.mark.parametrize(
    "before",
    [
        "vault = {path = 'old'}\n",
        "vault = 5\n",
        "[vault\n",
        "[[vault]]\n",
    ],
)
def test_a_file_that_cannot_be_changed_safely_is_left_alone_and_it_is_said(before: str, tmp_path: Path) -> None:
    file = tmp_path / "memoro.toml"
    with pytest.raises(ConfigError, match=r"memoro\.toml"):
        after_writing(file, before, "/new")
    assert file.read_bytes().decode() == before
    assert os.listdir(tmp_path) == ["memoro.toml"]


PIECES = (
    *(
        "[vault]",
        "[sync]",
        "[ vault ]",
        "[vault",
        "[[vault]]",
        "path",
        "watch",
        "ignore",
        " = ",
        "=",
        "'x'",
        '"x"',
        "true",
    ),
    *(
        "[",
        "]",
        "{",
        "}",
        "[agents.a.vault]",
        "# comment",
        "'''",
        '"""',
        "\n",
        "\n",
        "\r\n",
        "5",
        ".",
        ",",
        "\u2028",
        "é",
    ),
)
texts = st.lists(st.sampled_from(PIECES), max_size=20).map("".join) | st.text(max_size=60)


@given(text=texts)
@example("[vault]\npath = 'a'\npath = 'b'")
@example("a = " + "[" * 2000)
@example("a = " + "9" * 5000)
def test_any_text_gives_settings_or_a_config_error(text: str) -> None:
    try:
        settle(parse_file(text, "memoro.toml", agent="a", project="b"))
    except ConfigError as error:
        assert str(error)


@given(text=texts)
def test_writing_the_vault_into_any_file_changes_nothing_else_or_nothing_at_all(text: str, tmp_path: Path) -> None:
    file = tmp_path / "memoro.toml"
    try:
        after = after_writing(file, text, "/new")
    except MemoroError:
        assert file.read_bytes() == text.encode()
        return
    before = tomllib.loads(text)
    assert after == {**before, "vault": {**before.get("vault", {}), "path": "/new"}}


@pytest.mark.parametrize(
    ("text", "size"),
    [("100MB", 10**8), ("2 GB", 2 * 10**9), ("1.5k", 1500), ("500 kb", 500_000), ("77", 77), ("0", 0)],
)
def test_sizes_are_read_as_people_write_them(text: str, size: int) -> None:
    assert config.size_in_bytes(text) == size


@pytest.mark.parametrize("text", ["", "MB", "ten MB", "-5MB", "1e9", "1.2.3K", "٣MB", "5 TB", "nan", "1" * 400])
def test_what_is_no_size_is_refused(text: str) -> None:
    assert config.size_in_bytes(text) is None
    with pytest.raises(ConfigError, match=r"memory\.max_size must be "):
        settings(f'[memory]\nmax_size = "{text}"')


@pytest.mark.parametrize("text", ["often", "* * *", "61 4 * * *", "0 25 * * *", "@nightly please"])
def test_what_is_no_schedule_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=r"memory\.prune_schedule must be "):
        settings(f'[memory]\nprune_schedule = "{text}"')
