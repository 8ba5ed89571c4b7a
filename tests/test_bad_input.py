"""Everything that can be wrong with a vault or a home: a sentence, an exit code, and nothing lost."""

from __future__ import annotations

import ctypes
import gzip
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from memoro.errors import StorageFull, StoreUnavailable
from memoro.store.sqlite.engine import connect, engine
from tests.conftest import Memoro, Result, fingerprint, run_memoro, write_vault

GOOD = {f"good/{i}.md": f"tea number {i}" for i in range(20)}


def good_found(memoro: Memoro) -> bool:
    return len(memoro("search", "--json", "--mode", "words", "-n", "50", "tea").json["results"]) == len(GOOD)


def test_no_vault_is_exit_code_3(home: Path) -> None:
    for command in (["search", "tea"], ["sync"], ["status"], ["get", "a.md"], ["watch"]):
        done = run_memoro("--home", str(home), *command)
        assert done.code == 3, command
        assert "memoro init" in done.err
    assert not home.exists()  # asking made nothing


def test_an_empty_vault_is_no_error(memoro: Memoro) -> None:
    done = memoro("sync")
    assert done.code == 0
    assert "no Markdown files" in done.out
    assert memoro("search", "tea").code == 1
    assert "no Markdown files" in memoro("status").out


def test_a_vault_that_is_not_there_is_exit_code_3(home: Path, tmp_path: Path) -> None:
    for command in (["search", "tea"], ["sync"], ["status"]):
        done = run_memoro("--home", str(home), "--vault", str(tmp_path / "nowhere"), *command)
        assert done.code == 3
        assert "no such file" in done.err


def test_init_makes_a_folder_only_when_told(home: Path, tmp_path: Path) -> None:
    nowhere, file = tmp_path / "nowhere", tmp_path / "file"
    refused = run_memoro("--home", str(home), "init", str(nowhere))
    assert (refused.code, nowhere.exists()) == (3, False)
    assert f"There is no folder {nowhere}. Make it?" in refused.err
    file.write_text("no folder")
    assert "is a file" in run_memoro("--home", str(home), "init", str(file), "--yes").err
    assert run_memoro("--home", str(home), "init", str(nowhere), "--yes").code == 0
    assert nowhere.is_dir()


def test_a_vault_that_disappears_keeps_its_index(memoro: Memoro, vault: Path) -> None:
    write_vault(vault, GOOD)
    memoro("sync")
    vault.rename(vault.with_name("away"))
    assert memoro("sync").code == 3
    done = memoro("search", "--json", "-n", "50", "tea")
    assert len(done.json["results"]) == len(GOOD)
    assert done.json["synced"] is False
    assert "cannot be read" in done.json["degraded"][0]
    assert memoro("get", "good/1.md").code == 3


DEEP_YAML = "---\nx: " + "[" * 16_000 + "\n---\ntea"
POISON: dict[str, tuple[bytes, str]] = {
    "binary": (b"\x7fELF\x00\x01\x02", "binary"),
    "nul late": (b"tea " * 4000 + b"\x00 more", ""),
    "deep yaml": (DEEP_YAML.encode(), "nested"),
    "huge yaml": (("---\nx: " + "y" * 20_000 + "\n---\ntea").encode(), "longer than"),
    "yaml bomb": (b"---\na: &a [x, x]\nb: &b [*a, *a]\n---\ntea", "aliases"),
    "broken yaml": (b"---\na: [\n---\ntea", "cannot be read"),
    "yaml list": (b"---\n- a\n---\ntea", "key: value"),
    "impossible date": (b"---\ndate: 2026-13-45\n---\ntea", "not a date"),
    "digits date": (b"---\ndate: " + b"9" * 5000 + b"\n---\ntea", "not a date"),
    "latin-1": ("café tea".encode("latin-1"), "Windows-1252"),
    "mixed": ("café ".encode() + "café tea".encode("latin-1"), "Windows-1252"),
    "utf-16": ("tea and 茶".encode("utf-16"), ""),
    "bad utf-16": (b"\xff\xfea", "UTF-16"),
    "bom": (b"\xef\xbb\xbftea", ""),
    "crlf": (b"---\r\ntags: [x]\r\n---\r\n# Tea\r\n\r\ntea\r\n", ""),
    "old mac": (b"# Tea\r\rtea\r", ""),
    "long line": (b"tea " * 25_000, ""),
    "one word": (b"x" * 100_000, ""),
    "surrogates": (b"tea \xed\xa0\x80 end", "Windows-1252"),
    "only fence": (b"```\ntea", ""),
    "separators": ("a\u2028b\u2029c\x0bd\x0ce\x85f tea".encode(), ""),
    "empty": (b"", ""),
    "blank": (b" \n\t\n \n", ""),
}


