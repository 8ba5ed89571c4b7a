"""Finding what answers a query, and reading it: every way to the index goes through here."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from memoro.errors import (
    NoteNotFound,
    NoteUnreadable,
    OutOfScope,
    ProviderError,
    StoreError,
    StoreUnavailable,
    VectorsDamaged,
)
from memoro.model.answers import Answer, Held, Hit, Passage, Text, UnderstoodTime, Where, exactly
from memoro.model.extracted_lines import MARK
from memoro.model.feedback_places import is_feedback_file
from memoro.model.notes import NOTHING_HIDDEN, Note, kind_of
from memoro.model.output_filter import OutputFilter, is_respelled
from memoro.model.time_hints import may_name_time
from memoro.model.vocabulary import LEDGER_KINDS, REACHES, Tier, parse_choice
from memoro.search import grouping, retrieve
from memoro.search.relevance import Cut, cut
from memoro.search.retrieve import MAX_CANDIDATES, Admits, IndexQuery, Ranking
from memoro.search.snippet import led
from memoro.store.ports import ENDED_FACTS, Index

if TYPE_CHECKING:
    from datetime import date

    from memoro.home_context import HomeContext
    from memoro.index.indexing import Indexing
    from memoro.model.scope import Scope
    from memoro.model.sessions import RecordedRecall
    from memoro.model.vocabulary import Reach, Trust
    from memoro.search.ports import KeptItems
    from memoro.search.rank import Ranked
    from memoro.search.request import SearchRequest
    from memoro.vault.lines import Range

PRIVATE_LINE = "- (a private line)"
PRIVATE_NOTE = (
    "{} is private, and agents do not see private notes. The user can read it, or allow it with "
    "`memoro config set privacy.agents true`."
)
# Passages that are ranked at least, however few are wanted: scores, copies and the place where results end depend on
# the passages behind them too, and a single result has to be the first of ten.
LEAST_RANKED = 10
HIDDEN_LINE = '- (a line of another project; scope="all" shows it)'
# A search for a recall waits this long for a vector after the deadline, at least.
LEAST_SECONDS = 0.05

T = TypeVar("T")


class LedgerStanding:
    """Asks the ledger which memories and experiences hold now. If it cannot be read, none do; a notice says so."""

    def __init__(self, items: "KeptItems") -> None:
        self._items = items
        self.notices: list[str] = []

    def __call__(self, paths: Sequence[str], held: "Held | None" = None) -> Mapping[str, float]:
        try:
            return self._items.strengths(paths, held)
        except StoreError as error:
            if f"memories: {error}" not in self.notices:
                self.notices.append(f"memories: {error}")
            return {}

    def trusts(self, paths: Sequence[str]) -> "Mapping[str, Trust]":
        """The trust of each of these memories; of none if the ledger cannot be read."""
        try:
            return self._items.trusts(paths)
        except StoreError:
            return {}


class Finder:
    """Searches one home, and reads what was found."""

    def __init__(self, home: "HomeContext", indexing: "Indexing", items: "KeptItems") -> None:
        self._home = home
        self._indexing = indexing
        self._items = items

    def search(self, request: "SearchRequest") -> Answer:
        """Sync if it is quick to have, then find the best passages; `degraded` says what was not as it should be."""
        started = time.perf_counter()
        recalls = self._items.recalls_of(request.used_in) if request.used_in is not None else None
        refreshed = self._indexing.refresh(request.progress, embed=request.mode != "words")
        where = request.where._replace(paths=tuple(map(self._true_filter, request.where.paths)))
        where = where if recalls is None else _narrowed(where, recalls)
        wider = request.group is not None or recalls is not None
        limit = min(request.limit * grouping.WIDER, MAX_CANDIDATES) if wider else request.limit
        limit = max(limit, LEAST_RANKED)
        question = IndexQuery(
            text=request.query, where=where, limit=limit, mode=request.mode, unfinished=request.unfinished
        )
        named = _named_time(question, self._home.runtime.today)
        find = self._by_date if named and named.is_all else self.find
        ranking, kept, hits = find(question, lambda index, found: _shown(index, found, request, recalls))
        unmatched = () if hits else self._unmatched(where)
        return Answer(
            query=request.query,
            mode=ranking.mode,
            results=self._with_mutes(self._with_cautions(hits)),
            synced=refreshed.synced,
            degraded=tuple(dict.fromkeys([*refreshed.notices, *ranking.notices, *unmatched])),
            took_ms=(time.perf_counter() - started) * 1000,
            left_out=kept.left_out,
            least=kept.least,
            time=named.time if named and named.is_all else ranking.time,
        )

    def _unmatched(self, where: Where) -> tuple[str, ...]:
        """Return why an answer is empty, where a filter names what is not there."""
        if not (where.paths or where.tags or where.agents or where.projects):
            return ()
        from memoro.search.unmatched import unmatched

        return self._indexing.read(lambda index: unmatched(index, where))

    def _with_cautions(self, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
        """Return the hits, those of experiences that failed with words that say so: the intent alone does not."""
        learned = [hit.path for hit in hits if hit.kind == "experience"]
        if not learned:
            return hits
        said = self._items.cautions(learned)
        return tuple(
            hit._replace(snippet=led(said[hit.path], hit.snippet)) if hit.path in said else hit for hit in hits
        )

    def _with_mutes(self, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
        """Return the hits, and say of each whether its owner called it wrong."""
        try:
            muted = self._items.muted_if_open() if hits else None
        except StoreError:
            return hits
        if not muted:
            return hits
        return tuple(hit._replace(muted=muted.marks(hit.id, hit.tier, hit.snippet)) for hit in hits)

    def find(self, question: IndexQuery, work: Callable[[Index, Ranking], T]) -> T:
        """Rank passages, and do some work with them and the index they are from.

        A damaged index is repaired on the way, and both are done again. Without vectors, words alone rank.
        """
        notices: list[str] = []
        kinds = question.where.kinds
        alone = bool(kinds) and all(kind in LEDGER_KINDS for kind in kinds)
        if question.mode != "words":
            try:
                return self._indexing.read(
                    lambda index: work(index, self._by_meaning(index, question, notices)), notices, ledger_alone=alone
                )
            except (ProviderError, VectorsDamaged, StoreUnavailable) as error:
                if f"vectors: {error}" not in notices:
                    notices.append(f"vectors: {error}")
        return self._indexing.read(
            lambda index: work(index, self._by_words(index, question, notices)), notices, ledger_alone=alone
        )

    def _by_date(self, question: IndexQuery, work: Callable[[Index, Ranking], T]) -> T:
        """Do the same with the passages of the days that the query names, where it asks for nothing else."""
        from memoro.search.times import of_that_time, only_time, ranked

        notices: list[str] = []
        named = only_time(question.text, self._home.runtime.today())
        assert named is not None, question.text

        def dated(index: Index) -> Ranking:
            found = of_that_time(index, question.text, named.span, question.where, question.limit)
            return Ranking(ranked(found), tuple(notices), question.mode)

        return self._indexing.read(lambda index: work(index, dated(index)), notices)

    def _by_meaning(self, index: Index, question: IndexQuery, notices: Sequence[str]) -> Ranking:
        from memoro.search.spaces import MeaningQuestion, SpaceSearch

        ledger, deadline = LedgerStanding(self._items), question.deadline
        asked = MeaningQuestion(
            text=question.text,
            where=question.where,
            limit=question.limit,
            mode=question.mode,
            today=self._home.runtime.today(),
            settings=self._home.settings.query,
            standing=question.standing or ledger,
            trusts=ledger.trusts,
            asks=question.asks,
            is_private=question.is_private,
            certain=question.certain,
            admits=self._admits(index, question),
            sends_private=self._home.settings.privacy.providers,
            unfinished=question.unfinished,
            seconds=None if deadline is None else max(LEAST_SECONDS, deadline - time.perf_counter()),
        )
        found = SpaceSearch(self._indexing.indexes, self._home.embedders(self._indexing.indexes.records)).find(
            index, asked
        )
        return _without_copies(found)._replace(notices=(*notices, *ledger.notices, *found.notices))

    def with_ends(self, index: Index, passages: Sequence[Passage]) -> Sequence[Passage]:
        """Return the passages, with its days where one states only what holds no longer, as the ledger says."""
        if index.get_meta(ENDED_FACTS) is None:  # in most homes: nothing that was extracted has ended
            return passages
        from memoro.search.sources import with_ends

        try:
            return with_ends(passages, self._items.ended_facts)
        except StoreError:
            return passages  # whoever asks for memories is told why

    def _admits(self, index: Index, question: IndexQuery) -> Admits | None:
        """What of each candidate may be used, and with which days."""
        admits = question.admits
        if index.get_meta(ENDED_FACTS) is None:
            return admits

        def admitted(index: Index, passages: Sequence[Passage]) -> Sequence[Passage | None]:
            seen = passages if admits is None else admits(index, passages)
            dated = iter(self.with_ends(index, [one for one in seen if one is not None]))
            return [None if one is None else next(dated) for one in seen]

        return admitted

    def _by_words(self, index: Index, question: IndexQuery, notices: Sequence[str]) -> Ranking:
        ledger = LedgerStanding(self._items)
        multiplier = self._home.settings.query.candidate_multiplier
        question = question._replace(admits=self._admits(index, question))
        found = retrieve.by_words(index, question, multiplier, question.standing or ledger)
        return _without_copies(found)._replace(notices=(*notices, *ledger.notices, *found.notices))

    def get(
        self, target: str, around: int = 0, filter: OutputFilter | None = None, scope: "Reach" = "session"
    ) -> Text:
        """Exact lines of a note, by an id of a search, `PATH`, `PATH:LINE` or `PATH:FROM-TO`; or a memory or an
        experience, whole. `around` adds so many turns of a conversation before and after. `scope="all"` also reads
        what belongs to other projects and agents than the home was opened for.

        A path may be spelled as agents are shown it. `filter` is what a note passes before lines are cut out of it.
        """
        found, runtime = self._get(target, around, filter), self._home.runtime
        if not runtime.private and found.kind in ("note", "transcript"):
            found = self._without_private(found)
        if parse_choice(scope, REACHES, "scope") == "all" or not (runtime.agent or runtime.project):
            return found
        return _visible_to(runtime.scope, found)

    def _without_private(self, found: Text) -> Text:
        """The text, with a placeholder for each private line; raises where all of the file is private."""
        from memoro.model.privacy import is_hidden

        def passages(index: Index) -> list[Passage]:
            return [match.passage for match in index.look_up(index.chunks_of([found.path]), [])]

        note = self._note(found.path)
        is_private = note is not None and note[1].privacy == "private"
        if is_private or is_feedback_file(found.path) or is_hidden(found.path, found.tags, self._home.runtime.hidden):
            raise OutOfScope(PRIVATE_NOTE.format(found.path))
        if found.kind == "transcript":  # its private messages were left out as it was read
            return found
        private = [one for one in self._indexing.read(passages) if one.privacy == "private"]
        hidden = {line for one in private for line in range(one.start_line, one.end_line + 1)}
        lines = enumerate(found.text.split("\n"), found.start_line)
        return found._replace(
            text="\n".join(PRIVATE_LINE if n in hidden and line.strip() else line for n, line in lines)
        )

    def _get(self, target: str, around: int, filter: OutputFilter | None) -> Text:
        from memoro.model.targets import ExperienceId, MemoryId, parse_given_target

        match parse_given_target(target):
            case MemoryId() | ExperienceId() as kept:
                return self._items.text(kept)
        from memoro.vault import lines

        self._indexing.check_notes()
        self._indexing.refresh(embed=False)
        if target.startswith(("note:", "transcript:")) and "#" in target:
            path, wanted = self._lines_of(target)
        else:
            path, wanted = lines.parse_target(target, lambda one: self._note(one) is not None)
            path = self._true_path(path)
        try:
            hidden = self._indexing.hidden() if kind_of(path) == "transcript" else NOTHING_HIDDEN
            request = lines.LineRequest(
                target=target,
                path=path,
                range=wanted,
                around=around,
                hidden=hidden,
                without_private=not self._home.runtime.private,
            )
            shown = filter.text if filter else str
            return lines.read(self._home.vault(), request, self._note(path), shown)
        except NoteUnreadable as error:
            raise NoteUnreadable(f"{path}: {error}") from error

    def _lines_of(self, passage: str) -> "tuple[str, Range | None]":
        from memoro.vault import lines

        path, digest, number = lines.parse_id(passage)
        path = self._true_path(path)
        found = self._indexing.read(lambda index: index.passage(path, digest, number))
        if found is None:
            raise NoteNotFound(
                f"The passage {passage!r} is gone: the file has changed. Search again, or `memoro get {path}`."
            )
        return path, lines.Range(found.start_line, found.end_line)

    def _true_path(self, path: str) -> str:
        """The path of a file that an agent names as the filter has shown it."""
        if not is_respelled(path) or self._note(path) is not None:
            return path
        known = self._indexing.read(lambda index: list(index.files()))
        return OutputFilter(self._home.runtime.secrets()).find(path, known) or path

    def _true_filter(self, path: str) -> str:
        """A filter by path, which may be a path as an agent was shown it."""
        true = self._true_path(path)
        return path if true == path else exactly(true)

    def _note(self, path: str) -> tuple[Tier, Note] | None:
        known = self._indexing.read(lambda index: index.notes([path]).get(path))
        return (known.file.tier, known.note) if known else None

    def passages_at(self, target: str) -> tuple[Text, list[str]]:
        """Return the message at a hit of a conversation, and the digests of its passages."""
        found = self.get(target)
        index = self._indexing.current()
        lines = range(found.start_line, found.end_line + 1)
        every = [index.passage(found.path, digest, 1) for digest in dict.fromkeys(index.digests(found.path))]
        return found, [one.digest for one in every if one and one.start_line in lines]

    def notes_holding(self, word: str) -> list[str]:
        """The paths of the notes that hold a word."""
        self._indexing.refresh(embed=False)

        def paths(index: Index) -> list[str]:
            found = index.match(index.terms(word), Where(kinds=("note",)), MAX_CANDIDATES)
            return list(dict.fromkeys(match.passage.path for match in found))

        return self._indexing.read(paths)


class _NamedTime(NamedTuple):
    time: UnderstoodTime
    is_all: bool  # the query asks for nothing else


def _named_time(question: IndexQuery, today: "Callable[[], date]") -> _NamedTime | None:
    """The time that the query names. Filters by date leave it no more than a signal."""
    if not may_name_time(question.text):
        return None
    from memoro.model.time_phrases import named_in  # patterns and all: seldom needed
    from memoro.search.times import only_time

    found = named_in(question.text, today=today())
    if found is None:
        return None
    is_filtered = question.where.since is not None or question.where.until is not None
    is_all = not is_filtered and only_time(question.text, today()) is not None
    span = found.span
    return _NamedTime(UnderstoodTime(found.phrase, span.first.isoformat(), span.last.isoformat()), is_all)


def _visible_to(scope: "Scope", found: Text) -> Text:
    """The text, without lines of a daily note that belong to other projects; raises where it is not visible."""
    if refusal := scope.refusal(found.id, found.agent, found.project):
        raise OutOfScope(refusal)
    if found.tier != "daily":
        return found
    from memoro.vault.daily_lines import without_foreign

    return found._replace(text="\n".join(without_foreign(found.text.split("\n"), scope.projects, HIDDEN_LINE)))


def _narrowed(where: Where, recalls: "Sequence[RecordedRecall]") -> Where:
    from memoro.search.used_in import narrowed  # seldom needed

    return narrowed(where, recalls)


def _without_copies(found: Ranking) -> Ranking:
    """What was found, without lines of a day that repeat a message that was found too."""
    if not any(MARK in one.match.passage.text for one in found.ranked):
        return found
    from memoro.search.copies import without_copies

    return found._replace(ranked=without_copies(found.ranked))


def _shown(
    index: Index, found: Ranking, request: "SearchRequest", recalls: "Sequence[RecordedRecall] | None"
) -> tuple[Ranking, Cut, tuple[Hit, ...]]:
    """The passages found, the relevant ones among them, and these as results show them."""
    kept = cut(found.ranked, found.mode, request.min_score)
    if request.group is None and recalls is None:
        kept = kept.first(found.ranked, request.limit)
    return found, kept, _hits(index, kept.kept, request, recalls)


def _hits(
    index: Index,
    found: "Sequence[Ranked]",
    request: "SearchRequest",
    recalls: "Sequence[RecordedRecall] | None",
) -> tuple[Hit, ...]:
    """The passages as results show them: grouped where asked, and conversations with their titles."""
    hits = retrieve.hits(index, found, request.filter.text if request.filter else str)
    if request.where.since or request.where.until or any(one.explanation.is_by_date for one in found):
        hits = retrieve.with_days_of_files(hits, found)
    if any(hit.kind == "transcript" for hit in hits):
        hits = hits if request.group is None else grouping.by_conversation(hits)[: request.limit]
        hits = grouping.described(index, hits)
    if recalls is not None:
        from memoro.search.used_in import marked

        hits = marked(hits, recalls)
    return hits[: request.limit]
