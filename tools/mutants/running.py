"""Run the tests of an area against its mutants: tests are imported once, and each mutant is a fork of that process.

A mutant inside a function replaces the code of the function where it stands. One that runs when its module is
imported is written into the copy of the tree, and its tests are imported anew.

A test that fails counts only if the same tests, in the same order, pass without the mutant: one that fails by chance
or by the order has noticed nothing.
"""

from __future__ import annotations

import gc
import io
import json
import os
import resource
import shutil
import signal
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, redirect_stderr, redirect_stdout
from functools import _lru_cache_wrapper, partial
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any, Literal, NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, settings
from tools.mutants.choosing import Mutant

_LEAST = 20  # seconds of the processor for a mutant, beside three times what its tests take
_WALL = 4  # times as much by the clock: the machine may be busy
_TOO_LONG = (signal.SIGALRM, signal.SIGXCPU, signal.SIGKILL)  # the last: of the processor, where both limits are one
_MEMORY = 8 << 30  # bytes of addresses, so that a loop that collects does not take the machine along
_OPTIONS = [
    "-q",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:xdist",
    "-m",
    "unit or contract or slow",
    "--hypothesis-profile=mutants",
]
_OPTIONS += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # this process has imported hypothesis already

State = Literal["killed", "survived", "timed out", "crashed", "not run", "import", "broken"]


class _Chosen(NamedTuple):
    """The tests to run: all but these, and none after that one."""

    left_out: frozenset[str] = frozenset()
    last: str = ""


class Outcome(NamedTuple):
    mutant: Mutant
    state: State
    test: str = ""  # that noticed
    tests: int = 0  # that run the changed code
    seconds: float = 0.0
    left_out: tuple[str, ...] = ()  # tests that do not always pass without the mutant either


class _Traced(NamedTuple):
    """What the tests do without a mutant."""

    functions: dict[str, list[str]]  # test -> "file:qualified name" of what it calls
    seconds: dict[str, float]
    failed: dict[str, str]  # with the reason


def run_area(root: Path, tests: Sequence[str], mutants: Sequence[Mutant], report: Callable[[Outcome], None]) -> None:
    """Report the outcome of each mutant, in their order within each kind. `root` is a copy of the tree."""
    files = [f"tests/test_{name}.py" for name in tests]
    found = _in_fork(lambda: _pytest(files, lambda items: _trace(root, items)), limit=1200)
    if "functions" not in found:
        raise SystemExit(f"The tests cannot run: {found.get('printed', found.get('test'))}")
    traced = _Traced(**found)
    for test, why in traced.failed.items():
        print(f"left out  {test}, which fails without a mutant: {why}", flush=True)
    inside = [one for one in mutants if one.edit.function]
    written = [one for one in mutants if not one.edit.function]
    for line in _lines_of_fork(
        lambda send: _pytest(files, lambda items: _run_all(root, items, inside, traced, send))
    ):
        if line["state"] == "import":
            written.append(inside[line["number"]])
        else:
            report(_outcome(inside[line["number"]], line))
    limit = _limit(traced.seconds.values())
    for one in written:
        started = time.monotonic()

        def run(chosen: _Chosen, changed: bool, one: Mutant = one) -> dict[str, Any]:
            work = partial(_pytest, files, partial(_run_imported, traced, one, chosen))
            with _written(root, one) if changed else nullcontext():
                return _in_fork(work, limit=limit)

        report(_outcome(one, {**_confirmed(run), "seconds": time.monotonic() - started}))


def _run_imported(traced: _Traced, mutant: Mutant, chosen: _Chosen, items: Sequence[pytest.Item]) -> dict[str, Any]:
    return _first_failure(_ordered(items, traced, mutant), chosen)


def _confirmed(run: Callable[[_Chosen, bool], dict[str, Any]]) -> dict[str, Any]:
    """Return what tests say of a mutant; those that fail in the same order without it are left out."""
    chosen = _Chosen()
    while True:
        found = run(chosen, True)
        found["left_out"] = sorted(chosen.left_out)
        if found["state"] != "killed" or not found.get("tests"):  # without tests it cannot even be imported
            return found
        right = run(chosen._replace(last=found["test"]), False)
        if right["state"] == "survived":
            return found
        chosen = chosen._replace(left_out=chosen.left_out | {right.get("test") or found["test"]})


def _limit(seconds: Iterable[float]) -> int:
    return _LEAST + 3 * int(sum(seconds))


def _outcome(mutant: Mutant, found: dict[str, Any]) -> Outcome:
    if found["state"] == "broken":
        raise SystemExit(f"{mutant.place}: {found['test']}")
    return Outcome(
        mutant=mutant,
        state=found["state"],
        test=found.get("test", ""),
        tests=found.get("tests", 0),
        seconds=found.get("seconds", 0.0),
        left_out=tuple(found.get("left_out", ())),
    )


