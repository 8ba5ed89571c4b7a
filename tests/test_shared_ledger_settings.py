"""`memoro config set ledger.url`, `status` and `doctor` on a real server, and connections with TLS."""

from __future__ import annotations

import os
import shutil
import socket
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from memoro.errors import LedgerUnreachable
from memoro.store.opening import SharedLedger, administration, open_ledger, server_facts
from memoro.store.postgres.address import connection_parameters, is_on_this_machine, shown, with_role
from memoro.store.postgres.opening import close_servers
from tests.command import Memoro, run_memoro
from tests.conftest import wait_for
from tests.postgres import InstalledServer, new_database, superuser_url
from tests.test_ledger_admin import a_memory


@pytest.fixture
def owner_url(postgres: InstalledServer) -> Iterator[str]:
    """A database with nothing in it, as its owner."""
    with new_database(postgres) as url:
        yield url
    close_servers()


def settings_of(home: Path) -> str:
    file = home / "memoro.toml"
    return file.read_text() if file.exists() else ""


# Setting the address


def test_one_command_is_enough_for_one_person(memoro: Memoro, home: Path, owner_url: str) -> None:
    memoro("memory", "store", "The kettle is red")
    done = memoro("config", "set", "ledger.url", owner_url)

    assert done.code == 0, done.err
    for said in (
        "PostgreSQL 18", "as memoro_app, on this machine", "The tables were made (format 1)",
        "The tenant default was made, with the person owner", "The ledger there has 0 memories",
        "This home's own ledger has 1 memory", "`memoro move-ledger` moves it there",
    ):  # fmt: skip
        assert said in " ".join(done.out.split()), said
    assert f'url = "{with_role(owner_url, "memoro_app")}"' in settings_of(home)
    assert memoro("memory", "store", "The boat is blue").code == 0
    assert "The boat is blue" in memoro("memory", "list").out
    assert "The kettle is red" not in memoro("memory", "list").out

    again = memoro("config", "set", "ledger.url", with_role(owner_url, "memoro_app"))
    assert "The ledger there has 1 memory." in again.out and "It was so before." in again.out
    unset = memoro("config", "unset", "ledger.url")
    assert "This home uses its own ledger again" in unset.out
    assert "The kettle is red" in memoro("memory", "list").out


@pytest.mark.postgres
def test_a_role_that_is_made_gets_a_password_which_the_home_keeps(
    memoro: Memoro, home: Path, tmp_path: Path, password_server: str
) -> None:
    done = memoro("config", "set", "ledger.url", password_server, env={"PGPASSWORD": "owners"})

    assert done.code == 0, done.err
    file = next(home.glob("ledger-*.password"))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert f'password = "file:{file}"' in settings_of(home)
    password = file.read_text().strip()
    assert password not in done.out + done.err + settings_of(home)
    assert memoro("memory", "store", "The boat is blue").code == 0

    other = tmp_path / "other"  # another machine of the same person, without that password
    refused = run_memoro(
        "--home", str(other), "config", "set", "ledger.url", password_server, env={"PGPASSWORD": "owners"}
    )
    assert refused.code == 4 and "refuses this password of memoro_app. Set ledger.password" in refused.err
    as_node = with_role(password_server, "memoro_app")
    without = run_memoro("--home", str(other), "config", "set", "ledger.url", as_node)
    assert without.code == 4 and "needs a password for memoro_app. Set ledger.password" in without.err
    assert "ledger" not in settings_of(other)
    for command in ("tenant list --url", "install", f"backup {tmp_path / 'a.dump'} --url"):
        asked = run_memoro("--home", str(other), "admin", *command.split(), password_server)
        assert asked.code == 4 and "Put it into PGPASSWORD or ~/.pgpass" in asked.err
        assert "ledger.password" not in asked.err
    (other / "its.password").write_text(password)
    (other / "its.password").chmod(0o600)
    for key, value in (
        ("ledger.password", f"file:{other / 'its.password'}"),
        ("ledger.url", with_role(password_server, "memoro_app")),
    ):
        assert run_memoro("--home", str(other), "config", "set", key, value).code == 0
    assert "The boat is blue" in run_memoro("--home", str(other), "memory", "list").out
    run_memoro("--home", str(other), "backup", "create")
    unset = run_memoro("--home", str(other), "config", "unset", "ledger.url")  # it never had a ledger of its own
    assert "`memoro backup adopt ledger --yes` starts with an empty one" in unset.out
    assert run_memoro("--home", str(other), "backup", "adopt", "ledger", "--yes").code == 0
    assert run_memoro("--home", str(other), "memory", "list").code == 0
    close_servers()


