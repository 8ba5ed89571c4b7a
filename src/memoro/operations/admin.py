"""Shared ledgers, for the owner of their database: install them, and say who may use them."""

from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from memoro.errors import ConfigError, NeedsConsent
from memoro.operations.admin_backup import ADMIN_URL, BACKUP, VACUUM
from memoro.operations.fields import Field
from memoro.operations.operation import Caller, Operation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memoro.documents import Document
    from memoro.store.postgres.administering import Administration, Person, Tenant, Token
    from memoro.workspace import Workspace

_URL = Field(f"The database, as the role that owns it ({ADMIN_URL}): postgresql://OWNER@HOST/DATABASE.", "URL")
_PASSWORD = Field(
    "The place of the owner's password: env:NAME, file:PATH or keyring:SERVICE/NAME (libpq's own rules).", "WHERE"
)
_TENANT = Field("The tenant.", "TENANT", positional=True)
_PERSON = Field("The person, as `ledger.person` names them.", "PERSON", positional=True)
TokenScope = Literal["read", "write", "admin"]
# Each with those that it includes.
_INCLUDED: dict[str, tuple[TokenScope, ...]] = {
    "read": ("read",),
    "write": ("read", "write"),
    "admin": ("read", "write", "admin"),
}
_SECONDS = {"h": 3600, "d": 86_400, "w": 604_800}


def _administration(m: "Workspace", url: str | None, password: str | None) -> "Administration":
    """Connect as the owner. The address comes from the command or the environment: no settings file holds it."""
    from memoro.providers.keys import read_key
    from memoro.store.opening import administration

    found = url or m.environment.get(ADMIN_URL)
    if not found:
        raise ConfigError(
            f"Name the database, postgresql://OWNER@HOST/DATABASE, with --url or in {ADMIN_URL}; "
            "`admin install` takes it as its argument."
        )
    return administration(found, read_key(password, m.environment, "ledger") if password else None)


def _named(name: str, what: str) -> str:
    from memoro.config.forms import SHORT_NAME

    if not SHORT_NAME.accepts(name):
        raise ConfigError(f"The name of a {what} must be {SHORT_NAME.wanted}, not {name!r}.")
    return name


class InstallLedgers(NamedTuple):
    url: Annotated[
        str | None,
        Field(
            f"The database, as a role that owns it or may make tables ({ADMIN_URL}): postgresql://OWNER@HOST/DATABASE.",
            "URL",
            positional=True,
        ),
    ] = None
    password: Annotated[str | None, _PASSWORD] = None
    role: Annotated[str, Field("The role for nodes, which owns nothing (memoro_app).", "NAME")] = "memoro_app"


class InstalledLedgers(NamedTuple):
    """The result of an installation."""

    server: str
    before: int | None  # the format that was there; None: nothing
    after: int
    role: str
    role_made: bool
    password_file: str | None  # of the role, where it was made


def install(m: "Workspace", request: InstallLedgers, _caller: Caller) -> InstalledLedgers:
    from memoro.operations.ledger_connecting import install_with_role

    found = _administration(m, request.url, request.password)
    done, file = install_with_role(m.home, found, _named(request.role, "role"))
    return InstalledLedgers(
        server=found.name,
        before=done.before,
        after=done.after,
        role=done.role,
        role_made=done.role_made,
        password_file=file,
    )


class NamedTenant(NamedTuple):
    name: Annotated[str, Field("The tenant: small letters, digits, dots, dashes, underscores.", positional=True)]
    url: Annotated[str | None, _URL] = None
    password: Annotated[str | None, _PASSWORD] = None


class AddedTenant(NamedTuple):
    tenant: str
    is_new: bool


def add_tenant(m: "Workspace", request: NamedTenant, _caller: Caller) -> AddedTenant:
    name = _named(request.name, "tenant")
    return AddedTenant(name, _administration(m, request.url, request.password).add_tenant(name))


class EveryTenant(NamedTuple):
    url: Annotated[str | None, _URL] = None
    password: Annotated[str | None, _PASSWORD] = None


class TenantList(NamedTuple):
    tenants: "tuple[Tenant, ...]"


def list_tenants(m: "Workspace", request: EveryTenant, _caller: Caller) -> TenantList:
    return TenantList(tuple(_administration(m, request.url, request.password).tenants()))


