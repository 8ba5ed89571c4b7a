"""Links that lead nowhere: to the note that has the name elsewhere, or, where there is none, the words alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memoro.config.settings import CurateSettings
from memoro.curate.planners.wording import quoted_entry
from memoro.curate.snapshot.state import BrokenLink, CuratedEntry, CuratedNote, CuratedState
from memoro.model.proposals import EditEntry, Evidence, Suggestion, WriteNote

_MOVED, _GONE = 0.7, 0.5  # how sure: one note has the name, or none has (people also link to notes that come later)


def plan(state: CuratedState, settings: CurateSettings) -> list[Suggestion]:  # noqa: ARG001
    by_path: dict[str, list[BrokenLink]] = {}
    for link in state.broken_links:
        by_path.setdefault(link.path, []).append(link)
    in_entries = [one for entry in state.entries for one in _of_entry(entry, by_path.get(entry.path, ()))]
    in_notes = [one for note in state.notes for one in _of_note(note, by_path.get(note.path, ()))]
    return [*in_entries, *in_notes]


def _of_entry(entry: CuratedEntry, links: Sequence[BrokenLink]) -> Iterable[Suggestion]:
    broken = [one for one in links if one.link in entry.text and one.line >= entry.line]
    if broken and (text := _mended(entry.text, broken)) != entry.text:
        yield Suggestion(
            change=EditEntry(id=entry.id, text=text, path=entry.path, was=entry.text),
            evidence=(quoted_entry(entry),),
            origin="tidy",
            score=_score(broken),
            reason=_reason(broken),
        )


def _of_note(note: CuratedNote, links: Sequence[BrokenLink]) -> Iterable[Suggestion]:
    if links and (text := _mended(note.text, links)) != note.text:
        quotes = tuple(Evidence(quote=one.link, path=note.path, line=one.line) for one in links)
        change = WriteNote(path=note.path, text=text, expected=note.sha256)
        yield Suggestion(change=change, evidence=quotes, origin="tidy", score=_score(links), reason=_reason(links))


def _mended(text: str, links: Iterable[BrokenLink]) -> str:
    for one in links:
        text = text.replace(one.link, one.instead or one.shown)
    return text


def _score(links: Sequence[BrokenLink]) -> float:
    return _MOVED if all(one.instead for one in links) else _GONE


def _reason(links: Sequence[BrokenLink]) -> str:
    first = links[0]
    more = f" (and {len(links) - 1} more)" if len(links) > 1 else ""
    if first.instead:
        return f"{first.link}{more} leads nowhere; {first.instead} is where the note is now."
    return f"{first.link}{more} leads nowhere: no note of the vault has this path, name, title or alias."
