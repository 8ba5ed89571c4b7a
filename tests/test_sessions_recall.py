"""A conversation: what binds it holds for any message, nothing is given twice, and each answer is replayed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoro import open as opened
from memoro.errors import KeyReused, LedgerDamaged, QueryError
from memoro.model.projects import short_name
from memoro.model.recall import Recalled
from memoro.sessions.encoding import MAX_LEFT_OUT
from memoro.workspace import Workspace
from tests.conftest import Memoro, run_memoro, times, write_vault
from tests.ledgers import database_of
from tests.raw_sqlite import session_contents
from tests.test_forget_bytes import files_with
from tests.test_readers import claude

# Whose each thing is: None is everybody's. All say much the same, so that nothing but the binding tells them apart.
PROJECTS, AGENTS = (None, "apollo", "gemini"), (None, "codex", "claude-code")
WORDS = (
    "green",
    "tea",
    "pot",
    "cup",
    "kettle",
    "milk",
    "which",
    "tomorrow",
    "?",
    "-",
    "“",
    "NOT",
    "apollo",
    "gemini",
)
messages = st.one_of(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join), st.text(max_size=20))


def frontmatter(project: str | None, agent: str | None) -> str:
    named = [f"{name}: {value}" for name, value in (("project", project), ("agent", agent)) if value]
    return "\n".join(["---", "tags: [tea]", *named, "---", ""])


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with notes, conversations and memories of every project and agent."""
    folder = tmp_path_factory.mktemp("bound")
    text = "# Tea\n\nThe green tea of {} stands by the kettle.\n\n# Pots\n\nThe pot and the cup of {} are blue.\n"
    whose = [(p, a) for p in PROJECTS for a in AGENTS]
    write_vault(
        folder / "vault",
        {f"{'plans' if p else 'all'}/{p}-{a}.md": frontmatter(p, a) + text.format(p, a) for p, a in whose},
    )
    write_vault(
        folder / "vault", {"MEMORY.md": "# Memory\n\n- Green tea at five\n", "PROCEDURAL.md": "- Warm the pot\n"}
    )
    for project in ("apollo", "gemini"):
        said = [
            claude("user", f"{project}-1", f"which green tea for {project}?", cwd=f"/w/{project}"),
            claude(
                "assistant", f"{project}-2", [{"type": "text", "text": "The tea in the pot."}], cwd=f"/w/{project}"
            ),
        ]
        lines = "".join(json.dumps(one) + "\n" for one in said)
        write_vault(folder / "logs" / project, {f"{project}.jsonl": lines})
    home = folder / "home"
    home.mkdir(mode=0o700)
    (home / "memoro.toml").write_text(f"[transcripts]\nfolders = [{json.dumps(str(folder / 'logs'))}]\n")
    with opened(home, folder / "vault") as m:
        for p, a in whose:
            m.memories.store(f"green tea for {p} by {a}, in the pot", ["tea"], project=p, agent=a)
        m.sync()
    return folder


@pytest.fixture
def m(place: Path) -> Iterator[Workspace]:
    with opened(place / "home", place / "vault") as made:
        yield made


def owners(m: Workspace, path: str) -> tuple[str | None, str | None]:
    """The project and the agent of a file or a memory, as the index knows them."""
    entry = m.indexing.read(lambda index: index.notes([path])[path])
    return entry.note.project and short_name(entry.note.project), entry.note.agent


def check(m: Workspace, name: str, answers: list[Recalled]) -> None:
    """Nothing twice, and every answer again from the record."""
    passages = [id for answer in answers for item in answer.items for id in item.passages]
    assert len(passages) == len(set(passages))
    recorded = m.sessions.show(name).recalls
    kept = [a._replace(left_out=a.left_out[:MAX_LEFT_OUT], message="") for a in answers]
    assert [one.recalled._replace(message="") for one in recorded] == kept  # a message is kept as far as it can be
    assert all(one.identical for one in recorded)
    assert [answer.form for answer in answers] == ["full", *["proactive"] * (len(answers) - 1)]


_count = iter(range(10**9))


