"""The part of the home that a session, a search or a recall may see."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memoro.model.answers import is_below
from memoro.model.projects import belongs, name_patterns, short_name
from memoro.model.vocabulary import NoteTier

if TYPE_CHECKING:
    from memoro.model.memories import Memory


class Scope(NamedTuple):
    """The visible items. An empty field restricts nothing.

    Items without a project or an agent are shared: every project and every agent sees them. A search applies
    the scope before it ranks, so it never reads an item outside the scope.
    """

    agent: str | None = None
    project: str | None = None
    paths: tuple[str, ...] = ()  # a note, a folder, or a pattern with * ? [ ]
    tiers: tuple[NoteTier, ...] = ()
    tags: tuple[str, ...] = ()  # a tag includes those nested below it
    # Of the connection; a session does not record them.
    private: bool = True  # whether private passages are visible
    hidden: tuple[str, ...] = ()  # where they are not: what the owner calls private besides
    known_as: tuple[str, ...] = ()  # other full names of the project
    allies: tuple[str, ...] = ()  # other agents whose items are visible

    @property
    def projects(self) -> tuple[str, ...]:
        """Patterns for the names of the project; empty: every project is visible."""
        return name_patterns(self.project, self.known_as) if self.project else ()

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents whose items are visible; empty: all."""
        return (self.agent, *self.allies) if self.agent else ()

    def recorded(self) -> Scope:
        """The scope as a session records it."""
        return self._replace(private=True, hidden=(), known_as=(), allies=())

    def with_privacy_of(self, connection: Scope) -> Scope:
        """Return the scope with no more of what is private than the connection sees."""
        return self._replace(private=self.private and connection.private, hidden=connection.hidden)

    def beyond(self, connection: Scope) -> Scope:
        """Return the restrictions of this session's scope besides those of its connection, which knows more names."""
        return self._replace(
            agent=None if self.agent == connection.agent else self.agent,
            project=None if self.project == connection.project else self.project,
        )

    def owns(self, agent: str | None, project: str | None) -> bool:
        """Return whether an item of this agent and this project is visible. Items of none are shared."""
        return belongs(project, self.projects) and (not self.agents or agent in (None, *self.agents))

    def refusal(self, what: str, agent: str | None, project: str | None, *, change: bool = False) -> str | None:
        """Return the sentence that refuses an item of this agent and project; None where it is visible."""
        if self.owns(agent, project):
            return None
        is_project = not belongs(project, self.projects)
        owner = f"project {short_name(project or '')}" if is_project else f"agent {agent}"
        bound = f"project {short_name(self.project or '')}" if is_project else f"agent {self.agent}"
        step = (
            f"Only a session of {owner}, or the user, can change it."
            if change
            else 'With scope="all" (--scope all) it can be read, if the user wants that.'
        )
        return f"{what} belongs to {owner}, and this session is bound to {bound}. {step}"

    def admits(self, memory: Memory) -> bool:
        """Return whether a memory is visible, as a search decides: its path is `memory:N`, without a tier."""
        tags = [tag.casefold() for tag in memory.tags]
        return (
            self.owns(memory.agent, memory.project)
            and (not self.paths or any(is_below(f"memory:{memory.id}", path) for path in self.paths))
            and not self.tiers
            and (not self.tags or any(tag == one or tag.startswith(f"{one}/") for tag in tags for one in self.tags))
        )


EVERYTHING = Scope()
