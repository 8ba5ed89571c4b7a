"""The record of sessions against a list: whatever is given, said of it, taken back and forgotten, they agree."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from memoro import open as opened
from memoro.model.recall import Recalled, RecalledItem
from memoro.model.sessions import CORRECTED, DEMOTED, REINFORCED
from memoro.recall.request import RecallRequest
from tests.conftest import times
from tests.test_memories import Clock
from tests.test_sessions import answering, item, recalled

SESSIONS = ("one", "two", "three")
sessions = st.sampled_from(SESSIONS)


@dataclass
class Was:
    """One recall as it should be recorded."""

    session: str
    recalled: Recalled
    feedback: dict[str, list[str]] = field(default_factory=dict)
    forgotten: set[str] = field(default_factory=set)


class Records(RuleBasedStateMachine):
    @initialize()
    def begin(self) -> None:
        self.m = opened(":memory:", clock=Clock())
        self.recalls: list[Was] = []
        self.texts: dict[int, str] = {}
        self.archived: set[str] = set()
        self.keys: dict[str, int] = {}
        self.stored = 0
        for name in SESSIONS:
            self.m.sessions.start(name)

    @rule()
    def store(self) -> None:
        self.stored += 1
        text = f'number "{self.stored}"\nis \\ a memory of its own'
        self.texts[self.m.memories.store(text).memory.id] = text

    def given_to(self, session: str) -> list[RecalledItem]:
        return [one for was in self.recalls if was.session == session for one in was.recalled.items]

    @rule(session=sessions, data=st.data())
    def converse(self, session: str, data: st.DataObject) -> None:
        """What was given before is left out, as a recall does."""
        turn = self.m.sessions.turn(session)
        assert turn.form == ("proactive" if any(was.session == session for was in self.recalls) else "full")
        assert turn.held.passages == {one.id for one in self.given_to(session)}
        new = [
            item(f"memory:{number}", text)
            for number, text in self.texts.items()
            if f"memory:{number}" not in turn.held.passages
        ]
        chosen = data.draw(st.lists(st.sampled_from(new), unique=True, max_size=3)) if new else []
        boundary = data.draw(st.text("0123456789abcdef", min_size=32, max_size=32))
        key = data.draw(st.none() | st.sampled_from(["a", "b"]))
        answer = recalled("what now?", *chosen, boundary=boundary, form=turn.form)
        request = RecallRequest("what now?", session=session, key=key)
        if key is not None and key in self.keys:
            known = self.recalls[self.keys[key]]
            if known.session == session:
                again = answering(self.m, answer).recall(request)
                assert again.boundary == known.recalled.boundary
            return
        assert answering(self.m, answer).recall(request) == answer
        if key is not None:
            self.keys[key] = len(self.recalls)
        self.recalls.append(Was(session, answer, {one.id: [] for one in chosen}))

    @precondition(lambda self: self.texts)
    @rule(data=st.data(), session=st.none() | sessions, what=st.sampled_from([REINFORCED, DEMOTED, CORRECTED]))
    def say(self, data: st.DataObject, session: str | None, what: str) -> None:
        number = data.draw(st.sampled_from(sorted(self.texts)))
        if what == REINFORCED:
            self.m.memories.reinforce(number, session=session)
        elif what == DEMOTED:
            self.m.memories.demote(number, session=session)
        else:
            self.texts[number] += "\nand more"
            self.m.memories.update(number, self.texts[number], session=session)
        was = self.last_given(number, session)
        if was and what not in was.feedback[f"memory:{number}"]:
            was.feedback[f"memory:{number}"].append(what)
            if data.draw(st.booleans()):
                self.m.journal.undo()
                was.feedback[f"memory:{number}"].remove(what)
                if what == CORRECTED:
                    self.texts[number] = self.texts[number].removesuffix("\nand more")

    def last_given(self, number: int, session: str | None) -> Was | None:
        id = f"memory:{number}"
        found = [was for was in self.recalls if id in was.feedback and session in (None, was.session)]
        return found[-1] if found else None

    @precondition(lambda self: self.texts)
    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(sorted(self.texts)))
        self.m.memories.forget(number, yes=True)
        del self.texts[number]
        for was in self.recalls:
            if f"memory:{number}" in was.feedback:
                was.forgotten.add(f"memory:{number}")

    @rule(session=sessions)
    def archive(self, session: str) -> None:
        if session in self.archived:
            self.m.sessions.unarchive(session)
            self.archived.remove(session)
        else:
            self.m.sessions.archive(session)
            self.archived.add(session)

    @invariant()
    def the_record_says_what_was_given(self) -> None:
        for session in SESSIONS:
            kept = self.m.sessions.show(session).recalls
            own = [was for was in self.recalls if was.session == session]
            assert len(kept) == len(own)
            for one, was in zip(kept, own, strict=True):
                assert one.identical == (not was.forgotten)
                assert [given.feedback for given in one.given] == [tuple(words) for words in was.feedback.values()]
                assert {given.item.id for given in one.given if given.forgotten} == was.forgotten
                if one.identical:
                    assert one.recalled == was.recalled
            ids = [given.item.id for one in kept for given in one.given]
            assert len(ids) == len(set(ids)), "given twice"
        listed = {one.id for one in self.m.sessions.all()}
        assert listed == set(SESSIONS) - self.archived

    @invariant()
    def uses_are_what_the_records_add_up_to(self) -> None:
        words = [words for was in self.recalls for words in was.feedback.values()]
        uses = self.m.sessions.totals().uses
        assert uses.recalled == len(words)
        assert uses.unused == sum(not one for one in words)
        assert (uses.reinforced, uses.corrected) == tuple(
            sum(w in one for one in words) for w in (REINFORCED, CORRECTED)
        )

    def teardown(self) -> None:
        if hasattr(self, "m"):
            self.m.close()


def test_the_record_of_sessions_agrees_with_a_list() -> None:
    run_state_machine_as_test(
        Records,
        settings=hypothesis_settings(max_examples=times(25, 2000, quick=8), stateful_step_count=25, deadline=None),
    )
