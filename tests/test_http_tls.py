"""Connections with TLS: to the address that was checked, with the certificate of the name that the URL has."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import certifi
import pytest

from memoro.errors import ProviderUnavailable
from memoro.providers.http_client import HttpClient, endpoint
from tests.scripted_server import ScriptedServer, scripted_server

pytest.importorskip("cryptography", reason="makes the certificate")

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for gpu.lan, and its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "gpu.lan")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("gpu.lan")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path_factory.mktemp("tls") / "server.pem"
    plain = serialization.NoEncryption()
    file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
        + made.public_bytes(serialization.Encoding.PEM)
    )
    return file


@pytest.fixture
def server(certificate: Path) -> Iterator[ScriptedServer]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with scripted_server(context) as running:
        yield running


def ask(server: ScriptedServer, host: str) -> object:
    where = endpoint(f"https://{host}:{server.port}", "a-key-123456")._replace(private_hosts=(host,))
    with closing(HttpClient(where, lambda _host, _port: ["127.0.0.1"])) as client:
        return client.get("/models")


def test_the_certificate_must_be_that_of_the_name_and_not_of_the_address(
    server: ScriptedServer, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certifi, "where", lambda: str(certificate))
    assert ask(server, "gpu.lan") == {}
    assert server.received[0].headers["host"] == f"gpu.lan:{server.port}"
    with pytest.raises(ProviderUnavailable, match="no valid certificate"):
        ask(server, "other.lan")
    assert len(server.received) == 1


def test_nothing_is_sent_to_a_server_whose_certificate_nobody_vouches_for(server: ScriptedServer) -> None:
    with pytest.raises(ProviderUnavailable, match="Nothing was sent"):
        ask(server, "gpu.lan")
    assert server.received == []
