"""What a summary without a model keeps of 40 conversations with labelled decisions"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import measure
from memoro.conversation.messages import MessageList, read
from memoro.conversation.sentences import sentences
from memoro.conversation.summary import Summary, summarise
from memoro.index.chunk import tokens

DATA = Path(__file__).parent / "data"
SHAPES = ("chat", "anthropic", "responses")
QUARTER = 0.25


class Label(NamedTuple):
    """What one line of the summary must name, and what no decision may say without naming it."""

    needed: tuple[tuple[str, ...], ...]
    stale: tuple[tuple[str, ...], ...] = ()


class Labelled(NamedTuple):
    name: str
    kind: str
    messages: list[dict[str, Any]]
    decisions: list[Label]


class Kept(NamedTuple):
    decisions: int
    kept: int
    corrections: int
    stale: int  # what was corrected, and stands among the decisions without its correction
    share: float  # of the conversation's tokens


def conversations(half: str) -> list[Labelled]:
    filler = _filler(half)
    text = (DATA / f"compaction-{half}.txt").read_text(encoding="utf-8")
    blocks = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    return [_parsed(block, SHAPES[number % 3], filler) for number, block in enumerate(blocks)]


def _filler(half: str) -> dict[str, list[str]]:
    """Sentences for the gaps, by kind; the two halves have none in common."""
    text = (DATA / "compaction-filler.txt").read_text(encoding="utf-8")
    kinds = {}
    for block in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        name, *lines = [line for line in block.split("\n") if line]
        kinds[name] = lines[0 if half == "dev" else 1 :: 2]
    return kinds


def _parsed(block: str, shape: str, filler: dict[str, list[str]]) -> Labelled:
    head, *lines = block.rstrip("\n").split("\n")
    name, kind = head.split()
    chance = random.Random(name)
    pool = list(filler[kind])
    chance.shuffle(pool)
    turns: list[tuple[str, str]] = []
    labels: list[Label] = []
    for line in lines:
        mark, _, rest = line.partition(" ")
        if mark in ("U:", "A:", "T:"):
            turns.append((mark[0], rest))
        elif mark == "=":
            labels.append(Label(_terms(rest)))
        elif mark == "!":
            labels[-1] = labels[-1]._replace(stale=_terms(rest))
        elif line.startswith("  "):
            turns[-1] = (turns[-1][0], f"{turns[-1][1]}\n{line.strip()}")
    said = [(who, _padded(who, text, pool, chance)) for who, text in turns]
    return Labelled(name, kind, _shaped(said, shape, chance), labels)


def _terms(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(one.strip().lower() for one in part.split("|")) for part in text.split("&"))


def _padded(who: str, text: str, pool: list[str], chance: random.Random) -> str:
    """An assistant explains more than it is asked for, and then comes to the point."""
    more = [pool.pop() for _ in range(min(len(pool), chance.choice((0, 1, 2, 3))))] if who == "A" else []
    return " ".join([*more, text]) if more else text


def _shaped(turns: Sequence[tuple[str, str]], shape: str, chance: random.Random) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for number, (who, text) in enumerate(turns):
        if who == "T":
            call, _, output = text.partition(" => ")
            made += _tool(shape, f"call_{number}", call, _noise(output, chance))
        else:
            role = "user" if who == "U" else "assistant"
            made.append({"role": role, "content": text})
    return made


def _tool(shape: str, id: str, call: str, output: str) -> list[dict[str, Any]]:
    name, _, given = call.partition(" ")
    if shape == "chat":
        function = {"name": name, "arguments": json.dumps({"input": given})}
        return [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": id, "type": "function", "function": function}],
            },
            {"role": "tool", "tool_call_id": id, "content": output},
        ]
    if shape == "responses":
        return [
            {"type": "function_call", "call_id": id, "name": name, "arguments": json.dumps({"input": given})},
            {"type": "function_call_output", "call_id": id, "output": output},
        ]
    return [
        {"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": name, "input": {"input": given}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": output}]},
    ]


_NOISE = {
    "log": "2026-03-{a:02} 10:{b:02}:{a:02} INFO worker-{a} processed batch {c} in {b} ms, we will use policy {a}",
    "testlog": "tests/test_{a}.py::test_case_{c} PASSED [{b:3}%]",
    "listing": "-rw-r--r-- 1 app app {c} Mar {a} 12:{b:02} module_{c}_{a}.py",
    "json": '  {{"id": {c}, "price": {b}.90, "name": "item {a}", "available": true}},',
    "code": "    result_{a} = compute(value_{b}, limit={c})  # decided in review: keep for now",
    "web": "Read our guide number {c}: ten things to know, {a} tips, updated {b} minutes ago. Choose the best today!",
    "text": "Paragraph {a}: the committee decided in {c} that section {b} should be revised before anything else.",
    "csv": "A{a},{b}.{c},{c}.{a},0.{b}",
}


def _noise(kind: str, chance: random.Random) -> str:
    name, _, lines = kind.partition(" ")
    return "\n".join(
        _NOISE[name].format(a=chance.randint(1, 28), b=chance.randint(0, 59), c=chance.randint(100, 9999))
        for _ in range(int(lines or 10))
    )


def _holds(line: str, terms: tuple[tuple[str, ...], ...]) -> bool:
    low = line.lower()
    return all(any(one in low for one in spellings) for spellings in terms)


def judged(one: Labelled, summary: Summary, whole: int, cost: int) -> Kept:
    lines = [line for section in summary for line in section]
    missing = [label for label in one.decisions if not any(_holds(line, label.needed) for line in lines)]
    stale = [
        label
        for label in one.decisions
        if label.stale
        and any(_holds(line, label.stale) and not _holds(line, label.needed) for line in summary.decisions)
    ]
    corrections = sum(1 for label in one.decisions if label.stale)
    return Kept(len(one.decisions), len(one.decisions) - len(missing), corrections, len(stale), cost / whole)


def figures(half: str, *, spoken_only: bool = False, newest: bool = False) -> list[Kept]:
    """For each conversation of a half: its decisions and how many of them a quarter of its tokens keeps.

    With `newest`, that quarter is not a summary but the last sentences that were said.
    """
    found = []
    for one in conversations(half):
        talk = read(one.messages)
        spoken = sum(part.tokens for message in talk.messages for part in message.parts if part.kind == "text")
        whole = spoken if spoken_only else talk.tokens
        budget = int(whole * QUARTER)
        summary = _newest(talk, budget) if newest else summarise(talk.messages, budget)
        found.append(judged(one, summary, whole, tokens(summary.text())))
    return found


def _newest(talk: MessageList, budget: int) -> Summary:
    """What is left where older messages are just cut off."""
    kept: list[str] = []
    for message in reversed(talk.messages):
        for sentence in reversed(sentences(message.text())):
            if tokens("\n".join([sentence.text, *kept])) > budget - len(kept):
                return Summary(decisions=tuple(kept))
            kept.insert(0, sentence.text)
    return Summary(decisions=tuple(kept))


def run() -> None:
    rows = []
    for half in ("dev", "check"):
        for spoken, newest in ((False, False), (True, False), (False, True)):
            found = figures(half, spoken_only=spoken, newest=newest)
            total = sum(one.decisions for one in found)
            rows.append(
                (
                    half,
                    "the newest sentences" if newest else "summary",
                    "what was said" if spoken else "all",
                    str(total),
                    f"{sum(one.kept for one in found) / total:.3f}",
                    f"{sum(one.stale for one in found)} of {sum(one.corrections for one in found)}",
                    f"{max(one.share for one in found):.2f}",
                )
            )
    measure.table(("half", "kept is", "a quarter of", "decisions", "kept", "stale", "most tokens"), rows)


if __name__ == "__main__":
    run()
