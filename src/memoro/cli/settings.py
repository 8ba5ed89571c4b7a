"""The views of `memoro config …`: what a person sees."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from memoro.cli.command import command
from memoro.cli.lines import say
from memoro.cli.show import printable
from memoro.operations.settings import GET, SET, SHOW, UNSET, GetSetting, SetSetting, SettingList, UnsetSetting

if TYPE_CHECKING:
    from memoro.config import Setting
    from memoro.config.changing import SettingChange


def _show_settings(found: SettingList, _request: object) -> None:
    for one in found.settings:
        _show_setting(one, explain=sys.stdout.isatty())  # a program that reads lines has one for each setting


def _show_setting(one: Setting, *, explain: bool) -> None:
    say(f"{one.key} = {printable(_value(one.value))}  ({printable(one.origin)})", hang=3)
    if explain:
        say(f"   {one.meaning}")


def _show_one(found: Setting, _request: GetSetting) -> None:
    _show_setting(found, explain=True)


def _show_set(found: SettingChange, _request: SetSetting) -> None:
    was = "was not set before" if found.before is None else f"was {_value(found.before)} before"
    say(f"{found.key} = {_value(found.after)}{_holds_for(found)}")
    back = "unset " + found.key if found.before is None else f"set {found.key} {_typed(found.before)}"
    is_same = found.before == found.after
    say("   It was so before." if is_same else f"   It {was}; `memoro config {back}{_flag(found)}` reverts this.")
    for sentence in found.next:
        say(f"   {printable(sentence)}")


def _show_unset(found: SettingChange, _request: UnsetSetting) -> None:
    if found.before is None:
        say(f"{found.key} is not set in {printable(found.file)}{_holds_for(found)}; nothing to remove.")
        return
    say(f"{found.key} is not set any more{_holds_for(found)}; its default applies.")
    say(f"   `memoro config set {found.key} {_typed(found.before)}{_flag(found)}` reverts this.")
    for sentence in found.next:
        say(f"   {printable(sentence)}")


def _holds_for(found: SettingChange) -> str:
    agent, project = found.scope
    return f" for agent {agent}" if agent else f" for project {project}" if project else ""


def _flag(found: SettingChange) -> str:
    import shlex

    agent, project = found.scope
    named = f" --agent {shlex.quote(agent)}" if agent else ""
    return f"{named} --project {shlex.quote(project)}" if project else named


def _typed(value: object) -> str:
    """A value as it is typed on a command line."""
    import shlex

    if isinstance(value, str):
        return shlex.quote(value)
    return shlex.quote(_value(value))


def _value(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, tuple):
        return f"[{', '.join(map(repr, value))}]"
    from memoro.config.edit import toml_value

    return toml_value(value)


VIEWS = {
    "config show": command(SHOW, _show_settings),
    "config get": command(GET, _show_one),
    "config set": command(SET, _show_set),
    "config unset": command(UNSET, _show_unset),
}