@settings(max_examples=times(30, 3000))
@given(
    said=st.lists(messages, min_size=1, max_size=3),
    project=st.sampled_from(PROJECTS),
    agent=st.sampled_from(AGENTS),
    path=st.sampled_from([(), ("plans",), ("all/", "MEMORY.md"), ("memory:*",)]),
    tag=st.sampled_from([(), ("tea",)]),
)
def test_whatever_is_said_a_session_sees_nothing_that_belongs_to_others(
    m: Workspace,
    said: list[str],
    project: str | None,
    agent: str | None,
    path: tuple[str, ...],
    tag: tuple[str, ...],
) -> None:
    name = f"s{next(_count)}"
    m.sessions.start(name, project=project, agent=agent, paths=path, tags=tag)
    answers = [m.recall(message, session=name) for message in said]
    for item in (item for answer in answers for item in answer.items):
        whose = owners(m, item.path)
        assert project is None or whose[0] in (None, project)
        assert agent is None or whose[1] in (None, agent)
        if path:
            assert item.path.startswith(
                {"plans": ("plans/",), "all/": ("all/", "MEMORY.md"), "memory:*": ("memory:",)}[path[0]]
            )
    for one in m.memories.query(said[0], 20, session=name).results:
        assert m.sessions.get(name).scope.admits(one.memory)
    check(m, name, answers)


def test_what_is_shared_and_what_is_its_own_is_seen(m: Workspace) -> None:
    """The test above would also pass where nothing is ever given."""
    for project, others in (("apollo", "gemini"), ("gemini", "apollo")):
        seen: set[tuple[str, str | None]] = set()
        for message in (
            f"which green tea for {project}?",
            "green tea by the kettle",
            f"green tea for {project}, in the pot",
        ):
            given = m.recall(message, session=f"sees {project}", project=project, budget=20_000, proactive=False)
            seen |= {(item.kind, owners(m, item.path)[0]) for item in given.items}
        assert seen >= {
            ("note", None),
            ("note", project),
            ("memory", None),
            ("memory", project),
            ("transcript", project),
        }
        assert others not in {whose for _, whose in seen}
        assert m.sessions.get(f"sees {project}").scope.project == project
    everything = m.recall("which green tea for gemini or apollo?", session="sees all", budget=20_000)
    assert {owners(m, item.path)[0] for item in everything.items} >= {"apollo", "gemini"}


def test_a_session_cannot_be_led_to_another_project(m: Workspace) -> None:
    m.recall("green tea", session="led", project="apollo")
    with pytest.raises(QueryError, match="bound by project"):
        m.recall("green tea", session="led", project="gemini")
    with pytest.raises(QueryError, match="one project"):
        m.recall("green tea", session="led", project=["apollo", "gemini"])
    m.recall("green tea", session="narrowed")
    narrow = m.recall("green tea in the pot", session="narrowed", project="gemini", proactive=False)
    assert {owners(m, item.path)[0] for item in narrow.items} <= {None, "gemini"}
    assert m.sessions.get("narrowed").scope.project is None


def test_the_same_key_gets_the_same_answer_to_the_byte(m: Workspace) -> None:
    first = m.recall("green tea", session="keyed", key="k1")
    again = m.recall("green tea", session="keyed", key="k1")
    assert again == first._replace(left_out=first.left_out[:MAX_LEFT_OUT])
    assert m.recall("green tea", session="keyed", key="k2").boundary != first.boundary
    assert m.sessions.get("keyed").recalls == 2


def test_a_key_that_stands_for_another_message_is_refused(m: Workspace) -> None:
    m.recall("green tea", session="keyed", key="one")
    with pytest.raises(KeyReused):
        m.recall("kettle and cup", session="keyed", key="one")


def test_a_conversation_gets_the_whole_at_first_then_what_is_new_then_nothing(m: Workspace) -> None:
    answers = [m.recall("which green tea is in the pot?", session="long", budget=150)]
    answers += [m.recall("which green tea is in the pot?", session="long") for _ in range(12)]
    assert 0 < len(answers[1].items) <= m.settings.recall.proactive.max_items
    assert answers[-1].items == ()
    check(m, "long", answers)


def test_a_prompt_loads_only_notes_that_the_session_may_see_and_is_replayed(m: Workspace) -> None:
    def sections(name: str) -> set[str]:
        given = m.prompt("which green tea is in the pot?", session=name)
        then = m.sessions.replay(name).then
        assert then.identical
        assert then.recalled == given._replace(left_out=given.left_out[:MAX_LEFT_OUT])
        again = m.sessions.replay(name, now=True)
        assert again.difference is not None
        assert again.difference.is_none
        return {section.name for section in given.sections if section.items}

    assert sections("prompted") >= {"procedural", "semantic", "relevant"}
    assert sections("prompted") >= {"procedural", "semantic"}
    twice = [id for recall in m.sessions.show("prompted").recalls for one in recall.given for id in one.item.passages]
    assert len(twice) == len(set(twice))
    m.sessions.start("prompted apollo", project="apollo")
    assert sections("prompted apollo") >= {"procedural", "semantic", "relevant"}
    m.sessions.start("prompted plans", paths=["plans", "MEMORY.md"])
    assert sections("prompted plans") == {"semantic", "relevant"}
    m.sessions.start("prompted tier", tiers="procedural")
    assert sections("prompted tier") == {"procedural"}


