"""The demo shows what an agent is really given, and the README shows what the demo prints."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memoro import demo
from memoro.demo import sample_project
from tests.conftest import Result, run_memoro

MARK = "> How often"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Inside a repository, as where `make demo` makes it: the sample project must not be taken for a part of that."""
    clone = tmp_path_factory.mktemp("clone")
    (clone / ".git").mkdir()
    (clone / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    return clone / ".demo"


@pytest.fixture(scope="module")
def printed(folder: Path) -> Result:
    return run_memoro("demo", str(folder))


def played(out: str) -> str:
    """The part of the output that tells what an agent is given."""
    return MARK + out.partition(MARK)[2].partition("\nYou ask")[0].rstrip("\n") + "\n"


def test_it_answers_its_questions_rightly(printed: Result, folder: Path) -> None:
    assert printed.code == 0
    for question in demo.questions():
        after = printed.out.split(question.ask)[1]
        first = next(line for line in after.splitlines() if line.startswith("1. "))
        assert f"  {question.answer}:" in first, question
        assert question.heading in first
    assert "Now you:" in printed.out
    assert run_memoro("--home", str(folder / "home"), "search", "greenhouse").code == 0


def test_it_says_that_a_temporary_folder_stays_and_may_be_deleted(
    printed: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    done = run_memoro("demo")
    [folder] = tmp_path.glob("memoro-demo-*")
    assert done.out.endswith(f"All of this is in {folder}, and stays there until you delete it: rm -r {folder}\n")
    assert "rm -r" not in printed.out  # a folder that a person named may hold more


def test_the_hook_tells_the_new_fact_the_known_error_and_the_last_work_and_is_silent_for_thanks(
    printed: Result,
) -> None:
    told = dict(zip(sample_project.PROMPTS, played(printed.out).split("\n> "), strict=True))
    changed, error, last, thanks = told.values()
    assert "every 5 minutes" in changed
    assert "parse_clock()" in error
    assert "real display at the pier" in last
    assert thanks.rstrip().endswith("0 tokens, silent: an acknowledgement")


def in_the_readme(output: str) -> str:
    """What the README shows of it: the prompts but the longest, so that all of it fits on a screen."""
    prompts = played(output).split("\n> ")
    return "\n> ".join(one for one in prompts if one != max(prompts, key=len))


def test_the_readme_shows_what_the_demo_prints(printed: Result) -> None:
    readme = Path(__file__).parent.parent / "README.md"
    assert f"```text\n{in_the_readme(printed.out)}```\n" in readme.read_text(encoding="utf-8"), "run `make docs`"


def test_it_can_be_played_again_in_the_same_folder(printed: Result, folder: Path) -> None:
    again = run_memoro("demo", str(folder))
    assert played(again.out) == played(printed.out)
    today = json.loads(run_memoro("--home", str(folder / "home"), "session", "show", "--today", "--json").out)
    assert (today["totals"]["sessions"], today["totals"]["prompts"], today["totals"]["silent"]) == (2, 8, 2)
    assert {one["bound"]["project"] for one in today["sessions"]} == {sample_project.PROJECT}


def test_the_sample_logs_name_no_folder_but_that_of_the_demo(tmp_path: Path) -> None:
    made = sample_project.make_project(str(tmp_path))
    logs = sorted(Path(made.logs).rglob("*.jsonl"))
    records = [json.loads(line) for log in logs for line in log.read_text(encoding="utf-8").splitlines()]
    assert len(logs) == 4
    assert {one["cwd"] for one in records} == {os.path.join(tmp_path, sample_project.PROJECT)}
    assert len({one["uuid"] for one in records}) == len(records)
