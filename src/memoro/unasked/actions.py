"""A project's commands whose last run failed, and the rules that people stated about its files.

The table is small and made ahead of time: to look into it reads nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from memoro.model import remedies
from memoro.model.answers import Passage, Where
from memoro.model.error_codes import specific_codes, specific_types
from memoro.model.error_signatures import ErrorSignature, errors_in
from memoro.model.extracted_lines import is_extracted
from memoro.model.feedback import told_text
from memoro.model.phrases import compiled
from memoro.model.projects import belongs
from memoro.model.standing_rules import states_rule
from memoro.model.vocabulary import Tier
from memoro.search.retrieve import identifier
from memoro.store.ports import Index
from memoro.transcripts.clean import day
from memoro.transcripts.tool_runs import ToolRun, ToolTarget
from memoro.unasked.conversations import last_passage, said, turns_after
from memoro.unasked.followed_errors import last_answer
from memoro.unasked.logged_errors import LOG_BYTES, ends, newest_logs
from memoro.vault.tool_runs import runs_in

if TYPE_CHECKING:
    from memoro.index.indexing import Indexing
    from memoro.vault.files import VaultFiles

_MOST_FAILURES, _MOST_RULES = 100, 200
_RULE_PASSAGES = 600
_COMMAND_LETTERS = 300  # a longer command is a script, and hardly comes again
_SHORT_OUTPUT = 1_500  # characters: an error in a longer output may be what was looked for
_ERROR_TOKENS, _CURE_TOKENS, _RULE_TOKENS = 35, 40, 60
# Their exit code says what they found, not that something is wrong.
_LOOKING = frozenset(
    [
        *(
            "[",
            "cat",
            "cd",
            "cmp",
            "diff",
            "echo",
            "false",
            "file",
            "find",
            "grep",
            "head",
            "jq",
            "less",
            "ls",
            "pgrep",
        ),
        *("pwd", "rg", "sed", "sleep", "stat", "tail", "test", "tree", "true", "type", "wc", "which"),
    ]
)
_LOOKING_GIT = frozenset(["blame", "diff", "grep", "log", "ls-files", "rev-parse", "show", "status"])
_BEFORE = r"^(?:cd [^&|;]{1,200}(?:&&|;) *|(?:[A-Z_][A-Z0-9_]*=\S{0,100} +))+"
_AFTER = r"(?: *2>&1| *\| *(?:tail|head|cat)(?: -?[\w-]{1,10}){0,2}| *; *echo \S{1,40}| *\|\| *true)+ *$"
_RULE_WORDS = (
    "never always must generated edit touch change hand only immer nie niemals ändern anfassen generiert hand"
)
_FORBIDS = (
    r"\b(?:don't|do not|never|must not|mustn't|shouldn't|should not|not by hand|is generated|are generated"
    r"|generated (?:by|from)|read-only|nicht (?:von hand|ändern|anfassen|bearbeiten)|nie|niemals|wird generiert)\b"
)
_FILE = (
    r"(?<![\w/.])(?:\*\.[a-z][a-z0-9]{0,5}|(?:[\w.-]{1,60}/){1,8}(?:[\w.-]{1,60})?"
    r"|[\w-]{1,60}(?:\.[\w-]{1,30}){0,2}\.[a-z][a-z0-9]{0,5})(?!\w)"
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[^a-zäöü])|\n+")


class ActionWarning(NamedTuple):
    """One line for an agent that is about to act, with its source."""

    text: str
    source: str  # the id of a passage, for `get`
    path: str
    tier: Tier
    line: int
    date: str | None


class CommandOutcome(NamedTuple):
    """How one run of a command ended."""

    key: str
    at: str
    path: str
    line: int
    error: str = ""  # empty: it succeeded


class FileRule(NamedTuple):
    names: tuple[str, ...]  # files, folders with a slash at their end, and `*.ending`, in small letters
    warning: ActionWarning


class KnownActions(NamedTuple):
    """All that is known of one project."""

    failures: Mapping[str, ActionWarning] = MappingProxyType({})  # by the key of the command
    rules: tuple[FileRule, ...] = ()

    def warning(self, target: ToolTarget, folder: str, own: str | None = None) -> ActionWarning | None:
        """Return the warning for a command or an edit. `own` is the agent's own log: it knows what stands there."""
        if target.kind == "command":
            found = self.failures.get(command_key(target.command))
            return found if found and found.path != own else None
        for file in target.files:
            path = os.path.relpath(file, folder) if folder and os.path.isabs(file) else file
            for rule in self.rules:
                if rule.warning.path != own and any(_is_about(name, path.lower()) for name in rule.names):
                    return rule.warning
        return None


def command_key(command: str) -> str:
    """Return what is the same whenever a command is run again; empty for a script and for one that only looks."""
    if len(command) > _COMMAND_LETTERS or "\n" in command.strip():
        return ""
    plain = " ".join(command.split())
    plain = compiled(_AFTER).sub("", compiled(_BEFORE, 0).sub("", plain))
    words = plain.split(" ")
    looks = words[0] in _LOOKING or (words[0] == "git" and len(words) > 1 and words[1] in _LOOKING_GIT)
    return "" if looks else plain


def outcomes(path: str, runs: Iterable[ToolRun]) -> list[CommandOutcome]:
    """Return how the commands of a log ended."""
    found: list[CommandOutcome] = []
    for run in runs:
        key = command_key(run.target.command) if run.target.kind == "command" else ""
        if key:
            error = error_line(run)
            found.append(CommandOutcome(key=key, at=run.at or "", path=path, line=run.line, error=error))
    return found


