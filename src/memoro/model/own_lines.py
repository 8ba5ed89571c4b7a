"""The lines of a message that its writer wrote, without what they pasted: output, traces, logs, tables."""

import re

# The heading of a page that a server sends in place of an answer, alone on its line: "Forbidden (403)".
_REASONS = (
    r"(?:Bad Request|Unauthorized|Payment Required|Forbidden|Not Found|Method Not Allowed|Not Acceptable|Conflict"
    r"|Gone|Request Timeout|(?:Payload|Request Entity) Too Large|Unsupported Media Type"
    r"|Unprocessable (?:Entity|Content)|Too Many Requests|(?:Internal )?Server Error|Not Implemented|Bad Gateway"
    r"|Service Unavailable|Gateway Time-?out)"
)
_STATUS = (
    rf"(?:(?:HTTP(?:/[\d.]+)?|Error|Status(?: code)?:?) )?"
    rf"(?:[45]\d\d(?::| [-–—]|) {_REASONS}|{_REASONS}(?::| [-–—]|) \(?[45]\d\d\)?)\W*$"
)
# Lines that a person pastes: output of a command, a trace, a log, a table.
PASTED_LINE = re.compile(
    r"^\s*(?:\$ |> |>>> |at \S+[(:]|File \"|Traceback|goroutine \d|\S+Error\b|\S+Exception\b|Caused by|npm ERR|"
    r"error\[|"
    r"(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|DETAIL|HINT|CONTEXT|Error|error|Fehler|Error message)\b ?:|"
    r"(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE)\b(?: {2,}|\t| ?[\[(|])|"
    rf"{_STATUS}|"
    r"\[?\d{4}-\d\d-\d\d[T ]\d|"
    r"\d\d:\d\d:\d\d|\||[+-]{3}|@@|[{}\[\]<]|\S+\s{2,}\S+\s{2,}|[A-Z][\w ]{0,20}:\s{2,}|panic:|fatal:|FAILED |E  )"
)
_ASKS = re.compile(r"[?？]\s*$")
_MOST_LINES = 12  # of one message of a person; what is longer was pasted, and only its ends are their own words
_ENDS = 4


def own_lines(text: str) -> str:
    """Return a person's own words without what they pasted."""
    lines = []
    pasted = False
    for line in text.split("\n"):
        pasted = bool(PASTED_LINE.match(line)) or (pasted and bool(line.strip()) and not _ASKS.search(line))
        if not pasted:
            lines.append(line)
    if len(lines) > _MOST_LINES and not any(line.lstrip().startswith(("-", "*", "1")) for line in lines):
        lines = [*lines[:_ENDS], *lines[-_ENDS:]]
    return "\n".join(lines)
