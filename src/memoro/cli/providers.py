"""The views of `memoro provider …`: what a person sees of a test; those of batch jobs have their own module."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from memoro.cli import batch_jobs
from memoro.cli.command import PROBLEM, command
from memoro.cli.lines import columns, say, wrapped
from memoro.cli.show import printable, terminal
from memoro.operations.providers import TEST, TestProvider
from memoro.providers.prices import in_dollars

if TYPE_CHECKING:
    from memoro.model_probing import IndexCost, ProbeReport
    from memoro.providers.language.probe import LanguageProbe

_MARKS = {"ok": "✓", "warning": "!", "failed": "✗"}
_COLOURS = {"ok": "green", "warning": "yellow", "failed": "red"}


def _show_report(found: ProbeReport, _request: TestProvider) -> None:
    for one in found.findings:
        _show_finding(one.verdict, f"{one.topic}: {printable(one.found)}")
        if one.remedy:
            say(f"    {printable(one.remedy)}")
    if found.measured.dimensions is not None:
        say(f"  price: {_price(found)}")
        say(f"  privacy: {_privacy(found)}")
        if found.whole_index is not None:
            say(f"  your index: {_index(found.whole_index)}")
    if found.tokens and found.host:
        cost = "" if found.dollars is None else f" and cost {in_dollars(found.dollars)}" if found.dollars else ""
        say(f"The test sent {found.requests} requests with about {found.tokens:,} tokens{cost}.")
    say(_conclusion(found))
    if found.language is not None:
        _show_language(found.language)


def _show_language(found: LanguageProbe) -> None:
    name = printable(f"{found.model} at {found.host}" if found.host else found.model) or "It"
    if found.problem is not None:
        _show_finding("failed", f"language model: {printable(found.problem)}")
        say("Without it every command does its part by rules.")
        return
    price = in_dollars(found.dollars) if found.dollars else "nothing"
    cost = "at an unknown price" if found.dollars is None else f"for {price}"
    tokens = f"{found.tokens_in:,} tokens sent and {found.tokens_out:,} written"
    _show_finding(
        "ok" if found.is_right else "warning",
        f"language model: {name} answers by the schema in {found.seconds or 0:.1f} s, with {tokens}, {cost}.",
    )
    if not found.is_right:
        say("    It chose wrongly in an easy question: a larger model may serve you better.")
    say(f"    schema: {found.enforced}.")
    if found.dollars is None:
        say("    Set `llm.price_in` and `llm.price_out` to what a million tokens cost in US dollars (0: nothing).")


def _show_finding(verdict: str, text: str) -> None:
    line, console = f"{_MARKS[verdict]} {text}", terminal()
    if console:
        shown = wrapped(line, columns(sys.stdout) or console.width, 4)
        console.print(shown, style=_COLOURS[verdict], markup=False, soft_wrap=True)
    else:
        say(line)


def _price(found: ProbeReport) -> str:
    if found.prices is None:
        return "nobody told Memoro. Set `embedding.price` to what a million tokens cost in US dollars (0: nothing)."
    if not found.prices.plain:
        return "it costs nothing."
    batch = found.prices.batch
    jobs = f", {in_dollars(batch)} by batch jobs" if batch < found.prices.plain else ""
    return f"a million tokens cost {in_dollars(found.prices.plain)}{jobs}."


def _privacy(found: ProbeReport) -> str:
    if found.is_home:
        return "texts stay on this machine."
    return f"texts are sent to {printable(found.host or '')}, without secrets and without private passages."


def _index(cost: IndexCost) -> str:
    passages = f"{cost.passages:,} passages, about {cost.tokens:,} tokens"
    stays = "1 private one stays" if cost.private == 1 else f"{cost.private:,} private ones stay"
    private = f"; {stays} here" if cost.private else ""
    money = "" if not cost.dollars else f", {in_dollars(cost.dollars)}"
    if cost.dollars and cost.batch_dollars is not None and cost.batch_dollars < cost.dollars:
        money += f" ({in_dollars(cost.batch_dollars)} by batch jobs)"
    time = "" if cost.seconds is None else f", {_duration(cost.seconds)}"
    return f"{passages}{money}{time}{private}."


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"about {max(1, round(seconds))} s"
    return f"about {round(seconds / 60)} minutes" if seconds < 5400 else f"about {seconds / 3600:.1f} hours"


def _conclusion(found: ProbeReport) -> str:
    model = printable(found.model) or "The model"
    if found.is_usable:
        return f"{model} can be used."
    return f"{model} cannot be used like this."


def _exit_code(found: ProbeReport, _request: TestProvider) -> int:
    is_usable = found.is_usable and (found.language is None or found.language.is_usable)
    return 0 if is_usable else PROBLEM


VIEWS = {"provider test": command(TEST, _show_report, _exit_code), **batch_jobs.VIEWS}
