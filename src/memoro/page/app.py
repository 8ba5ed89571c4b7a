"""The page as an application: routes to views, answers to forms, static files. The guard has let the browser in."""

from __future__ import annotations

import hmac
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from typing import NamedTuple, TypeAlias
from urllib.parse import parse_qsl

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
from memoro.page.refusal_page import refusal_page
from memoro.page.rendering import render
from memoro.page.static_files import static_files
from memoro.page.texts import texts
from memoro.page.view import Done, Fields, PageRequest, Shown, View
from memoro.serve.access_rules import CODE_PATH, KEPT_BY_BROWSERS, LIVE_PATH, OPEN_PATH, STATIC_PATH
from memoro.workspace import Workspace

LEAVE_PATH = "/leave"
_MOST_FIELDS = 10_000  # of a form: thousands of memories can be chosen at once
Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]
_STALE_FORM = Shown("stale_form.html", status=403)


class Notice(NamedTuple):
    """A sentence that the next page shows once."""

    sentence: str
    changes: tuple[int, ...] = ()  # that its button takes back
    proposals: tuple[int, ...] = ()  # whose changes its button takes back

    @property
    def offers_undo(self) -> bool:
        return bool(self.changes or self.proposals)

    @staticmethod
    def of(done: Done) -> Notice:
        changes = () if done.undo is None else done.undo if isinstance(done.undo, tuple) else (done.undo,)
        return Notice(done.sentence, changes, done.proposals)


class Page:
    """The routes of the page on one workspace."""

    def __init__(
        self,
        workspace: Workspace,
        access: PageAccess,
        cookie: str,
        report: Callable[[str], None] = lambda _line: None,
    ) -> None:
        """`cookie` is the name of the cookie; `report` takes a line for each view that failed."""
        self._workspace, self._access, self._cookie = workspace, access, cookie
        self._report = report
        self._notices: dict[str, Notice] = {}  # by the CSRF token of the session
        self._lock = threading.Lock()

    def app(self) -> Starlette:
        own = (
            self._route(f"{STATIC_PATH}{{name}}", self._static),
            self._route(OPEN_PATH, self._open),
            self._route(CODE_PATH, self._new_code, "POST"),
            self._route(LEAVE_PATH, self._leave, "POST"),
            self._route(LIVE_PATH, self._live),
        )
        routes = [self._route(view.path, partial(self._answer, view), view.method) for view in views.all_views()]
        missing = partial(self._answer_safely, "", self._not_found)
        return Starlette(routes=[*own, *routes], exception_handlers={404: missing, 405: missing})

    def _route(self, path: str, endpoint: Endpoint, method: str = "GET") -> Route:
        return Route(path, partial(self._answer_safely, path, endpoint), methods=[method])

    async def _answer_safely(self, path: str, endpoint: Endpoint, request: Request, *_error: Exception) -> Response:
        """What the endpoint answers; for an error, a page with its sentence."""
        try:
            return await endpoint(request)
        except MemoroError as error:
            problem = _problem_of(error)
        except Exception as error:  # a bug in one view: the reader gets a page, the owner a line
            self._report(f"page: {request.method} {path} failed ({type(error).__name__}: {error})")
            problem = _problem(texts()("problem.failed"), 500)
        return await to_thread.run_sync(self._problem_page, request, problem)

    def _problem_page(self, request: Request, problem: Shown) -> Response:
        """The page of a problem; without the frame of the page where the frame is what fails."""
        session = self._session(request)
        if session is None:
            return _refused()
        try:
            return self._page(request, session, problem)
        except Exception:  # the error that the reader asked about is told, and reported above
            sentence, title = str(problem.values["sentence"]), str(problem.values["title"])
            return HTMLResponse(refusal_page(problem.status, sentence, title), problem.status)

    async def _open(self, request: Request) -> Response:
        """Let a browser in that brings a code, and take the code out of its address."""
        cookie = self._access.let_in(request.query_params.get("code", ""))
        if cookie is None:
            return _refused()
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self._cookie, cookie, httponly=True, samesite="strict", path="/")
        return answer

    async def _new_code(self, _request: Request) -> Response:
        return JSONResponse({"path": f"{OPEN_PATH}?code={self._access.new_code()}"})

    async def _leave(self, request: Request) -> Response:
        """Forget this browser. `memoro ui` lets it in again."""
        session = self._session(request)
        if session is None or not _is_of_session(await _fields(request), session):
            return _refused() if session is None else self._page(request, session, _STALE_FORM)
        self._access.leave(request.cookies.get(self._cookie, ""))
        with self._lock:
            self._notices.pop(session.csrf, None)
        answer = HTMLResponse(refusal_page(200, texts()("refused.left_sentence"), texts()("refused.left")))
        answer.delete_cookie(self._cookie, path="/", httponly=True, samesite="strict")
        return answer

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

    async def _not_found(self, request: Request) -> Response:
        session = self._session(request)
        return _refused() if session is None else self._page(request, session, Shown("missing.html", status=404))

    async def _answer(self, view: View, request: Request) -> Response:
        session = self._session(request)
        if session is None:
            return _refused()
        form = await _fields(request)
        if view.method == "POST" and not _is_of_session(form, session):
            return self._page(request, session, _STALE_FORM)
        asked = PageRequest(
            m=self._workspace,
            path={name: str(value) for name, value in request.path_params.items()},
            query=Fields(tuple(request.query_params.multi_items())),
            form=form,
        )
        found = await to_thread.run_sync(answered, view.answer, asked, abandon_on_cancel=True)
        if isinstance(found, Done):
            return self._go_on(request, session, found)
        return await to_thread.run_sync(self._page, request, session, found, abandon_on_cancel=True)

    def _go_on(self, request: Request, session: PageSession, done: Done) -> Response:
        if done.sentence:
            with self._lock:
                self._notices[session.csrf] = Notice.of(done)
        return RedirectResponse(own_path(done.to) or _back(request), 303)

    def _session(self, request: Request) -> PageSession | None:
        """The session of a browser. The guard has seen one; it may have ended since."""
        return self._access.session(request.cookies.get(self._cookie, ""))

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


