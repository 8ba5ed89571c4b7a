"""Memoro: a memory for AI agents that its owner can read.

>>> import memoro
>>> with memoro.open(vault="~/notes") as m:      # doctest: +SKIP
...     for hit in m.search("why sqlite").results:
...         print(hit.path, hit.start_line, hit.snippet)
"""

from __future__ import annotations

TYPE_CHECKING = False  # as type checkers read it; to import `typing` would double what a hook takes to start
if TYPE_CHECKING:
    from memoro.conversation.recent import split_recent
    from memoro.errors import MemoroError
    from memoro.health import Check, Status
    from memoro.index.report import Report
    from memoro.model.answers import Answer, Explanation, Hit, Text
    from memoro.model.notes import Problem
    from memoro.model.recall import Recalled
    from memoro.opening import open
    from memoro.providers.language.ports import LanguageModel, LanguageModelInfo, ModelAnswer, Prompt
    from memoro.providers.ports import Embedder, Space
    from memoro.workspace import Workspace

__version__ = "0.2.0"
__all__ = [
    "open",
    "Workspace",
    "Answer",
    "Hit",
    "Explanation",
    "Text",
    "Report",
    "Status",
    "Check",
    "Problem",
    "Recalled",
    "split_recent",
    "Embedder",
    "Space",
    "LanguageModel",
    "LanguageModelInfo",
    "Prompt",
    "ModelAnswer",
    "MemoroError",
    "__version__",
]

_HOMES = {
    "MemoroError": "memoro.errors",
    "Report": "memoro.index.report",
    "Answer": "memoro.model.answers",
    "Explanation": "memoro.model.answers",
    "Hit": "memoro.model.answers",
    "Problem": "memoro.model.notes",
    "Recalled": "memoro.model.recall",
    "split_recent": "memoro.conversation.recent",
    "Check": "memoro.health",
    "Status": "memoro.health",
    "Text": "memoro.model.answers",
    "Embedder": "memoro.providers.ports",
    "Space": "memoro.providers.ports",
    "LanguageModel": "memoro.providers.language.ports",
    "LanguageModelInfo": "memoro.providers.language.ports",
    "ModelAnswer": "memoro.providers.language.ports",
    "Prompt": "memoro.providers.language.ports",
    "Workspace": "memoro.workspace",
    "open": "memoro.opening",
}


def __getattr__(name: str) -> object:
    """Load what is asked for when it is asked for: `import memoro` alone costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'memoro' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
