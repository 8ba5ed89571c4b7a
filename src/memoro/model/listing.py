"""Lists of memories and experiences: what is wanted, in which order, and where a page begins."""

from typing import Literal, NamedTuple, get_args

from memoro.errors import QueryError
from memoro.model.vocabulary import ExperienceOutcome, ExperienceType, Trust

# score: as strong as they are now, the strongest first. used: by when they were last given to a session. uses: by how
# often they were given.
MemorySort = Literal["newest", "oldest", "score", "used", "uses", "feedback"]
MEMORY_SORTS: tuple[MemorySort, ...] = get_args(MemorySort)
# invalid: not superseded, and out of date or yet to come. all: of these three, those in the ledger.
MemoryState = Literal["current", "superseded", "invalid", "archived", "all"]
MEMORY_STATES: tuple[MemoryState, ...] = get_args(MemoryState)
ExperienceSort = Literal["newest", "oldest", "success", "used", "uses"]
EXPERIENCE_SORTS: tuple[ExperienceSort, ...] = get_args(ExperienceSort)

_SPENT = "This page of the list cannot be found: begin with the first page."


class MemoryFilter(NamedTuple):
    """The memories that a list shows. None leaves open what it says."""

    words: tuple[str, ...] = ()  # each stands in the text or in the tags
    tag: str | None = None
    agent: str | None = None
    project: str | None = None
    source: str | None = None
    session: str | None = None
    trust: Trust | None = None
    state: MemoryState = "current"


class ExperienceFilter(NamedTuple):
    """The experiences that a list shows. None leaves open what it says."""

    words: tuple[str, ...] = ()  # each stands in the intent, in the solution or in the tags
    type: ExperienceType | None = None
    outcome: ExperienceOutcome | None = None
    tag: str | None = None
    agent: str | None = None
    project: str | None = None
    source: str | None = None
    trust: Trust | None = None
    archived: bool = False


class PageStart(NamedTuple):
    """The place in a list behind which a page begins: behind the row with this value and number."""

    sort: str
    value: float | str  # by which the list is sorted
    number: int
    at: str  # when the first page was read: all pages tell of that moment

    def key(self) -> str:
        """The place as a text that means nothing to others."""
        import base64  # every command reads this module, and few read pages
        import json

        return base64.urlsafe_b64encode(json.dumps(self, separators=(",", ":")).encode()).decode().rstrip("=")


class ListOrder(NamedTuple):
    """The order of a list, at a moment, and where to begin."""

    sort: str
    at: str
    after: PageStart | None = None


def page_start(key: str, sort: str) -> PageStart:
    """The place that a key names; raises QueryError for what is no key of a list in this order."""
    import base64
    import json

    try:
        read = PageStart(*json.loads(base64.urlsafe_b64decode(key.encode() + b"=" * (-len(key) % 4))))
    except (ValueError, TypeError, RecursionError):
        raise QueryError(_SPENT) from None
    if not (isinstance(read.number, int) and isinstance(read.at, str) and isinstance(read.value, (int, float, str))):
        raise QueryError(_SPENT)
    is_kept = isinstance(read.value, str) or abs(read.value) < 2**63
    if read.sort != sort or not 0 <= read.number < 2**63 or not is_kept:
        raise QueryError(_SPENT)
    return read


def spellings(word: str) -> tuple[str, ...]:
    """The ways in which a word may be written. Of these, only the case of ASCII letters is left open."""
    return tuple(dict.fromkeys((word, word.lower(), word.upper(), word.capitalize())))


def ascii_lower(text: str) -> str:
    """The text with its ASCII letters in lower case: two that differ only in those are alike."""
    return text.translate(_LOWER)


_LOWER = {one: one + 32 for one in range(ord("A"), ord("Z") + 1)}
