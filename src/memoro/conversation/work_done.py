"""The files that a session changed, and the commands in it that mattered, from its tool calls. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from typing import NamedTuple

from memoro.conversation.sentences import shortened
from memoro.transcripts.tool_effects import ToolEffect

_MOST_FILES, _MOST_COMMANDS = 40, 6
_COMMAND_CHARACTERS, _RESULT_CHARACTERS = 90, 60
_OWN_FOLDERS = re.compile(r"(?:^|/)(?:\.git|node_modules|__pycache__|\.venv)/|^/?(?:tmp|var/folders|private/tmp)/")

_RUNNERS = (
    r"(?:(?:sudo|time|nice|env|poetry run|uv run|pipenv run|bundle exec|npx|pnpm exec|docker compose exec \S+) )*"
)
_TESTS = (
    r"(?:python3? -m )?(?:pytest|unittest|tox|nox|behave)\b|go (?:test|vet)\b|cargo (?:test|clippy|bench)\b|"
    r"(?:npm|yarn|pnpm|bun)(?: run)? (?:test|check|lint|e2e)\S*|(?:jest|vitest|mocha|playwright|cypress|rspec|"
    r"phpunit|"
    r"ctest|mypy|ruff check|eslint)\b|(?:make|just|task|rake|mix|dotnet|swift|gradle|\./gradlew|mvn|bazel)\b.*?\b"
    r"(?:test|check|verify|lint)\S*|R CMD check|(?:chktex|vale|linkcheck|terraform validate)\b"
)
_SHIPS = (
    r"git (?:-\S+ \S+ )?(?:commit|push|tag|merge|revert|cherry-pick)\b|(?:gh|glab) \S+ (?:create|merge)\b|"
    r"(?:kubectl|oc) (?:apply|rollout|delete|scale|set|patch)\b|helm (?:install|upgrade|uninstall|rollback)\b|"
    r"(?:terraform|tofu|pulumi) (?:apply|up|destroy|import|state (?:mv|rm|push))\b|ansible-playbook\b|(?:fly|"
    r"flyctl|vercel|netlify|"
    r"wrangler|firebase|heroku|serverless|cap|eas)\b.*?(?:deploy|publish|releases?|submit|pages)\b|"
    r"(?:npm|yarn|cargo|twine|poetry|uv|gem|hatch) (?:publish|upload|push)\b|docker(?: compose)? (?:push|up)\b|"
    r"(?:systemctl|service) (?:restart|start|stop|enable)\b|\S*deploy\S*(?: |$)|rsync\b|aws \S+ (?:sync|update|"
    r"create|"
    r"delete|put)\S*|gcloud\b.*?\bdeploy\b"
)
_MIGRATES = (
    r"(?:alembic|flyway|liquibase|dbmate|goose|sqitch|knex|prisma|sequelize|diesel|atlas)\b.*|"
    r"\S*(?:manage\.py|artisan|rails|rake|mix)\b.*\bmigrat\S*|psql\b.* -f\b|\S*\bmigrate\b|dbt (?:run|build|seed)\b|"
    r"(?:pg_restore|pg_dump|mysqldump|restic|borg|velero)\b|(?:terraform|tofu|pulumi) (?:init|plan|preview)\b"
)
_BUILDS = (
    r"(?:make|just|task|ninja|cmake|meson|bazel|gradle|\./gradlew|mvn|msbuild)\b|(?:npm|yarn|pnpm|"
    r"bun)(?: run)? build\S*|"
    r"(?:go|cargo|docker|dotnet|swift|zig|poetry|uv|hatch|eleventy|vite|tsc|webpack|podman) (?:build|-b)\b|tsc\b|"
    r"hugo\b(?! server)|jekyll build|mkdocs build|sphinx-build\b|(?:latexmk|xelatex|pdflatex|lualatex|typst compile|"
    r"pandoc|quarto render|snakemake|nextflow|Rscript|ffmpeg|openscad|kicad-cli|platformio|pio|arduino-cli|"
    r"xcodebuild)\b|"
    r"docker build\b|eas build\b"
)
_INSTALLS = (
    r"(?:npm|pnpm|yarn|bun) (?:install|add|remove|i|uninstall) \S|(?:pip3?|uv pip|python3? -m pip) (?:install|"
    r"uninstall) "
    r"(?!-r|-e)|(?:poetry|uv|cargo|go|composer|bundle|gem|brew|apt|apt-get|dnf|conda|mamba|snap) "
    r"(?:add|get|install|remove|require) \S"
)
_SCRIPTS = r"(?:python3?|node|ruby|perl|php|bash|sh|Rscript|julia|deno run|bun run|tsx) (?!-[cem]\b)\S+\.\w+"


class _CommandKind(NamedTuple):
    pattern: re.Pattern[str]
    rank: int  # the lower, the more it matters


# The first that fits gives the kind.
_KINDS = [
    _CommandKind(re.compile(_RUNNERS + f"(?:{pattern})"), rank)
    for pattern, rank in (
        (_TESTS, 1),
        (_SHIPS, 0),
        (_MIGRATES, 0),
        (_BUILDS, 2),
        (_INSTALLS, 3),
        (_SCRIPTS, 4),
    )
]
_QUOTED = re.compile(r"<<-?\s*'?\"?(\w+)'?\"?\n.*?(?:\n\1\b|\Z)", re.DOTALL)
_SEPARATOR = re.compile(r"\s*(?:&&|\|\||;|\n)\s*")
_ASSIGNMENT = re.compile(r"^(?:\w+=\S*\s+)+")
_OUTCOME = re.compile(
    r"\b\d+ (?:passed|failed|errors?|tests?|warnings?|problems?|migrations?|resources?|files? changed)\b|\bok\b|"
    r"\bFAIL(?:ED|URE)?\b|\bBUILD\b|\bsuccess\w*|\bfehler\w*|\berror\b|!\d+\b|#\d+\b|\bcompiled\b|\bdeployed\b|"
    r"\bpublished\b|"
    r"\bno changes\b|\bapplied\b|\bcreated\b|\bdestroy\w*|\buninstalled\b|\[[\w/.-]+ [0-9a-f]{7,}\]|https?://\S+|"
    r"\bdone\b",
    re.IGNORECASE,
)
_SHORT_RESULT = 80  # characters: a shorter one is told whole


def files_changed(effects: Sequence[ToolEffect], folder: str) -> tuple[str, ...]:
    """Return the changed files inside the folder, relative to it, in the order of their first change."""
    found: dict[str, None] = {}
    for effect in effects:
        for path in effect.files if not effect.failed else ():
            if relative := _relative(path, folder):
                found.setdefault(relative)
    names = list(found)
    more = len(names) - _MOST_FILES
    return (*names[:_MOST_FILES], f"and {more} more") if more > 0 else tuple(names)


def _relative(path: str, folder: str) -> str | None:
    """Return a path relative to the folder; None for a file outside of it: another project's, or a temporary one."""
    path = " ".join(path.replace("\\", "/").split())
    if folder and (path == folder or path.startswith(folder.rstrip("/") + "/")):
        path = path[len(folder.rstrip("/")) + 1 :]
    path = posixpath.normpath(path) if path else ""
    outside = path.startswith(("/", "~", "..")) or re.match(r"[A-Za-z]:/", path)
    return None if not path or path == "." or outside or _OWN_FOLDERS.search(path) else path


