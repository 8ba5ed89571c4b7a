"""The collaborators of one home, put together: each is cheap to make, and opens its files when first used."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from memoro.errors import StoreError
from memoro.home_context import HomeContext
from memoro.index.indexing import Indexing
from memoro.ledger.lazy import LazyLedger
from memoro.model.output_filter import OutputFilter
from memoro.notes.lazy import LazyNotes
from memoro.search.finder import Finder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoro.conversation.chosen_lines import LineChooser
    from memoro.conversation.context import ConversationContext
    from memoro.curate.extraction.runs import ExtractionRuns
    from memoro.curate.feedback.marking import AnswerFeedback
    from memoro.curate.judging.judge import Judging
    from memoro.curate.rounds.planning import RoundPlanning
    from memoro.curate.rounds.running import CurationRounds
    from memoro.curate.rounds.tidying import Tidying
    from memoro.index.batch_control import BatchControl
    from memoro.model.recall import Recalled
    from memoro.model.scope import Scope
    from memoro.model.targets import PassageId
    from memoro.model.vocabulary import LanguagePurpose
    from memoro.notes.memory_tool import MemoryTool
    from memoro.providers.language.ports import LanguageModel
    from memoro.providers.usage import Usage, UsageGroup
    from memoro.recall.builder import BlockBuilder
    from memoro.recall.recaller import Recaller
    from memoro.recall.request import RecallKeywords
    from memoro.sessions.history import Sessions
    from memoro.sessions.rating import GivenRatings
    from memoro.store.ports import IndexHome
    from memoro.target_forgetting import TargetForgetting
    from memoro.target_operations import TargetOperations
    from memoro.transcripts.ports import Turn
    from memoro.unasked.project_ends import ProjectEnd


class Collaborators:
    """The index, the search, the ledger and the notes of one home, and what works with several of them."""

    def __init__(self, home: HomeContext, index_home: IndexHome | None = None) -> None:
        self.home = home
        self.ledger = LazyLedger(home)
        self.indexing = Indexing(home, self.ledger, index_home)
        self.finder = Finder(home, self.indexing, self.ledger)
        self.notes = LazyNotes(home, self.ledger, self.indexing, self.finder)
        self.ledger.connect(self.indexing, self.finder, self.notes)

    @property
    def recaller(self) -> Recaller:
        return self.recaller_in(self.home.runtime.scope)

    def recaller_in(self, scope: Scope) -> Recaller:
        """A recaller that sees this scope, whatever the home was opened for."""
        from memoro.recall.recaller import Recaller
        from memoro.unasked.builder import UnaskedBuilder

        return Recaller(self.home.settings, UnaskedBuilder(self.home, self._asked_builder), self.ledger, scope)

    def recaller_of_notes(self, scope: Scope) -> Recaller:
        """The same for a ledger that cannot be used: it reads nothing from there."""
        from memoro.recall.notes_builder import NotesBuilder
        from memoro.recall.recaller import Recaller
        from memoro.unasked.builder import UnaskedBuilder

        builder = NotesBuilder(self.home, self.indexing, self.finder, self.ledger)
        return Recaller(self.home.settings, UnaskedBuilder(self.home, lambda: builder), self.ledger, scope)

    def _asked_builder(self) -> BlockBuilder:
        from memoro.recall.builder import BlockBuilder

        return BlockBuilder(self.home, self.indexing, self.finder, self.ledger)

    def recall(self, message: str, options: RecallKeywords, *, prompt: bool) -> Recalled:
        from memoro.recall.request import recall_request

        return self.recaller.recall(recall_request(message, options, self.home, prompt=prompt))

    @property
    def sessions(self) -> Sessions:
        from memoro.sessions.history import Sessions

        return Sessions(self.ledger.services.access, self.recaller, is_owner=self.home.runtime.private)

    @property
    def targets(self) -> TargetOperations:
        from memoro.target_operations import TargetOperations

        return TargetOperations(self)

    @property
    def forgetting(self) -> TargetForgetting:
        from memoro.target_forgetting import TargetForgetting

        return TargetForgetting(self)

    @property
    def conversation_context(self) -> ConversationContext:
        from memoro.conversation.context import ConversationContext

        extract = self._extract_turns if self.home.settings.extract.enabled else None
        return ConversationContext(self.home.settings.context, self.notes, extract, self.line_chooser)

    def _extract_turns(self, conversation: str, turns: Sequence[Turn]) -> tuple[str, ...]:
        return self.extraction.of_turns(conversation, turns).notices

    @property
    def extraction(self) -> ExtractionRuns:
        from memoro.curate.extraction.extracting import ExtractionServices, FactExtraction
        from memoro.curate.extraction.runs import ExtractionRuns

        notes, ledger = self.notes.services, self.ledger.services
        services = ExtractionServices(
            settings=self.home.settings.extract,
            access=ledger.access,
            daily=notes.daily,
            memories=ledger.memories,
            bytes_of=notes.journaled.bytes_of,
            model=lambda: self.language_model("extract"),
            judging=lambda: self.judging,
        )
        return ExtractionRuns(self.home, FactExtraction(services))

    @property
    def judging(self) -> Judging:
        """Return the parts of this home that `curate.judging.judge.judge_facts` uses."""
        from memoro.curate.judging.home import judging_of

        model = self.language_model("judge")
        return judging_of(self.home, self.ledger.services, self.notes.gate, model)

    @property
    def curation(self) -> CurationRounds:
        """Rounds that look for proposals: planners over what is curated, and the gate."""
        from memoro.curate.rounds.running import CurationRounds

        return CurationRounds(self.ledger.services.access, self.notes.gate, self.round_planning)

    @property
    def round_planning(self) -> RoundPlanning:
        """Return the planning of rounds of curation."""
        from memoro.curate.rounds.home import planning_of

        return planning_of(self.home, self.ledger.services, lambda: self.language_model("review"))

    @property
    def tidying(self) -> Tidying:
        from memoro.curate.rounds.tidying import Tidying

        return Tidying(self.round_planning, self.notes.gate)

    @property
    def memory_tool(self) -> MemoryTool:
        from memoro.notes.memory_tool import MemoryTool

        return MemoryTool(self.notes.services.files, self.home.vault(), OutputFilter(self.home.runtime.secrets()))

    @property
    def feedback(self) -> AnswerFeedback:
        from memoro.curate.feedback.current_conversation import ConversationSources
        from memoro.curate.feedback.item_marking import ItemMarking
        from memoro.curate.feedback.marking import AnswerFeedback, FeedbackParts

        ledger, notes, runtime = self.ledger, self.notes.services, self.home.runtime
        parts = FeedbackParts(
            access=ledger.services.access,
            items=ItemMarking(
                access=ledger.services.access,
                memories=ledger.services.memories,
                experiences=lambda: ledger.experiences,
                ratings=self.ratings,
                passage_lines=self._passage_lines,
            ),
            daily=notes.daily,
            files=notes.feedback,
        )
        sources = ConversationSources(
            access=ledger.services.access,
            vault=self.home.vault,
            environment=runtime.environment,
            scope=runtime.scope,
            project_of=self.home.project_of,
        )
        return AnswerFeedback(parts, sources)

    def _passage_lines(self, id: PassageId) -> tuple[int, int] | None:
        """Return the first and the last line of a passage, as the index knows them."""
        try:
            found = self.indexing.read(lambda index: index.passage(id.path, id.digest, id.number))
        except StoreError:
            return None
        return (found.start_line, found.end_line) if found else None

    def project_ends(self, limit: int) -> list[ProjectEnd]:
        """Where each project was left, the last used first."""
        from memoro.model.answers import Where
        from memoro.unasked.past_sessions import SessionSources
        from memoro.unasked.project_ends import project_ends

        last = self.sessions.last_of_projects(limit)
        if not last or self.home.settings.vault.path is None:
            return project_ends(last, None)
        sources = SessionSources(
            vault=self.home.vault(),
            read=lambda work: work(self.indexing.current()),  # as it is: whoever looks does not wait for a sync
            where=Where(),
            now=self.home.runtime.now(),
            hidden=self.ledger.hidden,
        )
        return project_ends(last, sources)

    @property
    def ratings(self) -> GivenRatings:
        from memoro.sessions.rating import GivenRatings

        services = self.ledger.services
        return GivenRatings(
            services.access,
            services.owner,
            services.memories,
            experiences=lambda: self.ledger.experiences,
            after_muting=self.indexing.follow_ledger,
        )

    @property
    def batch_jobs(self) -> BatchControl:
        from memoro.index.batch_control import BatchControl

        return BatchControl(self.home, self.indexing.indexes_if_any)

    def language_model(self, purpose: LanguagePurpose) -> LanguageModel | None:
        """The language model that may be asked for this purpose; None where the owner has set none for it."""
        return self.home.language_model(self.indexing.records, purpose)

    def line_chooser(self) -> LineChooser | None:
        """Return the chooser that asks the language model which lines matter; None if none may be asked."""
        model = self.language_model("summary")
        if model is None:
            return None
        from memoro.conversation.chosen_lines import line_chooser

        return line_chooser(model, with_private=self.home.settings.privacy.providers)

    def usage(self, *, since: str | None = None, group: UsageGroup | None = None) -> Usage:
        """Add up what models were used for since a day, and what is left of today's cap."""
        from memoro.providers.usage import Usage, summed, total

        records = self.indexing.records()
        first = self._first_day(since) if since else None
        rows = records.usage(first or "")
        return Usage(
            since=first,
            group=group,
            sums=summed(rows, group),
            total=total(rows),
            today=records.spent(self.home.runtime.today().isoformat()),
            daily_cap=self.home.settings.usage.daily_cap,
            lost_at=records.lost_at(),
        )

    def _first_day(self, text: str) -> str:
        from memoro.model.time_phrases import span

        return span(text, today=self.home.runtime.today()).first.isoformat()

    def close(self) -> None:
        breaker = sys.modules.get("memoro.providers.circuit_breaker")  # loaded only where a provider is set
        if breaker is not None:
            breaker.finish_trials()
        self.notes.close()
        self.ledger.close()
        self.indexing.close()
