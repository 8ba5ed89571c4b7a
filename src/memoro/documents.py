"""Results as JSON documents. Keys are a contract: later versions only add to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memoro.model.local_time import with_offset

if TYPE_CHECKING:
    from memoro.conversation.context import Compaction
    from memoro.curate.reviewing.preview import ProposalPreview
    from memoro.curate.rounds.running import RoundReport
    from memoro.curate.rounds.tidying import TidyRound
    from memoro.experiences.results import Preference, RecordedExperience, SimilarExperiences, WeightedExperience
    from memoro.health import Check, Status
    from memoro.index.embedding_plan import EmbeddingPlan
    from memoro.index.report import Report
    from memoro.ledger.forget import ForgottenMemories
    from memoro.ledger.undo import Undone
    from memoro.memories.links import Neighbourhood
    from memoro.memories.results import MemoryDetails, Recollection, Stored
    from memoro.model.answers import Answer, Explanation, Hit, Text
    from memoro.model.experiences import Experience
    from memoro.model.journal import JournalEntry, ShownChange
    from memoro.model.memories import Memory
    from memoro.model.proposals import Proposal, Suggestion
    from memoro.model.recall import Recalled, RecalledItem
    from memoro.model.sessions import GivenItem, RecordedRecall, Session
    from memoro.model.vocabulary import Visibility
    from memoro.providers.downloads import Download
    from memoro.sessions.compare import Pair
    from memoro.sessions.history import DayPage, GivenOnDay, ListedSession, Replay, ShownSession

Document = dict[str, Any]
HEADING_SEPARATOR = " > "


def dumps(document: object) -> str:
    import json

    return json.dumps(document, ensure_ascii=False, indent=2)


def plain(value: Any) -> Any:
    """A value as JSON has it: a NamedTuple becomes an object, a tuple a list. A few values have own rules."""
    if rule := _RULES.get(type(value).__name__):
        return rule(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {name: plain(one) for name, one in zip(value._fields, value, strict=True)}
    if isinstance(value, (tuple, list)):
        return [plain(one) for one in value]
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    return value


def answer(answer: Answer, *, explain: bool = False, grouped: bool = False) -> Document:
    document: Document = {
        "query": answer.query,
        "mode": answer.mode,
        "results": [_hit(hit, explain, grouped) for hit in answer.results],
        "left_out": answer.left_out,
        "least": answer.least,
        "synced": answer.synced,
        "degraded": list(answer.degraded),
        "took_ms": round(answer.took_ms, 2),
    }
    if answer.time is not None:
        document["time"] = plain(answer.time)
    return document


def _hit(hit: Hit, explain: bool, grouped: bool) -> Document:
    document: Document = {
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
    if hit.since:
        document["since"] = hit.since
        document["until"] = hit.until
    if hit.changed:
        document["changed"] = hit.changed
    if hit.muted:
        document["muted"] = True
    if hit.kind == "transcript":
        from memoro.model.notes import locator_of

        document["speaker"] = hit.speaker
        document["conversation"] = hit.path
        document["locator"] = locator_of(hit.path)
        document["title"] = hit.title
        document["agent"] = hit.agent
    if hit.kind == "transcript" or hit.project:
        document["project"] = hit.project
    if grouped:
        document["count"] = hit.passages
    if hit.replaced_by is not None:
        document["replaced_by"] = plain(hit.replaced_by)
    if hit.given:
        document["given"] = plain(hit.given)
    if explain:
        document["explanation"] = _explanation(hit.explanation)
    return document


def _explanation(explanation: Explanation) -> Document:
    document: Document = {
        "words": {
            "rank": explanation.word_rank,
            "score": sum(term.share for term in explanation.terms),
            "terms": [
                {name: getattr(term, name) for name in ("word", "columns", "weight", "fullness", "share")}
                for term in explanation.terms
            ],
            "ignored": list(explanation.ignored),
        }
    }
    if explanation.total is not None:
        document["vectors"] = {"rank": explanation.vector_rank}
        document["parts"] = plain(explanation.parts)
        document["total"] = explanation.total
        document["confidence"] = explanation.confidence
        document["evidence"] = plain(explanation.evidence)
        document["newer_than"] = explanation.newer_than
    return document


def recalled(found: Recalled) -> Document:
    document = {
        "message": found.message,
        "form": found.form,
        "block": found.block,
        "boundary": found.boundary,
        "tokens": found.tokens,
        "items": [_item(item) for item in found.items],
        "left_out": plain(found.left_out),
        "degraded": list(found.degraded),
        "took_ms": round(found.took_ms, 2),
    }
    if found.decision:
        document["decision"] = found.decision
    return {**document, "sections": plain(found.sections)} if found.sections else document


def _item(item: RecalledItem) -> Document:
    marked = set() if item.project else {"project"}  # only what comes from elsewhere names its project
    marked |= set() if item.since else {"since", "until"}
    marked |= {name for name in ("older", "why", "muted") if not getattr(item, name)}
    return {
        **{name: value for name, value in plain(item).items() if name not in marked},
        "heading": HEADING_SEPARATOR.join(item.heading),
        "score": round(item.score, 6),
    }


def text(found: Text) -> Document:
    document: Document = plain(found)
    return document


def report(done: Report) -> Document:
    return {**plain(done), "took_ms": round(done.took_ms, 2)}


def pending_download(wanted: Download) -> Document:
    """A model that waits for its owner's yes; `bytes` is None where the size is not known."""
    return {
        "model": str(wanted.name),
        "source": wanted.source,
        "bytes": wanted.bytes,
        "folder": wanted.folder,
    }


