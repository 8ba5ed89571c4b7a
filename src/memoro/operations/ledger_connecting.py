"""The checks of `memoro config set ledger.url` before it saves the address: connect, look, install if allowed."""

from __future__ import annotations

import hashlib
import os
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import LedgerServerRefused, LedgerUnreachable, MemoroError

if TYPE_CHECKING:
    from memoro.store.opening import SharedLedger
    from memoro.store.postgres.administering import Administration
    from memoro.store.postgres.examining import ServerFacts
    from memoro.store.postgres.installing import Installed
    from memoro.workspace import Workspace

_ROLE = "memoro_app"


class LedgerAddress(NamedTuple):
    """The address to keep, and what was found there."""

    url: str
    password: str | None  # a reference to keep as `ledger.password`; None: it stays as it is
    sentences: tuple[str, ...]


def connect_ledger(m: Workspace, url: str, *, is_forced: bool) -> LedgerAddress:
    """Look at the server behind an address, and install where its role may. Raises where it cannot be used.

    `is_forced`: an address that cannot be reached now is kept, too.
    """
    shared = m.home_context.shared_ledger_at(url)
    try:
        return _connect(m, shared)
    except LedgerUnreachable as error:
        if not is_forced:
            raise LedgerUnreachable(
                error.server, f"{error.why}. The address was not saved; --force saves it"
            ) from error
        return LedgerAddress(url, None, (f"Not checked: {error.server} cannot be reached now ({error.why}).",))


def _connect(m: Workspace, shared: SharedLedger) -> LedgerAddress:
    from memoro.store.opening import server_facts

    facts = server_facts(m.home, shared)
    if facts.is_too_new:
        raise LedgerServerRefused(
            f"The ledger at {facts.server} has format {facts.format}, which this version cannot write. Update Memoro "
            "on this machine. The address was not saved."
        )
    if facts.rights.may_install:
        return _install(m, shared, facts)
    _check(facts, shared)
    return LedgerAddress(shared.url, None, (*_found(facts), *_counts(m, facts)))


def _install(m: Workspace, shared: SharedLedger, before: ServerFacts) -> LedgerAddress:
    """As the owner: make everything, and go on as the role for nodes."""
    from memoro.store.opening import administration, server_facts
    from memoro.store.postgres.address import with_role

    owner = administration(shared.url, shared.password)
    done, file = install_with_role(m.home, owner, _ROLE)
    is_new = owner.add_tenant(shared.tenant)
    owner.add_person(shared.tenant, shared.person)
    kept = password_file(m.home, owner.name, _ROLE)
    reference = f"file:{kept}" if os.path.exists(kept) else None
    seated = shared._replace(url=with_role(shared.url, _ROLE), password=_node_password(m, reference))
    try:
        facts = server_facts(m.home, seated)
    except (LedgerUnreachable, LedgerServerRefused) as error:
        raise LedgerServerRefused(
            f"{before.server} does not let the role {_ROLE} in. {error} The machine that made the role has its "
            "password in its home. Run this again then; the address was not saved."
        ) from error
    _check(facts, seated)
    sentences = [*_found(facts), installed_in_words(done), *([password_in_words(file)] if file else [])]
    if is_new:
        sentences.append(f"The tenant {shared.tenant} was made, with the person {shared.person}.")
    return LedgerAddress(seated.url, reference, (*sentences, *_counts(m, facts)))


def _node_password(m: Workspace, reference: str | None) -> str | None:
    from memoro.providers.keys import read_key

    chosen = reference or m.home_context.settings.ledger.password
    with suppress(MemoroError):
        return read_key(chosen, m.environment, "ledger") if chosen else None
    return None


