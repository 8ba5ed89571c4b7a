"""Output for people: plain text in a pipe; colour, tables and progress bars at a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memoro.cli.lines import columns, say, wrapped
from memoro.cli.output import unescaped
from memoro.index.report import Progress, Report
from memoro.model.answers import Answer, Explanation, Hit, Text, UnderstoodTime
from memoro.model.held_days import held, short_day
from memoro.model.local_time import local_day
from memoro.model.notes import count_in_words, counted, locator_of
from memoro.model.projects import short_name

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bar

    from memoro.index.embedding_plan import FillProgress
    from memoro.ledger.visibility import ShownVisibility
    from memoro.model.derivation import DerivedCopy
    from memoro.model.vocabulary import ProjectOrigin

# Work shorter than this needs no bar: it would only flicker.
_BAR_AFTER = 50
# Among the first by meaning: then the meaning is worth naming as a reason.
_NEAR = 10


def printable(text: str) -> str:
    """Escape control characters and invisible direction marks, so that the text is safe to show."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\t" else c.encode("unicode_escape").decode() for c in text)


def show_derived(copies: Sequence[DerivedCopy], *, done: bool) -> None:
    """List what is forgotten along with a text, or would be."""
    if copies:
        say("Forgotten with it, as made from it:" if done else "With it, as made from it (--only leaves it):")
    for copy in copies:
        say(f"   {printable(copy.id)}  {printable(copy.text)}".rstrip())


def terminal() -> Console | None:
    """The console of a terminal, or None in a pipe."""
    if not sys.stdout.isatty():
        return None
    from rich.console import Console

    return Console(highlight=False, soft_wrap=False, file=unescaped(sys.stdout))


class ProgressBar:
    """A bar at a terminal: first for the passages that are read, then for the vectors that are made."""

    def __init__(self, bar: Bar, what: str) -> None:
        self._bar, self._what = bar, what
        self._task = bar.add_task(what, total=None, visible=False)
        self._filled = ""

    def advance(self, done: int, total: int) -> None:
        self._bar.update(self._task, completed=done, total=total, visible=total >= _BAR_AFTER)

    def downloading(self, done: int, total: int) -> None:
        """Show how much of a model is there, in megabytes."""
        there, all_ = done // 1_000_000, max(1, total // 1_000_000)
        if done < total:
            self._bar.update(self._task, description="Downloading (MB)", completed=there, total=all_, visible=True)
        else:
            self._bar.reset(self._task, description=self._what, visible=False)

    def filling(self, at: FillProgress) -> None:
        """Show how far a space is filled, and what that has cost so far."""
        from memoro.cli.embedding import sent_in_words

        if self._filled != at.space:
            self._filled = at.space
            self._bar.reset(self._task)
        said = f"Vectors: {sent_in_words(at.sent)}" if at.sent.texts else "Vectors"
        visible = at.total >= _BAR_AFTER or bool(at.sent.texts)
        self._bar.update(self._task, description=said, completed=at.done, total=at.total, visible=visible)


@contextmanager
def progress(what: str) -> Iterator[Progress | None]:
    """A bar on standard error while a person looks; nothing in a pipe."""
    with progress_bar(what) as bar:
        yield bar.advance if bar is not None else None


