"""A shared ledger for `status` and `doctor`: where it is, how old the local copy is, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import LedgerUnreachable, MemoroError, StoreError
from memoro.home_checks import Check
from memoro.model.notes import counted
from memoro.store.moved import moved_to
from memoro.store.opening import ledger_change_token, open_ledger

if TYPE_CHECKING:
    from memoro.home_context import HomeContext
    from memoro.ledger.lazy import LazyLedger
    from memoro.store.postgres.examining import CopyFacts, ServerFacts

_MOST_SKEW = 5.0  # seconds; times in the journal are those of the machine that writes
_LOOKS = 3  # at server and copy, where others write meanwhile
_INSTALL = "Let the owner of the database run `memoro admin install URL`."


class SharedLedgerStatus(NamedTuple):
    """Where a shared ledger is, and the state of the local copy."""

    server: str
    tenant: str
    person: str
    is_on_this_machine: bool
    guard: str | None  # libpq's word for how the connection is encrypted; None: it is not
    revision: int | None  # of the local copy; None: there is none yet
    age_seconds: float | None  # of the local copy: since it was last known to be up to date
    failure: str | None  # why the server cannot be reached


class OwnLedger(NamedTuple):
    """What the files of a home hold that was not moved elsewhere."""

    memories: int
    experiences: int

    @property
    def in_words(self) -> str:
        memories = f"{self.memories} memor{'y' if self.memories == 1 else 'ies'}"
        parts = [memories] if self.memories else []
        parts += [counted(self.experiences, "experience")] if self.experiences else []
        return " and ".join(parts)

    @property
    def pronoun(self) -> str:
        return "it" if self.memories + self.experiences == 1 else "them"


def own_ledger(home: str) -> OwnLedger | None:
    """The ledger in the files of a home; None where there is none, it holds nothing, or it was moved."""
    if ledger_change_token(home) is None or moved_to(home) is not None:
        return None
    ledger = open_ledger(home).ledger
    try:
        with suppress(StoreError), ledger.reading() as tx:
            found = OwnLedger(tx.memories.count(), tx.experiences.count())
            return found if any(found) else None
        return None
    finally:
        ledger.close()


def unused_ledger(home: HomeContext, ledger: LazyLedger) -> OwnLedger | None:
    """The home's own ledger that no search finds, because the settings name a server."""
    return own_ledger(home.folder) if ledger.is_shared else None


def unused_ledger_notices(home: HomeContext, ledger: LazyLedger) -> Iterator[str]:
    if own := unused_ledger(home, ledger):
        yield f"{_unused(own)}. {_merge(own)}"


def check_unused_ledger(home: HomeContext, ledger: LazyLedger) -> list[Check]:
    own = unused_ledger(home, ledger)
    if own is None:
        return []
    return [Check(name="own ledger", state="warning", found=_unused(own), remedy=_merge(own))]


def _unused(own: OwnLedger) -> str:
    return f"This home's own ledger has {own.in_words}, which no search finds while ledger.url is set"


def _merge(own: OwnLedger) -> str:
    return f"`memoro move-ledger --merge` adds {own.pronoun} to the shared ledger."


def ledger_status(home: HomeContext, ledger: LazyLedger) -> SharedLedgerStatus | None:
    """The shared ledger of a home as far as it is known here; None where the home keeps its own."""
    copy = _copy(ledger)
    if copy is None:
        return None
    age = None if copy.current_at is None else max(0.0, home.runtime.now().timestamp() - copy.current_at)
    return SharedLedgerStatus(
        server=copy.server,
        tenant=copy.tenant,
        person=copy.person,
        is_on_this_machine=copy.is_on_this_machine,
        guard=copy.sslmode,
        revision=copy.rows.revision if copy.rows else None,
        age_seconds=None if age is None else round(age, 1),
        failure=copy.failure,
    )


def _copy(ledger: LazyLedger) -> CopyFacts | None:
    if not ledger.is_shared:
        return None
    from memoro.store.opening import copy_facts

    try:
        return copy_facts(ledger.opened())
    except MemoroError:  # a password that cannot be read, a driver that is missing; a notice says so
        return None


