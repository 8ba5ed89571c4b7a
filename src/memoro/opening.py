"""Opening a home: settings from defaults, files, environment and arguments."""

import os
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from memoro import config
from memoro.config import Settings, Source
from memoro.errors import ConfigError
from memoro.home_context import HomeContext
from memoro.model.home import Runtime, home_folder, why_nested
from memoro.model.options import reject_unknown
from memoro.vault.files import VaultFiles
from memoro.workspace import Workspace

if TYPE_CHECKING:
    from datetime import datetime
    from typing import Unpack

    from memoro.providers.language.ports import LanguageModel
    from memoro.providers.ports import Embedder
else:  # a TypedDict compiles a quoted annotation, and the first one costs every start a millisecond
    Embedder = LanguageModel = object


class OpenKeywords(TypedDict, total=False):
    """For whom a home is opened. `clock` tells memories the time, with its zone.

    `agent` and `project` bind what is seen, mark what is written and choose settings. `folder` is a working folder,
    whose project binds where none is named. `client` is the name that an agent gives itself, "" without
    one: it marks what is written, and decides nothing.
    `notify` receives a sentence if an answer waits for the index for more than two seconds.

    `embedder` computes vectors instead of the one that the settings name. The built-in model goes on beside it, and
    answers where it fails. `language_model` is asked instead of the one that the settings name, for what
    `llm.purposes` allows; what it answers is checked.
    """

    agent: str | None
    project: str | None
    folder: str | None
    client: str | None
    clock: Callable[[], "datetime"] | None
    embedder: Embedder | None
    language_model: LanguageModel | None
    notify: Callable[[str], None] | None


def open(
    home: str | os.PathLike[str] | None = None,
    vault: str | os.PathLike[str] | None = None,
    **options: "Unpack[OpenKeywords]",
) -> Workspace:
    """Open a home, by default `MEMORO_HOME` or `~/.memoro`; use it as a context manager.

    `vault` goes before `MEMORO_VAULT` and the settings file. `agent` and `project`, else `MEMORO_AGENT` and
    `MEMORO_PROJECT`, choose the settings made for them, mark what is written, and bind what is seen: items of other
    agents and projects need `scope="all"`. A home that is opened twice in one process shares one index;
    `":memory:"` writes no file.
    """
    reject_unknown("open", options, OpenKeywords.__optional_keys__)
    return open_with(os.environ, home, vault, **options)


def open_with(
    environment: Mapping[str, str],
    home: str | os.PathLike[str] | None = None,
    vault: str | os.PathLike[str] | None = None,
    **options: "Unpack[OpenKeywords]",
) -> Workspace:
    """Open a home as `open` does, with the variables of another process, such as one that asks this one."""
    _check_time_zone()
    agent = options.get("agent") or environment.get("MEMORO_AGENT")
    folder = home_folder(os.fspath(home) if home is not None else None, environment, agent)
    flags = {"vault.path": os.fspath(vault)} if vault is not None else {}
    file = os.path.join(folder, config.FILE_NAME)
    project = _project(
        options.get("project") or environment.get("MEMORO_PROJECT"), options.get("folder"), file, environment
    )
    sources = config.read_file(file, agent=agent, project=project.settings)
    if environment.get("MEMORO_VAULT"):
        sources.append(Source("environment (MEMORO_VAULT)", {"vault.path": environment["MEMORO_VAULT"]}))
    settings, origins = config.settle([*sources, Source("argument", flags)])
    own = [*_obsidian_settings(settings), *_vault_settings(settings)]
    if own:  # they stand between the settings file and the environment
        common = [source for source in sources if not source.origin.startswith("environment")]
        rest = [source for source in sources if source not in common]
        settings, origins = config.settle([*common, *own, *rest, Source("argument", flags)])
    if not os.path.isdir(folder) and (nested := why_nested(folder, settings.vault.path)):
        raise ConfigError(f"{nested} Set MEMORO_HOME (or --home) to a folder outside of it.")
    private = settings.privacy.agents or (agent is None and options.get("client") is None)
    runtime = Runtime(
        agent=agent,
        project=project.name,
        known_as=project.known_as,
        client=options.get("client"),
        private=private,
        hidden=() if private else settings.privacy.private,
        environment=dict(environment),
        clock=options.get("clock"),
        language_model=options.get("language_model"),
        notify=options.get("notify"),
    )
    embedder = options.get("embedder")
    if embedder is not None:
        from memoro.providers.registry import supplied

        runtime = runtime._replace(embedder=supplied(embedder))
    language_model = options.get("language_model")
    if language_model is not None:
        from memoro.providers.language.checked_model import check_supplied

        check_supplied(language_model)
    finds_daily = any(one.key == "daily.folder" and one.origin == "default" for one in origins)
    context = HomeContext(folder=folder, settings=settings, runtime=runtime, finds_daily_folder=finds_daily)
    return Workspace(context, origins)


