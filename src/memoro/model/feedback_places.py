"""The files of a vault that keep the owner's feedback. Nothing searches or recalls them.

Every listing of a vault asks this, so the module loads next to nothing.
"""

from memoro.model.vocabulary import FeedbackKind

FOLDER = "feedback"  # of the vault; other notes in it are notes like any other
FILES: dict[FeedbackKind, str] = {"wrong": f"{FOLDER}/corrections.md", "good": f"{FOLDER}/rewards.md"}
ARCHIVE = f"{FOLDER}/archive"
_YEAR_FILE = len("/2026.md")


def is_feedback_file(path: str) -> bool:
    """Return whether a path of the vault, or of a folder beside it (`@name/…`), is one of these files in any case."""
    if path[:1] == "@":
        path = path.partition("/")[2]
    if path[: len(FOLDER)].lower() != FOLDER:
        return False
    lower = path.lower()
    name = lower[len(ARCHIVE) :]
    is_archived = lower.startswith(f"{ARCHIVE}/") and len(name) == _YEAR_FILE and name[1:5].isdigit()
    return lower in FILES.values() or (is_archived and name.endswith(".md"))
