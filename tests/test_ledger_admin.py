"""`memoro admin` on a real server: installing, who may use a ledger, tokens, and which roles are refused."""

from __future__ import annotations

import os
import re
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import psycopg
import pytest

from memoro.errors import LedgerServerRefused, Refused
from memoro.model.memories import Memory
from memoro.store.opening import SharedLedger, administration, open_ledger
from memoro.store.postgres import schema
from memoro.store.postgres.address import with_role
from memoro.store.postgres.installing import install
from memoro.store.postgres.opening import close_servers
from memoro.store.postgres.server import PostgresServer, Seat
from memoro.store.postgres.tokens import token_holder
from tests.command import Memoro, Result
from tests.postgres import InstalledServer, new_database, superuser_url


def a_memory(content: str) -> Memory:
    return Memory(
        id=0, content=content, source="agent", trust="agent_inferred", created_at="2026-11-18T10:00:00.000Z"
    )


class Owned(NamedTuple):
    """A database of its own, with nothing installed."""

    owner: str
    superuser: str

    def as_role(self, role: str) -> str:
        return with_role(self.owner, role)

    def run(self, *statements: str) -> None:
        with psycopg.connect(self.superuser, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)


@pytest.fixture
def owned(postgres: InstalledServer) -> Iterator[Owned]:
    with new_database(postgres) as owner:
        yield Owned(owner, superuser_url(owner))
    close_servers()


# Installing


def test_installing_says_what_was_there_and_can_be_repeated(memoro: Memoro, owned: Owned) -> None:
    first = memoro("admin", "install", owned.owner)
    assert "The tables were made (format 1), and the role memoro_app for nodes was there." in first.out

    again = memoro("admin", "install", owned.owner)
    assert "The tables were up to date (format 1)" in again.out
    assert memoro("admin", "install", owned.owner, "--json").json["before"] == 1


def test_the_password_of_a_role_that_is_made_is_in_a_file_and_never_printed(
    memoro: Memoro, home: Path, owned: Owned
) -> None:
    role = f"nodes-{os.urandom(4).hex()}"
    done = memoro("admin", "install", owned.owner, "--role", role, "--json")

    file = Path(done.json["password_file"])
    assert done.json["role_made"] and file.parent == home
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    password = file.read_text().strip()
    assert len(password) == 64 and password not in done.out + done.err
    assert [one.name for one in home.iterdir() if "password" in one.name] == [file.name]
    assert memoro("admin", "install", owned.owner, "--role", role, "--json").json["password_file"] is None
    with psycopg.connect(owned.superuser) as connection:
        found = connection.execute(
            "SELECT rolcanlogin, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb FROM pg_roles WHERE rolname = %s",
            [role],
        ).fetchone()
        owns = connection.execute("SELECT count(*) FROM pg_class WHERE relowner = %s::regrole", [f'"{role}"'])
        assert found == (True, False, False, False, False) and owns.fetchone() == (0,)


def test_two_installations_at_once_make_one(owned: Owned) -> None:
    found: list[object] = []

    def run() -> None:
        try:
            found.append(administration(owned.owner).install("memoro_app", None).before)
        except Exception as error:  # told to the test
            found.append(error)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(30)
    assert sorted(map(str, found)) == ["1", "1", "1", "None"]


