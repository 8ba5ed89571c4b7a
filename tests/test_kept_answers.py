"""Searches and recalls on one home answer as they did when their answers were kept.

Ranking and recall are many small rules, and a wrong one moves a score long before it hides an answer. After a change
that is meant, look at what moved, then keep the new answers: `python -m tests.test_kept_answers`.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memoro import opening
from memoro.demo import copy_vault
from memoro.demo.sample_project import PROJECT, PROMPTS, make_project
from memoro.model.answers import Answer
from memoro.model.recall import Recalled
from memoro.model.scope import Scope
from memoro.recall.request import RecallRequest
from memoro.search.request import SearchOptions
from memoro.workspace import Workspace
from tests.conftest import write_vault
from tests.kept import check_kept, read_kept, write_kept

KEPT = Path(__file__).parent / "data" / "kept_answers.json"
NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
NOTES = {
    "people/anna berg.md": "# Anna Berg\n\n- Anna Berg lives in Lisbon.\n- Her phone is +351 21 555 0101.\n\n"
    "## 2025-04-03\n\n- Anna Berg moved to Ghent.\n- Anna Berg's birthday is 4 May 1988.\n",
    "daily/2025-11-03.md": "# 2025-11-03\n\n- 09:15 Anna Berg left Ghent for Porto.\n- Slept badly. #health\n"
    "- pier-board: the mount arrived, 14 kg. #project/pier-board\n",
    "daily/2026-11-09.md": "# 2026-11-09\n\n- Where did I park? Level 3.\n"
    "- parcelwise: Tomasz leads the release now.\n- Decided with Pia: the harbor API listens on 8443.\n",
    "projects/harbor.md": "---\ntags: [harbor, network]\naliases: [Harbor API]\n---\n# Harbor\n\n"
    "The harbor API listens on 9090.\n\n## Staff\n\nBruno leads the team. Before that, Carla led it until 2024.\n"
    "The office is at 12 Quay Street, open from 8:30 to 17:00.\n\n## Costs\n\nThe server costs 42 EUR a month.\n"
    "See [[anna berg]] and [[pier-board]].\n",
    "projects/pier-board.md": "---\nproject: pier-board\n---\n# Pier board\n\nThe board uses a 32 inch display.\n"
    "Always run the clock tests before a release of the board.\nWe never deploy to the pier on a Friday.\n"
    "See [[harbor]].\n",
    "Diary/secret.md": "---\nprivate: true\n---\n# Secret\n\nThe board of the pier makes me unhappy.\n",
    "old plan.md": "---\nsuperseded_by: projects/harbor.md\n---\n# Old plan\n\nThe harbor API listens on 7070.\n",
    "Mietvertrag.md": "# Mietvertrag\n\nDie Wohnung liegt in der Hafenstraße 4. Die Miete beträgt 980 Euro.\n"
    "Früher kostete sie 900 Euro.\n",
}
MEMORIES = (
    ("2026-01-05", "The harbor API listens on 9191.", "user", "user_confirmed", None),
    ("2026-02-10", "Anna Berg prefers aisle seats.", "user", "user_confirmed", None),
    ("2026-03-02", "The pier board runs on a Raspberry Pi 4.", "user", "user_confirmed", PROJECT),
    ("2026-05-20", "The pier board runs on a Raspberry Pi 5 since the move.", "codex", "agent_inferred", PROJECT),
    ("2026-06-01", "Deploys of parcelwise happen on Tuesdays.", "web", "tool_or_web", "parcelwise"),
    ("2026-06-02", "Deploys of parcelwise need two reviews.", "web", "tool_or_web", "parcelwise"),
    ("2026-09-09", "Bruno's cat is called Miso.", "user", "user_confirmed", None),
    ("2026-10-01", "Use uv instead of pip in every project.", "user", "user_confirmed", None),
)
SEARCHES: tuple[tuple[str, SearchOptions], ...] = (
    ("Where does Anna Berg live?", {}),
    ("Where did Anna Berg live in May 2025?", {}),
    ("When is Anna's birthday?", {}),
    ("What is Anna Berg's phone number?", {}),
    ("Which port does the harbor API listen on?", {}),
    ("Which port does the harbor API listen on?", {"mode": "words"}),
    ("Which port does the harbor API listen on?", {"mode": "vectors"}),
    ("harbor API port", {"as_of": "2026-01-20"}),
    ("Who leads the harbor team?", {}),
    ("Who led the harbor team before Bruno?", {}),
    ("How much does the server cost?", {}),
    ("When is the office open?", {}),
    ("Where is the office?", {"kind": "note"}),
    ("What did we decide about the harbor API?", {}),
    ("How often do we fetch the timetable feed?", {}),
    ("How often do we fetch the timetable feed?", {"group": "conversation"}),
    ("Did you build the dimming by a sensor or by the clock?", {}),
    ("What did I say about the light sensor?", {}),
    ("ValueError: Invalid isoformat string", {}),
    ("Where are departures kept, and why?", {"kind": "transcript"}),
    ("What does the pier board run on?", {}),
    ("pier board", {"project": PROJECT}),
    ("aisle seats", {}),
    ("what is my cat called", {}),
    ("uv or pip?", {}),
    ("When did hail crack the greenhouse panes?", {}),
    ("What happened in April 2026?", {}),
    ("What did I do last week?", {}),
    ("computeVolumetricWeight", {}),
    ("旅館の朝食は何時からですか", {}),
    ("Wie hoch ist die Miete?", {}),
    ("Wo liegt die Wohnung?", {}),
    ("Why did we choose SQLite over Redis?", {}),
    ("When is a force push allowed?", {}),
    ("Tomasz", {}),
    ("Who is on call for parcelwise?", {}),
    ("deploys of parcelwise", {"kind": "memory"}),
    ("sourdough hydr", {"unfinished": True}),
    ("restore the database from a backup", {}),
    ("dim the board at night", {"kind": "experience"}),
    ("tests #harbor", {"tag": "harbor"}),
    ("zebra crossing quantum", {}),
    ("zebra crossing quantum", {"min_score": 0.0, "limit": 3}),
    ("", {}),
)
MESSAGES = (
    *(prompt.text for prompt in PROMPTS),
    "Which port does the harbor API listen on?",
    "what does the board run on these days?",
    "where did we leave the dimming, and what is still open?",
    "Where does Anna Berg live?",
    "please release the board on Friday",
    "install requests with pip",
    "What did I decide about the harbor API last week?",
    "who leads the release of parcelwise now?",
    "why do you keep departures in SQLite?",
    "the feed is fetched every 60 seconds, right?",
    "did we ever use a light sensor?",
    "Make the footer blue",
    "how heavy is the mount?",
    "does the board make me unhappy?",
)

WAYS: dict[str, Sequence[object]] = {
    "searches": SEARCHES,
    "unasked": MESSAGES,
    "asked": MESSAGES,
    "prompts": MESSAGES[:6],
    "everywhere": MESSAGES[:6],
}


@contextmanager
def opened(folder: Path) -> Iterator[Workspace]:
    """The sample vault and project, with statements that changed, and with memories and experiences of a year."""
    copy_vault(str(folder))
    make_project(str(folder))
    vault = write_vault(folder / "vault", NOTES)
    for file in vault.rglob("*.md"):
        os.utime(file, (NOW.timestamp() - 86_400 * 30,) * 2)
    now = NOW
    with opening.open_with({}, folder / "home", vault, clock=lambda: now) as m:
        for day, text, source, trust, project in MEMORIES:
            now = datetime.fromisoformat(f"{day}T10:00:00+00:00")
            m.memories.store(text, source=source, trust=trust, project=project)  # type: ignore[arg-type]
        m.memories.reinforce(3)
        m.memories.demote(5)
        m.experiences.record("task_solution", "dim the board at night", "by the clock, not by a light sensor")
        m.experiences.record("task_solution", "restore the database", "stop the writers, then pg_restore")
        now = NOW
        m.sync()
        yield m


def kept_search(answer: Answer) -> list[list[Any]]:
    """Where each result stands, its score, and the parts of it."""
    return [
        [
            hit.id,
            round(hit.score, 4),
            {part.name: [round(part.value, 4), round(part.share, 4)] for part in hit.explanation.parts},
            hit.replaced_by.id if hit.replaced_by else "",
        ]
        for hit in answer.results
    ]


def kept_recall(found: Recalled) -> dict[str, Any]:
    """What was given, what was left out and why, and how the message was read."""
    reasons = sorted({one.why for one in found.left_out})
    return {
        "given": [[one.id, one.text, one.why, one.older, round(one.score, 4)] for one in found.items],
        "left out": {why: sorted(one.id for one in found.left_out if one.why == why) for why in reasons},
        "decision": found.decision,
        "sections": [[one.name, one.tokens, one.items] for one in found.sections],
    }


def answers(m: Workspace) -> dict[str, Any]:
    own = m.recaller_in(Scope(agent="claude-code", project=PROJECT))
    return {
        "searches": [kept_search(m.search(query, **options)) for query, options in SEARCHES],
        "unasked": [kept_recall(own.recall(RecallRequest(one, proactive=True))) for one in MESSAGES],
        "asked": [kept_recall(own.recall(RecallRequest(one, proactive=False, budget=400))) for one in MESSAGES],
        "prompts": [kept_recall(own.recall(RecallRequest(one, prompt=True, budget=900))) for one in MESSAGES[:6]],
        "everywhere": [kept_recall(m.recall(one, scope="all", budget=200)) for one in MESSAGES[:6]],
    }


@pytest.fixture(scope="module")
def now(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    with opened(tmp_path_factory.mktemp("kept")) as m:
        return answers(m)


@pytest.mark.parametrize("way", WAYS)
def test_answers_are_those_that_were_kept(way: str, now: dict[str, Any]) -> None:
    check_kept(WAYS[way], now[way], read_kept(KEPT)[way])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place, opened(Path(place)) as made:
        write_kept(KEPT, answers(made))
