"""Opening a home: settings from defaults, files, environment and arguments."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, TypedDict

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

    from memoro.providers.ports import Embedder
else:
    Embedder = object  # a TypedDict compiles a quoted annotation, and the first one costs every start a millisecond


class OpenKeywords(TypedDict, total=False):
    """For whom a home is opened. `clock` tells memories the time, with its zone.

    `embedder` computes vectors instead of the one that the settings name. The built-in model goes on beside it, and
    answers where it fails.
    """

    agent: str | None
    project: str | None
    clock: Callable[[], "datetime"] | None
    embedder: Embedder | None


def open(
    home: str | os.PathLike[str] | None = None,
    vault: str | os.PathLike[str] | None = None,
    **options: "Unpack[OpenKeywords]",
) -> Workspace:
    """Open a home, by default `MEMORO_HOME` or `~/.memoro`; use it as a context manager.

    `vault` goes before `MEMORO_VAULT` and the settings file. `agent` and `project`, else `MEMORO_AGENT` and
    `MEMORO_PROJECT`, choose the settings made for them, and mark new memories. A home that is opened twice in one
    process shares one index; `":memory:"` writes no file.
    """
    reject_unknown("open", options, OpenKeywords.__optional_keys__)
    agent = options.get("agent") or os.environ.get("MEMORO_AGENT")
    project = options.get("project") or os.environ.get("MEMORO_PROJECT")
    folder = home_folder(os.fspath(home) if home is not None else None, os.environ, agent)
    flags = {"vault.path": os.fspath(vault)} if vault is not None else {}
    sources = config.read_file(os.path.join(folder, config.FILE_NAME), agent=agent, project=project)
    if os.environ.get("MEMORO_VAULT"):
        sources.append(Source("environment (MEMORO_VAULT)", {"vault.path": os.environ["MEMORO_VAULT"]}))
    settings, origins = config.settle([*sources, Source("argument", flags)])
    own = [*_obsidian_settings(settings), *_vault_settings(settings)]
    if own:  # they stand between the settings file and the environment
        common = [source for source in sources if not source.origin.startswith("environment")]
        rest = [source for source in sources if source not in common]
        settings, origins = config.settle([*common, *own, *rest, Source("argument", flags)])
    if not os.path.isdir(folder) and (nested := why_nested(folder, settings.vault.path)):
        raise ConfigError(f"{nested} Set MEMORO_HOME (or --home) to a folder outside of it.")
    runtime = Runtime(agent=agent, project=project, environment=dict(os.environ), clock=options.get("clock"))
    embedder = options.get("embedder")
    if embedder is not None:
        from memoro.providers.registry import supplied

        runtime = runtime._replace(embedder=supplied(embedder))
    finds_daily = any(one.key == "daily.folder" and one.origin == "default" for one in origins)
    context = HomeContext(folder=folder, settings=settings, runtime=runtime, finds_daily_folder=finds_daily)
    return Workspace(context, origins)


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
