"""The request of a recall, and the keywords of the library that make it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from memoro.model.answers import Where
from memoro.model.options import reject_unknown
from memoro.model.recall import RecalledItem
from memoro.model.scope import EVERYTHING, Scope
from memoro.model.sessions import HeldContext
from memoro.model.values import require_number, require_text
from memoro.model.vocabulary import REACHES, Reach, parse_choice
from memoro.search.filters import Names, filters, scope_of

if TYPE_CHECKING:
    from memoro.home_context import HomeContext


class RecallKeywords(TypedDict, total=False):
    """The options of `Workspace.recall` and `Workspace.prompt`.

    `proactive` is for context that nobody asked for: few items, and only what is sure. `given` are the ids of
    passages that the conversation holds already, and `loaded` are by path the texts that it holds of notes loaded
    whole. With `session`, `key` names the answer: asked for again with the same key, it is the same. `scope="all"`
    also gives what belongs to other projects and agents than the home was opened for, marked with its project.
    """

    budget: int | None
    proactive: bool | None
    session: str | None
    key: str | None
    agent: Names
    project: Names
    path: Names
    tier: Names
    tag: Names
    given: Collection[str]
    loaded: Mapping[str, Sequence[str]]
    abstain: bool
    scope: Reach


class RecallRequest(NamedTuple):
    """One message for which context is wanted."""

    message: str
    prompt: bool = False  # with the always-loaded notes, today's note and hints
    scope: Scope = EVERYTHING
    reach: Reach = "session"  # "all": beyond what the home was opened for, and what the session is bound to
    alternatives: Where = Where()  # where no session is named: several agents or projects, or some kinds alone
    budget: int | None = None  # tokens; None: as the settings say
    at_most: int | None = None  # tokens that the budget never exceeds
    proactive: bool | None = None  # None: false for the first message of a session, true for later ones
    session: str | None = None  # whose record it is; None: it is not recorded
    key: str | None = None
    held: HeldContext = HeldContext()  # beside what the session holds
    repeat: bool = False  # give again what the session holds already
    unless_held: bool = False  # nothing, and no record, where the session holds every item
    abstain: bool = True  # False: the best there is, however weak
    left_off: tuple[RecalledItem, ...] = ()  # of a prompt: where the work was left
    is_preview: bool = False  # without a session: no agent gets it, so no experience in it counts as used


def recall_request(message: str, options: RecallKeywords, home: HomeContext, *, prompt: bool) -> RecallRequest:
    reject_unknown("prompt" if prompt else "recall", options, RecallKeywords.__optional_keys__)
    where = filters(
        agent=options.get("agent", ()),
        project=options.get("project", ()),
        path=options.get("path", ()),
        tier=options.get("tier", ()),
        tag=options.get("tag", ()),
        today=home.runtime.today,
    )
    several = Where() if options.get("session") is not None else _alternatives(where)  # a session refuses several
    scope = scope_of(
        where._replace(
            agents=() if several.agents else where.agents, projects=() if several.projects else where.projects
        )
    )
    budget = options.get("budget")
    return RecallRequest(
        message=require_text(message, "message"),
        prompt=prompt,
        scope=scope,
        reach=parse_choice(options.get("scope", "session"), REACHES, "scope"),
        alternatives=several,
        budget=None if budget is None else require_number(budget, "budget"),
        proactive=options.get("proactive"),
        session=options.get("session"),
        key=options.get("key"),
        held=HeldContext(frozenset(options.get("given", ())), options.get("loaded", {})),
        abstain=options.get("abstain", True),
    )


def _alternatives(where: Where) -> Where:
    """The agents and projects, where there are several."""
    agents, projects = where.agents, where.projects
    return Where(agents=agents if len(agents) > 1 else (), projects=projects if len(projects) > 1 else ())
