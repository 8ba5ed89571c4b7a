"""Notes in an index while no vault is set: nothing can tell whether they still say what is on the disk."""

from memoro.config import Settings
from memoro.errors import NoVault
from memoro.model.notes import count_in_words
from memoro.store.ports import Index


def notes_without_vault(index: Index | None, settings: Settings) -> NoVault | None:
    """Return the error that names these notes; None where a vault is set, or the index holds none."""
    if index is None or settings.vault.path is not None:
        return None
    folder = index.get_meta("vault")
    if folder is None:  # asked first: in a home with memories alone it spares the count
        return None
    counts = index.counts()
    return NoVault(folder, held=count_in_words(counts.files, counts.transcripts)) if counts.files else None