def test_an_address_that_cannot_be_reached_is_not_kept_unless_its_owner_insists(memoro: Memoro, home: Path) -> None:
    pytest.importorskip("psycopg")
    address = "postgresql://memoro_app@127.0.0.1:1/memoro"
    done = memoro("config", "set", "ledger.url", address)
    assert done.code == 4 and "cannot be reached" in done.err and "--force saves it" in done.err
    assert "ledger" not in settings_of(home)

    kept = memoro("config", "set", "ledger.url", address, "--force")
    assert kept.code == 0 and "Not checked" in kept.out and address in settings_of(home)
    assert memoro("config", "unset", "ledger.url").code == 0


@pytest.mark.parametrize(
    "address", ["postgresql://mia:secret@db.example.org/memoro", "postgresql://db.example.org/memoro?password=secret"]
)
def test_an_address_with_a_password_is_refused(memoro: Memoro, home: Path, address: str) -> None:
    done = memoro("config", "set", "ledger.url", address)
    assert done.code == 2
    assert "ledger.password says where that is" in done.err
    assert "mia:…@db.example.org" in done.err or "password=…" in done.err
    assert "secret" not in settings_of(home) + done.out + done.err


def test_a_password_that_is_set_in_place_of_its_file_is_not_repeated(memoro: Memoro) -> None:
    done = memoro("config", "set", "ledger.password", "secret")
    assert done.code == 2 and "file:" in done.err and "secret" not in done.out + done.err


def test_what_is_missing_is_said_and_nothing_is_kept(memoro: Memoro, home: Path, owner_url: str) -> None:
    node = with_role(owner_url, "memoro_app")
    assert "finds no ledger" in memoro("config", "set", "ledger.url", node).err
    owner = administration(owner_url)
    owner.install("memoro_app", None)
    assert "There is no tenant 'default'" in memoro("config", "set", "ledger.url", node).err
    owner.add_tenant("default")
    assert "has no 'owner'" in memoro("config", "set", "ledger.url", node).err
    owner.add_person("default", "owner")
    with psycopg.connect(superuser_url(owner_url), autocommit=True) as db:
        for column, value, said in (("format", 0, "older than this version"), ("oldest_node", 9, "cannot write")):
            db.execute(f"UPDATE memoro.format SET {column} = {value}")
            assert said in memoro("config", "set", "ledger.url", node).err
            db.execute(f"UPDATE memoro.format SET {column} = 1")
        role = f"r_{os.urandom(4).hex()}"
        db.execute(f"CREATE ROLE {role} LOGIN BYPASSRLS IN ROLE memoro_app")
        assert "row-level security" in memoro("config", "set", "ledger.url", with_role(node, role)).err
    assert "ledger" not in settings_of(home)
    assert memoro("config", "set", "ledger.url", node).code == 0
    assert memoro("config", "set", "ledger.url", node, "--agent", "claude").code == 2


# Status and doctor


def test_status_and_doctor_say_where_the_ledger_is(memoro: Memoro, owner_url: str) -> None:
    memoro("config", "set", "ledger.url", owner_url)
    memoro("memory", "store", "The boat is blue")

    said = memoro("status").out
    assert "(on this machine): tenant default, as owner; local copy of revision 2, 0 s old" in " ".join(said.split())
    found = memoro("status", "--json").json["ledger"]
    assert (found["tenant"], found["person"], found["revision"], found["failure"]) == ("default", "owner", 2, None)
    checks = {one["name"]: one for one in memoro("doctor", "--json").json["checks"]}
    names = ("ledger server", "ledger connection", "ledger guards", "ledger clock", "ledger copy")
    assert [checks[name]["state"] for name in names] == ["ok"] * 5


