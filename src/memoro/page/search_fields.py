"""The fields of the search: what the address says, the request that it makes, and addresses with other fields."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urlencode

from memoro.model.vocabulary import KINDS, MODES, NOTE_TIERS, parse_choice
from memoro.operations.finding import FindPassages
from memoro.page.view import Fields

PATH = "/search"
WHY_PATH = "/search/why"
RESULTS = 10  # that a page shows first, and adds with "more"
MOST_RESULTS = 100
CHOICES = {"kind": KINDS, "tier": NOTE_TIERS}
NAMES = ("path", "tag", "project", "agent")  # several values are divided by commas
TIMES = ("since", "until", "as_of")
_SHOWN_AS = ("q", *CHOICES, *NAMES, *TIMES, "mode", "weak", "n")


class SetFilter(NamedTuple):
    """A filter that is set, and the address of the same search without it."""

    name: str
    value: str
    without: str


class SearchFields(NamedTuple):
    """What a person looks for. A field that is not set is empty."""

    pairs: tuple[tuple[str, str], ...]  # in the order of the form; no empty ones

    def get(self, name: str) -> str:
        return next(iter(self.all(name)), "")

    def all(self, name: str) -> tuple[str, ...]:
        return tuple(value for key, value in self.pairs if key == name)

    @property
    def query(self) -> str:
        return self.get("q")

    @property
    def limit(self) -> int:
        text = self.get("n")
        wanted = int(text) if text.isascii() and text.isdigit() and len(text) < 6 else RESULTS
        return min(max(wanted, 1), MOST_RESULTS)

    def text(self, name: str) -> str:
        """The values of a field as its input shows them."""
        return ", ".join(self.all(name))

    def address(self, path: str = PATH, **changed: str) -> str:
        """The address of the same search, with some fields changed; an empty value takes a field out."""
        kept = [pair for pair in self.pairs if pair[0] not in changed]
        pairs = [*kept, *((name, value) for name, value in changed.items() if value)]
        return f"{path}?{urlencode(pairs)}" if pairs else path

    def filters(self) -> Iterator[SetFilter]:
        """The filters that are set, each value by itself."""
        for pair in self.pairs:
            if pair[0] not in ("q", "n"):
                without = SearchFields(tuple(one for one in self.pairs if one != pair and one[0] != "n"))
                yield SetFilter(*pair, without.address())

    def request(self) -> FindPassages:
        """The request of the search. Raises QueryError for a choice that there is not."""
        mode = self.get("mode")
        return FindPassages(
            query=self.query,
            limit=self.limit,
            mode=parse_choice(mode, MODES, "mode") if mode else None,
            min_score=0.0 if self.get("weak") else None,
            kind=tuple(parse_choice(one, KINDS, "kind") for one in self.all("kind")),
            tier=tuple(parse_choice(x, NOTE_TIERS, "tier") for x in self.all("tier")),
            path=self.all("path"),
            tag=self.all("tag"),
            agent=self.all("agent"),
            project=self.all("project"),
            since=self.get("since") or None,
            until=self.get("until") or None,
            as_of=self.get("as_of") or None,
            scope="all",
            unfinished=True,
        )


def fields_of(query: Fields) -> SearchFields:
    """The fields of an address, in the order of the form. Names that are no field of it are left out."""
    pairs = []
    for name in _SHOWN_AS:
        values = [value for value in query.all(name) if value]
        if name in NAMES:
            values = [part.strip() for value in values for part in value.split(",") if part.strip()]
        if name not in CHOICES and name not in NAMES:
            values = values[:1]
        pairs += [(name, value) for value in dict.fromkeys(values)]
    return SearchFields(tuple(pairs))
