"""Files that hold one secret each, for the owner of the home alone."""

from __future__ import annotations

from memoro.store.files import replace_file


def write_secret(file: str, secret: str) -> None:
    """Write the secret durably. A file that is there is replaced at once, or stays as it was."""
    replace_file(file, f"{secret}\n")
