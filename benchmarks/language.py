"""Language models that misbehave: what is taken for an answer, and what errors tell, over thousands of calls."""

from __future__ import annotations

import argparse
import traceback
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from tests.language_models import CLIENTS, SCHEMA, SPEECH_OF, VALUE, Client, LanguageHome, asked
from tests.standin.chat import ANSWERED_KEY, ChatOptions, chat_standin
from tests.standin.chat_faults import CHAT_FAULTS, ChatFault, ChatFaults

from memoro.errors import ProviderError

_COSTLY: tuple[ChatFault, ...] = ("huge", "gzip bomb", "slow", "hang")
KINDS: tuple[ChatFault, ...] = (*(kind for kind in CHAT_FAULTS if kind not in _COSTLY for _ in range(6)), *_COSTLY)
_SECRET = "ghp_" + "a1B2" * 9  # in every question, and never to be sent
_KEY_PART = 8  # characters of the key in a row that count as shown
# Of the servers in turn: what they do not know.
_UNKNOWN = ((), ("schema",), ("temperature", "max_tokens"), ("schema", "object", "tool", "openapi"))


class Outcome(NamedTuple):
    """What came of the questions to one client, or to all."""

    questions: int = 0
    calls: int = 0
    faulted: int = 0  # calls that met a fault
    answered: int = 0
    broken: int = 0  # answers that were accepted and break the schema
    other: int = 0  # answers that were accepted and are not the right one
    unnamed: int = 0  # failures that are no error of a provider
    keys: int = 0  # errors that show a part of the key
    secrets: int = 0  # requests with the secret of a question
    strays: int = 0  # requests that followed a redirection

    def plus(self, other: Outcome) -> Outcome:
        return Outcome(*(one + two for one, two in zip(self, other, strict=True)))


def run_client(client: Client, seed: int, faulted: int) -> tuple[Outcome, Counter[str]]:
    """Ask one client until so many calls have met a fault. Every question comes from a home of its own."""
    valid, errors, found = Draft202012Validator(SCHEMA), Counter[str](), Outcome()
    options = ChatOptions(unknown=frozenset(_UNKNOWN[seed % len(_UNKNOWN)]))
    faults = ChatFaults(kinds=KINDS, probability=0.7, slow_seconds=0.05, hang_seconds=0.1)
    with chat_standin(SPEECH_OF[client], seed=seed, faults=faults, options=options) as server:
        while server.faulted < faulted:
            found = found._replace(questions=found.questions + 1)
            prompt = asked(f"Fact {found.questions}; my token is {_SECRET}", most_seconds=5.0)
            try:
                answer = LanguageHome().model(client, server).answer(prompt)
            except ProviderError as error:
                errors[type(error).__name__] += 1
                found = found._replace(keys=found.keys + _shows_key(error))
            except Exception as error:
                errors[type(error).__name__] += 1
                found = found._replace(unnamed=found.unnamed + 1)
            else:
                found = found._replace(
                    answered=found.answered + 1,
                    broken=found.broken + (not valid.is_valid(answer.value)),
                    other=found.other + (answer.value != VALUE),
                )
        return found._replace(
            calls=len(server.requests),
            faulted=server.faulted,
            secrets=sum(_SECRET.encode() in request.body for request in server.requests),
            strays=len(server.strays),
        ), errors


def _shows_key(error: Exception) -> bool:
    said = "".join(traceback.format_exception(error, limit=0))
    pieces = (ANSWERED_KEY[at : at + _KEY_PART] for at in range(len(ANSWERED_KEY) - _KEY_PART + 1))
    return any(piece in said for piece in pieces)


def run(options: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks language")
    parser.add_argument("--calls", type=int, default=1000, help="faulted calls in all, at least")
    chosen = parser.parse_args(list(options))
    total, errors = Outcome(), Counter[str]()
    share = -(-chosen.calls // (len(CLIENTS) * len(_UNKNOWN)))
    print(
        "| client | questions | calls | faulted | answered | break the schema | not the right one | keys in errors |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for client in CLIENTS:
        here = Outcome()
        for seed in range(len(_UNKNOWN)):
            found, kinds = run_client(client, seed, share)
            here, errors = here.plus(found), errors + kinds
        print(_row(client, here))
        total = total.plus(here)
    print(_row("all", total))
    print()
    print(", ".join(f"{name} {count}" for name, count in errors.most_common()))
    print(
        f"no error of a provider {total.unnamed}, secrets sent {total.secrets}, redirections followed {total.strays}"
    )


def _row(name: str, found: Outcome) -> str:
    figures = (found.questions, found.calls, found.faulted, found.answered, found.broken, found.other, found.keys)
    return f"| {name} | {' | '.join(f'{one:,}' for one in figures)} |"