def test_a_note_of_another_project_is_not_loaded_into_a_prompt_though_it_has_a_role(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "vault", {"MEMORY.md": "---\nproject: gemini\n---\n- Green tea at five\n"})
    with opened(tmp_path / "home", vault) as m:
        m.sessions.start("s", project="apollo")
        assert m.prompt("green tea?", session="s").items == ()
        m.sessions.start("t", project="gemini")
        assert [item.path for item in m.prompt("green tea?", session="t").items] == ["MEMORY.md"]


def test_an_entry_is_corrected_where_a_prompt_gave_it(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "vault", {"MEMORY.md": "- Green tea at four ^t34four\n"})
    with opened(tmp_path / "home", vault) as m:
        m.prompt("when is tea?", session="s")
        m.edit("t34four", "Green tea at five")
        assert [one.feedback for one in m.sessions.show("s").recalls[0].given] == [("corrected",)]
        m.forget("t34four", yes=True)
        assert not m.sessions.replay("s").then.identical
        assert not any(b"Green tea at" in data for data in session_contents(tmp_path / "home"))


def test_recall_without_a_session_records_nothing_and_gives_the_same_again(m: Workspace) -> None:
    before = m.sessions.totals()
    first, second = (m.recall("which green tea is in the pot?") for _ in range(2))
    assert [item.text for item in first.items] == [item.text for item in second.items] != []
    assert m.sessions.totals() == before


def test_a_ledger_that_cannot_be_written_does_not_keep_a_message_from_its_answer(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "vault", {"a.md": "green tea in the blue pot\n"})
    with opened(tmp_path / "home", vault) as m:
        m.sessions.start("s")
        Path(database_of(m.ledger.access.ledger).damaged_copy).write_bytes(b"")  # as if it had been found damaged
        for session in ("s", "one that begins now"):
            given = m.recall("where is the green tea?", session=session)
            assert given.items
            assert any("not recorded" in notice for notice in given.degraded)
        with pytest.raises(LedgerDamaged):  # what it may see cannot be written down, so that nobody would know
            m.recall("where is the green tea?", session="new", project="apollo")


WORD = "pelargonium"


def test_what_is_forgotten_is_gone_from_what_was_recalled(tmp_path: Path) -> None:
    vault, home = tmp_path / "vault", tmp_path / "home"
    text = f'Water the "{WORD}" <b>twice</b> a week\u200b, Tomasz said.'
    write_vault(vault, {"MEMORY.md": f"# Memory\n\n- {text} ^w4t3r1\n- Feed the cat\n"})
    said = "".join(
        json.dumps({"role": "user", "content": t}) + "\n" for t in (f"who waters the {WORD}?", "and the cat?")
    )
    write_vault(tmp_path / "logs", {"a.jsonl": said})
    home.mkdir(mode=0o700)
    (home / "memoro.toml").write_text(f"[transcripts]\nfolders = [{json.dumps(str(tmp_path / 'logs'))}]\n")
    with opened(home, vault) as m:
        number = m.memories.store(f"The {WORD} came from Haruka").memory.id
        given = m.recall("tell me about the pelargonium, who waters it?", session="s")
        assert {item.kind for item in given.items} == {"note", "memory", "transcript"}
        assert any(WORD.encode() in data for data in session_contents(home))
        m.forget(f"memory:{number}", yes=True)
        m.forget("w4t3r1", yes=True)
        spoken = next(hit for hit in m.search(WORD, kind="transcript").results)
        m.forget(spoken.id, yes=True)
        assert [data for data in session_contents(home) if WORD.encode() in data] == []
        (recorded,) = m.sessions.show("s").recalls
        assert len(recorded.altered) == 3
        assert WORD not in recorded.recalled.block
        again = m.sessions.replay("s", now=True)
        assert again.now is not None
        assert WORD not in again.now.block


