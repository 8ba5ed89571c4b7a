"""The words of `search --explain`: the account of a score, and a legend."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memoro.cli.show import printable
from memoro.model.answers import Evidence, Explanation, Hit, Signal, TermScore
from memoro.model.replaced import reason

# What each signal measures, in one line; docs/search.md has the whole account.
SIGNALS = {
    "words": "how much of the query's words the passage holds; rare words count more",
    "meaning": "how near the passage is to the query in meaning",
    "around": "the same for the passage together with the passages before and after it",
    "word by word": "how near, on average, each word of the query is to some word of the passage",
    "cue": "the passage holds what is asked for: a number, an amount of money, a time, a place or a person",
    "attribute": "it states what the query asks for, such as a home or a lead, or less than 0: only something else",
    "experience": "it tells how something was done, and the query asks for a fact",
    "answer": "somebody asked something in the turn before, and this may be the answer",
    "subject": "it is about whom or what the query names, or less than 0: about another",
    "speaker": "the person that the query names said it",
    "side": "it was said by the side that the query asks about, you or the assistant",
    "asks": "it only asks, and tells nothing",
    "rule": "it states a rule or a preference, and the query is a task",
    "nearby": "how well another turn near it fits",
    "spread": "how many better turns of the same conversation stand before it",
    "time": "its date lies in the time that the query names",
    "trust": "it is a memory that came from a tool or the web",
    "linked": "its note is linked with another good candidate",
    "fresh": "how recent it is",
    "use": "how useful a memory or an experience has proved",
    "newer": "it says something newer about the same thing than a better match, and takes its place",
}


def account(hit: Hit) -> Iterator[str]:
    """The score of one result as it was computed, in sentences; the largest parts first."""
    explanation = hit.explanation
    if explanation.is_by_date:
        yield f"score {hit.score:.4f}: how surely a {hit.tier} of these days is meant; id {printable(hit.id)}"
        return
    if explanation.total is None:
        yield f"score {hit.score:.4f}: three fifths of the weights below and two fifths of the shares:"
        yield from map(_word, explanation.terms)
    else:
        yield from parts(hit.score, explanation)
    if explanation.newer_than:
        yield f"newer than {printable(explanation.newer_than)}, whose place and score it has taken"
    if hit.replaced_by:
        yield f"older: {reason(hit.replaced_by)}"
    if explanation.ignored:
        yield f"not looked up, because nearly every passage has them: {', '.join(explanation.ignored)}"
    yield f"place {explanation.word_rank} by words alone; id {printable(hit.id)}"


def parts(score: float, explanation: Explanation) -> Iterator[str]:
    """The score and the place of one result by words and meaning; the largest parts first."""
    yield from _score(score, explanation)
    for part in sorted(explanation.parts, key=lambda part: -abs(part.share)):
        yield _part(part)
    if explanation.terms:
        yield "words, one by one:"
        yield from (f"   {_word(term)}" for term in explanation.terms)


def legend(explanations: Sequence[Explanation]) -> Iterator[str]:
    """Explain the words that the accounts use."""
    used = {part.name for explanation in explanations for part in explanation.parts}
    if used:
        yield "What the parts measure (value × weight = what it adds to the total; the total orders the results):"
        for name, meaning in SIGNALS.items():
            if name in used:
                yield f"   {name}: {meaning}"
    yield "A word adds its weight (its share of the query) times its fullness (how well the passage has it)."


def _score(score: float, explanation: Explanation) -> Iterator[str]:
    if explanation.evidence is None or explanation.confidence is None:
        yield f"score {score:.4f}, the sum of its parts:"
        return
    yield _relevance(score, explanation.confidence, explanation.evidence)
    yield f"its place comes from a total of {explanation.total:.3f}, the sum of these parts:"


def _relevance(score: float, confidence: float, evidence: Evidence) -> str:
    levelled = "" if abs(score - confidence) < 5e-5 else f" from {confidence:.4f}, levelled with its neighbours"
    return (
        f"score {score:.4f}{levelled}: it covers {evidence.coverage:.0%} of the query, the nearness is "
        f"{evidence.nearness:.3f}, the words carry {evidence.words:.3f}"
    )


def _part(part: Signal) -> str:
    return f"{part.share:+.3f}  {part.name} {part.value:.3f}"


def _word(term: TermScore) -> str:
    columns = ", ".join(f"{count}× in the {column}" for column, count in term.columns.items())
    return f"{term.share:.4f} = {term.weight:.4f} × {term.fullness:.4f}  {printable(term.word)} {columns}"
