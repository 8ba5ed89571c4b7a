"""Where notes hold secrets, for their owner: path, line and kind, and never the secret itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memoro.errors import VaultError
from memoro.model.notes import kind_of
from memoro.model.secrets import spans_of
from memoro.vault.encoding import decode
from memoro.vault.files import VaultFiles


class SecretPlace(NamedTuple):
    path: str
    line: int  # where it begins
    kind: str


def secret_places(vault: VaultFiles, known: Sequence[str] = ()) -> Iterator[SecretPlace]:
    """Yield the secrets in notes, by path and line. Notes that cannot be read are left out; others report them."""
    for path in sorted(vault.list().files):
        if kind_of(path) != "note":
            continue
        try:
            text, _ = decode(vault.read(path).data)
        except VaultError:
            continue
        for span in spans_of(text, known):
            yield SecretPlace(path, text.count("\n", 0, span.start) + 1, span.kind)
