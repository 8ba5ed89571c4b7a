"""The codes, exception classes and conditions by which an error is known, whatever program reports it."""

from __future__ import annotations

from collections.abc import Iterator

from memoro.model.phrases import compiled

_ERRNO_WORDS = """
    EPERM ENOENT EINTR EIO ENXIO E2BIG EBADF ECHILD EAGAIN ENOMEM EACCES EFAULT EBUSY EEXIST EXDEV ENODEV
    ENOTDIR EISDIR EINVAL ENFILE EMFILE ETXTBSY EFBIG ENOSPC ESPIPE EROFS EMLINK EPIPE EDOM ERANGE EDEADLK
    ENAMETOOLONG ENOLCK ENOSYS ENOTEMPTY ELOOP EPROTO EOVERFLOW EILSEQ ENOTSOCK EMSGSIZE EPROTONOSUPPORT
    EOPNOTSUPP EAFNOSUPPORT EADDRINUSE EADDRNOTAVAIL ENETDOWN ENETUNREACH ENETRESET ECONNABORTED ECONNRESET
    ENOBUFS EISCONN ENOTCONN ETIMEDOUT ECONNREFUSED EHOSTDOWN EHOSTUNREACH EALREADY EINPROGRESS ESTALE EDQUOT
    ECANCELED EAI_AGAIN EAI_FAIL EAI_NONAME ENOTFOUND ERESOLVE ELIFECYCLE EINTEGRITY ETARGET EBADENGINE EUSAGE
    EOTP ENEEDAUTH EJSONPARSE EINVALIDPACKAGENAME EBADPLATFORM EEXITCODE ENOWORKSPACES ENOLOCAL ENOGIT
"""
_ERRNO = frozenset(_ERRNO_WORDS.split())
# Each has a group for the code, and the family's name before it: two codes of one family are two errors.
_CODES = (
    ("sqlstate", "sqlstate", r"\bsqlstate\W{0,3}([0-9a-z]{5})\b"),
    ("mysql", "error", r"\berror (\d{4}) \([0-9a-z]{5}\)"),
    ("sqlstate", "error", r"\berror \d{4} \(([0-9a-z]{5})\)"),
    ("sqlstate", "(", r"\b\d{4,6} \(([0-9a-z]{5})\):"),
    ("ora", "ora-", r"\bora-(\d{5})\b"),
    ("rust", "e0", r"\b(e0\d{3})\b"),
    ("ts", "ts", r"\bts ?(\d{4,5})\b"),
    ("cs", "cs", r"\bcs(\d{4})\b"),
    ("msvc", "c", r"\berror (c\d{4})\b"),
    ("link", "lnk", r"\blnk(\d{4})\b"),
    ("build", "nu|msb|netsdk|itms|bc", r"\b((?:nu|msb|netsdk|itms-|bc)\d{4,5})\b"),
    ("named", "err_", r"\b(err_[a-z0-9_]{3,50})\b"),
    ("http", "http", r"\bhttps?(?:/[\d.]{1,4})?[ :]{1,2}(?:error |status )?(?:code )?([45]\d\d)\b"),
    ("http", "status|response", r"\b(?:status|response)(?:[ _]?code)?[ :=]{0,3}([45]\d\d)\b"),
    (
        "http",
        " bad| unauth| forbid| not| method| confl| unpro| too| intern| serv| gate| gone| time",
        r"\b([45]\d\d) (?:bad (?:request|gateway)|unauthorized|forbidden|not found|method not|conflict|gone"
        r"|unprocessable|too many|internal server|service unavailable|gateway time)",
    ),
    ("windows", "0x", r"\b(0x[89c][0-9a-f]{7})\b"),
    ("exit", "exit", r"\bexit(?:ed)?(?: with)?(?: code| status)?[ :=]{1,2}(\d{1,3})\b"),
    ("exit", "status=", r"\bstatus=(\d{1,3}/[a-z_]{2,20})\b"),
    ("aws", "when calling", r"\((\w{4,60})\) when calling\b"),
    ("grpc", "code =", r"\bcode = ([a-z]{5,30})\b"),
    ("apple", "domain=", r"\bdomain=(\w{3,60} code=-?\d{1,6})\b"),
    ("stata", "r(", r"(?:^|\s)r\((\d{1,4})\)(?=;|\s|$)"),
    ("vba", "run-time|runtime|laufzeit", r"\b(?:run-?time error|laufzeitfehler) '?(\d{1,6})\b"),
    (
        "numbered",
        "error|fehler|erreur",
        r"\b(?:error|fehler|erreur)(?: code| no\.?| nr\.?)?[: #(]{1,2}(\d{1,6})\b(?![.:/])",
    ),
    ("lettered", "error|fehler|erreur", r"\b(?:error|fehler|erreur)[ :\[(]{1,3}([a-z]{1,6}-?\d{2,6})\b"),
)
_ERRNO_WORD = r"\bE[A-Z0-9]{3,18}(?:_[A-Z]{4,6})?\b"
# Codes that many unlike errors share: the message decides.
_GENERIC_CODES = frozenset(
    f"{family} {code}"
    for family, listed in (
        ("errno", "enoent eacces eperm einval eio eexist eagain elifecycle"),
        ("http", "400 401 403 404 500"),
        ("exit", "1 2 100 101 126 127 128 255"),
        ("numbered", "1 2"),
        ("sqlstate", "42601 hy000"),
        ("grpc", "unknown internal"),
        ("windows", "0x80004005"),
        ("msvc", "c1083"),
        ("link", "1120 2019"),
    )
    for code in listed.split()
)

