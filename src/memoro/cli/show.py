"""Output for people: plain text in a pipe; colour, tables and progress bars at a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from memoro.cli.output import unescaped
from memoro.index.report import Progress, Report
from memoro.model.answers import Answer, Explanation, Hit, Text
from memoro.model.notes import count_in_words, locator_of

if TYPE_CHECKING:
    from rich.console import Console

# Work shorter than this needs no bar: it would only flicker.
_BAR_AFTER = 50
# Among the first by meaning: then the meaning is worth naming as a reason.
_NEAR = 10


def printable(text: str) -> str:
    """Escape control characters and invisible direction marks, so that the text is safe to show."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\t" else c.encode("unicode_escape").decode() for c in text)


def terminal() -> Console | None:
    """The console of a terminal, or None in a pipe."""
    if not sys.stdout.isatty():
        return None
    from rich.console import Console

    return Console(highlight=False, soft_wrap=False, file=unescaped(sys.stdout))


@contextmanager
def progress(what: str) -> Iterator[Progress | None]:
    """A bar on standard error while a person looks; nothing in a pipe."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bar(*columns, console=Console(file=unescaped(sys.stderr)), transient=True) as bar:
        task = bar.add_task(what, total=None, visible=False)

        def advance(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, visible=total >= _BAR_AFTER)

        yield advance


def answer(found: Answer, *, explain: bool) -> None:
    console = terminal()
    for notice in found.degraded:
        print(f"memoro: {notice}", file=sys.stderr)
    if not found.results:
        print("Nothing found. Try other words, or fewer filters.", file=sys.stderr)
    for number, hit in enumerate(found.results, 1):
        if console:
            _hit_at_terminal(console, number, hit)
        else:
            print(_headline(number, hit))
            print(_indented(_body(hit.snippet), "   "))
        print(f"   {why(hit.explanation)}")
        for one in hit.given:
            print(f"   given in recall {one.recall} on {one.at[:10]}: {feedback_said(one.feedback)}")
        if explain:
            print(_indented("\n".join(account(hit)), "     "))
        print()


def conversation(found: Text) -> None:
    """Print the turns around a hit, and mark the hit."""
    whose = " · ".join(part for part in (found.title, found.agent, found.project) if part)
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
    about = [f"[{hit.tier}]", f"{hit.score:.2f}", hit.date or "", " > ".join(hit.heading), *_whose(hit)]
    return f"{number}. {_place(hit)}  {printable('  '.join(part for part in about if part))}"


def _hit_at_terminal(console: Console, number: int, hit: Hit) -> None:
    from rich.text import Text

    line = Text(f"{number}. ")
    line.append(_place(hit), style="bold cyan")
    line.append(f"  {hit.tier}", style="magenta")
    line.append(f"  {hit.score:.2f}", style="green")
    line.append(f"  {hit.date}" if hit.date else "", style="yellow")
    line.append(f"  {printable(' > '.join(hit.heading))}" if hit.heading else "", style="bold")
    line.append("".join(f"  {printable(part)}" for part in _whose(hit)))
    console.print(line)
    body = Text(_indented(_body(hit.snippet), "   "))
    for term in hit.explanation.terms:
        body.highlight_words([term.word], style="reverse", case_sensitive=False)
    console.print(body)


def _place(hit: Hit) -> str:
    if hit.kind == "memory":
        return f"[id:{hit.id.partition(':')[2]}]"
    if hit.kind == "experience":
        return hit.id
    if hit.kind == "transcript" and locator_of(hit.path) == "message":
        return f"{printable(hit.path)} message {hit.start_line}"
    lines = f"{hit.start_line}" if hit.start_line == hit.end_line else f"{hit.start_line}-{hit.end_line}"
    return f"{printable(hit.path)}:{lines}"


def _whose(hit: Hit) -> list[str]:
    """The agent and project of a conversation, and the number of passages if there are several."""
    named = [name for name in (hit.agent, hit.project) if name]
    return [*named, *([f"({hit.passages} passages)"] if hit.passages > 1 else [])]


def _body(snippet: str) -> str:
    return "\n".join(printable(line) for line in snippet.split("\n"))


def _indented(text: str, by: str) -> str:
    return "\n".join(by + line if line else line for line in text.split("\n"))


def why(explanation: Explanation) -> str:
    """Say which words were found where, the strongest first, and whether the meaning was near."""
    terms = sorted(explanation.terms, key=lambda term: -term.share)
    found = ", ".join(f"{printable(t.word)} ({' and '.join(t.columns)})" for t in terms)
    near = explanation.vector_rank is not None and explanation.vector_rank <= _NEAR
    return "found by " + " and ".join(part for part in (found, "meaning" if near or not found else "") if part)


def feedback_said(feedback: Sequence[str]) -> str:
    """The feedback on an item that was given to a session."""
    return ", ".join(feedback) or "nobody said"


def account(hit: Hit) -> Iterator[str]:
    """The score as it was computed."""
    explanation = hit.explanation
    if explanation.total is not None:
        sure = f"confidence {explanation.confidence:.4f} in the best" if explanation.confidence else "the sum"
        yield f"score {hit.score:.4f}: {sure}, at a total of {explanation.total:.3f}"
        for part in sorted(explanation.parts, key=lambda part: -abs(part.share)):
            yield f"{part.share:+.3f} {part.name} ({part.value:.3f})"
    else:
        yield f"score {hit.score:.4f} = the sum of share = weight in the query × fullness in the passage"
    for term in explanation.terms:
        columns = ", ".join(f"{column} ×{count}" for column, count in term.columns.items())
        yield f"{term.share:.4f} = {term.weight:.4f} × {term.fullness:.4f}  {printable(term.word)} in {columns}"
    if explanation.ignored:
        yield f"not looked up, too frequent to tell passages apart: {', '.join(explanation.ignored)}"
    yield f"rank {explanation.word_rank} by words; id {printable(hit.id)}"


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
        print(f"Built the index anew: {done.rebuilt}.")
    said = ", ".join(parts) or "nothing changed"
    if done.damage:
        print(f"Wrote the vectors anew: {done.damage}.")
    files = count_in_words(done.files, done.transcripts)
    print(f"{said}; {files} in {done.chunks} passages ({done.took_ms:.0f} ms)")
    if not done.files:
        print("The vault holds no Markdown files (*.md).")
    for sentence in (*done.doubles, *done.degraded):
        print(f"  note: {printable(sentence)}")
    for problem in done.problems:
        print(f"  {problem.severity}: {printable(problem.path)}: {problem.sentence}")
