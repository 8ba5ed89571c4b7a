"""The shapes of documents that do not follow from the type of a result field by field.

Each stands beside the encoder that makes the document: `memoro.documents`, or the module of the operation. A test
compares them with real documents, key by key.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memoro.api.result_schemas import Either, Extended, Named, Nullable, Shape
from memoro.index.report import Report
from memoro.ledger.archive import LedgerStats
from memoro.model.answers import Answer, Evidence, GivenIn, Hit, Replacement, Signal, UnderstoodTime
from memoro.model.derivation import DerivedCopy
from memoro.model.experiences import Experience, Expiry
from memoro.model.memories import Memory, Narrative, PrunePlan
from memoro.model.notes import Problem
from memoro.model.proposals import Evidence as ProposalEvidence
from memoro.model.proposals import Proposal, Suggestion
from memoro.model.recall import LeftOut, Recalled, RecalledItem, Section
from memoro.model.scope import Scope
from memoro.model.sessions import Session, Use, Uses
from memoro.providers.usage import Usage
from memoro.search.spaces import SpaceState
from memoro.sessions.history import DayPage, GivenTotals, ListedSession, Totals
from memoro.store.serving import Serving
from memoro.vault.secret_places import SecretPlace

_TEXT, _NUMBER = str | None, int | None
_OBJECT: Shape = Any

_EXPLANATION = {
    "words": {
        "rank": int,
        "score": float,
        "terms": [
            {"word": str, "columns": dict[str, int], "weight": float, "fullness": float, "share": float},
        ],
        "ignored": [str],
    },
    "vectors?": {"rank": _NUMBER},
    "parts?": [Signal],
    "total?": float | None,
    "confidence?": float | None,
    "evidence?": Nullable(Evidence),
    "newer_than?": _TEXT,
}
_HIT = Extended(
    Hit,
    {
        "heading": str,
        "since?": _TEXT,
        "until?": _TEXT,
        "changed?": str,
        "speaker?": _TEXT,
        "conversation?": str,
        "locator?": str,
        "title?": _TEXT,
        "agent?": _TEXT,
        "project?": _TEXT,
        "count?": int,
        "replaced_by?": Replacement,
        "given?": [GivenIn],
        "explanation?": _EXPLANATION,
    },
    only=("id", "kind", "tier", "path", "start_line", "end_line", "date", "score", "snippet"),
)
_SEARCH = Extended(Answer, {"results": [_HIT], "time?": UnderstoodTime}, without=("results", "time"))

_ITEM = Extended(
    RecalledItem,
    {"heading": str, "project?": _TEXT, "since?": _TEXT, "until?": _TEXT, "older?": str, "why?": str, "muted?": bool},
    without=("heading", "project", "since", "until", "older", "why", "muted"),
)
_RECALL = Extended(
    Recalled,
    {"items": [_ITEM], "decision?": str, "sections?": [Section], "uses?": Mapping[str, Uses], "project?": str},
    without=("items", "decision", "sections"),
)

_CHANGED_MEMORY = Extended(Memory, {"proposal": _NUMBER})
_STORED = Extended(
    Memory,
    {
        "new": bool,
        "nearest": [{"id": int, "content": str, "says_the_same": bool}],
        "superseded": [int],
        "waiting": [{"id": int, "proposal": int}],
        "redacted": [str],
        "degraded": [str],
        "visibility?": str,
    },
)
_RECOLLECTION = {
    "query": str,
    "mode": str,
    "results": [
        Extended(
            Memory,
            {
                "score": float,
                "fit": float,
                "usefulness": float,
                "recency": float,
                "linked_to": _NUMBER,
                "archived": bool,
                "since": _TEXT,
                "until": _TEXT,
                "replaced_by": Nullable(Replacement),
                "explanation?": _EXPLANATION,
            },
        )
    ],
    "degraded": [str],
    "only_archived": int,
}
_SHOWN_MEMORY = Extended(
    Memory,
    {
        "archived": bool,
        "links": [{"id": int, "strength": float, "at": str}],
        "narratives": [int],
        "supersedes": [int],
        "used?": [Use],
        "visibility?": str,
    },
)
_FORGOTTEN = {
    "done": bool,
    "memories": [Either((Memory, {"id": int}))],
    "backups": [str],
    "narratives": [int],
    "derived": [DerivedCopy],
    "elsewhere": [str],
}

_EXPERIENCE = Extended(
    Experience, {"solution": _OBJECT, "outcome": _TEXT, "weight": float}, without=("solution_json",)
)
_RECORDED = Extended(_EXPERIENCE, {"new": bool, "redacted": [str]})
_PREFERENCE = {
    "category": str,
    "value": _OBJECT,
    "confidence": float,
    "id": int,
    "others": [{"id": int, "value": _OBJECT, "confidence": float}],
}
_SIMILAR = {
    "query": str,
    "mode": str,
    "results": [Extended(_EXPERIENCE, {"score": float, "fit": float})],
    "degraded": [str],
}

_ENTRY = {
    "id": int,
    "at": str,
    "operation": str,
    "actor": str,
    "kind": str,
    "item": int | str | None,
    "before": _OBJECT,
    "after": _OBJECT,
    "undoes": _NUMBER,
    "undone_by": _NUMBER,
    "agent": _TEXT,
    "text": str,
    "proposal": _NUMBER,
    "person": _TEXT,
}
_SHOWN_CHANGE = Extended(
    Named("JournalEntry"), {"text_before": _TEXT, "text_after": _TEXT, "undo": _TEXT, "why_not": str, "later": [int]}
)
_PROPOSAL = {
    "id": int,
    "at": str,
    "actor": str,
    "agent": _TEXT,
    "operation": str,
    "detail": _OBJECT,
    "state": str,
    "settled_at": _TEXT,
    "evidence": [ProposalEvidence],
    "origin": str,
    "score": float | None,
    "expires_at": _TEXT,
    "project": _TEXT,
    "reason": str,
}
_PREVIEW = Extended(
    Proposal, {"text_before": _TEXT, "text_after": _TEXT, "outdated": _TEXT, "undone": bool, "reworded": bool}
)
_SUGGESTION = Extended(
    Suggestion, {"operation": str, "detail": _OBJECT}, only=("evidence", "origin", "score", "reason")
)
_WITHHELD = Extended(_SUGGESTION, {"withheld_for": str, "sentence": str})
_CONTRADICTION = {"one": ProposalEvidence, "other": ProposalEvidence, "why": str}
_LOOKED_AT = Mapping[str, int]

_SESSION = {
    "id": str,
    "started_at": str,
    "archived_at": _TEXT,
    "title": _TEXT,
    "bound": Extended(Scope, only=("project", "agent", "paths", "tiers", "tags")),
    "recalls": int,
    "items": int,
    "last_at": _TEXT,
}
_RECORDED_RECALL = {
    "recall": int,
    "at": str,
    "form": str,
    "message": str,
    "unasked": bool,
    "tokens": int,
    "items": [Extended(_ITEM, {"feedback": [str], "forgotten": bool})],
    "decision?": str,
    "left_out": [LeftOut],
    "sections": [Section],
    "degraded": [str],
    "identical": bool,
    "altered": [str],
}
_SHOWN_SESSION = Extended(Session, {"project_by?": _TEXT, "recalls": [_RECORDED_RECALL]})
_BRIEF = {
    "recall": int,
    "at": str,
    "form": str,
    "message": str,
    "unasked": bool,
    "tokens": int,
    "degraded": [str],
    "decision": str,
    "items": [{"id": str, "path": str, "score": float, "tokens": int, "why": str}],
}
_GIVEN_TODAY = {
    "day": str,
    "totals": GivenTotals,
    "by_agent": Mapping[str, GivenTotals],
    "sessions": [Extended(Session, {"project_by": _TEXT, "tokens": int, "recalls": [_BRIEF]})],
}
_PAIR = {"then": _ITEM, "now": _ITEM}
_REPLAY = {
    "session": str,
    **_RECORDED_RECALL,
    "block": str,
    "now?": {"block": str, "tokens": int, "items": [_ITEM], "degraded": [str]},
    "difference?": {"same": [str], "gone": [_ITEM], "new": [_ITEM], "moved": [_PAIR], "changed": [_PAIR]},
}

_CONVERSATION = {
    "path": str,
    "day": _TEXT,
    "project": _TEXT,
    "by": str,
    "facts": [
        {
            "text": str,
            "kind": str,
            "line": _NUMBER,
            "date": _TEXT,
            "speaker": _TEXT,
            "score": float,
            "is_new": bool,
            "note": _TEXT,
            "memory": _NUMBER,
        }
    ],
    "proposals": [int],
    "omitted": [{"text": str, "why": str}],
    "notices": [str],
}
_ROUND = {
    "looked_at": _LOOKED_AT,
    "model": _TEXT,
    "proposed": [int],
    "withheld": [_WITHHELD],
    "contradictions": [_CONTRADICTION],
    "notices": [str],
    "sentence": str,
}
_MARKED = {
    "id": str,
    "kind": str,
    "new": bool,
    "at": str,
    "note": str,
    "question": str,
    "answer": str,
    "project": _TEXT,
    "path": str,
    "line": int,
    "session": _TEXT,
    "host": _TEXT,
    "log": _TEXT,
    "chosen": str,
    "items": [{"id": str, "change": str}],
    "daily": _TEXT,
    "notices": [str],
    "undo": {"by": str, "since": str},
}
_SETTING_CHANGE = {
    "key": str,
    "before": _OBJECT,
    "after": _OBJECT,
    "file": str,
    "agent": _TEXT,
    "project": _TEXT,
    "next": [str],
}
_CHECK = {"name": str, "state": str, "found": str, "remedy": str, "places": [SecretPlace]}
_PLAN = {
    "space": str,
    "host": _TEXT,
    **dict.fromkeys(("passages", "private", "rejected", "cached", "texts", "tokens"), int),
    "calibration_tokens": int,
    "dollars": float | None,
    "batch_dollars": float | None,
    "is_whole": bool,
}

# Of classes, by their names: what `documents.plain` makes of them wherever they stand.
RULES: Mapping[str, Shape] = {
    "Download": {"model": str, "source": str, "bytes": _NUMBER, "folder": str},
    "EmbeddingPlan": _PLAN,
    "JournalEntry": _ENTRY,
    "ListedSession": Extended(Session, {"about": str, "tokens": int}),
    "Proposal": _PROPOSAL,
    "ProposalPreview": _PREVIEW,
    "Session": _SESSION,
    "Neighbourhood": Extended(Memory, {"strength": float, "linked": [Named("Neighbourhood")]}),
}


def _status(status: Shape) -> Shape:
    dirty = {"path": str, "why": str, "bytes?": int, "due?": bool}
    times = Extended(Serving, {"since": _TEXT, "did_at": _TEXT})
    about = {
        "project": _TEXT,
        "project_by": _TEXT,
        "proposals": int,
        "proposal_kinds": Mapping[str, int],
        "oldest_proposal": _TEXT,
        "feedback": int,
    }
    return Extended(status, {"dirty": [dirty], "problems": [Problem], "serving": Nullable(times), **about})


def shapes() -> Mapping[str, Shape]:
    """The shape of the document of each operation that has an encoder of its own, by its name."""
    from memoro.conversation.context import Compaction
    from memoro.conversation.window import WindowStats
    from memoro.health import Status
    from memoro.operations.transcripts import TranscriptFolders
    from memoro.target_forgetting import ForgetResult

    narratives = {"results": [Extended(Narrative, {"score?": float})]}
    return {
        "search": _SEARCH,
        "recall": _RECALL,
        "prompt": _RECALL,
        "transcripts list": TranscriptFolders,
        "memory store": _STORED,
        "memory update": _CHANGED_MEMORY,
        "memory supersede": _CHANGED_MEMORY,
        "memory remove": _CHANGED_MEMORY,
        "memory query": _RECOLLECTION,
        "memory show": _SHOWN_MEMORY,
        "memory list": {"results": [Extended(Memory, {"visibility?": str})], "next": _TEXT},
        "memory links": Named("Neighbourhood"),
        "memory stats": Extended(LedgerStats, {**_fields(Totals), "archived_sessions": int}),
        "memory prune": Extended(PrunePlan, {"done": bool}),
        "memory forget": _FORGOTTEN,
        "experience record": _RECORDED,
        "experience use": _EXPERIENCE,
        "experience prefer": Either(
            (Extended(_RECORDED, {"preference": _PREFERENCE}), {"preferences": [_PREFERENCE]})
        ),
        "experience trust": _EXPERIENCE,
        "experience find": _SIMILAR,
        "experience show": _EXPERIENCE,
        "experience list": {"results": [_EXPERIENCE], "next?": _TEXT},
        "experience prune": Extended(Expiry, {"done": bool}),
        "experience remove": _EXPERIENCE,
        "narrative update": narratives,
        "narrative search": narratives,
        "narrative show": narratives,
        "given day": Extended(
            DayPage, {"sessions": [Extended(ListedSession, {"recalls": [_RECORDED_RECALL]})]}, without=("sessions",)
        ),
        "session show": Either((_SHOWN_SESSION, _GIVEN_TODAY)),
        "session replay": _REPLAY,
        "forget": Extended(ForgetResult, {"path?": str}, without=("path",)),
        "context stats": WindowStats,
        "context compact": Extended(Compaction, {"changed": bool, "reached": bool}),
        "review": {
            "round": Nullable(_ROUND),
            "proposals": [Extended(_PREVIEW, {"uses": Nullable(Uses)})],
            "decided": [{"proposal": int, "done": bool, "sentence": str}],
        },
        "extract": {
            "dry_run": bool,
            "model": bool,
            "conversations": [_CONVERSATION],
            "left_out": [{"path": str, "day": _TEXT, "why": str}],
        },
        "wrong": _MARKED,
        "good": _MARKED,
        "tidy": {
            "looked_at": _LOOKED_AT,
            "model": _TEXT,
            "dry_run": bool,
            "proposed": [Proposal],
            "planned": [_SUGGESTION],
            "withheld": [_WITHHELD],
            "contradictions": [_CONTRADICTION],
            "notices": [str],
        },
        "log show": _SHOWN_CHANGE,
        "undo": {"done": bool, "changes": [Named("JournalEntry")], "refused": [str], "derived": [int]},
        "sync": Report,
        "status": _status(Status),
        "doctor": {"ok": bool, "checks": [_CHECK]},
        "usage": Extended(Usage, {"left": float | None}),
        "space list": {"spaces": [Extended(SpaceState, {"cached": int, "suspicion": _TEXT, "calibrated": int})]},
        "config set": _SETTING_CHANGE,
        "config unset": _SETTING_CHANGE,
    }


def _fields(kind: type) -> dict[str, Shape]:
    from memoro.api.result_schemas import hints_of

    return dict(hints_of(kind))