class SeatPlace(NamedTuple):
    """Whose seat a team's server opens, and where it keeps the seat's local copy and index."""

    tenant: str
    person: str
    folder: str


def open_seat(
    server_home: str, place: SeatPlace, *, agent: str | None = None, client: str | None = None
) -> Workspace:
    """Open the seat of a person with the settings of a server's home. It has no notes and no conversation logs.

    `agent` and `client` are as for `open`; without both, the person is the one who asks.
    """
    file = os.path.join(server_home, config.FILE_NAME)
    sources = [
        Source(one.origin, {key: value for key, value in one.values.items() if not key.startswith(_OF_ONE_MACHINE)})
        for one in config.read_file(file, agent=agent)
    ]
    # An outbox would keep writes on one node that the others do not know.
    seat = {"ledger.tenant": place.tenant, "ledger.person": place.person, "ledger.outbox": False}
    settings, origins = config.settle([*sources, Source("seat", seat)])
    private = settings.privacy.agents or (agent is None and client is None)
    runtime = Runtime(
        agent=agent,
        client=client,
        private=private,
        hidden=() if private else settings.privacy.private,
        environment=dict(os.environ),
    )
    context = HomeContext(folder=place.folder, settings=settings, runtime=runtime, server_home=server_home)
    return Workspace(context, origins)


_OF_ONE_MACHINE = ("vault.", "transcripts.")  # settings that name folders of the server's owner


def _check_time_zone() -> None:
    """The C library takes offsets of days, with which no date can be computed."""
    if abs(time.localtime().tm_gmtoff) >= 86_400:
        raise ConfigError(
            f"The time zone TZ={os.environ.get('TZ', '')!r} is more than a day from UTC. Set TZ to a name such as "
            "Europe/Berlin."
        )


class _ChosenProject(NamedTuple):
    """A project, and the name of the settings made for it."""

    name: str | None = None
    known_as: tuple[str, ...] = ()
    settings: str | None = None


def _project(named: str | None, folder: str | None, file: str, environment: Mapping[str, str]) -> _ChosenProject:
    """The project that is named, else that of the folder.

    A git remote chooses no settings: whoever made the folder wrote it. `[projects.NAME] paths` does.
    """
    if named:
        return _ChosenProject(named, settings=named)
    if not folder:
        return _ChosenProject()
    from memoro.config.projects import project_of

    paths = config.read_project_paths(file)
    found = project_of(folder, paths, environment)
    if found is None:
        return _ChosenProject()
    return _ChosenProject(found.name, found.known_as, found.name if found.name in paths else None)


def _vault_settings(settings: Settings) -> list[Source]:
    if settings.vault.path is None:
        return []
    files = VaultFiles(settings.vault.path)
    text = files.read_settings(config.VAULT_FILE_NAME)
    if text is None:
        return []
    return config.parse_vault_file(text, os.path.join(files.root, config.VAULT_FILE_NAME))


def _obsidian_settings(settings: Settings) -> list[Source]:
    if settings.vault.path is None or not settings.daily.obsidian:
        return []
    files = VaultFiles(settings.vault.path)
    try:
        text = files.read_settings(config.OBSIDIAN_FILE_NAME)
    except ConfigError:  # it is not ours to complain about
        return []
    return config.parse_obsidian(text, os.path.join(files.root, config.OBSIDIAN_FILE_NAME)) if text else []