def embedding_plan(plan: EmbeddingPlan) -> Document:
    """The plan of filling a space as JSON; `dollars` is None where nobody knows the price."""
    return {
        "space": plan.space,
        "host": plan.host,
        **plain(plan.missing),
        "calibration_tokens": plan.calibration_tokens,
        "dollars": _rounded(plan.dollars),
        "batch_dollars": _rounded(plan.batch_dollars),
        "is_whole": plan.is_whole,
    }


def _rounded(dollars: float | None) -> float | None:
    return None if dollars is None else round(dollars, 6)


def status(found: Status) -> Document:
    dirty = [{name: value for name, value in plain(one).items() if value is not None} for one in found.dirty]
    document = {**plain(found), "dirty": dirty, "synced_at": with_offset(found.synced_at)}
    if found.serving:
        times = {name: with_offset(getattr(found.serving, name)) for name in ("since", "did_at")}
        document["serving"] = {**document["serving"], **times}
    return document


def checks(found: Sequence[Check]) -> Document:
    return {
        "ok": all(check.state != "failed" for check in found),
        "checks": plain(found),
    }


def memory(found: Memory) -> Document:
    document: Document = plain(found)
    return document


def stored(done: Stored) -> Document:
    return {
        **memory(done.memory),
        "new": done.new,
        "nearest": [
            {"id": one.memory.id, "content": one.memory.content, "says_the_same": one.says_the_same}
            for one in done.nearest
        ],
        "superseded": [one.id for one in done.superseded],
        "waiting": [{"id": one.memory.id, "proposal": one.proposal} for one in done.waiting],
        "redacted": list(done.redacted),
        "degraded": list(done.degraded),
        **_visibility(done.visibility),
    }


def _visibility(found: Visibility | None) -> Document:
    """Nothing where nobody shares the ledger."""
    return {} if found is None else {"visibility": found}


def recollection(found: Recollection) -> Document:
    results = [
        {
            **memory(one.memory),
            "score": round(one.score, 6),
            "fit": one.fit,
            "usefulness": one.usefulness,
            "recency": one.recency,
            "linked_to": one.linked_to,
            "archived": one.archived,
            "since": one.since,
            "until": one.until,
            "replaced_by": plain(one.replaced_by) if one.replaced_by else None,
            **({"explanation": _explanation(one.explanation)} if one.explanation else {}),
        }
        for one in found.results
    ]
    told = {"query": found.query, "mode": found.mode, "results": results, "degraded": list(found.degraded)}
    return {**told, "only_archived": found.only_archived}


def shown_memory(shown: MemoryDetails) -> Document:
    number = shown.memory.id
    return {
        **memory(shown.memory),
        "archived": shown.archived,
        "links": [{"id": link.other(number), "strength": link.strength, "at": link.at} for link in shown.links],
        "narratives": list(shown.narratives),
        "supersedes": list(shown.supersedes),
        **_visibility(shown.visibility),
    }


def neighbourhood(tree: Neighbourhood) -> Document:
    linked = [neighbourhood(branch) for branch in tree.linked]
    return {**memory(tree.memory), "strength": tree.strength, "linked": linked}


