"""Which folder a home is, and for whom it is opened."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from memoro.errors import ConfigError

if TYPE_CHECKING:
    from datetime import date, datetime

    from memoro.model.scope import Scope
    from memoro.providers.language.ports import LanguageModel
    from memoro.providers.ports import Embedder
else:  # a NamedTuple compiles a quoted annotation, and the first one costs every start a millisecond
    Embedder = LanguageModel = object

IN_MEMORY = ":memory:"


def home_folder(named: str | None, environment: Mapping[str, str], agent: str | None) -> str:
    """Return the named folder, else `MEMORO_HOME`, else `~/.memoro`; `{agent}` in it becomes the agent's name."""
    if named == "":
        raise ConfigError("The home is empty. Name a folder, or leave --home out.")
    folder = named if named is not None else environment.get("MEMORO_HOME") or "~/.memoro"
    if folder == IN_MEMORY:
        return IN_MEMORY
    if "{agent}" in folder:
        if not agent:
            raise ConfigError(f"The home {folder} is one for each agent: say which in MEMORO_AGENT, or agent=….")
        if "/" in agent or agent.startswith("."):
            raise ConfigError(f"{agent!r} cannot be part of a folder's name.")
        folder = folder.replace("{agent}", agent)
    return os.path.abspath(os.path.expanduser(folder))


def why_nested(home: str, vault: str | None) -> str | None:
    """Return why a home and a vault do not go together: one lies inside the other. None where they do."""
    if home == IN_MEMORY or vault is None:
        return None
    inner, outer = (os.path.realpath(os.path.expanduser(folder)) for folder in (home, vault))
    is_same, is_below = inner == outer, inner.startswith(os.path.join(outer, ""))
    if not is_same and not is_below and not outer.startswith(os.path.join(inner, "")):
        return None
    how = "is also" if is_same else "lies inside" if is_below else "holds"
    if how == "holds":
        return f"The home {home} holds the vault {vault}: whoever deletes the home would delete the notes."
    return (
        f"The home {home} {how} the vault {vault}: whatever copies or shares the notes would take the databases, "
        "the backups and the token along."
    )


class Runtime(NamedTuple):
    """For whom a home was opened, with the variables and the clock of the process."""

    agent: str | None = None
    project: str | None = None
    known_as: tuple[str, ...] = ()  # other full names of the project
    client: str | None = None  # how a client calls itself: marks what it writes, and decides nothing
    private: bool = True  # whether private passages are visible
    hidden: tuple[str, ...] = ()  # where they are not: what the owner calls private besides
    environment: Mapping[str, str] = MappingProxyType({})
    clock: Callable[[], "datetime"] | None = None  # None: the time of the machine
    embedder: Embedder | None = None  # of the application, instead of the one that the settings name
    language_model: LanguageModel | None = None  # the same for the language model
    notify: Callable[[str], None] | None = None  # receives a sentence while an answer has to wait

    @property
    def author(self) -> str | None:
        """The agent that what is written carries."""
        return self.agent or self.client or None

    @property
    def scope(self) -> "Scope":
        """Return the scope of those for whom the home was opened."""
        from memoro.model.agents import allies_of
        from memoro.model.scope import Scope

        allies = allies_of(self.agent)
        return Scope(
            agent=self.agent,
            project=self.project,
            private=self.private,
            hidden=self.hidden,
            known_as=self.known_as,
            allies=allies,
        )

    def now(self) -> "datetime":
        from datetime import UTC, datetime

        return self.clock() if self.clock else datetime.now(UTC)

    def today(self) -> "date":
        """The day it is, for words such as "last week"."""
        from datetime import date

        return self.clock().astimezone().date() if self.clock else date.today()

    def moment(self) -> str:
        """The time as memories have it. Without a clock it is the end of this second: no memory is too new."""
        if self.clock is None:
            return time.strftime("%Y-%m-%dT%H:%M:%S.999Z", time.gmtime())
        from memoro.model.memories import stamp

        return stamp(self.clock())

    def secrets(self) -> Sequence[str]:
        """The values of the variables that must never be kept or shown."""
        from memoro.model.secrets import known_values

        return known_values(self.environment)