@contextmanager
def progress_bar(what: str) -> Iterator[ProgressBar | None]:
    """The same, that also shows how vectors are made."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bar(*columns, console=Console(file=unescaped(sys.stderr)), transient=True) as bar:
        yield ProgressBar(bar, what)


def answer(found: Answer, *, explain: bool) -> None:
    console = terminal()
    for notice in found.degraded:
        say(f"memoro: {notice}", file=sys.stderr)
    if found.time:
        say(f"memoro: {printable(_understood(found.time))}", file=sys.stderr)
    if not found.results:
        say(_nothing(found), file=sys.stderr)
    for number, hit in enumerate(found.results, 1):
        if console:
            _hit_at_terminal(console, number, hit)
        else:
            print(_headline(number, hit))
            print(_indented(_body(hit.snippet), "   "))
        if hit.replaced_by:
            from memoro.model.replaced import mark  # seldom needed

            say(f"   {printable(mark(hit.replaced_by))}")
        if hit.muted:
            say("   muted: you marked this as wrong, and no agent is given it unasked")
        say(f"   {why(hit.explanation)}{_log_of(hit)}")
        for one in hit.given:
            say(f"   given in recall {one.recall} on {local_day(one.at)}: {feedback_said(one.feedback)}")
        if explain:
            from memoro.cli.explain import account

            for line in account(hit):
                say(f"     {line}")
        print()
    if explain and found.results and found.left_out:
        were, them = ("was", "it") if found.left_out == 1 else ("were", "them")
        say(f"{found.left_out} more below {found.least:.2f} {were} left out; --min-score 0 shows {them}.")
    if explain and found.results:
        from memoro.cli.explain import legend

        for line in legend([hit.explanation for hit in found.results]):
            say(line, hang=6 if line.startswith(" ") else 0)


def _understood(time: UnderstoodTime) -> str:
    if time.first is None:
        return f"{time.phrase!r} was understood as up to {time.last}."
    days = time.last if time.first == time.last else f"{time.first} to {time.last}"
    return f"{time.phrase!r} was understood as {days}."


def _nothing(found: Answer) -> str:
    if not found.left_out:
        return "Nothing found. Try other words, or fewer filters; `memoro status` shows what is indexed."
    many = "1 weak match scores" if found.left_out == 1 else f"{found.left_out} weak matches score"
    return f"Nothing relevant found: {many} below {found.least:.2f}. Try other words, or --min-score 0 to see all."


def conversation(found: Text) -> None:
    """Print the turns around a hit, and mark the hit."""
    whose = " · ".join(part for part in (found.title, found.agent, short_name(found.project or "")) if part)
    print(printable(f"{found.path}  {whose}"))
    day = None
    for turn in found.around:
        if turn.date != day:
            day = turn.date
            print(f"-- {day}" if day else "--")
        mark = ">" if found.start_line <= turn.line <= found.end_line else " "
        first, *rest = f"{turn.speaker}: {turn.text}".split("\n")
        print(f"{mark} {turn.line:>4}  {printable(first)}")
        for line in rest:
            print(f"        {printable(line)}" if line else "")


def _headline(number: int, hit: Hit) -> str:
    about = [_title(hit), _place(hit), f"[{hit.tier}]", f"{hit.score:.2f}", _when(hit), *_whose(hit)]
    return f"{number}. {'  '.join(part for part in about if part)}"


def _hit_at_terminal(console: Console, number: int, hit: Hit) -> None:
    """Print a result in colour; wrapped first, so that every line keeps its indentation."""
    from rich.text import Text

    width = columns(sys.stdout) or console.width
    line = Text("\n".join(wrapped(one, width) for one in _headline(number, hit).split("\n")))
    title = _title(hit)
    line.highlight_words([title] if title else [], style="bold")
    line.highlight_words([_place(hit)], style="bold cyan")
    line.highlight_words([f"[{hit.tier}]"], style="magenta")
    line.highlight_words([f"{hit.score:.2f}"], style="green")
    line.highlight_words([_when(hit)] if _when(hit) else [], style="yellow")
    console.print(line, soft_wrap=True)
    body = Text("\n".join(wrapped(one, width) for one in _indented(_body(hit.snippet), "   ").split("\n")))
    for term in hit.explanation.terms:
        body.highlight_words([term.word], style="reverse", case_sensitive=False)
    console.print(body, soft_wrap=True)


def _when(hit: Hit) -> str:
    """The date of a passage, or of the change that let it pass; of a memory, from when and until when it holds."""
    since, until = (short_day(day) if day else None for day in (hit.since, hit.until))
    return held(since, until) or hit.date or (f"changed {hit.changed}" if hit.changed else "")


def _title(hit: Hit) -> str:
    """The title of a conversation, or the headings above a passage of a note."""
    if hit.kind == "transcript":
        return printable(hit.title or "")
    return printable(" > ".join(hit.heading))


def _place(hit: Hit) -> str:
    """Where a passage stands; of a conversation only the message, because its path says nothing to a person."""
    if hit.kind == "memory":
        return f"[id:{hit.id.partition(':')[2]}]"
    if hit.kind == "experience":
        return hit.id
    lines = f"{hit.start_line}" if hit.start_line == hit.end_line else f"{hit.start_line}-{hit.end_line}"
    if hit.kind == "transcript" and hit.title:
        return f"{locator_of(hit.path)} {lines}"
    return f"{printable(hit.path)}:{lines}"


def _log_of(hit: Hit) -> str:
    """The id by which `get` prints the turns around a hit of a conversation."""
    return f"\n   around it: memoro get {printable(hit.id)}" if hit.kind == "transcript" and hit.title else ""


def _whose(hit: Hit) -> list[str]:
    """The agent and project of a conversation, and the number of passages if there are several."""
    named = [printable(name) for name in (hit.agent, short_name(hit.project or "")) if name]
    return [*named, *([f"({hit.passages} passages)"] if hit.passages > 1 else [])]


def _body(snippet: str) -> str:
    return "\n".join(printable(line) for line in snippet.split("\n"))


def _indented(text: str, by: str) -> str:
    return "\n".join(by + line if line else line for line in text.split("\n"))


def why(explanation: Explanation) -> str:
    """Say which words were found where, the strongest first, and whether the meaning was near."""
    if explanation.is_by_date:
        return "found by its date"
    terms = sorted(explanation.terms, key=lambda term: -term.share)
    found = ", ".join(f"{printable(t.word)} ({' and '.join(t.columns)})" for t in terms)
    near = explanation.vector_rank is not None and explanation.vector_rank <= _NEAR
    return "found by " + " and ".join(part for part in (found, "meaning" if near or not found else "") if part)


def feedback_said(feedback: Sequence[str]) -> str:
    """The feedback on an item that was given to a session."""
    return ", ".join(feedback) or "no feedback"


def report(done: Report) -> None:
    parts = [
        f"{count} {word}"
        for count, word in [
            (done.added, "added"),
            (done.changed, "changed"),
            (done.moved, "moved"),
            (done.hidden, "gone"),
        ]
        if count
    ]
    if done.rebuilt:
        say(f"Rebuilt the index: {done.rebuilt}.")
    said = ", ".join(parts) or "up to date"  # a hook or a search may have read since what changed
    if done.damage:
        say(f"Rewrote the vectors: {done.damage}.")
    files = count_in_words(done.files, done.transcripts)
    say(f"{said}; {files} in {counted(done.chunks, 'passage')} ({done.took_ms:.0f} ms)")
    if done.downloaded:
        say(f"  downloaded the model {printable(done.downloaded)}")
    if not done.files:
        say("The index holds no Markdown files (*.md).")
    for sentence in (*done.doubles, *done.degraded):
        say(f"  note: {printable(sentence)}")
    for problem in done.problems:
        say(f"  {problem.severity}: {printable(problem.path)}: {problem.sentence}")


def project_by(origin: ProjectOrigin | None) -> str:
    """Return what says which project a session has, in words."""
    said: dict[ProjectOrigin | None, str] = {
        "settings": "your settings",
        "git remote": "its git remote",
        "git root": "its git repository",
        "folder": "its folder",
    }
    return said.get(origin, "its set-up")


def show_next_page(key: str | None) -> None:
    """Say how to see the next page of a list, where there is one."""
    if key:
        say(f"memoro: there are more; add --after {key}", file=sys.stderr)


def show_visibility(found: ShownVisibility, _request: object) -> None:
    who = "only you see it" if found.visibility == "private" else "everybody of the tenant sees it"
    by = f"; {found.person} stored it" if found.person else ""
    say(printable(f"{found.visibility}: {who}{by}"))
    if found.narratives:
        numbers = ", ".join(map(str, found.narratives))
        say(f"   narratives based on it stay as they are, and may repeat it: {numbers}")
