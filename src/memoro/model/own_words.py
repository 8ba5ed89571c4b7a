"""The sentences that a person wrote themselves in a message: without code, quotations, mail, and text to work on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoro.model.own_lines import own_lines
from memoro.model.sentence_ends import split_sentences

QUOTED = "\ufffc"  # stands for a quotation in a sentence
_CODE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_BLOCK = re.compile(r"<([a-zA-Z][\w:-]{0,40})(?:\s[^<>]{0,200})?>.*?(?:</\1\s*>|\Z)", re.DOTALL)
_QUOTATION = re.compile(r"[\"“”„«「『][^\"“”„«»「」『』\n]{1,2000}[\"“”»」』]")
_ITEM = re.compile(r"^\s*(?:[-*+•]|\(?\d{1,2}[.)])\s+(?=\S)")
_SCRIPTS_WITHOUT_SPACES = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_SHORT_QUOTATION = 3  # words: a title, a name, a term
_SHORT_IN_SIGNS = 8
# A line after which the text is somebody else's, or material to work on.
_INTRODUCES_TEXT = re.compile(
    r"(?i)\b(?:e-?mails?|mails?|messages?|letters?|logs?|output|text|paragraph|drafts?|article|readme|ticket|review"
    r"|abstract"
    r"|bio|post|tweet|quote|this|following|below|here|here's|says?|said|wrote|result|response|reply|errors?|config"
    r"|file"
    r"|snippet|transcript|chat|passage|statement|description|comments?|template|story|poem|song|speech|prompt"
    r"|example"
    r"|nachricht|brief|text|entwurf|artikel|ausgabe|folgende[nrs]?|hier|schrieb|schreibt|sagt|beispiel|absatz"
    r"|fehlermeldung"
    r"|meldung)\b[^:\n]{0,40}:\s*$|(?:邮件|消息|信|日志|输出|文字|文本|草稿|文章|如下|下面|以下|这段|原文|内容|例子"
    r"|报错)[^：:\n]{0,12}[：:]\s*$"
)
_WORKS_ON = re.compile(
    r"(?i)\b(?:translate|proofread|rephrase|reword|rewrite|paraphrase|summari[sz]e|correct|fix the (?:grammar"
    r"|spelling)"
    r"|improve|polish|shorten|write|draft|reply|respond|answer|say|quote|pretend|role-?play|act as|imagine"
    r"|übersetze?"
    r"|korrigiere?|formuliere?|verbessere?|schreib\w*|antworte?|kürze|fass\w*|stell dir vor"
    r"|spiele?)\b[^:\n]{0,60}:(?=\s)"
    r"|(?:翻译|润色|改写|修改|回复|写|总结|校对|扮演|假装)[^：:\n]{0,16}[：:]"
)
_HEADER = re.compile(
    r"(?i)^\s*(?:from|to|subject|cc|bcc|sent|date|von|an|betreff|gesendet|发件人|收件人|主题|user|assistant|human"
    r"|system|me"
    r"|him"
    r"|her)\s?[:：] ?\S"
)
_SALUTATION = re.compile(
    r"(?i)^\s*(?:(?:dear|hi|hello|hey|sehr geehrte[rs]?|liebe[rs]?|hallo|guten tag) [\w. -]{2,30}[,!]"
    r"|尊敬的.{1,12}[：:，,])\s*$"
)


def own_sentences(text: str) -> list[str]:
    """Return the sentences of a message that are its writer's own words, in order; quotations are `QUOTED`."""
    own = _QUOTATION.sub(_short_quotation, _BLOCK.sub("\n", _CODE.sub("\n", text)))
    return [one for line in _before_pasted(own_lines(own)) for one in split_sentences(_ITEM.sub("", line))]


def _short_quotation(found: re.Match[str]) -> str:
    inner = found[0][1:-1]
    signs = len(_SCRIPTS_WITHOUT_SPACES.findall(inner))
    is_short = signs <= _SHORT_IN_SIGNS if signs else len(inner.split()) <= _SHORT_QUOTATION
    return found[0] if is_short else QUOTED


def _before_pasted(text: str) -> Iterator[str]:
    """The lines up to one that introduces somebody else's text."""
    for number, line in enumerate(text.split("\n")):
        if _HEADER.match(line) or (number and _SALUTATION.match(line)):
            return
        works_on = _WORKS_ON.search(line)
        if works_on:
            yield line[: works_on.start()]
            return
        if _INTRODUCES_TEXT.search(line[-100:]):
            return
        yield line
