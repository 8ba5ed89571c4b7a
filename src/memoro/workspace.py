"""One home opened for use: it wires settings, vault, index and search together, and holds no rule."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from memoro import config
from memoro.config import Setting, Settings, Source
from memoro.errors import (
    ConfigError,
    IndexDamaged,
    IndexTooNew,
    NoteNotFound,
    NoteUnreadable,
    ProviderError,
    StorageFull,
    StoreError,
    StoreUnavailable,
    VaultError,
    VectorsDamaged,
)
from memoro.index import sync as syncing
from memoro.index.single_flight import SyncReceipt, go_on, patiently, until
from memoro.index.sync import Options, Progress, Report
from memoro.keeping import Keeping, Opened
from memoro.model.answers import Answer, Hit, Text, Where, exactly, is_below
from memoro.model.home import IN_MEMORY, home_folder
from memoro.model.notes import NOTHING_HIDDEN, Hidden, Note, file_of, kept_at, number_of
from memoro.model.vocabulary import BOTH, LOGS, MODES, SYNC_PARTS, VAULT, Mode, SyncPart, Tier, parse_choice
from memoro.search import grouping, retrieve
from memoro.search.filters import Names, filters
from memoro.search.standing import Standing
from memoro.store.opening import ledger_change_token, open_indexes
from memoro.store.ports import Drop, Index, IndexHome
from memoro.vault.files import VaultFiles

if TYPE_CHECKING:
    from datetime import date, datetime

    from memoro.health import Check, Examined, Status
    from memoro.index.follow import Result
    from memoro.index.known import TranscriptSource
    from memoro.index.vector_upkeep import VectorMaintenance
    from memoro.ledger.ports import Ledger
    from memoro.ledger.services import LedgerServices
    from memoro.model.recall import Recalled
    from memoro.providers.ports import Embedder
    from memoro.providers.registry import Embedders
    from memoro.recall import assemble
    from memoro.recall.pages import Pages
    from memoro.recall.ports import Sources

# How long a search waits for someone else's sync, most of which are done by then.
PATIENCE_SECONDS = 0.25
# How long after its beginning a recall still waits for a vector: an agent's turn waits for it. And at least so long.
RECALL_SECONDS = 0.35
LEAST_SECONDS = 0.05
# How long an answer waits for a provider to embed what was just written; what it answers later is kept.
REMOTE_SECONDS = 0.4
LINES_HINT = "lines.waiting"  # in the home while lines are looked after (notes/writing.py)
NOTHING_LOADED: Mapping[str, Sequence[str]] = MappingProxyType({})
SETTINGS_CHANGED = "settings that shape the index have changed"

T = TypeVar("T")
Mark = Callable[[Sequence[Hit]], tuple[Hit, ...]]


def open(
    home: str | os.PathLike[str] | None = None,
    vault: str | os.PathLike[str] | None = None,
    *,
    agent: str | None = None,
    project: str | None = None,
    clock: Callable[[], datetime] | None = None,
    embedder: Embedder | None = None,
) -> Workspace:
    """Open a home, by default `MEMORO_HOME` or `~/.memoro`; use it as a context manager.

    `vault` goes before `MEMORO_VAULT` and the settings file. `agent` and `project`, else `MEMORO_AGENT`
    and `MEMORO_PROJECT`, choose the settings made for them, and are what new memories are marked with. A home
    opened twice in one process shares one index; `":memory:"` keeps it in none. `clock` tells memories the
    time, with its zone. `embedder` computes vectors instead of the one that the settings name; the built-in
    model goes on beside it, and answers where it fails.
    """
    agent, project = agent or os.environ.get("MEMORO_AGENT"), project or os.environ.get("MEMORO_PROJECT")
    folder = home_folder(os.fspath(home) if home is not None else None, os.environ, agent)
    flags = {"vault.path": os.fspath(vault)} if vault is not None else {}
    sources = config.read_file(os.path.join(folder, config.FILE_NAME), agent=agent, project=project)
    if os.environ.get("MEMORO_VAULT"):
        sources.append(Source("environment (MEMORO_VAULT)", {"vault.path": os.environ["MEMORO_VAULT"]}))
    settings, origins = config.settle([*sources, Source("argument", flags)])
    own = [*_obsidian_settings(settings), *_vault_settings(settings)]
    if own:  # they stand between the settings file and the environment
        common = [source for source in sources if not source.origin.startswith("environment")]
        rest = [source for source in sources if source not in common]
        settings, origins = config.settle([*common, *own, *rest, Source("argument", flags)])
    opened = Opened(agent, project, dict(os.environ), clock)
    if embedder is not None:
        from memoro.providers.registry import supplied

        opened = opened._replace(embedder=supplied(embedder))
    return Workspace(folder, settings, origins, opened)


def _vault_settings(settings: Settings) -> list[Source]:
    if settings.vault.path is None:
        return []
    files = VaultFiles(settings.vault.path)
    text = files.read_settings(config.VAULT_FILE_NAME)
    if text is None:
        return []
    return config.parse_vault_file(text, os.path.join(files.root, config.VAULT_FILE_NAME))


def _obsidian_settings(settings: Settings) -> list[Source]:
    if settings.vault.path is None or not settings.daily.obsidian:
        return []
    files = VaultFiles(settings.vault.path)
    try:
        text = files.read_settings(config.OBSIDIAN_FILE_NAME)
    except ConfigError:  # it is not ours to complain about
        return []
    return config.parse_obsidian(text, os.path.join(files.root, config.OBSIDIAN_FILE_NAME)) if text else []


class Workspace(Keeping):
    """The operations of Memoro on one home. Made by `memoro.open`."""

    def __init__(self, home: str, settings: Settings, origins: tuple[Setting, ...], opened: Opened) -> None:
        super().__init__(opened)
        self.home = home
        self.settings = settings
        self.origins = origins
        self._index_home: IndexHome | None = None

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the index; the last of those who share it closes it."""
        with self._opening:
            indexes, self._index_home = self._index_home, None
            services, self._ledger, self._pens = self._ledger, None, None
        if services is not None:
            services.close()
        if indexes is not None:
            _shared.release(self.home)

    def sync(
        self,
        *,
        what: SyncPart = BOTH,
        force: bool = False,
        accept_deletions: bool = False,
        progress: Progress | None = None,
        stop: threading.Event | None = None,
    ) -> Report:
        """Bring the index to what the vault says. Waits for a sync that is under way elsewhere.

        `what` is "vault" for notes alone or "transcripts" for logs alone; the first sync, and one that builds the
        index anew, is about both. `force` builds the index anew; `accept_deletions` says that a vault with far
        fewer notes, or another one, is right. After `stop` is set it raises `Interrupted`, between two files.

        A sync of the same that began while this one waited is not repeated.
        """
        what = parse_choice(what, SYNC_PARTS, "part to sync")
        asked = time.monotonic_ns()
        options = self._options(accept_deletions, progress)._replace(what=what, check=until(stop))
        vault = self._vault_if_any()
        if self.home != IN_MEMORY and ledger_change_token(self.home):
            with suppress(StoreError):  # the sync itself tells what is the matter with the ledger
                self._services().forgetting.finish()
        upkeep = self._upkeep(options)
        with self._alone(options.check):
            if not force and not accept_deletions and self._is_done_since(asked, options):
                report = self._unchanged()
            else:
                report = self._sync(vault, options, "you asked for it" if force else None, upkeep)
        return self._filled(report, options, upkeep)

    def session_started(self) -> Report | None:
        """For hooks, when a session of an agent begins: sync the notes, unless `sync.on_session_start` is false.

        None where nothing was done: there is no index yet, which the first search makes, or somebody else is at it.
        """
        if not self.settings.sync.on_session_start or not self._is_ready():
            return None
        options, vault = self._options()._replace(what=VAULT, whole=False), self._vault_if_any()
        with self._indexes().syncing.tried(PATIENCE_SECONDS) as free:
            if not free:
                return None
            if self._has_nothing_to_do(vault, options):
                return self._unchanged()._replace(joined=False)
            upkeep = self._upkeep(options)
            report = self._sync(vault, options, None, upkeep)
        return self._filled(report, options, upkeep)

    def _has_nothing_to_do(self, vault: VaultFiles | None, options: Options) -> bool:
        """Whether a sync of the notes would change nothing: a look, for which no model is loaded."""
        from memoro.index.mirror import is_mirrored

        try:
            index = self._current()
            if self._outdated(index) or os.path.exists(os.path.join(self.home, LINES_HINT)):
                return False
            if vault is not None and not syncing.is_in_step(index, vault, self.settings.rules, options):
                return False
            ledger = self._ledger_if_changed(index)
            return ledger is None or is_mirrored(index, ledger, options.moment)
        except StoreError:  # the sync itself tells, and mends what can be mended
            return False

    def has_index(self) -> bool:
        """Whether there is anything to search in; if not, the first search makes it."""
        return self._is_ready()

    def _alone(self, check: Callable[[], None]) -> AbstractContextManager[object]:
        """The sync lock. One who may be told to stop does not stand in the kernel's queue for it."""
        return self._indexes().syncing.held() if check is go_on else patiently(self._indexes().syncing, check)

    def _is_done_since(self, asked: int, options: Options) -> bool:
        """Whether somebody else has done this while we waited. For the holder of the sync lock."""
        done = SyncReceipt.parse(self._indexes().syncing.left())
        wanted = SyncReceipt.of_options(options, asked, self._whose())
        return done is not None and done.does(wanted, now=time.monotonic_ns()) and self._is_ready()

    def _whose(self) -> str:
        """What tells syncs of these settings from those of others."""
        import zlib

        folders = self._vault_if_any()
        wanted = self._opened.embedder.space if self._opened.embedder else None
        said = repr((self.settings, wanted, folders.folders if folders else ()))
        return str(zlib.crc32(said.encode("utf-8", "replace")))

    def _unchanged(self) -> Report:
        counts = self._current().counts()
        return Report(files=counts.files, chunks=counts.chunks, transcripts=counts.transcripts, joined=True)

    def search(
        self,
        query: str,
        *,
        limit: int | None = None,
        mode: Mode | None = None,
        kind: Names = (),
        tier: Names = (),
        path: Names = (),
        tag: Names = (),
        agent: Names = (),
        project: Names = (),
        since: str | None = None,
        until: str | None = None,
        group: str | None = None,
        used_in: str | None = None,
        progress: Progress | None = None,
    ) -> Answer:
        """Find passages about `query`, which may be any string; best first.

        `group="conversation"` gives of each conversation its best passage, with how many more there were.
        `used_in` searches only what a session was given.

        Compares the vault with the index before (setting `sync.on_search`) and says in `degraded` what
        was not as it should be. `progress` hears of the first sync, which may take a while.
        """
        started = time.perf_counter()
        mode = parse_choice(mode or self.settings.query.mode, MODES, "mode")
        limit = self.settings.query.max_results if limit is None else limit
        if not 1 <= limit <= retrieve.MAX_CANDIDATES:
            raise ConfigError(f"The number of results must be from 1 to {retrieve.MAX_CANDIDATES}, not {limit}.")
        where = filters(
            kind=kind or self.settings.query.kinds, tier=tier, path=path, tag=tag, agent=agent, project=project,
            since=since, until=until, today=self.today,
        )  # fmt: skip
        mark: Mark | None = None
        if used_in is not None:
            where, mark = self._given_to(used_in, where)
        if mode != "words" and not self.settings.embedding.enabled:
            mode = "words"
        synced, degraded = self._refresh(progress, embed=mode != "words")
        if group not in (None, *grouping.GROUPS):
            raise ConfigError(f"There is no group {group!r}; choose from {', '.join(grouping.GROUPS)}.")
        wanted = limit if group is None and mark is None else min(limit * grouping.WIDER, retrieve.MAX_CANDIDATES)
        mode, found = self._found(query, where, wanted, mode, degraded)
        hits = self._with_index(lambda index: retrieve.hits(index, found.ranked), degraded)
        if any(hit.kind == "transcript" for hit in hits):
            hits = hits if group is None else grouping.by_conversation(hits)[:limit]
            hits = self._with_index(lambda index: grouping.described(index, hits), degraded)
        if mark is not None:
            hits = mark(hits)
        took = (time.perf_counter() - started) * 1000
        return Answer(query, mode, hits[:limit], synced, (*degraded, *found.notices), took)

    def recall(
        self,
        message: str,
        *,
        budget: int | None = None,
        proactive: bool | None = None,
        session: str | None = None,
        key: str | None = None,
        agent: Names = (),
        project: Names = (),
        path: Names = (),
        tier: Names = (),
        tag: Names = (),
        given: Collection[str] = (),
        loaded: Mapping[str, Sequence[str]] = NOTHING_LOADED,
        abstain: bool = True,
    ) -> Recalled:
        """The context for a message, packed into a token budget and fenced; nothing where nothing is relevant.

        `proactive` is for what nobody asked for: few items, and only what is sure. `agent` and `project` leave out
        what belongs to others. `given` are the ids of passages that the conversation holds already, and `loaded`
        are by path the texts that it holds of notes loaded whole. Without `abstain` it gives the best there is,
        however weak. It answers soon, by words alone where vectors are not to be had in time.

        With `session` it sees what binds that conversation, gives the whole for its first message and what is new
        for later ones, and records it; with a `key`, the same answer however often it is asked for.
        """
        if session is not None:
            turn = self.sessions.turn(session, project=project, agent=agent, paths=path, tiers=tier, tags=tag)
            return self.sessions.converse(turn, message, key=key, proactive=proactive, budget=budget, given=given)
        from memoro.recall.answer import recall, wanted

        started = time.perf_counter()
        where = filters(agent=agent, project=project, path=path, tier=tier, tag=tag, today=self.today)
        chosen = wanted(
            self.settings.recall, budget, where._replace(shared=True), given,
            proactive=bool(proactive), abstain=abstain,
        )  # fmt: skip
        done = recall(self.sources(), message, chosen._replace(loaded=loaded))
        return done._replace(took_ms=(time.perf_counter() - started) * 1000)

    def prompt(
        self,
        message: str,
        *,
        budget: int | None = None,
        proactive: bool | None = None,
        session: str | None = None,
        key: str | None = None,
        agent: Names = (),
        project: Names = (),
        path: Names = (),
        tier: Names = (),
        tag: Names = (),
        given: Collection[str] = (),
        loaded: Mapping[str, Sequence[str]] = NOTHING_LOADED,
    ) -> Recalled:
        """The always-loaded notes, what is relevant to a message, today's note and hints, as one fenced block.

        `budget` is for all of it. What there is not, such as a vault, is left out and said. With `session` what is
        relevant is as `recall` gives it to that conversation, and no note is loaded that the session may not see.
        """
        if session is not None:
            turn = self.sessions.turn(session, project=project, agent=agent, paths=path, tiers=tier, tags=tag)
            return self.sessions.converse(
                turn, message, key=key, prompt=True, proactive=proactive, budget=budget, given=given
            )
        from memoro.recall import answer, assemble, fence
        from memoro.recall.pages import Pages

        started = time.perf_counter()
        where = filters(agent=agent, project=project, path=path, tier=tier, tag=tag, today=self.today)
        where = where._replace(shared=True)
        caps = assemble.caps(self.settings.recall.budget, budget)
        wanted = answer.wanted(self.settings.recall, None, where, given, proactive=bool(proactive))
        wanted = wanted._replace(loaded=loaded)

        bare = bool(path or tier or tag)  # of these an experience has none that is asked for here
        hints, told = ([], []) if bare else self._hints_if_any(message, agent, project)
        hinted = {hint.id: (1, sys.maxsize) for hint in hints}

        def choose(room: int, there: assemble.There) -> answer.Chosen:
            if not answer.asked(message):  # as when a session begins: there is nothing to look for
                return answer.NOTHING_ASKED
            try:
                return answer.choose(self.sources(), message, wanted._replace(there={**there, **hinted}), room)
            except VaultError as error:
                return answer.nothing(f"notes: {error}")

        try:
            pages = self._pages(where)
        except VaultError:
            pages = Pages((), ())
        done = assemble.assemble(message, pages, hints, caps, choose, answer.shown(self._secrets()), fence.draw)
        told += self._tell_offered([item.id for item in done.items if item.id in hinted])
        took = (time.perf_counter() - started) * 1000
        return done._replace(degraded=(*done.degraded, *told), took_ms=took)

    def _hints_if_any(self, message: str, agent: Names, project: Names) -> tuple[list[assemble.Hint], list[str]]:
        from memoro.recall.assemble import Hint

        try:
            found = self._hints(message, agent, project) if message.strip() and self._services_if_any() else ()
        except (VaultError, StoreError) as error:
            return [], [f"hints: {error}"]
        return [Hint(one.id, one.text) for one in found], []

    def _tell_offered(self, hints: Sequence[str]) -> list[str]:
        if not hints:
            return []
        try:
            self.experiences.offered(hints)
        except StoreError as error:  # the prompt is good all the same
            return [f"hints: their use was not recorded. {error}"]
        return []

    def _pages(self, where: Where) -> Pages:
        """The notes that are always loaded, but for those that the filters leave out."""
        from memoro.recall.pages import Day, pages

        daily = self.settings.daily
        found = pages(self.vault(), Day(self.today(), daily.folder, daily.pattern, daily.prompt_lines))
        if where._replace(shared=False) == Where():
            return found
        self._refresh(None, embed=False)
        return found._replace(found=tuple(page for page in found.found if self._passes(where, page.path)))

    def _passes(self, where: Where, path: str) -> bool:
        if where.paths and not any(is_below(path, one) for one in where.paths):
            return False
        here = where._replace(paths=(exactly(path),))
        return bool(self._with_index(lambda index: index.admitted(here), []))

    def sources(self) -> Sources:
        """What recall draws from, as of now: this syncs, and searches by it do not."""
        from memoro.recall import fence
        from memoro.recall.ports import Ranking, Sources

        started = time.perf_counter()
        told = self._refresh(None, embed=True, seconds=RECALL_SECONDS)[1]

        def search(query: str, where: Where, limit: int) -> Ranking:
            mode = self.settings.query.mode if self.settings.embedding.enabled else "words"
            degraded: list[str] = []
            mode, found = self._found(query, where, limit, mode, degraded, started + RECALL_SECONDS)
            return Ranking(found.ranked, mode, (*degraded, *found.notices), found.calibration)

        return Sources(
            search=search,
            read=lambda work: self._with_index(work, told),
            standings=self._believed,
            today=self.today,
            secrets=self._secrets(),
            draw=fence.draw,
            told=told,
        )

    def _experiences_meant(self, query: str, limit: int) -> tuple[list[tuple[int, float]] | None, tuple[str, ...]]:
        """None where there is no meaning to search by, or nothing to search: they are found by their words then."""
        try:
            found = self.sources().search(query, Where(kinds=("experience",)), limit)
        except (VaultError, StoreError) as error:
            return None, (f"search: {error}",)
        if found.mode == "words":
            return None, found.degraded
        scores = retrieve.side_by_side(found.ranked)
        paths = [one.match.passage.path for one in found.ranked]
        return [(number_of(path), score) for path, score in zip(paths, scores, strict=True)], found.degraded

    def _given_to(self, session: str, where: Where) -> tuple[Where, Mark]:
        from memoro.sessions import given

        recalls = self.sessions.show(session).recalls
        return given.narrowed(where, recalls), lambda hits: given.marked(hits, recalls)

    def _found(
        self, query: str, where: Where, limit: int, mode: Mode, degraded: list[str], until: float | None = None
    ) -> tuple[Mode, retrieve.Found]:
        """The best passages, and the mode they were found in: by words where there is no meaning to be had.

        `until` is the moment by which a vector of the query must be there.
        """
        standing = self._standing(degraded)

        def by_meaning(index: Index) -> retrieve.Found:
            from memoro.search.spaces import QUERY_SECONDS, MeaningQuestion, SpaceSearch

            left = QUERY_SECONDS if until is None else max(LEAST_SECONDS, until - time.perf_counter())
            question = MeaningQuestion(
                text=query, where=where, limit=limit, mode=mode, today=self.today(),
                settings=self.settings.query, standing=standing, seconds=left,
            )  # fmt: skip
            return SpaceSearch(self._indexes(), self._embedders()).find(index, question)

        if mode != "words":
            try:
                return mode, self._with_index(by_meaning, degraded)
            except (ProviderError, VectorsDamaged) as error:
                if f"vectors: {error}" not in degraded:  # the sync before may have met it too
                    degraded.append(f"vectors: {error}")
        multiplier = self.settings.query.candidate_multiplier
        return "words", self._with_index(
            lambda index: retrieve.by_words(
                index, query, where, limit=limit, multiplier=multiplier, standing=standing
            ),
            degraded,
        )

    def _embedders(self) -> Embedders:
        from memoro.providers.registry import EmbedderSettings, embedders

        return embedders(EmbedderSettings(dimensions=self.settings.embedding.dimensions), self._opened.embedder)

    def _standing(self, degraded: list[str]) -> Standing:
        """What the ledger says of what it keeps. Where it cannot be read, nothing holds, and that is said."""

        def standing(paths: Sequence[str]) -> Mapping[str, float]:
            try:
                return self._worths(paths)
            except StoreError as error:
                if f"memories: {error}" not in degraded:
                    degraded.append(f"memories: {error}")
                return {}

        return standing

    def _upkeep(self, options: Options, remote_seconds: float = REMOTE_SECONDS) -> VectorMaintenance | None:
        """Return what keeps the vectors complete; None where none are wanted."""
        if not options.embed or not self.settings.embedding.enabled:
            return None
        try:
            embedders = self._embedders()
            from memoro.index.vector_upkeep import Effort, VectorUpkeep
        except ProviderError as error:
            from memoro.index.no_vectors import WithoutModel

            return WithoutModel(str(error))
        effort = Effort(
            whole=options.whole,
            remote_seconds=None if options.whole else remote_seconds,
            check=options.check,
            cache_limit=self.settings.cache.max_entries,
        )
        return VectorUpkeep(self._indexes(), embedders, effort)

    def _filled(self, report: Report, options: Options, upkeep: VectorMaintenance | None) -> Report:
        """Embed what a sync has left without vectors. Not for the holder of the sync lock."""
        if upkeep is None:
            return report
        started = time.perf_counter()
        try:
            notices = upkeep.fill()
        except IndexDamaged as error:
            with self._alone(options.check):
                why = self._indexes().is_damaged() or error.why
                report = self._sync(self._vault_if_any(), options, why, upkeep)
            notices = upkeep.fill()
        return report._replace(
            degraded=(*report.degraded, *notices),
            damage=upkeep.damage.why if upkeep.damage else report.damage,
            took_ms=report.took_ms + (time.perf_counter() - started) * 1000,
        )

    def get(self, target: str, *, around: int = 0) -> Text:
        """Exact lines of a note: an id from a search, `PATH`, `PATH:LINE` or `PATH:FROM-TO`; or a memory or
        an experience, whole.

        Of a transcript, what was said there, with so many turns before and after in `around`.
        """
        from memoro.vault import lines

        if kept_at(target):
            return self._kept_text(target)
        degraded: list[str] = []
        self._refresh(None, embed=False)
        if target.startswith(("note:", "transcript:")) and "#" in target:
            path, digest, number = lines.parse_id(target)
            passage = self._with_index(lambda index: index.passage(path, digest, number), degraded)
            if passage is None:
                raise NoteNotFound(
                    f"The passage {target!r} is gone: the file has changed. Search again, or `memoro get {path}`."
                )
            wanted: lines.Range | None = lines.Range(passage.start_line, passage.end_line)
        else:
            path, wanted = lines.parse_target(target, self._is_note)
        try:
            return lines.read(self.vault(), lines.LineRequest(target, path, wanted, around), self._note(path))
        except NoteUnreadable as error:
            raise NoteUnreadable(f"{path}: {error}") from error

    def transcripts(self) -> list[TranscriptSource]:
        """What is known of each folder of conversation logs."""
        from memoro.index.known import transcript_sources

        entries, environment = self.settings.transcripts.entries, self._opened.environment
        folders = [(str(entry.source), entry.folder(environment)) for entry in entries]
        if not self._is_ready():
            return transcript_sources(None, folders)
        return self._with_index(lambda index: transcript_sources(index, folders), [])

    def status(self) -> Status:
        """Compare the disk with the index, without changing either."""
        from memoro import health

        return health.status(self._examined(), self._vault_if_any(), self.indexes(), self._services_if_any())

    def doctor(self, *, deep: bool = False) -> list[Check]:
        """Look at everything that must be right for Memoro to work, and say what to do where it is not.

        `deep` reads the whole ledger, the archive and every backup as well.
        """
        from memoro import health

        return health.doctor(self._examined(), self.vault, self.indexes, self._services_if_any, deep=deep)

    def _examined(self) -> Examined:
        from memoro.health import Examined

        return Examined(self.home, self.settings, self._opened.embedder)

    def probe(self) -> list[Check]:
        """Whether this home can be written to and read back at this moment."""
        from memoro import health

        return health.probe(self.home, self.indexes, self._services_if_any)

    def _services_if_any(self) -> LedgerServices | None:
        """The ledger and what belongs to it, where there is one."""
        return self._services() if self.home == IN_MEMORY or self.has_ledger() else None

    def has_ledger(self) -> bool:
        """Whether anything was ever stored: the first memory, or write into a note, makes the ledger."""
        return ledger_change_token(self.home) is not None

    def watch(
        self,
        stop: threading.Event,
        heard: Callable[[str, Result], None],
        noticed: Callable[[str | None], None] = lambda _why: None,
    ) -> None:
        """Keep the index fresh until `stop` is set: by file events, by how much logs have grown, and by the clock.

        `heard` gets each trigger ("start", "watch", "delta", "interval") and what came of it, `noticed` why there
        are no file events, and None when there are again.
        """
        from memoro.index.follow import FollowActions, follow
        from memoro.index.triggers import Timing
        from memoro.store.file_systems import folders_without_events
        from memoro.vault.watch import Watch, WatchedFolders

        sync, vault = self.settings.sync, self.vault()
        places = WatchedFolders(vault.folders, vault.concerned, folders_without_events(vault.folders))
        timing = Timing(
            sync.watch_debounce_ms / 1000, sync.transcripts.debounce_ms / 1000, sync.interval_minutes * 60
        )
        acts = FollowActions(lambda what: self.sync(what=what, stop=stop), self._has_grown, heard, noticed)
        follow(Watch(places, events=sync.watch, stop=stop), timing, acts, stop)

    def _has_grown(self) -> bool:
        """Whether a conversation log has grown so much that it is to be read before anyone asks."""
        from memoro.index import growth

        index = self._indexes().current()
        known = index.files() if index else {}
        return growth.is_due(self.vault(), known, self.settings.sync.transcripts)

    def _index_now(self, paths: Sequence[str]) -> None:
        """Make notes findable that were just written, without looking at the others.

        Where somebody else syncs, or there is no index yet, the next sync does it.
        """
        if not self._is_ready():
            return
        options = self._options()._replace(whole=False)
        upkeep = self._upkeep(options, remote_seconds=0)
        with suppress(VaultError, StoreError):
            with self._indexes().syncing.tried(PATIENCE_SECONDS) as free:
                index = self._indexes().current()
                if not free or index is None or self._outdated(index):
                    return
                if upkeep is not None:
                    upkeep.begin(index)
                syncing.sync_paths(index, self.vault(), self.settings.rules, options, paths, upkeep)
            if upkeep is not None:
                upkeep.fill()

    def _notes_holding(self, word: str) -> Sequence[str]:
        self._refresh(None, embed=False)

        def paths(index: Index) -> list[str]:
            found = index.match(index.terms(word), Where(kinds=("note",)), retrieve.MAX_CANDIDATES)
            return list(dict.fromkeys(match.passage.path for match in found))

        return self._with_index(paths, [])

    def _digests_of(self, path: str) -> Sequence[str]:
        return self._with_index(lambda index: index.digests(path), []) if self._is_ready() else []

    def _drop_from_index(self, paths: Sequence[str], digests: Sequence[str]) -> None:
        """Leave no trace of memories and experiences in the index, the vectors and their cache."""
        from memoro.index.space_vectors import forget_texts

        indexes = self.indexes()
        if indexes is None:
            return
        with indexes.syncing.held():
            try:
                self._scrub_index(indexes.first(), paths)  # `first` sweeps what a broken-off rebuild has left
            except (IndexDamaged, StorageFull):  # the next sync makes it anew, without them
                indexes.set_aside()
            self._remove("index.damaged")
            forget_texts(indexes, digests)
            self._remove("embeddings.damaged")

    def _remove(self, name: str) -> None:
        with suppress(FileNotFoundError):
            os.unlink(os.path.join(self.home, name))

    def _scrub_index(self, index: Index, paths: Sequence[str]) -> None:
        from memoro.index.space_vectors import scrub

        index.apply([Drop(path) for path in paths])
        scrub(self._indexes(), index)
        index.scrub()

    def _ledger_if_changed(self, index: Index) -> Ledger | None:
        """The ledger, where the index may not say what it says. What the file system tells saves opening it."""
        if self.home == IN_MEMORY:
            return self._services().access.ledger
        seen = ledger_change_token(self.home)
        until = index.get_meta("ledger_until")
        same = seen == index.get_meta("ledger_files") and not (until and until <= self._moment())
        return self._services().access.ledger if seen and not same else None

    def _vault_if_any(self) -> VaultFiles | None:
        """None where there are only memories, and none have to be looked for in notes."""
        if self.settings.vault.path is None and (self.home == IN_MEMORY or ledger_change_token(self.home)):
            return None
        return self.vault()

    def vault(self) -> VaultFiles:
        return config.vault_files(self.settings, self._opened.environment)

    def indexes(self) -> IndexHome | None:
        """Where the index is kept; None while the home has not been made."""
        if self._index_home is None and self.home != IN_MEMORY and not os.path.isdir(self.home):
            return None
        return self._indexes()

    def _indexes(self) -> IndexHome:
        with self._opening:
            if self._index_home is None:
                self._index_home = _shared.take(self.home)
            return self._index_home

    def _options(self, accept_deletions: bool = False, progress: Progress | None = None) -> Options:
        return Options(
            time.strftime("%Y-%m-%dT%H:%M:%S"),
            self._moment(),
            accept_deletions,
            progress or (lambda _done, _total: None),
            hidden=self._hidden,
        )

    def today(self) -> date:
        """The day it is, for words such as "last week"."""
        from datetime import date

        return self._opened.clock().astimezone().date() if self._opened.clock else date.today()

    def _moment(self) -> str:
        if self._opened.clock is None:
            return time.strftime("%Y-%m-%dT%H:%M:%S.999Z", time.gmtime())  # no memory of this second is too new
        from memoro.model.memories import stamp

        return stamp(self._opened.clock())

    def _hidden(self) -> Hidden:
        if self.home != IN_MEMORY and not ledger_change_token(self.home):
            return NOTHING_HIDDEN
        return self._services().access.hidden()

    def _spoken(self, target: str) -> tuple[Text, Sequence[str]]:
        """What was said in a hit of a conversation, and the digests of its passages."""
        found = self.get(target)
        index = self._current()
        lines = range(found.start_line, found.end_line + 1)
        every = [index.passage(found.path, digest, 1) for digest in dict.fromkeys(index.digests(found.path))]
        return found, [one.digest for one in every if one and one.start_line in lines]

    def _read_again(self, path: str) -> None:
        """Take a conversation out of the index, and read it again without what was forgotten."""
        with self._indexes().syncing.held():
            index = self._indexes().first()
            index.apply([Drop(path), Drop(file_of(path))])
            index.put_meta({syncing.FORGOTTEN: str(self._hidden().total)})
        self.sync()

    def _sync(
        self, vault: VaultFiles | None, options: Options, rebuild: str | None, upkeep: VectorMaintenance | None
    ) -> Report:
        """For the holder of the sync lock, who calls `_filled` once he has released it."""
        started, began = time.perf_counter(), time.monotonic_ns()
        if options.what != BOTH and not self._is_ready():
            options = options._replace(what=BOTH)  # an index that answers has seen both
        report = Report(rebuilt=rebuild) if rebuild else self._update(vault, options, upkeep)
        if report.rebuilt:
            report = self._rebuild(vault, options, upkeep)._replace(rebuilt=report.rebuilt)
        if not report.degraded and not report.damage and not report.rebuilt:
            self._indexes().syncing.leave(str(SyncReceipt.of_options(options, began, self._whose())))
        return report._replace(took_ms=(time.perf_counter() - started) * 1000)

    def _update(self, vault: VaultFiles | None, options: Options, upkeep: VectorMaintenance | None) -> Report:
        """Sync the current index. Where it must be built anew instead, the report says just why."""
        indexes, rules = self._indexes(), self.settings.rules
        try:
            index = indexes.first()
            if why := self._outdated(index):
                return Report(rebuilt=why)
            if self._rules_of(index) is None:  # before any note: a sync that is broken off leaves no doubt
                index.put_meta({"rules": repr(tuple(rules))})
            return self._bring_up(index, vault, options, upkeep)
        except IndexDamaged as error:
            return Report(rebuilt=indexes.is_damaged() or error.why)

    def _rebuild(self, vault: VaultFiles | None, options: Options, upkeep: VectorMaintenance | None) -> Report:
        rules = self.settings.rules
        with self._indexes().next() as fresh:
            options = options._replace(what=BOTH)
            report = self._bring_up(fresh, vault, options, upkeep, instead_of=self._readable())
            if upkeep is not None:
                upkeep.take_from_cache()
            fresh.put_meta({"rules": repr(tuple(rules))})
        return report

    def _bring_up(
        self,
        index: Index,
        vault: VaultFiles | None,
        options: Options,
        upkeep: VectorMaintenance | None,
        instead_of: Index | None = None,
    ) -> Report:
        """Make an index say what vault and ledger say, as far as there are any."""
        if vault is not None and options.what != LOGS and os.path.exists(os.path.join(self.home, LINES_HINT)):
            with suppress(VaultError, StoreError):  # the sync itself tells what is the matter
                self._put_back()
        if upkeep is not None:
            upkeep.begin(index)
        ledger = self._ledger_if_changed(index)
        seen = ledger_change_token(self.home)
        if vault is not None:
            report = syncing.rebuild(index, instead_of, vault, self.settings.rules, options, upkeep, ledger)
        else:
            report = syncing.sync_memories(index, options, upkeep, ledger)
        # Without the logs, those that hold what was forgotten have not been read again.
        whole = options.what != VAULT or not self.settings.transcripts.folders
        if ledger is not None and seen is not None and whole and not report.degraded:
            index.put_meta({"ledger_files": seen})
        return report

    def _readable(self) -> Index | None:
        """The current index, if it holds anything that can be read. A damaged one is set aside."""
        indexes = self._indexes()
        try:
            index = indexes.current()
            return index if index and index.files() else None
        except IndexTooNew:
            return None
        except IndexDamaged:
            indexes.set_aside()
            return None

    def _outdated(self, index: Index) -> str | None:
        kept = self._rules_of(index)
        same = kept is None or kept == repr(tuple(self.settings.rules))
        return None if same else SETTINGS_CHANGED

    def _rules_of(self, index: Index) -> str | None:
        return index.get_meta("rules")

    def _refresh(
        self, progress: Progress | None, *, embed: bool, seconds: float = REMOTE_SECONDS
    ) -> tuple[bool, list[str]]:
        """Sync before an answer: always when there is nothing to answer from, else if it is quick to have."""
        if not self._is_ready():
            return True, _told(self.sync(progress=progress))
        if not self.settings.sync.on_search:
            return False, []
        options = self._options(progress=progress)._replace(embed=embed, whole=False)
        asked = time.monotonic_ns()
        try:
            with self._indexes().syncing.tried(PATIENCE_SECONDS) as free:
                if not free:
                    return False, ["index: another process is syncing; this answer is from before it finishes"]
                upkeep = self._upkeep(options, seconds)
                if self._is_done_since(asked, options):
                    report = Report()
                else:
                    report = self._sync(self._vault_if_any(), options, None, upkeep)
            return True, _told(self._filled(report, options, upkeep))
        except IndexTooNew:
            raise
        except (VaultError, StoreError) as error:
            return False, [f"sync: {error}"]

    def _is_ready(self) -> bool:
        """Whether there is an index to answer from."""
        indexes = self.indexes()
        try:
            index = indexes.current() if indexes else None
            return index is not None and index.get_meta("synced_at") is not None
        except IndexDamaged:
            return False

    def _with_index(self, work: Callable[[Index], T], degraded: list[str]) -> T:
        """Read from the current index. What turns out to be damaged is made anew, and that is said."""
        try:
            return work(self._current())
        except IndexDamaged as error:
            first = error
        try:
            with self._indexes().syncing.held():
                why = None if isinstance(first, VectorsDamaged) else self._indexes().is_damaged()
                try:  # once more, with nobody syncing: it may have been their doing
                    if why is None:
                        return work(self._current())
                    notices, upkeep = self._mend_index(why)
                except VectorsDamaged as error:
                    notices, upkeep = self._mend_vectors(error)
                except IndexDamaged as error:
                    notices, upkeep = self._mend_index(self._indexes().is_damaged() or error.why)
            degraded += [*notices, *(upkeep.fill() if upkeep else ())]
            return work(self._current())
        except StoreError:
            if isinstance(first, VectorsDamaged):  # and cannot be written: words are still to be had
                raise first from None
            raise

    def _mend_index(self, why: str) -> tuple[list[str], VectorMaintenance | None]:
        """Build the index anew. For the holder of the sync lock, who lets the upkeep fill it afterwards."""
        options = self._options()
        upkeep = self._upkeep(options)
        return _mended(self._sync(self._vault_if_any(), options, why, upkeep)), upkeep

    def _mend_vectors(self, damage: VectorsDamaged) -> tuple[list[str], VectorMaintenance | None]:
        """Drop them, to be filled anew as far as a search may wait for that; the syncs after it do the rest."""
        upkeep = self._upkeep(self._options()._replace(whole=False))
        if upkeep is not None:
            upkeep.mend(damage)
        return _remade(damage.why), upkeep

    def _current(self) -> Index:
        index = self._indexes().current()
        if index is None or index.get_meta("synced_at") is None:  # none, or one that somebody has begun to fill
            raise StoreUnavailable("The index is being made anew at this moment. Run the command again.")
        return index

    def _note(self, path: str) -> tuple[Tier, Note] | None:
        known = self._with_index(lambda index: index.notes([path]).get(path), [])
        return (known.file.tier, known.note) if known else None

    def _is_note(self, path: str) -> bool:
        return self._note(path) is not None


