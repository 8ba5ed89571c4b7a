"""What agents and people see of private notes, when they ask and when they do not."""

from __future__ import annotations

from pathlib import Path

import pytest

import memoro
from memoro.errors import OutOfScope
from memoro.model.vocabulary import Reach

NOTES = {
    "Work/Plan.md": "# Plan\n- the boat sails in May\n- the boat is sold, tell nobody\n- paint the boat\n",
    "Offer.md": "---\nvisibility: private\n---\n# Offer\nA boat for seventy.\n",
    "Health/Blood.md": "# Blood\nThe boat made me sick.\n",
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for path, text in NOTES.items():
        file = tmp_path / "vault" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path


def found(home: Path, agent: str | None, scope: Reach = "session") -> str:
    with memoro.open(home / "home", home / "vault", agent=agent) as m:
        return "\n".join(hit.snippet for hit in m.search("boat", limit=50, min_score=0.0, scope=scope).results)


def test_a_person_finds_everything(home: Path) -> None:
    assert all(word in found(home, None) for word in ("sails", "sold", "seventy", "sick"))


@pytest.mark.parametrize("scope", ["session", "all"])
def test_an_agent_that_asks_finds_all_but_what_is_private(home: Path, scope: Reach) -> None:
    seen = found(home, "claude", scope)

    assert "sails" in seen and "sick" in seen
    assert "sold" not in seen and "seventy" not in seen


def test_the_owner_can_let_agents_see_it_and_can_hide_more(home: Path) -> None:
    (home / "home").mkdir()
    (home / "home" / "memoro.toml").write_text('[privacy]\nprivate = ["Health"]\n')
    assert "sick" not in found(home, "claude")
    assert "sick" in found(home, None)

    (home / "home" / "memoro.toml").write_text('[privacy]\nprivate = ["Health"]\nagents = true\n')
    assert all(word in found(home, "claude") for word in ("sails", "sold", "seventy", "sick"))


def test_an_agent_reads_no_private_note_and_no_private_line(home: Path) -> None:
    with memoro.open(home / "home", home / "vault", client="") as m:
        assert m.get("Work/Plan.md").text == ("# Plan\n- the boat sails in May\n- (a private line)\n- paint the boat")
        with pytest.raises(OutOfScope, match=r"Offer.md is private.*privacy.agents"):
            m.get("Offer.md")
    with memoro.open(home / "home", home / "vault") as m:
        assert "sold" in m.get("Work/Plan.md").text
        assert "seventy" in m.get("Offer.md").text


def test_an_agent_that_recalls_is_given_nothing_private(home: Path) -> None:
    with memoro.open(home / "home", home / "vault", agent="claude") as m:
        block = m.recall("boat", abstain=False).block + m.recall("boat", scope="all", abstain=False).block
    assert "sails" in block
    assert "sold" not in block and "seventy" not in block
