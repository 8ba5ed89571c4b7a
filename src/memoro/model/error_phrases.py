"""The words by which a line of text is recognised as an error, of many programs and a few languages."""

from __future__ import annotations

from collections.abc import Iterable

from memoro.model.words import STOP_WORDS


def _phrases(table: str) -> tuple[str, ...]:
    return tuple(" ".join(phrase.split()) for phrase in table.split("|"))


# Without one of these in it, a text names no error: most messages are looked at no further.
HINTS = _phrases(
    """
    error | exception | fail | fatal | panic | traceback | fehler | erreur | erro: | errore | not found | no
    such | denied | refused | undefined | unresolved | cannot | could not | unable | invalid | segfault |
    segmentation | killed | crash | abort | exit | conflict | rejected | timed out | timeout | unauthorized |
    forbidden | deadlock | err | err! | http | status | oom | overflow | unexpected | unhandled | uncaught |
    undeclared | mismatch | missing | corrupt | broke | backoff | enospc | eacces | enoent | econn | eaddr |
    ora- | sqlstate | 0x8 | 0xc | again | wieder | encore | bad gateway | no space | locked | too many |
    violates | absturz | stürzt | klappt | kaputt | geht nicht | plante | sigsegv | sigkill | says | sagt |
    meldet | gesperrt | alarm | shutdown | couldn't | insufficient | duplicate | is not | being loaded |
    ungültig | nicht | abgelaufen | introuvable | invalide | impossible | r(
    """
)

