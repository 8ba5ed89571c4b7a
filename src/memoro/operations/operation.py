"""One operation: its name, request, call, result and help; who may call it; and the tool that agents see."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar, cast

from memoro.errors import ConfigError
from memoro.index.report import Progress
from memoro.model.output_filter import OutputFilter
from memoro.model.vocabulary import PERSON, Visibility
from memoro.operations.fields import MISSING, Field

if TYPE_CHECKING:
    from memoro.documents import Document
    from memoro.index.embedding_plan import FillProgress
    from memoro.workspace import Workspace
else:
    FillProgress = (
        object  # a NamedTuple compiles a quoted annotation, and the first one costs every start a millisecond
    )

# read: changes nothing that anybody would notice. write: what an agent may do, and a person can undo.
# admin: for a person alone, because it cannot be undone or decides what agents may do.
Access = Literal["read", "write", "admin"]
Profile = Literal["default", "full"]  # the smallest profile of tools that has it; "recall" has those that only read

Request = TypeVar("Request", bound=tuple[object, ...])
Result = TypeVar("Result")


class NoArguments(NamedTuple):
    """The request of an operation that needs none."""


class Caller(NamedTuple):
    """The caller of an operation: who it is, and how to reach them while it runs."""

    source: str = PERSON  # who is behind a write: user, agent, conversation, … or the name of a tool
    agent: str | None = None
    project: str | None = None
    session: str | None = None  # records which memories were given together; None: leave no trace
    key: str | None = None  # names one write: a repetition with the same key does nothing
    request: str | None = None  # names this request on its connection: sent again, it is the same write
    progress: Progress | None = None
    filling: Callable[[FillProgress], None] | None = None  # gets the progress of vectors
    downloading: Progress | None = None  # of a model, in bytes
    folder: str | None = None  # in which the caller works
    output: Callable[[str], object] | None = None  # receives text that is streamed, such as an export
    filter: OutputFilter | None = None  # of an agent: what it may read is cut out of text that has passed this

    @property
    def once(self) -> str | None:
        """The key of a write that would count twice if it were repeated."""
        return self.key or self.request


class CallerOption(NamedTuple):
    """An option of the command line that sets a field of the `Caller`."""

    name: Literal["source", "agent", "project", "session", "key"]
    flag: str
    metavar: str
    help: str
    default: str | None = None
    alias: str | None = None  # another spelling of the flag


# The source of a write has both spellings in every command. Only the default differs: people type the commands that
# write notes, agents those that write memories.
SOURCE = CallerOption(
    name="source",
    flag="--source",
    metavar="SOURCE",
    help="The author: user, agent, conversation, … or the name of a tool (agent).",
    default="agent",
    alias="--by",
)
BY = CallerOption(
    name="source",
    flag="--by",
    metavar="SOURCE",
    help="The author (user). Any other is an agent, whose changes to always-loaded files become proposals.",
    default="user",
    alias="--source",
)
SESSION = CallerOption(name="session", flag="--session", metavar="ID", help="The session to record it for.")
KEY = CallerOption(name="key", flag="--key", metavar="KEY", help="A repetition with the same key does nothing.")
ORIGIN = (SOURCE, SESSION, KEY)


REACH = Field("all: other projects and agents too (session: only your own).")


PRIVATE = Field("Hide it from others, in a shared ledger.")
SHARED = Field("Show it to everybody of the tenant, in a shared ledger.")
VISIBILITY = Field("The new visibility; without it, show the current one.", positional=True)


def asked_visibility(private: bool, shared: bool) -> Visibility | None:
    """Return the visibility that two options ask for; None: neither was used."""
    if private and shared:
        raise ConfigError("Something is private or shared, not both: leave out --private or --shared.")
    return "private" if private else "shared" if shared else None


class Argument(NamedTuple):
    """A field of the request that a model may give, described for a model."""

    name: str
    about: str = ""
    least: float | None = None
    most: float | None = None
    default: object = MISSING  # instead of the request's own
    is_filled_in: bool = (
        True  # False: the default is only shown, because the request's own depends on its other fields
    )
    single: bool = False  # one value, where the request takes several
    is_id: bool = False  # [id:5] means memory:5
    profile: Profile = "default"  # the smallest profile in which the tool takes it


# Every tool that reads takes it.
SCOPE = Argument("scope", "all: other projects too")


class Tool(NamedTuple):
    """An operation as agents see it. A model reads every word at the start of each conversation."""

    title: str
    about: str
    takes: tuple[Argument, ...] = ()
    profile: Profile = "default"
    fixed: tuple[tuple[str, object], ...] = ()  # fields of the request that the tool sets itself


class Operation(NamedTuple, Generic[Request, Result]):
    """One thing that Memoro does for a caller."""

    name: str  # as on the command line: "memory store"
    request: type[Request]
    call: Callable[["Workspace", Request, Caller], Result]
    access: Access
    encode: Callable[[Result], "Document"] | None = None  # the result as JSON, if not field by field
    summary: str = ""  # one line; empty: as the index of commands has it
    help: str = ""  # what else a person should know before using it
    options: tuple[CallerOption, ...] = ()  # what a person may say about themselves
    restores: tuple[str, ...] = ()  # fields in which placeholders of secrets become these secrets again
    is_repeatable: bool = False  # done twice with the same arguments, it is as if done once
    is_destructive: bool = False  # takes something out of its place
    changes_nothing_remembered: bool = False  # whatever its access: it keeps copies, or the index, up to date
    may_wait: bool = False  # while the server of a shared ledger is away, it may wait in the outbox
    completes_sessions: bool = False  # its command also writes what hooks have noted, as every write does
    tool: Tool | None = None

    def run(self, m: "Workspace", request: Request, caller: Caller) -> Result:
        """Call the operation, as every surface does.

        A write that carries the placeholder of a secret is refused, unless the operation puts the secret back.
        """
        if self.access == "write":
            _refuse_placeholders(request, self.restores)
        if m.settings.ledger.outbox and m.settings.ledger.url is not None:
            from memoro.operations.waiting import run_or_keep

            return cast("Result", run_or_keep(self, m, request, caller))
        return self.call(m, request, caller)

    def document(self, result: Result) -> "Document":
        """The result as a JSON document."""
        if self.encode is not None:
            return self.encode(result)
        from memoro.documents import plain

        document: Document = plain(result)
        return document

    @property
    def is_write(self) -> bool:
        """Return whether it changes what is remembered. Only such a command writes into the vault, on the way too."""
        return self.access != "read" and not self.changes_nothing_remembered

    @property
    def tool_name(self) -> str:
        return self.name.replace(" ", "_")

    @property
    def result_name(self) -> str:
        """The name of the result's type."""
        found = self.call.__annotations__["return"]
        return str(getattr(found, "__name__", found))


def _refuse_placeholders(request: tuple[object, ...], restores: tuple[str, ...]) -> None:
    for name, value in zip(getattr(request, "_fields", ()), request, strict=True):
        for text in value if isinstance(value, tuple) else (value,):
            if name not in restores and isinstance(text, str) and "[redacted:" in text:
                from memoro.model.placeholders import check_restorable

                check_restorable(text, "")


# The table holds operations of every request and result.
AnyOperation: TypeAlias = Operation[Any, Any]
