"""Read the body of a response in parts, without trusting its size: decompression, lines, JSON."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator, Mapping

from memoro.errors import ProviderUnavailable

Json = Mapping[str, object]

MOST_BYTES = 32 << 20  # of a response, after decompression
MOST_LINE_BYTES = 32 << 20  # of one line of a download
MOST_DOWNLOAD_BYTES = 8 << 30  # 50,000 vectors of 4,096 numbers as text


def decompressor(encoding: str, host: str) -> Callable[[bytes], Iterator[bytes]]:
    """Return what turns the bytes of the wire into those of the body, at most 1 MiB at a time."""
    names = [name.strip() for name in encoding.lower().split(",") if name.strip() not in ("", "identity")]
    if not names:
        return lambda raw: iter((raw,))
    if names not in (["gzip"], ["x-gzip"]):
        raise ProviderUnavailable(f"{host} compressed its answer in a way that nobody asked for.")
    inflate = zlib.decompressobj(wbits=31)

    def decompress(raw: bytes) -> Iterator[bytes]:
        try:
            while raw:
                yield inflate.decompress(raw, 1 << 20)
                raw = inflate.unconsumed_tail
        except zlib.error as error:
            raise ProviderUnavailable(f"{host} sent a compressed answer that is damaged.") from error

    return decompress


def split_lines(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Return the lines of a download. Raises where one is longer than any line of vectors."""
    rest = bytearray()
    for chunk in chunks:
        *lines, last = chunk.split(b"\n")
        for line in lines:
            yield bytes(rest + line)
            rest.clear()
        rest += last
        if len(rest) > MOST_LINE_BYTES:
            raise ProviderUnavailable(f"A line of the download has more than {MOST_LINE_BYTES >> 20} MiB.")
    yield bytes(rest)


def json_object(line: bytes) -> Json | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def json_document(body: bytes, host: str, wanted: str = "vectors") -> Json:
    found = json_object(body)
    if found is None:
        what = "a web page" if body.lstrip()[:1] == b"<" else "something that is no JSON object"
        raise ProviderUnavailable(f"{host} answered with {what} instead of {wanted}.")
    return found
