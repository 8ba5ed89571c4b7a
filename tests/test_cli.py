"""The command line as a person or a script meets it, with real files."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memoro.cli import main
from memoro.cli.command_table import COMMANDS
from tests.conftest import Memoro, run_memoro, wait_for, write_vault

RESULT_KEYS = {"id", "kind", "tier", "path", "start_line", "end_line", "heading", "date", "score", "snippet"}


def test_search_prints_one_json_document_with_the_promised_keys(memoro: Memoro, vault: Path) -> None:
    write_vault(vault, {"daily/2026-03-03.md": "# 2026-03-03\n\n- 09:00 bought green tea\n"})
    done = memoro("search", "--json", "green", "tea")
    assert done.code == 0
    assert set(done.json) == {
        "query", "mode", "results", "left_out", "least", "synced", "degraded", "took_ms",
    }  # fmt: skip
    assert (done.json["query"], done.json["mode"], done.json["synced"], done.json["degraded"]) == (
        "green tea", "hybrid", True, [],
    )  # fmt: skip
    (hit,) = done.json["results"]
    assert set(hit) == RESULT_KEYS
    assert (hit["kind"], hit["tier"], hit["path"], hit["start_line"], hit["end_line"], hit["date"]) == (
        "note", "daily", "daily/2026-03-03.md", 1, 3, "2026-03-03",
    )  # fmt: skip
    assert 0 < hit["score"] <= 1


def test_explain_is_the_computation_of_the_score(memoro: Memoro, vault: Path) -> None:
    write_vault(vault, {"a.md": "# Tea\n\ngreen tea and more tea\n", "b.md": "black coffee\n"})
    (hit,) = memoro("search", "--json", "--explain", "--mode", "words", "green tea zzz").json["results"]
    words = hit["explanation"]["words"]
    assert words["terms"][1]["columns"] == {"text": 3, "heading": 1}
    held = sum(term["weight"] * (0.6 + 0.4 * term["fullness"]) for term in words["terms"])
    assert held == pytest.approx(hit["score"], abs=1e-6)
    assert all(term["share"] == pytest.approx(term["weight"] * term["fullness"]) for term in words["terms"])
    shown = memoro("search", "--explain", "green tea").out
    assert "found by" in shown
    assert "tea 3× in the text, 1× in the heading" in shown


def test_nothing_found_is_exit_code_1_and_a_sentence(memoro: Memoro, vault: Path) -> None:
    write_vault(vault, {"a.md": "tea"})
    done = memoro("search", "zzzz")
    assert (done.code, done.out) == (1, "")
    assert "Nothing found" in done.err
    assert memoro("search", "--json", "zzzz").json["results"] == []


@pytest.mark.parametrize(
    "query",
    ["user's", "foo-bar", "what is this?", "NOT", '"', "'", "a AND", "tea*", "col:tea", "(", "NEAR(a b)", "-",
     "^tea", "{}", "🎉", "の", "https://x.y/z", "a" * 5000, "tea " * 500, "\\", "%", "_", "\u202e"],
)  # fmt: skip
def test_any_string_is_a_query(query: str, vault: Path, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_vault(vault, {"a.md": "tea for the user, foo and bar, NOT coffee"})
    code = main(["--home", str(home), "--vault", str(vault), "search", "--json", "--", query])
    assert code in (0, 1)
    assert json.loads(capsys.readouterr().out)["query"] == query


def test_filters_narrow_a_search(memoro: Memoro, vault: Path) -> None:
    write_vault(
        vault,
        {
            "work/a.md": "---\ntags: [drink/hot]\nproject: apollo\ndate: 2026-05-12\n---\ntea",
            "home/b.md": "---\nagent: codex\ndate: 2026-06-12\n---\ntea",
            "skills/c.md": "tea",
        },
    )

    def paths(*arguments: str) -> set[str]:
        return {hit["path"] for hit in memoro("search", "--json", "tea", *arguments).json["results"]}

    assert paths("--path", "work", "--path", "home") == {"work/a.md", "home/b.md"}
    assert paths("--tier", "skill") == {"skills/c.md"}
    assert paths("--tag", "drink") == paths("--project", "apollo") == {"work/a.md"}
    assert paths("--agent", "codex") == {"home/b.md"}
    assert paths("--since", "2026-05", "--until", "May 2026") == {"work/a.md"}
    assert paths("--kind", "note", "-n", "2") < {"work/a.md", "home/b.md", "skills/c.md"}
    assert paths("--since", "yesterday") == {"skills/c.md"}  # undated: the day it was written counts


def test_get_reads_ids_paths_and_lines(memoro: Memoro, vault: Path) -> None:
    write_vault(vault, {"a.md": "one\ntwo\nthree\nfour\n", "odd:3.md": "odd\n", "note:x.md": "prefixed\n"})
    found = memoro("search", "--json", "three").json["results"][0]["id"]
    assert memoro("get", found).out == "one\ntwo\nthree\nfour\n"
    assert memoro("get", "a.md:2").out == "two\n"
    assert memoro("get", "a.md:2-3").out == "two\nthree\n"
    assert memoro("get", "a.md:3-99").out == "three\nfour\n"
    assert memoro("get", "odd:3.md").out == "odd\n"
    document = memoro("get", "--json", "a.md:2").json
    assert (document["text"], document["start_line"], document["end_line"]) == ("two", 2, 2)


@pytest.mark.parametrize(
    "target", ["nope.md", "a.md:9", "a.md:0", "a.md:3-2", "note:a.md#00000000.1", "../a.md", "/etc/passwd", "note:#x"]
)
def test_get_of_what_is_not_there_is_exit_code_1(memoro: Memoro, vault: Path, target: str) -> None:
    write_vault(vault, {"a.md": "one\ntwo\nthree\n"})
    done = memoro("get", target)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("memoro: ")


def test_an_id_survives_a_change_elsewhere_in_the_note_and_dies_with_its_passage(memoro: Memoro, vault: Path) -> None:
    write_vault(vault, {"a.md": "# Tea\n\ngreen\n"})
    found = memoro("search", "--json", "green").json["results"][0]["id"]
    write_vault(vault, {"a.md": "# New\n\nfirst\n\n# Tea\n\ngreen\n"})
    assert memoro("get", found).out == "# Tea\n\ngreen\n"
    write_vault(vault, {"a.md": "# Tea\n\nblack\n"})
    done = memoro("get", found)
    assert done.code == 1
    assert "has changed" in done.err


def test_sync_reports_and_status_tells_the_truth(memoro: Memoro, vault: Path) -> None:
    write_vault(vault, {"a.md": "tea", "b.md": b"\x00binary"})
    before = memoro("status", "--json").json
    assert (before["files"], before["generation"], len(before["dirty"])) == (0, None, 2)
    report = memoro("sync", "--json").json
    assert (report["added"], report["files"]) == (1, 1)
    assert report["problems"][0]["path"] == "b.md"
    after = memoro("status", "--json").json
    assert after["dirty"] == []  # a note that cannot be read is a problem, and no sync would mend it
    assert [one["path"] for one in after["problems"]] == ["b.md"]
    os.utime(vault / "a.md")
    assert memoro("status", "--json").json["dirty"] == after["dirty"]  # touched, and still the same bytes
    (vault / "c.md").write_text("new")
    assert {(d["path"], d["why"]) for d in memoro("status", "--json").json["dirty"]} >= {("c.md", "new")}
    shown = memoro("status").out
    assert "SQLite 3." in shown
    assert "failed: b.md" in shown


def test_doctor_finds_a_healthy_home_healthy(memoro: Memoro, vault: Path) -> None:
    write_vault(vault, {"a.md": "tea"})
    memoro("sync")
    done = memoro("doctor", "--selftest", "--json")
    assert done.code == 0
    states = {check["name"]: check["state"] for check in done.json["checks"]}
    assert "failed" not in states.values()
    assert {"engine", "home", "locks", "file system", "vault", "index", "index against disk"} <= set(states)


def test_doctor_says_what_to_do_about_a_damaged_index(memoro: Memoro, vault: Path, home: Path) -> None:
    write_vault(vault, {"a.md": "tea"})
    memoro("sync")
    (home / "index.1.db").write_bytes(b"garbage" * 1000)
    done = memoro("doctor")
    assert done.code == 1
    assert "memoro sync --force" in done.out


def test_config_show_tells_where_each_value_came_from(memoro: Memoro, home: Path, vault: Path) -> None:
    home.mkdir(mode=0o700)
    (home / "memoro.toml").write_text("[query]\nmax_results = 3\n\n[agents.codex.query]\nmax_results = 9\n")
    (vault / ".memoro.toml").write_text('[daily]\nfolder = "journal"\n')
    shown = {s["key"]: (s["value"], s["origin"]) for s in memoro("config", "show", "--json").json["settings"]}
    assert shown["query.max_results"] == (3, str(home / "memoro.toml"))
    assert shown["daily.folder"] == ("journal", str(vault / ".memoro.toml"))
    assert shown["vault.path"] == (str(vault), "argument")
    assert shown["chunking.tokens"] == (400, "default")
    done = memoro("config", "show", "--agent", "codex")
    assert f"query.max_results = 9  ({home / 'memoro.toml'} [agents.codex])" in done.out


def test_options_may_stand_before_an_action(memoro: Memoro, home: Path) -> None:
    home.mkdir(exist_ok=True)
    (home / "memoro.toml").write_text("[agents.tars]\nquery.max_results = 9\n")
    for arguments in (["--agent", "tars", "--json", "show"], ["--json", "show", "--agent=tars"]):
        shown = {one["key"]: one["value"] for one in memoro("config", *arguments).json["settings"]}
        assert shown["query.max_results"] == 9


def test_environment_and_flags_name_home_and_vault(home: Path, vault: Path, tmp_path: Path) -> None:
    write_vault(vault, {"a.md": "tea"})
    other = write_vault(tmp_path / "other", {"b.md": "tea"})
    env = {"MEMORO_HOME": str(home), "MEMORO_VAULT": str(vault)}
    assert run_memoro("search", "--json", "tea", env=env).json["results"][0]["path"] == "a.md"
    flags = ("--vault", str(other), "--home", str(tmp_path / "home2"))
    assert run_memoro("search", "--json", "tea", *flags, env=env).json["results"][0]["path"] == "b.md"
    assert run_memoro(*flags, "search", "--json", "tea", env=env).json["results"][0]["path"] == "b.md"


def test_init_on_an_empty_folder_proposes_what_fits_it(home: Path, vault: Path) -> None:
    vault.mkdir(exist_ok=True)
    for answer in ("--no-memory", "--yes"):
        done = run_memoro("--home", str(home), "init", str(vault), answer)
        assert done.out.endswith(
            '\nNext: memoro remember "a fact that your agents should know", or memoro connect HOST\n'
        )
        (vault / "MEMORY.md").unlink(missing_ok=True)
    assert run_memoro("--home", str(home), "remember", "Tea is at four").code == 0
    assert "memoro search" in run_memoro("--home", str(home), "init", str(vault)).out


def test_init_names_the_vault_and_makes_a_memory_file_only_when_told(home: Path, vault: Path) -> None:
    write_vault(vault, {"a.md": "tea"})
    done = run_memoro("--home", str(home), "init", str(vault))
    assert done.code == 0
    assert "1 added" in done.out
    assert not (vault / "MEMORY.md").exists()
    assert "--yes" in done.err
    assert run_memoro("--home", str(home), "search", "tea").code == 0
    assert run_memoro("--home", str(home), "init", str(vault), "--yes", "--json").json["made_memory"] is True
    assert (vault / "MEMORY.md").read_text().count("## ") == 4
    text = (vault / "MEMORY.md").read_text()
    assert run_memoro("--home", str(home), "init", str(vault), "--yes", "--json").json["made_memory"] is False
    assert (vault / "MEMORY.md").read_text() == text


def test_init_does_not_take_another_vault_without_being_told(home: Path, vault: Path, tmp_path: Path) -> None:
    write_vault(vault, {"a.md": "tea"})
    other = write_vault(tmp_path / "other", {"b.md": "coffee"})
    run_memoro("--home", str(home), "init", str(vault))
    refused = run_memoro("--home", str(home), "init", str(other))
    assert refused.code == 2
    assert str(vault) in refused.err
    assert run_memoro("--home", str(home), "init", str(other), "--yes", "--no-memory").code == 0
    assert run_memoro("--home", str(home), "search", "--mode", "words", "tea").code == 1
    assert run_memoro("--home", str(home), "search", "--mode", "words", "coffee").code == 0


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    assert COMMANDS[name][1] in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [[], ["serach"], ["search"], ["search", "-n", "x", "y"], ["search", "-n", "0", "y"], ["search", "-n", "201", "y"],
     ["search", "y", "--tier", "x"], ["search", "y", "--since", "someday"], ["--hoem", "x", "search", "y"],
     ["config"], ["completion", "tcsh"]],
)  # fmt: skip
def test_wrong_usage_is_exit_code_2_and_a_sentence(arguments: list[str], home: Path, vault: Path) -> None:
    done = run_memoro(*arguments, env={"MEMORO_HOME": str(home), "MEMORO_VAULT": str(vault)})
    assert done.code == 2
    assert "memoro" in done.err or not arguments
    assert "Traceback" not in done.err


def test_a_filter_that_names_nothing_says_so_in_the_empty_answer(memoro: Memoro, vault: Path) -> None:
    write_vault(vault, {"people/ann.md": "---\ntags: [friend]\n---\n# Ann\n\nAnn drinks tea.\n"})
    memoro("sync")
    assert memoro("search", "tea", "--path", "people", "--tag", "friend").err == ""
    for filters, said in (
        (("--path", "peeple"), "path: nothing lies at 'peeple'. Did you mean 'people'?"),
        (("--tag", "nosuchtag"), "tag: nothing has the tag 'nosuchtag'."),
        (("--agent", "nobody"), "agent: nothing belongs to an agent 'nobody'."),
        (("--project", "none"), "project: nothing belongs to a project 'none'."),
    ):
        done = memoro("search", "tea", *filters)
        assert (done.code, said in done.err) == (1, True), done
        assert memoro("search", "tea", "--json", *filters).json["degraded"] == [said]
    assert "people" not in memoro("search", "quark", "--path", "people", "--mode", "words").err


def test_an_undo_by_a_source_that_changed_nothing_says_so(memoro: Memoro) -> None:
    memoro("memory", "store", "Green tea.")
    done = memoro("undo", "--by", "feedback", "--since", "today")
    assert done.out.startswith("Nothing to undo: there is no change by feedback.")
    assert memoro("undo", "--by", "feedback", "--json").json["unknown"] == "feedback"
    assert memoro("undo", "--by", "agent", "--since", "today", "--json").json["changes"]
    assert memoro("undo", "--by", "agent", "--since", "today").out == "Nothing to undo.\n"


def test_errors_are_json_too(home: Path) -> None:
    done = run_memoro("--home", str(home), "search", "--json", "tea")
    assert done.code == 3
    assert done.json["error"]["type"] == "NoVault"
    assert "memoro init" in done.json["error"]["message"]


def test_python_dash_m_and_the_script_are_one() -> None:
    script = Path(sys.executable).with_name("memoro")
    done = subprocess.run([str(script), "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == run_memoro("--version").out
    assert "Usage" in run_memoro("--help").out


def test_a_closed_pipe_is_no_error(memoro: Memoro, home: Path, vault: Path) -> None:
    write_vault(vault, {f"{i}.md": "tea " * 300 for i in range(100)})
    memoro("sync")
    command = f"{sys.executable} -m memoro --home {home} --vault {vault} search -n 100 tea | head -n 1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr == ""


def at_a_terminal(*arguments: str) -> str:
    """What a person sees: the command with a terminal as its input and output."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "xterm-256color"
        os.execv(sys.executable, [sys.executable, "-m", "memoro", *arguments])
    seen = b""
    while select.select([terminal], [], [], 20)[0]:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break
        if not part:
            break
        seen += part
    os.waitpid(pid, 0)
    os.close(terminal)
    return seen.decode()