# In pytest


def _pytest(files: Sequence[str], work: Callable[[list[pytest.Item]], Any]) -> Any:
    """Collect the tests of the files, and do the work with them instead of running them."""
    results: list[Any] = []

    class Instead:
        def pytest_runtestloop(self, session: pytest.Session) -> bool:
            results.append(work(session.items))
            return True

    settings.register_profile(
        "mutants",
        deadline=None,
        max_examples=25,
        phases=[Phase.explicit, Phase.generate],
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        pytest.main([*_OPTIONS, *files], plugins=[Instead()])
    if not results:  # the mutant cannot even be imported
        return {"state": "killed", "test": "(the import of the tests)", "printed": printed.getvalue()[-2000:]}
    return results[0]


def _failure(item: pytest.Item, next_item: pytest.Item | None) -> str:
    """Return the last line of what a test says that fails; empty: it passes."""
    from _pytest.runner import runtestprotocol

    for report in runtestprotocol(item, log=False, nextitem=next_item):
        if report.failed:
            return report.longreprtext.strip().rpartition("\n")[2] or "no reason"
    return ""


def _first_failure(items: Sequence[pytest.Item], chosen: _Chosen) -> dict[str, Any]:
    items = [one for one in items if one.nodeid not in chosen.left_out]
    if chosen.last:
        items = items[: [one.nodeid for one in items].index(chosen.last) + 1]
    for item, following in zip(items, [*items[1:], None], strict=True):
        if _failure(item, following):
            return {"state": "killed", "test": item.nodeid, "tests": len(items)}
    return {"state": "survived" if items else "not run", "tests": len(items)}


def _trace(root: Path, items: Sequence[pytest.Item]) -> dict[str, Any]:
    """Run all tests, and note which functions of the program each calls, and the fixtures that it shares."""
    calls = _Calls(root)
    items[0].config.pluginmanager.register(calls)
    seconds: dict[str, float] = {}
    failed: dict[str, str] = {}
    functions: dict[str, set[str]] = {}
    for item, following in zip(items, [*items[1:], None], strict=True):
        started = time.process_time()
        with calls.noted() as called:
            if why := _failure(item, following):
                failed[item.nodeid] = why
        seconds[item.nodeid] = time.process_time() - started
        functions[item.nodeid] = calls.names(called)
    for item in items:
        functions[item.nodeid] |= calls.shared[os.fspath(item.path)]
    return {
        "functions": {test: sorted(names) for test, names in functions.items()},
        "seconds": seconds,
        "failed": failed,
    }


class _Calls:
    """Notes which functions are called. What a fixture of many tests calls counts for every test of the file."""

    def __init__(self, root: Path) -> None:
        self._root, self._source = root, os.path.join(os.fspath(root), "src", "memoro") + os.sep
        self._called: set[CodeType] = set()
        self.shared: defaultdict[str, set[str]] = defaultdict(set)

    @contextmanager
    def noted(self) -> Iterator[set[CodeType]]:
        self._called = called = set()

        def note(frame: FrameType, _event: str, _argument: object) -> None:
            self._called.add(frame.f_code)

        threading.settrace(note)
        sys.settrace(note)
        try:
            yield called
        finally:
            sys.settrace(None)
            threading.settrace(None)  # type: ignore[arg-type]

    def names(self, called: set[CodeType]) -> set[str]:
        """Return the names of what was called; of a list, for more may be called meanwhile."""
        return {
            _function_name(code, self._root) for code in list(called) if code.co_filename.startswith(self._source)
        }

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: pytest.FixtureRequest) -> Iterator[None]:
        if fixturedef.scope == "function":
            return (yield)
        outer, self._called = self._called, set()
        try:
            return (yield)
        finally:
            self.shared[os.fspath(request.node.path)] |= self.names(self._called)
            outer |= self._called
            self._called = outer


def _function_name(code: CodeType, root: Path) -> str:
    return f"{os.path.relpath(code.co_filename, root)}:{code.co_qualname.split('.<locals>')[0]}"


def _ordered(items: Sequence[pytest.Item], traced: _Traced, mutant: Mutant) -> list[pytest.Item]:
    """Return the tests that run the changed code, the quickest first; at import all do, its users first."""
    items = [one for one in items if one.nodeid not in traced.failed]
    if mutant.edit.function:
        name = f"{mutant.path}:{mutant.edit.function[0]}"
        able = [one for one in items if name in traced.functions.get(one.nodeid, ())]
        return sorted(able, key=lambda one: traced.seconds[one.nodeid])
    prefix = f"{mutant.path}:"

    def rank(one: pytest.Item) -> tuple[bool, float]:
        uses = any(name.startswith(prefix) for name in traced.functions.get(one.nodeid, ()))
        return not uses, traced.seconds.get(one.nodeid, 0.0)

    return sorted(items, key=rank)