class _Shared:
    """The index homes that are open in this process, each once, with how many use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[str, tuple[IndexHome, int]] = {}

    def take(self, home: str) -> IndexHome:
        key = home if home == IN_MEMORY else os.path.realpath(home)
        with self._lock:
            indexes, users = self._open.get(key, (None, 0))
            if indexes is None:
                indexes = open_indexes(home)
            if home != IN_MEMORY:
                self._open[key] = (indexes, users + 1)
            return indexes

    def release(self, home: str) -> None:
        key = os.path.realpath(home)
        with self._lock:
            if key not in self._open:
                return
            indexes, users = self._open.pop(key)
            if users > 1:
                self._open[key] = (indexes, users - 1)
            else:
                indexes.close()


_shared = _Shared()


def _told(done: Report) -> list[str]:
    """What an answer says about the sync before it."""
    return [*_mended(done), *done.degraded]


def _mended(done: Report) -> list[str]:
    """What an answer says about damage that the sync before it met."""
    if done.rebuilt in (None, SETTINGS_CHANGED):
        return _remade(done.damage)
    return [f"index: it was damaged ({done.rebuilt}) and has been rebuilt"]


def _remade(why: str | None) -> list[str]:
    return [f"vectors: their files were damaged ({why}) and are written anew"] if why else []
