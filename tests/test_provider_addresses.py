"""Which addresses text may be sent to: every spelling of a private or metadata address is refused."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoro.errors import AddressRefused, ProviderError, ProviderUnavailable
from memoro.providers.addresses import Address, check_unresolved, fingerprint, permitted, reach, read_address, resolve
from tests.provider_urls import REFUSED_URLS

PUBLIC = "93.184.215.14"


def never(host: str, port: int) -> list[str]:
    raise AssertionError(f"{host}:{port} was looked up")


@pytest.mark.parametrize("url", REFUSED_URLS)
def test_every_odd_or_forbidden_url_is_refused(url: str) -> None:
    with pytest.raises(AddressRefused) as refused:
        resolve(read_address(url), lambda _host, _port: REFUSED_URLS[url])
    assert "s3cret" not in str(refused.value)
    assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:11434/v1",
        "http://[::1]:8080",
        "http://192.168.1.5:8000/v1",
        "https://10.0.0.7",
        "http://[fd12:3456::7]:1234/v1",
        "http://100.64.3.2:1234",
    ],
)
def test_a_private_address_that_the_url_spells_plainly_is_permitted(url: str) -> None:
    address = read_address(url)
    assert resolve(address, never) == (address.host,)


def test_localhost_is_this_machine_and_nothing_else() -> None:
    address = read_address("http://localhost:11434/v1/")
    assert address == Address(scheme="http", host="localhost", port=11434, path="/v1")
    assert permitted(address, ["::1", "127.0.0.1", "127.0.0.1"]) == ("::1", "127.0.0.1")
    for elsewhere in ("192.168.1.5", PUBLIC):
        with pytest.raises(AddressRefused, match="another machine"):
            permitted(address, ["127.0.0.1", elsewhere], ["localhost"])


@pytest.mark.parametrize("url", ["http://169.254.169.254/v1", "http://api.example.com/v1", "http://8.8.8.8/v1"])
def test_a_url_that_no_look_up_can_save_is_refused_before_anybody_is_asked_for_money(url: str) -> None:
    with pytest.raises(AddressRefused):
        check_unresolved(read_address(url))


@pytest.mark.parametrize(
    "url", ["https://api.example.com/v1", "http://NAS.lan:9/v1", "http://localhost", "http://127.0.0.1"]
)
def test_a_url_whose_host_must_be_looked_up_first_is_not_refused_before(url: str) -> None:
    check_unresolved(read_address(url), ["nas.LAN"])


def test_a_name_of_a_private_host_must_be_in_the_settings() -> None:
    address = read_address("http://gpu.lan:8000/v1")
    with pytest.raises(AddressRefused, match=r"providers\.private_hosts"):
        permitted(address, ["192.168.1.5"])
    assert permitted(address, ["192.168.1.5"], ["GPU.lan"]) == ("192.168.1.5",)
    with pytest.raises(AddressRefused, match="never sends text"):
        permitted(address, ["169.254.169.254"], ["gpu.lan"])


def test_one_private_address_among_public_ones_refuses_them_all() -> None:
    address = read_address("https://api.example.com")
    assert permitted(address, [PUBLIC]) == (PUBLIC,)
    with pytest.raises(AddressRefused):
        permitted(address, [PUBLIC, "127.0.0.1"])


def test_plain_http_goes_no_further_than_the_private_network() -> None:
    with pytest.raises(AddressRefused, match="https://"):
        permitted(read_address("http://api.example.com"), [PUBLIC], ["api.example.com"])


def test_a_host_without_an_address_may_have_one_later() -> None:
    with pytest.raises(ProviderUnavailable):
        permitted(read_address("https://api.example.com"), [])
    with pytest.raises(AddressRefused, match="no address"):
        permitted(read_address("https://api.example.com"), ["not an address"])


@pytest.mark.parametrize(
    ("url", "host", "is_this_machine"),
    [
        ("https://api.openai.com/v1", "api.openai.com", False),
        ("https://api.openai.com:443/v1", "api.openai.com", False),
        ("http://localhost:11434/v1", "localhost:11434", True),
        ("http://127.8.9.1:80", "127.8.9.1", True),
        ("http://[::1]:8080", "[::1]:8080", True),
        ("http://192.168.1.5:8000", "192.168.1.5:8000", False),
    ],
)
def test_an_address_says_where_text_goes(url: str, host: str, is_this_machine: bool) -> None:
    address = read_address(url)
    assert (address.shown_host, address.is_this_machine) == (host, is_this_machine)
    assert read_address(str(address)) == address


def test_servers_at_two_urls_have_two_fingerprints() -> None:
    one, same, other = (
        read_address(f"http://{rest}") for rest in ("LOCALHOST:1/v1/", "localhost:1/v1", "localhost:2")
    )
    assert fingerprint(one) == fingerprint(same) != fingerprint(other)
    assert len(fingerprint(one)) == 8


@given(st.text(max_size=60))
def test_any_text_is_an_address_or_refused(text: str) -> None:
    for url in (text, f"https://{text}", f"http://127.0.0.1{text}", f"https://a.example{text}"):
        try:
            address = read_address(url)
        except AddressRefused as error:
            assert str(error).isprintable()
        else:
            assert read_address(str(address)) == address


PRIVATE = [IPv4Network(text) for text in ("10.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12")]
PRIVATE += [IPv4Network(text) for text in ("192.168.0.0/16", "0.0.0.0/8", "224.0.0.0/3", "100.64.0.0/10")]
private_ips = st.one_of([st.ip_addresses(network=network) for network in PRIVATE])


@given(private_ips)
def test_no_form_of_a_private_address_is_public(ip: IPv4Address) -> None:
    number = int(ip)
    forms = [str(ip), f"::ffff:{ip}", f"::{ip}", f"64:ff9b::{ip}", str(IPv6Address((0x2002 << 112) | (number << 80)))]
    forms.append(str(IPv6Address((0x20010000 << 96) | (number ^ 0xFFFFFFFF))))
    for form in forms:
        assert reach(ip_address(form)) != "public", form
        with pytest.raises(ProviderError):
            permitted(read_address("https://api.example.com"), [form])
    for host in (str(number), hex(number), f"0{number:o}", f"{ip.packed[0]}.{number & 0xFFFFFF}"):
        with pytest.raises(AddressRefused):
            resolve(read_address(f"http://{host}"), never)


@given(st.ip_addresses(v=6))
def test_an_address_of_ipv6_is_public_only_in_the_range_for_it(ip: IPv6Address) -> None:
    if reach(ip) == "public":
        assert 0x2000 <= int(ip) >> 112 <= 0x3FFF or int(ip) >> 32 == 0x64FF9B << 64
