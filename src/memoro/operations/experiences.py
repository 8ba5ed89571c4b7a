"""Experiences: how something was done, how well it went, and what the user prefers."""

from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from memoro import documents
from memoro.model.listing import ExperienceSort
from memoro.model.vocabulary import (
    EXPERIENCE_TYPES,
    TRUSTS,
    ExperienceOutcome,
    ExperienceType,
    Reach,
    Trust,
    Visibility,
)
from memoro.operations.fields import NOT_GIVEN, Field
from memoro.operations.journal import Changes
from memoro.operations.operation import (
    KEY,
    ORIGIN,
    PRIVATE,
    REACH,
    SCOPE,
    SHARED,
    SOURCE,
    VISIBILITY,
    Argument,
    Caller,
    NoArguments,
    Operation,
    Tool,
    asked_visibility,
)

if TYPE_CHECKING:
    from memoro.experiences.results import (
        ExperienceStats,
        Preference,
        RecordedExperience,
        SimilarExperiences,
        WeightedExperience,
    )
    from memoro.ledger.visibility import ShownVisibility
    from memoro.model.experiences import Expiry
    from memoro.workspace import Workspace

_ID = Field("The number of the experience, as in experience:N.", "N", positional=True, prefix="experience:")
_TAGS = Field("Tags, separated by commas.", "A,B")
_PROJECT = Field("The project that it belongs to.", "NAME")
_RECORDED = tuple(one for one in EXPERIENCE_TYPES if one != "user_preference")


class RecordExperience(NamedTuple):
    type: Annotated[ExperienceType, Field("The type of experience.", positional=True, choices=_RECORDED)]
    intent: Annotated[str, Field("The task, in one sentence.", positional=True)]
    solution: Annotated[
        object,
        Field(
            "The solution, as text or JSON; without it or with -, read from standard input.",
            positional=True,
            stdin=True,
        ),
    ]
    success: Annotated[float, Field("The success, from 0 to 1 (1).", "SUCCESS", least=0, most=1)] = 1.0
    tags: Annotated[str | None, _TAGS] = None
    project: Annotated[str | None, _PROJECT] = None
    private: Annotated[bool, PRIVATE] = False
    shared: Annotated[bool, SHARED] = False


def record(m: "Workspace", request: RecordExperience, caller: Caller) -> "RecordedExperience":
    return m.experiences.record(
        request.type, request.intent, request.solution, success=request.success, tags=request.tags or (),
        source=caller.source, session=caller.session, project=request.project, key=caller.once,
        visibility=asked_visibility(request.private, request.shared),
    )  # fmt: skip


class UseExperience(NamedTuple):
    id: Annotated[int, _ID]
    success: Annotated[float | None, Field("The success this time, from 0 to 1.", "SUCCESS", least=0, most=1)] = None


def use(m: "Workspace", request: UseExperience, caller: Caller) -> "WeightedExperience":
    return m.experiences.mark_used(request.id, request.success, source=caller.source, key=caller.once)


class Prefer(NamedTuple):
    category: Annotated[
        str | None, Field("The subject of the preference; without it, show all.", positional=True)
    ] = None
    value: Annotated[object, Field("The preferred value, as text or JSON.", positional=True)] = NOT_GIVEN
    tags: Annotated[str | None, _TAGS] = None
    project: Annotated[str | None, _PROJECT] = None


class Preferences(NamedTuple):
    preferences: "tuple[Preference, ...]"
    recorded: "RecordedExperience | None" = None  # the preference that was just recorded


def prefer(m: "Workspace", request: Prefer, caller: Caller) -> Preferences:
    if request.category is None or request.value is NOT_GIVEN:
        return Preferences(m.experiences.preferences(request.category, project=request.project))
    done = m.experiences.prefer(
        request.category, request.value, tags=request.tags or (), source=caller.source, session=caller.session,
        project=request.project, key=caller.once,
    )  # fmt: skip
    return Preferences((done.preference,), done.recorded)


def _preferences(found: Preferences) -> documents.Document:
    held = [documents.preference(one) for one in found.preferences]
    return {**documents.recorded(found.recorded), "preference": held[0]} if found.recorded else {"preferences": held}


class TrustExperience(NamedTuple):
    id: Annotated[int, _ID]
    level: Annotated[
        Trust, Field("The trust level, from the highest to the lowest.", positional=True, choices=TRUSTS[::-1])
    ]


def trust(m: "Workspace", request: TrustExperience, caller: Caller) -> "WeightedExperience":
    return m.experiences.trust(request.id, request.level, key=caller.once)


