"""A message in, a block out: search, abstain or pack, and fence."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, cast

from memoro import config
from memoro.errors import ConfigError
from memoro.model.answers import Where
from memoro.model.fence import without_fenced
from memoro.model.recall import LeftOut, Recalled
from memoro.model.secrets import redact
from memoro.model.tokens import tokens
from memoro.model.visible import visible
from memoro.model.vocabulary import Mode, RecallForm
from memoro.recall import candidates, fence
from memoro.recall.pack import Candidate, Limits, Packed, pack
from memoro.recall.ports import Sources, Standing
from memoro.store.ports import Index

if TYPE_CHECKING:
    from memoro.providers.calibration import Calibration

# If none of the first passages is as sure as this, there is no answer, and nothing is said. This one is for a search
# by words alone; those of a search by meaning belong to the space. Fitted on `benchmarks abstention`.
ABSTAIN_WORDS = 0.15
FIRST = 10
# What a score is worth that is worth 1 in hybrid mode.
_MEANS: Mapping[Mode, float] = {"hybrid": 1.0, "words": 0.75, "vectors": 0.75}
# A passage that by itself is this much less sure than the surest one hardly ever answers: better no context than
# noise. Set by hand, by what is left of sample questions: the sets of benchmarks/packing_weights.py count only what
# reaches the block, and would have none of it.
NOISE = 0.05
MAX_CANDIDATES = 200
WIDE = 100  # a search that looks at fewer ranks worse: what a signal is worth is told by how it differs among them
MAX_BUDGET = 100_000
_HEAD, _TAIL = 3000, 1000  # characters of a long message that say what it is about
_PER_CANDIDATE = 15  # tokens of the budget for each passage that is looked at: nearly all are longer

WEAK = "below the minimum score"
GIVEN = "already given in this conversation"
LONG = f"message: only its first {_HEAD:,} and its last {_TAIL:,} characters were looked up"
TOO_SMALL = "recall: the budget is too small for any item"
THERE = "already in the prompt"
QUARANTINED = "in quarantine"


class Wanted(NamedTuple):
    """How much is wanted, of what, and what is there already."""

    budget: int
    candidates: int
    window: int
    where: Where = Where()
    given: frozenset[str] = frozenset()
    items: int | None = None  # at most so many
    min_score: float | None = None  # of each item, in hybrid mode; None: only the best must be no guess
    abstain: bool = True  # False: give the best there is, however weak
    there: Mapping[str, tuple[int, int]] = MappingProxyType({})  # by path, lines that stand beside the block anyway
    loaded: Mapping[str, Sequence[str]] = MappingProxyType({})  # by path, texts that the conversation holds of notes

    @property
    def form(self) -> RecallForm:
        return "full" if self.min_score is None else "proactive"


def wanted(
    settings: config.RecallSettings,
    budget: int | None,
    where: Where,
    given: Collection[str],
    *,
    proactive: bool,
    abstain: bool = True,
) -> Wanted:
    """As the settings say, where the caller says nothing."""
    if budget is not None and not 1 <= budget <= MAX_BUDGET:
        raise ConfigError(f"The budget must be from 1 to {MAX_BUDGET:,} tokens, not {budget:,}.")
    if not proactive:
        return Wanted(
            settings.budget if budget is None else budget,
            settings.candidates,
            settings.window,
            where,
            frozenset(given),
            abstain=abstain,
        )
    unasked = settings.proactive
    return Wanted(
        unasked.max_tokens if budget is None else budget,
        settings.candidates,
        0,
        where,
        frozenset(given),
        unasked.max_items,
        unasked.min_score,
    )


class Chosen(NamedTuple):
    """What goes in, before it is fenced."""

    packed: Packed
    degraded: tuple[str, ...]


NOTHING_ASKED = Chosen(Packed((), ()), ())


def asked(message: str) -> str:
    """What a message is about, without what was put into it before."""
    return without_fenced(message).strip()


def nothing(why: str) -> Chosen:
    return Chosen(Packed((), ()), (why,))


def recall(sources: Sources, message: str, wanted: Wanted) -> Recalled:
    """The block for a message; an empty one where nothing is relevant."""
    chosen = choose(sources, message, wanted, wanted.budget * 4 - fence.fence_quarters())
    items = chosen.packed.items
    boundary = fence.fresh_boundary(fence.body(items), sources.draw) if items else ""
    block = fence.block(items, boundary)
    return Recalled(
        message, wanted.form, block, boundary, tokens(block), items, chosen.packed.left_out, chosen.degraded, 0.0
    )


def choose(sources: Sources, message: str, wanted: Wanted, room: int) -> Chosen:
    """The items for a message that fit into so many quarters of a token."""
    about = asked(message)
    if not about:
        return Chosen(Packed((), ()), tuple(sources.told))
    if room <= 0:
        return nothing(TOO_SMALL)
    limit = max(wanted.candidates, WIDE, min(MAX_CANDIDATES, wanted.budget // _PER_CANDIDATE))
    found = _found(sources, ends(about), wanted, limit)
    if len(about) > _HEAD + _TAIL:
        found = found._replace(degraded=(*found.degraded, LONG))
    fit, out = _fit(found, wanted)
    if not fit:
        return Chosen(Packed((), tuple(out)), found.degraded)
    packed = cast(Packed, sources.read(lambda index: _packed(index, fit, wanted, room, sources.secrets)))
    return Chosen(packed._replace(left_out=(*packed.left_out, *out)), found.degraded)


def ends(message: str) -> str:
    """Of a long message its beginning and its end: what is asked most often stands there, and the middle is slow."""
    return message if len(message) <= _HEAD + _TAIL else f"{message[:_HEAD]}\n{message[-_TAIL:]}"


class _Found(NamedTuple):
    candidates: list[Candidate]
    mode: Mode
    degraded: tuple[str, ...]
    calibration: Calibration | None


def _found(sources: Sources, asked: str, wanted: Wanted, limit: int) -> _Found:
    """What answers the message: what was found, or where it asks for a time alone, what is of that time."""
    from memoro.recall import times  # patterns and all: not needed where nothing is asked

    if span := times.only_time(asked, sources.today()):
        dated = sources.read(lambda index: times.of_that_time(index, span, wanted.where, limit))
        found = _Found(cast("list[Candidate]", dated), "hybrid", (), None)
    else:
        ranking = sources.search(asked, wanted.where, limit)
        found = _Found(candidates.candidates(ranking), ranking.mode, ranking.degraded, ranking.calibration)
    believed = sources.standings([one.passage.path for one in found.candidates])
    told = [_standing(one, believed.get(one.passage.path)) for one in found.candidates]
    return found._replace(candidates=told, degraded=tuple(dict.fromkeys([*sources.told, *found.degraded])))


def _standing(one: Candidate, standing: Standing | None) -> Candidate:
    if standing is None:
        return one
    passage = one.passage
    if standing.text is not None:
        passage = passage._replace(text=standing.text, end_line=standing.text.count("\n") + 1)
    return one._replace(passage=passage, trust=standing.trust, source=standing.source)


def _fit(found: _Found, wanted: Wanted) -> tuple[list[Candidate], list[LeftOut]]:
    """The candidates that may go in at all, and why the others may not."""
    answers = may_answer(found.candidates, found.mode, found.calibration)
    silent = wanted.abstain and wanted.min_score is None and not answers
    noise = NOISE * max((one.sure for one in found.candidates), default=0.0)
    least = _MEANS[found.mode] * (wanted.min_score or 0.0)
    fit, out = [], []
    for one in found.candidates:
        if one.id in wanted.given or one.passage.path in wanted.given:
            out.append(LeftOut(one.id, GIVEN))
        elif _is_there(one, wanted):
            out.append(LeftOut(one.id, THERE))
        elif _is_loaded(one, wanted):
            out.append(LeftOut(one.id, GIVEN))
        elif silent or one.sure < noise or min(one.score, one.sure) < least:
            out.append(LeftOut(one.id, WEAK))
        elif one.trust == "quarantined" and wanted.min_score is not None:
            out.append(LeftOut(one.id, QUARANTINED))
        else:
            fit.append(one)
    return fit, out


def may_answer(found: Sequence[Candidate], mode: Mode, calibration: Calibration | None) -> bool:
    """Return whether it is more than chance that these were found.

    In hybrid mode, a passage with a high cosine is no chance hit, however few words it shares: a chat has few
    to share. Without a calibration, only the confidence of the passages counts.
    """
    first = found[:FIRST]
    if calibration is None or mode == "words":
        return any(one.sure >= ABSTAIN_WORDS for one in first)
    if mode == "vectors":
        return any(one.sure >= calibration.abstain_vectors for one in first)
    near = calibration.near
    return any(one.sure >= calibration.abstain_hybrid or (near is not None and one.near >= near) for one in first)


def _is_there(one: Candidate, wanted: Wanted) -> bool:
    first, last = wanted.there.get(one.passage.path, (1, 0))
    return first <= one.passage.start_line and one.passage.end_line <= last


def _is_loaded(one: Candidate, wanted: Wanted) -> bool:
    """Whether every line of it was loaded, by what they say: the note may have been edited since."""
    if one.passage.path not in wanted.loaded:
        return False
    held = {line.strip() for text in wanted.loaded[one.passage.path] for line in text.split("\n")}
    return all(line.strip() in held for line in one.passage.text.split("\n") if line.strip())


def _packed(index: Index, fit: Sequence[Candidate], wanted: Wanted, room: int, secrets: Sequence[str]) -> Packed:
    pool = candidates.pool(index, fit, around=wanted.candidates, window=wanted.window, given=wanted.given)
    others = {
        chunk: one for chunk, one in pool.others.items() if not (_is_there(one, wanted) or _is_loaded(one, wanted))
    }
    pool = pool._replace(others=others)
    return pack(
        pool, Limits(room, wanted.items), shown(secrets), lambda one, limit: candidates.excerpt(index, one, limit)
    )


def shown(secrets: Sequence[str]) -> Callable[[str], str]:
    """How a text is shown: without secrets, and without what cannot be seen."""
    return lambda text: redact(visible(text), secrets).text
