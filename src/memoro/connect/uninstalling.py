"""Plans what removing Memoro from a person's machine would do, as a value to show, and carries it out."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from types import MappingProxyType
from typing import NamedTuple

from memoro import hosts
from memoro.config.reading import FILE_NAME
from memoro.connect import commands, file_edits, files
from memoro.connect.commands import CommandRun
from memoro.connect.edits import UneditableSettings, without_pieces
from memoro.connect.file_edits import FileEdit
from memoro.connect.plan import ConnectionPlan, connection_of, plan_disconnecting, settings_files
from memoro.errors import AlreadyServed, ConfigError, LedgerError
from memoro.hosts.host import Environment, home_of
from memoro.hosts.settings import Registration, SettingsRoots
from memoro.model.home import why_nested
from memoro.model.notes import counted
from memoro.model.outbox import WaitingWrite
from memoro.store.opening import has_outbox, holds_store, open_outbox
from memoro.store.serving import serving

_DEPTH = 3  # a project's settings file lies at most so many folders below the project
# Where `memoro serve --print-unit` says that a unit is to be saved, and the command that ends its service.
_UNITS = (
    (".config/systemd/user/memoro.service", ("systemctl", "--user", "disable", "--now", "memoro")),
    ("Library/LaunchAgents/memoro.serve.plist", ("launchctl", "bootout", "gui/{uid}/memoro.serve")),
)
# Where docs/install.md says that the script of `memoro completion` is to be saved.
_COMPLETIONS = (
    ".local/share/bash-completion/completions/memoro",
    ".zfunc/_memoro",
    ".config/fish/completions/memoro.fish",
)


class HomeRemoval(NamedTuple):
    """A home that is deleted with all that it holds."""

    folder: str
    files: int
    bytes: int
    waiting: tuple[WaitingWrite, ...] = ()  # writes that no server has


class KeptSecret(NamedTuple):
    """A password or a key outside the home, which stays: a person may use it elsewhere too."""

    setting: str  # that names its place
    place: str


class UninstallPlan(NamedTuple):
    """The connections to take out, the unit that starts `memoro serve`, and the home."""

    connections: ConnectionPlan
    hosts: tuple[str, ...] = ()  # titles of those that change
    units: tuple[str, ...] = ()
    completions: tuple[str, ...] = ()  # files of the person's shells
    home: HomeRemoval | None = None  # None: there is none, or it is kept
    by_hand: tuple[str, ...] = ()  # sentences on what a person must do
    secrets: tuple[KeptSecret, ...] = ()

    @property
    def changes_anything(self) -> bool:
        return bool(self.connections.changes_anything or self.units or self.completions or self.home)


class Installation(NamedTuple):
    """What there is to remove: a home, its vault, and the project in which a person stands."""

    home: str
    vault: str | None
    ledger: str | None  # the address of a shared ledger; None: the home keeps its own
    project: str
    environment: Environment
    secrets: Mapping[str, str] = MappingProxyType({})  # by setting, the reference to a password or a key


def plan_uninstalling(installation: Installation, *, keep_home: bool) -> UninstallPlan:
    """Plan to remove everything but the vault; `keep_home` leaves the home too.

    Raises ConfigError for a folder that may not be deleted, and AlreadyServed while a `memoro serve` runs that no
    unit started.
    """
    units = tuple(_of_ours([place for place, _ in _UNITS], installation.environment))
    if not units:
        _refuse_served(installation.home)
    removal = None if keep_home else _home_removal(installation)
    found = _disconnecting(installation)
    edits = {os.path.realpath(edit.file): edit for _, plan in found for edit in plan.edits}
    unclaimed, by_hand = _unclaimed(installation.home, set(edits))
    if notice := file_edits.damage_notice(installation.home):
        by_hand = (*by_hand, notice)
    connections = ConnectionPlan(
        edits=(*edits.values(), *unclaimed),
        runs=tuple(dict.fromkeys(run for _, plan in found for run in plan.runs)),
    )
    titles = tuple(dict.fromkeys(title for title, plan in found if plan.changes_anything))
    return UninstallPlan(
        connections=connections,
        hosts=titles,
        units=units,
        completions=tuple(_of_ours(_COMPLETIONS, installation.environment)),
        home=removal,
        by_hand=by_hand,
        secrets=tuple(_kept_secrets(installation, removal)),
    )


def _kept_secrets(installation: Installation, removal: HomeRemoval | None) -> Iterator[KeptSecret]:
    for setting, reference in installation.secrets.items():
        kind, _, name = reference.partition(":")
        if kind == "keyring":
            yield KeptSecret(setting, f"the keyring's entry {name}")
        if kind != "file":
            continue
        person = home_of(installation.environment)
        file = os.path.join(person, name[2:]) if name.startswith("~/") else name
        goes = removal is not None and os.path.realpath(file).startswith(
            os.path.join(os.path.realpath(removal.folder), "")
        )
        if os.path.lexists(file) and not goes:
            yield KeptSecret(setting, file)


def refuse_unsent(plan: UninstallPlan) -> None:
    """Raise LedgerError where the home to delete holds writes that wait for a server."""
    if plan.home is None or not (waiting := plan.home.waiting or _waiting(plan.home.folder)):
        return
    raise LedgerError(
        f"Nothing was changed: the outbox holds {counted(len(waiting), 'write')} that nobody else has. "
        "`memoro outbox send` sends them, `memoro outbox drop N` gives one up, and --keep-home keeps all."
    )


def carry_out(plan: UninstallPlan, installation: Installation) -> None:
    """Disconnect first: whatever fails then, no host calls a program that is gone."""
    refuse_unsent(plan)  # one may have come while a person was asked
    had_home = os.path.isdir(installation.home)
    file_edits.carry_out(installation.home, plan.connections.edits)
    if not had_home:  # the record of the edits made one
        shutil.rmtree(installation.home, ignore_errors=True)
    commands.carry_out(plan.connections.runs, installation.environment)
    commands.carry_out(unit_runs(plan.units), installation.environment)
    for file in (*plan.units, *plan.completions):
        files.remove(file, before=files.read(file) or "")
    if plan.home is not None:
        _refuse_served(plan.home.folder)
        try:
            shutil.rmtree(plan.home.folder)
        except OSError as error:
            raise ConfigError(
                f"{plan.home.folder} cannot be deleted: {error}. Run the command again; your notes are not touched."
            ) from error


def unit_runs(units: tuple[str, ...]) -> list[CommandRun]:
    """Return the commands that end the service of each unit."""
    found = (words for unit in units for place, words in _UNITS if unit.endswith(place) and shutil.which(words[0]))
    return [CommandRun(tuple(word.format(uid=os.getuid()) for word in words), may_fail=True) for words in found]


def _of_ours(places: Iterable[str], environment: Mapping[str, str]) -> Iterator[str]:
    """Yield the files at these places below the person's home that name Memoro."""
    for place in places:
        file = os.path.join(home_of(environment), place)
        if "memoro" in (files.read(file) or ""):
            yield file