def test_doctor_finds_what_is_wrong_on_the_server_and_in_the_copy(memoro: Memoro, owner_url: str) -> None:
    memoro("config", "set", "ledger.url", owner_url)
    memoro("memory", "store", "The boat is blue")

    def check(name: str) -> tuple[str, str]:
        found = {one["name"]: one for one in memoro("doctor", "--json").json["checks"]}[name]
        return found["state"], found["found"]

    with psycopg.connect(superuser_url(owner_url), autocommit=True) as db:
        db.execute("ALTER TABLE memoro.keys NO FORCE ROW LEVEL SECURITY")
        assert check("ledger guards") == ("failed", "row-level security is not forced on keys")
        db.execute("ALTER TABLE memoro.keys FORCE ROW LEVEL SECURITY")
        db.execute("DELETE FROM memoro.memories")  # by nobody that nodes would hear of
        assert check("ledger copy") == ("failed", "not what the server has: memories (1 here, 0 there)")
        db.execute("UPDATE memoro.people SET removed_at = now()")
        assert check("ledger server")[0] == "failed"


def test_status_and_doctor_answer_while_the_server_is_away(memoro: Memoro, owner_url: str) -> None:
    memoro("config", "set", "ledger.url", owner_url)
    memoro("memory", "store", "The boat is blue")
    close_servers()
    name = psycopg.conninfo.conninfo_to_dict(owner_url)["dbname"]
    with psycopg.connect(superuser_url(owner_url).replace(f"/{name}?", "/postgres?"), autocommit=True) as db:
        db.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])

        done = memoro("status")
        assert done.code == 0 and "the server cannot be reached" in " ".join(done.out.split())
        assert "local copy of revision 2" in " ".join(done.out.split())
        assert (done.out + done.err).count("This comes from the local copy") == 1
        checked = memoro("doctor")
        assert "Nothing was written" not in checked.out + checked.err
        assert checked.code == 1 and "✗ ledger server: " in checked.out and "cannot be reached" in checked.out


# TLS

AWAY = ["postgresql://db.example.org/m", "postgresql://10.0.0.7/m", "postgresql://127.evil.example/m",
        "postgresql://localhost,db.example.org/m", "postgresql:///m?hostaddr=192.0.2.1"]  # fmt: skip
NEAR = ["postgresql:///m", "postgresql:///m?host=/run/pg", "postgresql://localhost/m", "postgresql://127.0.0.1:5433/m",
        "postgresql://[::1]/m"]  # fmt: skip


@pytest.mark.parametrize("address", AWAY)
def test_a_server_elsewhere_must_prove_who_it_is(address: str) -> None:
    found = connection_parameters(address)
    assert found["sslmode"] == "verify-full" and found["sslrootcert"]
    ends = "&" if "?" in address else "?"
    assert connection_parameters(f"{address}{ends}sslmode=require")["sslmode"] == "require"
    assert connection_parameters(f"{address}{ends}sslrootcert=/ca.pem")["sslrootcert"] == "/ca.pem"


@pytest.mark.parametrize("address", NEAR)
def test_a_server_on_this_machine_need_not(address: str) -> None:
    assert "sslmode" not in connection_parameters(address)
    assert is_on_this_machine(psycopg.conninfo.conninfo_to_dict(address))


def test_an_address_is_shown_without_its_password() -> None:
    assert shown("postgresql://mia:secret@db.example.org:5433/memoro") == "db.example.org:5433/memoro"
    assert with_role("postgresql://mia:secret@db.example.org:5433/memoro?password=b&sslmode=require", "app") == (
        "postgresql://app@db.example.org:5433/memoro?sslmode=require"
    )


DEBIAN = Path("/usr/lib/postgresql/15/bin")