def error_line(run: ToolRun) -> str:
    """Return the line that says why a command failed; empty if it did not fail."""
    shown = [one for one in errors_in(ends(run.output)) if one.pasted]
    if run.failed:
        lines = [line.strip() for line in run.output.split("\n") if line.strip()]
        return _best(shown).line if shown else (lines[-1][:200] if lines else "it failed")
    is_short = len(run.output) <= _SHORT_OUTPUT
    return _best(shown).line if shown and is_short else ""


def _best(shown: Sequence[ErrorSignature]) -> ErrorSignature:
    """Return the error that tells most; of equal ones the last."""
    return max(reversed(shown), key=lambda one: bool(specific_codes(one.codes) or specific_types(one.types)))


def failures(found: Iterable[CommandOutcome]) -> list[CommandOutcome]:
    """Return the commands whose last run failed, newest first."""
    last: dict[str, CommandOutcome] = {}
    for one in sorted(found, key=lambda one: (one.at, one.path, one.line)):
        last.pop(one.key, None)
        last[one.key] = one
    return [one for one in reversed(last.values()) if one.error][:_MOST_FAILURES]


def file_rules(passages: Iterable[Passage]) -> tuple[FileRule, ...]:
    """Return the rules that people stated about files, newest first."""
    found: list[FileRule] = []
    for passage in sorted(passages, key=lambda one: (one.date or "", one.start_line), reverse=True):
        if passage.speaker not in (None, "User") or is_extracted(passage.text):
            continue
        for sentence in _SENTENCE.split(told_text(said(passage))):
            names = tuple(name.lower() for name in compiled(_FILE).findall(sentence))
            if names and not sentence.rstrip().endswith("?") and _rules(sentence):
                text = f"A rule for this file: {remedies.shortened(' '.join(sentence.split()), _RULE_TOKENS)}"
                found.append(FileRule(names[:8], _warning(text, passage, passage.start_line)))
    return tuple(found[:_MOST_RULES])


def _rules(sentence: str) -> bool:
    return states_rule(sentence) or compiled(_FORBIDS).search(sentence) is not None


def _is_about(name: str, path: str) -> bool:
    """Return whether a rule's name means this path: the file, a folder around it, or its ending."""
    if name.startswith("*."):
        return path.endswith(name[1:])
    if name.endswith("/"):
        return f"/{path}".find(f"/{name}") >= 0
    return path == name or path.endswith(f"/{name}")


def _warning(text: str, passage: Passage, line: int) -> ActionWarning:
    return ActionWarning(
        text=text,
        source=identifier(passage),
        path=passage.path,
        tier=passage.tier,
        line=line,
        date=passage.date,
    )


class ActionTables:
    """Makes the table of a project, and keeps what it read of each log until that log changes."""

    def __init__(self, indexing: Indexing, vault: VaultFiles) -> None:
        self._indexing, self._vault = indexing, vault
        self._read: dict[str, tuple[str, list[CommandOutcome]]] = {}  # by path, with the digest of the log

    def make(self, where: Where) -> KnownActions:
        """Return what is known of the project that this filter is bound to; nothing without one."""
        if not where.bound_projects:
            return KnownActions()
        failed = failures(self._outcomes(self._indexing.read(newest_logs(where))))
        return self._indexing.read(lambda index: _known(index, failed, where))

    def _outcomes(self, paths: Sequence[str]) -> list[CommandOutcome]:
        digests = self._indexing.read(
            lambda index: {path: one.file.digest for path, one in index.notes(paths).items()}
        )
        found: list[CommandOutcome] = []
        left = LOG_BYTES
        for path in paths:
            digest = digests.get(path, "")
            if self._read.get(path, ("", []))[0] != digest and left > 0:
                runs, size = runs_in(self._vault, path)
                self._read[path] = digest, outcomes(path, runs)
                left -= size
            found += self._read.get(path, ("", []))[1]
        self._read = {path: self._read[path] for path in paths if path in self._read}
        return found


def _known(index: Index, failed: Sequence[CommandOutcome], where: Where) -> KnownActions:
    warned = {one.key: warning for one in failed if (warning := _failure_warning(index, one))}
    terms = index.terms(_RULE_WORDS)
    matched = (match.passage for match in index.match(terms, where, _RULE_PASSAGES))
    own = [one for one in matched if one.project is not None and belongs(one.project, where.bound_projects)]
    return KnownActions(warned, file_rules(own))


def _failure_warning(index: Index, failed: CommandOutcome) -> ActionWarning | None:
    """Return the warning with the last answer to the failure that nobody refused; None if no turn is left to show."""
    turns = turns_after(index, failed.path, failed.line + 1)
    told = last_answer(turns, errors_in(failed.error)) if turns and turns[0].speaker != "User" else None
    cure = ""
    if told is not None:
        cure = remedies.remedy(told.text, frozenset(), _CURE_TOKENS)
        cure = "" if remedies.restates(cure, failed.error) else cure
    passage = turns[0].passages[0] if turns else last_passage(index, failed.path)
    if passage is None:
        return None
    on = day(failed.at) or passage.date
    text = f"The last run of this command here failed{f' ({on})' if on else ''}: "
    text += remedies.shortened(failed.error, _ERROR_TOKENS).rstrip(".") + "."
    text += f" What was said then: {cure}" if cure else ""
    return _warning(" ".join(text.split()), passage, failed.line)._replace(date=on)
