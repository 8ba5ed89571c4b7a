"""Files that hold one secret each, for the owner of the home alone."""

from __future__ import annotations

import os
import secrets

from memoro.errors import StoreUnavailable
from memoro.model.system_errors import reason


def write_secret(file: str, secret: str) -> None:
    """Write the secret durably. A file that is there is replaced at once, or stays as it was."""
    unfinished = f"{file}.{secrets.token_hex(4)}.making"
    try:
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            os.write(descriptor, f"{secret}\n".encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(unfinished, file)
    except OSError as error:
        raise StoreUnavailable(f"{file} cannot be written: {reason(error)}. Nothing was changed.") from error
