"""Sentences by which a text says that it is private: a phrase counts only where one of its hints stands in the line.

The hints are cheap to look for, and a pattern is compiled only when a hint was found: most notes compile none.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

_END = r"\s*(?:[.!;,)\]:]|$)"
# A sentence that is nothing but the mark: "Strictly confidential.", "Privat:", "(vertraulich)".
_ALONE = (
    r"(?:strictly |highly |very |top |streng |strikt |strictement |estrictamente |estritamente |strettamente )?"
    r"(?:private|privat|privée?|privad[oa]|privat[oa]|confidential|vertraulich|confidentiel(?:le)?|confidencial"
    r"|confidenziale|riservat[oa]|top secret|streng geheim)"
    r"(?: (?:and|und|et|y|e|&) (?:private|privat|confidential|vertraulich|confidentiel|confidencial|personal))?"
)
_PERSONS = (
    r"(?:any ?one|any ?body|others|my (?:boss|wife|husband|partner|team|family|parents|colleagues|mother|father|kids)"
    r"|the (?:team|boss|family|kids|children|others|office)|colleagues|co-?workers|him|her|them|outsiders)"
)
_NOT = r"(?:do not|don[’']?t|never|not to|must not|should not|may not)"


class Phrase(NamedTuple):
    """A pattern over a line in small letters, and words of which one must stand in it."""

    hints: tuple[str, ...]
    pattern: str


_ENGLISH = (
    Phrase(
        ("between",),
        r"\b(?:keep|keeping|stays?|strictly|just|only|leave|remains?)\b[^.!?]{0,20} between (?:us|you and me"
        r"|ourselves)\b"
        r"|\bbetween (?:you and me|ourselves)\b|\bbetween us" + _END,
    ),
    Phrase(
        (
            "quiet",
            "secret",
            "confidential",
            "under wraps",
            "to myself",
            "to ourselves",
            "to yourself",
            "in the family",
        ),
        r"\bkeep(?:ing)? (?:this |it |that |all this |everything )?(?:strictly |very |absolutely )?"
        r"(?:quiet|confidential|under wraps|to (?:my|our|your)sel(?:f|ves)|in the family)" + _END + "|"
        r"\bkeep(?:ing)? (?:this|it|that) (?:a )?secret" + _END + "|"
        r"\b(?:this|that|all of this|everything(?: here| below)?|the (?:following|above|below)) "
        r"(?:is|are|stays?|remains?|was told) (?:strictly |highly |absolutely )?(?:confidential|secret)" + _END,
    ),
    Phrase(
        ("tell", "told"), r"\b(?:tell|told|telling) (?:nobody|no ?one|not a soul)\b|\bno telling any(?:one|body)\b"
    ),
    Phrase(
        ("tell", "mention", "share", "repeat", "forward", "disclos", "discuss", "show", "talk"),
        rf"\b{_NOT} tell {_PERSONS}\b|"
        rf"\b{_NOT} (?:mention|share|repeat|forward|disclose|discuss|show|talk about)"
        r" ?(?:this|it|that|these|any of (?:this|it)|anything)? ?(?:on )?(?:to|with|outside) "
        rf"{_PERSONS}\b|"
        rf"\b{_NOT} (?:mention|discuss|talk about) (?:this |it |that |anything )?(?:at work|outside)\b|"
        r"\b(?:do not|don[’']?t|never) (?:share|repeat|disclose|tell|forward)(?: (?:this|it|that))?(?: further)?"
        r"\s*(?:[.!;)\]]|$)|"
        r"\bnot to be (?:shared|passed on|disclosed|repeated|forwarded|discussed)"
        r"(?! (?:between|across|among|by|over|via|in|as|from|to the))",
    ),
    Phrase(
        ("nobody", "no one", "no-one", "not a soul"),
        r"\b(?:nobody|no[ -]one|not a soul)(?: else)?(?: at (?:work|home|school)| in the (?:office|team|family"
        r"|company))?"
        r" (?:may|must|should|is (?:supposed )?to|needs? to|has to)(?: ever)? (?:know|see|read|hear|learn"
        r"|find out)\b|"
        r"\b(?:nobody|no[ -]one)(?: else)? (?:at (?:work|home|school)|in the (?:office|team|family|company)) knows\b",
    ),
    Phrase(
        ("only",),
        r"\b(?:family|friends and family|my eyes|your eyes|our eyes) only\b|\bfor me only\b"
        r"|\bonly for (?:me|myself|my eyes|us two|the family|my family)\b",
    ),
    Phrase(("just for me",), r"\bjust for me\b"),
    Phrase(
        ("record", "confidence", "hush"),
        r"\boff the record\b|\bin (?:strict(?:est)? )?confidence" + _END + r"|\bhush[- ]hush\b",
    ),
    Phrase(("not for",), r"\bnot for (?:sharing|others|circulation|distribution|any(?:one|body) else|the team)\b"),
    Phrase(
        ("confidential",),
        r"\b(?:strictly|highly) confidential\b|\btreat(?:ed)? (?:this |it |that )?as confidential\b",
    ),
)
_ENGLISH_ASIDES = (
    Phrase(
        ("must not", "mustn", "should not", "shouldn", "may not"),
        r"\b(?:must not|mustn[’']t|should not|shouldn[’']t|may not) (?:hear (?:it|this|about|of)|find out)\b|"
        r"\b(?:he|she|mum|mom|dad|my \w+) (?:must not|mustn[’']t|should not|shouldn[’']t|may not)"
        r" (?:know|see|learn)\b",
    ),
    Phrase(("not a word", "a word to"), r"\bnot a word\b|\bdon[’']?t (?:say|breathe) a word\b"),
    Phrase(("speak", "talk"), r"\bwe (?:do not|don[’']?t|never) (?:speak|talk) (?:of|about)\b"),
    Phrase(("knows",), r"\b(?:nobody|no[ -]one)(?: else)?(?: yet)? knows (?:about )?(?:it|this)(?: yet)?" + _END),
)
_GERMAN = (
    Phrase(
        ("weiß", "wissen"),
        r"\b(?:weiß|wissen) (?:es |das |davon )?(?:noch )?(?:keiner|niemand)\b(?!,)"
        r"|\b(?:keiner|niemand)(?: i[mn] \w+| in der \w+)? weiß (?:es|davon)\b",
    ),
    Phrase(("kein wort",), r"\bkein wort (?:zu|an|darüber|davon|verlieren)\b|\bkein wort" + _END),
    Phrase(
        ("vertraulich", "vertrauen"),
        r"\b(?:streng|strikt|bitte|absolut) vertraulich\b|\bvertraulich (?:behandeln|bleiben|halten)\b"
        r"|\b(?:das|dies|alles(?: hier)?|es) (?:ist|bleibt) (?:streng )?vertraulich\b|\bim vertrauen\b" + _END,
    ),
    Phrase(("nur für", "nur familie"), r"\bnur für (?:mich|uns(?: beide)?|dich|die familie)\b|\bnur familie\b"),
    Phrase(
        ("unter uns",),
        r"\b(?:bleib\w*|muss|soll)\b[^.!?]{0,25}\bunter uns\b|^\W*unter uns"
        + _END
        + r"|\bunter uns (?:gesagt|bleiben)\b",
    ),
    Phrase(
        ("niemand", "keine"),
        r"\b(?:niemand(?:em|en)?|keine[mr]|keinen)\b[^.!?]{0,25}\b(?:sagen|erzählen|verraten|weitersagen|zeigen"
        r"|weitererzählen)\b"
        r"|\b(?:niemand|keiner)\b[^.!?]{0,30}\b(?:darf|soll|sollte|muss|weiß)\b[^.!?]{0,20}\b(?:davon|wissen"
        r"|erfahren|mitbekommen)\b"
        r"|\b(?:darf|soll|sollte) (?:niemand|keiner)\b[^.!?]{0,25}\b(?:wissen|erfahren|lesen|sehen|hören"
        r"|mitbekommen)\b"
        r"|\bsag\w* (?:es |das )?(?:niemandem|keinem)\b",
    ),
    Phrase(
        ("weitersagen", "weitererzählen", "verraten", "rumerzählen", "weitergeben", "weiterleiten"),
        r"\bnichts? (?:weitersagen|weitererzählen|verraten|(?:he)?rumerzählen)\b|\bnicht (?:weitergeben"
        r"|weiterleiten)\s*[.!)]?$",
    ),
    Phrase(
        ("geheim", "für mich", "für dich", "für uns"),
        r"\bgeheim ?(?:zu)?halten\b|\bfür (?:mich|dich|uns) (?:zu )?behalten\b|\bbehalt\w* (?:das|es"
        r"|dies) für (?:dich|euch|mich)\b",
    ),
)
_FRENCH = (
    Phrase(("pas un mot",), r"\bpas un mot\b"),
    Phrase(
        ("entre nous",),
        r"\b(?:reste|rester|restent|juste|seulement|garder?|que)\b[^.!?]{0,20}\bentre nous\b|\bentre nous" + _END,
    ),
    Phrase(
        ("personne", "partager", "divulguer", "ébruiter", "diffuser"),
        r"\b(?:dire|dis|dites|parler|parle[rz]?|raconter|répéter|répète|montrer)\b[^.!?]{0,25}\bà personne\b"
        r"|\bpersonne (?:au \w+ |d[’']autre )?ne (?:doit|devrait|peut|sait)\b[^.!?]{0,20}(?:savoir|apprendre"
        r"|au courant)"
        r"|\bne pas (?:partager|divulguer|ébruiter|diffuser)(?! entre| avec le)" + _END,
    ),
    Phrase(
        ("pour moi", "en famille", "famille"),
        r"\b(?:juste|seulement|uniquement|rien que) pour moi\b|\bpour moi (?:seule?|uniquement)\b"
        r"|\bfamille (?:seulement|uniquement)\b",
    ),
    Phrase(
        ("confident", "secret"),
        r"\b(?:c[’']est|ceci est|à garder|strictement) confidentiel|\bà garder secret\b|\bgarder (?:ça|cela"
        r"|le) (?:secret|pour (?:moi|toi|soi|nous|vous))\b",
    ),
)
_SPANISH = (
    Phrase(("ni una palabra",), r"\bni una palabra\b"),
    Phrase(
        ("entre nosotros", "entre tú y yo"),
        r"\bentre nosotr[oa]s"
        + _END
        + r"|\b(?:queda|quede|solo|sólo)\b[^.!?]{0,15}\bentre (?:nosotr[oa]s|tú y yo)\b|\bentre tú y yo\b",
    ),
    Phrase(
        ("nadie",),
        r"\b(?:decir\w*|dig[aá]\w*|contar\w*|cuent\w+|comentar\w*|hablar|habl\w+)\b[^.!?]{0,25}\b(?:a"
        r"|con) nadie\b|\bnadie (?:más )?(?:debe|puede|tiene que|debería)\b[^.!?]{0,15}(?:saber|enterarse|ver)",
    ),
    Phrase(
        ("para mí", "para mi", "familia"),
        r"\b(?:solo|sólo|únicamente) para (?:mí|la familia|mi familia)(?!\w)|\b(?:solo|sólo) (?:la )?familia\b",
    ),
    Phrase(("compart",), r"\bno compartir(?:lo)?\s*(?:[.!)]|$|con nadie)|\bno l[oa] compartas\b"),
    Phrase(("secreto",), r"\bguarda\w* (?:el |este )?secreto\b|\bmantener en secreto\b"),
)
_PORTUGUESE = (
    Phrase(("nem uma palavra",), r"\bnem uma palavra\b"),
    Phrase(("entre nós",), r"\b(?:fica|fique|ficar|só|apenas)\b[^.!?]{0,15}\bentre nós\b|\bentre nós" + _END),
    Phrase(
        ("ninguém",),
        r"\b(?:contar|conte[sm]?|dizer|diga[sm]?|falar|fale[sm]?|comentar|mostrar|contamos"
        r"|dizemos)\b[^.!?]{0,25}\b(?:a|com|para|pra) ninguém\b|\bninguém (?:mais )?(?:deve|pode|precisa"
        r"|tem)\b[^.!?]{0,15}\bsaber\b|\bninguém no trabalho sabe\b",
    ),
    Phrase(("para mim", "família"), r"\b(?:só|apenas|somente) (?:para mim|(?:para )?a família|família)\b"),
    Phrase(
        ("partilhar", "divulgar", "espalhar"),
        r"\bnão (?:partilhar|compartilhar|divulgar|espalhar)\s*(?:[.!)]|$|com ninguém)",
    ),
    Phrase(("segredo",), r"\bem segredo" + _END + r"|\bguardar segredo\b"),
)
_ITALIAN = (
    Phrase(("una parola",), r"\b(?:neanche|nemmeno|non) una parola\b"),
    Phrase(
        ("tra noi", "tra di noi", "fra noi"),
        r"\b(?:rest\w+|rimang\w+|riman\w+|solo)\b[^.!?]{0,15}\b[tf]ra (?:di )?noi\b|\b[tf]ra (?:di )?noi" + _END,
    ),
    Phrase(
        ("nessuno",),
        r"\b(?:dire|dirlo|dir[lt]\w*|raccontar\w*|parlar\w*|mostrar\w*)\b[^.!?]{0,25}\b(?:a|con) nessuno\b"
        r"|\bnessuno (?:deve|dovrebbe|può)\b[^.!?]{0,15}(?:sapere|saperlo|vedere)",
    ),
    Phrase(("solo per", "solo famiglia"), r"\bsolo per (?:me|noi due|la famiglia)\b|\bsolo famiglia\b"),
    Phrase(("condivid",), r"\b(?:non condivider(?:e|lo|la)|da non condividere)\s*(?:[.!)]|$|con nessuno)"),
    Phrase(("riservat", "confidenzial"), r"\b(?:strettamente|informazione) (?:riservat|confidenzial)\w+"),
)
_OTHERS = (
    Phrase(("保密",), r"(?:请|要|须|需|务必|严格|注意|先)?保密(?!协议|協議|性|条款|條款|制度|措施|管理|级|級)"),
    Phrase(("外传", "外傳"), r"(?:不要|请勿|請勿|不得|切勿|别|勿)外[传傳]"),
    Phrase(
        ("告诉", "告訴", "跟别人", "别说"),
        r"(?:不要|别|別|不能|请勿|不准)(?:告诉|告訴|跟)(?:别人|別人|任何人|其他人|同事|家人)|谁也别说",
    ),
    Phrase(
        ("自己", "家人", "我知道"),
        r"(?:仅|僅|只)(?:限|给|給)?(?:自己|本人|家人)(?:看|可见|可見|知道)|只有我(?:自己)?知道",
    ),
    Phrase(
        ("机密", "機密", "私密"), r"(?:^|[（(\[【:：。])\s*(?:绝对|絕對)?(?:机密|機密|私密)\s*(?:[:：)）\]】。！!]|$)"
    ),
    Phrase(
        ("内緒", "他言", "口外", "極秘"),
        r"内緒(?:に|で|だ|です|$|。)|他言(?:無用|しない)|口外(?:しない|禁止|無用)|極秘",
    ),
)
PHRASES = (*_ENGLISH, *_ENGLISH_ASIDES, *_GERMAN, *_FRENCH, *_SPANISH, *_PORTUGUESE, *_ITALIAN, *_OTHERS)
_ALONE_HINTS = ("privat", "privé", "privad", "confiden", "vertraulich", "riservat", "top secret", "streng geheim")
# At the beginning of a line, as a sentence of its own, or in brackets. "private: true" is a setting.
_ALONE_PATTERN = (
    rf"^[\s>*+\-#\d.:\[\]()_|!⚠️🔒]*{_ALONE}[*_\])]*\s*(?:[.!]|$|[:–—](?! *(?:true|false|yes|no|ja|nein|\d"
    rf"|[\"'{{\[])))"
    rf"|[.!?;,–—(\[]\s*{_ALONE}\s*(?:[.!)\]]|$)"
)


_ALONE_PHRASE = Phrase(_ALONE_HINTS, _ALONE_PATTERN)
_HINTS = tuple(dict.fromkeys(hint for phrase in (_ALONE_PHRASE, *PHRASES) for hint in phrase.hints))
_ASCII_HINTS = tuple(hint for hint in _HINTS if hint.isascii())


def phrases_in(text: str, *, alone: bool = True) -> tuple[Phrase, ...]:
    """Return the phrases that stand in a text; without `alone`, not the mere word, which code has too."""
    small = text.lower()
    found = [hint for hint in (_ASCII_HINTS if small.isascii() else _HINTS) if hint in small]
    if not found:
        return ()
    every = (_ALONE_PHRASE, *PHRASES) if alone else PHRASES
    hinted = [phrase for phrase in every if any(hint in found for hint in phrase.hints)]
    return tuple([phrase for phrase in hinted if _compiled(phrase.pattern).search(small)])


def says_private(line: str, phrases: Sequence[Phrase] | None = None) -> bool:
    """Return whether a line of prose says of itself that it is private, by the phrases that stand in its text."""
    if phrases is None:
        return bool(phrases_in(line))
    return any(_compiled(phrase.pattern).search(line.lower()) for phrase in phrases)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)
