"""Settings: show them with their origins, read one, change one."""

import os
from typing import TYPE_CHECKING, Annotated, NamedTuple

from memoro.operations.fields import Field
from memoro.operations.operation import Caller, CallerOption, NoArguments, Operation

if TYPE_CHECKING:
    from memoro.config import Setting
    from memoro.config.changing import SettingChange, SettingScope
    from memoro.documents import Document
    from memoro.workspace import Workspace

_KEY = Field("The key, such as query.max_results; `memoro config show` lists all.", "KEY", positional=True)
_SEEN_BY = (
    CallerOption(
        name="agent", flag="--agent", metavar="NAME", help="Show the settings of this agent ([agents.NAME])."
    ),
    CallerOption(
        name="project", flag="--project", metavar="NAME", help="Show the settings of this project ([projects.NAME])."
    ),
)
_HOLDS_FOR = (
    CallerOption(name="agent", flag="--agent", metavar="NAME", help="Change it only for this agent ([agents.NAME])."),
    CallerOption(
        name="project", flag="--project", metavar="NAME", help="Change it only for this project ([projects.NAME])."
    ),
)


# By table, the keys that say which model is wanted.
_MODEL_KEYS = {
    "embedding": ("provider", "model", "url", "key", "dimensions"),
    "llm": ("provider", "model", "url", "key", "purposes"),
}


class SettingList(NamedTuple):
    settings: "tuple[Setting, ...]"


def show(m: "Workspace", _request: NoArguments, _caller: Caller) -> SettingList:
    """The settings of the workspace, which the surface opened for the agent and project of the caller."""
    return SettingList(tuple(m.origins))


class GetSetting(NamedTuple):
    key: Annotated[str, _KEY]


def get(m: "Workspace", request: GetSetting, _caller: Caller) -> "Setting":
    from memoro.config.changing import known_name

    name = known_name(request.key)
    return next(one for one in m.origins if one.key == name)


class SetSetting(NamedTuple):
    key: Annotated[str, _KEY]
    value: Annotated[
        str,
        Field("The value: true or false, a number, a text, or a list with commas.", positional=True),
    ]
    force: Annotated[bool, Field("Save ledger.url even if its server cannot be reached now.")] = False


def set_(m: "Workspace", request: SetSetting, caller: Caller) -> "SettingChange":
    from memoro.config.changing import check_value, known_name, set_value
    from memoro.store.opening import make_home

    check_value(request.key, request.value)
    make_home(m.home)
    if known_name(request.key) == "ledger.url":
        return _set_ledger(m, request, caller)
    if known_name(request.key) == "ledger.person" and _scope(caller) == _scope(Caller()):
        _check_person(m, request.value)
    done = set_value(_file(m), request.key, request.value, _scope(caller))
    return done._replace(next=_next(m, done.key)) if done.scope == _scope(Caller()) else done


def _set_ledger(m: "Workspace", request: SetSetting, caller: Caller) -> "SettingChange":
    """Keep the address of a shared ledger, after a look at what is there."""
    from memoro.config.changing import set_value
    from memoro.errors import ConfigError
    from memoro.operations.ledger_connecting import connect_ledger

    if _scope(caller) != _scope(Caller()):
        raise ConfigError("ledger.url is for the whole home: it cannot be set for one agent or project.")
    found = connect_ledger(m, request.value, is_forced=request.force)
    if found.password is not None:
        set_value(_file(m), "ledger.password", found.password)
    return set_value(_file(m), request.key, found.url)._replace(next=found.sentences)


def _check_person(m: "Workspace", person: str) -> None:
    """Raise PersonUnknown where the server of the settings is there, and its tenant does not have the person."""
    from memoro.errors import MemoroError, PersonUnknown
    from memoro.store.opening import server_facts

    try:
        shared = m.home_context.shared_ledger()
        facts = server_facts(m.home, shared._replace(person=person)) if shared else None
    except MemoroError:
        return  # every use of the ledger looks again, and says what is wrong
    if shared and facts and facts.has_tenant and not facts.has_person:
        raise PersonUnknown(person, shared.tenant)


def _next(m: "Workspace", key: str) -> tuple[str, ...]:
    """Return the next steps after a setting that names a model: where text will be sent, and what is asked first."""
    table, _, name = key.partition(".")
    if name not in _MODEL_KEYS.get(table, ()):
        return ()
    from memoro.embedding_status import next_steps
    from memoro.language_status import language_steps
    from memoro.opening import open_with

    with open_with(m.environment, m.home) as changed:
        steps = next_steps if table == "embedding" else language_steps
        return tuple(steps(changed.home_context))


class UnsetSetting(NamedTuple):
    key: Annotated[str, _KEY]


def unset(m: "Workspace", request: UnsetSetting, caller: Caller) -> "SettingChange":
    from memoro.config.changing import unset_value

    done = unset_value(_file(m), request.key, _scope(caller))
    if done.key == "ledger.url" and done.before is not None:
        return done._replace(next=(_own_ledger_again(m.home),))
    return done._replace(next=_next(m, done.key)) if done.scope == _scope(Caller()) else done


def _own_ledger_again(home: str) -> str:
    from memoro.store.opening import has_own_ledger

    stays = "What is on the server stays there."
    if has_own_ledger(home):
        return f"This home uses its own ledger again. {stays}"
    return (
        f"This home has no ledger of its own. {stays} `memoro move-ledger --to sqlite` copies it to this home while "
        "ledger.url is set; `memoro backup adopt ledger --yes` starts with an empty one."
    )


def _file(m: "Workspace") -> str:
    from memoro import config

    return os.path.join(m.home, config.FILE_NAME)


def _scope(caller: Caller) -> "SettingScope":
    from memoro.config.changing import SettingScope

    return SettingScope(agent=caller.agent, project=caller.project)


def _changed(found: "SettingChange") -> "Document":
    from memoro.documents import plain

    scope = {"agent": found.scope.agent, "project": found.scope.project}
    document = {"key": found.key, "before": plain(found.before), "after": plain(found.after), "file": found.file}
    return {**document, **scope, "next": list(found.next)}


SHOW = Operation(
    name="config show", request=NoArguments, call=show, access="read",
    summary="List every key with its value and the origin of the value.", options=_SEEN_BY,
)  # fmt: skip
GET = Operation(
    name="config get", request=GetSetting, call=get, access="read",
    summary="Print the value of one key.", options=_SEEN_BY,
)  # fmt: skip
SET = Operation(
    name="config set", request=SetSetting, call=set_, access="admin", encode=_changed,
    summary="Set one key in memoro.toml; comments and other keys stay.", options=_HOLDS_FOR,
    is_repeatable=True,
)  # fmt: skip
UNSET = Operation(
    name="config unset", request=UnsetSetting, call=unset, access="admin", encode=_changed,
    summary="Remove one key from memoro.toml, so that its default applies.", options=_HOLDS_FOR,
    is_repeatable=True,
)  # fmt: skip
OPERATIONS = (SHOW, GET, SET, UNSET)