# Where the message of an error begins. The first group, where there is one, is the message.
MARKED = (
    # "error:", "ERROR: x", "Fehler:", "Erreur :", "error[E0382]:", "fatal error:", "Error in f(x) : …"
    (
        "error|fatal|fehler|erreur|erro|panic|critical|failure|severe|kritisch|alarm|shutdown",
        r"(?:^|[^\w-])(?:error|fatal(?: error)?|fehler|erreur|erro|errore|panic|critical|failure|severe|kritisch"
        r"|alarm|shutdown)"
        r"(?:\[\w{1,12}\]| [a-z]{0,3}\d{1,6}(?: \(\w{5}\))?)? {0,2}(?::|!(?= ))(?!//)(.*)",
    ),
    ("error in", r"^error in .{1,120}? : ?(.*)"),
    ("error at", r"\berror at .{1,120}:()$"),  # the message follows in the next line
    ("err!", r"\bnpm err! (.*)"),
    ("npm error", r"^npm error (.*)"),
    ("error response|error from", r"\berror (?:response )?from (?:the )?(?:server|daemon)(?: \(\w{1,40}\))?: ?(.*)"),
    ("error|fatal|fehler|erreur|fail", r"[\[<(](?:error|fatal|fehler|erreur|failed?)[\])>][: ]{0,2}(.*)"),
    ("level=err|level=fatal", r"\blevel=(?:error|fatal)\b.{0,40}?\bmsg=(.*)"),
    ("e: ", r"^e: (.*)"),
    ("! ", r"^! (\[.*|[A-Z].*\.$)"),  # LaTeX, and "! [rejected]" of git
    ("***", r"^make\S{0,20} \*\*\* (.*)"),
)
# Case tells these from prose: a word in capitals before a message, a line that begins with the class "Error".
MARKED_BY_CASE = (
    (
        "ERROR|FATAL|FEHLER|ERREUR|CRITICAL|PANIC",
        r"(?:^|[\s\]])(?:ERROR|FATAL|FEHLER|ERREUR|CRITICAL|PANIC)\b[\s:|-]{1,3}(.*)",
    ),
    ("Error", r"^Error (?!handling|reporting|messages?|pages?|codes?\b)(?=[a-z])(.*)"),
    ("Error", r"[:\]] Error (?!handling|reporting|logging)(?=[a-z]{3,20}ing |while |in |from |at |during )(.*)"),
    ("Fail", r"(?:^|: )(Failed (?:to|with) .*)"),
    ("Unable|Could|Cannot", r"(?:^|[:.] )((?:Unable to|Could not|Couldn't|Cannot) .*)"),
    ("Fail|FAIL", r"^(?:--- )?(?:FAILED|FAIL):? (.*)"),
)
# Lines that are an error without a word that says so.
SHOWING = _phrases(
    """
    command not found | failed because | overflowed by | : not found | is not recognized as | no such file or
    directory | permission denied | undefined reference to | undefined symbol | segmentation fault | core dumped
    | out of memory | cannot find symbol | unresolved reference | connection refused | failed with result |
    conflict ( | address already in use | no space left | host key verification failed | could not resolve |
    unable to resolve | undefined control sequence | symbol(s) not found | failed to start | is undefined |
    process exited | : undefined: | cannot use | declared and not used | multiple definition of | returned
    non-zero | exited with code | exit code | exit status | unexpectedly found nil | execution failed for task |
    refusing to | befehl nicht gefunden | datei oder verzeichnis nicht gefunden | zugriff verweigert | keine
    berechtigung | commande introuvable | aucun fichier ou dossier | couldn't be | could not be | insufficient |
    duplicate class | duplicate symbol | duplicate definition | is not valid | is invalid | unexpected token |
    unexpected end | is missing | is not available | version mismatch | being loaded, but | ist ungültig | nicht
    gefunden | nicht verfügbar | fehlgeschlagen | konnte nicht | ist abgelaufen | ist gesperrt | introuvable |
    est invalide | impossible | r( d
    """
)
# Lines that stand beside many errors, and tell nothing of one.
BOILERPLATE = _phrases(
    """
    complete log of this run | aborting due to | could not compile ` | for more information about this error |
    build failed with an exception | most recent call last | run with --stacktrace | this error originates from
    a subprocess | during handling of the | the above exception was | note: run with | see above for | --- log
    level | errors were encountered | command phasescript | collect2: | ld returned | recipe for target | the
    following build commands failed | 0 errors | no errors | error count | for help,  | run `npm | npm err! argv
    | npm err! node | npm err! npm  | npm error a complete | report this error
    """
)
# A recipe of make failed: the lines before say why.
RECIPE = r"^g?make\S{0,20} \*\*\* \[.{1,200}\] error \d"
# In prose, one of these says that the error which is named did happen.
CUE = (
    r"\b(?:fails?|failed|failing|errors?|crash\w*|broken?|breaks|again|gett?ing|gets?|got|seeing|see|throws?|threw"
    r"|raises?|hits?|hitting|stuck|dies|died|says?|said|complains?|aborts?|returns?|returned|gives?|gave"
    r"|wieder|fehler|meldet|sagt|kaputt|klappt nicht|geht nicht|funktioniert nicht|bricht ab|stürzt|schlägt fehl"
    r"|kommt|erreur|échoue|plante|encore)\b"
)
# The same for what is not only spoken of where errors are: a deadlock, a "hydration error".
HAPPENS = (
    r"\b(?:fails?|failed|failing|crash\w*|broken?|breaks|again|still|gett?ing|seeing|throws?|threw|raises?|hitting|stuck"
    r"|(?:i|we|they|it|users?) (?:gets?|got|see|sees|hits?)|dies|died|aborts?|wieder|immer noch|kaputt|klappt nicht"
    r"|geht nicht|funktioniert nicht|bricht ab|stürzt|schlägt fehl|kommt|bekomm\w*|échoue|plante|encore)\b"
)
KIND = (
    r"\b(?!(?:same|this|that|these|with|from|another|weird|strange|unknown|other|type|some|more|many|there|every|human"
    r"|fatal|general|generic|internal|server|build|first|last|next|again|still|gett?ing|seeing)\b)"
    r"([^\W\d_]{5,30})[ -](?:error|failure|fehler)\b"
)
# What somebody says, asks or orders, rather than a machine.
SENTENCE = (
    r"\b(?:i|we|you|my|our|it's|ich|wir|du|mein\w*|unser\w*|je|nous|mon|again|wieder)\b"
    r"|^(?:please |bitte )?(?:write|add|fix|make|show|handle|check|explain|implement|remove|create|draft|update|tell"
    r"|rename|refactor|test|let|if|what|how|why|which|when|where|schreib|zeig|mach|prüf|füg|was|wie|warum|wann|welche"
    r"|wenn|(?:can|could|should|does|is|are) (?:the|it|this|that|there))e?\b"
)
SAYS = r"\b(?:says?|said|with|gives?|gave|error|message|shows?|prints?|meldet|sagt|mit|meldung|fehler|zeigt|erreur)\b"

_COMMON = """
    error errors fatal failed fail failure failing cannot can't couldn't could unable invalid found unexpected
    exception file line code exit status process command while during given got expected use used using called
    call type value undefined unknown missing required does exist exists must server request response detail
    hint context warning at see log details more information please try run running task build fehler konnte
    nicht kann failed' caused message reason result returned occurred was
"""
COMMON = frozenset(_COMMON.split())
_TOOLS = """
    git docker kubectl helm terraform tofu ansible npm yarn pnpm pip uv poetry cargo rustc gradle maven mvn make
    cmake gcc clang psql postgres mysql redis nginx systemd systemctl bash zsh ssh rsync curl ffmpeg latex
    pdflatex xelatex pandoc node deno bun python ruby bundle rails php composer go dotnet msbuild xcodebuild
    swift pod flutter dart adb aws gcloud az vercel eslint tsc webpack vite jest pytest mypy ruff airflow dbt
    spark hugo jekyll excel unity unreal blender klipper octoprint r rscript matlab julia stata qgis
"""
TOOLS = frozenset(_TOOLS.split())


def weight(words: Iterable[str]) -> float:
    """Return how much words tell of an error: those of every other error tell little."""
    return sum(map(_weigh, words))


def _weigh(word: str) -> float:
    if word in ("not", "no", "nicht", "kein") or word in COMMON or len(word) < 3:
        return 0.4
    return 0.0 if word in STOP_WORDS else 1.0
