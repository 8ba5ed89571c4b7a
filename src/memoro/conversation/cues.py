"""Patterns that reveal a decision, an agreement, a correction or an open question. English first."""

from __future__ import annotations

import re


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{one})" for one in patterns), re.IGNORECASE)


DECISION = _any(
    r"\blet(?:'|’)?s\b(?! (?:see|say|look|begin|start by|think))",
    r"\bwe(?:(?:'|’)ll| will|(?:'|’)re going| are going)\b",
    r"\b(?:go|going|went|stick|sticking|stay|staying|settle[ds]?|run|stuck) (?:with|to|on|for|at)\b",
    r"\bdecided\b|\bdecision\b|\bagreed\b|\bchose(?:n)?\b|\bchoose\b|\bopted?\b|\bfinal answer\b|"
    r"\bapproved\b",
    r"\bthe plan is\b|\bfrom now on\b|\bmake (?:it|that|the|sure)\b|\bthat(?:'|’)?s (?:the|how|enough)\b",
    r"\bI(?:(?:'|’)ll| will|(?:'|’)d rather|(?:'|’)d go| do| want)\b",
    r"\b\w+ it is\b|\bso it(?:'|’)?s\b",
    r"^(?:please |then |and |but |ok(?:ay)?,? |yes,? |no,? |so |also |oh,? )*(?:use|take|keep|drop|remove|"
    r"delete|add|put|"
    r"set|move|rename|swap|split|cut|skip|book|order|cancel|send|write|file|store|turn|run|leave|stay|accept|import|"
    r"upsert|stratify|fix|name|buy|pick|make|do|hire|switch|change|sell|bypass|"
    r"lazy-load|limit|start|stop|deploy|merge|revert|enable|disable|avoid|ignore|prefer|call)\b",
    # German, French, Spanish
    r"\bwir nehmen\b|\bnehmen wir\b|\bentschieden\b|\bbeschlossen\b|\bmachen wir\b|\bwir machen\b|\bich nehme\b|"
    r"\blassen wir\b|"
    r"\bauf jeden fall\b|\breicht\b|\beinverstanden\b|\bbleib(?:en|t)\b",
    r"\b(?:on a|nous avons|j['’]ai) décidé\b|\bnous choisissons\b|\bon (?:prend|part|garde|commence|choisit)\b|"
    r"\bnous (?:prenons|gardons)\b|\bje (?:prends|choisis)\b",
    r"\b(?:hemos|he) decidido\b|\bvamos (?:a|con)\b|\bnos quedamos\b|\bme quedo\b|\belegimos\b|\busamos\b|"
    r"\bquedamos en\b",
)

BINDING = _any(
    r"\bshould\b",
    r"\bmust(?:n(?:'|’)t)?\b|\bha(?:s|ve) to be\b|\bnever\b|\balways\b|\bno more\b|\bat most\b|\bat least\b|"
    r"\bmax(?:imum)?\b",
    r"\bprefer\b|\bI like\b|\bI love\b|\bhates?\b|\ballerg\w+|\bintoleran\w+|\bwe don(?:'|’)t\b|\bI don(?:'|"
    r"’)t want\b|\bcan(?:'|’)t\b",
    r"\bbudget\b|\bdeadline\b|\bdue\b|\blimit\b|\bbelow\b|\bunder \d|\bnothing (?:over|above|but)\b|\bonly\b|"
    r"\brequire[sd]?\b|"
    r"\bnot before\b|\bby (?:the )?(?:end|\d|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b|\bno \w+",
    r"\bhöchstens\b|\bmindestens\b|\bmuss\b|\bnie(?:mals)?\b|\bimmer\b|\bkein\w*\b|\blieber\b|\bbis (?:zum|ende)\b",
    r"\bobligatoire\b|\bjamais\b|\btoujours\b|\bil faut\b|\bmaximum\b|\bpréf[èé]r\w+|\bavant le\b",
    r"\bmáximo\b|\bnunca\b|\bsiempre\b|\bpreferimos\b|\bprefiero\b|\bnada de\b|\bhay que\b|\bpresupuesto\b",
)

ACCEPT = _any(
    r"^(?:ok(?:ay)?|k|yes|yep|yeah|yup|sure|fine|great|perfect|deal|agreed|right|exactly|true|absolutely|"
    r"definitely|good|cool|"
    r"nice|fair enough|of course|indeed|alright|all right|makes sense|sounds|looks good|that works|works for me|"
    r"go ahead|"
    r"go for it|do (?:it|that|so|both)|let(?:'|’)?s do (?:it|that|so)|please do|good (?:idea|point|"
    r"choice)|you(?:'|’)?re right|"
    r"then do|i like (?:it|that)|👍|\+1)\b",
    r"^(?:ja|genau|passt|einverstanden|in ordnung|gerne|klar|oui|d['’]accord|parfait|bien sûr|très bien|sí|vale|"
    r"de acuerdo|"
    r"claro|perfecto)(?!\w)",
)
REFUSE = _any(r"^(?:no|nope|nah|not? (?:that|now|needed)|nein|non)\b")

