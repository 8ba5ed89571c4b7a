"""A message in, a block out: search, abstain or pack, and fence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from memoro import config
from memoro.errors import ConfigError
from memoro.model.answers import Where
from memoro.model.asked_message import HEAD, TAIL, asked, ends, is_long
from memoro.model.given_text import holds
from memoro.model.output_filter import OutputFilter
from memoro.model.projects import belongs
from memoro.model.recall import LeftOut, Provenance, Recalled, RecallOptions
from memoro.model.sessions import HeldContext
from memoro.model.time_hints import may_name_time
from memoro.model.tokens import tokens
from memoro.model.vocabulary import Mode, RecallForm
from memoro.recall import candidates, fence
from memoro.recall.pack import PackCandidate, Packed, PackLimits, pack
from memoro.recall.ports import RecallSources
from memoro.store.ports import Index

if TYPE_CHECKING:
    from datetime import date

    from memoro.model.time_phrases import NamedTime
    from memoro.providers.calibration import Calibration

# If none of the first passages is as sure as this, there is no answer, and nothing is said. This one is for a search
# by words alone; those of a search by meaning belong to the space. Fitted on `benchmarks abstention`.
ABSTAIN_WORDS = 0.25
FIRST = 10
# A score by words alone says less: to be added unasked, it must be this much higher.
_MEANS: Mapping[Mode, float] = {"hybrid": 1.0, "words": 1.2, "vectors": 1.0}
# A passage that by itself is this much less sure than the surest one hardly ever answers: better no context than
# noise. Set by hand, by what is left of sample questions: the sets of benchmarks/packing_weights.py count only what
# reaches the block, and would have none of it.
NOISE = 0.05
MAX_CANDIDATES = 200
WIDE = 100  # a search that looks at fewer ranks worse: what a signal is worth is told by how it differs among them
MAX_BUDGET = 100_000
_PER_CANDIDATE = 15  # tokens of the budget for each passage that is looked at: nearly all are longer

WEAK = "below the minimum score"
GIVEN = "already given in this conversation"
LONG = f"message: only its first {HEAD:,} and its last {TAIL:,} characters were looked up"
TOO_SMALL = "recall: the budget is too small for any item"
THERE = "already in the prompt"
QUARANTINED = "in quarantine"
OLDER = "older than something else about the same thing"


class Wanted(NamedTuple):
    """The budget and filter of a recall, and the context that the conversation holds already."""

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
    parts: Mapping[str, Sequence[str]] = MappingProxyType({})  # by id, texts of passages that it may hold in part
    marks: bool = False  # items say which project they belong to

    @property
    def form(self) -> RecallForm:
        return "full" if self.min_score is None else "proactive"


def wanted(settings: config.RecallSettings, where: Where, options: RecallOptions, held: HeldContext) -> Wanted:
    """Combine the options with the settings, which fill in what the options leave open."""
    budget = options.budget
    if budget is not None and not 1 <= budget <= MAX_BUDGET:
        raise ConfigError(f"The budget must be from 1 to {MAX_BUDGET:,} tokens, not {budget:,}.")
    if not options.proactive:
        return Wanted(
            budget=settings.budget if budget is None else budget,
            candidates=settings.candidates,
            window=settings.window,
            where=where,
            given=held.passages,
            loaded=held.loaded,
            parts=held.parts,
            marks=options.marks,
        )
    unasked = settings.proactive
    return Wanted(
        budget=unasked.max_tokens if budget is None else budget,
        candidates=settings.candidates,
        window=0,
        where=where,
        given=held.passages,
        loaded=held.loaded,
        parts=held.parts,
        items=unasked.max_items,
        min_score=unasked.min_score,
    )


class Chosen(NamedTuple):
    """The items of a block before it is fenced."""

    packed: Packed
    degraded: tuple[str, ...]


NOTHING_ASKED = Chosen(Packed((), ()), ())


def nothing(why: str) -> Chosen:
    return Chosen(Packed((), ()), (why,))


def recall(sources: RecallSources, message: str, wanted: Wanted) -> Recalled:
    """The block for a message; an empty one where nothing is relevant."""
    chosen = choose(sources, message, wanted, wanted.budget * 4 - fence.fence_quarters())
    items = chosen.packed.items
    boundary = fence.fresh_boundary(fence.body(items), sources.draw) if items else ""
    block = fence.block(items, boundary)
    return Recalled(
        message=message,
        form=wanted.form,
        block=block,
        boundary=boundary,
        tokens=tokens(block),
        items=items,
        left_out=chosen.packed.left_out,
        degraded=chosen.degraded,
        took_ms=0.0,
    )


def choose(sources: RecallSources, message: str, wanted: Wanted, room: int) -> Chosen:
    """The items for a message that fit into so many quarters of a token."""
    about = asked(message)
    if not about:
        return Chosen(Packed((), ()), tuple(sources.search.notices))
    if room <= 0:
        return nothing(TOO_SMALL)
    limit = max(wanted.candidates, WIDE, min(MAX_CANDIDATES, wanted.budget // _PER_CANDIDATE))
    found = _find(sources, ends(about), wanted, limit)
    if is_long(about):
        found = found._replace(degraded=(*found.degraded, LONG))
    fit, out = _fit(found, wanted)
    if not fit:
        return Chosen(Packed((), tuple(out)), found.degraded)
    secrets = sources.runtime.secrets()
    packed = sources.search.read(lambda index: _packed(index, fit, wanted, room, secrets))
    return Chosen(packed._replace(left_out=(*packed.left_out, *out)), found.degraded)


class _Found(NamedTuple):
    candidates: list[PackCandidate]
    mode: Mode
    degraded: tuple[str, ...]
    calibration: Calibration | None


def _find(sources: RecallSources, asked: str, wanted: Wanted, limit: int) -> _Found:
    """Search for the message; if it only names a time, list the passages of that time."""
    if time := _only_time(asked, sources.runtime.today):
        from memoro.search.times import of_that_time

        dated = sources.search.read(lambda index: of_that_time(index, asked, time.span, wanted.where, limit))
        found = _Found(candidates=candidates.dated(dated), mode="hybrid", degraded=(), calibration=None)
    else:
        ranking = sources.search.search(asked, wanted.where, limit)
        found = _Found(
            candidates=candidates.candidates(ranking),
            mode=ranking.mode,
            degraded=ranking.notices,
            calibration=ranking.calibration,
        )
    provenances = sources.items.provenances([one.passage.path for one in found.candidates])
    known = [_with_provenance(one, provenances.get(one.passage.path)) for one in found.candidates]
    if known and (muted := sources.muted()):
        known = [one._replace(muted=muted.marks(one.id, one.passage.tier, one.passage.text)) for one in known]
    notices = tuple(dict.fromkeys([*sources.search.notices, *found.degraded]))
    return found._replace(candidates=known, degraded=notices)


def _only_time(asked: str, today: Callable[[], date]) -> NamedTime | None:
    if not may_name_time(asked):
        return None
    from memoro.search.times import only_time  # patterns and all: seldom needed

    return only_time(asked, today())


def _with_provenance(one: PackCandidate, provenance: Provenance | None) -> PackCandidate:
    if provenance is None:
        return one
    passage = one.passage
    if provenance.text is not None:
        text = f"{provenance.caution}\n{provenance.text}" if provenance.caution else provenance.text
        passage = passage._replace(text=text, end_line=text.count("\n") + 1)
    return one._replace(passage=passage, trust=provenance.trust, source=provenance.source, caution=provenance.caution)


def _fit(found: _Found, wanted: Wanted) -> tuple[list[PackCandidate], list[LeftOut]]:
    """Split the candidates into those that may go in, and the others with a reason each."""
    answers = may_answer(found.candidates, found.mode, found.calibration)
    silent = wanted.abstain and wanted.min_score is None and not answers
    noise = NOISE * max((one.sure for one in found.candidates), default=0.0)
    least = _MEANS[found.mode] * (wanted.min_score or 0.0)
    fit, out = [], []
    for one in found.candidates:
        if one.passage.path in wanted.given or (one.id in wanted.given and not _is_cut(one, wanted)):
            out.append(LeftOut(one.id, GIVEN))
        elif _is_there(one, wanted):
            out.append(LeftOut(one.id, THERE))
        elif _is_loaded(one, wanted):
            out.append(LeftOut(one.id, GIVEN))
        elif silent or one.sure < noise or min(one.score, one.sure) < least:
            out.append(LeftOut(one.id, WEAK))
        elif one.older and wanted.min_score is not None:
            out.append(LeftOut(one.id, OLDER))
        elif one.trust == "quarantined" and wanted.min_score is not None:
            out.append(LeftOut(one.id, QUARANTINED))
        else:
            fit.append(one)
    return fit, out


def may_answer(found: Sequence[PackCandidate], mode: Mode, calibration: Calibration | None) -> bool:
    """Return whether these passages are more than chance hits.

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


