"""Results as JSON documents. Keys are a contract: later versions only add to them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memoro.config import Setting
    from memoro.health import Check, Status
    from memoro.index.sync import Report
    from memoro.model.answers import Answer, Explanation, Hit, Text

HEADING_SEPARATOR = " > "


def dumps(document: object) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2)


def answer(answer: Answer, *, explain: bool = False) -> dict[str, Any]:
    return {
        "query": answer.query,
        "mode": answer.mode,
        "results": [_hit(hit, explain) for hit in answer.results],
        "synced": answer.synced,
        "degraded": list(answer.degraded),
        "took_ms": round(answer.took_ms, 2),
    }


def _hit(hit: Hit, explain: bool) -> dict[str, Any]:
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


def text(found: Text) -> dict[str, Any]:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in found._asdict().items()}


def report(done: Report) -> dict[str, Any]:
    return {
        **done._asdict(),
        "problems": [problem._asdict() for problem in done.problems],
        "doubles": list(done.doubles),
        "took_ms": round(done.took_ms, 2),
    }


def status(found: Status) -> dict[str, Any]:
    return {
        **found._asdict(),
        "dirty": [{"path": path, "why": why} for path, why in found.dirty],
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
