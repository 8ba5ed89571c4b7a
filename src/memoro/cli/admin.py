"""The views of `memoro admin …`: what the owner of a database sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoro.cli.admin_backup import VIEWS as BACKUP_VIEWS
from memoro.cli.command import command
from memoro.cli.lines import say
from memoro.cli.show import printable
from memoro.model.local_time import local
from memoro.model.notes import counted
from memoro.operations import admin
from memoro.operations.admin import (
    AddedPerson,
    AddedTenant,
    AddedToken,
    InstalledLedgers,
    PeopleList,
    RemovedPerson,
    RemovedTenant,
    RevokedToken,
    TenantList,
    TokenList,
)

if TYPE_CHECKING:
    from memoro.store.postgres.administering import Token


def _show_installed(found: InstalledLedgers, _request: object) -> None:
    from memoro.operations.ledger_connecting import installed_in_words, password_in_words
    from memoro.store.postgres.installing import Installed

    done = Installed(before=found.before, after=found.after, role=found.role, role_made=found.role_made)
    say(f"{printable(found.server)}: {installed_in_words(done)}")
    if found.password_file:
        say(f"   {printable(password_in_words(found.password_file))}")
    say("   Next: `memoro admin tenant add NAME`, then `memoro admin person add NAME PERSON`.")


def _show_added_tenant(found: AddedTenant, _request: object) -> None:
    say(f"The tenant {found.tenant} {'was made' if found.is_new else 'was there before'}.")


def _show_tenants(found: TenantList, _request: object) -> None:
    if not found.tenants:
        say("There are no tenants yet; `memoro admin tenant add NAME` makes one.")
    for one in found.tenants:
        tokens = counted(one.tokens, "token")
        say(f"{one.name}  since {local(one.created_at)}: {_people(one.people)}, {tokens}")


def _people(count: int) -> str:
    return "1 person" if count == 1 else f"{count} people"


def _show_removed_tenant(found: RemovedTenant, _request: object) -> None:
    say(f"The tenant {found.tenant} was deleted, with {_memories(found.counts['memories'])}.")
    say("   Local copies on other machines and backups of the database still have it.")


def _memories(count: int) -> str:
    return "1 memory" if count == 1 else f"{count} memories"


def _show_added_person(found: AddedPerson, _request: object) -> None:
    say(f"{found.person} {'may now use' if found.is_new else 'could already use'} the ledger of {found.tenant}.")


def _show_people(found: PeopleList, _request: object) -> None:
    if not found.people:
        say(f"{found.tenant} has no people yet; `memoro admin person add {found.tenant} PERSON` adds one.")
    for one in found.people:
        state = f"removed {local(one.removed_at)}" if one.removed_at else counted(one.tokens, "token")
        say(f"{one.name}  since {local(one.created_at)}: {state}")


def _show_removed_person(found: RemovedPerson, _request: object) -> None:
    say(f"{found.person} was removed from {found.tenant}; {counted(found.revoked, 'token')} revoked.")
    say("   What they wrote stays. A machine that has the password of the database role must lose it, too.")


def _show_added_token(found: AddedToken, _request: object) -> None:
    say(found.token)
    ends = f"until {local(found.expires_at)}" if found.expires_at else "without an end"
    agent = f", used by {found.agent}" if found.agent else ""
    say(f"   For {found.person} of {found.tenant}{agent}; {', '.join(found.scopes)}; {ends}.")
    say(f"   It is shown this once. `memoro admin token revoke {found.tenant} {found.id}` ends it.")


def _show_tokens(found: TokenList, _request: object) -> None:
    if not found.tokens:
        say(f"{found.tenant} has no tokens; `memoro admin token add {found.tenant} PERSON` makes one.")
    for one in found.tokens:
        agent = f" ({one.agent})" if one.agent else ""
        say(f"{one.id}  {one.person}{agent}  {', '.join(one.scopes)}  {_token_state(one)}")


def _token_state(one: Token) -> str:
    if one.revoked_at:
        return f"revoked {local(one.revoked_at)}"
    return f"until {local(one.expires_at)}" if one.expires_at else "without an end"


def _show_revoked(found: RevokedToken, _request: object) -> None:
    say(f"The token {found.id} {'is revoked' if found.was_usable else 'was revoked before'}.")


VIEWS = {
    **BACKUP_VIEWS,
    "admin install": command(admin.INSTALL, _show_installed),
    "admin tenant add": command(admin.TENANT_ADD, _show_added_tenant),
    "admin tenant list": command(admin.TENANT_LIST, _show_tenants),
    "admin tenant remove": command(admin.TENANT_REMOVE, _show_removed_tenant),
    "admin person add": command(admin.PERSON_ADD, _show_added_person),
    "admin person list": command(admin.PERSON_LIST, _show_people),
    "admin person remove": command(admin.PERSON_REMOVE, _show_removed_person),
    "admin token add": command(admin.TOKEN_ADD, _show_added_token),
    "admin token list": command(admin.TOKEN_LIST, _show_tokens),
    "admin token revoke": command(admin.TOKEN_REVOKE, _show_revoked),
}
