"""Results as JSON documents. Keys are a contract: later versions only add to them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memoro.model.notes import locator_of

if TYPE_CHECKING:
    from memoro.config import Setting
    from memoro.conversation.context import Compaction
    from memoro.experiences.lifecycle import Preference, Recorded, Similar
    from memoro.health import Check, Status
    from memoro.index.known import TranscriptSource
    from memoro.index.report import Report
    from memoro.ledger.backups import Backup
    from memoro.ledger.exchange.report import Imported
    from memoro.ledger.forget import Forgotten
    from memoro.ledger.undo import Undone
    from memoro.memories.lifecycle import Recollection, Shown, Stored
    from memoro.memories.links import Neighbourhood
    from memoro.model.answers import Answer, Explanation, Hit, Text
    from memoro.model.experiences import Experience
    from memoro.model.journal import Entry
    from memoro.model.memories import Memory, Narrative
    from memoro.model.recall import Recalled, RecalledItem
    from memoro.model.sessions import GivenItem, RecordedRecall, Session, Use
    from memoro.notes.entries import Remembered
    from memoro.sessions.compare import Pair
    from memoro.sessions.history import Replay, ShownSession
    from memoro.target_operations import ForgetResult

HEADING_SEPARATOR = " > "


def dumps(document: object) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2)


def answer(answer: Answer, *, explain: bool = False, grouped: bool = False) -> dict[str, Any]:
    return {
        "query": answer.query,
        "mode": answer.mode,
        "results": [_hit(hit, explain, grouped) for hit in answer.results],
        "synced": answer.synced,
        "degraded": list(answer.degraded),
        "took_ms": round(answer.took_ms, 2),
    }


def _hit(hit: Hit, explain: bool, grouped: bool) -> dict[str, Any]:
    document: dict[str, Any] = {
        "id": hit.id,
        "kind": hit.kind,
        "tier": hit.tier,
        "path": hit.path,
        "start_line": hit.start_line,
        "end_line": hit.end_line,
        "heading": HEADING_SEPARATOR.join(hit.heading),
        "date": hit.date,
        "score": round(hit.score, 6),
        "snippet": hit.snippet,
    }
    if hit.kind == "transcript":
        document["speaker"] = hit.speaker
        document["conversation"] = hit.path
        document["locator"] = locator_of(hit.path)
        document["title"] = hit.title
        document["agent"] = hit.agent
        document["project"] = hit.project
    if grouped:
        document["count"] = hit.passages
    if hit.given:
        document["given"] = [{**one._asdict(), "feedback": list(one.feedback)} for one in hit.given]
    if explain:
        document["explanation"] = _explanation(hit.explanation)
    return document


def _explanation(explanation: Explanation) -> dict[str, Any]:
    document: dict[str, Any] = {
        "words": {
            "rank": explanation.word_rank,
            "score": sum(term.share for term in explanation.terms),
            "terms": [
                {
                    "word": term.word,
                    "columns": term.columns,
                    "weight": term.weight,
                    "fullness": term.fullness,
                    "share": term.share,
                }
                for term in explanation.terms
            ],
            "ignored": list(explanation.ignored),
        }
    }
    if explanation.total is not None:
        document["vectors"] = {"rank": explanation.vector_rank}
        document["parts"] = [part._asdict() for part in explanation.parts]
        document["total"] = explanation.total
        document["confidence"] = explanation.confidence
    return document


def recalled(found: Recalled) -> dict[str, Any]:
    document = {
        "message": found.message,
        "form": found.form,
        "block": found.block,
        "boundary": found.boundary,
        "tokens": found.tokens,
        "items": [_item(item) for item in found.items],
        "left_out": [one._asdict() for one in found.left_out],
        "degraded": list(found.degraded),
        "took_ms": round(found.took_ms, 2),
    }
    return {**document, "sections": [one._asdict() for one in found.sections]} if found.sections else document


def _item(item: RecalledItem) -> dict[str, Any]:
    return {
        **item._asdict(),
        "heading": HEADING_SEPARATOR.join(item.heading),
        "score": round(item.score, 6),
        "passages": list(item.passages),
    }


def text(found: Text) -> dict[str, Any]:
    document = {key: list(value) if isinstance(value, tuple) else value for key, value in found._asdict().items()}
    return {**document, "around": [turn._asdict() for turn in found.around]}


def known(found: TranscriptSource) -> dict[str, Any]:
    return {**found._asdict(), "problems": [problem._asdict() for problem in found.problems]}


def report(done: Report) -> dict[str, Any]:
    return {
        **done._asdict(),
        "problems": [problem._asdict() for problem in done.problems],
        "doubles": list(done.doubles),
        "degraded": list(done.degraded),
        "took_ms": round(done.took_ms, 2),
    }


def status(found: Status) -> dict[str, Any]:
    return {
        **found._asdict(),
        "dirty": [{key: value for key, value in one._asdict().items() if value is not None} for one in found.dirty],
        "serving": found.serving._asdict() if found.serving else None,
        "problems": [problem._asdict() for problem in found.problems],
        "notices": list(found.notices),
        "spaces": [space._asdict() for space in found.spaces],
    }


def checks(found: Sequence[Check]) -> dict[str, Any]:
    return {
        "ok": all(check.state != "failed" for check in found),
        "checks": [check._asdict() for check in found],
    }


def settings(found: Sequence[Setting]) -> dict[str, Any]:
    return {"settings": [setting._asdict() for setting in found]}


def memory(found: Memory) -> dict[str, Any]:
    return {**found._asdict(), "tags": list(found.tags), "parents": list(found.parents)}


def stored(done: Stored) -> dict[str, Any]:
    return {
        **memory(done.memory),
        "new": done.new,
        "similar": [{"id": one.memory.id, "content": one.memory.content, "alike": one.alike} for one in done.similar],
        "redacted": list(done.redacted),
    }


def recollection(found: Recollection) -> dict[str, Any]:
    results = [
        {
            **memory(one.memory),
            "score": round(one.score, 6),
            "fit": one.fit,
            "usefulness": one.usefulness,
            "recency": one.recency,
            "linked_to": one.linked_to,
            "archived": one.archived,
        }
        for one in found.results
    ]
    return {"query": found.query, "results": results, "degraded": list(found.degraded)}


def shown_memory(shown: Shown) -> dict[str, Any]:
    number = shown.memory.id
    return {
        **memory(shown.memory),
        "archived": shown.archived,
        "links": [{"id": link.other(number), "strength": link.strength, "at": link.at} for link in shown.links],
        "narratives": list(shown.narratives),
        "supersedes": list(shown.supersedes),
    }


def neighbourhood(tree: Neighbourhood) -> dict[str, Any]:
    linked = [neighbourhood(branch) for branch in tree.linked]
    return {**memory(tree.memory), "strength": tree.strength, "linked": linked}


def narrative(found: Narrative) -> dict[str, Any]:
    return {**found._asdict(), "memories": list(found.memories)}


def experience(found: Experience, weight: float) -> dict[str, Any]:
    document = found._asdict()
    document.pop("solution_json")
    return {**document, "tags": list(found.tags), "solution": found.solution, "weight": round(weight, 6)}


def recorded(done: Recorded) -> dict[str, Any]:
    return {**experience(done.experience, done.weight), "new": done.new, "redacted": list(done.redacted)}


def similar(found: Similar) -> dict[str, Any]:
    results = [
        {**experience(one.experience, one.weight), "score": round(one.score, 6), "fit": one.fit}
        for one in found.results
    ]
    return {"query": found.query, "mode": found.mode, "results": results, "degraded": list(found.degraded)}


def preference(found: Preference) -> dict[str, Any]:
    others = [{"id": o.id, "value": o.solution, "confidence": o.success} for o in found.others]
    return {
        "category": found.category,
        "value": found.value,
        "confidence": found.confidence,
        "id": found.experience.id,
        "others": others,
    }


def entry(found: Entry) -> dict[str, Any]:
    return {**found._asdict(), "before": _fields(found.before), "after": _fields(found.after)}


def _fields(fields: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if fields is None:
        return None
    return {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()}


def undone(found: Undone, *, done: bool) -> dict[str, Any]:
    return {
        "done": done,
        "changes": [entry(one) for one in found.entries],
        "refused": list(found.refused),
        "derived": list(found.derived),
    }


def forgotten(found: Forgotten) -> dict[str, Any]:
    """What was scrubbed is named and not said again."""
    memories = [{"id": one.id} if found.done else memory(one) for one in found.memories]
    return {
        "done": found.done,
        "memories": memories,
        "backups": list(found.backups),
        "narratives": list(found.narratives),
    }


def backup(found: Backup) -> dict[str, Any]:
    return {**found._asdict(), "problems": list(found.problems)}


def imported(done: Imported) -> dict[str, Any]:
    return {
        **done._asdict(),
        "refused": [one._asdict() for one in done.refused],
        "problems": [one._asdict() for one in done.problems],
        "notes": list(done.notes),
    }


def remembered(made: Remembered) -> dict[str, Any]:
    return {**made._asdict(), "redacted": list(made.redacted)}


def forget_result(found: ForgetResult) -> dict[str, Any]:
    where = {} if found.path is None else {"path": found.path}
    return {"id": found.id, **where, "done": found.done, "text": found.text, "backups": list(found.backups)}


def compaction(done: Compaction) -> dict[str, Any]:
    return {
        **done._asdict(),
        "summary": {name: list(lines) for name, lines in done.summary._asdict().items()},
        "changed": done.changed,
        "reached": done.reached,
        "degraded": list(done.degraded),
    }


def session(found: Session) -> dict[str, Any]:
    scope = found.scope
    sets = {"paths": list(scope.paths), "tiers": list(scope.tiers), "tags": list(scope.tags)}
    fields = {"bound" if name == "scope" else name: value for name, value in found._asdict().items()}
    return {**fields, "bound": {"project": scope.project, "agent": scope.agent, **sets}}


def shown_session(shown: ShownSession) -> dict[str, Any]:
    return {**session(shown.session), "recalls": [_recorded(one) for one in shown.recalls]}


def _recorded(found: RecordedRecall) -> dict[str, Any]:
    recalled = found.recalled
    return {
        "recall": found.number,
        "at": found.at,
        "form": recalled.form,
        "message": recalled.message,
        "unasked": found.unasked,
        "tokens": recalled.tokens,
        "items": [_given(one) for one in found.given],
        "left_out": [one._asdict() for one in recalled.left_out],
        "sections": [one._asdict() for one in recalled.sections],
        "degraded": list(recalled.degraded),
        "identical": found.identical,
        "altered": list(found.altered),
    }


def _given(one: GivenItem) -> dict[str, Any]:
    return {**_item(one.item), "feedback": list(one.feedback), "forgotten": one.forgotten}


def replay(found: Replay) -> dict[str, Any]:
    document = {"session": found.then.session, **_recorded(found.then), "block": found.then.recalled.block}
    if found.now is not None and found.difference is not None:
        told = found.difference
        document["now"] = {
            "block": found.now.block,
            "tokens": found.now.tokens,
            "items": [_item(one) for one in found.now.items],
            "degraded": list(found.now.degraded),
        }
        document["difference"] = {
            "same": [pair.now.id for pair in told.same],
            "gone": [_item(one) for one in told.gone],
            "new": [_item(one) for one in told.new],
            "moved": [_pair(pair) for pair in told.moved],
            "changed": [_pair(pair) for pair in told.changed],
        }
    return document


def _pair(pair: Pair) -> dict[str, Any]:
    return {"then": _item(pair.then), "now": _item(pair.now)}


def use(found: Use) -> dict[str, Any]:
    return {**found._asdict(), "feedback": list(found.feedback)}