def _refuse_served(home: str) -> None:
    if found := serving(home):
        raise AlreadyServed(home, found.pid, found.since)


def _home_removal(installation: Installation) -> HomeRemoval | None:
    home, person = installation.home, os.path.realpath(home_of(installation.environment))
    if not os.path.isdir(home):
        return None
    keep = "Use --keep-home to take out the rest, and delete it yourself."
    if nested := why_nested(home, installation.vault):
        raise ConfigError(f"{nested} Nothing was changed. {keep}")
    real = os.path.realpath(home)
    if os.path.islink(home) or person == real or person.startswith(os.path.join(real, "")):
        raise ConfigError(f"{home} is a link, or holds your own home folder. Nothing was changed. {keep}")
    if os.listdir(home) and not _is_home(home):
        raise ConfigError(f"{home} does not look like a home of Memoro. Nothing was changed. {keep}")
    listed = [os.path.join(folder, name) for folder, _, names in os.walk(home) for name in names]
    size = sum(os.lstat(file).st_size for file in listed)
    return HomeRemoval(folder=home, files=len(listed), bytes=size, waiting=_waiting(home))


def _waiting(home: str) -> tuple[WaitingWrite, ...]:
    if not has_outbox(home):
        return ()
    with closing(open_outbox(home)) as outbox:
        return tuple(outbox.all())


def _is_home(folder: str) -> bool:
    """Return whether a folder holds settings, connections, or a database of Memoro."""
    return any(os.path.exists(os.path.join(folder, name)) for name in (FILE_NAME, file_edits.RECORD)) or holds_store(
        folder
    )


def _disconnecting(installation: Installation) -> list[tuple[str, ConnectionPlan]]:
    """Return every host's title with the plan that takes Memoro out of it, in every project on record."""
    recorded = list(file_edits.insertions(installation.home))
    found = []
    for host in map(hosts.load, hosts.CONNECTABLE):
        roots = []
        for scope in connection_of(host).scopes:
            root = SettingsRoots(installation.environment, installation.project, scope)
            roots.append(root)
            if scope == "project":
                candidates = {folder for file in recorded for folder in _above(file)} - {installation.project}
                others = (root._replace(project=folder) for folder in sorted(candidates))
                roots += [other for other in others if _names_any(host.name, other, recorded)]
        found.append((host.title, plan_disconnecting(host, tuple(roots), installation.home)))
    return found


def _above(file: str) -> Iterator[str]:
    for _ in range(_DEPTH):
        file = os.path.dirname(file)
        yield file


def _names_any(host: str, roots: SettingsRoots, recorded: list[str]) -> bool:
    return any(one.file in recorded for one in settings_files(hosts.load(host), roots, Registration(("memoro",))))


def _unclaimed(home: str, claimed: set[str]) -> tuple[list[FileEdit], tuple[str, ...]]:
    """Return edits of recorded files where no host looks now, and a sentence on each that cannot be edited."""
    edits, by_hand = [], []
    for file, known in file_edits.insertions(home).items():
        if os.path.realpath(file) in claimed or not known.pieces:
            continue
        try:
            before = files.read(file)
        except UneditableSettings:
            before = None
        if before is None:
            continue
        after = without_pieces(before, known.pieces)
        if after is None:
            by_hand.append(f"{file} was edited since Memoro was added to it. Remove what names `memoro` there.")
            continue
        empty = known.made and "".join(after.split()) in ("", "{}")
        left = known._replace(pieces=())
        edits.append(FileEdit(file=file, before=before, after=None if empty else after, insertion=left))
    return edits, tuple(by_hand)