def install_with_role(home: str, owner: Administration, role: str) -> tuple[Installed, str | None]:
    """Install; return the file with the password of the role, where the role was made.

    The password is written before the role is made: were the file lost, nobody would know it.
    """
    from memoro.store.opening import make_home
    from memoro.store.secret_file import write_secret

    if owner.has_role(role):
        return owner.install(role, None), None
    make_home(home)
    file, password = password_file(home, owner.name, role), secrets.token_hex(32)
    write_secret(f"{file}.new", password)
    try:
        done = owner.install(role, password)
        if done.role_made:
            os.replace(f"{file}.new", file)
        return done, file if done.role_made else None
    finally:
        with suppress(FileNotFoundError):
            os.unlink(f"{file}.new")


def password_file(home: str, server: str, role: str) -> str:
    """The file in a home for the password of a role."""
    name = hashlib.sha256(f"{server}\n{role}".encode()).hexdigest()[:8]
    return os.path.join(os.path.abspath(home), f"ledger-{name}.password")


def installed_in_words(done: Installed) -> str:
    """Return the result of an installation as a sentence."""
    role = f"the role {done.role} for nodes was {'made' if done.role_made else 'there'}"
    if done.before is None:
        return f"The tables were made (format {done.after}), and {role}."
    if done.before == done.after:
        return f"The tables were up to date (format {done.after}), and {role}."
    return f"The tables were brought from format {done.before} to {done.after}, and {role}."


def password_in_words(file: str) -> str:
    return f"The password of that role is in {file}, which only you can read; other machines need a copy of it."


def _check(facts: ServerFacts, shared: SharedLedger) -> None:
    """Raise where a node could not use the ledger with this role."""
    if why := facts.rights.why_unfit():
        raise LedgerServerRefused(
            f"The role {facts.rights.name} {why}, so nothing would keep tenants apart. Use the role {_ROLE}, which "
            "`memoro admin install` makes. The address was not saved."
        )
    if facts.format is None or facts.rows is None:
        raise LedgerServerRefused(
            f"The role {facts.rights.name} finds no ledger in {facts.server}. The owner of the database makes one "
            "with `memoro admin install URL`. The address was not saved."
        )
    if facts.needs_update:
        raise LedgerServerRefused(
            f"The ledger at {facts.server} has format {facts.format}, which is older than this version needs. The "
            "owner of the database updates it with `memoro admin install URL`. The address was not saved."
        )
    if not facts.has_tenant:
        raise LedgerServerRefused(
            f"There is no tenant {shared.tenant!r} in {facts.server}. Set ledger.tenant first, or let the owner of "
            f"the database run `memoro admin tenant add {shared.tenant}`. The address was not saved."
        )
    if not facts.has_person:
        raise LedgerServerRefused(
            f"The tenant {shared.tenant!r} has no {shared.person!r}. Set ledger.person first, or let the owner of "
            f"the database run `memoro admin person add {shared.tenant} {shared.person}`. The address was not saved."
        )


def _found(facts: ServerFacts) -> tuple[str, ...]:
    guarded = "on this machine" if facts.is_on_this_machine else f"encrypted ({facts.encryption})"
    if not facts.is_on_this_machine and facts.encryption is None:
        guarded = "NOT encrypted: whoever sees the network reads along"
    return (f"Reached {facts.server}: PostgreSQL {facts.version}, as {facts.rights.name}, {guarded}.",)


def _counts(m: Workspace, facts: ServerFacts) -> tuple[str, ...]:
    """Return how many memories are there, and how many in this home, which stay where they are."""
    from memoro.ledger_status import own_ledger

    there = facts.rows.counts["memories"] if facts.rows else 0
    found = [f"The ledger there has {there} memor{'y' if there == 1 else 'ies'}."]
    if own := own_ledger(m.home):
        is_empty = facts.rows is not None and facts.rows.is_untouched
        route = "`memoro move-ledger` moves" if is_empty else "`memoro move-ledger --merge` adds"
        found.append(
            f"This home's own ledger has {own.in_words}, which no search finds from now on; {route} {own.pronoun} "
            "there."
        )
    return tuple(found)
