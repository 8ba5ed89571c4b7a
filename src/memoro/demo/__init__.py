"""The sample vault in the package, and five questions about it."""

from __future__ import annotations

import os
import shutil
import tempfile
import tomllib
from typing import NamedTuple

from memoro import opening
from memoro.health import Check
from memoro.model.vocabulary import CheckState

_HERE = os.path.dirname(__file__)


class SampleQuestion(NamedTuple):
    ask: str
    answer: str  # the path of the one right note
    heading: str
    shows: str


def questions() -> list[SampleQuestion]:
    with open(os.path.join(_HERE, "questions.toml"), "rb") as file:
        return [SampleQuestion(**question) for question in tomllib.load(file)["question"]]


def copy_vault(folder: str) -> str:
    """Copy the sample vault into the folder, unless a copy is there; returns its path."""
    target = os.path.join(folder, "vault")
    if not os.path.isdir(target):
        shutil.copytree(os.path.join(_HERE, "vault"), target)
    return target


def selftest() -> list[Check]:
    """Sync and search a copy of the sample vault, and check the results."""
    with (
        tempfile.TemporaryDirectory(prefix="memoro-selftest-") as folder,
        opening.open(os.path.join(folder, "home"), copy_vault(folder)) as m,
    ):
        report = m.sync()
        state: CheckState = "ok" if report.files and not report.problems else "failed"
        checks = [Check("selftest: sync", state, f"{report.files} sample notes indexed")]
        for question in questions():
            results = m.search(question.ask).results
            first = results[0].path if results else "nothing"
            state = "ok" if first == question.answer else "failed"
            checks.append(Check("selftest: search", state, f"{question.ask} → {first}"))
    return checks