# Words that only a machine writes, and only of something that went wrong.
_REASONS = (
    r"SIG(?:SEGV|KILL|ABRT|BUS|ILL|FPE)|CrashLoopBackOff|ImagePullBackOff|ErrImagePull|OOMKilled|FailedScheduling"
    r"|FailedMount|FailedCreate|NodeNotReady|errSec[A-Za-z]{3,40}"
)
_TYPE = (
    rf"\b({_REASONS}|(?:[A-Z][A-Za-z0-9_]{{0,60}})?(?:Error|Exception|Failure|Fault|Interrupt|Overflow|Timeout|StopIteration)"
    r"(?:Exception)?|Err[A-Z][A-Za-z0-9]{3,40}|SIG(?:TERM|PIPE)"
    r"|[A-Z][a-z]{2,20}(?:Failed|Denied|Exceeded|NotFound|Throttled|Throttling|Expired|Violation))\b"
)
# Exception classes that many unlike errors share.
_GENERIC_TYPES_WORDS = """
    error exception failure fault interrupt timeout valueerror typeerror keyerror indexerror attributeerror
    nameerror runtimeerror oserror ioerror assertionerror syntaxerror importerror modulenotfounderror
    filenotfounderror permissionerror runtimeexception ioexception illegalargumentexception
    illegalstateexception nullpointerexception nullreferenceexception invalidoperationexception
    argumentexception argumenterror nomethoderror standarderror referenceerror rangeerror invariantviolation
    classnotfoundexception noclassdeffounderror systemexit httperror apierror databaseerror operationalerror
    programmingerror integrityerror internalerror validationerror sigterm axioserror fetcherror requesterror
    responseerror clienterror clientexception servererror executionerror indexoutofboundsexception
    arrayindexoutofboundsexception sqlexception configerror parseerror parsererror parseexception templateerror
    unhandledpromiserejection commanderror subprocesserror calledprocesserror lookuperror loaderror buildfailed
    testfailed notfound
"""
_GENERIC_TYPES = frozenset(_GENERIC_TYPES_WORDS.split())

