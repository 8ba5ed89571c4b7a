"""Build the context for a message, alone or within a whole prompt."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import StoreError, VaultError
from memoro.model.answers import Where, exactly, is_below
from memoro.model.asked_message import asked
from memoro.model.output_filter import OutputFilter
from memoro.model.ratings import MutedWords
from memoro.model.recall import Recalled, RecalledItem
from memoro.model.tokens import quarters, whole
from memoro.recall import answer, assemble, fence
from memoro.recall.always_loaded import (
    AlwaysLoaded,
    TodaysNote,
    read_always_loaded,
    within,
    without_lines_about,
    without_muted_lines,
)
from memoro.recall.block_request import BlockRequest
from memoro.recall.ports import RecallSources
from memoro.search.prompt_search import PromptSearch

if TYPE_CHECKING:
    from memoro.home_context import HomeContext
    from memoro.index.indexing import Indexing
    from memoro.ledger.lazy import LazyLedger
    from memoro.model.scope import Scope
    from memoro.search.finder import Finder


class _Hints(NamedTuple):
    hints: Sequence[assemble.PromptHint] = ()
    notices: tuple[str, ...] = ()


class BlockBuilder:
    """Builds blocks."""

    def __init__(self, home: HomeContext, indexing: Indexing, finder: Finder, ledger: LazyLedger) -> None:
        self._home = home
        self._indexing = indexing
        self._finder = finder
        self._ledger = ledger

    def build(self, request: BlockRequest) -> Recalled:
        started = time.perf_counter()
        request = request._replace(where=request.where._replace(shared=True))
        done = self._prompt(request) if request.options.prompt else self._recall(request)
        return done._replace(took_ms=(time.perf_counter() - started) * 1000)

    def sources(self, message: str = "") -> RecallSources:
        """Sync, and return the sources of a recall for a message; searches by them do not sync again."""
        search = PromptSearch(self._home, self._indexing, self._finder, message)
        hidden = self._ledger.hidden if self._ledger.exists() else None
        return RecallSources(
            search=search,
            items=self._ledger,
            runtime=self._home.runtime,
            vault=self._home.vault if self._home.settings.vault.path is not None else None,
            hidden=hidden,
            muted=self._ledger.muted,
        )

    def _recall(self, request: BlockRequest) -> Recalled:
        wanted = answer.wanted(self._home.settings.recall, request.where, request.options, request.held)
        abstain = request.abstain or wanted.min_score is not None
        return answer.recall(self.sources(request.message), request.message, wanted._replace(abstain=abstain))

    def _prompt(self, request: BlockRequest) -> Recalled:
        message, settings = request.message, self._home.settings.recall
        hints = self._hints(request)
        muted = self._muted()
        left_off = tuple(one for item in request.left_off if (one := muted.item_without(item)))
        request = request._replace(left_off=left_off)
        clean = OutputFilter(self._home.runtime.secrets()).text
        caps = assemble.caps(settings.budget, request.options.budget, _left_off_tokens(request))
        always = without_lines_about(
            self._always_loaded(request.where, request.options.scope), _titles(request.left_off)
        )
        always = without_muted_lines(always, muted)
        loaded = assemble.load(always, caps, clean, is_asked=bool(message.strip()))
        if request.left_off:
            told = assemble.fill_left_off(request.left_off, caps[assemble.LEFT_OFF], clean)
            loaded = loaded._replace(filled={**loaded.filled, assemble.LEFT_OFF: told})
        wanted = answer.wanted(settings, request.where, request.options._replace(budget=None), request.held)
        hinted = {hint.id: (1, sys.maxsize) for hint in hints.hints}
        chosen = self._choose(message, wanted._replace(there={**loaded.there, **hinted}), loaded.room)
        offered = assemble.fill_hints(hints.hints, loaded.caps[assemble.HINTS], clean)
        done = assemble.assemble(message, loaded, chosen, offered, fence.draw)
        return done._replace(degraded=(*done.degraded, *hints.notices))

    def _muted(self) -> MutedWords:
        try:
            return self._ledger.muted()
        except StoreError:  # a prompt does not need the ledger; who reads it is told that it cannot be opened
            return MutedWords()

    def _choose(self, message: str, wanted: answer.Wanted, room: int) -> answer.Chosen:
        if not asked(message):  # as when a session begins: there is nothing to look for
            return answer.NOTHING_ASKED
        try:
            return answer.choose(self.sources(message), message, wanted, room)
        except VaultError as error:
            return answer.nothing(f"notes: {error}")

    def _hints(self, request: BlockRequest) -> _Hints:
        """Experiences that may help; they have no path, tier or tag, so a filter on one excludes them all."""
        where = request.where
        if where.paths or where.tiers or where.tags or not request.message.strip():
            return _Hints()
        try:
            services = self._ledger.services_if_any()
            if services is None:
                return _Hints()
            with services.access.ledger.reading() as tx:
                if not tx.experiences.count():
                    return _Hints()
            found = self._ledger.experiences.hints(request.message, scope=request.options.scope)
        except (VaultError, StoreError) as error:
            return _Hints(notices=(f"hints: {error}",))
        return _Hints([assemble.PromptHint(one.id, one.text) for one in found])

    def note_given(self, experiences: Sequence[str]) -> list[str]:
        """Record that these experiences were put before a model; return a notice where that was not possible."""
        try:
            self._ledger.experiences.offered(experiences)
        except StoreError as error:  # the context is good all the same
            return [f"experiences: their use was not recorded. {error}"]
        return []

    def _always_loaded(self, where: Where, scope: Scope) -> AlwaysLoaded:
        """The notes that are always loaded, but for those that the filter leaves out."""
        daily = self._home.settings.daily
        try:
            today = TodaysNote(self._home.runtime.today(), self._home.daily_place(), daily.prompt_lines)
            is_vault = bool(scope.project) and self._home.is_project_of_vault(scope.project or "")
            found = within(read_always_loaded(self._home.vault(), today), scope, is_vault=is_vault)
            unbound = where._replace(shared=False, bound_agents=(), bound_projects=(), private=True, hidden=())
            if unbound == Where():
                return found
            self._indexing.refresh(embed=False)
            return found._replace(found=tuple(note for note in found.found if self._passes(where, note.path)))
        except VaultError:
            return AlwaysLoaded((), ())

    def _passes(self, where: Where, path: str) -> bool:
        if where.paths and not any(is_below(path, one) for one in where.paths):
            return False
        here = where._replace(paths=(exactly(path),))
        return bool(self._indexing.read(lambda index: index.admitted(here)))


def _left_off_tokens(request: BlockRequest) -> int:
    """Return the tokens that are kept for where the work was left."""
    if not request.left_off:
        return 0
    label = quarters(fence.label(assemble.LEFT_OFF))
    return min(assemble.LEFT_OFF_CAP, whole(label) + sum(item.tokens for item in request.left_off))


def _titles(left_off: Sequence[RecalledItem]) -> list[str]:
    return [title for item in left_off if (title := item.text.partition("\n")[0].lstrip("# "))]
