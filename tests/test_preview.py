"""What the command previews of a hook, and what the record says was withheld from an agent."""

from __future__ import annotations

from pathlib import Path

import pytest

import memoro as library
from memoro import hooks
from memoro.model.recall import Recalled
from memoro.operations.operation import Caller
from memoro.operations.recalling import RECALL, RecallContext
from memoro.operations.sessions import SHOW, ShowSession
from tests.conftest import Memoro, write_vault

NOTES = {
    "projects/gauge/service.md": "# Gauge service\n\n- The gauge measures tides every 7621 seconds.\n",
    "projects/lantern/service.md": "# Lantern service\n\n- lantern listens on port 7311 behind the proxy.\n",
    "offer.md": "---\nprivate: true\n---\n# Offer\n\n- The offer of Brightwater is 92000 euros a year.\n",
    "Health/knee.md": "# Knee\n\nThe surgeon of the knee is Doctor Okonkwo.\n",
}
FOREIGN = "On which port does lantern listen?"
PRIVATE = "How much is the offer of Brightwater a year?"
PERSONAL = "Who is the surgeon of the knee?"
OWN = "How often does the gauge measure tides?"


class Place:
    """A person's home and notes, in the folder of project `gauge`."""

    def __init__(self, home: Path, vault: Path, folder: Path) -> None:
        self.home, self.vault, self.folder = home, vault, folder

    def hook(self, message: str, session: str = "now") -> str:
        event = {"session_id": session, "cwd": str(self.folder), "hook_event_name": "UserPromptSubmit"}
        with library.open(self.home, self.vault, agent="claude-code") as m:
            return str(hooks.answer("claude", {**event, "prompt": message}, m) or "")

    def recorded(self, session: str = "now") -> Recalled:
        with library.open(self.home, self.vault) as m:
            return m.sessions.show(session).recalls[-1].recalled


@pytest.fixture
def place(home: Path, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    write_vault(vault, NOTES)
    folder = tmp_path / "src" / "gauge"
    folder.mkdir(parents=True)
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "memoro.toml").write_text(f'[projects.gauge]\npaths = ["{folder}"]\n')
    for name in ("MEMORO_AGENT", "MEMORO_PROJECT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(folder)
    return Place(home, vault, folder)


@pytest.mark.parametrize("message", [FOREIGN, PRIVATE, PERSONAL, OWN])
def test_the_preview_gives_what_the_hook_gives_in_the_same_folder(place: Place, memoro: Memoro, message: str) -> None:
    hook = place.hook(message)

    shown = memoro("recall", "--proactive", "--json", message).json

    assert [one["id"] for one in shown["items"]] == [one.id for one in place.recorded().items]
    assert bool(shown["block"]) == bool(hook) == (message == OWN)


@pytest.mark.usefixtures("place")
def test_the_preview_names_the_project_that_it_took(memoro: Memoro) -> None:
    shown = memoro("recall", "--proactive", OWN)

    assert "7621" in shown.out
    assert "in project gauge" in shown.err and "project gauge" not in shown.out
    assert memoro("recall", "--proactive", "--json", OWN).json["project"] == "gauge"


@pytest.mark.usefixtures("place")
def test_a_named_project_is_taken_instead_of_that_of_the_folder(memoro: Memoro) -> None:
    shown = memoro("recall", "--proactive", "--project", "lantern", FOREIGN)

    assert "7311" in shown.out and "in project" not in shown.err


@pytest.mark.usefixtures("place")
def test_a_recall_that_is_asked_for_sees_all_projects_as_before(memoro: Memoro) -> None:
    shown = memoro("recall", FOREIGN)

    assert "7311" in shown.out and "in project" not in shown.err


def test_the_preview_leaves_out_what_another_agent_stored(place: Place, memoro: Memoro) -> None:
    with library.open(place.home, place.vault, agent="bob") as m:
        m.memories.store("The winch of the jetty takes 40 amperes")
    asked = "How many amperes does the winch of the jetty take?"

    assert place.hook(asked) == ""
    assert memoro("recall", "--proactive", asked).out == ""
    assert "40 amperes" in memoro("recall", "--proactive", "--agent", "bob", asked).out


@pytest.mark.parametrize(
    ("message", "path", "why"),
    [
        (FOREIGN, "projects/lantern/service.md", "another project's: lantern"),
        (PRIVATE, "offer.md", "private"),
        (PERSONAL, "Health/knee.md", "personal, and not of this project"),
    ],
)
def test_the_record_says_what_would_have_answered_and_why_it_was_withheld(
    place: Place, memoro: Memoro, message: str, path: str, why: str
) -> None:
    assert place.hook(message) == ""

    shown = memoro("session", "show", "now").out

    assert f"silent: a question, and what would answer it is {why}\n" in shown
    assert f"   left out: {path}  {why}\n" in shown
    assert place.recorded().left_out[0].why == why


def test_nothing_is_called_withheld_where_nothing_would_answer(place: Place) -> None:
    assert place.hook("Which purple elephants live on the moon?") == ""

    recalled = place.recorded()

    assert "would answer" not in recalled.decision


def test_an_agent_does_not_read_in_a_record_what_is_private(place: Place) -> None:
    assert place.hook(PRIVATE) == ""

    with library.open(place.home, place.vault, agent="claude-code") as agent:
        shown = SHOW.call(agent, ShowSession(id="now"), Caller()).session
        preview = RECALL.call(agent, RecallContext(PRIVATE, proactive=True), Caller(folder=str(place.folder)))

    assert shown is not None
    for recalled in (shown.recalls[0].recalled, preview.recalled):
        assert recalled.decision == "silent: a question, and nothing stored is sure enough to answer it"
        assert not any("offer" in one.id or one.why == "private" for one in recalled.left_out)


@pytest.mark.usefixtures("place")
def test_the_owner_sees_in_the_preview_what_would_be_withheld(memoro: Memoro) -> None:
    shown = memoro("recall", "--proactive", "--why", PRIVATE)

    assert "what would answer it is private" in shown.out and "note:offer.md#" in shown.out
    assert "92000" not in shown.out + shown.err


@pytest.mark.usefixtures("place")
def test_a_memory_is_stored_for_a_project_that_is_named(memoro: Memoro) -> None:
    memoro("memory", "store", "--project", "lantern", "The wick of the lantern burns nine hours")
    asked = "How many hours does the wick of the lantern burn?"

    assert memoro("memory", "show", "1", "--json").json["project"] == "lantern"
    assert "nine hours" in memoro("recall", "--proactive", "--project", "lantern", asked).out
    assert memoro("recall", "--proactive", asked).out == "", "the folder is another project's"


@pytest.mark.usefixtures("place")
def test_an_agent_that_is_bound_to_a_project_stores_nothing_for_another(memoro: Memoro) -> None:
    bound = {"MEMORO_AGENT": "codex", "MEMORO_PROJECT": "gauge"}

    refused = memoro("memory", "store", "--project", "lantern", "Wicks are short", env=bound)

    assert refused.code != 0 and "bound to project gauge" in refused.err
    assert memoro("memory", "store", "--project", "gauge", "Tides are long", env=bound).code == 0