def answered(answer: Callable[[PageRequest], Shown | Done], asked: PageRequest) -> Shown | Done:
    """What the view answers; a page with the sentence of an error that it raises."""
    try:
        return answer(asked)
    except MemoroError as error:
        return _problem_of(error)


def _problem_of(error: MemoroError) -> Shown:
    found = problem_of(error)
    return _problem(found.detail, found.status)


def _problem(sentence: str, status: int) -> Shown:
    values = {"sentence": sentence, "title": texts()("problem.title"), "told": (sentence,)}
    return Shown("problem.html", values, part="problem", status=status)


def _refused() -> Response:
    return HTMLResponse(refusal_page(401, ""), 401)


async def _fields(request: Request) -> Fields:
    """The fields of a form. One with too many of them counts as empty, so that it carries no CSRF token either."""
    body = (await request.body()).decode("utf-8", "replace")
    try:
        return Fields(tuple(parse_qsl(body, keep_blank_values=True, max_num_fields=_MOST_FIELDS)))
    except ValueError:
        return Fields()


def _is_of_session(form: Fields, session: PageSession) -> bool:
    """Return whether a form carries the CSRF token of the session, once."""
    given = form.all("csrf")
    return len(given) == 1 and hmac.compare_digest(given[0].encode(), session.csrf.encode())


def _back(request: Request) -> str:
    """The path of the page that the form was on."""
    came_from = request.headers.get("hx-current-url") or request.headers.get("referer") or ""
    origin = request.headers.get("origin", "")
    path = came_from.removeprefix(origin) if came_from.startswith(f"{origin}/") else ""
    return own_path(path.partition("#")[0]) or "/"


def own_path(address: str) -> str:
    """The address, if it is a path of this page and cannot be taken for another server; empty otherwise."""
    is_path = address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable()
    return address if is_path else ""