class ExperienceVisibility(NamedTuple):
    id: Annotated[int, _ID]
    visibility: Annotated[Visibility | None, VISIBILITY] = None


def visibility(m: "Workspace", request: ExperienceVisibility, caller: Caller) -> "ShownVisibility":
    return m.experiences.visibility(request.id, request.visibility, source=caller.source)


class FindExperiences(NamedTuple):
    query: Annotated[str, Field("The task at hand.", "WORDS", words=True)]
    tags: Annotated[str | None, _TAGS] = None
    limit: Annotated[int, Field("Return at most N results (5).", "N", ("-n", "--limit"))] = 5
    type: Annotated[ExperienceType | None, Field("Only of this type.")] = None
    mode: Annotated[Literal["hybrid", "words"], Field("Search by words alone, or by words and meaning (hybrid).")] = (
        "hybrid"
    )
    agent: Annotated[str | None, Field("Only experiences of this agent or of none.", "NAME")] = None
    project: Annotated[str | None, Field("Only of this project or of none.", "NAME")] = None
    archived: Annotated[bool, Field("Search archived and faded ones too.")] = False
    scope: Annotated[Reach, REACH] = "session"


def find(m: "Workspace", request: FindExperiences, _caller: Caller) -> "SimilarExperiences":
    return m.experiences.find_similar(
        request.query, request.tags or (), request.limit, type=request.type, mode=request.mode, agent=request.agent,
        project=request.project, archived=request.archived, scope=request.scope,
    )  # fmt: skip


class OneExperience(NamedTuple):
    id: Annotated[int, _ID]


class ShowExperience(NamedTuple):
    id: Annotated[int, _ID]
    scope: Annotated[Reach, REACH] = "session"


def show(m: "Workspace", request: ShowExperience, _caller: Caller) -> "WeightedExperience":
    return m.experiences.show(request.id, scope=request.scope)


def history(m: "Workspace", request: OneExperience, _caller: Caller) -> Changes:
    return Changes(tuple(m.experiences.history(request.id)))


class ListExperiences(NamedTuple):
    limit: Annotated[int, Field("Show at most N (20).", "N", ("-n", "--limit"))] = 20
    type: Annotated[ExperienceType | None, Field("Only of this type.")] = None
    tag: Annotated[str | None, Field("Only with this tag.", "TAG")] = None
    archived: Annotated[bool, Field("Only those that faded and were archived.")] = False
    words: Annotated[str | None, Field("Only those that contain all of these words.", "WORDS")] = None
    outcome: Annotated[ExperienceOutcome | None, Field("Only those with this outcome.")] = None
    agent: Annotated[str | None, Field("Only of this agent.", "NAME")] = None
    project: Annotated[str | None, Field("Only of this project, by its full name.", "NAME")] = None
    source: Annotated[str | None, Field("Only of this source: user, agent, …", "SOURCE")] = None
    trust: Annotated[Trust | None, Field("Only those with this trust level.", choices=TRUSTS[::-1])] = None
    sort: Annotated[ExperienceSort, Field("The order (newest). used: used or recorded last.")] = "newest"
    after: Annotated[str | None, Field("Show the next page, by the mark at the end of the page before.", "KEY")] = (
        None
    )
    scope: Annotated[Reach, REACH] = "session"


class ExperienceList(NamedTuple):
    results: "tuple[WeightedExperience, ...]"
    next: str | None = None  # the key of the next page; None: these are the last


def list_(m: "Workspace", request: ListExperiences, _caller: Caller) -> ExperienceList:
    from memoro.ledger.listing import filter_words
    from memoro.model.listing import ExperienceFilter

    wanted = ExperienceFilter(
        words=filter_words(request.words), type=request.type, outcome=request.outcome, tag=request.tag,
        agent=request.agent, project=request.project, source=request.source, trust=request.trust,
        archived=request.archived,
    )  # fmt: skip
    found = m.experiences.page(wanted, request.sort, after=request.after, limit=request.limit, scope=request.scope)
    return ExperienceList(found.experiences, found.next)


def _listed(found: ExperienceList) -> documents.Document:
    return {"results": [documents.shown_experience(one) for one in found.results], "next": found.next}


def stats(m: "Workspace", _request: NoArguments, _caller: Caller) -> "ExperienceStats":
    return m.experiences.stats()


class PruneExperiences(NamedTuple):
    below: Annotated[
        float | None, Field("Archive those with a smaller weight than this (0.05).", "W", least=0, most=1)
    ] = None
    force: Annotated[bool, Field("Archive even if many faded at once, because the clock is right.")] = False
    dry_run: Annotated[bool, Field("Only list what would be archived.")] = False