def _is_there(one: PackCandidate, wanted: Wanted) -> bool:
    first, last = wanted.there.get(one.passage.path, (1, 0))
    return first <= one.passage.start_line and one.passage.end_line <= last


def _is_loaded(one: PackCandidate, wanted: Wanted) -> bool:
    """Return whether every line was loaded already, compared by text: the note may have been edited since."""
    if one.passage.path not in wanted.loaded:
        return False
    held = {line.strip() for text in wanted.loaded[one.passage.path] for line in text.split("\n")}
    return all(line.strip() in held for line in one.passage.text.split("\n") if line.strip())


def _is_cut(one: PackCandidate, wanted: Wanted) -> bool:
    """Return whether lines were left out when the passage was given: it may be given whole then."""
    texts = wanted.parts.get(one.id, ())
    lines = (line.strip() for line in one.passage.text.split("\n") if not line.startswith("#"))
    return bool(texts) and not all(holds("\n".join(texts), line) for line in lines)


def _packed(index: Index, fit: Sequence[PackCandidate], wanted: Wanted, room: int, secrets: Sequence[str]) -> Packed:
    pool = candidates.pool(index, fit, around=wanted.candidates, window=wanted.window, given=wanted.given)
    others = {
        chunk: one if wanted.marks else unmarked(one)
        for chunk, one in pool.others.items()
        if belongs(one.passage.project, wanted.where.bound_projects)  # beside a line may stand one of another project
        and (wanted.where.private or one.passage.privacy != "private")
        and not (_is_there(one, wanted) or _is_loaded(one, wanted))
    }
    filter = OutputFilter(secrets)
    clean = cache(filter.text)  # passages of one note share their headings
    candidates_shown = pool.candidates if wanted.marks else [unmarked(one) for one in pool.candidates]
    pool = pool._replace(
        candidates=[_with_headings(one, clean) for one in candidates_shown],
        others={chunk: _with_headings(one, clean) for chunk, one in others.items()},
    )
    return pack(
        pool, PackLimits(room, wanted.items), filter.text, lambda one, limit: candidates.excerpt(index, one, limit)
    )


def unmarked(one: PackCandidate) -> PackCandidate:
    return one._replace(passage=one.passage._replace(project=None))


def _with_headings(one: PackCandidate, clean: Callable[[str], str]) -> PackCandidate:
    """Filter the headings of a passage; its text is filtered when it is taken."""
    headings = tuple(map(clean, one.passage.headings))
    return one._replace(passage=one.passage._replace(headings=headings))
