"""Solutions: checked before they are kept, and shown to people."""

from __future__ import annotations

import json

from memoro.errors import Refused
from memoro.ledger.access import Clean, LedgerAccess
from memoro.model.experiences import CONFIRMED, PREFERENCE, Experience, canonical, caution
from memoro.model.memories import MAX_BYTES

_HINT_LETTERS = 600  # of a solution: a hint reminds, and `get` shows the whole


def kept_solution(access: LedgerAccess, solution: object) -> Clean:
    """The JSON text of a solution, without secrets."""
    try:
        kept = access.json(json.loads(canonical(solution)))
    except (ValueError, RecursionError) as error:
        raise Refused(
            f"This solution is not JSON ({error}). Give a text, a number, a list or an object of such."
        ) from error
    if len(kept.text.encode()) > MAX_BYTES:
        raise Refused(
            f"This solution has {len(kept.text.encode()):,} bytes; up to {MAX_BYTES:,} are kept. Record what "
            "mattered, and keep the rest as a note."
        )
    return kept


def whole(experience: Experience) -> str:
    """The text that `get` shows: a caution unless it worked, the intent, and below it what was done."""
    said = caution(experience)
    return f"{said}\n{bare(experience)}" if said else bare(experience)


def bare(experience: Experience) -> str:
    """The intent, and below it what was done, without a word on how it went."""
    solution = experience.solution
    told = solution if isinstance(solution, str) else json.dumps(solution, ensure_ascii=False, indent=2)
    return f"{experience.intent}\n\n{told}"


def on_one_line(experience: Experience) -> str:
    """The solution on one line, for a list."""
    solution = experience.solution
    told = solution if isinstance(solution, str) else json.dumps(solution, ensure_ascii=False)
    return " ".join(told.split())


def hint(experience: Experience) -> str:
    """The line for a prompt: the intent, the solution, and how well it went."""
    solution = on_one_line(experience)
    if len(solution) > _HINT_LETTERS:
        solution = f"{solution[: _HINT_LETTERS - 1]}…"
    intent = " ".join(experience.intent.split())
    if experience.type == PREFERENCE:
        sure = "confirmed by the user" if experience.trust == CONFIRMED else f"confidence {experience.success:.2f}"
        return f"Preference: {intent}: {solution} ({sure})"
    # Not how often it was used: offering it is a use, and the same message is to give the same prompt again.
    return f"Worked before: {intent} → {solution} (success {experience.success:.2f})"
