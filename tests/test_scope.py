"""What a session is bound to: its project and its agent decide what it sees, and mark what it writes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import memoro
from memoro.errors import OutOfScope, QueryError
from memoro.model.memories import Memory
from memoro.model.projects import name_patterns
from memoro.model.scope import EVERYTHING, Scope
from memoro.workspace import Workspace
from tests.conftest import run_memoro, write_vault

NOTES = {
    "MEMORY.md": "# Memory\n\n- Tea is served at five\n",
    "tea.md": "The tea pot stands on the shelf.",
    "ours.md": "---\nproject: api\n---\nThe tea of the api is green.",
    "theirs.md": "---\nproject: web\n---\nThe tea of the web is black.",
    "projects/web/plan.md": "The tea plan of the web.",
    "by-alice.md": "---\nagent: alice\n---\nThe tea of alice is white.",
    "daily/2026-05-12.md": "# 2026-05-12\n\n- 09:00 tea with Rui\n- 10:00 tea of the api brewed #project/api\n"
    "- 11:00 tea of the web spilled #project/web\n",
}


def clock() -> datetime:
    return datetime(2026, 5, 12, 12, tzinfo=UTC)


@pytest.fixture
def place(home: Path, vault: Path) -> tuple[Path, Path]:
    write_vault(vault, NOTES)
    return home, vault


@pytest.fixture
def api(place: tuple[Path, Path]) -> Iterator[Workspace]:
    with memoro.open(*place, project="api", clock=clock) as m:
        yield m


@pytest.fixture
def web(place: tuple[Path, Path]) -> Iterator[Workspace]:
    with memoro.open(*place, project="web", clock=clock) as m:
        yield m


def paths(m: Workspace, **options: object) -> set[str]:
    return {hit.path for hit in m.search("tea", limit=20, **options).results}  # type: ignore[arg-type]


def test_search_sees_its_own_project_and_what_belongs_to_none(api: Workspace, web: Workspace) -> None:
    web.memories.store("The tea cup of the web is blue")
    api.memories.store("The tea cup of the api is red")
    assert paths(api) >= {"tea.md", "ours.md", "by-alice.md", "memory:2", "daily/2026-05-12.md"}
    assert not paths(api) & {"theirs.md", "projects/web/plan.md", "memory:1"}
    assert paths(api, scope="all") >= {"theirs.md", "projects/web/plan.md", "memory:1"}
    marked = {hit.path: hit.project for hit in api.search("tea web", limit=20, scope="all").results}
    assert (marked["theirs.md"], marked["memory:1"], marked["tea.md"]) == ("web", "web", None)
    with pytest.raises(QueryError, match=r'bound to project api. Add scope="all" .*look at project web'):
        api.search("tea", project="web")
    assert paths(api, project="api") == {"ours.md", "memory:2", "daily/2026-05-12.md"}


def test_lines_of_a_day_are_seen_by_their_own_project(api: Workspace) -> None:
    texts = [hit.snippet for hit in api.search("tea", tier="daily", limit=20).results]
    assert "spilled" not in "".join(texts) and "brewed" in "".join(texts) and "Rui" in "".join(texts)
    assert "spilled" in "".join(h.snippet for h in api.search("tea", tier="daily", limit=20, scope="all").results)
    day = api.get("daily/2026-05-12.md").text
    assert "spilled" not in day and 'scope="all"' in day and "brewed" in day
    assert "spilled" in api.get("daily/2026-05-12.md", scope="all").text
    for block in (api.prompt("tea").block, api.prompt("").block, api.recall("tea of the web spilled").block):
        assert "spilled" not in block
    assert "brewed" in api.prompt("").block
    assert "spilled" in api.prompt("", scope="all").block


def test_get_refuses_what_belongs_to_others_and_says_how_to_widen(api: Workspace, web: Workspace) -> None:
    number = web.memories.store("The cup of the web").memory.id
    learned = web.experiences.record("task_solution", "wash the cup", "with soap").experience.id
    for target in ("theirs.md", "projects/web/plan.md", f"memory:{number}", f"experience:{learned}"):
        with pytest.raises(OutOfScope, match=r'belongs to project web.*scope="all"'):
            api.get(target)
        assert api.get(target, scope="all").project == "web"
    assert api.get("ours.md").text and api.get("tea.md").text


def test_memories_of_others_are_neither_found_nor_named_nor_changed(api: Workspace, web: Workspace) -> None:
    other = web.memories.store("The deploy key lives in the safe", ["deploy"]).memory
    same = api.memories.store("The deploy key lives in the safe", ["deploy"])
    assert same.new and same.memory.id != other.id and same.nearest == ()
    assert api.memories.store("The deploy key lives in the big safe").nearest[0].memory.id == same.memory.id
    assert {one.memory.id for one in api.memories.query("deploy key safe").results}.isdisjoint({other.id})
    assert other.id in {one.memory.id for one in api.memories.query("deploy key safe", scope="all").results}
    assert other.id in {
        one.memory.id for one in api.memories.query("deploy key safe", mode="hybrid", scope="all").results
    }
    assert other.id not in {one.memory.id for one in api.memories.query("deploy key", mode="hybrid").results}
    assert other.id not in {one.id for one in api.memories.all()}
    for change in (
        lambda: api.memories.reinforce(other.id),
        lambda: api.memories.demote(other.id),
        lambda: api.memories.update(other.id, "mine now"),
        lambda: api.memories.supersede(other.id, same.memory.id),
        lambda: api.remove(f"memory:{other.id}"),
    ):
        with pytest.raises(OutOfScope, match="Only a session of project web, or the user, can change it"):
            change()
    assert web.memories.get(other.id) == other


def test_experiences_and_narratives_of_others_are_not_found(api: Workspace, web: Workspace) -> None:
    learned = web.experiences.record("error_recovery", "The replica lags", "add an index").experience
    told = web.narratives.update("The replica was mended")
    assert api.experiences.find_similar("replica lags").results == ()
    assert api.experiences.find_similar("replica lags", scope="all").results[0].experience == learned
    assert api.experiences.hints("The replica lags") == () and api.experiences.list() == ()
    with pytest.raises(OutOfScope):
        api.experiences.mark_used(learned.id)
    assert api.narratives.search() == api.narratives.search("replica") == []
    assert [one.narrative.id for one in api.narratives.search("replica", scope="all")] == [told.id]
    with pytest.raises(OutOfScope, match=r'Narrative 1 belongs to project web.*scope="all"'):
        api.narratives.search(str(told.id))
    again = api.experiences.record("error_recovery", "The replica lags", "add an index")
    assert again.new and again.experience.project == "api"
    web.experiences.prefer("indent", "tabs")
    assert api.experiences.preferences("indent") == ()


def test_agents_are_isolated_where_their_set_up_names_them(place: tuple[Path, Path]) -> None:
    with memoro.open(*place, agent="alice") as alice, memoro.open(*place, agent="bob") as bob:
        alice.memories.store("The tea of alice is strong")
        assert "by-alice.md" in paths(alice) and "memory:1" in paths(alice)
        assert not paths(bob) & {"by-alice.md", "memory:1"}
        assert bob.memories.query("tea alice").results == ()
        with pytest.raises(OutOfScope, match="belongs to agent alice, and this session is bound to agent bob"):
            bob.get("memory:1")
        assert paths(bob, scope="all") >= {"by-alice.md", "memory:1"}
    with memoro.open(*place) as owner:
        assert paths(owner) >= {"by-alice.md", "memory:1", "theirs.md"}


def test_the_hosts_of_a_person_share_what_they_keep(place: tuple[Path, Path]) -> None:
    with memoro.open(*place, agent="claude-code") as claude, memoro.open(*place, agent="codex") as codex:
        claude.memories.store("The tea of claude is sweet")
        assert "memory:1" in paths(codex) and "by-alice.md" not in paths(codex)
        found = codex.recall("The tea of claude is sweet", session="s")
        assert "memory:1" in {item.path for item in found.items}
        assert [one.memory.id for one in codex.memories.query("tea claude", session="s").results] == [1]


def test_a_name_that_a_client_gives_marks_what_it_writes_and_decides_nothing(place: tuple[Path, Path]) -> None:
    home, vault = place
    home.mkdir(mode=0o700)
    (home / "memoro.toml").write_text('[agents.gardener]\nagent_writes = "direct"\n')
    with memoro.open(home, vault, client="gardener") as m:
        assert m.remember("Tea at six", by="agent").proposal is not None
        assert m.memories.store("A fact").memory.agent == "gardener"
        assert "by-alice.md" in paths(m)
    with memoro.open(home, vault, agent="gardener", client="somebody") as m:
        assert m.remember("Tea at seven", by="agent").proposal is None
        assert m.memories.store("Another fact").memory.agent == "gardener"


def test_a_recall_is_bound_marked_when_widened_and_recorded_so(api: Workspace) -> None:
    found = api.recall("tea of the web is black", session="s", proactive=False)
    assert "theirs.md" not in {item.path for item in found.items} and '"project"' not in found.block
    wide = api.recall("tea of the web is black", session="s", proactive=False, scope="all")
    assert "theirs.md" in {item.path for item in wide.items} and '"project":"web"' in wide.block
    assert api.sessions.get("s").scope == Scope(project="api")
    assert api.sessions.replay("s").then.identical
    with pytest.raises(QueryError, match="bound to project api"):
        api.recall("tea", project="web")


def test_a_session_goes_on_under_another_name_of_its_project(place: tuple[Path, Path]) -> None:
    with memoro.open(*place, project="github.com/acme/api") as m:
        assert "ours.md" in {item.path for item in m.recall("tea of the api", session="s").items}
    with memoro.open(*place, project="api") as m:
        assert m.recall("and the tea of the api?", session="s").degraded == ()
    with memoro.open(*place, project="web") as m, pytest.raises(QueryError, match="'s' is bound by project"):
        m.recall("tea", session="s")


def test_everything_that_is_written_carries_project_and_agent(place: tuple[Path, Path]) -> None:
    home, vault = place
    with memoro.open(home, vault, project="github.com/acme/api", agent="bob", clock=clock) as m:
        whose = ("bob", "github.com/acme/api")
        memory = m.memories.store("A fact").memory
        learned = m.experiences.record("task_solution", "brew", "hot").experience
        told = m.narratives.update("It goes on")
        assert {(one.agent, one.project) for one in (memory, learned, told)} == {whose}
        assert m.daily.add("tea brewed", by="agent").line == "- 12:00 tea brewed #project/acme/api".replace(
            "12:00", clock().astimezone().strftime("%H:%M")
        )
        assert "#project" not in m.daily.add("I had tea").line
        note = m.episodes.save("s1", title="Brewing").path
        assert "\nagent: bob\nproject: github.com/acme/api\n" in (vault / note).read_text()
        assert m.remember("Tea at six", by="agent").proposal is not None
        assert m.proposals.all()[0].agent == "bob"


def test_settings_of_a_project_are_chosen_by_its_name_or_paths_and_not_by_a_remote(
    place: tuple[Path, Path], tmp_path: Path
) -> None:
    home, vault = place
    repository = tmp_path / "work" / "shop"
    (repository / ".git").mkdir(parents=True)
    (repository / ".git" / "HEAD").write_text("ref: x\n")
    (repository / ".git" / "config").write_text('[remote "origin"]\n\turl = git@github.com:acme/shop\n')
    home.mkdir(mode=0o700)
    direct = 'agent_writes = "direct"\n'
    (home / "memoro.toml").write_text(f'[projects."github.com/acme/shop"]\n{direct}[projects.shop]\n{direct}')
    with memoro.open(home, vault, folder=str(repository)) as m:
        assert m.home_context.runtime.project == "github.com/acme/shop"
        assert m.settings.writing.agent_writes == "propose"
    (home / "memoro.toml").write_text(f"[projects.store]\n{direct}paths = ['{repository}']\n")
    with memoro.open(home, vault, folder=str(repository)) as m:
        assert m.home_context.runtime.project == "store"
        assert m.settings.writing.agent_writes == "direct"
        assert m.home_context.runtime.scope.owns(None, "github.com/acme/shop")
    with memoro.open(home, vault, folder=str(repository), project="other") as m:
        assert m.home_context.runtime.project == "other" and m.settings.writing.agent_writes == "propose"


def test_items_without_a_project_or_an_agent_are_seen_by_all() -> None:
    bound = Scope(agent="bob", project="github.com/acme/api")
    assert bound.owns(None, None) and bound.owns("bob", "api") and bound.owns(None, "acme/api")
    assert not bound.owns("alice", None) and not bound.owns("bob", "web") and not bound.owns(None, "zeta/api")
    assert EVERYTHING.owns("alice", "web") and name_patterns("api")


def test_history_and_links_of_another_projects_memory_are_refused(api: Workspace, web: Workspace) -> None:
    web.memories.store("The tea cup of the web is blue")
    with memoro.open(web.home, clock=clock) as m:
        m.memories.store("The tea cup of all is white")
        for number in (1, 2):
            m.memories.query("tea cup", session="s")
            m.memories.reinforce(number, session="s")
        assert [one.memory.id for one in m.memories.links(2).linked] == [1]
    for read in (api.memories.history, api.memories.links):
        with pytest.raises(OutOfScope, match=r"\[id:1\] belongs to project web"):
            read(1)
        assert read(1, scope="all")
        assert read(2)
    assert api.memories.links(2).linked == ()
    assert [one.memory.id for one in api.memories.links(2, scope="all").linked] == [1]
    web.memories.archive(1)
    web.memories.unarchive(1)
    web.memories.remove(1)
    with pytest.raises(OutOfScope):
        api.memories.history(1)
    assert len(web.memories.history(1)) >= 2


def test_files_of_the_memory_tool_belong_to_no_project(api: Workspace, web: Workspace) -> None:
    api.memory_tool.create("/memories/brew.md", "The tea brews for three minutes\n")
    assert "three minutes" in web.memory_tool.view("/memories/brew.md")
    assert "agent/brew.md" in paths(web)


def test_a_shell_that_was_set_up_for_an_agent_has_the_rights_of_an_agent(home: Path, vault: Path) -> None:
    write_vault(vault, {"MEMORY.md": "# Memory\n\n- The owner drinks tea\n"})
    before = (vault / "MEMORY.md").read_text()
    places, env = ["--home", str(home), "--vault", str(vault)], {**os.environ, "MEMORO_AGENT": "bob"}
    for claimed in ([], ["--by", "user"]):
        assert run_memoro(*places, "remember", "Deploy on Fridays", *claimed, env=env).code == 0
    for command in (["accept", "1"], ["config", "set", "writing.agent_writes", "direct"]):
        refused = run_memoro(*places, *command, env=env)
        assert refused.code != 0 and "is for a person, and MEMORO_AGENT says" in refused.err
    assert (vault / "MEMORY.md").read_text() == before
    assert run_memoro(*places, "accept", "1").code == 0
    assert "Deploy on Fridays" in (vault / "MEMORY.md").read_text()


def test_days_that_end_before_they_begin_are_refused(api: Workspace) -> None:
    with pytest.raises(QueryError, match="No day is both since 2026-05-12 and until 2026-05-11"):
        api.search("tea", since="2026-05-12", until="2026-05-11")
    assert api.search("tea", since="2026-05-12", until="2026-05-12").results


def test_a_session_bound_to_a_project_may_ask_for_any_agent_and_one_of_an_agent_for_its_own(
    api: Workspace, place: tuple[Path, Path]
) -> None:
    assert paths(api, agent="alice") == {"by-alice.md"}
    with memoro.open(*place, agent="alice", clock=clock) as m:
        assert "by-alice.md" in paths(m, agent="alice")


def test_a_session_adds_to_its_connection_only_what_differs() -> None:
    connection = Scope(agent="codex", project="api")
    assert Scope(agent="codex", project="api", tags=("tea",)).beyond(connection) == Scope(tags=("tea",))
    assert Scope(agent="bob", project="api").beyond(connection) == Scope(agent="bob")
    assert Scope(agent="codex", project="web").beyond(connection) == Scope(project="web")


def test_a_scope_sees_no_more_private_things_than_its_connection() -> None:
    open_one, closed = Scope(), Scope(private=False, hidden=("Health",))
    assert open_one.with_privacy_of(closed) == closed
    assert closed.with_privacy_of(open_one) == Scope(private=False)
    assert open_one.with_privacy_of(open_one) == open_one


@pytest.mark.parametrize(
    ("scope", "seen"),
    [
        (Scope(), True),
        (Scope(tags=("deploy",)), True),
        (Scope(tags=("ops", "deploy")), True),
        (Scope(tags=("dep",)), False),
        (Scope(paths=("memory:3",)), True),
        (Scope(paths=("Work", "memory:*")), True),
        (Scope(paths=("memory:33",)), False),
        (Scope(tiers=("daily",)), False),
        (Scope(tags=("deploy",), paths=("Work",)), False),
        (Scope(agent="alice", tags=("deploy",)), False),
        (Scope(project="web"), False),
    ],
)
def test_a_memory_is_seen_where_its_tags_path_and_owner_are(scope: Scope, seen: bool) -> None:
    memory = Memory(
        3, "x", "user", "user_confirmed", "2026-05-12T12:00:00.000Z", ("Deploy/Fast",), agent="bob", project="api"
    )
    assert scope.admits(memory) == seen