@pytest.mark.parametrize("name", POISON)
def test_an_odd_file_is_indexed_or_reported_and_harms_no_other(memoro: Memoro, vault: Path, name: str) -> None:
    data, expected = POISON[name]
    write_vault(vault, {**GOOD, "odd.md": data})
    before = fingerprint(vault)
    done = memoro("sync", "--json")
    assert done.code == 0
    problems = done.json["problems"]
    if expected:
        assert [p["path"] for p in problems] == ["odd.md"]
        assert expected in problems[0]["sentence"]
    else:
        assert problems == []
    hits = memoro("search", "--json", "-n", "50", "tea", "--path", "good").json["results"]
    assert len(hits) == len(GOOD)
    assert fingerprint(vault) == before


def test_all_odd_files_at_once_with_odd_names(memoro: Memoro, vault: Path) -> None:
    names = [
        "emoji 🎉",
        "new\nline",
        "tab\there",
        "quote'\"",
        "percent%s",
        "bidi\u202e",
        "nfd cafe\u0301",
        "nfc café",
        "-dash",
        "#tag",
    ]
    odd = {f"{name} {kind}.md": data for name in names for kind, (data, _) in POISON.items()}
    write_vault(vault, {**GOOD, **odd})
    before = fingerprint(vault)
    done = memoro("sync", "--json")
    assert done.code == 0
    assert memoro("sync").code == 0
    assert memoro("status").code == 0
    assert len(memoro("search", "--json", "-n", "50", "tea", "--path", "good").json["results"]) == len(GOOD)
    assert fingerprint(vault) == before


def test_a_gigabyte_is_found_by_its_name_only(memoro: Memoro, vault: Path) -> None:
    write_vault(vault, GOOD)
    with (vault / "enormous dump.md").open("wb") as file:
        file.truncate(1024**3)
    done = memoro("sync", "--json")
    assert done.json["problems"][0]["severity"] == "partly"
    assert "1,073,741,824 bytes" in done.json["problems"][0]["sentence"]
    assert memoro("search", "--json", "enormous").json["results"][0]["path"] == "enormous dump.md"
    assert memoro("get", "enormous dump.md").code == 3
    assert good_found(memoro)


def test_links_and_fifos_are_reported_and_do_not_block(memoro: Memoro, vault: Path, tmp_path: Path) -> None:
    write_vault(vault, GOOD)
    outside = write_vault(tmp_path / "outside", {"secret.md": "topsecret"})
    (vault / "out.md").symlink_to(outside / "secret.md")
    (vault / "folder").symlink_to(outside)
    os.mkfifo(vault / "pipe.md")
    done = memoro("sync", "--json")
    assert {p["path"] for p in done.json["problems"]} == {"out.md", "folder", "pipe.md"}
    assert memoro("search", "--mode", "words", "topsecret").code == 1
    assert memoro("get", "out.md").code == 1
    assert memoro("get", "folder/secret.md").code == 1
    assert good_found(memoro)


def _give_up_roots_eyes() -> None:
    """Root reads and writes whatever the modes say; without these two capabilities it is bound like anyone."""
    if os.getuid() == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
            if libc.prctl(24, capability, 0, 0, 0) != 0:  # PR_CAPBSET_DROP
                raise OSError(ctypes.get_errno(), "a capability cannot be given up here")


def bound_by_modes(*arguments: str) -> Result:
    """The command as one whom file modes bind."""
    done = subprocess.run(
        [sys.executable, "-m", "memoro", *arguments],
        capture_output=True, text=True, check=False, timeout=60, preexec_fn=_give_up_roots_eyes,
    )  # fmt: skip
    return Result(done.returncode, done.stdout, done.stderr)


def test_an_unreadable_note_is_reported(tmp_path: Path) -> None:
    vault, home = write_vault(tmp_path / "vault", GOOD), tmp_path / "home"
    write_vault(vault, {"locked.md": "tea", "closed/x.md": "tea"})
    home.mkdir(mode=0o700)
    (vault / "locked.md").chmod(0)
    (vault / "closed").chmod(0)
    places = ("--home", str(home), "--vault", str(vault))
    done = bound_by_modes(*places, "sync", "--json")
    assert done.code == 0
    assert {(p["path"], p["severity"]) for p in done.json["problems"]} == {
        ("locked.md", "failed"),
        ("closed/", "failed"),
    }
    assert len(bound_by_modes(*places, "search", "--json", "-n", "50", "tea").json["results"]) == len(GOOD)
    (vault / "closed").chmod(0o755)


def test_a_folder_that_cannot_be_listed_hides_nothing(tmp_path: Path) -> None:
    vault, home = write_vault(tmp_path / "vault", {"closed/x.md": "tea", "a.md": "x"}), tmp_path / "home"
    home.mkdir(mode=0o700)
    places = ("--home", str(home), "--vault", str(vault))
    bound_by_modes(*places, "sync")
    (vault / "closed").chmod(0)
    assert bound_by_modes(*places, "sync", "--json").json["hidden"] == 0
    assert bound_by_modes(*places, "search", "tea").code == 0
    (vault / "closed").chmod(0o755)