class RemoveTenant(NamedTuple):
    name: Annotated[str, Field("The tenant.", positional=True)]
    yes: Annotated[bool, Field("Delete without asking; only a backup restores it.", flags=("-y", "--yes"))] = False
    url: Annotated[str | None, _URL] = None
    password: Annotated[str | None, _PASSWORD] = None


class RemovedTenant(NamedTuple):
    tenant: str
    counts: "Mapping[str, int]"  # what it had


def remove_tenant(m: "Workspace", request: RemoveTenant, _caller: Caller) -> RemovedTenant:
    found = _administration(m, request.url, request.password)
    counts = found.tenant_counts(request.name)
    if not request.yes:
        raise NeedsConsent(
            f"This deletes the tenant {request.name} from {found.name}, with the memories of all its people: "
            f"{counts['memories']} memories, {counts['archive_memories']} archived ones, {counts['experiences']} "
            "experiences, sessions, proposals, the journal, and every token. Add --yes (yes=True) to do it."
        )
    found.remove_tenant(request.name)
    return RemovedTenant(request.name, counts)


class NamedPerson(NamedTuple):
    tenant: Annotated[str, _TENANT]
    person: Annotated[str, _PERSON]
    url: Annotated[str | None, _URL] = None
    password: Annotated[str | None, _PASSWORD] = None


class AddedPerson(NamedTuple):
    tenant: str
    person: str
    is_new: bool


def add_person(m: "Workspace", request: NamedPerson, _caller: Caller) -> AddedPerson:
    person = _named(request.person, "person")
    is_new = _administration(m, request.url, request.password).add_person(request.tenant, person)
    return AddedPerson(request.tenant, person, is_new)


class PeopleOf(NamedTuple):
    tenant: Annotated[str, _TENANT]
    url: Annotated[str | None, _URL] = None
    password: Annotated[str | None, _PASSWORD] = None


class PeopleList(NamedTuple):
    tenant: str
    people: "tuple[Person, ...]"


def list_people(m: "Workspace", request: PeopleOf, _caller: Caller) -> PeopleList:
    found = _administration(m, request.url, request.password)
    return PeopleList(request.tenant, tuple(found.people(request.tenant)))


class RemovedPerson(NamedTuple):
    tenant: str
    person: str
    revoked: int  # tokens that could be used until now


def remove_person(m: "Workspace", request: NamedPerson, _caller: Caller) -> RemovedPerson:
    revoked = _administration(m, request.url, request.password).remove_person(request.tenant, request.person)
    return RemovedPerson(request.tenant, request.person, revoked)


class AddToken(NamedTuple):
    tenant: Annotated[str, _TENANT]
    person: Annotated[str, Field("The person for whom it acts.", "PERSON", positional=True)]
    agent: Annotated[str | None, Field("The agent that uses it (the person themselves).", "NAME")] = None
    scope: Annotated[
        tuple[TokenScope, ...],
        Field("The token's scope; write includes read, admin includes both (write).", several=True),
    ] = ()
    expires: Annotated[str, Field("The lifetime: 12h, 90d, 52w or never (90d).", "TIME")] = "90d"
    url: Annotated[str | None, _URL] = None
    password: Annotated[str | None, _PASSWORD] = None


class AddedToken(NamedTuple):
    token: str  # shown this once
    id: str
    tenant: str
    person: str
    agent: str | None
    scopes: tuple[str, ...]
    expires_at: str | None


def add_token(m: "Workspace", request: AddToken, _caller: Caller) -> AddedToken:
    from memoro.store.postgres.administering import TokenWish

    found = _administration(m, request.url, request.password)
    chosen = request.scope or ("write",)
    scopes = max((_INCLUDED[one] for one in chosen), key=len)
    agent = _named(request.agent, "agent") if request.agent else None
    wish = TokenWish(
        tenant=request.tenant, person=request.person, agent=agent, scopes=scopes, seconds=_seconds(request.expires)
    )
    made = found.add_token(wish)
    return AddedToken(
        token=made.token,
        id=made.id,
        tenant=request.tenant,
        person=request.person,
        agent=agent,
        scopes=scopes,
        expires_at=made.expires_at,
    )


def _seconds(text: str) -> float | None:
    """A time as people write it, such as 90d; None: never."""
    if text == "never":
        return None
    number, unit = text[:-1], text[-1:]
    if not number.isascii() or not number.isdigit() or unit not in _SECONDS or not 0 < int(number) <= 10_000:
        raise ConfigError(f"--expires must be a time such as 12h, 90d or 52w, or never, not {text!r}.")
    return int(number) * _SECONDS[unit]


