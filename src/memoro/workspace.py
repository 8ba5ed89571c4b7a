"""One home opened for use: a facade over the collaborators that do the work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from memoro.home_context import HomeContext
from memoro.index.indexing import SyncRequest
from memoro.index.report import Report
from memoro.model.answers import Answer
from memoro.model.delegation import Delegated
from memoro.search.request import search_request
from memoro.wiring import Collaborators

if TYPE_CHECKING:
    import os
    from typing import Unpack

    from memoro.config import Setting
    from memoro.conversation.policy import ContextPolicy
    from memoro.day_reading import DaySpan
    from memoro.health import Check, Status
    from memoro.health_glance import HealthGlance
    from memoro.home_numbers import Numbers, NumbersPart
    from memoro.index.indexing import SyncKeywords
    from memoro.ledger.exchange.export import Exported
    from memoro.ledger.exchange.report import Imported
    from memoro.model.recall import Recalled
    from memoro.model.timeline import Timeline
    from memoro.model.vocabulary import LoadedTier
    from memoro.notes.entries import RememberOptions, RewordOptions
    from memoro.notes.entry_files import Remembered
    from memoro.notes.loaded_entries import LoadedEntry
    from memoro.recall.request import RecallKeywords
    from memoro.search.request import SearchOptions
    from memoro.store.ports import IndexHome
    from memoro.target_forgetting import ForgetResult

Value = TypeVar("Value")


def _of(find: Callable[[Collaborators], Value], doc: str) -> Delegated[Workspace, Value]:
    return Delegated(lambda workspace: find(workspace.parts), doc)


class Workspace:
    """The operations of Memoro on one home. Made by `memoro.open`."""

    def __init__(
        self, home_context: HomeContext, origins: tuple[Setting, ...] = (), index_home: IndexHome | None = None
    ) -> None:
        self.home_context = home_context
        self.home, self.settings, self.origins = home_context.folder, home_context.settings, origins
        self.parts = Collaborators(home_context, index_home)

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    close = _of(lambda parts: parts.close, "Let go of index and ledger; the last who shares the index closes it.")
    environment = _of(lambda parts: parts.home.runtime.environment, "The variables that it was opened with.")
    secrets = _of(lambda parts: parts.home.runtime.secrets, "Values of the environment that must never be shown.")
    today = _of(lambda parts: parts.home.runtime.today, 'The day it is, for words such as "last week".')
    vault = _of(lambda parts: parts.home.vault, "The files of the vault.")

    # Finding

    indexing = _of(lambda parts: parts.indexing, "The index: sync, refresh, read, watch.")
    finder = _of(lambda parts: parts.finder, "Search and get, by requests.")
    recaller = _of(lambda parts: parts.recaller, "The one way to context for a message, by requests.")
    recaller_in = _of(lambda parts: parts.recaller_in, "The same, for a session with a scope of its own.")
    recaller_of_notes = _of(
        lambda parts: parts.recaller_of_notes, "The same for a ledger that cannot be used: it reads the notes alone."
    )
    indexes = _of(lambda parts: parts.indexing.indexes_if_any, "Where the index is kept; None before the home is.")
    has_index = _of(lambda parts: parts.indexing.is_ready, "Whether there is an index; the first search makes it.")
    session_started = _of(lambda parts: parts.indexing.sync_at_session_start, "For hooks: sync the notes, if quick.")
    transcripts = _of(lambda parts: parts.indexing.transcripts, "What is known of each folder of conversation logs.")
    watch = _of(lambda parts: parts.indexing.watch, "Keep the index fresh until `stop` is set.")
    get = _of(lambda parts: parts.targets.get, "Exact lines of a note, by an id or a path; a memory; an experience.")

    # What only the ledger keeps

    ledger = _of(lambda parts: parts.ledger.services, "The ledger, opened, with the services over it.")
    ledger_copied_at = _of(
        lambda parts: parts.ledger.copied_at,
        "When the local copy of a shared ledger was last up to date, if it is open.",
    )
    ledger_marks = _of(lambda parts: parts.ledger.marks, "How far the ledger has come: cheap to ask again and again.")
    has_ledger = _of(lambda parts: parts.ledger.exists, "Whether anything was ever stored.")
    memories = _of(lambda parts: parts.ledger.services.memories, "Facts that use makes stronger: store, query, …")
    narratives = _of(lambda parts: parts.ledger.services.narratives, "What is going on: update, search, chain.")
    experiences = _of(lambda parts: parts.ledger.experiences, "What was done about what: record, find_similar, …")
    items = _of(lambda parts: parts.ledger.services.items, "Values by namespace and key, for adapters: put, get, …")
    backups = _of(lambda parts: parts.ledger.services.backups, "Copies of the ledger: create, all, verify, restore.")
    journal = _of(lambda parts: parts.ledger.services.journal, "Every change to the ledger: log, undo.")
    sessions = _of(lambda parts: parts.sessions, "What was given to whom: start, show, replay, archive, used, uses.")
    project_ends = _of(lambda parts: parts.project_ends, "Where each project was left: its last session.")
    ratings = _of(
        lambda parts: parts.ratings, "What you think of one thing that was given: wrong, good, allow, muted."
    )
    muted = _of(lambda parts: parts.ledger.muted, "The words that no agent is given unasked.")
    staleness = _of(lambda parts: parts.ledger.staleness, "Why what was read of a shared ledger may be old, or None.")
    upkeep_notices = _of(lambda parts: parts.ledger.upkeep_notices, "What upkeep did to memories, and a new format.")
    batch_jobs = _of(lambda parts: parts.batch_jobs, "Batch jobs at providers: jobs, cancel, resume.")
    usage = _of(lambda parts: parts.usage, "What models were used for and what they cost, since a day, added up.")
    upkeep = _of(lambda parts: parts.ledger.services.housekeeping.run_due, "Do the upkeep of the ledger that is due.")

    # What is written into the vault

    note_services = _of(lambda parts: parts.notes.services, "Everything that writes into the vault, opened.")
    entries = _of(lambda parts: parts.notes.services.entries, "Bullets of always-loaded notes: remember, edit, …")
    propose_dropped_lines = _of(
        lambda parts: parts.notes.propose_dropped_lines_if_any, "Look for lines that a stale save may have dropped."
    )
    archive_old_days = _of(lambda parts: parts.notes.archive_old_days, "Move days older than `daily.keep_days`.")
    tidy = _of(lambda parts: parts.tidying.run, "Look for what can be tidied up; what is found waits as proposals.")
    proposals = _of(lambda parts: parts.notes.proposals, "Changes that wait for a person: propose, all, …")
    curation = _of(lambda parts: parts.curation, "Rounds that look for proposals: run, run_if_due.")
    feedback = _of(lambda parts: parts.feedback, "What you think of an answer: wrong, good; and its files.")
    gate = _of(lambda parts: parts.notes.gate, "What automatic suggestions pass before they wait: offer, preview.")
    daily = _of(lambda parts: parts.notes.services.daily, "Lines in the note of the day: add.")
    notes = _of(lambda parts: parts.notes.services.files, "Whole notes: new, edit, move, delete, restore.")
    episodes = _of(lambda parts: parts.notes.services.episodes, "A note for each session: save.")
    extraction = _of(lambda parts: parts.extraction, "Facts that the owner stated in conversations: run, of_log, …")
    memory_tool = _of(lambda parts: parts.memory_tool, "Anthropic's memory tool on the folder `agent/` of the vault.")
    context = _of(lambda parts: parts.conversation_context, "A conversation's own window: stats, compact.")

    def glance(self) -> HealthGlance:
        """Return the health at a glance, from what is at hand; `status` also compares the vault with the index."""
        from memoro.health_glance import glance

        return glance(self.parts)

    def sync(self, **options: Unpack[SyncKeywords]) -> Report:
        """Update the index from the vault, the logs and the ledger. Waits for a sync that another process runs.

        `what` is "vault" for notes alone or "transcripts" for logs alone. `force` builds the index anew;
        `accept_deletions` confirms a vault with far fewer notes, or another one. After `stop` is set it raises
        `Interrupted`, between two files.
        """
        return self.parts.indexing.sync(SyncRequest(**options))

    def search(self, query: str, **options: Unpack[SearchOptions]) -> Answer:
        """Find passages about `query`, which may be any string; best first. `SearchOptions` explains the options.

        Compares the vault with the index before (setting `sync.on_search`); `degraded` says what went wrong.
        """
        return self.parts.finder.search(search_request(query, options, self.home_context))

    def recall(self, message: str, **options: Unpack[RecallKeywords]) -> Recalled:
        """Return the context block for a message, within a token budget; empty if nothing is relevant.

        `RecallKeywords` explains the options. With `session` it sees what that conversation may see, returns the
        whole for its first message and what is new for later ones, and records it.
        """
        return self.parts.recall(message, options, prompt=False)

    def prompt(self, message: str, **options: Unpack[RecallKeywords]) -> Recalled:
        """Return the always-loaded files, the context for a message, today's note and hints, as one block."""
        return self.parts.recall(message, options, prompt=True)

    def remember(self, text: str, *, by: str = "user", **options: Unpack[RememberOptions]) -> Remembered:
        """Add a fact or a rule to an always-loaded file; from an agent, it becomes a proposal."""
        return self.entries.remember(text, by=by, **options)

    def pin(self, text: str, *, by: str = "user", key: str | None = None) -> Remembered:
        """Add a line that no agent must miss to PINNED.md."""
        return self.entries.remember(text, tier="pinned", by=by, key=key)

    def edit(self, target: str, text: str, *, by: str = "user", **options: Unpack[RewordOptions]) -> Remembered:
        """Reword an entry or a memory (`memory:N`). With `expected`, only if its text still has this SHA-256."""
        return self.parts.targets.edit(target, text, by, options)

    def remove(self, target: str, *, by: str = "user", key: str | None = None) -> Remembered:
        """Remove an entry, a memory (`memory:N`) or an experience (`experience:N`); `undo` restores it.

        With a `key` it is taken out once, and asking again is no error.
        """
        return self.parts.targets.remove(target, by, key)

    def forget(self, target: str, *, yes: bool = False, dry_run: bool = False, only: bool = False) -> ForgetResult:
        """Erase an entry, a memory (`memory:N`) or an experience (`experience:N`) for good. It needs `yes`.

        A message of a conversation (`transcript:…`, from a search) is hidden for good; its log is not changed.
        What hooks and agents made from it is forgotten too, unless `only`; a dry run returns it in `derived`.
        """
        from memoro.ledger.forget import ForgetChoice

        return self.parts.forgetting.forget(target, ForgetChoice(yes=yes, dry_run=dry_run, only=only))

    def loaded_entries(self, tier: LoadedTier | None = None) -> list[LoadedEntry]:
        """Return the entries of the always-loaded files, or of one, with addresses for `edit` and `remove`."""
        from memoro.notes.loaded_entries import loaded_entries

        vault = self.parts.home.vault()
        return loaded_entries(vault) if tier is None else loaded_entries(vault, (tier,))

    def export(self, write: Callable[[str], object], format: str = "jsonl") -> Exported:
        """Write all memories, experiences and narratives with their history, to be imported into an empty home."""
        from memoro.ledger.exchange.export import export

        return export(self.ledger.access, write, format)

    def import_(
        self,
        place: str | os.PathLike[str],
        format: str | None = None,
        *,
        dry_run: bool = False,
        trust: bool = False,
    ) -> Imported:
        """Import memories from an export or another program; known ones are skipped.

        With `trust`, for an export of one's own: trust and feedback come as the file says, and are not lowered.
        """
        from memoro.ledger.exchange.importing import import_

        return import_(self.ledger.access, place, format, dry_run=dry_run, trust=trust)

    def context_policy(
        self, window: int | None = None, *, session: str | None = None, go_on: bool = False
    ) -> ContextPolicy:
        """Return a policy that compacts one conversation: `seen(messages)` returns the messages for the model."""
        from memoro.conversation.policy import ContextPolicy
        from memoro.conversation.window import WINDOW

        return ContextPolicy(self.context, WINDOW if window is None else window, session, go_on)

    def timeline(self, span: DaySpan) -> Timeline:
        """Return the days with their conversations, notes and changes, the newest first."""
        from memoro.day_reading import timeline

        return timeline(self.parts, span)

    def status(self) -> Status:
        """Compare the disk with the index, without changing either."""
        from memoro.health import status

        return status(self.parts)

    def numbers(self, wanted: Sequence[NumbersPart] = (), *, weeks: int = 12) -> Numbers:
        """Return figures by week: stored, given, rated, paid for; by default all of them."""
        from memoro.home_numbers import numbers

        return numbers(self.parts, wanted, weeks)

    def doctor(self, *, deep: bool = False) -> list[Check]:
        """Check every part of Memoro for problems; `deep` also reads the whole ledger, archive and backups."""
        from memoro.health import doctor

        return doctor(self.parts, deep=deep)

    def probe(self) -> list[Check]:
        """Check that this home can be written to and read back now."""
        from memoro.health import probe

        return probe(self.parts)
