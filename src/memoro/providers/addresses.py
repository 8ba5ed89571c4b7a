"""Which addresses text may be sent to: rules over a URL as it is written and over the addresses that its host has.

A URL is read strictly. Where two programs could read it in two ways, it is refused.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Sequence
from ipaddress import AddressValueError, IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Literal, NamedTuple

from memoro.errors import AddressRefused, ProviderUnavailable

# Returns the addresses of a host, as text. A test passes its own.
Resolver = Callable[[str, int], Sequence[str]]
Scheme = Literal["http", "https"]
IP = IPv4Address | IPv6Address
# "forbidden": link-local, metadata services, multicast, and whatever else is no host to send text to.
Reach = Literal["public", "private", "loopback", "forbidden"]

_URL = re.compile(r"(?P<scheme>https?)://(?P<authority>[^/]*)(?P<path>/.*)?", re.IGNORECASE)
_HOST = re.compile(r"(?=.{1,253}\Z)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*")
_PATH = re.compile(r"(/[A-Za-z0-9._~:+=,@-]+)*/?")
_NUMERIC = re.compile(r"[0-9]+|0[xX][0-9a-fA-F]*")
_PORTS = {"http": 80, "https": 443}

_METADATA_HOSTS = {
    "metadata",
    "metadata.google.internal",
    "metadata.goog",
    "instance-data",
    "instance-data.ec2.internal",
}
_METADATA = {
    IPv4Address("100.100.100.200"),  # Alibaba
    IPv4Address("168.63.129.16"),  # Azure
    IPv4Address("192.0.0.192"),  # Oracle
    IPv6Address("fd00:ec2::254"),  # Amazon
    IPv6Address("fd20:ce::254"),  # Google
    IPv6Address("fd00:42::42"),  # Scaleway
}
_PRIVATE_4 = [IPv4Network(net) for net in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")]
_PRIVATE_6 = IPv6Network("fc00::/7")
_PUBLIC_6 = IPv6Network("2000::/3")
# An address of IPv4 inside one of IPv6: a second spelling of hosts that the rules for IPv4 may refuse.
_TUNNELS_6 = [IPv6Network(net) for net in ("2001::/23", "2002::/16", "2001:db8::/32", "3fff::/20")]
_NAT64 = IPv6Network("64:ff9b::/96")  # how a network without IPv4 reaches every host that has no other


class Address(NamedTuple):
    """A URL that text may be sent to, if the addresses of its host pass `permitted` too."""

    scheme: Scheme
    host: str  # in lower case, without brackets
    port: int
    path: str  # without a slash at the end

    @property
    def shown_host(self) -> str:
        """The host as errors and status name it; with its port, unless that is the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def is_this_machine(self) -> bool:
        """Return whether the URL spells the machine itself, so that text sent there does not leave it."""
        literal = _literal(self.host)
        return self.host == "localhost" or (literal is not None and reach(literal) == "loopback")

    def __str__(self) -> str:
        return f"{self.scheme}://{self.shown_host}{self.path}"


def read_address(url: str) -> Address:
    """Return the parts of a URL. Raises `AddressRefused` for any that is not plainly written."""
    found = _URL.fullmatch(url)
    if not found:
        raise _refused(url, "it must begin with https:// or http:// and name a host")
    scheme: Scheme = "https" if found["scheme"].lower() == "https" else "http"
    host, port = _host_and_port(url, found["authority"])
    path = found["path"] or ""
    if "?" in path or "#" in path:
        raise _refused(url, "it must end before any ? or #")
    if not _PATH.fullmatch(path) or {".", ".."} & set(path.split("/")):
        raise _refused(url, "its path has characters that do not belong there")
    return Address(scheme=scheme, host=host, port=port or _PORTS[scheme], path=path.rstrip("/"))


def _host_and_port(url: str, authority: str) -> tuple[str, int | None]:
    if "@" in authority:
        raise AddressRefused(
            "A URL with a name or password before its host is refused. Keys belong in `embedding.key` or `llm.key`."
        )
    bracketed = re.fullmatch(r"\[([^\]]*)\](?::([0-9]{1,5}))?", authority)
    plain = re.fullmatch(r"([^:\[\]]*)(?::([0-9]{1,5}))?", authority)
    found = bracketed or plain
    if not found:
        raise _refused(url, "its host cannot be read")
    port = int(found[2]) if found[2] else None
    if port is not None and (not 0 < port < 65536 or found[2] != str(port)):
        raise _refused(url, "its port is not one from 1 to 65535")
    host = found[1].lower()
    return (_checked_6(url, host) if bracketed else _checked_host(url, host)), port


def _checked_host(url: str, host: str) -> str:
    if not host.isascii():
        raise _refused(url, "its host has letters that are not ASCII; write the host as xn--…")
    if not _HOST.fullmatch(host):
        raise _refused(url, "its host cannot be read")
    # A last part that is a number makes browsers and C libraries read the host as an address.
    if _NUMERIC.fullmatch(host.rpartition(".")[2]):
        try:
            IPv4Address(host)
        except AddressValueError:
            raise _refused(url, "its address is not written as four plain numbers, such as 127.0.0.1") from None
    if host in _METADATA_HOSTS:
        raise _refused(url, "it is a metadata service of a cloud")
    return host


