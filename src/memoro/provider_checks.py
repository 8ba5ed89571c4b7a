"""The checks of `doctor` on a model that is not the built-in one: its library, key and address, and its vectors."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import AddressRefused, KeyRefused, ProviderError, StoreError, WrongWidth
from memoro.home_checks import Check
from memoro.index.homes import of_this_version
from memoro.index.outgoing import outgoing
from memoro.providers.circuit_breaker import last_failure
from memoro.providers.deadline import WithDeadline
from memoro.providers.ports import info_of, is_builtin
from memoro.providers.records import lacks_agreement
from memoro.search.spaces import waits_for
from memoro.store import space_progress

if TYPE_CHECKING:
    from memoro.config.settings import EmbeddingSettings
    from memoro.home_context import HomeContext
    from memoro.providers.ports import Embedder, Vectors
    from memoro.providers.records import ProviderRecords
    from memoro.providers.registry import Embedders
    from memoro.store.ports import ChunkText, Index, IndexHome

SAMPLES = 3
SAMPLE_SECONDS = 10.0  # nobody waits longer to hear that a server hangs
# Of two vectors of one text: rounding to 16 bits costs less than 0.001; servers that compute in batches differ a
# little from call to call. Another model, or another way to prepare a text, is far below.
LEAST_COSINE = 0.99
# The libraries of each provider, and the extra that brings them.
_LIBRARIES: dict[str, tuple[tuple[str, ...], str]] = {
    "openai": (("httpx", "stamina"), "remote"),
    "gemini": (("httpx", "stamina"), "remote"),
    "voyage": (("httpx", "stamina"), "remote"),
    "compatible": (("httpx", "stamina"), "remote"),
    "fastembed": (("fastembed",), "fastembed"),
    "model2vec": (("model2vec",), "model2vec"),
}


def check_settings(
    chosen: EmbeddingSettings, environment: Mapping[str, str], private_hosts: Collection[str] = ()
) -> Iterator[Check]:
    """Check what the settings name: the library of the provider, the key, and the address."""
    libraries, extra = _LIBRARIES.get(chosen.provider, ((), ""))
    missing = [name for name in libraries if find_spec(name) is None]
    if missing:
        yield Check(
            name="provider",
            state="failed",
            found=f"{chosen.provider} needs {' and '.join(missing)}, which cannot be found",
            remedy=f'Run `pip install "memoro[{extra}]"`. Searches use the built-in model meanwhile.',
        )
    if chosen.url is not None:
        from memoro.providers.addresses import check_unresolved, read_address

        try:
            address = read_address(chosen.url)
            check_unresolved(address, private_hosts)
            yield Check("address", "ok", f"{address.shown_host} may be asked")
        except AddressRefused as error:
            yield Check("address", "failed", str(error))
    if chosen.key is not None:
        from memoro.providers.keys import read_key

        try:
            read_key(chosen.key, environment)
            owner = ", for its owner alone" if chosen.key.startswith("file:") else ""
            yield Check("key", "ok", f"{chosen.key} holds one{owner}")
        except KeyRefused as error:
            yield Check("key", "failed", str(error))


def check_model_files(home: HomeContext) -> Check | None:
    """Read every byte of a model on this machine; None where none is used."""
    found = home.verified_model()
    if found is None:
        return None
    if found.change is not None:
        return Check(name="model files", state="failed", found=found.change)
    size = sum(file.size for file in found.record.files.values())
    return Check("model files", "ok", f"{found.record.name} is as it was first used ({size:,} bytes)")


class Sample(NamedTuple):
    """A passage whose exact vector is known."""

    item: ChunkText
    vector: Vectors


def check_samples(home: HomeContext, indexes: IndexHome, embedders: Embedders) -> Check | None:
    """Embed three passages again and compare them with the vectors that are kept; None for the built-in model.

    A model that changed behind its name would make every search wrong: its space is then not searched any more, until
    the samples agree again. An outage says nothing about the model.
    """
    wanted, index, records = embedders.wanted, of_this_version(indexes), indexes.records()
    if embedders.problem:
        remedy = "Searches use the built-in model meanwhile."
        return Check(name="provider", state="warning", found=embedders.problem, remedy=remedy)
    if is_builtin(wanted) or index is None:
        return None
    space = str(wanted.space)
    suspicion = records.suspicion(space)
    if suspicion is None and not space_progress.is_complete(index, space):
        return _check_unfilled(index, records, wanted)
    if lacks_agreement(records, info_of(wanted), space):
        return Check("provider", "ok", f"{space} is complete; nothing is sent before you agree to its price")
    samples = _samples(indexes, index, wanted, home)
    if not samples:
        if suspicion is not None:
            return Check(name="provider", state="failed", found=suspicion, remedy=_drop(space))
        return Check("provider", "ok", f"{space} has no vectors to compare with yet")
    try:
        cosine = least_cosine(WithDeadline(wanted, SAMPLE_SECONDS), samples)
    except WrongWidth as error:  # no rest and no retry mends it; its sentence says what does
        why = str(error).rstrip(".")
        _suspect(records, space, why)
        return Check(name="provider", state="failed", found=why, remedy="Searches use the built-in model meanwhile.")
    except ProviderError as error:
        remedy = "It is tried again by itself; searches use the built-in model meanwhile."
        found = f"{space} cannot be checked: {str(error).rstrip('.')}"
        return Check(name="provider", state="warning", found=found, remedy=remedy)
    if useless := _why_useless(wanted, samples):
        _suspect(records, space, useless)
        return Check(name="provider", state="failed", found=useless, remedy="Searches use the built-in model.")
    if cosine >= LEAST_COSINE:
        again = "; it is searched again" if suspicion else ""
        _suspect(records, space, None)
        return Check("provider", "ok", f"{space} answers as it did for {len(samples)} samples{again}")
    _suspect(records, space, f"the model behind {space} has changed, as `memoro doctor` found")
    return Check(
        name="provider",
        state="failed",
        found=f"the model behind {space} has changed: for a text that it was given before, its vector is another one "
        f"(cosine {cosine:.2f})",
        remedy=_drop(space),
    )


def _why_useless(wanted: Embedder, samples: Sequence[Sample]) -> str | None:
    """Return why a model that has one vector for all texts cannot be used, where it has one for all the samples."""
    import numpy

    from memoro.providers.telling_apart import are_all_the_same, tells_texts_apart, why_useless

    if not are_all_the_same(numpy.stack([sample.vector for sample in samples])):
        return None
    try:
        tells = tells_texts_apart(WithDeadline(wanted, SAMPLE_SECONDS))
    except ProviderError:
        return None
    return None if tells else why_useless(str(wanted.space)).rstrip(".")


def _drop(space: str) -> str:
    return f"Run `memoro space drop {space}`, then `memoro sync`. Searches use the built-in model meanwhile."


def _check_unfilled(index: Index, records: ProviderRecords, wanted: Embedder) -> Check:
    """A space that is not complete yet is no fault, unless the provider failed when it was to be filled."""
    share = int(100 * space_progress.filled(index, str(wanted.space)))
    found = f"{wanted.space} is {share} % filled, and {waits_for(lambda: records, wanted)}"
    if last_failure(records, info_of(wanted).host) is None:
        return Check("provider", "ok", found)
    remedy = "`memoro sync` asks it again. Searches use the built-in model meanwhile."
    return Check(name="provider", state="warning", found=found, remedy=remedy)


def _suspect(records: ProviderRecords, space: str, why: str | None) -> None:
    with suppress(StoreError):  # a home that is only read keeps no finding; the check itself says it
        if records.suspicion(space) != why:
            records.suspect(space, why)


def least_cosine(embedder: Embedder, samples: Sequence[Sample]) -> float:
    """Embed the samples again; return how near the one that differs most is to its kept vector."""
    import numpy

    rows = embedder.embed([sample.item.text for sample in samples], "document")
    kept = numpy.stack([sample.vector for sample in samples])
    lengths = numpy.linalg.norm(rows, axis=1) * numpy.linalg.norm(kept, axis=1)
    return float(((rows * kept).sum(axis=1) / lengths).min())


def _samples(indexes: IndexHome, index: Index, wanted: Embedder, home: HomeContext) -> list[Sample]:
    """Return passages from the beginning, the middle and the end of the index, of those that may be sent."""
    rules, space = outgoing(home, info_of(wanted)), str(wanted.space)
    last = space_progress.settled(index, space)
    found: dict[str, Sample] = {}
    for start in (0, last // 2, max(0, last - 20)):
        items = [item for item in index.texts_after(start, 20) if not rules.stays(item) and item.digest not in found]
        known = indexes.cache().get(space, [item.digest for item in items])
        item = next((one for one in items if one.digest in known), None)
        if item is not None:
            sent = item._replace(text=rules.sent(item.text))
            found[item.digest] = Sample(sent, known[item.digest])
    return list(found.values())[:SAMPLES]
