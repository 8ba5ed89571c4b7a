"""Past sessions as items of a block, each cut to what matters. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memoro.model.open_items import FAILED
from memoro.model.recall import RecalledItem
from memoro.recall import fence
from memoro.unasked.past_sessions import PastSession

_LINE = 320  # characters of a line at most: a decision with its reason
_FILES = 6
_COMMANDS = 4


class SessionLines(NamedTuple):
    """The lines of one session that are told, by what they are. In this order they are dropped last."""

    title: str
    open: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()

    def text(self) -> str:
        """Return the lines as the session's note has them, so that a search knows that they were given."""
        parts = [f"# {self.title}"] if self.title else []
        parts += self.answers
        for name, lines in (("Open", self.open), ("Decisions", self.decisions), ("Errors", self.errors)):
            if lines:
                parts += [f"## {name}", *(f"- {line}" for line in lines)]
        if self.files:
            more = len(self.files) - _FILES
            parts.append(f"Files: {', '.join(self.files[:_FILES])}{f' and {more} more' if more > 0 else ''}")
        if self.commands:
            parts.append(f"Commands: {'; '.join(self.commands)}")
        return "\n".join(parts)


def where_it_was_left(session: PastSession, open_items: Sequence[str]) -> SessionLines:
    """Return what tells where a session was left, with these as its open items."""
    digest = session.digest
    return SessionLines(
        title=_cut(digest.title),
        open=tuple(map(_cut, open_items)),
        decisions=tuple(_cut(one) for one in digest.decisions if one.rstrip(".") != digest.title.rstrip(".")),
        answers=tuple(map(_cut, session.answers)),
        files=digest.files,
        commands=tuple(_cut(one) for one in digest.commands if FAILED in one)[-1:],  # the work goes on there
    )


def what_was_done(session: PastSession, open_items: Sequence[str]) -> SessionLines:
    """Return what tells what was done in a session, with these as its open items."""
    lines = where_it_was_left(session, open_items)
    return lines._replace(
        errors=tuple(map(_cut, session.digest.errors)), commands=tuple(map(_cut, session.digest.commands[:_COMMANDS]))
    )


def only_open(session: PastSession, open_items: Sequence[str]) -> SessionLines:
    """Return the title of a session with these open items."""
    return SessionLines(title=_cut(session.digest.title), open=tuple(map(_cut, open_items)))


def within(session: PastSession, lines: SessionLines, room: int) -> RecalledItem | None:
    """Return the session as an item of at most so many tokens: the last lines are dropped first."""
    for shorter in _ever_shorter(lines):
        found = item(session, shorter)
        if found.tokens <= room:
            return found
    return None


def _ever_shorter(lines: SessionLines) -> Iterator[SessionLines]:
    yield lines
    if lines.commands:
        lines = lines._replace(commands=())
        yield lines
    if lines.errors:
        lines = lines._replace(errors=())
        yield lines
    while len(lines.decisions) > 2:
        lines = lines._replace(decisions=lines.decisions[1:])  # the later one holds
        yield lines
    if lines.files:
        lines = lines._replace(files=())
        yield lines
    while lines.decisions:
        lines = lines._replace(decisions=lines.decisions[1:])
        yield lines
    while lines.answers:
        lines = lines._replace(answers=lines.answers[1:])
        yield lines
    while lines.open:
        lines = lines._replace(open=lines.open[:-1])
        yield lines


def item(session: PastSession, lines: SessionLines) -> RecalledItem:
    """Return an item with these lines of a session, under the lines of the note that hold them."""
    text = lines.text()
    first, last = _place(session, text)
    made = RecalledItem(
        id=f"{session.path}:{fence.lines(first, last)}",
        kind="note" if session.is_note else "transcript",
        tier="episodic" if session.is_note else "transcript",
        path=session.path,
        start_line=first,
        end_line=last,
        heading=(),
        date=session.ended[:10],
        trust=None,
        score=1.0,
        tokens=0,
        text=text,
    )
    return fence.weighed([made])[0]


def _place(session: PastSession, text: str) -> tuple[int, int]:
    """Return the first and the last line of the note that the text has; of a log, its beginning."""
    told = {line.strip() for line in text.split("\n") if line.strip()}
    found = [number for number, line in enumerate(session.lines, 1) if line.strip() in told]
    return (found[0], found[-1]) if found else (1, 1)


def _cut(line: str) -> str:
    line = " ".join(line.split())
    return line if len(line) <= _LINE else f"{line[: _LINE - 1].rsplit(' ', 1)[0]}…"


def total(items: Sequence[RecalledItem]) -> int:
    return sum(one.tokens for one in items)
