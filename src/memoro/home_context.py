"""One home as it was opened."""

import os
from typing import TYPE_CHECKING, NamedTuple

from memoro import config
from memoro.config import Settings
from memoro.model.home import IN_MEMORY, Runtime
from memoro.vault.files import VaultFiles

if TYPE_CHECKING:
    from collections.abc import Callable

    from memoro.model.projects import Project
    from memoro.model.vocabulary import LanguagePurpose, ProjectOrigin
    from memoro.providers.auto import Choice
    from memoro.providers.downloads import Download
    from memoro.providers.http_client import Endpoint
    from memoro.providers.language.chat_server import ChatServer
    from memoro.providers.language.making import LanguageSettings
    from memoro.providers.language.ports import LanguageModel
    from memoro.providers.local_embedder import VerifiedModel
    from memoro.providers.probe_target import ProbeTarget
    from memoro.providers.records import ProviderRecords, Purpose
    from memoro.providers.registry import Embedders, EmbedderSettings, ProviderContext
    from memoro.store.opening import SharedLedger
    from memoro.vault.daily_place import DailyPlace

# How long an answer from a local copy waits for the server of a shared ledger.
_PATIENCE_SECONDS, _HOOK_PATIENCE_SECONDS = 3.0, 0.5


class HomeContext(NamedTuple):
    """The folder of a home, its settings, and for whom it was opened."""

    folder: str
    settings: Settings
    runtime: Runtime = Runtime()
    finds_daily_folder: bool = False  # nobody set `daily.folder`: use the folder that the vault has already
    server_home: str | None = None  # of a seat that a team's server keeps: the home of that server

    @property
    def in_memory(self) -> bool:
        return self.folder == IN_MEMORY

    @property
    def is_seat(self) -> bool:
        """Return whether this is the seat of a person whom a team's server serves: a copy and an index alone."""
        return self.server_home is not None

    @property
    def models_home(self) -> str:
        """The home that keeps downloaded models: seats use those of their server."""
        return self.server_home or self.folder

    def vault(self) -> VaultFiles:
        return config.vault_files(self.settings, self.runtime.environment)

    def shared_ledger(self) -> "SharedLedger | None":
        """The ledger that several machines share; None where this home keeps its own."""
        url = self.settings.ledger.url
        return None if url is None or self.in_memory else self.shared_ledger_at(url)

    def shared_ledger_at(self, url: str) -> "SharedLedger":
        """The shared ledger at an address, with the password, tenant and person of the settings."""
        from memoro.providers.keys import read_key
        from memoro.store.opening import SharedLedger

        chosen = self.settings.ledger
        password = read_key(chosen.password, self.runtime.environment, "ledger") if chosen.password else None
        # Whoever can be told why an answer waits can wait longer than a host that waits for a hook.
        patience = _PATIENCE_SECONDS if self.runtime.notify else _HOOK_PATIENCE_SECONDS
        return SharedLedger(
            url=url,
            tenant=chosen.tenant,
            person=chosen.person,
            password=password,
            patience=patience,
            notify=self.runtime.notify,
            visibility=chosen.visibility,
        )

    def project_of(self, folder: str) -> "Project | None":
        """The project of a working folder, by the settings of this home, git, or its path."""
        from memoro.config.projects import project_of

        return project_of(folder, self._project_paths(), self.runtime.environment)

    def project_origin(self, project: str) -> "ProjectOrigin":
        """What said the name of a project."""
        from memoro.config.projects import origin_of

        return origin_of(project, self._project_paths(), self.runtime.environment)

    def is_project_of_vault(self, project: str) -> bool:
        """Return whether the vault lies in this project's folder: then all its notes are the project's own."""
        vault = self.settings.vault.path
        found = self.project_of(os.path.abspath(os.path.expanduser(vault))) if vault else None
        return found is not None and found.name == project

    def named_projects(self) -> tuple[str, ...]:
        """The projects that the settings name."""
        return tuple(self._project_paths())

    def _project_paths(self) -> dict[str, tuple[str, ...]]:
        return {} if self.in_memory else config.read_project_paths(os.path.join(self.folder, config.FILE_NAME))

    def daily_place(self) -> "DailyPlace":
        """Where daily notes are. The vault may get a folder for them while a process runs."""
        from memoro.vault.daily_place import DailyPlace, find_folder

        daily = self.settings.daily
        folder = find_folder(self.vault().entries, daily.pattern) if self.finds_daily_folder else daily.folder
        return DailyPlace.of_settings(folder, daily.pattern)

    def embedders(
        self, records: "Callable[[], ProviderRecords]", purpose: "Purpose | None" = None, *, may_ask: bool = False
    ) -> "Embedders":
        """The embedders of this home: the wanted one, and the built-in one that stands in for it.

        `records` gives what the home keeps about providers. `may_ask`: a server whose width is not known yet may be
        asked for it; a search cannot wait for that.
        """
        from memoro.providers.registry import embedders

        context = self._provider_context(records)._replace(purpose=purpose, may_ask=may_ask)
        return embedders(self.embedder_settings(), context, self.runtime.embedder)

    def probe_target(self, records: "Callable[[], ProviderRecords]", settings: "EmbedderSettings") -> "ProbeTarget":
        """The model that these settings name, for a test. Raises a `ProviderError` where it cannot be made."""
        from memoro.providers.making import probe_target

        context = self._provider_context(records)._replace(purpose="test", may_ask=True)
        return probe_target(settings, context)

    def language_model(
        self, records: "Callable[[], ProviderRecords]", purpose: "LanguagePurpose"
    ) -> "LanguageModel | None":
        """The language model that may be asked for this purpose; None where the owner has set none for it.

        One that cannot be used now raises a `ProviderError` when it is asked, and not here.
        """
        supplied, chosen = self.runtime.language_model, self.settings.llm
        if purpose not in chosen.purposes or (supplied is None and chosen.provider == "none"):
            return None
        from memoro.providers.language.making import language_model

        context = self._provider_context(records)._replace(purpose=purpose, secrets=self.runtime.secrets())
        return language_model(self.language_settings(), context, supplied)

    def language_connection(self, records: "Callable[[], ProviderRecords]") -> "Endpoint":
        """Where the language model of the settings is. Raises a `ProviderError` where it cannot be asked."""
        from memoro.providers.language.making import usable_connection

        return usable_connection(self.language_settings(), self._provider_context(records))

    def tested_language_model(self, records: "Callable[[], ProviderRecords]") -> "tuple[LanguageModel, ChatServer]":
        """The language model of the settings, and its server, for a test. Raises a `ProviderError`."""
        from memoro.providers.language.making import tested_model

        return tested_model(self.language_settings(), self._provider_context(records))

    def language_settings(self) -> "LanguageSettings":
        """The settings that name the language model of this home."""
        from memoro.providers.language.making import LanguageSettings

        chosen = self.settings.llm
        return LanguageSettings(
            provider=chosen.provider,
            model=chosen.model,
            url=chosen.url,
            key=chosen.key,
            purposes=chosen.purposes,
            price_in=chosen.price_in,
            price_out=chosen.price_out,
            daily_cap=self.settings.usage.daily_cap,
            private_hosts=self.settings.providers.private_hosts,
        )

    def _provider_context(self, records: "Callable[[], ProviderRecords]") -> "ProviderContext":
        from memoro.providers.registry import ProviderContext

        return ProviderContext(
            environment=self.runtime.environment,
            records=records,
            folder=self.models_home,
            now=self.runtime.now,
            secrets=self.runtime.secrets() if self.settings.embedding.provider != "builtin" else (),
        )

    def auto_choice(self) -> "Choice | None":
        """The provider that `embedding.provider = "auto"` stands for now; None where the settings name one."""
        from memoro.providers.auto import choose_here

        settings = self.embedder_settings()
        return (
            choose_here(settings, self.runtime.environment, self.models_home) if settings.provider == "auto" else None
        )

    def pending_download(self) -> "Download | None":
        """The model that must be downloaded before the one that the settings name can be used; None: nothing."""
        from memoro.providers.downloads import pending_download

        return pending_download(self.embedder_settings(), self.models_home, self.runtime.environment)

    def verified_model(self) -> "VerifiedModel | None":
        """The model of this machine that the settings mean, with all its files read; None where they mean none."""
        from memoro.providers.local_embedder import verify_model

        return verify_model(self.embedder_settings(), self.models_home)

    def embedder_settings(self) -> "EmbedderSettings":
        """The settings that name the embedder of this home."""
        from memoro.providers.registry import EmbedderSettings

        chosen = self.settings.embedding
        return EmbedderSettings(
            provider=chosen.provider,
            model=chosen.model,
            url=chosen.url,
            key=chosen.key,
            dimensions=chosen.dimensions,
            builtin_dimensions=chosen.builtin_dimensions,
            fallback=chosen.fallback,
            price=chosen.price,
            requests_per_minute=chosen.requests_per_minute,
            daily_cap=self.settings.usage.daily_cap,
            private_hosts=self.settings.providers.private_hosts,
        )

    def file(self, name: str) -> str:
        return os.path.join(self.folder, name)