def experience(found: Experience, weight: float) -> Document:
    from memoro.model.experiences import outcome_of

    document = found._asdict()
    document.pop("solution_json")
    return {
        **document,
        "tags": list(found.tags),
        "solution": found.solution,
        "outcome": outcome_of(found),
        "weight": round(weight, 6),
    }


def shown_experience(shown: WeightedExperience) -> Document:
    return experience(shown.experience, shown.weight)


def recorded(done: RecordedExperience) -> Document:
    return {**experience(done.experience, done.weight), "new": done.new, "redacted": list(done.redacted)}


def similar(found: SimilarExperiences) -> Document:
    results = [
        {**experience(one.experience, one.weight), "score": round(one.score, 6), "fit": one.fit}
        for one in found.results
    ]
    return {"query": found.query, "mode": found.mode, "results": results, "degraded": list(found.degraded)}


def preference(found: Preference) -> Document:
    others = [{"id": o.id, "value": o.solution, "confidence": o.success} for o in found.others]
    return {
        "category": found.category,
        "value": found.value,
        "confidence": found.confidence,
        "id": found.experience.id,
        "others": others,
    }


def undone(found: Undone, *, done: bool) -> Document:
    return {
        "done": done,
        "changes": plain(found.entries),
        "refused": list(found.refused),
        "derived": list(found.derived),
    }


def forgotten(found: ForgottenMemories) -> Document:
    """Erased memories are named by id alone; their content is not repeated."""
    memories = [{"id": one.id} if found.done else memory(one) for one in found.memories]
    return {
        "done": found.done,
        "memories": memories,
        "backups": list(found.backups),
        "narratives": list(found.narratives),
        "derived": [{"id": copy.id, "text": copy.text} for copy in found.derived],
        "elsewhere": list(found.elsewhere),
    }


def entry(found: JournalEntry) -> Document:
    from memoro.model.change_codec import encode

    columns = encode(found.change)
    after = _object(columns.after)
    if found.words is not None:
        after = {**plain(found.words), **(after or {})}
    return {
        "id": found.id,
        "at": found.at,
        "operation": columns.operation,
        "actor": found.actor,
        "kind": columns.kind,
        "item": columns.item,
        "before": _object(columns.before),
        "after": after,
        "undoes": found.undoes,
        "undone_by": found.undone_by,
        "agent": found.agent,
        "text": found.text,
        "proposal": found.proposal,
        "person": found.person,
    }


def shown_change(shown: ShownChange) -> Document:
    """The entry as `log` has it, with both sides whole as text."""
    return {
        **entry(shown.entry),
        "text_before": shown.before,
        "text_after": shown.after,
        "undo": shown.undo,
        "why_not": shown.why_not,
        "later": [one.id for one in shown.later],
    }


def _object(text: str | None) -> Any:
    """Returns a JSON object from its text; a damaged text is shown as it is."""
    import json

    try:
        return None if text is None else json.loads(text)
    except ValueError:
        return {"unreadable": text}


def proposal(found: Proposal) -> Document:
    from memoro.model.proposal_codec import encode_detail

    return {
        "id": found.id,
        "at": found.at,
        "actor": found.actor,
        "agent": found.agent,
        "operation": found.operation,
        "detail": _object(encode_detail(found.change)),
        "state": found.state,
        "settled_at": found.settled_at,
        "evidence": plain(found.evidence),
        "origin": found.origin,
        "score": found.score,
        "expires_at": found.expires_at,
        "project": found.project,
        "reason": found.reason,
    }


def previewed(found: ProposalPreview) -> Document:
    """A proposal with the text that it is about."""
    return {
        **proposal(found.proposal),
        "text_before": found.before,
        "text_after": found.after,
        "outdated": found.outdated or None,
        "undone": found.undone,
        "reworded": found.reworded,
    }


def round_report(found: RoundReport) -> Document:
    """A round of curation: what it read and found; `withheld` has the suggestions that do not wait, with reasons."""
    return {
        "looked_at": plain(found.plan.looked_at),
        "model": found.plan.model,
        "proposed": [one.proposal.id for one in found.offered.queued if one.new],
        "withheld": [
            {**_suggestion(one.suggestion), "withheld_for": one.reason, "sentence": one.sentence}
            for one in found.offered.withheld
        ],
        "contradictions": [
            {"one": plain(one.one), "other": plain(one.other), "why": one.why} for one in found.plan.contradictions
        ],
        "notices": list(found.plan.notices),
        "sentence": found.sentence,
    }


