"""What messages bring unasked, in a home made for the rules that decide it, is what was kept.

Answers that were corrected, replaced, repeated or marked; rules, corrections of a day, code, private exchanges, and
conversations that hold some of it already. After a change that is meant, look at what moved, then keep the new
answers: `python -m tests.test_kept_unasked`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memoro.model.scope import Scope
from memoro.model.sessions import HeldContext
from memoro.recall.request import RecallRequest
from memoro.search.filters import where_of
from memoro.unasked.actions import ActionTables
from memoro.unasked.finding import UnaskedRequest
from memoro.unasked.rules import rules_for
from memoro.workspace import Workspace
from tests.conftest import write_vault
from tests.kept import check_kept, read_kept, write_kept
from tests.lived import aged, kept_recalled
from tests.test_kept_sessions import in_utc, without
from tests.test_unasked import MOVED, NOW, PORT, TALK, Person, Said

KEPT = Path(__file__).parent / "data" / "kept_unasked.json"
CODE = "```python\nfor depth in range(40):\n    sample(depth)\n    wait(2)\n    log(depth)\n```"
TALKS: tuple[tuple[str, int, list[Said]], ...] = (
    ("port", 30, PORT),
    ("moved", 20, MOVED),
    ("talk", 12, TALK),
    (
        "dates",
        11,
        [
            ("does the survey of the bay stay on Friday?", "Yes, the survey of the bay is on Friday the 6th."),
            ("Hm, move it to the 24th", "Noted, the 24th."),
            ("ok", "Good."),
        ],
    ),
    (
        "broker",
        10,
        [
            ("which broker do the buoys report to?", "The buoys report to mq.tides.example on port 1883."),
            ("let's use our own: mq.harbour.example", "Changed, all buoys use it."),
            ("thanks", "You're welcome."),
        ],
    ),
    (
        "rate",
        9,
        [
            (
                "what sampling rate does the wave rider use?",
                "The wave rider samples at 0.25 hertz, see `waverider.toml`.",
            ),
            ("0.25 is ridiculous, I have to sign that. 0.1", "Set to 0.1 hertz."),
        ],
    ),
    ("replaced", 6, [("we use Grafana instead of Kibana for the wave rider now", "Moved, Grafana it is.")]),
    ("kibana", 40, [("where do we plot the wave rider?", "The wave rider is plotted in Kibana, board 12.")]),
    (
        "sampler",
        8,
        [
            (
                "how does the sampler step down the water column?",
                f"Like this:\n{CODE}\nIt waits two seconds at each metre.",
            ),
            ("show me the loop again", CODE),
        ],
    ),
    (
        "long",
        7,
        [
            (
                "why did the mooring of buoy nine break in the storm?",
                "The mooring of buoy nine broke because its shackle had rusted through. "
                + "The storm was strong. " * 40
                + "Use stainless shackles from now on. "
                + "We looked at every other buoy, too. " * 10,
            )
        ],
    ),
    (
        "paste",
        5,
        [("look at this log of buoy nine " + "tick 17 ok, " * 60, "The log of buoy nine shows a gap at tick 40.")],
    ),
    (
        "private",
        4,
        [
            ("Keep this between us: the diver of the bay is ill", "I will tell nobody about the diver."),
            ("when does the diver of the bay come?", "The diver of the bay comes on Tuesday."),
        ],
    ),
    (
        "rules",
        3,
        [
            ("Always calibrate the salinity probe before a survey", "Will do."),
            ("In Python, use pathlib and never os.path", "Understood."),
            ("Never edit charts/generated.svg by hand, it is generated", "Ok."),
        ],
    ),
    ("again", 2, [("which port does the tide gauge report to?", "Still port 7733, since the move.")]),
    (
        "wrong",
        1,
        [("how deep is the bay?", "The bay is 12 metres deep."), ("wrong: the bay is 14 metres deep", "Sorry.")],
    ),
    ("other", 2, [("which port does the mill gauge use?", "The mill gauge uses port 9000.")]),
)
NOTES = {
    "Work/gauge.md": "# Gauge\n\nThe tide gauge was built by Nortek in 2019 and weighs 14 kg.\n\n## Rules\n\n"
    "- Always wear a vest on the survey boat\n- Never sail alone\n",
    "Work/Depths.md": "---\nproject: gauge\n---\n# Depths\n\nThe bay is 14 metres deep at low tide.\n",
    "Work/Old.md": "---\nsuperseded_by: Work/Depths.md\n---\n# Old depths\n\nThe bay is 11 metres deep.\n",
    "Mill/mill.md": "---\nproject: mill\n---\n# Mill\n\nThe mill gauge is painted red.\n",
    "Diary.md": "---\nprivate: true\n---\n# Diary\n\nI am afraid of the survey boat.\n",
    "PROCEDURAL.md": "# Rules\n\n- Write commit messages in the imperative\n- Use metres, not feet, in every chart\n",
    "daily/2026-11-13.md": "# 2026-11-13\n\n- 10:00 the mast of the survey boat is white #project/gauge\n"
    "- 11:00 [wrong] the winch turns left (question: how does the winch turn?) #project/gauge\n- 12:00 [good]\n",
    "daily/2026-11-15.md": "# 2026-11-15\n\n- 09:00 [extracted] The hull of the survey boat is steel. "
    "(fact, claude talk:3) #project/gauge\n",
    "sessions/2026-11-12T09-00-00-claude-code.md": "---\nsession: talk\nproject: gauge\n"
    "ended: 2026-11-12T09:10:00\n---\n\n# Calibration of the salinity probe\n\n## Decisions\n\n"
    "- The salinity probe is rinsed before each dip\n",
}
MESSAGES = (
    "what port is the tide gauge on?", "which port does the tide gauge report to now?", "tide gauge port 7621?",
    "how do we calibrate the salinity probe?", "what colour is the mast of the survey boat?",
    "when is the survey of the bay?", "does the survey stay on Friday?", "which broker do the buoys report to?",
    "what is the address of the mq broker?", "what sampling rate does the wave rider use?",
    "where is the wave rider plotted?", "do we use Kibana or Grafana?", "how does the sampler step down?",
    "show me the loop of the sampler", "why did the mooring of buoy nine break?",
    "what did the log of buoy nine show?", "is the diver ill?", "when does the diver come?", "how deep is the bay?",
    "run the survey and calibrate the probe", "write a Python script that lists the charts",
    "edit charts/generated.svg", "draw a chart of the depths in the bay", "commit it",
    "which port does the mill gauge use?", "what is the hull made of?", "who built this?", "how heavy is this gauge?",
    "how does the winch turn?", "I am afraid of the boat", "what is a tide?", "explain Python decorators", "thanks",
    "yes please", "and the port?", "why?", "sail out alone", "what happened on 13 November?", "was ist noch offen?",
    "ok, what about buoy nine and the tide gauge and the wave rider?",
)  # fmt: skip


def prepare(person: Person) -> Workspace:
    for session, days, said in TALKS:
        person.log(session, said, days_ago=days, project="mill" if session == "other" else "gauge")
    aged(write_vault(person.vault, NOTES), NOW)
    m = person.opened()
    m.memories.store("The tide gauge is at the north pier.", source="user", trust="user_confirmed", project="gauge")
    m.memories.store("The tide gauge is at the south pier.", source="web", trust="tool_or_web", project="gauge")
    m.memories.store("The survey boat is called Pelican.", source="user", trust="user_confirmed")
    m.experiences.record("task_solution", "calibrate the salinity probe", "warm it for an hour", success=0.0)
    m.sync()
    return m


def told(person: Person, m: Workspace) -> Iterator[list[Any]]:
    known = m.home_context.project_of(str(person.folder("gauge")))
    assert known is not None
    own = Scope(agent="claude-code", project=known.name, known_as=known.known_as, allies=("claude",))
    scopes = {"own": own, "no private": own._replace(private=False, hidden=("Work/Old.md",)), "none": Scope()}
    for name, scope in scopes.items():
        recaller = m.recaller_in(scope)
        for message in MESSAGES if name == "own" else MESSAGES[::4]:
            found = recaller.recall(RecallRequest(message, proactive=True))
            yield [f"{name}: {message}", kept_recalled(found, person.me.parent)]
            if name == "own" and found.items:
                held = HeldContext(frozenset({found.items[0].id, *found.items[0].passages}))
                again = recaller.recall(RecallRequest(message, proactive=True, held=held, budget=160))
                yield [f"again: {message}", kept_recalled(again, person.me.parent)]
    talk = HeldContext(frozenset({"@claude/-gauge/talk.jsonl"}), {"PROCEDURAL.md": [NOTES["PROCEDURAL.md"]]})
    for message in ("what is the hull of the survey boat made of?", MESSAGES[3], "commit it", "draw a chart in feet"):
        found = m.recaller_in(own).recall(RecallRequest(message, proactive=True, held=talk))
        yield [f"in that talk: {message}", kept_recalled(found, person.me.parent)]
    sources = m.recaller_in(own).sources()
    for message in MESSAGES:
        request = UnaskedRequest(message, sources, where_of(own), own)
        rules = [[one.item.id, one.item.text, round(one.sure, 3), one.why] for one in rules_for(request)]
        yield [f"rules: {message}", rules] if rules else ["no rules", message]
    tables = ActionTables(m.parts.indexing, m.vault()).make(where_of(own))
    yield ["files", [[list(one.names), list(one.warning)] for one in tables.rules], len(tables.failures)]


def muted(person: Person, m: Workspace) -> Iterator[list[Any]]:
    """Once its owner has called some of it wrong."""
    m.feedback.wrong("the port is 7800", session="again")
    scope = Scope(project=str(person.folder("gauge")))
    for message in (MESSAGES[0], MESSAGES[9], MESSAGES[18], MESSAGES[28]):
        yield [
            f"later: {message}",
            kept_recalled(m.recaller_in(scope).recall(RecallRequest(message, proactive=True)), person.me.parent),
        ]


def answers(folder: Path) -> list[Any]:
    with in_utc(folder):
        person = Person(folder)
        (folder / "me").mkdir(exist_ok=True)
        with prepare(person) as m:
            return [without(str(folder), one) for way in (told, muted) for one in way(person, m)]


def test_messages_bring_what_was_kept(tmp_path: Path) -> None:
    kept = read_kept(KEPT)["unasked"]
    check_kept([one[0] for one in kept], answers(tmp_path), kept)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        write_kept(KEPT, {"unasked": answers(Path(place))})