def _checked_6(url: str, host: str) -> str:
    try:
        address = IPv6Address(host)
    except AddressValueError:
        raise _refused(url, "its address of IPv6 cannot be read") from None
    if str(address) != host or address.scope_id is not None:
        raise _refused(url, f"its address is not written in its short form, [{IPv6Address(int(address))}]")
    if _holds_ipv4(address):
        raise _refused(url, "it is an address of IPv4 written as one of IPv6")
    return host


def reach(address: IP) -> Reach:
    """Return how far away an address is, or that nothing is ever sent there."""
    if isinstance(address, IPv6Address) and address in _NAT64:
        return "public" if reach(IPv4Address(int(address) & 0xFFFFFFFF)) == "public" else "forbidden"
    if address in _METADATA or address.is_link_local or address.is_multicast or address.is_unspecified:
        return "forbidden"
    if isinstance(address, IPv6Address):
        return _reach_6(address)
    if address.is_loopback:
        return "loopback"
    if any(address in network for network in _PRIVATE_4):
        return "private"
    return "public" if address.is_global and not address.is_reserved else "forbidden"


def _reach_6(address: IPv6Address) -> Reach:
    if address.is_loopback:
        return "loopback"
    if address in _PRIVATE_6:
        return "private"
    is_public = address in _PUBLIC_6 and not _holds_ipv4(address) and address.is_global
    return "public" if is_public else "forbidden"


def permitted(address: Address, resolved: Sequence[str], private_hosts: Collection[str] = ()) -> tuple[str, ...]:
    """Return the addresses to connect to, in their order. Raises `AddressRefused` if even one of them is not allowed.

    One that is not allowed among others is how a name of the public network is made to point into a private one.
    """
    if not resolved:
        raise ProviderUnavailable(f"{address.shown_host} has no address. Is its name right, and the network up?")
    found = [_parsed(address, text) for text in resolved]
    for ip in found:
        _check(address, ip, private_hosts)
    return tuple(dict.fromkeys(str(ip) for ip in found))


def _check(address: Address, ip: IP, private_hosts: Collection[str]) -> None:
    where = reach(ip)
    is_literal = _literal(address.host) is not None
    if where == "forbidden":
        what = f"{address.shown_host} is" if is_literal else f"{address.shown_host} resolves to {ip},"
        raise AddressRefused(f"{what} an address to which Memoro never sends text (link-local, metadata, reserved).")
    if address.host == "localhost" and where != "loopback":
        raise AddressRefused(f"localhost resolves to {ip}, which is another machine.")
    if where != "public" and not is_literal and not _is_own_name(address, private_hosts):
        raise AddressRefused(
            f"{address.shown_host} resolves to {ip}, an address of a private network. If that is right, add the host "
            f"to `providers.private_hosts`."
        )
    if where == "public" and address.scheme == "http":
        raise AddressRefused(f"{address.shown_host} is on the public network: its URL must begin with https://.")


def check_unresolved(address: Address, private_hosts: Collection[str] = ()) -> None:
    """Raise `AddressRefused` for a URL that can be refused before its host is looked up."""
    if _literal(address.host) is not None:
        permitted(address, [address.host], private_hosts)
    elif address.scheme == "http" and not _is_own_name(address, private_hosts):
        raise AddressRefused(
            f"Plain http is not used for {address.shown_host}. Begin its URL with https://; or, if {address.host} is "
            "in your own network, add it to `providers.private_hosts`."
        )


def _is_own_name(address: Address, private_hosts: Collection[str]) -> bool:
    return address.host == "localhost" or address.host in {one.lower() for one in private_hosts}


def resolve(address: Address, resolver: Resolver, private_hosts: Collection[str] = ()) -> tuple[str, ...]:
    """Return the addresses to connect to. A host that is an address itself is not looked up."""
    if _literal(address.host) is not None:
        return permitted(address, [address.host], private_hosts)
    return permitted(address, resolver(address.host, address.port), private_hosts)


def system_resolver(host: str, port: int) -> Sequence[str]:
    """Return the addresses of a host as this machine knows them. Raises `ProviderUnavailable` if there are none."""
    import socket

    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    except (OSError, UnicodeError) as error:
        raise ProviderUnavailable(f"{host} cannot be looked up. Is its name right, and the network up?") from error
    return [str(sockaddr[0]) for *_, sockaddr in found]


def fingerprint(address: Address) -> str:
    """Return 8 hexadecimal digits that tell the servers at two URLs apart."""
    return hashlib.sha256(str(address).encode()).hexdigest()[:8]


def _parsed(address: Address, text: str) -> IP:
    try:
        return ip_address(text)
    except ValueError:
        raise AddressRefused(f"{address.shown_host} resolves to something that is no address.") from None


def _literal(host: str) -> IP | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _holds_ipv4(address: IPv6Address) -> bool:
    """Return whether an address of IPv6 is one of IPv4 in another form."""
    is_tunnel = any(address in network for network in _TUNNELS_6)
    is_low = int(address) >> 32 == 0 and int(address) > 1  # ::a.b.c.d
    is_translated = address in IPv6Network("64:ff9b::/32") or (int(address) >> 32) & 0xFFFFFFFF == 0x00005EFE
    return address.ipv4_mapped is not None or is_tunnel or is_low or is_translated


def _refused(url: str, why: str) -> AddressRefused:
    """Of a URL that may hold a password or a key, nothing is repeated."""
    shown = "" if re.search("[@?#]", url) else " " + "".join(c for c in url if c.isprintable())[:100]
    return AddressRefused(f"The URL{shown} is refused: {why}.")