def test_a_read_only_home_still_answers(tmp_path: Path) -> None:
    vault, home = write_vault(tmp_path / "vault", GOOD), tmp_path / "home"
    home.mkdir(mode=0o700)
    places = ("--home", str(home), "--vault", str(vault))
    bound_by_modes(*places, "sync")
    write_vault(vault, {"new.md": "tea"})
    home.chmod(0o500)
    done = bound_by_modes(*places, "search", "--json", "-n", "50", "tea")
    assert done.code == 0, done
    assert len(done.json["results"]) == len(GOOD)
    assert done.json["synced"] is False
    assert [said for said in done.json["degraded"] if said.startswith("vectors:")] == []
    assert done.json["degraded"]
    failed = bound_by_modes(*places, "sync")
    assert failed.code == 4
    assert "MEMORO_HOME" in failed.err
    home.chmod(0o700)


def test_a_home_that_cannot_be_made_is_exit_code_4(vault: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    done = run_memoro("--home", str(tmp_path / "file" / "home"), "--vault", str(vault), "search", "tea")
    assert done.code == 4
    assert "MEMORO_HOME" in done.err


def test_a_home_that_others_may_write_to_is_refused(memoro: Memoro, home: Path, vault: Path) -> None:
    write_vault(vault, GOOD)
    home.mkdir()
    home.chmod(0o777)
    done = memoro("sync")
    assert done.code == 4
    assert "chmod go-w" in done.err
    home.chmod(0o700)
    assert memoro("sync").code == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of one megabyte, where the machine lets us make one."""
    place = tmp_path / "disk"
    place.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", str(place)], capture_output=True, check=False
    )
    if made.returncode != 0:
        pytest.skip("this machine lets nobody mount a small disk")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk_is_exit_code_4_and_loses_nothing(small_disk: Path, vault: Path) -> None:
    write_vault(vault, GOOD)
    (small_disk / "ballast").write_bytes(b"x" * 400_000)
    places = ("--home", str(small_disk / "home"), "--vault", str(vault))
    assert run_memoro(*places, "sync").code == 0
    write_vault(vault, {f"much/{i}.md": os.urandom(20_000).hex() for i in range(60)})
    before = fingerprint(vault)
    done = run_memoro(*places, "sync")
    assert done.code == 4
    assert "No space" in done.err
    answer = run_memoro(*places, "search", "--json", "-n", "50", "tea", "--path", "good")
    assert len(answer.json["results"]) == len(GOOD)
    assert answer.json["degraded"]
    assert fingerprint(vault) == before
    for file in sorted((vault / "much").iterdir())[2:]:
        file.unlink()
    (small_disk / "ballast").unlink()
    assert run_memoro(*places, "sync", "--accept-deletions", "--json").json["files"] == len(GOOD) + 2


def test_a_setting_that_finds_no_space_is_one_sentence_and_leaves_nothing_behind(
    small_disk: Path, vault: Path
) -> None:
    home, logs = small_disk / "home", vault.parent / "logs"
    home.mkdir(mode=0o700)
    logs.mkdir()
    write_vault(vault, {"tea.md": "Tea is green."})
    settings = home / "memoro.toml"
    settings.write_text(f'vault.path = "{vault}"\ntranscripts.folders = ["{logs}"]\n')
    before = settings.read_bytes()
    fill_up(small_disk)
    commands = [
        ["config", "set", "recall.budget", "900"],
        ["config", "unset", "vault.path"],
        ["transcripts", "add", str(vault.parent)],
        ["transcripts", "remove", str(logs)],
        ["init", str(vault), "--no-memory"],
        ["connect", "claude-desktop", "--yes"],
        ["export", "-o", str(small_disk / "export.json")],
        ["serve", "--http", "--port", "0"],
    ]
    for command in commands:
        done = run_memoro("--home", str(home), *command, env={"HOME": str(small_disk)})
        assert (done.code, "No space is left for" in done.err) == (4, True), (command, done)
        assert "run the command again" in done.err
        assert settings.read_bytes() == before
    assert not [
        name for _, _, names in os.walk(small_disk) for name in names if re.search(r"toml.+|token|part$|json", name)
    ]


def test_a_host_is_disconnected_though_a_full_disk_keeps_no_record_of_it(small_disk: Path, tmp_path: Path) -> None:
    (tmp_path / "me" / ".cursor").mkdir(parents=True)
    settings = tmp_path / "me" / ".cursor" / "mcp.json"
    settings.write_text('{"theme": 1}')
    places = ["--home", str(small_disk / "home")]
    assert run_memoro(*places, "connect", "cursor", "--yes", env={"HOME": str(tmp_path / "me")}).code == 0
    fill_up(small_disk)
    done = run_memoro(*places, "disconnect", "cursor", "--yes", env={"HOME": str(tmp_path / "me")})
    assert (done.code, settings.read_text()) == (0, '{"theme": 1}'), done
    assert "Cursor is disconnected." in done.out
    assert "connections.json still tells of before, which does no harm: no space is left" in " ".join(
        done.err.split()
    )


def test_init_leaves_no_empty_memory_file_on_a_full_disk(small_disk: Path, home: Path) -> None:
    notes = write_vault(small_disk / "notes", {"tea.md": "Tea is green."})
    fill_up(small_disk)
    done = run_memoro("--home", str(home), "init", str(notes), "--yes")
    assert (done.code, "No space is left for" in done.err) == (4, True)
    assert [file.name for file in notes.iterdir()] == ["tea.md"]


def test_a_home_of_0_1_0_on_a_full_disk_is_converted_once_there_is_space(small_disk: Path) -> None:
    home = small_disk / "home"
    home.mkdir(mode=0o700)
    kept = Path(__file__).parent / "data" / "home-0.1.0"
    for name in ("ledger.db", "archive.db"):
        (home / name).write_bytes(gzip.decompress((kept / f"{name}.gz").read_bytes()))
    before = (home / "ledger.db").read_bytes()
    fill_up(small_disk)
    for command in (["memory", "list"], ["search", "kettle"]):
        done = run_memoro("--home", str(home), *command)
        assert (done.code, "No space is left for" in done.err) == (4, True), command
        assert "run the command again" in done.err
    vault = write_vault(small_disk.parent / "vault", {"kettle.md": "A kettle."})
    status = run_memoro("--home", str(home), "--vault", str(vault), "status", "--json").json
    said = next(one for one in status["notices"] if one.startswith(f"No space is left for {home}. "))
    assert "Searches and `get` fail until then" in said and "Searching and reading work" not in said
    assert (home / "ledger.db").read_bytes() == before
    (small_disk / "ballast").unlink()
    subprocess.run(["mount", "-o", "remount,size=20m", str(small_disk)], check=True)
    assert run_memoro("--home", str(home), "memory", "list").code == 0


def fill_up(disk: Path) -> None:
    with suppress(OSError), (disk / "ballast").open("wb", buffering=0) as ballast:
        while ballast.write(b"x" * 4096):
            pass


def test_the_engines_errors_become_ours(tmp_path: Path) -> None:
    chosen = engine(str(tmp_path))
    with pytest.raises(StoreUnavailable, match="MEMORO_HOME"):
        connect(str(tmp_path / "no" / "such.db"), chosen, create=True)
    full = connect(str(tmp_path / "x.db"), chosen, create=True)
    full.execute("CREATE TABLE t (x)")
    full.pragma("max_page_count", 3)
    from memoro.store.sqlite.engine import translated

    with pytest.raises(StorageFull), translated("x.db"):
        full.execute("INSERT INTO t VALUES (zeroblob(100000))")
    full.close()


def test_an_index_of_a_later_version_is_left_alone(memoro: Memoro, home: Path, vault: Path) -> None:
    write_vault(vault, GOOD)
    memoro("sync")
    db = connect(str(home / "index.1.db"), engine(str(home)))
    db.pragma("user_version", 999)
    db.close()
    for command in (["search", "tea"], ["sync"], ["status"]):
        done = memoro(*command)
        assert done.code == 4, command
        assert "format 999" in done.err
        assert "sync --force" in done.err
    assert memoro("sync", "--force").code == 0
    assert good_found(memoro)


def test_a_corrupt_index_is_rebuilt_and_said(memoro: Memoro, home: Path, vault: Path) -> None:
    write_vault(vault, GOOD)
    memoro("sync")
    (home / "index.1.db").write_bytes(b"not a database at all" * 500)
    done = memoro("search", "--json", "-n", "50", "tea")
    assert len(done.json["results"]) == len(GOOD)
    assert "damaged" in done.json["degraded"][0]
    assert memoro("search", "--json", "tea").json["degraded"] == []


def test_two_syncs_at_once_both_end_well(memoro: Memoro, home: Path, vault: Path) -> None:
    write_vault(vault, {f"{i}.md": f"tea {i} " * 50 for i in range(300)})
    command = [sys.executable, "-m", "memoro", "--home", str(home), "--vault", str(vault), "sync"]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    outputs = [process.communicate(timeout=60) for process in running]
    assert [process.returncode for process in running] == [0, 0], outputs
    assert all("300 notes" in out for out, _ in outputs)
    assert len(memoro("search", "--json", "-n", "200", "tea").json["results"]) == 200