def _run_all(
    root: Path,
    items: Sequence[pytest.Item],
    mutants: Sequence[Mutant],
    traced: _Traced,
    send: Callable[[dict[str, Any]], None],
) -> None:
    for path in {one.path for one in mutants}:  # the program imports many of its modules only when it needs them
        import_module(path.removeprefix("src/").removesuffix(".py").replace("/", "."))
    gc.unfreeze()  # the tests may have frozen what was collected, and frozen objects are not listed
    objects = gc.get_objects()
    functions = [one for one in objects if isinstance(one, FunctionType)]
    caches = [one for one in objects if isinstance(one, _lru_cache_wrapper)]
    del objects
    for number, one in enumerate(mutants):
        able = _ordered(items, traced, one)
        started = time.monotonic()

        def tested(
            chosen: _Chosen, changed: bool, one: Mutant = one, able: list[pytest.Item] = able
        ) -> dict[str, Any]:
            try:
                if changed:
                    _replace_code(root, one, functions)
            except ValueError:  # the new code knows other names of the functions around it
                return {"state": "import"}
            for cache in caches:
                cache.cache_clear()
            return _first_failure(able, chosen)

        limit = _limit(traced.seconds[item.nodeid] for item in able)

        def run(
            chosen: _Chosen, changed: bool, work: Callable[..., dict[str, Any]] = tested, limit: int = limit
        ) -> dict[str, Any]:
            return _in_fork(partial(work, chosen, changed), limit=limit)

        result = _confirmed(run) if able else {"state": "not run"}
        send({**result, "number": number, "seconds": time.monotonic() - started})


# The change


def _replace_code(root: Path, mutant: Mutant, functions: Sequence[FunctionType]) -> None:
    """Give every function that is made from the changed source its new code."""
    file = os.fspath(root / mutant.path)
    name, first_line = mutant.edit.function or ("", 0)
    new = _code_named(compile(mutant.source(root), file, "exec"), name, first_line)
    found = [one for one in functions if _is_of(one, file, name) and one.__code__.co_firstlineno == first_line]
    if not found:
        raise LookupError(f"no function {name} of {file} in line {first_line}")
    for function in found:
        function.__code__ = new


def _is_of(function: FunctionType, file: str, name: str) -> bool:
    return function.__code__.co_filename == file and function.__code__.co_qualname == name


def _code_named(code: CodeType, name: str, first_line: int) -> CodeType:
    waiting = [code]
    while waiting:
        one = waiting.pop()
        if one.co_qualname == name and one.co_firstlineno == first_line:
            return one
        waiting += [constant for constant in one.co_consts if isinstance(constant, CodeType)]
    raise LookupError(name)


@contextmanager
def _written(root: Path, mutant: Mutant) -> Iterator[None]:
    file = root / mutant.path
    kept = file.with_suffix(".kept")
    shutil.copy2(file, kept)
    file.write_text(mutant.source(root), encoding="utf-8")
    sys.dont_write_bytecode = True
    try:
        yield
    finally:
        sys.dont_write_bytecode = False
        shutil.move(kept, file)  # with its old time, so that its bytecode is valid again


# Processes


def _in_fork(work: Callable[[], Any], limit: int) -> dict[str, Any]:
    """Return what the work returns in a process of its own, or that it took too long, or how else it ended."""
    found = list(_lines_of_fork(lambda send: send(work()), limit=limit))
    return found[0]


def _lines_of_fork(
    work: Callable[[Callable[[dict[str, Any]], None]], None], limit: int | None = None
) -> Iterator[dict[str, Any]]:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _child(work, writing, limit)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        for line in pipe:
            yield json.loads(line)
    _, status = os.waitpid(child, 0)
    shutil.rmtree(_folder(child), ignore_errors=True)
    if os.WIFSIGNALED(status):
        yield {"state": "timed out" if os.WTERMSIG(status) in _TOO_LONG else "crashed", "number": 0}


def _child(work: Callable[[Callable[[dict[str, Any]], None]], None], writing: int, limit: int | None) -> None:
    """Do the work, send its results, and end this process without any of what the parent has to finish."""
    os.mkdir(_folder(os.getpid()))
    os.environ["PYTEST_DEBUG_TEMPROOT"] = os.fspath(_folder(os.getpid()))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    if limit:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(limit * _WALL)
    with os.fdopen(writing, "w", encoding="utf-8") as pipe:

        def send(value: dict[str, Any]) -> None:
            pipe.write(json.dumps(value) + "\n")
            pipe.flush()

        try:
            work(send)
        except BaseException as error:
            send({"state": "broken", "number": 0, "test": f"{type(error).__name__}: {error}"})
        finally:
            os._exit(0)


def _folder(process: int) -> Path:
    return Path(os.environ["MUTANTS_FOLDER"], str(process))