def test_older_nodes_go_on_beside_a_newer_format_until_it_says_that_they_must_not(
    owned: Owned, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = administration(owned.owner)
    owner.install("memoro_app", None)
    owner.add_tenant("acme")
    shared = SharedLedger(owned.as_role("memoro_app"), "acme", "mia")

    with monkeypatch.context() as newer:
        newer.setattr(schema, "FORMAT", 2)
        newer.setattr(schema, "MIGRATIONS", {1: ("ALTER TABLE memoro.memories ADD COLUMN later text",)})
        assert owner.install("memoro_app", None)[:2] == (1, 2)
    with open_ledger(str(tmp_path / "a"), shared=shared).ledger.writing() as tx:  # as a node of format 1
        tx.memories.insert(a_memory("The kettle is red"), b"x")
    with pytest.raises(LedgerServerRefused, match=r"format 2, and this version knows 1.*Nothing was changed"):
        owner.install("memoro_app", None)

    owned.run("UPDATE memoro.format SET oldest_node = 2")
    close_servers()
    with (
        pytest.raises(LedgerServerRefused, match=r"which this version cannot write. Update Memoro"),
        open_ledger(str(tmp_path / "b"), shared=shared).ledger.writing(),
    ):
        pass


def test_a_migration_that_fails_leaves_everything_as_it_was(owned: Owned, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = administration(owned.owner)
    owner.install("memoro_app", None)
    monkeypatch.setattr(schema, "FORMAT", 2)
    monkeypatch.setattr(schema, "MIGRATIONS", {1: ("CREATE TABLE memoro.more (a int)", "SELECT 1 / 0")})

    with pytest.raises(psycopg.errors.DivisionByZero):
        owner.install("memoro_app", None)

    with psycopg.connect(owned.superuser) as connection:
        assert connection.execute("SELECT format, to_regclass('memoro.more') FROM memoro.format").fetchone() == (
            1,
            None,
        )


def test_a_role_that_may_not_install_is_told_so(memoro: Memoro, owned: Owned) -> None:
    done = memoro("admin", "install", owned.as_role("memoro_app"))
    assert done.code == 4 and "may not make tables" in done.err and "Nothing was changed" in done.err


def test_an_owner_that_may_not_make_roles_is_told_what_to_ask_for(owned: Owned, memoro: Memoro) -> None:
    name = f"plain_{os.urandom(4).hex()}"
    owned.run(
        f"CREATE ROLE {name} LOGIN",
        f"ALTER DATABASE {psycopg.conninfo.conninfo_to_dict(owned.owner)['dbname']} OWNER TO {name}",
    )
    done = memoro("admin", "install", owned.as_role(name), "--role", "nodes-of-nobody")
    assert done.code == 4 and "CREATE ROLE nodes-of-nobody LOGIN" in done.err
    assert memoro("admin", "tenant", "list", "--url", owned.as_role(name)).code == 4  # and no tables were left


# Roles that may not serve nodes

UNFIT = {
    "a superuser": ("SUPERUSER", "", "superuser"),
    "past the guard": ("BYPASSRLS", "", "row-level security"),
    "a maker of roles": ("CREATEROLE", "", "may make roles"),
    "the owner's member": ("", "GRANT memoro_owner TO {role}", "owns the tables"),
    "the owner's member by SET ROLE": ("NOINHERIT", "GRANT memoro_owner TO {role}", "owns the tables"),
    "a superuser's member": ("NOINHERIT", "GRANT {superuser} TO {role}", "superuser"),
    "owner of the schema": ("", "ALTER SCHEMA memoro OWNER TO {role}", "owns the tables"),
    "owner of the database": ("", "ALTER DATABASE {database} OWNER TO {role}", "owns the database"),
}


@pytest.mark.parametrize("case", UNFIT)
def test_a_role_that_could_pass_the_guard_is_refused(owned: Owned, case: str) -> None:
    attributes, more, why = UNFIT[case]
    administration(owned.owner).install("memoro_app", None)
    role, parts = f"r_{os.urandom(4).hex()}", psycopg.conninfo.conninfo_to_dict(owned.superuser)
    grants = [f"GRANT memoro_app TO {role}"] + ([more] if more else [])
    owned.run(
        f"CREATE ROLE {role} LOGIN {attributes}",
        *(one.format(role=role, superuser=parts["user"], database=parts["dbname"]) for one in grants),
    )
    server = PostgresServer(owned.as_role(role))
    with pytest.raises(LedgerServerRefused, match=why), server.transaction(Seat("acme", "mia", "node")):
        pass
    server.close()


def test_a_role_that_only_reads_and_writes_rows_is_taken(owned: Owned) -> None:
    administration(owned.owner).install("memoro_app", None)
    role = f"r_{os.urandom(4).hex()}"
    owned.run(f"CREATE ROLE {role} LOGIN", f"GRANT memoro_app TO {role}")
    server = PostgresServer(owned.as_role(role))
    with server.transaction(Seat("acme", "mia", "node")) as cursor:
        cursor.execute("SELECT count(*) FROM memoro.memories")
        assert cursor.fetchone() == (0,)
    server.close()


def test_a_role_that_is_there_and_unfit_is_not_used_for_nodes(owned: Owned) -> None:
    role = f"r_{os.urandom(4).hex()}"
    owned.run(f"CREATE ROLE {role} LOGIN BYPASSRLS")
    with psycopg.connect(owned.owner) as connection, pytest.raises(LedgerServerRefused, match="cannot serve nodes"):
        install(connection, role)


# Tenants, people, tokens


@pytest.fixture
def admin(memoro: Memoro, postgres: InstalledServer) -> Memoro:
    def run(*arguments: str) -> Result:
        return memoro("admin", *arguments, env={"MEMORO_ADMIN_URL": postgres.owner_url})

    return run


@pytest.fixture
def tenant() -> str:
    return f"a_{os.urandom(4).hex()}"


def test_tenants_and_people_are_added_listed_and_removed(admin: Memoro, tenant: str) -> None:
    assert admin("tenant", "add", tenant).out == f"The tenant {tenant} was made.\n"
    assert admin("tenant", "add", tenant).out == f"The tenant {tenant} was there before.\n"
    assert "may now use" in admin("person", "add", tenant, "mia").out
    assert "could already use" in admin("person", "add", tenant, "mia").out
    assert re.search(rf"^{tenant}  since .*: 1 person, 0 tokens$", admin("tenant", "list").out, re.MULTILINE)
    assert admin("person", "remove", tenant, "mia").code == 0
    assert "mia  since" in admin("person", "list", tenant).out and "removed" in admin("person", "list", tenant).out
    assert "may now use" in admin("person", "add", tenant, "mia").out  # taken back


@pytest.mark.parametrize(
    "name", ["Acme", "a b", "", "-a", "a/../b", "a'; DROP TABLE memoro.tenants; --", "ä", "a" * 64]
)
def test_names_that_are_no_names_are_refused(admin: Memoro, tenant: str, name: str) -> None:
    admin("tenant", "add", tenant)
    assert admin("tenant", "add", "--", name).code == 2
    assert admin("person", "add", "--", tenant, name).code == 2
    assert name not in [line.split()[0] for line in admin("tenant", "list").out.splitlines()]


def test_what_is_not_there_is_named(admin: Memoro, tenant: str) -> None:
    for arguments in (["person", "add", tenant, "mia"], ["token", "list", tenant], ["tenant", "remove", tenant]):
        done = admin(*arguments)
        assert done.code == 1 and f"There is no tenant '{tenant}'" in done.err
    admin("tenant", "add", tenant)
    assert "has no 'mia'" in admin("token", "add", tenant, "mia").err
    assert "has no token" in admin("token", "revoke", tenant, "0" * 12).err


def test_a_removed_tenant_takes_everybodys_rows_and_no_row_of_others(
    admin: Memoro, tenant: str, postgres: InstalledServer, tmp_path: Path
) -> None:
    other = postgres.new_tenant()
    admin("tenant", "add", tenant)
    for name, person in ((tenant, "mia"), (tenant, "ben"), (other, "mia")):
        shared = SharedLedger(postgres.url, name, person)
        with open_ledger(str(tmp_path / f"{name}-{person}"), shared=shared).ledger.writing() as tx:
            tx.memories.insert(a_memory(f"Known to {person}"), b"x")
    with psycopg.connect(superuser_url(postgres.owner_url), autocommit=True) as db:
        db.execute(
            "UPDATE memoro.memories SET owner = 'ben' WHERE tenant = %s AND content = 'Known to ben'", [tenant]
        )

        refused = admin("tenant", "remove", tenant)
        assert refused.code == 5 and "2 memories" in refused.err and "--yes" in refused.err
        assert admin("tenant", "remove", tenant, "--yes").code == 0

        for name in schema.GUARDED_TABLES:
            left = db.execute(f"SELECT count(*) FROM memoro.{name} WHERE tenant = %s", [tenant]).fetchone()
            assert left == (0,), name
        assert db.execute("SELECT count(*) FROM memoro.memories WHERE tenant = %s", [other]).fetchone() == (1,)


def test_a_token_is_shown_once_and_only_its_digest_is_kept(
    admin: Memoro, tenant: str, postgres: InstalledServer
) -> None:
    admin("tenant", "add", tenant)
    admin("person", "add", tenant, "mia")
    made = admin("token", "add", tenant, "mia", "--agent", "claude", "--scope", "read", "write", "--json").json
    token, secret = made["token"], made["token"].rpartition("_")[2]
    assert re.fullmatch(rf"memoro_{tenant}_[0-9a-f]{{12}}_[0-9a-f]{{64}}", token)

    shown = admin("token", "add", tenant, "mia").out
    assert f"`memoro admin token revoke {tenant} {shown.split()[0].split('_')[-2]}` ends it." in " ".join(
        shown.split()
    )

    listed = admin("token", "list", tenant)
    assert made["id"] in listed.out and "mia (claude)" in listed.out and secret not in listed.out
    with psycopg.connect(superuser_url(postgres.owner_url)) as db:
        assert secret not in str(db.execute("SELECT * FROM memoro.tokens").fetchall())
    server = PostgresServer(postgres.url)
    assert token_holder(server, token) == (tenant, "mia", "claude", ("read", "write"), made["id"])
    server.close()


def test_a_token_that_ended_or_was_changed_has_no_holder(
    admin: Memoro, tenant: str, postgres: InstalledServer
) -> None:
    for name in (tenant, f"{tenant}b"):
        admin("tenant", "add", name)
        admin("person", "add", name, "mia")

    def new(*options: str) -> str:
        return str(admin("token", "add", tenant, "mia", *options, "--json").json["token"])

    server = PostgresServer(postgres.url)
    good = new("--expires", "never", "--scope", "admin")
    found = token_holder(server, good)
    assert found is not None and found.scopes == ("read", "write", "admin")
    head, _, secret = good.rpartition("_")
    changed = [
        good[:-1] + ("0" if good[-1] != "0" else "1"),
        good.replace(f"memoro_{tenant}_", f"memoro_{tenant}b_"),  # of another tenant
        f"{head}_{'0' * 64}", f"{head}_", secret, good.upper(), f"{good}\n", f" {good}", f"{good}\x00", "",
        "memoro__", good.replace(tenant, "' OR true --"), good.replace("memoro_", "other_", 1),
    ]  # fmt: skip
    assert [token_holder(server, one) for one in changed] == [None] * len(changed)

    revoked = new()
    assert token_holder(server, revoked) is not None
    assert "is revoked" in admin("token", "revoke", tenant, revoked.split("_")[-2]).out
    assert "was revoked before" in admin("token", "revoke", tenant, revoked.split("_")[-2]).out
    assert token_holder(server, revoked) is None

    expired = new("--expires", "1h")
    assert token_holder(server, expired) is not None
    with psycopg.connect(superuser_url(postgres.owner_url), autocommit=True) as db:
        db.execute("UPDATE memoro.tokens SET expires_at = now() WHERE id = %s", [expired.split("_")[-2]])
    assert token_holder(server, expired) is None

    assert "1 token revoked" in admin("person", "remove", tenant, "mia").out  # the one without an end
    assert token_holder(server, good) is None
    assert admin("token", "add", tenant, "mia").code == 2
    admin("person", "add", tenant, "mia")
    assert token_holder(server, good) is None  # who comes back needs a new one
    server.close()


@pytest.mark.parametrize("time", ["90", "d", "-1d", "0d", "1.5d", "10001d", "1y", "soon"])
def test_a_time_that_is_none_is_refused(admin: Memoro, tenant: str, time: str) -> None:
    assert admin("token", "add", tenant, "mia", f"--expires={time}").code == 2


def test_a_node_reads_no_tokens_of_others_and_writes_none(postgres: InstalledServer, admin: Memoro) -> None:
    mine, other = postgres.new_tenant(), postgres.new_tenant()
    admin("person", "add", other, "mia")
    admin("token", "add", other, "mia")
    server = PostgresServer(postgres.url)
    with server.reading(Seat(mine, "mia", "n")) as cursor:
        cursor.execute("SELECT count(*) FROM memoro.tokens WHERE tenant = %s", [other])
        assert cursor.fetchone() == (0,)
    for name in ("tokens", "people", "tenants", "format"):
        with pytest.raises(LedgerServerRefused), server.transaction(Seat(mine, "mia", "n")) as cursor:
            cursor.execute(f"DELETE FROM memoro.{name}")
    server.close()


def test_an_agents_shell_may_not_administer(memoro: Memoro, postgres: InstalledServer) -> None:
    env = {"MEMORO_ADMIN_URL": postgres.owner_url, "MEMORO_AGENT": "claude"}
    assert memoro("admin", "tenant", "list", env=env).code == 2


def test_without_an_address_the_variable_is_named(memoro: Memoro) -> None:
    done = memoro("admin", "tenant", "list")
    assert done.code == 2 and "MEMORO_ADMIN_URL" in done.err


def test_who_was_removed_is_told_from_who_never_was(postgres: InstalledServer) -> None:
    tenant, owner = postgres.new_tenant(), administration(postgres.owner_url)
    owner.add_person(tenant, "mia")
    owner.remove_person(tenant, "mia")
    with pytest.raises(Refused, match="was removed"):
        owner.remove_person(tenant, "mia")
