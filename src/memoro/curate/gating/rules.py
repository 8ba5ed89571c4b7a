"""Which automatic suggestions may wait for a person, and why the others may not. Pure: nothing is read or written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from memoro.curate.gating.subjects import ENTRY, ProposalSubject, Words, has_same_key, is_same, meet, proposal_subject
from memoro.curate.reviewing.losses import lost_from
from memoro.model.belonging import known_project, names_project
from memoro.model.losses import most_lost
from memoro.model.memories import UNTRUSTED
from memoro.model.notes import MEMORY, counted
from memoro.model.projects import short_name
from memoro.model.proposals import (
    AddRule,
    EditEntry,
    MoveEntry,
    PromoteMemory,
    Proposal,
    ProposedChange,
    PutBackLines,
    RememberEntry,
    StoreMemory,
    Suggestion,
    WriteNote,
)
from memoro.model.rewording import Cosine
from memoro.model.tokens import tokens
from memoro.model.vocabulary import Trust, WithheldFor

WEEK_DAYS = 7
_UNTRUSTED_SPEAKERS = ("tool", "system", "web")


class GatedFile(NamedTuple):
    """An always-loaded file, as the gate measures it."""

    entries: int
    tokens: int
    most_tokens: int | None = None  # None: it has no budget


class GatedItem(NamedTuple):
    """A memory that a suggestion names."""

    trust: Trust
    project: str | None = None
    is_visible: bool = True  # to the session that the suggestion comes from


class CurrentItems(NamedTuple):
    """What the gate must know about files and items as they are now."""

    files: Mapping[str, GatedFile]
    words: Words  # what each item says
    items: Mapping[str, GatedItem]
    paths: Mapping[str, str]  # the file of each tier
    is_vault_of: Callable[[str], bool] = lambda _project: False  # whether the whole vault belongs to a project


class GateLimits(NamedTuple):
    """How many proposals a round may make, and how many were made in the seven days before."""

    per_round: int
    made_this_week: int = 0

    @property
    def left(self) -> int:
        return max(0, self.per_round - self.made_this_week)


class Withheld(NamedTuple):
    """A suggestion that does not become a proposal, and why not."""

    suggestion: Suggestion
    reason: WithheldFor
    sentence: str


class AdmittedSuggestions(NamedTuple):
    """The suggestions that may wait for a person, the surest first, and the rest."""

    suggestions: tuple[Suggestion, ...]
    withheld: tuple[Withheld, ...]


def admit(
    suggestions: Sequence[Suggestion],
    proposals: Sequence[Proposal],
    current: CurrentItems,
    limits: GateLimits,
    cosine: Cosine,
) -> AdmittedSuggestions:
    """Choose the suggestions that may become proposals. `proposals` are all that were ever made, in every state."""
    gate = _Gate(proposals, current, cosine)
    admitted: list[Suggestion] = []
    withheld: list[Withheld] = []
    for one in sorted(suggestions, key=lambda suggestion: -(suggestion.score or 0.0)):
        refusal = gate.refusal(one)
        if refusal is None and len(admitted) >= limits.left:
            refusal = _Refusal("too_many", _too_many(limits))
        if refusal is None:
            admitted.append(one)
            gate.add(one)
        else:
            withheld.append(Withheld(one, refusal.reason, refusal.sentence))
    return AdmittedSuggestions(tuple(admitted), tuple(withheld))


def is_automatic(proposal: Proposal) -> bool:
    """Return whether a proposal counts against the week: agents' own calls and lines to put back do not."""
    return proposal.origin != "agent" and not isinstance(proposal.change, PutBackLines)


def _too_many(limits: GateLimits) -> str:
    return (
        f"At most {counted(limits.per_round, 'proposal')} a week (curate.proposals_per_round), and "
        f"{limits.made_this_week} were made in the last {WEEK_DAYS} days; this one may come later."
    )


class _Refusal(NamedTuple):
    reason: WithheldFor
    sentence: str


class _Waiting(NamedTuple):
    subject: ProposalSubject
    name: str  # for a sentence