class TokensOf(NamedTuple):
    tenant: Annotated[str, _TENANT]
    url: Annotated[str | None, _URL] = None
    password: Annotated[str | None, _PASSWORD] = None


class TokenList(NamedTuple):
    tenant: str
    tokens: "tuple[Token, ...]"


def list_tokens(m: "Workspace", request: TokensOf, _caller: Caller) -> TokenList:
    found = _administration(m, request.url, request.password)
    return TokenList(request.tenant, tuple(found.tokens(request.tenant)))


class RevokeToken(NamedTuple):
    tenant: Annotated[str, _TENANT]
    id: Annotated[str, Field("The id of the token, as `memoro admin token list` shows it.", "ID", positional=True)]
    url: Annotated[str | None, _URL] = None
    password: Annotated[str | None, _PASSWORD] = None


class RevokedToken(NamedTuple):
    tenant: str
    id: str
    was_usable: bool


def revoke_token(m: "Workspace", request: RevokeToken, _caller: Caller) -> RevokedToken:
    was_usable = _administration(m, request.url, request.password).revoke_token(request.tenant, request.id)
    return RevokedToken(request.tenant, request.id, was_usable)


def _document(found: tuple[object, ...]) -> "Document":
    from memoro.documents import plain

    document: Document = plain(found)
    return document


INSTALL = Operation(
    name="admin install", request=InstallLedgers, call=install, access="admin", encode=_document,
    summary="Create or update the tables of shared ledgers, and the role for nodes.",
    help="You can repeat it at any time, also while older nodes run; it reports what it found and changed.",
    is_repeatable=True, changes_nothing_remembered=True,
)  # fmt: skip
TENANT_ADD = Operation(
    name="admin tenant add", request=NamedTenant, call=add_tenant, access="admin", encode=_document,
    summary="Create an empty ledger for a tenant.", is_repeatable=True, changes_nothing_remembered=True,
)  # fmt: skip
TENANT_LIST = Operation(
    name="admin tenant list", request=EveryTenant, call=list_tenants, access="admin", encode=_document,
    summary="List the tenants, with their people and tokens.", changes_nothing_remembered=True,
)  # fmt: skip
TENANT_REMOVE = Operation(
    name="admin tenant remove", request=RemoveTenant, call=remove_tenant, access="admin", encode=_document,
    summary="Delete a tenant with all its memories, people and tokens.", is_destructive=True,
    changes_nothing_remembered=True,
)  # fmt: skip
PERSON_ADD = Operation(
    name="admin person add", request=NamedPerson, call=add_person, access="admin", encode=_document,
    summary="Add a person to a tenant, or restore a removed one.", is_repeatable=True,
    changes_nothing_remembered=True,
)  # fmt: skip
PERSON_LIST = Operation(
    name="admin person list", request=PeopleOf, call=list_people, access="admin", encode=_document,
    summary="List the people of a tenant.", changes_nothing_remembered=True,
)  # fmt: skip
PERSON_REMOVE = Operation(
    name="admin person remove", request=NamedPerson, call=remove_person, access="admin", encode=_document,
    summary="Remove a person and revoke their tokens; their items stay.", is_destructive=True,
    changes_nothing_remembered=True,
)  # fmt: skip
TOKEN_ADD = Operation(
    name="admin token add", request=AddToken, call=add_token, access="admin", encode=_document,
    summary="Create a token for a person or their agent, and show it once.", changes_nothing_remembered=True,
)  # fmt: skip
TOKEN_LIST = Operation(
    name="admin token list", request=TokensOf, call=list_tokens, access="admin", encode=_document,
    summary="List the tokens of a tenant, without their secrets.", changes_nothing_remembered=True,
)  # fmt: skip
TOKEN_REVOKE = Operation(
    name="admin token revoke", request=RevokeToken, call=revoke_token, access="admin", encode=_document,
    summary="Revoke a token at once.", is_repeatable=True, changes_nothing_remembered=True,
)  # fmt: skip
OPERATIONS = (
    INSTALL, TENANT_ADD, TENANT_LIST, TENANT_REMOVE, PERSON_ADD, PERSON_LIST, PERSON_REMOVE,
    TOKEN_ADD, TOKEN_LIST, TOKEN_REVOKE, BACKUP, VACUUM,
)  # fmt: skip