def test_a_person_sees_colour_and_progress_and_a_pipe_does_not(home: Path, vault: Path, memoro: Memoro) -> None:
    write_vault(vault, {f"{i}.md": f"tea number {i}" for i in range(300)})
    places = ("--home", str(home), "--vault", str(vault))
    assert "Indexing" in at_a_terminal(*places, "sync", "--force")
    assert "\x1b[" in at_a_terminal(*places, "search", "tea")
    for arguments in (["sync", "--force"], ["search", "tea"], ["doctor"], ["config", "show"]):
        done = memoro(*arguments)
        assert "\x1b" not in done.out + done.err
        assert "Indexing" not in done.err


def test_control_characters_in_names_and_notes_do_not_reach_a_terminal(home: Path, vault: Path) -> None:
    write_vault(vault, {"evil\x1b[2Jname.md": "tea \x1b]0;title\x07 \u202ebackwards"})
    seen = at_a_terminal("--home", str(home), "--vault", str(vault), "search", "tea")
    assert "\x1b[2J" not in seen
    assert "\x1b]0;" not in seen
    assert "\u202e" not in seen


def test_watch_follows_changes_and_stops_cleanly(home: Path, vault: Path) -> None:
    write_vault(vault, {"a.md": "tea"})
    home.mkdir(mode=0o700)
    (home / "memoro.toml").write_text("[sync]\nwatch_debounce_ms = 100\n")
    command = [sys.executable, "-m", "memoro", "--home", str(home), "--vault", str(vault), "watch"]
    log = vault.with_name("log")
    with log.open("w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output)
    try:
        assert wait_for(lambda: "1 note" in log.read_text())
        time.sleep(0.5)
        write_vault(vault, {"b.md": "coffee"})
        assert wait_for(lambda: "1 added; 2 notes" in log.read_text(), 20)
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0
        assert log.read_text().endswith("Stopped.\n")
    finally:
        process.kill()
        process.wait()


def test_a_home_for_each_agent_is_chosen_by_the_environment(vault: Path, tmp_path: Path) -> None:
    write_vault(vault, {"a.md": "tea"})
    env = {"MEMORO_HOME": str(tmp_path / "homes" / "{agent}"), "MEMORO_VAULT": str(vault)}
    refused = run_memoro("search", "tea", env=env)
    assert refused.code == 2
    assert "MEMORO_AGENT" in refused.err
    assert run_memoro("search", "tea", env={**env, "MEMORO_AGENT": "codex"}).code == 0
    assert (tmp_path / "homes" / "codex").is_dir()
    assert run_memoro("search", "tea", env={**env, "MEMORO_AGENT": "../x"}).code == 2


def test_a_demo_that_cannot_be_made_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    done = run_memoro("demo", str(tmp_path / "file" / "demo"))
    assert done.code == 2
    assert done.err.startswith("memoro: ")


def test_an_empty_home_is_named_as_the_mistake() -> None:
    refused = run_memoro("--home", "", "status")
    assert (refused.code, "The home is empty" in refused.err) == (2, True)