def check_ledger_server(home: HomeContext, ledger: LazyLedger) -> list[Check]:
    """Look at the server of a shared ledger, and compare the local copy with it."""
    try:
        shared = home.shared_ledger()
        if shared is None:
            return []
        from memoro.store.opening import copy_facts, server_facts

        for _ in range(_LOOKS):
            with ledger.opened().reading():  # brings the copy up to date
                copy = copy_facts(ledger.opened())
            facts = server_facts(home.folder, shared)
            if copy and copy.rows and facts.rows and copy.rows.revision == facts.rows.revision:
                break
    except LedgerUnreachable as error:
        remedy = "Reads go on from the local copy, where there is one. Check the network and the server."
        return [Check(name="ledger server", state="failed", found=error.sentence, remedy=remedy)]
    except MemoroError as error:
        return [Check("ledger server", "failed", str(error))]
    return [*_server_checks(facts), _clock(facts), _copy_check(facts, copy)]


def _server_checks(facts: ServerFacts) -> Iterator[Check]:
    where = f"{facts.server}: PostgreSQL {facts.version}, format {facts.format}, as {facts.rights.name}"
    if why := facts.rights.why_unfit():
        found = f"{where}, a role that {why}"
        yield Check(name="ledger server", state="failed", found=found, remedy="Use the role that owns nothing.")
    elif facts.format is None or facts.needs_update or facts.is_too_new:
        remedy = "Update Memoro on this machine." if facts.is_too_new else _INSTALL
        yield Check(name="ledger server", state="failed", found=where, remedy=remedy)
    elif not (facts.has_tenant and facts.has_person):
        remedy = "Let the owner of the database run `memoro admin tenant add` and `memoro admin person add`."
        found = f"{where}; it does not have this tenant and person"
        yield Check(name="ledger server", state="failed", found=found, remedy=remedy)
    else:
        yield Check("ledger server", "ok", where)
    yield _encryption(facts)
    yield _guards(facts)


def _encryption(facts: ServerFacts) -> Check:
    if facts.is_on_this_machine:
        return Check("ledger connection", "ok", "stays on this machine")
    if facts.encryption is None:
        remedy = (
            "Take sslmode out of ledger.url: then the server must prove who it is, and the connection is encrypted."
        )
        found = "not encrypted: whoever sees the network reads memories"
        return Check(name="ledger connection", state="warning", found=found, remedy=remedy)
    return Check("ledger connection", "ok", f"encrypted ({facts.encryption})")


def _guards(facts: ServerFacts) -> Check:
    if facts.unguarded:
        found = f"row-level security is not forced on {', '.join(facts.unguarded)}"
        return Check(name="ledger guards", state="failed", found=found, remedy=_INSTALL)
    return Check("ledger guards", "ok", "row-level security is forced on every table")


def _clock(facts: ServerFacts) -> Check:
    off = facts.seconds_ahead
    if abs(off) <= _MOST_SKEW:
        return Check("ledger clock", "ok", "this machine's clock and the server's agree")
    found = f"this machine's clock is {abs(off):,.0f} seconds {'behind' if off > 0 else 'ahead of'} the server's"
    return Check(name="ledger clock", state="warning", found=found, remedy="Set the clock, for example by NTP.")


def _copy_check(facts: ServerFacts, copy: CopyFacts | None) -> Check:
    if copy is None or copy.rows is None or facts.rows is None:
        return Check("ledger copy", "warning", "there is none that could be compared")
    if copy.rows.revision != facts.rows.revision:
        found = f"of revision {copy.rows.revision}; the server is at {facts.rows.revision}, and is being written to"
        return Check("ledger copy", "ok", found)
    here, there = copy.rows.counts, facts.rows.counts
    differing = [
        f"{name} ({here.get(name)} here, {there[name]} there)" for name in there if here.get(name) != there[name]
    ]
    if differing:
        remedy = "Delete the folder shared-* in the home: the copy is made anew from the server."
        found = f"not what the server has: {', '.join(differing)}"
        return Check(name="ledger copy", state="failed", found=found, remedy=remedy)
    return Check(
        "ledger copy", "ok", f"equals the server ({sum(there.values()):,} rows, revision {facts.rows.revision})"
    )
