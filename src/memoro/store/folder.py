"""The folder of a home: making it, and choosing how databases in it are opened."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memoro.errors import StoreUnavailable
from memoro.model.home import IN_MEMORY

if TYPE_CHECKING:
    from memoro.store.sqlite.engine import Engine


def make_home(home: str) -> None:
    """Make the folder, for its owner alone, or refuse one that others may write to."""
    try:
        os.makedirs(home, mode=0o700, exist_ok=True)
        mode = os.stat(home).st_mode
    except OSError as error:
        raise StoreUnavailable(
            f"The home {home} cannot be made: {(error.strerror or str(error)).lower()}. Set MEMORO_HOME to a "
            "folder that you can write to."
        ) from error
    if mode & 0o022:
        raise StoreUnavailable(
            f"Others may write to the home {home}. Run `chmod go-w {home}`, or set MEMORO_HOME to another folder."
        )


def engine_for(home: str) -> Engine:
    """How databases in this home are opened; a missing home is made."""
    from memoro.store.sqlite.engine import engine

    if home == IN_MEMORY:
        return engine(os.curdir)._replace(wal=False, vfs=None)
    make_home(home)
    return engine(home)