def tidy_round(found: TidyRound) -> Document:
    """A round of tidying: what it read, proposed, withheld and leaves to a person."""
    return {
        "looked_at": plain(found.looked_at),
        "model": found.model,
        "dry_run": found.is_dry_run,
        "proposed": [proposal(one) for one in found.proposed],
        "planned": [_suggestion(one) for one in found.planned],
        "withheld": [
            {**_suggestion(one.suggestion), "withheld_for": one.reason, "sentence": one.sentence}
            for one in found.withheld
        ],
        "contradictions": [
            {"one": plain(one.one), "other": plain(one.other), "why": one.why} for one in found.contradictions
        ],
        "notices": list(found.notices),
    }


def _suggestion(found: Suggestion) -> Document:
    from memoro.model.proposal_codec import encode_detail
    from memoro.model.proposals import proposed_operation

    return {
        "operation": proposed_operation(found.change),
        "detail": _object(encode_detail(found.change)),
        "evidence": plain(found.evidence),
        "origin": found.origin,
        "score": found.score,
        "reason": found.reason,
    }


def session(found: Session) -> Document:
    """The scope of a session is called `bound`, as it always was."""
    scope = found.scope
    sets = {"paths": list(scope.paths), "tiers": list(scope.tiers), "tags": list(scope.tags)}
    fields = {"bound" if name == "scope" else name: value for name, value in found._asdict().items()}
    return {**fields, "bound": {"project": scope.project, "agent": scope.agent, **sets}}


def listed_session(found: ListedSession) -> Document:
    return {**session(found.session), "about": found.about, "tokens": found.tokens}


def compaction(done: Compaction) -> Document:
    return {**plain(done), "changed": done.changed, "reached": done.reached}


def shown_session(shown: ShownSession) -> Document:
    recalls = [_recorded(one) for one in shown.recalls]
    by = {"project_by": shown.project_by} if shown.project_by else {}
    return {**plain(shown.session), **by, "recalls": recalls}


def given_on(found: GivenOnDay) -> Document:
    """All that sessions were given on one day; the texts of the items are in `session show ID`."""
    sessions = [
        {
            **plain(one.session),
            "project_by": one.project_by,
            "tokens": sum(recall.recalled.tokens for recall in one.recalls),
            "recalls": [_brief(recall) for recall in one.recalls],
        }
        for one in found.sessions
    ]
    return {"day": found.day, "totals": plain(found.totals), "by_agent": plain(found.by_agent), "sessions": sessions}


def day_page(found: DayPage) -> Document:
    """A part of what was given on one day, with the texts of the items."""
    sessions = [
        {**plain(one.listed), "recalls": [_recorded(recall) for recall in one.recalls]} for one in found.sessions
    ]
    return {**found._asdict(), "totals": plain(found.totals), "sessions": sessions}


def _brief(found: RecordedRecall) -> Document:
    names = ("recall", "at", "form", "message", "unasked", "tokens", "degraded")
    told = _recorded(found)
    items = [{name: one[name] for name in ("id", "path", "score", "tokens")} for one in told["items"]]
    why = [{"why": one.item.why} for one in found.given]
    return {
        **{name: told[name] for name in names},
        "decision": found.recalled.decision,
        "items": [{**item, **reason} for item, reason in zip(items, why, strict=True)],
    }


def _recorded(found: RecordedRecall) -> Document:
    recalled = found.recalled
    return {
        "recall": found.number,
        "at": found.at,
        "form": recalled.form,
        "message": recalled.message,
        "unasked": found.unasked,
        "tokens": recalled.tokens,
        "items": [_given(one) for one in found.given],
        **({"decision": recalled.decision} if recalled.decision else {}),
        "left_out": plain(recalled.left_out),
        "sections": plain(recalled.sections),
        "degraded": list(recalled.degraded),
        "identical": found.identical,
        "altered": list(found.altered),
    }


def _given(one: GivenItem) -> Document:
    return {**_item(one.item), "feedback": list(one.feedback), "forgotten": one.forgotten}


def replay(found: Replay) -> Document:
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


def _pair(pair: Pair) -> Document:
    return {"then": _item(pair.then), "now": _item(pair.now)}


# By the name of the class, so that encoding one kind of result loads no other.
_RULES: dict[str, Callable[[Any], Document]] = {
    "Download": pending_download,
    "EmbeddingPlan": embedding_plan,
    "JournalEntry": entry,
    "ListedSession": listed_session,
    "Proposal": proposal,
    "ProposalPreview": previewed,
    "Session": session,
}
