"""The view of `memoro usage`: what a person sees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoro.cli.command import command
from memoro.cli.lines import say
from memoro.cli.show import printable
from memoro.model.local_time import local
from memoro.operations.usage import USAGE, ShowUsage
from memoro.providers.prices import NOTED_ON, in_dollars

if TYPE_CHECKING:
    from memoro.providers.usage import Usage, UsageSum


def _show_usage(found: Usage, _request: ShowUsage) -> None:
    if found.lost_at:
        say(f"The records of earlier use were damaged; these begin on {local(found.lost_at)}.")
    if found.sums:
        _show_table([*_lines(found), _line("all", found.total)])
        _show_unpriced(found.total)
        if found.total.dollars:
            say(f"Prices are as of {NOTED_ON}, or as `embedding.price`, `llm.price_in` and `llm.price_out` say.")
    else:
        since = f" since {found.since}" if found.since else ""
        say(f"Memoro has used no other model{since} than the built-in one, which costs nothing.")
    _show_cap(found)


class _Line(NamedTuple):
    """One row of the table, in words and figures."""

    label: str
    requests: str
    texts: str
    tokens: str
    written: str
    cost: str
    cached: str


_HEAD = _Line(
    label="", requests="requests", texts="texts", tokens="tokens", written="written", cost="cost", cached="from cache"
)


def _line(label: str, one: UsageSum) -> _Line:
    return _Line(
        label=label,
        requests=f"{one.requests:,}",
        texts=f"{one.texts:,}",
        tokens=f"{one.tokens_in:,}",
        written=f"{one.tokens_out:,}" if one.tokens_out else "",
        cost=_cost(one),
        cached=f"{one.cached:,}",
    )


def _cost(one: UsageSum) -> str:
    if not one.unpriced:
        return in_dollars(one.dollars)
    return f"{in_dollars(one.dollars)} + ?" if one.dollars else "unknown"


def _lines(found: Usage) -> Iterator[_Line | str]:
    """The rows of the table; a model whose purposes follow is a row of words alone."""
    last = ""
    for one in found.sums:
        model = printable(f"{one.provider} {one.model}")
        if found.group is None:
            if model != last:
                yield model
            last = model
            yield _line(f"  {one.purpose}{', batch' if one.is_batch else ''}", one)
        else:
            yield _line(one.day or one.purpose or model, one)


def _show_table(rows: Sequence[_Line | str]) -> None:
    lines = [_HEAD, *(row for row in rows if isinstance(row, _Line))]
    columns = [n for n in range(1, len(_HEAD)) if any(line[n] for line in lines[1:])]
    widths = [max(len(line[n]) for line in lines) for n in range(len(_HEAD))]
    for row in (_HEAD, *rows):
        if isinstance(row, str):
            say(row)
        else:
            say(f"{row.label:{widths[0]}}" + "".join(f"  {row[n]:>{widths[n]}}" for n in columns))


def _show_unpriced(total: UsageSum) -> None:
    if total.unpriced:
        say(
            f"Nobody knows the price of {total.unpriced:,} tokens. Set `embedding.price`, or `llm.price_in` and "
            "`llm.price_out`, to what a million of them cost in US dollars, and later ones are counted."
        )


def _show_cap(found: Usage) -> None:
    if found.daily_cap is None:
        if found.sums:
            say(f"Today: {in_dollars(found.today)}. There is no cap; `memoro config set usage.daily_cap 1` sets one.")
        return
    of = f"{in_dollars(found.today)} of {in_dollars(found.daily_cap)} (usage.daily_cap)"
    say(f"Today: {of}; {in_dollars(found.left or 0.0)} is left.")


VIEWS = {"usage": command(USAGE, _show_usage)}
