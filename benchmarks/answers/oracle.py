"""What a hostile answer may cause at most, worked out apart from Memoro's own checks.

It knows nothing of the code that validates: it reads the prompt as a model does, and the rules as documented.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

_STEPS = {"add": (0, 0), "keep": (0, 0), "merge": (1, 1), "supersede": (1, 3), "retire": (1, 3)}


class KnownFact(NamedTuple):
    """A current fact of the home, as the campaign made it."""

    place: str  # `memory:7`, or the id of an entry
    project: str | None = None
    is_entry: bool = False


class ExpectedProposal(NamedTuple):
    step: str
    place: str
    text: str  # of the candidate


def allowed_proposals(
    answer: Any, records: list[dict[str, Any]], known: Mapping[str, KnownFact], project: str | None
) -> set[ExpectedProposal] | None:
    """Return the proposals that an answer asks for; None where anything in it is wrong: then it counts for nothing.

    `known` are the facts of the home by their text.
    """
    candidates = {record["candidate"]: record for record in records if "candidate" in record}
    facts = {record["fact"]: known[record["text"]] for record in records if "fact" in record}
    try:
        rows = _rows(answer)
        assert sorted(row["candidate"] for row in rows) == sorted(candidates)
        wanted = [_wanted(row, candidates[row["candidate"]], facts, project) for row in rows]
    except (AssertionError, TypeError, KeyError, UnicodeError):
        return None
    ended = [target for row in rows if row["step"] in ("supersede", "retire") for target in row["targets"]]
    merged = [target for row in rows if row["step"] == "merge" for target in row["targets"]]
    if len(ended) != len(set(ended)) or set(ended) & set(merged):
        return None
    return set().union(*wanted)


def _rows(answer: Any) -> list[dict[str, Any]]:
    assert type(answer) is dict and sorted(answer) == ["decisions", "reason"]
    assert type(answer["reason"]) is str and len(answer["reason"]) <= 4000
    answer["reason"].encode()  # no file holds half a character
    rows = answer["decisions"]
    assert type(rows) is list and all(type(row) is dict for row in rows)
    for row in rows:
        assert sorted(row) == ["candidate", "reason", "step", "targets"]
        assert type(row["candidate"]) is int and type(row["step"]) is str and row["step"] in _STEPS
        assert type(row["reason"]) is str and row["reason"].strip() and len(row["reason"]) <= 400
        row["reason"].encode()
        assert type(row["targets"]) is list and all(type(one) is int for one in row["targets"])
    return list(rows)


def _wanted(
    row: dict[str, Any], candidate: dict[str, Any], facts: Mapping[int, KnownFact], project: str | None
) -> set[ExpectedProposal]:
    least, most = _STEPS[row["step"]]
    targets = row["targets"]
    assert least <= len(targets) <= most and len(set(targets)) == len(targets)
    assert set(targets) <= set(candidate["nearest"])
    ends = row["step"] in ("supersede", "retire")
    for target in targets:
        fact = facts[target]
        assert fact.is_entry or fact.project == project or (not ends and fact.project is None)
    if not ends:
        return set()
    return {ExpectedProposal(row["step"], facts[target].place, candidate["text"]) for target in targets}
