"""The address of a server: how it is connected to, how it is shown, and when the connection must be encrypted."""

from __future__ import annotations

import os
import ssl
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

import psycopg
from psycopg.conninfo import conninfo_to_dict

from memoro.errors import LedgerServerRefused

CONNECT_SECONDS = 3
_TCP_SECONDS = 30
_FIRST_LIBPQ_WITH_SYSTEM_ROOTS = 160_000
# Where systems keep the certificates they trust. The OpenSSL of psycopg's wheel looks for them elsewhere.
_ROOTS = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)


def connection_parameters(url: str, password: str | None = None) -> dict[str, Any]:
    """All that a connection is made with. What the URL says holds; what it leaves open is chosen here."""
    given = parsed(url)
    return {
        "connect_timeout": CONNECT_SECONDS,
        "tcp_user_timeout": 1000 * _TCP_SECONDS,
        "keepalives_idle": 30,
        "application_name": "memoro",
        "client_encoding": "utf8",
        **encryption(given),
        **given,
        **({} if password is None else {"password": password}),
    }


def parsed(url: str) -> dict[str, Any]:
    try:
        return dict(conninfo_to_dict(url))
    except psycopg.ProgrammingError as error:
        raise LedgerServerRefused(
            "The address of the ledger cannot be read. Write it as postgresql://ROLE@HOST/DATABASE."
        ) from error


def encryption(given: Mapping[str, Any]) -> dict[str, str]:
    """What is added where text would cross a network: a certificate that this machine trusts, for that very host."""
    if "sslmode" in given or is_on_this_machine(given):
        return {}
    roots = _roots() if "sslrootcert" not in given else None
    return {"sslmode": "verify-full", **({"sslrootcert": roots} if roots else {})}


def is_on_this_machine(given: Mapping[str, Any]) -> bool:
    """Return whether the connection is by a socket of this machine, or by its loopback address."""
    hosts = str(given.get("host") or given.get("hostaddr") or "").split(",")
    return all(not host or host[0] in "/@" or _is_loopback(host) for host in hosts)


def _is_loopback(host: str) -> bool:
    return host in ("localhost", "::1") or (host.startswith("127.") and host.replace(".", "").isdigit())


def _roots() -> str | None:
    found = [file for file in (ssl.get_default_verify_paths().cafile, *_ROOTS) if file and os.path.isfile(file)]
    if found:
        return found[0]
    return "system" if psycopg.pq.version() >= _FIRST_LIBPQ_WITH_SYSTEM_ROOTS else None


def shown(url: str) -> str:
    """The address for people, without a password."""
    parts = parsed(url)
    host, port = parts.get("host") or parts.get("hostaddr") or "localhost", parts.get("port")
    return f"{host}{f':{port}' if port else ''}/{parts.get('dbname', '')}"


def has_password(url: str) -> bool:
    return "password" in parsed(url)


def with_role(url: str, role: str) -> str:
    """The same address for another role, without a password."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    query = "&".join(one for one in parts.query.split("&") if one.partition("=")[0] not in ("user", "password"))
    return urlunsplit(parts._replace(netloc=f"{quote(role, safe='')}@{host}", query=query))