# What went wrong, in the words of several programs and languages. A distinctive one names an error by itself.
_CONDITIONS = (
    ("deadlock", True, "deadlock|40p01|verklemmung|interblocage"),
    ("no space", True, "no space left|enospc|disk full|disk is full|festplatte voll|kein speicherplatz|not"
    " enough space"),
    ("out of memory", True, "out of memory|outofmemory|oomkilled|oom killer|oom-kill|heap space|heap out of"
    "|cannot allocate memory|speicher reicht nicht|arbeitsspeicher voll|std::bad_alloc"),
    ("segfault", True, "segfault|segmentation fault|sigsegv|0xc0000005|access violation|exc_bad_access"
    "|speicherzugriffsfehler"),
    ("stack overflow", True, "stack overflow|stackoverflow|maximum call stack|maximum recursion|recursionerror"
    "|c00000fd"),
    ("port in use", True, "address already in use|eaddrinuse|port is already|port already|already allocated"
    "|adresse wird bereits verwendet"),
    ("connection refused", False, "connection refused|econnrefused|verbindungsaufbau abgelehnt|verbindung"
    " verweigert|connexion refusée"),
    ("connection reset", False, "connection reset|econnreset|broken pipe|epipe"),
    ("certificate", True, "certificate verify failed|certificate has expired|x509:|self-signed certificate"
    "|self signed certificate|zertifikat abgelaufen|cert_has_expired|unable_to_verify"),
    ("rate limit", True, "rate limit|too many requests|throttlingexception|http 429|429 too"),
    ("timeout", False, "timed out|timeout|etimedout|deadline exceeded|zeitüberschreitung|délai dépassé"),
    ("permission", False, "permission denied|access denied|eacces|zugriff verweigert|keine berechtigung"
    "|permission refusée|accessdenied"),
    ("unauthorized", False, "unauthorized|not authenticated|must be logged in|authentication failed|nicht"
    " angemeldet"),
    ("no such file", False, "no such file|enoent|file not found|filenotfound|datei nicht gefunden|fichier"
    " introuvable|cannot find the file"),
    ("command not found", False, "command not found|not recognized as an internal|befehl nicht gefunden"
    "|commande introuvable"),
    ("merge conflict", False, "merge conflict|automatic merge failed|conflict (content)"),
    ("cors", True, "blocked by cors|access-control-allow-origin|cors policy|cors error"),
    ("too many files", True, "too many open files|emfile|enfile"),
    ("database locked", True, "database is locked|sqlite_busy|database table is locked"),
    ("duplicate key", True, "duplicate key|unique constraint|duplicate entry|23505|eindeutigkeit"),
    ("host key", True, "host key verification failed|remote host identification has changed"),
    ("unresolved host", False, "could not resolve host|name or service not known|enotfound|getaddrinfo"
    "|temporary failure in name resolution|nxdomain"),
)  # fmt: skip


def codes(text: str) -> frozenset[str]:
    """Return the codes in a line, each with its family: "sqlstate 40p01", "errno enospc", "http 502"."""
    return frozenset(_codes(text))


def _codes(text: str) -> Iterator[str]:
    lower = text.lower()
    for family, words, pattern in _CODES:
        if any(word in lower for word in words.split("|")):
            yield from (f"{family} {found[1]}" for found in compiled(pattern).finditer(lower))
    for word in compiled(_ERRNO_WORD, 0).findall(text):
        if word in _ERRNO:
            yield f"errno {word.lower()}"


def types(text: str) -> frozenset[str]:
    """Return the exception classes and reasons that a line names, in lower case."""
    return frozenset(found.lower() for found in compiled(_TYPE, 0).findall(text))


def reasons(text: str) -> frozenset[str]:
    """Return the types that are an error wherever they stand."""
    return frozenset(compiled(rf"\b(?:{_REASONS})\b", 0).findall(text))


def conditions(text: str) -> frozenset[str]:
    lower = text.lower()
    return frozenset(name for name, _, words in _CONDITIONS if any(word in lower for word in words.split("|")))


DISTINCTIVE = frozenset(name for name, is_distinctive, _ in _CONDITIONS if is_distinctive)


def specific_codes(found: frozenset[str]) -> frozenset[str]:
    return found - _GENERIC_CODES


def specific_types(found: frozenset[str]) -> frozenset[str]:
    return found - _GENERIC_TYPES


def are_of_one_family(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether two sets have codes of the same family; "exit" is the family of every program, and none."""
    families = {code.split(" ")[0] for code in one} & {code.split(" ")[0] for code in other}
    return bool(families - {"exit"})


# The families whose codes are written with their names: "TS2345", "ORA-00942".
_WRITTEN = {"ts": "ts", "cs": "cs", "link": "lnk", "ora": "ora-"}


def searched(found: frozenset[str]) -> list[str]:
    """Return codes as texts write them, without the names of other families; numbers alone find too much."""
    split = [code.split(" ", 1) for code in sorted(found)]
    written = [_WRITTEN.get(family, "") + code for family, code in split]
    return [code for code in written if not (code.isdigit() and len(code) < 3)]
