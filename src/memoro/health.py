"""Is everything right? `status` compares disk and index; `doctor` looks at all that Memoro stands on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from memoro import home_checks
from memoro.config import Settings
from memoro.embedding_status import EmbeddingStatus, embedding_status
from memoro.errors import (
    REBUILT_NEXT,
    IndexDamaged,
    IndexOutdated,
    LedgerUnreachable,
    MemoroError,
    NoVault,
    ProviderError,
    StoreError,
    VectorsDamaged,
    rebuilding,
)
from memoro.home_checks import Check as Check
from memoro.index.homes import of_this_version, why_outdated
from memoro.index.look import Dirty, Look, dirty, look
from memoro.index.notes_without_vault import notes_without_vault
from memoro.language_status import LanguageStatus, check_language, language_status
from memoro.ledger_status import (
    SharedLedgerStatus,
    check_ledger_server,
    check_unused_ledger,
    ledger_status,
    unused_ledger_notices,
)
from memoro.model.home import why_nested
from memoro.model.notes import MEMORY, Problem, count_in_words, counted, kind_of
from memoro.model.vocabulary import Mode
from memoro.search.spaces import SpaceSearch, SpaceState
from memoro.store.files import has_room, why_read_only
from memoro.store.opening import engine_facts, has_outbox, open_outbox
from memoro.store.plain.provider_records import PlainProviderRecords
from memoro.store.ports import Index, IndexHome
from memoro.store.serving import Serving, serving
from memoro.store.space_progress import settled
from memoro.vault.conflict_marks import conflicted_notes
from memoro.vault.files import VaultFiles
from memoro.vault.secret_places import secret_places

if TYPE_CHECKING:
    from memoro.config import DeltaSettings
    from memoro.home_context import HomeContext
    from memoro.index.growth import Growth
    from memoro.ledger.lazy import LazyLedger
    from memoro.ledger.services import LedgerServices
    from memoro.providers.records import ProviderRecords
    from memoro.providers.registry import Embedders
    from memoro.wiring import Collaborators


_NAMED_NOTES = 3  # a line with more is hard to read
_NO_INDEX = "Searches and `get` fail until then: this home has no index of this version yet, and they write it first."
_NO_INDEX_NO_ROOM = f"Free some, and repeat the command. {_NO_INDEX} The home stays as it is."
_MOVE_HOME = "Move the home out of the vault, and set MEMORO_HOME to its new place."


class Status(NamedTuple):
    """The disk compared with the index, now."""

    home: str
    vault: str | None
    generation: int | None
    files: int
    transcripts: int  # of the files
    chunks: int
    hidden: int
    synced_at: str | None
    dirty: tuple[Dirty, ...]  # what the next sync will look at, and why; empty: the index says what the disk says
    problems: tuple[Problem, ...]
    notices: tuple[str, ...]  # what else the owner should know
    mode: Mode
    model: str | None  # the space that meaning is searched in; None: words only
    vectors: int  # chunks that have a vector in it
    spaces: tuple[SpaceState, ...]  # all that the index has vectors in, this one first
    engine: str
    journal: str
    file_system: str
    page_checksums: bool
    memories: int | None = 0  # in the ledger; None: it cannot be read, and doctor says why
    archived: int | None = 0
    backup: str | None = None  # the newest
    experiences: int | None = 0  # without the archived ones
    sessions: int | None = 0  # archived ones among them
    recalls: int | None = 0
    settings_changed: bool = False  # those that shape the index: the next sync rebuilds it
    serving: Serving | None = None  # the `memoro serve` that runs for this home
    embedding: EmbeddingStatus | None = None  # of a model that is not the built-in one
    language: LanguageStatus | None = None  # of the language model, where the owner has set one
    ledger: SharedLedgerStatus | None = None  # where a server keeps the ledger


def status(parts: Collaborators) -> Status:
    """Compare the disk with the index, without changing either."""
    from memoro.store.plain.index import PlainIndex

    home, settings = parts.home.folder, parts.home.settings
    if not parts.indexing.notes_without_vault():  # it tells of them
        parts.indexing.check_source()
    vault, indexes = parts.indexing.vault_if_any(), parts.indexing.indexes_if_any()
    services = parts.ledger.services_if_any()
    index = of_this_version(indexes)
    seen = look(index or PlainIndex(), vault, settings.rules) if vault else None
    counts = index.counts() if index else None
    facts = engine_facts(home)
    embedders = _embedders(parts.home, indexes)
    spaces = SpaceSearch(indexes, embedders).states(index) if embedders and indexes and index else []
    return Status(
        home=home,
        vault=vault.root if vault else None,
        generation=indexes.generation if indexes else None,
        files=counts.files if counts else 0,
        transcripts=counts.transcripts if counts else 0,
        chunks=counts.chunks if counts else 0,
        hidden=counts.hidden if counts else 0,
        synced_at=index.get_meta("synced_at") if index else None,
        dirty=(*_dirty(settings, seen, vault, index), *_waiting(index, services)),
        problems=tuple(sorted({*(seen.listing.problems if seen else ()), *(index.problems() if index else ())})),
        notices=(
            *(seen.layout.doubles if seen else ()),
            *_notices(settings, index, seen, why_outdated(indexes)),
            *_model_notices(parts.home, embedders),
            *_ledger_notices(parts.ledger, services),
            *unused_ledger_notices(parts.home, parts.ledger),
            *_outbox_notices(home),
            *place_notices(home, settings, has_index=bool(index and index.get_meta("synced_at"))),
            *facts.warnings,
        ),
        mode=settings.query.mode if settings.embedding.enabled else "words",
        model=spaces[0].name if spaces else str(embedders.wanted.space) if embedders else None,
        vectors=spaces[0].vectors if spaces else 0,
        spaces=tuple(spaces),
        engine=facts.engine,
        journal=index.journal_mode() if index else "none",
        file_system=facts.file_system,
        page_checksums=facts.page_checksums,
        settings_changed=_settings_changed(settings, index),
        serving=serving(home),
        embedding=_embedding(parts.home, indexes, index, embedders),
        language=language_status(parts.home, _records(indexes)),
        **_memories(services),
        ledger=ledger_status(parts.home, parts.ledger),
    )


def _dirty(settings: Settings, seen: Look | None, vault: VaultFiles | None, index: Index | None) -> list[Dirty]:
    """Return the notes and logs that differ from the index; for logs, by how much."""
    if seen is None or vault is None:
        return []
    failed = {one.path for one in index.problems() if one.severity == "failed"} if index else set()
    found = sorted(dirty(seen, vault, failed))
    if not any(kind_of(one.path) == "transcript" for one in found):
        return found
    from memoro.index.growth import growths

    deltas = settings.sync.transcripts
    grown = {one.path: one for one in growths(vault, seen.listing.files, seen.known, deltas)}
    return [_with_growth(one, grown.get(one.path), deltas) for one in found]


def _with_growth(one: Dirty, growth: Growth | None, deltas: DeltaSettings) -> Dirty:
    if growth is None:
        return one
    why = "grown" if one.why == "changed" and not growth.rewritten else one.why
    return Dirty(path=one.path, why=why, bytes=growth.bytes, due=growth.is_due(deltas))


def _waiting(index: Index | None, services: LedgerServices | None) -> list[Dirty]:
    """Memories of which the index does not yet say what the ledger says."""
    if services is None:
        return []
    from memoro.index.mirror import waiting
    from memoro.model.memories import stamp

    with suppress(StoreError):
        return [
            Dirty(f"{MEMORY}{n}", "changed")
            for n in waiting(index, services.access.ledger, stamp(services.access.now()))
        ]
    return []  # `memories` is None then, and doctor says why


def _settings_changed(settings: Settings, index: Index | None) -> bool:
    return index is not None and index.get_meta("rules") not in (None, repr(tuple(settings.rules)))


def _memories(services: LedgerServices | None) -> dict[str, Any]:
    """Return the counts and the newest backup; None where the ledger cannot be read."""
    if services is None:
        return {"memories": 0, "archived": 0, "backup": None}
    kept: int | None = None
    archived: int | None = None
    experiences: int | None = None
    sessions: int | None = None
    recalls: int | None = None
    with suppress(StoreError), services.access.ledger.reading() as tx:
        kept, experiences = tx.memories.count(), tx.experiences.count()
        sessions, _, recalls = tx.sessions.totals()
    with suppress(StoreError), services.access.archive.reading() as tx:
        archived = tx.memories.count()
    newest = services.backups.newest()
    counted = {"memories": kept, "archived": archived, "experiences": experiences}
    return {**counted, "sessions": sessions, "recalls": recalls, "backup": newest.name if newest else None}


def place_notices(home: str, settings: Settings, *, has_index: bool) -> Iterator[str]:
    """Say what is wrong with the place of the home, and what still works there.

    `has_index` says whether there is a whole index of this version. Without one, a search has to write one first.
    """
    if os.path.isdir(home):
        if refusal := why_read_only(home):
            yield f"{refusal} {'Searching and reading work; nothing can be stored.' if has_index else _NO_INDEX}"
        elif not has_room(home):
            works = "Searching and reading work; to store anything, free some." if has_index else _NO_INDEX_NO_ROOM
            yield f"No space is left for {home}. {works}"
    if nested := why_nested(home, settings.vault.path):
        yield f"{nested} {_MOVE_HOME}"


def _ledger_notices(ledger: LazyLedger, services: LedgerServices | None) -> Iterator[str]:
    """Why the ledger or the archive cannot be read, or how old what they say is."""
    failures: list[str] = []
    for store in (services.access.ledger, services.access.archive) if services else ():
        try:
            with store.reading():
                pass
            if damage := store.known_damage():  # in a part that was not read now
                failures.append(str(damage))
        except StoreError as error:
            failures.append(error.sentence if isinstance(error, LedgerUnreachable) else str(error))
    yield from dict.fromkeys(failures)  # one server keeps both
    if stale := ledger.staleness():
        yield stale
    with suppress(StoreError):
        last = services.archiving.last_pruning() if services else None
        if last is not None:
            limit = f"memory.max_size ({last.limit / 1_000_000:,.0f} MB)"
            yield (
                f"Pruning moved {last.archived:,} memories to the archive on {last.at[:10]}: they took more than "
                f"{limit}. `memoro memory query TEXT --archived` finds them."
            )


def _outbox_notices(home: str) -> Iterator[str]:
    """Return notices about writes that wait for the server of a shared ledger."""
    if not has_outbox(home):
        return
    with closing(open_outbox(home)) as outbox:
        writes = outbox.all()
    refused = sum(one.refused is not None for one in writes)
    if waiting := len(writes) - refused:
        yield f"{counted(waiting, 'write')} in the outbox: `memoro outbox send` sends what waits for the server."
    if refused:
        yield f"{counted(refused, 'write')} in the outbox will never be taken: `memoro outbox list` says why."


def _embedders(home: HomeContext, indexes: IndexHome | None) -> Embedders | None:
    """The embedders of the home; None where only words are searched, or no model can be loaded: doctor says why."""
    if not home.settings.embedding.enabled:
        return None
    with suppress(ProviderError):
        return home.embedders(_records(indexes))
    return None


def _embedding(
    home: HomeContext, indexes: IndexHome | None, index: Index | None, embedders: Embedders | None
) -> EmbeddingStatus | None:
    if indexes is None or index is None or embedders is None:
        return None
    return embedding_status(home, indexes, index, embedders.wanted)


def _model_notices(home: HomeContext, embedders: Embedders | None) -> Iterator[str]:
    settings, choice = home.settings, home.auto_choice() if embedders else None
    if choice:
        yield f"embedding.provider = auto means {choice.provider} here: {choice.why}."
    if embedders and embedders.problem:
        instead = "by words alone" if embedders.fallback == "none" else "with the built-in model"
        yield f"{settings.embedding.provider} is not used: {embedders.problem} Searches go {instead}."


def _records(indexes: IndexHome | None) -> Callable[[], ProviderRecords]:
    """Return the provider records of the home; empty ones before it exists."""
    return indexes.records if indexes else PlainProviderRecords


def _notices(settings: Settings, index: Index | None, seen: Look | None, outdated: str | None) -> Iterator[str]:
    if not settings.enabled:
        yield "Memoro is switched off for agents (enabled = false): hooks and tools answer nothing. Commands work."
    if outdated:
        yield outdated
    elif index is None:
        yield "There is no index yet; the first `memoro sync` or `memoro search` makes it."
    elif not notes_without_vault(index, settings) and _settings_changed(settings, index):
        yield "Settings that shape the index have changed; the next sync rebuilds it."
    if unset := notes_without_vault(index, settings):
        yield str(unset)
    elif seen is None:
        yield "No vault is set; there are only memories. `memoro init FOLDER` adds your notes."
    elif not seen.listing.files:
        yield "The vault holds no Markdown files (*.md)."


def doctor(parts: Collaborators, *, deep: bool = False) -> list[Check]:
    """Every check by itself: one that fails does not keep the others from being made."""
    home, settings, vault = parts.home.folder, parts.home.settings, parts.home.vault
    found = [
        _guarded("engine", lambda: home_checks.engine(home)),
        _guarded("home", lambda: home_checks.home(home)),
        _guarded("files", lambda: home_checks.private_files(home)),
        _guarded("locks", lambda: home_checks.locks(home)),
        _guarded("file system", lambda: home_checks.file_system(home)),
    ]
    if nested := why_nested(home, settings.vault.path):
        found.append(Check(name="place of the home", state="warning", found=nested, remedy=_MOVE_HOME))
    found += [
        _guarded("model", lambda: _model(parts)),
        _guarded("vault", lambda: _vault(settings, vault, parts.indexing.notes_without_vault())),
    ]
    try:
        opened = parts.indexing.indexes_if_any()
        found.append(_guarded("index", lambda: _index_file(opened)))
        found += _cached_vectors(parts, opened, deep=deep)  # before anything opens it, which replaces a damaged one
        found.append(_guarded("vectors", lambda: _vector_files(opened)))
        found += _provider_records(parts)
        found += _provider(parts, opened)
        found += check_language(parts.home, _records(opened))
        if settings.vault.path:
            full = vault()
            found.append(_guarded("index against disk", lambda: _against_disk(opened, full, settings)))
            found.append(_guarded("secrets", lambda: _secrets(full, parts.home.runtime.secrets())))
            found += _conflicts(full)
    except MemoroError as error:
        found.append(Check("index", "failed", str(error)))
    found += _ledger(parts.ledger, deep=deep)
    return [*found, *check_ledger_server(parts.home, parts.ledger), *check_unused_ledger(parts.home, parts.ledger)]


def probe(parts: Collaborators) -> list[Check]:
    """Check that the home can be written and read now. Faster than `doctor`, which reads whole files."""
    home = parts.home.folder
    try:
        opened = parts.indexing.indexes_if_any()
        found = [_guarded("home", lambda: home_checks.home(home)), _guarded("index", lambda: _index_now(opened))]
    except MemoroError as error:
        found = [_guarded("home", lambda: home_checks.home(home)), Check("index", "failed", str(error))]
    return [*found, *_ledger(parts.ledger, deep=False)]


def _index_now(indexes: IndexHome | None) -> Check:
    try:
        index = indexes.current() if indexes else None
    except IndexOutdated as error:
        return _outdated(error)
    if index is None:
        return Check("index", "ok", "there is none yet; the first sync makes it")
    index.probe()
    counts = index.counts()
    return Check("index", "ok", f"{count_in_words(counts.files, counts.transcripts)}; it can be written and read")


def _provider_records(parts: Collaborators) -> list[Check]:
    try:
        return home_checks.provider_records(parts.home.folder, parts.indexing.records())
    except MemoroError as error:
        return [Check("provider records", "failed", str(error))]


def _ledger(ledger: LazyLedger, *, deep: bool) -> list[Check]:
    try:
        opened = ledger.services_if_any()
        if opened is None:
            return [Check("ledger", "ok", "there is none yet; the first memory makes it")]
        from memoro.ledger.checkup import checkup

        return [Check(*finding) for finding in checkup(opened, deep=deep)]
    except MemoroError as error:
        return [Check("ledger", "failed", str(error))]


def _guarded(name: str, check: Callable[[], Check]) -> Check:
    try:
        return check()
    except MemoroError as error:
        return Check(name, "failed", str(error))


def _model(parts: Collaborators) -> Check:
    home = parts.home
    if not home.settings.embedding.enabled:
        return Check("model", "ok", "none is wanted (embedding.enabled = false); searches go by words")
    try:
        space = home.embedders(_records(parts.indexing.indexes_if_any())).builtin.space
    except ProviderError as error:
        remedy = "Reinstall Memoro, for example with `pip install --force-reinstall memoro`. Searches go by words."
        return Check(name="model", state="failed", found=str(error), remedy=remedy)
    return Check("model", "ok", f"{space} is intact")


def _provider(parts: Collaborators, indexes: IndexHome | None) -> list[Check]:
    """Check a model that is not the built-in one. Sends three passages that it has been sent before."""
    home, chosen = parts.home, parts.home.settings.embedding
    is_other = chosen.provider != "builtin" or home.runtime.embedder is not None
    if not chosen.enabled or not is_other:
        return []
    from memoro import provider_checks

    found = list(
        provider_checks.check_settings(chosen, home.runtime.environment, home.settings.providers.private_hosts)
    )
    if indexes is None or any(check.state == "failed" for check in found):
        return found
    try:
        embedders = home.embedders(indexes.records, "doctor")
        more = [
            provider_checks.check_model_files(home),
            provider_checks.check_samples(home, indexes, embedders),
        ]
    except MemoroError as error:
        more = [Check("provider", "failed", str(error))]
    return [*found, *(check for check in more if check)]


def _vault(settings: Settings, vault: Callable[[], VaultFiles], unset: NoVault | None) -> Check:
    if settings.vault.path is None:
        if unset:
            return Check("vault", "failed", str(unset))
        return Check(name="vault", state="warning", found="no vault is set", remedy="Run `memoro init FOLDER`.")
    listing = vault().list()
    failed = [problem for problem in listing.problems if problem.severity == "failed"]
    if failed:
        return Check(
            name="vault",
            state="warning",
            found=f"{failed[0].path}: {failed[0].sentence}",
            remedy="Mend it, or ignore it (vault.ignore).",
        )
    return Check("vault", "ok", f"{settings.vault.path}: {_counted(listing.files)}, all folders can be listed")


def _index_file(indexes: IndexHome | None) -> Check:
    try:
        index = indexes.current() if indexes else None
    except IndexOutdated as error:
        return _outdated(error)
    if index is None:
        return Check("index", "ok", "there is none yet; the first sync makes it")
    try:
        complaints = index.check()
        if not complaints:
            index.probe()
    except IndexDamaged as error:
        complaints = [error.why]
    if complaints:
        return Check(
            name="index",
            state="failed",
            found=complaints[0],
            remedy="Run `memoro sync --force`; your notes are not touched.",
        )
    return Check("index", "ok", f"{index.file} is intact, and can be written and read")


def _outdated(error: IndexOutdated) -> Check:
    return Check(name="index", state="warning", found=rebuilding(error.why), remedy=REBUILT_NEXT)


def _vector_files(indexes: IndexHome | None) -> Check:
    index = of_this_version(indexes)
    names = indexes.spaces(index) if indexes and index else []
    if not indexes or not index or not names:
        return Check("vectors", "ok", "there are none yet")
    try:
        from memoro.providers.ports import Space

        spaces = {name: indexes.vectors(index, name, Space.parse(name).dimensions) for name in names}
        for vectors in spaces.values():
            vectors.check()
    except ImportError as error:
        return Check("vectors", "warning", f"they cannot be looked at: {error}")
    except VectorsDamaged as error:
        return Check(
            name="vectors",
            state="failed",
            found=f"{error.space}: {error.why}",
            remedy="Run `memoro sync`: it writes them anew.",
        )
    counted = ", ".join(f"{vectors.count} in {name}" for name, vectors in spaces.items())
    return Check("vectors", "ok", f"{counted}, as they were written")


def _cached_vectors(parts: Collaborators, indexes: IndexHome | None, *, deep: bool) -> list[Check]:
    if parts.home.in_memory or not indexes:
        return []
    try:
        return home_checks.cached_vectors(parts.home.folder, _spaces_to_keep(parts, indexes), deep=deep)
    except StoreError as error:
        return [Check("cached vectors", "failed", str(error))]


def _spaces_to_keep(parts: Collaborators, indexes: IndexHome) -> list[str]:
    """The spaces of the index that the cache has, too, unless it is limited; none of an index that is damaged."""
    cache = parts.home.settings.cache
    with suppress(StoreError):
        index = of_this_version(indexes) if cache.enabled and cache.max_entries is None else None
        return [name for name in indexes.spaces(index) if settled(index, name)] if index else []
    return []


def _against_disk(indexes: IndexHome | None, vault: VaultFiles, settings: Settings) -> Check:
    index = of_this_version(indexes)
    if index is None:
        return Check("index against disk", "ok", "nothing to compare yet")
    seen = look(index, vault, settings.rules)
    waiting = list(dirty(seen, vault))
    if waiting:
        path, why = waiting[0][:2]
        found = f"{len(waiting)} of {_counted(seen.listing.files)} differ from the index, such as {path} ({why})"
        return Check(name="index against disk", state="warning", found=found, remedy="Run `memoro sync`.")
    counts = index.counts()
    said = count_in_words(counts.files, counts.transcripts)
    return Check("index against disk", "ok", f"the index is up to date ({said})")


def _secrets(vault: VaultFiles, known: Sequence[str]) -> Check:
    places = tuple(secret_places(vault, known))
    if not places:
        return Check("secrets", "ok", "no note holds a key or a password that can be recognised")
    notes = len({place.path for place in places})
    where = "1 note holds" if notes == 1 else f"{notes} notes hold"
    return Check(
        name="secrets",
        state="warning",
        found=f"{where} {len(places)} secret{'s' if len(places) > 1 else ''}: keys, tokens or passwords",
        remedy="Agents are shown placeholders instead. Better keep them in a password manager, and out of notes.",
        places=places,
    )


def _conflicts(vault: VaultFiles) -> list[Check]:
    """Name the notes that a merge of git left unresolved; there is nothing to say where there are none."""
    notes = conflicted_notes(vault)
    if not notes:
        return []
    more = f" and {len(notes) - _NAMED_NOTES} more" if len(notes) > _NAMED_NOTES else ""
    return [
        Check(
            name="conflicts",
            state="warning",
            found=f"conflict marks of git stand in {', '.join(notes[:_NAMED_NOTES])}{more}",
            remedy="Open it in your editor, keep the lines that hold, and delete the marks. For daily notes, "
            "`daily/*.md merge=union` in .gitattributes keeps the lines of both sides.",
        )
    ]


def _counted(paths: Iterable[str]) -> str:
    kinds = [kind_of(path) for path in paths]
    return count_in_words(len(kinds), kinds.count("transcript"))
