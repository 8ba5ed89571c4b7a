"""What `search --explain` says: how a score came about, and what its words mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memoro.cli.show import printable
from memoro.model.answers import Explanation, Hit, Signal, TermScore

# What each signal measures, in one line; docs/search.md has the whole account.
SIGNALS = {
    "words": "how much of the query's words the passage holds; rare words count more",
    "meaning": "how near the passage is to the query in meaning",
    "around": "the same for the passage together with the passages before and after it",
    "word by word": "how near, on average, each word of the query is to some word of the passage",
    "cue": "the passage holds what is asked for: a number, a time, a place or a name",
    "answer": "somebody asked something in the turn before, and this may be the answer",
    "speaker": "the person that the query names said it",
    "side": "it was said by the side that the query asks about, you or the assistant",
    "time": "its date lies in the time that the query names",
    "linked": "its note is linked with another good candidate",
    "fresh": "how recent it is",
    "use": "how useful a memory or an experience has proved",
}


def account(hit: Hit) -> Iterator[str]:
    """The score of one result as it was computed, in sentences; the largest parts first."""
    explanation = hit.explanation
    if explanation.total is None:
        yield f"score {hit.score:.4f}, the sum of what each word adds:"
        yield from map(_word, explanation.terms)
    else:
        yield _confidence(hit, explanation)
        for part in sorted(explanation.parts, key=lambda part: -abs(part.share)):
            yield _part(part)
        if explanation.terms:
            yield "words, one by one:"
            yield from (f"   {_word(term)}" for term in explanation.terms)
    if explanation.ignored:
        yield f"not looked up, because nearly every passage has them: {', '.join(explanation.ignored)}"
    yield f"place {explanation.word_rank} by words alone; id {printable(hit.id)}"


def legend(hits: Sequence[Hit]) -> Iterator[str]:
    """What the words of the accounts mean: those that were used."""
    used = {part.name for hit in hits for part in hit.explanation.parts}
    if used:
        yield "What the parts measure (value × weight = what it adds to the total; the total orders the results):"
        for name, meaning in SIGNALS.items():
            if name in used:
                yield f"   {name}: {meaning}"
    yield "A word adds its weight (its share of the query) times its fullness (how well the passage has it)."


def _confidence(hit: Hit, explanation: Explanation) -> str:
    score, total, best = hit.score, explanation.total, explanation.confidence
    if best is None:
        return f"score {score:.4f}, the sum of its parts, {total:.3f}:"
    if score == best:
        return f"score {score:.4f}: how sure the best result is. Its total is {total:.3f}, the sum of these parts:"
    return f"score {score:.4f}: the best has {best:.4f}, and the total of this one is lower, {total:.3f}:"


def _part(part: Signal) -> str:
    return f"{part.share:+.3f}  {part.name} {part.value:.3f}"


def _word(term: TermScore) -> str:
    columns = ", ".join(f"{count}× in the {column}" for column, count in term.columns.items())
    return f"{term.share:.4f} = {term.weight:.4f} × {term.fullness:.4f}  {printable(term.word)} {columns}"