@pytest.fixture
def debian_server() -> Iterator[tuple[Path, int]]:
    """Debian's PostgreSQL 15 with TLS and passwords, on loopback: its folder, and its port."""
    if not DEBIAN.is_dir():
        pytest.skip("PostgreSQL 15 is not installed (apt-get install postgresql-15): its tests are not run")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # Postgres refuses to run as root, and its own user may not look into the folders of pytest.
    as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    data = Path(tempfile.mkdtemp(prefix="memoro-pg15-"))
    cluster, password = data / "cluster", data / "password"
    _make_certificate(data)
    password.write_text("owners\n")
    if as_user:
        subprocess.run(["chown", "-R", "postgres", str(data)], check=True)
    subprocess.run(
        [*as_user, str(DEBIAN / "initdb"), "-D", str(cluster), "-U", "boss", "-A", "scram-sha-256", "-N",
         "--pwfile", str(password)],
        check=True, capture_output=True,
    )  # fmt: skip
    settings = (
        f"port = {port}\nunix_socket_directories = '{data}'\nlisten_addresses = '127.0.0.1'\nfsync = off\nssl = on\n"
        f"ssl_cert_file = '{data / 'server.pem'}'\nssl_key_file = '{data / 'server.key'}'\n"
    )
    subprocess.run([*as_user, "tee", "-a", str(cluster / "postgresql.conf")], input=settings.encode(), check=True,
                   capture_output=True)  # fmt: skip
    running = subprocess.Popen(
        [*as_user, str(DEBIAN / "postgres"), "-D", str(cluster)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    boss = f"postgresql://boss@127.0.0.1:{port}/postgres"

    def answers() -> bool:
        try:
            psycopg.connect(boss, password="owners").close()
        except psycopg.OperationalError:
            return False
        return True

    assert wait_for(answers, 30)
    with psycopg.connect(boss, password="owners", autocommit=True) as db:
        db.execute("CREATE ROLE memoro_owner LOGIN CREATEROLE PASSWORD 'owners'")
        db.execute("CREATE DATABASE memoro OWNER memoro_owner")
    yield data, port
    close_servers()
    running.terminate()
    running.wait(20)
    shutil.rmtree(data)


def _make_certificate(folder: Path) -> None:
    """A certificate for db.test, which is its own authority, and its key."""
    pytest.importorskip("cryptography", reason="makes the certificate")
    from datetime import UTC, datetime, timedelta

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "db.test")])
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("db.test")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "server.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "server.key").write_bytes(private)
    (folder / "server.key").chmod(0o600)


@pytest.fixture
def password_server(debian_server: tuple[Path, int]) -> str:
    return f"postgresql://memoro_owner@127.0.0.1:{debian_server[1]}/memoro"


@pytest.mark.postgres
def test_postgres_15_keeps_a_ledger(password_server: str, tmp_path: Path) -> None:
    owner = administration(password_server, "owners")
    assert owner.install("memoro_app", "nodes")[:2] == (None, 1)
    assert owner.install("memoro_app", None)[:2] == (1, 1)
    owner.add_tenant("acme")
    owner.add_person("acme", "mia")
    shared = SharedLedger(with_role(password_server, "memoro_app"), "acme", "mia", "nodes")
    for number, node in enumerate(("a", "b")):
        ledger = open_ledger(str(tmp_path / node), shared=shared).ledger
        with ledger.writing() as tx:
            tx.memories.insert(a_memory(f"Written by {node}"), node.encode())
        with ledger.reading() as tx:
            assert tx.memories.count() == number + 1
    facts = server_facts(str(tmp_path / "a"), shared)
    assert facts.version.startswith("15.") and facts.unguarded == () and facts.rights.why_unfit() is None
    assert facts.rows is not None and facts.rows.counts["memories"] == 2
    assert owner.tenant_counts("acme")["memories"] == 2
    owner.remove_tenant("acme")
    assert owner.tenants() == []


@pytest.mark.postgres
def test_a_server_elsewhere_is_connected_to_only_with_a_trusted_certificate_of_its_name(
    debian_server: tuple[Path, int], tmp_path: Path
) -> None:
    folder, port = debian_server
    certificate = tmp_path / "ca.pem"
    certificate.write_bytes((folder / "server.pem").read_bytes())

    def facts(host: str, options: str = "") -> str | None:
        url = f"postgresql://memoro_owner@{host}:{port}/memoro?hostaddr=127.0.0.1{options}"
        return server_facts(str(tmp_path), SharedLedger(url, "acme", "mia", "owners")).encryption

    with pytest.raises(LedgerUnreachable, match="certificate verify failed"):
        facts("db.test")
    trusted = f"&sslrootcert={quote(str(certificate))}"
    with pytest.raises(LedgerUnreachable, match="does not match host name"):
        facts("other.test", trusted)
    assert (facts("db.test", trusted) or "").startswith("TLSv1.")
    assert facts("db.test", "&sslmode=disable") is None  # as its owner says