def commands_that_mattered(effects: Sequence[ToolEffect]) -> tuple[str, ...]:
    """Return tests, builds, migrations, deployments and commits, each once, with its last result."""
    found: dict[str, tuple[int, int, str]] = {}  # by command: rank, order, line
    for order, effect in enumerate(effects):
        named = _main_command(effect.command) if effect.command else None
        if named is None:
            continue
        command, rank = named
        found.pop(command, None)
        found[command] = (rank, order, _line(command, effect))
    best = sorted(found.values(), key=lambda one: (one[0], -one[1]))[:_MOST_COMMANDS]
    return tuple(line for _, _, line in sorted(best, key=lambda one: one[1]))


def _main_command(command: str) -> tuple[str, int] | None:
    """Return the part of a command line that matters most, with its rank."""
    best: tuple[str, int] | None = None
    for part in _SEPARATOR.split(_QUOTED.sub("", command)):
        bare = _ASSIGNMENT.sub("", part.strip().lstrip("("))
        rank = next((kind.rank for kind in _KINDS if kind.pattern.match(bare)), None)
        if rank is not None and (best is None or rank <= best[1]):
            best = (" ".join(bare.split(" | ", 1)[0].split()), rank)
    return best


def _line(command: str, effect: ToolEffect) -> str:
    result = "failed" if effect.failed else ""
    lines = [" ".join(line.split()) for line in effect.result.splitlines() if line.strip()]
    told = next((line for line in reversed(lines) if _OUTCOME.search(line)), "")
    if not told and len(lines) == 1 and len(lines[0]) <= _SHORT_RESULT:
        told = lines[0]
    result = f"{result}: {told}" if result and told else result or told
    shown = shortened(command.replace("`", "'"), _COMMAND_CHARACTERS)
    return f"`{shown}` → {shortened(result.replace('`', ''), _RESULT_CHARACTERS)}" if result else f"`{shown}`"