class PrunedExperiences(NamedTuple):
    plan: "Expiry"
    done: bool


def prune(m: "Workspace", request: PruneExperiences, _caller: Caller) -> PrunedExperiences:
    if request.dry_run:
        return PrunedExperiences(m.experiences.plan_expiry(request.below), done=False)
    return PrunedExperiences(
        m.experiences.prune_expired(request.below, force=request.force, source="user"), done=True
    )


def _pruned(found: PrunedExperiences) -> documents.Document:
    return {**documents.plain(found.plan), "done": found.done}


def remove(m: "Workspace", request: OneExperience, caller: Caller) -> "WeightedExperience":
    return m.experiences.remove(request.id, source=caller.source, key=caller.once)


_MODEL_TAGS = Argument("tags", "comma-separated")

RECORD = Operation(
    name="experience record",
    may_wait=True,
    request=RecordExperience,
    call=record,
    encode=documents.recorded,
    access="write",
    summary="Record a task, its solution, and how well it worked.",
    options=ORIGIN,
    tool=Tool(
        title="Record an experience",
        about="After a task that took trial and error: record the task and what worked or failed. Recorded "
        "again, it counts as one more use.",
        takes=(
            Argument("intent", "the task"),
            Argument("solution", "the solution: text, commands or steps"),
            Argument("type", default="task_solution"),
            Argument("success", "the success, 0 to 1", least=0, most=1, default=1),
            _MODEL_TAGS,
            Argument("private", "in a shared ledger: hide from teammates", profile="full"),
        ),
    ),
)
USE = Operation(
    name="experience use", request=UseExperience, call=use, encode=documents.shown_experience, access="write",
    may_wait=True,
    summary="Record that an experience was used again, and how well it worked.", options=(SOURCE, KEY),
)  # fmt: skip
PREFER = Operation(
    name="experience prefer", may_wait=True, request=Prefer, call=prefer, encode=_preferences, access="write",
    summary="Record a preference of the user; without VALUE, show it.", options=ORIGIN,
    tool=Tool(
        title="Record a preference",
        about="Record a preference that the user showed; confidence grows each time. Without value: return the "
              "preferences. A confirmed one stays.",
        takes=(Argument("category", "such as indentation"), Argument("value")),
    ),
)  # fmt: skip
TRUST = Operation(
    name="experience trust", request=TrustExperience, call=trust, encode=documents.shown_experience, access="admin",
    may_wait=True,
    summary="Set the trust level of an experience, as a person.", options=(KEY,),
)  # fmt: skip
VISIBILITY_OF = Operation(
    name="experience visibility", request=ExperienceVisibility, call=visibility, access="admin",
    summary="Show or change who sees an experience in a shared ledger.",
)  # fmt: skip
FIND = Operation(
    name="experience find",
    request=FindExperiences,
    call=find,
    encode=documents.similar,
    access="read",
    summary="Find experiences with a task like this one.",
    tool=Tool(
        title="Find experiences",
        about="Before a task: find how similar tasks were solved, what failed, and what the user prefers.",
        takes=(Argument("query", "the task at hand"), _MODEL_TAGS, Argument("limit", least=1, most=50), SCOPE),
    ),
)
SHOW = Operation(
    name="experience show", request=ShowExperience, call=show, encode=documents.shown_experience, access="read",
    summary="Show one experience with its success, weight and trust.",
)  # fmt: skip
HISTORY = Operation(
    name="experience history", request=OneExperience, call=history, access="read",
    summary="List the changes of one experience.",
)  # fmt: skip
LIST = Operation(
    name="experience list", request=ListExperiences, call=list_, encode=_listed, access="read",
    summary="List experiences with filters, page by page; newest first.",
)  # fmt: skip
STATS = Operation(
    name="experience stats", request=NoArguments, call=stats, access="read",
    summary="Count experiences by type, with their mean success.",
)  # fmt: skip
PRUNE = Operation(
    name="experience prune", request=PruneExperiences, call=prune, encode=_pruned, access="admin",
    summary="Archive faded experiences; using one restores it.",
)  # fmt: skip
REMOVE = Operation(
    name="experience remove", request=OneExperience, call=remove, encode=documents.shown_experience, access="write",
    may_wait=True,
    summary="Remove one experience; `memoro undo` restores it.", options=(SOURCE, KEY), is_destructive=True,
)  # fmt: skip
OPERATIONS = (RECORD, USE, PREFER, TRUST, VISIBILITY_OF, FIND, SHOW, HISTORY, LIST, STATS, PRUNE, REMOVE)
