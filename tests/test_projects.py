"""The project of a folder, of a note and of a line, and the names that mean it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import memoro
from memoro.config import read_project_paths
from memoro.config.projects import origin_of, project_of
from memoro.errors import ConfigError
from memoro.hosts import TABLE
from memoro.index.chunk import chunk, split_by_project
from memoro.model.agents import HOST_NAMES, allies_of
from memoro.model.projects import (
    Project,
    belongs,
    means,
    name_patterns,
    remote_name,
    resolved_names,
    short_name,
    tag_name,
)
from memoro.operations.numbers import NUMBERS, ShowNumbers
from memoro.operations.operation import Caller
from memoro.vault.daily_lines import project_of_line, tagged, without_foreign
from memoro.vault.markdown import parse, with_project


@pytest.fixture
def me(tmp_path: Path) -> Path:
    (tmp_path / "me").mkdir()
    return tmp_path / "me"


def repository(folder: Path, url: str = "") -> Path:
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    remote = f'[remote "origin"]\n\turl = {url}\n\tfetch = +refs/heads/*\n' if url else ""
    (folder / ".git" / "config").write_text(f"[core]\n\tbare = false\n{remote}")
    return folder


def worktree(of: Path, folder: Path) -> Path:
    own = of / ".git" / "worktrees" / folder.name
    own.mkdir(parents=True)
    (own / "commondir").write_text("../..\n")
    folder.mkdir(parents=True)
    (folder / ".git").write_text(f"gitdir: {own}\n")
    return folder


def found(folder: Path, me: Path, **paths: tuple[str, ...]) -> Project | None:
    return project_of(str(folder), paths, {"HOME": str(me)})


def test_clones_worktrees_and_subfolders_of_a_repository_are_one_project(me: Path) -> None:
    first = repository(me / "src" / "api", "git@github.com:acme/api.git")
    second = repository(me / "other" / "api-copy", "https://ada:secret@github.com/acme/api")
    third = worktree(first, me / "src" / "api-feature")
    (first / "deep" / "down").mkdir(parents=True)
    names = {one and one.name for one in (found(place, me) for place in (first, second, third, first / "deep/down"))}
    assert names == {"github.com/acme/api"}
    assert found(first, me) == Project("github.com/acme/api", ("~/src/api",))


def test_repositories_of_one_name_are_two_projects(me: Path) -> None:
    ours = found(repository(me / "a" / "api", "git@github.com:acme/api.git"), me)
    theirs = found(repository(me / "b" / "api", "git@github.com:zeta/api.git"), me)
    assert ours and theirs and ours.name != theirs.name
    assert not belongs(theirs.name, name_patterns(ours.name, ours.known_as))
    assert short_name(ours.name) == short_name(theirs.name) == "api"


def test_without_a_remote_it_is_the_root_and_without_git_the_folder(me: Path) -> None:
    assert found(repository(me / "src" / "tea"), me) == Project("~/src/tea")
    (me / "src" / "tea" / "pots").mkdir()
    assert found(me / "src" / "tea" / "pots", me) == Project("~/src/tea")
    assert found(me / "plain", me) == Project("~/plain")
    assert found(worktree(me / "src" / "tea", me / "elsewhere"), me) == Project("~/src/tea")


def test_home_root_and_what_is_no_path_are_no_project(me: Path) -> None:
    repository(me, "git@github.com:ada/dotfiles.git")
    assert [found(place, me) for place in (me, Path("/"), Path("relative"))] == [None, None, None]
    assert found(me / "notes", me) == Project("~/notes")


def test_a_folder_that_is_gone_belongs_to_the_repository_around_it(me: Path) -> None:
    root = repository(me / "src" / "api", "git@github.com:acme/api.git")
    gone = found(root / ".claude" / "worktrees" / "gone", me)
    assert gone and gone.name == "github.com/acme/api"


def test_the_settings_name_projects_and_keep_what_was_known_before(me: Path, tmp_path: Path) -> None:
    api = repository(me / "src" / "api", "git@github.com:acme/api.git")
    web = repository(me / "src" / "web", "git@github.com:acme/web.git")
    (tmp_path / "memoro.toml").write_text(
        '[projects.shop]\npaths = ["~/src"]\n[projects.shop.query]\nmax_results = 9\n'
    )
    paths = read_project_paths(str(tmp_path / "memoro.toml"))
    named = project_of(str(api), paths, {"HOME": str(me)})
    assert named and named.name == "shop"
    assert belongs("github.com/acme/api", name_patterns(*named))
    both = project_of(str(api), {"shop": (str(api), str(web))}, {"HOME": str(me)})
    assert both and belongs("github.com/acme/web", name_patterns(*both))
    (tmp_path / "memoro.toml").write_text("[projects.shop]\npaths = [1]\n")
    with pytest.raises(ConfigError, match=r"projects\.shop\.paths"):
        read_project_paths(str(tmp_path / "memoro.toml"))


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("git@github.com:acme/api.git", "github.com/acme/api"),
        ("ssh://git@GitHub.com:22/acme/api.git", "github.com/acme/api"),
        ("https://ada:token@github.com/acme/api/", "github.com/acme/api"),
        ("git@gitlab.com:group/sub/api.git", "gitlab.com/group/sub/api"),
        ("/srv/git/api.git", None),
        ("file:///srv/git/api.git", None),
        ("../api.git", None),
    ],
)
def test_a_remote_is_named_without_user_password_and_port(url: str, name: str | None) -> None:
    assert remote_name(url) == name


def test_a_clone_of_a_local_repository_is_that_project(me: Path) -> None:
    original = repository(me / "src" / "api")
    assert found(repository(me / "copy", str(original)), me) == Project("~/src/api", ("~/copy",))


# Names

words = st.text(st.sampled_from("abzÄß01"), min_size=1, max_size=4)
names = st.lists(words, min_size=1, max_size=3).map("-".join)
full_names = st.tuples(words, names, names).map("/".join)


@given(project=st.one_of(names, full_names, names.map("~/src/{}".format)))
@example(project="github.com/acme/my.api")
def test_a_project_is_meant_by_its_own_names(project: str) -> None:
    patterns = name_patterns(project)
    assert all(
        any(means(one, name) for one in patterns) for name in (project, short_name(project), tag_name(project))
    )
    assert belongs(None, patterns) and belongs(project.upper() if project.isascii() else project, patterns)


@given(one=full_names, other=full_names)
def test_two_full_names_mean_each_other_only_if_they_are_the_same(one: str, other: str) -> None:
    if one.lower() != other.lower():
        assert not belongs(f"host/{other}", name_patterns(f"host/{one}"))


def test_a_short_name_means_what_people_write() -> None:
    patterns = name_patterns("github.com/acme/parcel-wise")
    for written in ("parcel-wise", "Parcel Wise", "parcel_wise", "acme/parcel-wise"):
        assert belongs(written, patterns), written
    assert not belongs("wise", patterns) and not belongs("zeta/parcel-wise", patterns)
    assert belongs("github.com/acme/api", name_patterns("api")) and not belongs(
        "github.com/acme/apis", name_patterns("api")
    )


# Notes and lines


@pytest.mark.parametrize(
    ("path", "text", "project"),
    [
        ("tea.md", "---\nproject: api\n---\nx", "api"),
        ("tea.md", '---\nproject: "[[Api|the api]]"\n---\nx', "Api"),
        ("tea.md", "---\nproject: [[Api]]\n---\nx", "Api"),
        ("tea.md", "---\ntags: [project/api]\n---\nx", "api"),
        ("tea.md", "about it #project/acme/api here", "acme/api"),
        ("Work/Projects/api/tea.md", "x", "api"),
        ("projects/tea.md", "x", None),
        ("tea.md", "#project/api and #project/web", None),
        ("tea.md", "x", None),
    ],
)
def test_a_note_belongs_to_the_project_that_it_names(path: str, text: str, project: str | None) -> None:
    assert with_project(parse(text, path).note, path).project == project


def test_lines_of_agents_carry_their_project_and_stay_readable() -> None:
    line = tagged("- 09:47 session saved — Envoy", "github.com/acme/api")
    assert line == "- 09:47 session saved — Envoy #project/acme/api"
    assert tagged(line, "github.com/acme/api") == line
    assert project_of_line(f"{line} ^m3k9f2") == "acme/api" and project_of_line("- lunch #projects") is None
    ours = name_patterns("github.com/acme/api")
    assert without_foreign([line, "- lunch", "- x #project/web"], ours) == [line, "- lunch", ""]


lines_of_a_day = st.lists(
    st.sampled_from(["# 2026-05-12", "", "- lunch", "- deploy #project/api", "- login #project/web", "- more"]),
    min_size=1,
    max_size=12,
)


@given(lines=lines_of_a_day, limit=st.integers(8, 60))
def test_parts_of_a_day_hold_every_line_once_and_one_project_each(lines: list[str], limit: int) -> None:
    whole = chunk(lines, parse("\n".join(lines), "daily/x.md").outline, body=1, limit=limit, overlap=0)
    parts = [part for one in whole for part in split_by_project(one, lines)]
    for part in parts:
        held = lines[part.start_line - 1 : part.end_line]
        assert part.text == "\n".join(held)
        said = [line for line in held if line.strip() and not line.startswith("#")]
        assert {project_of_line(line) for line in said} <= {part.project}
    covered = [number for part in parts for number in range(part.start_line, part.end_line + 1)]
    assert len(covered) == len(set(covered))
    assert {lines[n - 1] for n in covered if lines[n - 1]} == {line for line in lines if line.strip()}


def test_every_host_shares_with_the_others_and_any_other_name_is_alone() -> None:
    assert {entry.name for entry in TABLE} | {entry.agent for entry in TABLE if entry.agent} <= HOST_NAMES
    assert "codex" in allies_of("claude-code") and "claude" in allies_of("codex")
    assert allies_of("bob") == allies_of(None) == ()


def test_a_name_tells_what_said_it(tmp_path: Path) -> None:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    environment = {"HOME": str(tmp_path)}

    def origin(name: str) -> str:
        return origin_of(name, {"shop": ["~/src/shop"]}, environment)

    assert origin("shop") == "settings"
    assert origin("github.com/acme/api") == "git remote"
    assert origin("~/repo") == origin(str(tmp_path / "repo")) == "git root"
    assert origin("~/notes") == "folder"
    assert origin("other") == "set-up"


def test_case_does_not_count_in_ascii_alone() -> None:
    assert means("Ärzte-API", "Ärzte-api")
    assert not means("Ärzte-API", "ärzte-api")


@pytest.mark.parametrize(
    ("names", "meant"),
    [
        (("dockmap", "gitlab.com/velorent/dockmap"), ("gitlab.com/velorent/dockmap",) * 2),
        (("~/src/seedbox", "seedbox"), ("~/src/seedbox",) * 2),
        (("api", "github.com/acme/api", "~/src/api"), ("api", "github.com/acme/api", "~/src/api")),
        (("quill", "~/src/heron"), ("quill", "~/src/heron")),
    ],
)
def test_a_short_name_means_the_only_full_name_that_ends_with_it(names: tuple[str, ...], meant: tuple[str, ...]):
    assert tuple(resolved_names(names).values()) == meant


def test_the_numbers_count_what_was_kept_under_the_short_name_of_a_project_with_it(tmp_path: Path) -> None:
    with memoro.open(tmp_path / "home") as m:
        for name in ("dockmap", "gitlab.com/velorent/dockmap", "quill"):
            m.memories.store(f"The office of {name} opens at nine", project=name)
        m.sync()
        found = NUMBERS.run(m, ShowNumbers(), Caller()).stored
    assert found
    assert [(one.project, one.total) for one in found.counts] == [("gitlab.com/velorent/dockmap", 2), ("quill", 1)]
