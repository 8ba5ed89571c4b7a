"""Secrets as people say them: "my api key for testing is …", "das Passwort lautet …", "… est le mot de passe".

A word that names a secret is looked for first, and then a value near it: after a verb, after a preposition and a
verb, right after the word, or before it. The value alone decides: words and numbers are not secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal, NamedTuple

SpokenKind = Literal["password", "key", "token", "secret"]


class SpokenValue(NamedTuple):
    """A value near a word that names a secret."""

    start: int
    text: str
    kind: SpokenKind
    how: Literal["said", "described", "beside"]  # after a verb; with words between, or before; with nothing between
    quoted: bool
    ends: bool  # nothing of the sentence follows that could make the value a word of it


# The beginning of a name, in lower case; the kind of secret; the whole name from there on; what must stand before it.
_API = (
    r"(?:api|app|access|auth|client|deploy|developer|license|licence|live|test|private|secret|service|signing"
    r"|zugangs|zugriffs|geheimer|privater|アクセス|秘密|シークレット)[ _-]{0,2}\Z"
)
NAMES: tuple[tuple[str, SpokenKind, str, str], ...] = (
    ("pass", "password", r"(?i:pass(?:words?|wd|phrase|code|wort|e))", ""),
    ("pwd", "password", r"(?i:pwd)", ""),
    ("kennwort", "password", r"(?i:kennwort)", ""),
    ("contrase", "password", r"(?i:contrase[ñn]a)", ""),
    ("senha", "password", r"(?i:senha)", ""),
    ("parola d", "password", r"(?i:parola d['’]ordine)", ""),
    ("clave", "password", r"(?i:clave(?: (?:de acceso|secreta|(?:de |de la |del )?api|wifi))?)", ""),
    ("пароль", "password", r"(?i:пароль)", ""),
    ("パスワード", "password", "パスワード", ""),
    ("暗証番号", "password", "暗証番号", ""),
    ("密码", "password", "密码", ""),
    ("密碼", "password", "密碼", ""),
    ("비밀번호", "password", "비밀번호", ""),
    ("key", "key", r"(?i:keys?)", _API),
    ("キー", "key", "キー", rf"(?:{_API}|API *\Z)"),
    ("schlüssel", "key", r"(?i:schlüssel)", _API),
    ("clé ", "key", r"(?i:clé (?:d['’](?:api|acc[èe]s)|api|secr[èe]te|priv[ée]e))", ""),
    ("chave ", "key", r"(?i:chave (?:(?:de |da )?api|de acesso|secreta|privada))", ""),
    ("chiave ", "key", r"(?i:chiave (?:(?:dell['’]|di )?api|di accesso|segreta|privata))", ""),
    ("token", "token", r"(?i:token)", ""),
    ("トークン", "token", "トークン", ""),
    ("jeton ", "token", r"(?i:jeton (?:d['’](?:acc[èe]s|api)|api|secret))", ""),
    ("secret", "secret", r"(?i:secreto?)", ""),
    ("シークレット", "secret", "シークレット", ""),
    ("geheimnis", "secret", r"(?i:geheimnis)", ""),
    ("segreto", "secret", r"(?i:segreto)", ""),
    ("segredo", "secret", r"(?i:segredo)", ""),
)
_ASCII_NAMES = tuple(row for row in NAMES if row[0].isascii())
_S = r"[ \t\u00a0]"
_NOW = (
    r"(?:now|still|currently|just|simply|jetzt|nun|aktuell|weiterhin|maintenant|désormais|toujours|ahora"
    r"|actualmente|agora|atualmente|adesso|ora)"
)
# Verbs that say what a thing is, in the languages that we know; a sign may follow.
_VERB = (
    r"(?i:is|was|will be|equals|reads|remains|stays|becomes|has been (?:changed|set|reset|rotated) to"
    r"|(?:changed|set|reset|rotated|updated) to|to|ist|war|lautet|heißt|heisst|bleibt|wurde auf|auf"
    r"|est|était|sera|devient|reste|es|era|será|sigue siendo|é|è|e'|sarà|rimane)"
)
_IS = (
    rf"(?:{_S}+{_VERB}(?:{_S}+(?i:{_NOW}|set to|changed to))?{_S}*[:=]?{_S}+"
    rf"|{_S}+(?i:{_NOW}){_S}+{_VERB}{_S}+|(?:は|是|为|為|改为|改成|는|은)[、，:： ]?|{_S}*(?:=>|->|→|[:：=]){_S}+)"
)
# What leads from the name to the verb: "for testing", "we use", "vom Router", "du serveur", "(staging)".
_FOR = (
    r"(?i:for|of|to|on|at|in|from|we|i|you|that|which|für|fuer|von|vom|zum|zur|des|der|im|am|den|die"
    r"|pour|du|de|d['’]|sur|que|para|del|di|della|dello|dell['’]|per|do|da|no|na|em|su|al)"
)
_WORD = r"[^\s.,;:!?()=\"'`<>|]{1,24}"
_BETWEEN = rf"(?:{_S}*\([^()\n]{{1,40}}\)|{_S}+{_FOR}(?:(?<=['’])|(?:{_S}+))(?:{_WORD}{_S}+){{0,5}}?{_WORD})"
_CLOSED = "|".join(
    rf"{opening}(?P<{name}>[^{closing}\s]{{5,200}})[ \u00a0]?[{closing}]"
    for name, opening, closing in (
        ("double", '"', '"'), ("single", "'", "'"), ("code", "`", "`"), ("low", "„", "“”"), ("high", "“", "”"),
        ("guillemets", r"«[ \u00a0]?", "»"), ("corners", "「", "」"), ("bold", r"\*\*", r"*"),
    )
)  # fmt: skip
_VALUE = rf"(?:{_CLOSED}|(?P<bare>[^\s\"'`<>|«»“”„「」、。，；（）\u3041-\u3096]{{5,200}}))"
_ARTICLE = (
    r"(?i:the|my|our|your|their|its|das|dein|mein|unser|der|die|le|la|les|mon|ma|notre|votre|el|mi|tu|nuestra|su"
    r"|a|o|minha|nossa|il|mia|nostra)"
)
_QUOTED = ("double", "single", "code", "low", "high", "guillemets", "corners", "bold")
# Before the name: "X is the db password", "use X as my api key", "mit X als Passwort", "X est le mot de passe".
_BEFORE = (
    rf"(?:\A|(?<=[\s\"'`„“«「(*]))(?P<value>[^\s\"'`<>|«»“”„「」]{{5,100}})[\"'`”“»」*]{{0,2}}{_S}+"
    rf"(?:(?i:is|was|ist|war|est|es|é|è){_S}+{_ARTICLE}|(?i:as|als|comme|como|come)(?:{_S}+{_ARTICLE})?){_S}+"
    rf"(?:{_WORD}{_S}+){{0,3}}(?:{_WORD}[-_])?\Z"
)
_JOINS = rf"{_S}(?i:is|was|ist|war|est|es|é|è|as|als|comme|como|come){_S}"
# What may follow a value without making it a word of the sentence.
_ENDS = (
    r"[\n\r.,;:!?)(\[。、]|です|に|だ"
    r"|(?i:and|but|und|aber|et|mais|y|pero|e|mas|ma|now|today|tonight|again|please|geändert|gesetzt)\b"
)
_TELLING = r"[0-9!@#$%^&]"  # no secret is without one of these
_WINDOW = 110  # characters before a name in which a value may stand


_compiled = cache(re.compile)  # `re` keeps patterns too, but looks them up slowly


def spoken(text: str, lower: str) -> Iterator[SpokenValue]:
    """Yield the values near names of secrets. `lower` is the text in lower case, character by character."""
    if not re.search(_TELLING, text):
        return
    for hint, kind, name, before in NAMES if not text.isascii() else _ASCII_NAMES:
        at = lower.find(hint)
        if at < 0:
            continue
        after = _compiled(rf"(?:{name})(?:[ _-](?i:key|value))?")
        while at >= 0:
            found = after.match(text, at)
            if found and (not before or _compiled(before).search(lower[max(0, at - 24) : at])):
                yield from _near(text, at, found.end(), kind)
            at = lower.find(hint, at + len(hint))


def _near(text: str, start: int, end: int, kind: SpokenKind) -> Iterator[SpokenValue]:
    line_end = text.find("\n", end, end + 2 * _WINDOW)
    if _compiled(_TELLING).search(text, end, line_end if line_end >= 0 else end + 2 * _WINDOW):
        for how, pattern in _AFTER:
            if found := _compiled(pattern).match(text, end):
                yield _value(text, found, kind, how)
    first = max(0, start - _WINDOW, text.rfind("\n", max(0, start - _WINDOW), start) + 1)
    before = text[first:start]
    if not _compiled(_JOINS).search(before) or not _compiled(_TELLING).search(before):
        return
    if found := _compiled(_BEFORE).search(before):
        at, said = first + found.start("value"), found["value"]
        yield SpokenValue(start=at, text=said, kind=kind, how="described", quoted=False, ends=True)


_AFTER: tuple[tuple[Literal["said", "described", "beside"], str], ...] = (
    ("said", _IS + _VALUE),
    ("described", _BETWEEN + _IS + _VALUE),
    ("beside", rf"{_S}+{_VALUE}"),
)


def _value(
    text: str, found: re.Match[str], kind: SpokenKind, how: Literal["said", "described", "beside"]
) -> SpokenValue:
    group = next(name for name in (*_QUOTED, "bare") if found[name])
    rest = text[found.end() : found.end() + 12].lstrip(" \t*_")
    ends = not rest or found[group][-1:] in ".,;:!?)" or bool(re.match(_ENDS, rest))
    return SpokenValue(
        start=found.start(group), text=found[group], kind=kind, how=how, quoted=group != "bare", ends=ends
    )
