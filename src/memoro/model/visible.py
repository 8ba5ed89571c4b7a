"""Remove invisible characters from text: a model reads them, its user does not."""

from __future__ import annotations

import re
import unicodedata

# All of category Cf, and other invisible characters: fillers, the grapheme joiner, variation selectors, tags, lone
# surrogates, and the control characters except tab and line end.
_HIDDEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# `re` compiles these on first use: plain ASCII never does.
_HIDDEN_RUN = f"[{_HIDDEN}]+"
_SELECTOR = "[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
_MONGOLIAN = "[\u180b-\u180d\u180f]"
# Marks that visibly enclose the number after them.
_ENCLOSING = "[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd]"
_NON_JOINER, _JOINER = "\u200c", "\u200d"
# Scripts in which a joiner or non-joiner changes the letters around it: Arabic and related scripts, those of India
# and south-east Asia, Mongolian.
_JOINING = "[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc]"
# Letters with selectable forms: ideographs, and a few of Myanmar and Phags-pa.
_IDEOGRAPHS = "[\u1000-\u109f\u3400-\u9fff\ua840-\ua877\uf900-\ufaff\U00020000-\U0003ffff]"
_VIRAMA = 9
_KEYCAPS = "0123456789#*"


def visible(text: str) -> str:
    """Return the text as its reader sees it; keep joiners and selectors where they change a visible character.

    Line ends other than `\\n` become spaces, so that no line begins where nobody counted one.
    """
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    made: list[str] = []
    at = 0
    for found in re.finditer(_HIDDEN_RUN, text):
        made.append(text[at : found.start()])
        before = made[-1][-1:] or (made[-2][-1:] if len(made) > 1 else "")
        made.append(_visible_part(found[0], before, text[found.end() : found.end() + 1]))
        at = found.end()
    made.append(text[at:])
    return "".join(made)


def escaped(name: str) -> str:
    """Return a name with each invisible character spelled out, such as `\\u200b`; so names stay different.

    The spelling is the one that the command line prints.
    """
    if visible(name) == name and "\n" not in name and "\t" not in name:
        return name
    return re.sub(f"[{_HIDDEN}\n\t]", lambda found: found[0].encode("unicode_escape").decode(), name)


def _visible_part(run: str, before: str, after: str) -> str:
    """Return the visible part of a run of mostly invisible characters."""
    if run[0] in "\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029":
        return "" if after == "\n" and run == "\r" else " "
    if len(run) == 1:
        return run if _is_seen(run, before, after) else ""
    if len(run) == 2 and re.match(_SELECTOR, run[0]) and run[1] == _JOINER:  # inside one emoji made of several
        return run if _is_picture(before) and _is_picture(after) else ""
    return ""


def _is_seen(one: str, before: str, after: str) -> bool:
    if one in (_NON_JOINER, _JOINER):
        return _joins(one, before, after)
    if re.match(_SELECTOR, one):
        return _has_forms(before, one)
    if re.match(_MONGOLIAN, one):
        return "\u1820" <= before <= "\u18aa"
    return bool(re.match(_ENCLOSING, one)) and after.isalnum()


def _has_forms(before: str, selector: str) -> bool:
    """Return whether a selector can choose a form of the character before it: an emoji, a sign, an ideograph."""
    if not before or before.isspace() or before.isascii():
        return before in _KEYCAPS and before != ""
    if selector >= "\U000e0100" or before.isalpha():
        return bool(re.match(_IDEOGRAPHS, before))
    return True


def _joins(one: str, before: str, after: str) -> bool:
    if not before:
        return False
    if re.match(_JOINING, before):
        return bool(re.match(_JOINING, after)) or unicodedata.combining(before) == _VIRAMA
    return one == _JOINER and _is_picture(before) and _is_picture(after)


def _is_picture(character: str) -> bool:
    """Return whether a joiner may make this character part of an emoji; skin tones are modifiers."""
    return bool(character) and (
        unicodedata.category(character) in ("So", "Sk") or "\U0001f3fb" <= character <= "\U0001f3ff"
    )
