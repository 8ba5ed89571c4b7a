"""*Today* in a host: what its agent was given today and why, how much waits for a decision, and health."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

from memoro.curate.reviewing.digest import kind_of_change
from memoro.errors import MemoroError
from memoro.mcp.apps.values import (
    AgentSession,
    Badge,
    Figure,
    GivenText,
    Nothing,
    Prompt,
    TodayView,
    WaitingLine,
)
from memoro.model.projects import short_name
from memoro.model.proposals import texts_of
from memoro.operations.operation import Caller
from memoro.operations.proposals import LIST, ListProposals
from memoro.page.given_items import ShownItem, ShownRecall, shown_recall
from memoro.page.moments import time_words
from memoro.page.proposal_words import wish_in_words
from memoro.page.texts import texts

if TYPE_CHECKING:
    from memoro.model.proposals import Proposal
    from memoro.model.scope import Scope
    from memoro.model.sessions import RecordedRecall, Session
    from memoro.sessions.history import SessionOfDay
    from memoro.workspace import Workspace

_READ = 400  # prompts of the day that are looked through
_SHOWN = 20  # of these
_PROPOSALS = 3
_ABOUT = 140  # characters of what a proposal would write
_TEXT = 4000  # characters of one item, or of one prompt


def today_view(m: Workspace, caller: Caller) -> TodayView:
    """The day of the agent that asks: its own prompts, and nothing private that it was not given itself."""
    t, now = texts(), m.home_context.runtime.now().astimezone()
    found = m.sessions.day_page(now.date(), 0, _READ) if m.has_ledger() else None
    mine = [one for one in found.sessions if _is_shown(one.listed.session, m, caller)] if found else []
    recalls = [one for session in mine for one in session.recalls]
    most = _SHOWN
    sessions: list[AgentSession] = []
    for one in mine:
        if most > 0:
            sessions.append(_session(m, one, one.recalls[:most], now))
            most -= len(one.recalls)
    waiting = _waiting(m, caller)
    return TodayView(
        day=now.date().isoformat(),
        health=_health(m, now),
        waiting=t("today.waiting", count=len(waiting)) if waiting else t("today.nothing_waits"),
        proposals=tuple(map(_proposal, waiting[:_PROPOSALS])),
        figures=_figures(recalls),
        sessions=tuple(sessions),
        more=t("today.more_left_out", count=-most) if most < 0 else "",
        nothing=None if sessions else Nothing(t("today.empty_day_title"), t("today.empty_day")),
    )


def _is_shown(session: Session, m: Workspace, caller: Caller) -> bool:
    """Return whether a session is shown to this connection.

    Its own always is. Another one must be of the same scope; and of an agent, because a person's own may hold what
    is private.
    """
    scope: Scope = m.home_context.runtime.scope
    if session.id == caller.session:
        return True
    of_scope = scope.owns(session.scope.agent, session.scope.project)
    return of_scope and (scope.private or session.scope.agent is not None)


def _figures(recalls: list[RecordedRecall]) -> tuple[Figure, ...]:
    t, asked = texts(), [one for one in recalls if not one.unasked]
    return (
        Figure(len(asked), t("today.prompts")),
        Figure(sum(not one.given for one in asked), t("today.silent")),
        Figure(sum(len(one.given) for one in recalls), t("today.items")),
        Figure(sum(one.recalled.tokens for one in recalls), t("today.tokens")),
    )


def _session(m: Workspace, one: SessionOfDay, recalls: tuple[RecordedRecall, ...], now: datetime) -> AgentSession:
    t, scope, allowed = texts(), one.listed.session.scope, m.muted().item_without
    return AgentSession(
        agent=scope.agent or t("today.no_agent"),
        project=short_name(scope.project) if scope.project else t("today.no_project"),
        about=one.listed.about,
        tokens=t("today.session_tokens", count=one.listed.tokens),
        prompts=tuple(_prompt(shown_recall(recall, allowed), now) for recall in recalls),
    )


def _prompt(recall: ShownRecall, now: datetime) -> Prompt:
    t = texts()
    given = f"{t('today.items_of', count=len(recall.items))} · {t('today.tokens_of', count=recall.tokens)}"
    began = f"{t('today.session_began')}. {t('today.session_began_about')}"
    message = began if recall.is_start else recall.message or t("today.forgotten_message")
    left_out = len(recall.left_out) + recall.more_left_out
    return Prompt(
        at=time_words(recall.at, now, t).short,
        summary=given if recall.items else t("today.was_silent"),
        message=_cut(message),
        preview="" if recall.is_start else recall.message_preview,
        reason=recall.reason,
        notices=recall.degraded,
        items=tuple(_item(one, now) for one in recall.items),
        left_out=t("today.left_out", count=left_out) if left_out else "",
    )


def _item(item: ShownItem, now: datetime) -> GivenText:
    t = texts()
    told = [
        item.why,
        t("today.sure", score=item.score) if item.score is not None else "",
        t("today.tokens_of", count=item.tokens),
        t("today.muted_here") if item.is_muted else "",
        t("today.good_here") if item.is_good else "",
    ]
    where = (item.place, item.heading, time_words(item.date, now, t).short if item.date else "")
    return GivenText(
        kind=t(f"today.kind_{item.kind}"),
        place=" · ".join(part for part in where if part),
        text=t("today.forgotten") if item.is_forgotten else _cut(item.text),
        preview="" if item.is_forgotten else item.preview,
        facts=" · ".join(part for part in told if part),
    )


def _health(m: Workspace, now: datetime) -> tuple[Badge, ...]:
    t, found = texts(), m.glance()
    told = [Badge("bad", trouble) for trouble in found.troubles]
    told += [Badge("warn", notice) for notice in found.notices]
    if found.unread:
        told.append(Badge("warn", t("today.unread", count=found.unread)))
    if not found.vault:
        told.append(Badge("plain", t("today.no_vault")))
    elif not found.synced_at:
        told.append(Badge("plain", t("today.never_synced")))
    else:
        told += [] if told else [Badge("good", t("today.healthy"))]
        told.append(Badge("plain", f"{t('today.synced')} {time_words(found.synced_at, now, t).short}"))
    backup = f"{t('today.backup')} {time_words(found.backup_at, now, t).short}" if found.backup_at else ""
    return (*told, Badge("plain", backup or t("today.no_backup")))


def _waiting(m: Workspace, caller: Caller) -> list[Proposal]:
    with suppress(MemoroError):  # the line about health says what is wrong with the ledger
        return [one.proposal for one in LIST.run(m, ListProposals(), caller).proposals] if m.has_ledger() else []
    return []


def _proposal(one: Proposal) -> WaitingLine:
    told = " ".join(next(iter(texts_of(one)), "").split()) or wish_in_words(one.change)
    cut = told if len(told) < _ABOUT else f"{told[:_ABOUT]}…"
    return WaitingLine(texts()(f"today.kind_{kind_of_change(one.change)}"), cut)


def _cut(text: str) -> str:
    return text if len(text) <= _TEXT else f"{text[:_TEXT]}…"
