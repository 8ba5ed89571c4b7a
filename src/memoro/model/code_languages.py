"""The programming languages of a project, by what is said in it: names of files, fences, the languages' names."""

from collections import Counter
from collections.abc import Iterable

from memoro.model.phrases import compiled

# By topic: the endings of its files, and the names of its fences. The topics are those of `software_topics`.
_ENDINGS = {
    "python": "py pyi ipynb python",
    "go": "go golang",
    "rust": "rs rust",
    "java": "java",
    "kotlin": "kt kts kotlin",
    "swift": "swift",
    "csharp": "cs csproj csharp",
    "cpp": "cpp cc cxx hpp c h",
    "javascript": "js jsx ts tsx mjs vue svelte javascript typescript",
    "ruby": "rb erb ruby",
    "php": "php",
    "r": "r rmd",
    "elixir": "ex exs elixir",
    "sql": "sql",
}
LANGUAGES = frozenset(_ENDINGS)
_BY_ENDING = {ending: language for language, endings in _ENDINGS.items() for ending in endings.split()}
_FILE = r"(?<=[\w*)\]])\.(\w{1,6})\b(?![\w(.])|```(\w+)"
# Names that are written with a capital; those of one letter, and that are other words too, only beside a noun.
_NAMES = (
    r"\b(Python|Golang|Rust|Java|Kotlin|Swift|JavaScript|TypeScript|Ruby|PHP|Elixir)\b"
    r"|\b(Go|R)(?= (?:service|code|script|package|module|program|test|tests|api|backend)\b)|\bin (Go)\b"
)
_SHARE = 0.2  # of all that tells a language: less is a tool or an example


def languages_in(texts: Iterable[str]) -> frozenset[str]:
    """The languages that a project is written in, as the texts of its conversations tell."""
    found: Counter[str] = Counter()
    for text in texts:
        told = {ending.lower() for pair in compiled(_FILE, 0).findall(text) for ending in pair if ending}
        told |= {name.lower() for group in compiled(_NAMES, 0).findall(text) for name in group if name}
        found.update({_BY_ENDING[one] for one in told if one in _BY_ENDING})
    least = max(1.0, _SHARE * found.total())
    return frozenset(language for language, count in found.items() if count >= least)