CORRECTION = _any(
    r"\bactually\b|\binstead\b|\bscratch that\b|\bon second thoughts?\b|\bchange of plan\b|\bchanged? my mind\b|"
    r"\bcorrection\b|\bi meant\b|\brather than\b|\bno wait\b|\bnot any ?more\b|\bno longer\b",
    r"^(?:hm+,? |oh,? |ah,? |sorry,? )*(?:wait|no wait)\b",
    r"\b(?:make|lower|raise|move|change|push|swap) (?:it|that|this|the)\b|\bmake the \w+ \w+ \d",
    r", not (?!now|yet|sure)\w+",
    r"\bdoch lieber\b|\bstatt\b|\bsondern\b|\bfinalement\b|\bplutôt\b|\ben fait\b|\bau lieu\b|\bmejor\b|"
    r"\ben vez de\b|\ben realidad\b",
)
SCRATCH = _any(r"\bscratch that\b|\bi meant\b|^(?:hm+,? |oh,? )?no,? wait\b")  # refers to what was said just before
# The part that a correction replaces.
REPLACED = re.compile(
    r"(?:\binstead of\b|\brather than\b|, not\b|\bstatt\b|\bau lieu d[e']|\bplutôt que\b|\ben vez de\b|"
    r"\bretiring\b)\s+(.+?)(?:[.,;!?]|$)",
    re.IGNORECASE,
)

OPEN = _any(
    r"\bundecided\b|\bto be (?:figured|decided|confirmed|checked)\b|\bopen question\b|\bstill (?:unclear|open|"
    r"need|have to|unsure|to)\b",
    r"\bhaven(?:'|’)t decided\b|\bnot (?:sure|decided|clear) yet\b|\bt(?:bd|odo)\b|\b(?:have|need|"
    r"must) (?:to )?(?:ask|find out|check)\b|"
    r"\bdecide (?:about )?(?:that |this |it )?later\b|\bremind me\b|\bfollow[- ]up\b|\bcheck with\b|\bmaybe later\b",
    r"\bnoch (?:offen|unklar)\b|\bà (?:voir|décider)\b|\bpor decidir\b|\bpendiente\b",
)

PROPOSAL = _any(
    r"\bI(?:(?:'|’)d| would) (?:\w+ )?(?:suggest|propose|recommend|start|add|put|remove|split|note|aim|use|say|"
    r"patch|keep|go|take)\b",
    r"\bI (?:suggest|propose|recommend)\b|\bwe could\b|\byou could\b|\bhow about\b|\bwhat about\b|\bshall (?:I|"
    r"we)\b|\bshould (?:I|we)\b",
    r"\boptions?\b|\bcandidates?\b|\balternativ\w+|\bthere (?:is|are)\b|\bthen I\b|\bwould be\b|\bor\b",
    r"\bich (?:würde|schlage)\b|\bsoll(?:en)? (?:ich|wir)\b|\boder\b|\bje propose\b|\bou\b|\bpropongo\b|\bpodemos\b",
)
FOLLOWED = _any(  # an assistant's statement about what it does from now on
    r"\bI (?:decided|chose|changed|switched|set|replaced|moved|renamed)\b|\bI(?:(?:'|’)m| am) going with\b|"
    r"\bdecided to\b|\bdecision:",
)
TROUBLE = _any(
    r"\berrors?\b|\bfail(?:s|ed|ure)?\b|\bexception\b|\broot cause\b|\bthe cause was\b|\bbug\b|\bfixed\b|"
    r"\bresolved\b|\bworkaround\b|"
    r"\bexpired\b|\bcrash\w*\b|\bbroken?\b|\bfehler\b|\berreur\b"
)

PAST = _any(r"\b(?:gave|was|were|had|used to|at the moment|currently|at present)\b")

ORDINALS = {
    "first": 1, "1st": 1, "former": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4,
    "latter": -1,
    "last": -1, "erste": 1, "ersten": 1, "zweite": 2, "zweiten": 2, "dritte": 3, "dritten": 3, "letzte": -1,
    "premier": 1, "première": 1, "deuxième": 2, "troisième": 3, "dernier": -1, "dernière": -1,
    "primero": 1, "primera": 1, "segundo": 2, "segunda": 2, "tercero": 3, "tercera": 3, "último": -1, "última": -1,
}  # fmt: skip
ORDINAL = re.compile(
    rf"\b(?:the|die|das|der|den|la|le|el|l['’])\s*({'|'.join(ORDINALS)})\b(?: (?:one|option|choice|idea|"
    rf"variant))?(?! \w+ of\b)"
    rf"|^({'|'.join(ORDINALS)}) (?:one|option)\b|\b(?:option|number|variant|variante|nummer|opción|no\.?|"
    rf"#)\s*(\d|[a-e])\b",
    re.IGNORECASE,
)
# Words that name nothing by themselves, so that a line needs its context.
LEANING = _any(
    r"\b(?:it|that|those|these|this|them|they|both|same|one|ones|so|there|the (?:latter|former)|cheaper|yes|no|"
    r"right)\b"
)