class _Gate:
    """The rules over one round: what is admitted counts as waiting for what comes after it."""

    def __init__(self, proposals: Sequence[Proposal], current: CurrentItems, cosine: Cosine) -> None:
        self._current = current
        self._cosine = cosine
        compared = [(one, proposal_subject(one.change, current.words)) for one in proposals]
        known = [(one, subject) for one, subject in compared if subject is not None]
        self._rejected = [(one.id, subject) for one, subject in known if one.state == "rejected"]
        self._accepted = _last_accepted([(one, subject) for one, subject in known if one.state == "accepted"])
        waiting = [(one, subject) for one, subject in known if one.state == "open"]
        self._waiting = [_Waiting(subject, f"Proposal {one.id}") for one, subject in waiting]
        self._changes = [one.change for one, _ in waiting]

    def add(self, suggestion: Suggestion) -> None:
        subject = proposal_subject(suggestion.change, self._current.words)
        if subject is not None:
            self._waiting.append(_Waiting(subject, "Another one of this round"))
        self._changes.append(suggestion.change)

    def refusal(self, suggestion: Suggestion) -> _Refusal | None:
        subject = proposal_subject(suggestion.change, self._current.words)
        if subject is None:
            return _Refusal("whole_file", "Only a person, or Memoro's own upkeep, proposes such a change.")
        return (
            self._untrusted(suggestion, subject)
            or self._other_project(suggestion, subject)
            or self._decided(subject)
            or self._waits(subject)
            or self._whole_file(suggestion.change)
            or self._loss(suggestion.change)
            or self._budget(suggestion.change)
        )

    def _decided(self, subject: ProposalSubject) -> _Refusal | None:
        for number, other in self._rejected:
            if is_same(subject, other, self._cosine):
                return _Refusal("rejected", f"Proposal {number} asked for the same, and was rejected.")
        for number, other in self._accepted:
            # The same words may be dropped twice, and said again once something else was said in between.
            is_repeated = has_same_key(subject, other) or (
                subject.act == "say" and subject.targets == other.targets and is_same(subject, other, self._cosine)
            )
            if is_repeated:
                return _Refusal("accepted", f"Proposal {number} asked for the same, and was accepted.")
        return None

    def _waits(self, subject: ProposalSubject) -> _Refusal | None:
        for waiting in self._waiting:
            if is_same(subject, waiting.subject, self._cosine):
                return _Refusal("waits", f"{waiting.name} asks for the same.")
            if items := meet(subject, waiting.subject):
                return _Refusal("waits", f"{waiting.name} is about {min(items)} too; decide that one first.")
        return None

    def _untrusted(self, suggestion: Suggestion, subject: ProposalSubject) -> _Refusal | None:
        for name in _rests_on(suggestion, subject):
            found = self._current.items.get(name)
            if found is not None and found.trust in UNTRUSTED:
                return _Refusal("untrusted", f"It rests on {name}, whose trust is {found.trust}.")
        spoken = [one.speaker for one in suggestion.evidence if (one.speaker or "").casefold() in _UNTRUSTED_SPEAKERS]
        return _Refusal("untrusted", f"It rests on the words of a {spoken[0]}.") if spoken else None

    def _other_project(self, suggestion: Suggestion, subject: ProposalSubject) -> _Refusal | None:
        names = sorted(_rests_on(suggestion, subject) | subject.targets)
        found = [(name, self._current.items[name]) for name in names if name in self._current.items]
        for name, item in found:
            if not item.is_visible:
                return _Refusal("project", f"{name} belongs to another project or agent.")
        projects = {item.project for _, item in found if item.project}
        if isinstance(suggestion.change, StoreMemory) and suggestion.change.project:
            projects.add(suggestion.change.project)
        if len(projects) > 1:
            named = " and ".join(sorted(map(short_name, projects)))
            return _Refusal("project", f"It mixes the projects {named}.")
        if not is_loaded_everywhere(suggestion.change):
            return None
        text = " ".join(subject.texts)
        hidden = [one for one in projects if not self._current.is_vault_of(one) and not _names(text, one)]
        if not hidden:
            return None
        named = short_name(hidden[0])
        return _Refusal(
            "project", f"It is about project {named} without its name, and every project loads that file."
        )

    def _whole_file(self, change: ProposedChange) -> _Refusal | None:
        if isinstance(change, WriteNote) and change.path in self._current.files:
            return _Refusal("whole_file", f"{change.path} is loaded in every session; it changes entry by entry.")
        return None

    def _loss(self, change: ProposedChange) -> _Refusal | None:
        path = lost_from(change)
        file = self._current.files.get(path) if path is not None else None
        if file is None:
            return None
        waiting = sum(lost_from(one) == path for one in self._changes)
        most = most_lost(file.entries)
        if waiting < most:
            return None
        return _Refusal(
            "loss", f"At most {most} of the {file.entries} entries of {path} may leave it by proposals that wait."
        )

    def _budget(self, change: ProposedChange) -> _Refusal | None:
        added = addition_of(change, self._current.paths)
        file = self._current.files.get(added.path) if added else None
        if added is None or file is None or file.most_tokens is None:
            return None
        waiting = [one for one in (addition_of(one, self._current.paths) for one in self._changes) if one]
        full = file.tokens + sum(one.tokens for one in waiting if one.path == added.path) + added.tokens
        if full <= file.most_tokens:
            return None
        return _Refusal(
            "budget",
            f"{added.path} would have {full} tokens, and its budget is {file.most_tokens}; retire entries first.",
        )


class AddedEntry(NamedTuple):
    path: str
    tokens: int


def addition_of(change: ProposedChange, paths: Mapping[str, str]) -> AddedEntry | None:
    """Return what a change adds to an always-loaded file; None where it adds nothing, or replaces an entry."""
    match change:
        case (
            RememberEntry(path=path, text=text) | PromoteMemory(path=path, text=text) | AddRule(path=path, text=text)
        ):
            return AddedEntry(path, tokens(text))
        case MoveEntry(tier=tier, text=text) if tier in paths:
            return AddedEntry(paths[tier], tokens(text))
        case _:
            return None


def is_loaded_everywhere(change: ProposedChange) -> bool:
    """Return whether a change puts words into an always-loaded file."""
    return isinstance(change, RememberEntry | PromoteMemory | AddRule | EditEntry)


def _names(text: str, project: str) -> bool:
    return names_project(text, known_project(project))


def _rests_on(suggestion: Suggestion, subject: ProposalSubject) -> frozenset[str]:
    """The items whose words speak for a suggestion: what it replaces or drops does not."""
    quoted = frozenset(one.path for one in suggestion.evidence if one.path and one.path.startswith((MEMORY, ENTRY)))
    return (subject.sources | quoted) - subject.targets


def _last_accepted(accepted: Sequence[tuple[Proposal, ProposalSubject]]) -> list[tuple[int, ProposalSubject]]:
    """Return those that no later decision about the same items has overtaken."""
    kept: list[tuple[int, ProposalSubject]] = []
    later: set[str] = set()
    for one, subject in sorted(accepted, key=lambda pair: (pair[0].settled_at or "", pair[0].id), reverse=True):
        if not subject.targets or not subject.targets <= later:
            kept.append((one.id, subject))
        later |= subject.targets
    return kept
