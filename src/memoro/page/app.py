"""The page as an application: routes to views, answers to forms, static files. The guard has let the browser in."""

from __future__ import annotations

import hmac
import threading
from collections.abc import Callable
from functools import partial
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

from anyio import to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from memoro.api.problems import problem_of
from memoro.errors import MemoroError
from memoro.page import views
from memoro.page.access import PageAccess, PageSession
from memoro.page.live import live_state
from memoro.page.rendering import render
from memoro.page.static_files import static_files
from memoro.page.texts import texts
from memoro.page.view import Done, Fields, PageRequest, Shown, View
from memoro.serve.guard import CODE_PATH, KEPT_BY_BROWSERS, LIVE_PATH, OPEN_PATH, STATIC_PATH
from memoro.workspace import Workspace


class Notice(NamedTuple):
    """A sentence that the next page shows once."""

    sentence: str
    changes: tuple[int, ...] = ()  # that its button takes back
    proposals: tuple[int, ...] = ()  # whose changes its button takes back

    @staticmethod
    def of(done: Done) -> Notice:
        changes = () if done.undo is None else done.undo if isinstance(done.undo, tuple) else (done.undo,)
        return Notice(done.sentence, changes, done.proposals)


class Page:
    """The routes of the page on one workspace."""

    def __init__(self, workspace: Workspace, access: PageAccess, cookie: str) -> None:
        """`cookie` is the name of the cookie."""
        self._workspace, self._access, self._cookie = workspace, access, cookie
        self._notices: dict[str, Notice] = {}  # by the CSRF token of the session
        self._lock = threading.Lock()

    def app(self) -> Starlette:
        routes = [Route(view.path, partial(self._answer, view), methods=[view.method]) for view in views.all_views()]
        static = [Route(f"{STATIC_PATH}{{name}}", self._static), Route(OPEN_PATH, self._open)]
        code = Route(CODE_PATH, self._new_code, methods=["POST"])
        live = Route(LIVE_PATH, self._live)
        return Starlette(routes=[*static, code, live, *routes], exception_handlers={404: self._not_found})

    async def _open(self, request: Request) -> Response:
        """Let a browser in that brings a code, and take the code out of its address."""
        cookie = self._access.let_in(request.query_params.get("code", ""))
        if cookie is None:
            return HTMLResponse(render("refused.html", {}), 401)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self._cookie, cookie, httponly=True, samesite="strict", path="/")
        return answer

    async def _new_code(self, _request: Request) -> Response:
        return JSONResponse({"path": f"{OPEN_PATH}?code={self._access.new_code()}"})

    async def _static(self, request: Request) -> Response:
        found = static_files().get(request.path_params["name"])
        if found is None:
            return HTMLResponse("", 404)
        headers = {"vary": "accept-encoding"}
        if request.url.query == found.digest:  # under this name, the content never changes
            headers["cache-control"] = KEPT_BY_BROWSERS.decode()
        if "gzip" in request.headers.get("accept-encoding", ""):
            return Response(found.packed, headers=headers | {"content-encoding": "gzip"}, media_type=found.media_type)
        return Response(found.content, headers=headers, media_type=found.media_type)

    async def _live(self, request: Request) -> Response:
        """Tell a page that is open what is new since the marker that it knows."""
        state = await to_thread.run_sync(live_state, self._workspace, texts())
        if request.query_params.get("since") == state.marker:
            return Response(status_code=204)
        return JSONResponse(state.document())

    async def _not_found(self, request: Request, _error: Exception) -> Response:
        return self._page(request, self._session(request), Shown("missing.html", status=404))

    async def _answer(self, view: View, request: Request) -> Response:
        session = self._session(request)
        form = Fields(tuple(parse_qsl((await request.body()).decode("utf-8", "replace"), keep_blank_values=True)))
        if view.method == "POST" and not hmac.compare_digest(form.get("csrf"), session.csrf):
            return self._page(request, session, Shown("stale_form.html", status=403))
        asked = PageRequest(
            m=self._workspace,
            path={name: str(value) for name, value in request.path_params.items()},
            query=Fields(tuple(request.query_params.multi_items())),
            form=form,
        )
        found = await to_thread.run_sync(_answered, view.answer, asked, abandon_on_cancel=True)
        if isinstance(found, Done):
            if found.sentence:
                with self._lock:
                    self._notices[session.csrf] = Notice.of(found)
            return RedirectResponse(found.to or _back(request), 303)
        return await to_thread.run_sync(self._page, request, session, found, abandon_on_cancel=True)

    def _session(self, request: Request) -> PageSession:
        found = self._access.session(request.cookies.get(self._cookie, ""))
        assert found is not None, "the guard lets nobody in without a session"
        return found

    def _page(self, request: Request, session: PageSession, shown: Shown) -> Response:
        is_part = request.headers.get("hx-request-type") == "partial" and bool(shown.part)
        is_refresh = (
            "memoro-live" in request.headers
        )  # the page renews parts of itself: a notice waits for the reader
        live = None if is_part else live_state(self._workspace, texts())
        values = {
            **shown.values,
            "csrf": session.csrf,
            "here": request.url.path,
            "now": self._workspace.home_context.runtime.now().astimezone(),
            "query": Fields(tuple(request.query_params.multi_items())),
            "menu": views.menu(),
            "static": {name: one.url for name, one in static_files().items()},
            "live": live,
            "notice": None if is_part or is_refresh else self._take_notice(session),
        }
        headers = {"HX-Replace-Url": shown.address} if is_part and shown.address else None
        return HTMLResponse(render(shown.template, values, shown.part if is_part else ""), shown.status, headers)

    def _take_notice(self, session: PageSession) -> Notice | None:
        with self._lock:
            return self._notices.pop(session.csrf, None)


def _answered(answer: Callable[[PageRequest], Shown | Done], asked: PageRequest) -> Shown | Done:
    """What the view answers; a page with the sentence of an error that it raises."""
    try:
        return answer(asked)
    except MemoroError as error:
        found = problem_of(error)
        return Shown(
            "problem.html", {"sentence": found.detail, "title": texts()("problem.title")}, status=found.status
        )


def _back(request: Request) -> str:
    """The path of the page that the form was on."""
    came_from = urlsplit(request.headers.get("hx-current-url") or request.headers.get("referer") or "")
    return (
        f"{came_from.path}?{came_from.query}"
        if came_from.path.startswith("/") and came_from.query
        else came_from.path or "/"
    )
