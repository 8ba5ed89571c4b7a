"""What the hooks give agents on the last of many days is what they gave when it was kept.

Made-up people of `benchmarks days` live their weeks in this process: notes, conversations, memories, rules. After a
change that is meant, look at what moved, then keep the new answers: `python -m tests.test_kept_days`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from datetime import timedelta
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from benchmarks.days.people import Group, Prompt, read_tool_call

from memoro.hooks.scope import session_scope
from memoro.recall.request import RecallRequest
from memoro.search.filters import where_of
from memoro.transcripts.tool_runs import target_of
from memoro.unasked.actions import ActionTables, command_key
from memoro.workspace import Workspace
from tests.conftest import write_vault
from tests.kept import check_kept, read_kept, write_kept
from tests.lived import LivedDays, digest, kept_recalled, person
from tests.test_kept_sessions import without

KEPT = Path(__file__).parent / "data" / "kept_days.json"
PEOPLE = ("noor", "katrin", "ruben")  # with Claude Code, with Codex and in German, and with long sessions
BUDGETS = (40, 90, 200, 400, 1200)

# Noor keeps notes that are always loaded, memories and experiences too.
NOTES = {
    "PINNED.md": "# Pinned\n\n- Never push to main on a Friday\n- Tax letters are in the blue folder #private\n",
    "MEMORY.md": "---\ntags: [facts]\n---\n# Memory\n\n## Clients\n\n- Wim answers mails on Sundays only\n"
    "- The bakeries have 22 shops\n\n## Tools\n\n- The staging server of harbour is named loods\n",
    "PROCEDURAL.md": "# Rules\n\n- Always run the request specs before a pull request of harbour\n"
    "- Use zod for every answer of the till API\n- Write commit messages in the imperative\n",
    "daily/2026-11-12.md": "# 2026-11-12\n\n- 07:10 harbour: the offers expired at night. #project/harbour\n"
    "- 07:12 kiosk: two tablets arrived. #project/kiosk\n- slept badly\n- Ilse called #private\n"
    "- 07:40 harbour: Fleur wants the mail text today. #project/harbour\n- Wim phones at eleven.\n",
    "Work/Old till.md": "---\nsuperseded_by: Work/kiosk.md\n---\n# Old till\n\nThe till API answers on port 4400.\n",
    "Work/Agent.md": "---\nagent: codex\n---\n# Codex\n\nThe till API answers codex on port 4500.\n",
}
MEMORIES: tuple[tuple[int, str, dict[str, Any]], ...] = (
    (40, "The till API answers on port 4600.", {"project": "kiosk", "trust": "user_confirmed"}),
    (20, "The till API answers on port 4700.", {"project": "kiosk", "trust": "user_confirmed"}),
    (19, "The till API is down on Mondays.", {"project": "kiosk", "source": "web", "trust": "tool_or_web"}),
    (15, "Fleur prefers mail in Dutch.", {"project": "harbour", "source": "user"}),
    (12, "Marina Zuid is closed.", {"project": "harbour", "valid_from": "2026-11-01", "valid_to": "2026-11-10"}),
    (9, "Marina Veerhaven is closed.", {"project": "harbour", "valid_from": "2026-11-03", "valid_to": "2026-12-20"}),
    (7, "Bed 2 gets broad beans.", {"project": "allotment", "source": "user"}),
    (5, "Never use emoji in mails to guests.", {"project": "harbour", "source": "user", "trust": "user_confirmed"}),
    (3, "Marloes moved her working days to Monday and Friday.", {"source": "user", "trust": "user_confirmed"}),
)  # fmt: skip
EXPERIENCES: tuple[tuple[str, str, str, float], ...] = (
    ("task_solution", "restore a berth that was deleted", "copy it from the audit table, then run the recount", 1.0),
    ("error_recovery", "adb: device unauthorized", "revoke the USB debugging permissions, then plug in again", 1.0),
    ("error_recovery", "PG::LockNotAvailable", "raising the lock timeout", 0.0),
)
PROMPTS: dict[str, tuple[str, ...]] = {
    "harbour": (
        "what is the staging server called?", "is marina Zuid closed?", "is marina Veerhaven closed today?",
        "write the mail that tells guests about the new offer", "open a pull request for the expiry of offers",
        "somebody deleted a berth by accident, how did we get it back?", "PG::LockNotAvailable: canceling statement",
        "in which language does Fleur want mail?", "what happened this morning?", "push it to main",
        "what did Fleur say about the mail text?", "what did we do in October?", "what about the deposit?",
        "Which one was it again?", "thanks, that works", "yes", "what is Wim's dog called?",
    ),
    "kiosk": (
        "on which port does the till API answer?", "what port did the till API have before?",
        "adb: device unauthorized. This adb server's $ADB_VENDOR_KEYS is not set", "parse the answer of the till API",
        "when can I reach Marloes?", "is the till API down?", "how many shops are there?", "what arrived this morning?",
        "what is still open?", "was ist noch offen?", "what did we do two weeks ago?", "continue with the allergens",
        "bitte schreib die Tests für den Filter", "what did the pilot shops say?", "and why?", "no, shop 7",
    ),
    "allotment": (
        "what goes into bed 2?", "when is the water turned off?", "what did we plant in October?", "who is Marloes?",
        "show the frost list", "make the list sortable by bed", "what's for dinner?",
    ),
}  # fmt: skip


def prepare(life: LivedDays, m: Workspace) -> None:
    """What Noor wrote by hand, and what her agents kept."""
    today = life.now
    write_vault(life.vault, NOTES)
    for days, text, options in MEMORIES:
        life.now = today - timedelta(days=days)
        m.memories.store(text, **options)
    life.now = today - timedelta(days=2)
    m.memories.supersede(1, 2)
    m.memories.reinforce(4)
    m.memories.demote(3)
    for kind, intent, solution, success in EXPERIENCES:
        m.experiences.record(kind, intent, solution, success=success, project=None)  # type: ignore[arg-type]
    life.now = today
    m.sync()


def given_unasked(life: LivedDays, m: Workspace) -> Iterator[list[Any]]:
    for number, group in enumerate(life.person.groups):
        labels = {prompt.text: prompt for prompt in group.prompts}
        for text, recalled, said in life.ask(m, number, group):
            kept = [kept_recalled(one, life.folder) for one in recalled]
            yield [group.project, text, kept, verdict(labels[text], said) if text in labels else "start"]


def verdict(prompt: Prompt, said: str) -> str:
    """What the labels of a prompt say of its answer: one that was kept is not always a good one."""
    if prompt.forbid.hits(said):
        return "forbidden"
    if prompt.asks:
        return ("stale too" if prompt.stale.hits(said) else "good") if prompt.need.hits(said) else "missed"
    return "not needed" if said else "silent"


def given_to_more(life: LivedDays, m: Workspace) -> Iterator[list[Any]]:
    """More prompts, in sessions that are compacted, cleared and resumed."""
    for number, (project, texts) in enumerate(PROMPTS.items(), len(life.person.groups)):
        group = Group(project, tuple(Prompt("new", text) for text in texts))
        for text, recalled, _ in life.ask(m, number, group, {4: "compact", 8: "resume", 12: "clear"}):
            yield [project, text, [kept_recalled(one, life.folder) for one in recalled]]


def given_to_who_asks(life: LivedDays, m: Workspace) -> Iterator[list[Any]]:
    budgets = cycle(BUDGETS)
    for number, (group, prompt) in enumerate(life.person.prompts()):
        if number % 2:
            continue
        scope = session_scope(m, life.person.host, str(life.project(group.project)), None)
        request = RecallRequest(prompt.text, proactive=False, budget=next(budgets), prompt=number % 3 == 0)
        if number % 10 == 0:
            request = request._replace(reach="all")
        found = kept_recalled(m.recaller_in(scope).recall(request), life.folder)
        found[2] = [[one[0], *one[2:6], digest(one[6])] for one in found[2]]
        yield [group.project, prompt.text, request.budget, found]


def warnings(life: LivedDays, m: Workspace) -> Iterator[list[Any]]:
    """All that is known before an agent acts, and what it is told before what it did."""
    tables = ActionTables(m.parts.indexing, m.vault())
    for project in life.person.projects:
        folder = str(life.project(project))
        known = tables.make(where_of(session_scope(m, life.person.host, folder, None)))
        failures = {key: list(one) for key, one in known.failures.items()}
        yield without(str(life.folder), [project, failures, [[one.names, list(one.warning)] for one in known.rules]])
        steps = [step for one in life.person.sessions if one.project == project for step in one.steps]
        for call in (read_tool_call(step.text) for step in steps if step.speaker == "T"):
            name = "command" if call.tool == "Bash" else "file_path"
            target = target_of(call.tool, {name: call.argument if call.tool == "Bash" else f"{folder}/{call.argument}"})
            if told := known.warning(target, folder):
                yield [project, call.argument, command_key(call.argument), told.source]


def answers_of(name: str, folder: Path) -> dict[str, list[Any]]:
    life = LivedDays(person(name), folder)
    with life.opened() as m:
        life.live(m)
        found = {f"{name}, unasked": list(given_unasked(life, m)), f"{name}, warned": list(warnings(life, m))}
        if name == "noor":
            prepare(life, m)
            found[f"{name}, more"] = list(given_to_more(life, m))
        return {**found, f"{name}, asked": list(given_to_who_asks(life, m))}


@pytest.mark.parametrize("name", PEOPLE)
def test_days_are_given_what_was_kept(name: str, tmp_path: Path) -> None:
    kept = read_kept(KEPT)
    for way, now in answers_of(name, tmp_path).items():
        check_kept([one[:2] for one in kept[way]], now, kept[way])


def keep() -> None:
    found: dict[str, list[Any]] = {}
    for name in PEOPLE:
        with tempfile.TemporaryDirectory() as folder:
            found |= answers_of(name, Path(folder))
    write_kept(KEPT, found)


if __name__ == "__main__":
    keep()
