"""Runs of extraction: which conversations are read, whose they are, and what each brought."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from memoro.config.projects import root_of
from memoro.curate.extraction.extracting import (
    ANOTHER,
    Conversation,
    ExtractionPlan,
    FactExtraction,
    KeptFact,
    KeptFacts,
    OmittedFact,
)
from memoro.errors import NoteNotFound, VaultError
from memoro.home_context import HomeContext
from memoro.hosts import LOG_AGENTS, name_of
from memoro.model.extracted_lines import agent_name, session_name
from memoro.model.facts import Fact
from memoro.transcripts.ports import Turn
from memoro.vault import logs
from memoro.vault.agent_logs import LogFolders, OpenedLog
from memoro.vault.said_times import said_times

_LOOKED_AT = 30  # conversations that are looked at for the newest one that was not extracted yet
APPLICATION = "app"  # in the place of an agent: a program that compacts its own conversation
_CURRENT = "extracted before"


class ExtractionRequest(NamedTuple):
    """Which conversations: those named; else all since a day; else the newest that was not extracted yet."""

    logs: tuple[str, ...] = ()
    since: str | None = None  # the first day, as YYYY-MM-DD
    dry_run: bool = False
    by_person: bool = True  # an agent names logs of the known folders alone: it can write files


NEWEST = ExtractionRequest()


class ConversationFacts(NamedTuple):
    """The facts of one conversation."""

    path: str
    day: str | None
    project: str | None
    by: str  # "rules", or the name of the model that chose
    facts: tuple[Fact, ...] = ()  # that are new
    kept: tuple[KeptFact, ...] = ()  # where they stand; empty in a dry run
    proposals: tuple[int, ...] = ()  # that wait for the owner's word: what a fact may replace
    known: tuple[Fact, ...] = ()
    omitted: tuple[OmittedFact, ...] = ()
    why: str = ""  # why it brought nothing
    notices: tuple[str, ...] = ()


class ExtractionRun(NamedTuple):
    """The facts of a run, and the conversations that it left out, each with a reason."""

    conversations: tuple[ConversationFacts, ...]
    left_out: tuple[ConversationFacts, ...]
    has_model: bool
    dry_run: bool

    def left_out_in_words(self) -> str:
        """Return the conversations that were left out, by reason; one that is alone in it is named."""
        reasons: dict[str, list[str]] = {}
        for one in self.left_out:
            reasons.setdefault(one.why, []).append(one.path)
        parts = [
            f"{paths[0] if len(paths) == 1 else f'{len(paths)} conversations'} ({why})"
            for why, paths in reasons.items()
        ]
        return f"Left out: {'; '.join(parts)}." if parts else ""


class ExtractionRuns:
    """`m.extraction`."""

    def __init__(self, home: HomeContext, extraction: FactExtraction) -> None:
        self._home = home
        self._extraction = extraction

    def run(self, request: ExtractionRequest = NEWEST) -> ExtractionRun:
        """Take facts out of conversations; with `dry_run`, only say which."""
        done = [self._done(plan, dry_run=request.dry_run) for plan in self._plans(request)]
        return ExtractionRun(
            conversations=tuple(one for one in done if not one.why),
            left_out=tuple(one for one in done if one.why),
            has_model=self._extraction.has_model(),
            dry_run=request.dry_run,
        )

    def of_log(
        self, log: OpenedLog, *, agent: str | None = None, project: str | None = None, session: str | None = None
    ) -> ConversationFacts:
        """Take facts out of what was said in a conversation since the last time."""
        found = self._read(log)
        conversation = found._replace(
            agent=agent or found.agent, project=project or found.project, session=session or found.session
        )
        return self._done(self._plan_rest(conversation), dry_run=False)

    def of_turns(self, name: str, turns: Sequence[Turn]) -> ConversationFacts:
        """Take facts out of messages that an application holds."""
        runtime = self._home.runtime
        today = runtime.today().isoformat()
        conversation = Conversation(
            path=f"@{APPLICATION}/{name}",
            turns=[turn if turn.date else turn._replace(date=today) for turn in turns],
            agent=runtime.agent,
            project=runtime.project,
            session=name,
            times=lambda lines: dict.fromkeys(lines, runtime.now()),
        )
        return self._done(self._extraction.plan(conversation), dry_run=False)

    def _plans(self, request: ExtractionRequest) -> Iterator[ExtractionPlan]:
        folders = self._folders()
        if request.logs:
            for name in request.logs:
                yield self._plan_in_scope(self._read(_found(folders, name, is_file=request.by_person)))
        elif request.since is not None:
            first = datetime.fromisoformat(request.since).astimezone().timestamp()
            for log in folders.newest_first():
                if log.changed < first:
                    return
                yield self._plan_rest(self._read(log))
        else:
            yield from self._newest(folders)

    def _newest(self, folders: LogFolders) -> Iterator[ExtractionPlan]:
        """Yield plans up to the first conversation that can bring something: those before it say why they do not."""
        for log in islice(folders.newest_first(), _LOOKED_AT):
            plan = self._plan_rest(self._read(log))
            yield plan
            if not plan.why:
                return

    def _plan_rest(self, conversation: Conversation) -> ExtractionPlan:
        """Plan what was said after the line up to which a conversation was read before."""
        reached = self._extraction.reached(conversation.path) or 0
        last = max((turn.line for turn in conversation.turns), default=0)
        if reached and last == reached:
            return ExtractionPlan(conversation, why=_CURRENT)
        return self._plan_in_scope(conversation, after=reached if reached < last else 0)

    def _plan_in_scope(self, conversation: Conversation, *, after: int = 0) -> ExtractionPlan:
        if not self._home.runtime.scope.owns(conversation.agent, conversation.project):
            return ExtractionPlan(conversation, why=ANOTHER)
        return self._extraction.plan(conversation, after=after)

    def _done(self, plan: ExtractionPlan, *, dry_run: bool) -> ConversationFacts:
        kept = KeptFacts() if dry_run else self._extraction.carry_out(plan)
        turns = plan.conversation.turns
        return ConversationFacts(
            path=plan.conversation.path,
            day=next((turn.date for turn in reversed(turns) if turn.date), None),
            project=plan.conversation.project,
            by=plan.by,
            facts=plan.facts,
            kept=kept.facts,
            proposals=kept.proposals,
            known=plan.known,
            omitted=plan.omitted,
            why=plan.why,
            notices=(*plan.notices, *kept.notices),
        )

    def _read(self, log: OpenedLog) -> Conversation:
        """Read a conversation from the disk; one that cannot be read has no turns."""
        try:
            found = logs.session(log.vault, log.path)
        except VaultError:
            found = None
        host = agent_name(log.path)
        project = self._home.project_of(root_of(found.folder)) if found and found.folder else None
        return Conversation(
            path=log.path,
            turns=found.turns if found else (),
            agent=name_of(host) if host in LOG_AGENTS else None,
            project=project.name if project else None,
            session=session_name(log.path) or None,
            times=lambda lines: said_times(log.vault, log.path, lines),
        )

    def _folders(self) -> LogFolders:
        settings, environment = self._home.settings.transcripts, self._home.runtime.environment
        return LogFolders([one.folder(environment, settings.ignore) for one in settings.entries], environment)


def _found(folders: LogFolders, name: str, *, is_file: bool) -> OpenedLog:
    found = folders.named(name, is_file=is_file)
    if found is None:
        raise NoteNotFound(
            f"There is no conversation {name!r}. Give the file of its log, the path that a search shows, or the id "
            "of its session; `memoro transcripts list` shows where logs are looked for."
        )
    return found