def test_replay_now_tells_what_has_changed(tmp_path: Path) -> None:
    vault = write_vault(
        tmp_path / "vault",
        {"tea.md": "# Tea\n\nGreen tea is drunk at four.\n", "pot.md": "# Pot\n\nThe tea pot is blue.\n"},
    )
    with opened(tmp_path / "home", vault) as m:
        number = m.memories.store("Tea is bought on Mondays").memory.id
        asked = "when is green tea drunk, what colour is the pot, when is tea bought?"
        m.recall(asked, session="s")
        same = m.sessions.replay("s", now=True)
        assert same.difference is not None
        assert same.difference.is_none
        m.memories.update(number, "Tea is bought on Tuesdays")
        (vault / "tea.md").write_text("# Tea\n\nGreen tea is drunk at five.\n")
        (vault / "pot.md").rename(vault / "teapot.md")
        write_vault(vault, {"cup.md": "# Cup\n\nGreen tea is drunk from the white cup, never from the pot.\n"})
        found = m.sessions.replay("s", now=True).difference
        assert found is not None
        assert {pair.now.id.partition("#")[0] for pair in found.changed} == {f"memory:{number}", "note:tea.md"}
        assert [pair.now.path for pair in found.moved] == ["teapot.md"]
        assert [item.path for item in found.new] == ["cup.md"]
        (vault / "cup.md").unlink()
        (vault / "teapot.md").unlink()
        found = m.sessions.replay("s", now=True).difference
        assert found is not None
        assert [item.path for item in found.gone] == ["pot.md"]


def test_replay_now_asks_as_it_was_asked_then(m: Workspace) -> None:
    m.recall("which green tea is in the pot?", session="asked", project="apollo", budget=120)
    m.recall("which green tea is in the pot?", session="free", budget=90)
    m.recall("which green tea is in the pot?", session="free", project="gemini", proactive=False, budget=110)
    for name, number in ((one.session, one.number) for s in ("asked", "free") for one in m.sessions.show(s).recalls):
        found = m.sessions.replay(name, number, now=True)
        assert found.difference is not None
        assert found.difference.is_none
        assert found.then.recalled.items


@pytest.mark.process
def test_recall_at_the_shell_is_recorded_by_every_one_of_several_processes(
    memoro: Memoro, home: Path, vault: Path
) -> None:
    write_vault(vault, {f"n{n}.md": f"# Note {n}\n\nGreen tea number {n} stands in the pot.\n" for n in range(8)})
    assert memoro("sync").code == 0
    command = [sys.executable, "-m", "memoro", "--home", str(home), "--vault", str(vault), "recall", "--session", "s"]
    running = [
        subprocess.Popen([*command, "--json", "green tea", str(n)], stdout=subprocess.PIPE, text=True)
        for n in range(4)
    ]
    blocks = []
    for process in running:
        out, _ = process.communicate(timeout=120)
        assert process.returncode in (0, 1)
        blocks.append(json.loads(out)["block"])
    shown = memoro("session", "show", "s", "--json").json
    assert len(shown["recalls"]) == 4
    again = [
        run_memoro("--home", str(home), "session", "replay", "s", str(one["recall"])).out for one in shown["recalls"]
    ]
    assert sorted(again) == sorted(blocks)


def test_why_says_what_became_of_what_was_given(memoro: Memoro, vault: Path) -> None:
    write_vault(vault, {"a.md": "green tea in the pot\n"})
    memoro("memory", "store", "green tea is bought on Mondays")
    assert memoro("recall", "--session", "s", "green tea").code == 0
    memoro("memory", "reinforce", "1")
    why = memoro("recall", "--why", "green tea").out
    assert "memory:1  trust agent_inferred  given 1 time (1 reinforced)" in why
    assert "a.md:1  given 1 time (1 unused)" in why
    told = memoro("recall", "--why", "--json", "green tea").json
    assert told["uses"]["memory:1"] == {"recalled": 1, "reinforced": 1, "demoted": 0, "corrected": 0, "unused": 0}
    assert "uses" not in memoro("recall", "--json", "green tea").json


def test_a_session_hears_what_became_of_an_experience_and_forgets_it(tmp_path: Path) -> None:
    write_vault(tmp_path / "vault", {"tea.md": "Green tea is steeped at 70 degrees."})
    home = tmp_path / "home"
    with opened(home, tmp_path / "vault") as m:
        m.experiences.record("error_recovery", "The printer jams on thick paper", "use the zanzibar tray")
        m.experiences.record("error_recovery", "The printer prints blank paper", "shake it")
        assert m.recall("the printer and its paper", session="one").items
        m.experiences.mark_used(1, session="one")
        m.experiences.mark_used(2, 0.1, session="one")
        given = {one.item.id: one.feedback for one in m.sessions.show("one").recalls[0].given}
        assert given == {"experience:1": ("reinforced",), "experience:2": ("demoted",)}
        m.forget("experience:1", yes=True)
        (recorded,) = m.sessions.show("one").recalls
        assert not recorded.identical
        assert [one.forgotten for one in recorded.given if one.item.id == "experience:1"] == [True]
    assert files_with(home, "zanzibar") == []
