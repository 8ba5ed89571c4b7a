"""Words that tell what a sentence of a session does: decides, agrees, asks for a step, leaves something open.

English and German first, with the usual forms of French, Spanish, Portuguese, Italian and Chinese.
"""

from __future__ import annotations

import re

from memoro.model.openings import GREETING as GREETING
from memoro.model.openings import INTRODUCES as INTRODUCES
from memoro.model.openings import OPENING as OPENING


def any_of(*patterns: str) -> re.Pattern[str]:
    """Return a pattern for any of these. Those that begin a word are tried only where one begins."""
    parts = [part for pattern in patterns for part in _alternatives(pattern)]
    at_words = "|".join(part[2:] for part in parts if part.startswith(r"\b"))
    at_start = "|".join(part[1:] for part in parts if part.startswith("^"))
    others = [part for part in parts if not part.startswith((r"\b", "^"))]
    grouped = [rf"\b(?:{at_words})" if at_words else "", rf"^(?:{at_start})" if at_start else "", *others]
    return re.compile("|".join(filter(None, grouped)), re.IGNORECASE)


def _alternatives(pattern: str) -> list[str]:
    """Split a pattern at the bars outside of all groups and classes."""
    found, depth, held, in_class = [], 0, "", False
    for token in re.findall(r"\\.|.", pattern, re.DOTALL):
        in_class = token == "[" or (in_class and token != "]")
        depth += 0 if in_class else (token == "(") - (token == ")")
        if token == "|" and not depth and not in_class:
            found.append(held)
            held = ""
        else:
            held += token
    return [*found, held]


# A whole message that agrees to what was proposed. The weak ones agree only where somebody has just asked.
AGREES = any_of(
    r"^\W*(?:yes|yep|yeah|yup|agreed|deal|exactly|go(?! (?:build|clean|doc|env|fmt|generate|get|install|list|mod|"
    r"run|test|tool|version|vet|work)\b)|go ahead|go for it|do (?:it|that|so|both|all(?: of (?:it|"
    r"them)| three| four)?)|let(?:'|’)?s do (?:it|that|so)|"
    r"please do|sounds good|makes sense|good (?:idea|call)|i like (?:it|that)|works for me|that works|approved|"
    r"lgtm|ship it|"
    r"👍|\+1|absolutely|definitely|sure|perfect|both|ja|jo|jep|genau|passt|einverstanden|"
    r"mach(?:en wir)?(?: (?:das|es|so|mal))?|"
    r"so machen wir(?:'s| es| das)|gerne|klingt gut|abgemacht|oui|d['’]accord|vas-y|on fait (?:ça|comme ça)|"
    r"ça marche|sí|vale|"
    r"de acuerdo|adelante|hazlo|hecho|sim|combinado|pode ser|faz isso|manda|vai|sì|va bene|d['’]accordo|procedi|"
    r"facciamo così|"
    r"同意|就这样|就这么办|好的?|可以|行|没问题)(?![\w'’])"
)
WEAKLY_AGREES = any_of(
    r"^\W*(?:ok(?:ay)?|k|fine|good|great|nice|cool|right|alright|all right|gut|klar|alles klar|in ordnung|prima|"
    r"super|bien|"
    r"très bien|bueno|claro|certo|ótimo|perfetto)(?![\w'’])"
)
REFUSES = any_of(
    r"^\W*(?:no|nope|nah|not (?:that|now|yet|needed)|don(?:'|’)?t|never|nein|nee|lieber nicht|nicht|"
    r"auf keinen fall|kein\w*|"
    r"non|pas|surtout pas|no,|mejor no|nada de|não|nem|non |niente|不|不要|别)(?![\w'’])"
)
QUESTION = re.compile(
    r"[?？]\W*$|^(?:what(?:'|’)?s|what (?:is|are|was|do|does|did)|where(?:'|’)?s|where (?:is|are|do)|who(?:'|’)?s|"
    r"who (?:is|are)|how (?:do|does|is|many|"
    r"much|long|can)|why (?:do|does|is|did)|wie (?:geht|lange|viele?|heißt)|wo (?:ist|sind|liegt)|warum|"
    r"wer (?:ist|hat|macht)|"
    r"pourquoi|comment|où (?:est|sont)|qu['’]est-ce|por qué|cómo|dónde|porque é que|onde (?:está|fica)|perché|"
    r"dove|come si)\b(?!.*[.;]\s\S)",
    re.IGNORECASE,
)

_ORDERS = (
    r"^(?:please |then |and |but |so |also |just |rather |better )*(?:use|take|keep|drop|switch|move|swap|stay|stick|"
    r"pick|choose|go with|go for|prefer|avoid|skip|limit|cap|leave|treat|store|round|set|make|put|call|name|"
    r"charge|pay|book|"
    r"order|plan|schedule|start with|begin with|ban|allow|forbid|disable|enable|require|default to|cut|raise|lower|"
    r"postpone|cancel|merge)\b (?!it$|it\b[.!]?$|that$|this$)"
)
ORDERS = re.compile(_ORDERS, re.IGNORECASE)
# A command or a thing whose name begins like an order, and what it does: "make test fails", "merge queue is stuck".
REPORTS_ON_COMMAND = re.compile(
    r"^(?:\S+ )(?:(?!(?:the|an?|it|that|this|these|those|them|which(?:ever)?|who(?:ever)?|what(?:ever)?|sure|"
    r"nothing|anything|everything|if|when|while|as|so|because|after|before|until|once|where|unless|to|our|my|your|"
    r"all|any|every|and|or|\d+)\b)[^\s,;:]+ ){0,6}?"
    r"(?:fails|failed|breaks|broke|hangs|crash(?:es|ed)|panics|dies|died|stops|exits|says|shows|prints|reports|"
    r"complains|throws|returns|gives|works(?! for)|passe[sd]|succeeds|takes|keeps|"
    r"(?:do(?:es)?|did|wo|ca)n(?:'|’)t|(?:does|did|will) not|cannot|"
    r"(?:is|are) (?:(?:now|again|still|all|so|too|not) )?(?:red|green|broken|slow|stuck|failing|flaky|fine|ok|back|"
    r"down|empty|missing)|schlägt|bricht|geht|läuft|hängt|sagt|meldet|stürzt|startet|funktioniert)\b",
    re.IGNORECASE,
)
# How an order ends that leaves the choice to whoever carries it out: "move the job to a better time".
NAMES_NO_CHOICE = any_of(
    r"\b(?:(?:a|an|some) (?:better|different|other|nicer|safer|quieter|more (?:suitable|fitting))|another|"
    r"ein(?:e[nmrs]?)? (?:bessere|andere|passendere?)[nmrs]?) \w+\W*$",
)

# An order after what gives the reason for it: "the timeout is too short, set it to 60 seconds".
_ORDERS_THEN = (
    r"[,;:–—] (?:so |then |please |just |rather |better )*(?:(?:set|put|keep|raise|lower|limit|cap|reduce|increase|"
    r"restrict|switch|change|move|make|drop|replace|rename|turn) (?:(?:it|that|this|them|those) (?:\w+ )?(?:to|from|"
    r"into|by|with|on|off|in|at|under|below|above|back|\d)|(?:the|our|both|all) \S|(?:to|from|back to) \S)|"
    r"use (?!it\b)\S)"
)
# What decides by itself.
DECIDES = any_of(
    r"\blet(?:'|’)?s (?:go|use|take|keep|stay|stick|do|make|drop|skip|move|switch|set|put|call|have|not|try|"
    r"leave|add|ship)\b",
    r"\bwe(?:(?:'|’)ll| will|(?:'|’)re| are)? (?:go(?:ing)?|use|using|take|taking|keep|keeping|stay(?:ing)?|"
    r"stick(?:ing)?|drop|"
    r"dropping|switch(?:ing)?|mov(?:e|ing)|do(?! (?:we|you|not|have))|don(?:'|’)t(?! (?:have|know|think|see|"
    r"need to))|never|always|only)\b",
    r"\bI(?:(?:'|’)ll| will|(?:'|’)d)? (?:go with|take|keep|stay with|stick with|pick|choose|prefer|rather|"
    r"don(?:'|’)t want)\b",
    r"\bI(?:(?:'|’)d(?! (?:like|love) to (?:know|see|understand))| want| would| don(?:'|’)t want)\b",
    r"\b(?:go|going|went|stick|sticking|stay|staying|settled?) (?:with|for)\b|\bgo(?:es)? to (?=[A-Z`\d])",
    r"\bdecided\b|\bdecision\b|\bchose(?:n)?\b|\bopted\b|\bfinal\b|\bapproved\b|\brule\b|\bno \w+ (?:over|under|"
    r"above|below|without|before|after|longer than|more than)\b|"
    r"\bfrom now on\b|\bby default\b|\bstandard\b(?= (?:is|for))|\bfor now\b|\bin general\b|\bremember that\b",
    r"^(?:also|so|then|dann|donc|alors|entonces|então|allora),? (?:\S+ ?){1,5}[.!]?$|\b\S+ it is\b|\bso it(?:'|"
    r"’)?s\b|\bafter all\b|\binstead\b|\brather than\b",
    r"\b(?:so|then|therefore) (?:please )?(?:set|put|use|keep|raise|lower|limit|cap|reduce|increase|restrict|switch|"
    r"change|move|make) (?!(?:it|that|this|sure)\b[.!]?$)\S",
    r"\bwe(?:(?:'|’)ve| have)? (?:moved|switched|changed|raised|lowered|renamed) [^,.;!?]{2,60} to ",
    r"\bmov(?:es|ed) (?:from|to)\b|\bswitch(?:es|ed)? (?:to|from|back)\b|\breplace(?:s|d)? \S+ (?:by|with)\b",
    _ORDERS,
    _ORDERS_THEN,
    # German
    r"\bwir (?:nehmen|machen|bleiben|gehen|verwenden|benutzen|nutzen|setzen|behalten|lassen|streichen|wechseln|"
    r"verschieben|"
    r"verzichten|brauchen kein\w*|wollen|stellen)\b|\b(?:nehmen|machen|bleiben|verwenden|lassen|streichen) wir\b|"
    r"\bich (?:nehme|will|möchte|bleibe|hätte lieber)\b|\bentschieden\b|\bbeschlossen\b|\bdann (?:nehmen|eben|"
    r"doch|lieber)\b|"
    r"\bab (?:jetzt|sofort)\b|\bgrundsätzlich\b|\bbis auf weiteres\b|\bdoch (?:lieber|nicht)\b|\bstatt(?:dessen)?\b|"
    r"\bbleibt? (?:bei|es|dabei)\b|^(?:bitte |dann |und |also |lieber )*(?:nimm|nehmt|nehmen sie|verwende|"
    r"benutze?|lass|"
    r"bleib|streich|setze?|stell|behalte?|verschieb|wechsle|mach (?=\S+ \S+))\b",
    # French, Spanish, Portuguese, Italian, Chinese
    r"\bon (?:prend|garde|part|reste|choisit|utilise|passe|va|fait|met|laisse|abandonne|évite)\b|"
    r"\bnous (?:prenons|gardons|"
    r"utilisons|allons|passons)\b|\bje (?:prends|préfère|choisis|veux|garde)\b|\bdécidé\b|\bfinalement\b|\bplutôt\b|"
    r"^(?:prends|prenez|garde[sz]?|utilise[sz]?|mets|mettez|laisse[sz]?|passe[sz]?)\b",
    r"\bvamos (?:a|com|con|de|usar|ficar|manter)\b|\b(?:usamos|nos quedamos|dejamos|ponemos|elegimos|decidimos|"
    r"pasamos|"
    r"cambiamos|ficamos|mantemos|mudamos|escolhemos|passamos|preferimos|preferimos)\b|\bprefiero\b|\bprefiro\b|"
    r"\bquiero\b|"
    r"\bquero\b|\bdecidido\b|\bal final\b|\bno fim\b|\ba partir de (?:ahora|agora)\b|\bem vez de\b|\ben vez de\b|"
    r"\bmejor\b|"
    r"\bmelhor\b|^(?:usa|usar|deja|dejar|toma|pon|poner|deixa|deixar|mantém|manter|fica|tira|quita)\b",
    r"\b(?:usiamo|teniamo|prendiamo|restiamo|andiamo con|scegliamo|decidiamo|passiamo|lasciamo|facciamo)\b|"
    r"\bpreferisco\b|"
    r"\bvoglio\b|\bdeciso\b|\bal posto di\b|\bmeglio\b|\bd['’]ora in poi\b",
    r"我们?(?:用|选|采用|决定|保留|改用|换成)|就用|改成|改为|决定|不用|不要|一律|以后|必须|只能|先用|还是用|换成",
)
# What binds whoever comes later: a rule, a limit, a condition.
BINDS = any_of(
    r"\b(?:never|always|must(?:n(?:'|’)t)?|at most|at least|no more than|not before|not after|only|unless|until|"
    r"every time|"
    r"nothing (?:but|over|above)|max(?:imum)?|minimum|no later than|not allowed|forbidden|required|has to be|"
    r"have to be|"
    r"ever|should(?:n(?:'|’)t)?|no more|no longer|not any ?more)\b|(?:\band|\bbut|,) no(?:t)? \w+|^(?:\W*(?:and|"
    r"but|then|so|also|please))*\W*no (?!idea|problem|worries|rush|need\b)\w+",
    r"\b(?:from (?:now|here|today) on(?:wards?)?|going forward|in (?:the )?future,|as a rule|ask me (?:first|before)|"
    r"without (?:asking|approval|permission|my (?:ok|consent|approval|permission))|"
    r"ab (?:jetzt|sofort|heute)|von (?:jetzt|heute|nun) an|künftig|ohne (?:mich zu fragen|rückfrage|zu fragen)|"
    r"frage? mich (?:erst|vorher|bevor)|à partir de maintenant|désormais|dorénavant|sans me demander|"
    r"(?:a partir de|de) ahora en adelante|sin preguntarme|de agora em diante|sem me perguntar|senza chiedermi)\b",
    r"\b(?:nie(?:mals)?|immer|muss|müssen|darf|dürfen|höchstens|mindestens|nur|außer|maximal|spätestens|frühestens|"
    r"nicht vor|nicht(?:s)? mehr|soll(?:en|te)?)\b|^\W*(?:kein\w*|ohne)\b",
    r"\b(?:jamais|toujours|il faut|au plus|au moins|seulement|sauf|maximum|nunca|siempre|sempre|hay que|tem que|"
    r"deve|debe|"
    r"máximo|mínimo|solo|sólo|só|apenas|mai|massimo|almeno|soltanto|salvo)\b|^\W*(?:pas de|nada de|sin|sem|senza|"
    r"niente)\b",
    r"永远|从不|总是|必须|最多|至少|只|除非|禁止",
)
REASON = any_of(
    r"\b(?:because|since|so that|as (?:we|it|the|they|I)|otherwise|due to|in case|that way|else|hence|weil|da|"
    r"damit|denn|sonst|"
    r"wegen|deshalb|parce que|car|afin|pour que|sinon|porque|para que|si no|senão|pois|perché|altrimenti|così)\b|"
    r"因为|否则|以免",
)
# A sentence that gives the reason for the one before it.
GIVES_REASON = any_of(
    r"\b(?:could|would|otherwise|because|alone|risk\w*|avoids?|cheaper|faster|safer|simpler|easier|slower|"
    r"too (?:slow|late|much|"
    r"many|expensive|big|long)|hides?|breaks?|loses?|lost|raced?|fails?|nobody|nothing|no longer|cannot|can(?:'|"
    r"’)t|needs? no|"
    r"costs? (?:less|more|nothing)|saves?|könnte|würde|sonst|weil|billiger|schneller|sicherer|einfacher|"
    r"zu (?:teuer|langsam|"
    r"spät)|spart|kostet|sinon|plus (?:simple|rapide|sûr)|más (?:simple|rápido|barato|seguro)|mais (?:simples|"
    r"rápido|barato|"
    r"seguro)|più (?:semplice|veloce|sicuro|economico))\b",
)
# A proposal of the assistant, which an agreement makes a decision.
PROPOSES = any_of(
    r"\bI(?:(?:'|’)d| would)\b|\bI (?:suggest|propose|recommend|can|could)\b|\b(?:we|you) (?:could|can|should|"
    r"might)\b|"
    r"\bhow about\b|\bwhat about\b|\b(?:shall|should) (?:I|we)\b|\bdo you want\b|\bwant me to\b|"
    r"\bwould you like\b|\boptions?\b|"
    r"\bmy (?:suggestion|proposal|recommendation|plan)\b|\bproposal\b|\bplan:|\brecommend\w*|\balternativ\w+|"
    r"\beither\b|"
    r"\bthe (?:safest|simplest|easiest|cheapest|best)\b|\bbetter:|\bthen:|\bwould be\b|\bwäre\b|\bserait\b|"
    r"\bsería\b|\bseria\b|\bsarebbe\b",
    r"\b(?:ich würde|würde ich|ich schlage|schlage ich|mein vorschlag|vorschlag|ich empfehle|soll(?:en)? (?:ich|wir)|"
    r"wir könnten|man könnte|sie könnten|du könntest|möchten sie|willst du|entweder|am besten|am einfachsten|"
    r"sinnvoll)\b",
    r"\b(?:je (?:propose|recommande|suggère|mettrais|ferais|prendrais|peux)|on pourrait|vous pourriez|"
    r"voulez-vous|veux-tu|"
    r"propongo|sugiero|recomiendo|podemos|podríamos|quieres que|yo (?:pondría|usaría|haría)|proponho|sugiro|"
    r"recomendo|poderíamos|"
    r"eu (?:faria|usaria|punha|poria)|queres que|quer que|propongo|suggerisco|consiglio|potremmo|vuoi che|"
    r"io (?:farei|userei))\b",
    r"建议|推荐|可以|要不要|方案",
)
OPTIONS = any_of(
    r"\bor\b|\boptions?\b|\beither\b|\boder\b|\bentweder\b|\bou\b|\bo\b|还是|或者",
    r"\b(?:choices|possibilities|candidates|ways|möglichkeiten|varianten|wege|possibilités|opciones|opções|possibilità)"
    r"\b[^.:]{0,40}:$",
)

# A request for one step, which decides nothing.
STEP = re.compile(
    r"^(?:please |pls |now |then |and |also |just |ok |can you |could you |would you |let(?:'|’)?s |bitte |"
    r"jetzt |dann |und |noch |"
    r"kannst du |s'il te plaît |por favor |puedes |podes |puoi )*"
    r"(?:(?:make|give|show|tell) me|mach mir|fais-moi|hazme|faz-me|fammi|commit|push|run|rerun|re-run|show|"
    r"explain|check|look|list|print|open|read|tell|send|draft|review|test|try|retry|continue|"
    r"proceed|start|stop|wait|remind|summari[sz]e|rebase|format|clean up|undo|paste|give|find|search|compare|"
    r"describe|verify|debug|"
    r"investigate|translate|proofread|fix|implement|build|create|write|generate|update|document|finish|help|"
    r"think|go on|carry on|"
    r"next|see|note|save|deploy|release|install|download|upload|add|refactor|mend|repair|extract|convert|"
    r"mock|validate|improve|optimi[sz]e|simplify|bump|"
    r"commite|committe|pushe?|führe?|zeig\w*|erklär\w*|prüf\w*|schau\w*|suche?|lies|lest|schreib\w*|schick\w*|"
    r"teste?|weiter|mach weiter|"
    r"starte?|warte?|öffne|fass\w*|erstell\w*|formatier\w*|übersetz\w*|vergleich\w*|hilf|speicher\w*|"
    r"montre|explique|vérifie|regarde|lance|continue|envoie|écris|relis|cherche|traduis|muestra|explica|revisa|"
    r"mira|ejecuta|"
    r"sigue|envía|escribe|busca|traduce|mostra|explica|verifica|corre|roda|continua|envia|escreve|procura|traduz|"
    r"mostra|spiega|"
    r"controlla|esegui|continua|invia|scrivi|cerca|traduci)(?![\w'’])|^(?:请|先|再|帮我)*(?:提交|运行|继续|看看?|检查|解释|写|生成|翻译|发)",
    re.IGNORECASE,
)
# A step in German stands at the end: "soll ich das prüfen?".
STEP_AT_END = re.compile(
    r"\b(?:ansehen|anschauen|nachsehen|prüfen|zeigen|testen|starten|committen|pushen|weitermachen|schauen|"
    r"erklären|suchen|öffnen|"
    r"schreiben|aufräumen|laufen lassen|ausführen|schicken)\W*$",
    re.IGNORECASE,
)
# Something that was, or has happened.
PAST = any_of(
    r"\b(?:was|were|had|used to|happened|went|hatten?|waren?|hat(?:te)? .* ge\w+t|était|avait|avions|era|estaba|"
    r"había|estava|tinha|aveva)\b"
)
# A sentence that only considers something, and decides it not.
CONSIDERS = any_of(
    r"\b(?:I|we)(?:(?:'|’)m| am|(?:'|’)re| are) (?:really |still |just )?(?:not (?:so |quite |really |at all )?"
    r"(?:sure|certain|convinced)|unsure|undecided|wondering|thinking (?:about|of))\b|"
    r"^\W*not (?:so |quite |really )?(?:sure|certain)\b|\bI (?:don(?:'|’)t|do not) know (?:yet|if|whether)\b|"
    r"\bI wonder\b|\b(?:maybe|perhaps) (?:we|I|you|it|they|one) (?:should|could|might|can|need|ought)\b|"
    r"\b(?:we|I|it|they) (?:(?:should|could|might) (?:maybe|perhaps)|(?:maybe|perhaps) (?:should|could|might))\b|"
    r"\b(?:we|I) might (?:want|need|have|try|use|switch|move|go)\b|\bno idea (?:if|whether)\b|"
    r"\b(?:ich|wir) (?:bin|sind) (?:mir |uns )?(?:noch )?(?:nicht sicher|unsicher|unschlüssig)\b|"
    r"\bvielleicht (?:sollten|könnten|sollte|könnte|müssten)\b|\b(?:sollten|könnten) (?:wir|ich) vielleicht\b|"
    r"\b(?:keine Ahnung|weiß nicht),? ob\b|\bje ne suis pas sûre?\b|\bpeut-être qu['’ ]|\bon devrait peut-être\b|"
    r"\b(?:no estoy segur[oa]|no sé si|quizás? deberíamos|tal vez deberíamos|a lo mejor deberíamos|não tenho certeza|"
    r"não sei se|talvez (?:devêssemos|devamos)|non sono sicur[oa]|forse dovremmo)\b|不确定|也许(?:应该|可以)"
)
NEGATES = any_of(
    r"\b(?:no|not|never|nothing|don(?:'|’)t|doesn(?:'|’)t|isn(?:'|’)t|can(?:'|’)t|without|nicht|kein\w*|nie|"
    r"nichts|ohne|pas|jamais|"
    r"sin|nunca|não|sem|nada|non|senza|mai)\b|不|没"
)
PLEASE = any_of(r"\b(?:please|pls|bitte|s['’]il (?:te|vous) plaît|por favor|per favore)\b|请")
ADDS = any_of(r"\b(?:as well|too|also|auch|ebenfalls|aussi|también|também|anche|pure)\b|也")
# Agreement that cannot be mere politeness.
CONSENTS = any_of(
    r"^\W*(?:agreed|deal|approved|lgtm|do (?:both|all(?: of (?:it|them)| three| four)?)|go ahead|go for it|"
    r"let(?:'|’)?s do (?:it|that|so)|einverstanden|abgemacht|"
    r"so machen wir(?:'s| es| das)|machen wir(?: so)?|d['’]accord|on fait comme ça|de acuerdo|trato hecho|combinado|"
    r"d['’]accordo|facciamo così|同意|就这样|就这么办)(?![\w'’])"
)
# A question that asks for a step.
REQUEST = re.compile(
    r"^(?:can|could|would|will) you\b|^(?:kannst|könntest|würdest) du\b|^können sie\b|^(?:tu peux|peux-tu|"
    r"pouvez-vous|tu pourrais)\b|"
    r"^(?:puedes|podrías|me puedes|podes|pode|consegues|puoi|potresti)\b|^(?:能不能|可以帮|能帮)",
    re.IGNORECASE,
)
# The beginning of a session says what is wanted; that is its task.
TASK = any_of(
    r"\b(?:I|we|they|she|he|[A-Z]\w+) (?:need|needs|want|wants|would like|have to|has to|must)\b|\bhelp\b|"
    r"\bplease\b|\bi(?:'|’)d like\b|"
    r"\b(?:ich|wir|\w+) (?:brauche?n?|braucht|möchte|möchten|muss|müssen|will|wollen|sollen?)\b|\bbitte\b|"
    r"\b(?:j'ai besoin|il (?:me|nous) faut|je veux|je voudrais|necesito|necesitamos|quiero|preciso|precisamos|"
    r"quero|ho bisogno|"
    r"voglio|vorrei)\b|我(?:想|要|需要)|请|帮"
)
LEANS = any_of(
    r"\b(?:it|that|those|these|this|them|they|both|same|ones?|there|the (?:latter|former|first|second|third|last|"
    r"other)|he|she|"
    r"das|dies\w*|es|beide[s]?|dort|die (?:erste|zweite|letzte)|der (?:erste|zweite)|ça|cela|celui\w*|les deux|"
    r"eso|ese|esa|"
    r"ambos|isso|esse|essa|ambas|quello|questa|questo|entrambi)\b|\b(?:den|die|der|dem)\W*$|^[^\w]*(?:这|那|它)"
)

# What people say around their work, which is neither decided nor left to do.
CHATTER = any_of(
    r"^\W*(?:nothing(?: else| more)?|nichts(?: weiter| mehr)?|rien(?: d['’]autre)?|nada(?: más| mais)?|niente|"
    r"that(?:'|’)?s (?:it|all|enough)|(?:i(?:'|’)m )?done|enough|finished|nice (?:catch|work|one)|"
    r"good (?:job|work|catch|night)|well done|"
    r"see you|talk (?:later|soon)|bye|have a (?:good|nice)|good luck|works?(?: now| fine)?|it works|"
    r"that (?:helps|works|did it)|saved my|"
    r"looks good|love it|yay|wow|ugh|sorry|no worries|no problem|i know|haha|lol|same here|me too|"
    r"(?:das )?(?:reicht|genügt) für heute|bis (?:morgen|bald|dann|später)|schönen|tschüss|läuft|klappt|"
    r"funktioniert(?: jetzt)?|geht jetzt|"
    r"ça marche(?: maintenant)?|bonne|à (?:demain|plus|bientôt)|c['’]est (?:tout|bon)|hasta|nos vemos|"
    r"eso es todo|ya funciona|até|é tudo|já funciona|"
    r"a domani|ciao|funziona|è tutto|再见|明天见|辛苦)\b.{0,40}$|^\W*(?:再见|明天见|辛苦了)"
)
# Where something went wrong, this says that its cause is another.
IS_FINE = any_of(
    r"\b(?:is|are|was|were|looks?|seems?) (?:all |still |perfectly |quite |just )?(?:fine|ok(?:ay)?|good|valid|right|"
    r"correct|alright|in order|up to date|not (?:the|it|expired))\W*$|"
    r"\b(?:ist|sind|war|waren) (?:alle |noch )?(?:in ordnung|gut|gültig|richtig|ok(?:ay)?|aktuell)\W*$"
)
# The state of a thing after it was away.
IS_BACK = any_of(
    r"\b(?:is|are|looks?) (?:all |now |finally |also )?(?:back|online|alive|connected|green|gone|up again|working|"
    r"running again)(?: again| now| already)?\W*$|"
    r"\b(?:ist|sind) (?:jetzt |endlich )?(?:wieder (?:da|online|grün)|weg|verbunden)\W*$"
)
# Of a person, not of work. By its letters: "Ylva moved to Umeå", and not "the standup moved to Tuesday".
SOMEBODY_MOVED = re.compile(
    r"^\W*(?:(?:[Aa]nd|[Bb]ut|[Aa]lso|[Ss]o),? )?(?:[A-ZÄÖÜÉÅØ][\w-]+|[Mm]y \w+|[Hh]e|[Ss]he|[Tt]hey) "
    r"(?:has |have )?moved (?:back )?(?:from|to|in|into)\b"
)
# A statement about how things are, or were, or what somebody does themselves; it decides nothing.
REPORTS = any_of(
    r"^\W*(?:I(?:(?:'|’)m| am|(?:'|’)ve| have| was| had| did| just| tried| ran| see| saw| get| got| think| guess|"
    r" know| need it| inherited)|"
    r"we(?:(?:'|’)re| are|(?:'|’)ve| have| had| were| get)|there (?:is|are|was|were)|it(?:(?:'|’)s| is| was) |"
    r"that(?:(?:'|’)s| is| was) |"
    r"(?:just )?(?:done|uploaded|tested|tried|restarted|rebooted|checked|ran|updated|pushed|merged|deployed|"
    r"installed|called|asked|sent)\b|"
    r"ich (?:bin|habe|hab|war|hatte|sehe|glaube|weiß)|wir (?:sind|haben|hatten|waren)|es (?:gibt|ist|war)|"
    r"das (?:ist|war)|"
    r"j['’](?:ai|étais|avais)|je (?:suis|pense|crois)|on a |c['’]est|il y a|he |hemos|estoy|tengo|es |hay |estou|"
    r"tenho|temos|há |é |ho |abbiamo|sono|c['’]è )",
    r"\bI(?:(?:'|’)ll| will) (?:watch|look|see|check|ask|talk|think|read|try|test|be|come|send|call|write|paste|"
    r"let|get|bring|do|tell|report|"
    r"wait|show|sleep|mention|email|mail|ping|handle)\b|\b(?:I|we) (?:don(?:'|’)t|do not) have\b|"
    r"\b(?:feels?|seems?|is|are) (?:too )?slow\b|\bhab(?:e|"
    r"en)? (?:ich|wir)\b|"
    r"^\S+ (?:is|are|ist|sind|est|es|é|è) (?:an?|our|the|my|eine?|unsere?|une?|notre|una?|uma?|nossa?|"
    r"nuestr[oa])\b|\bill ask\b|\bwill do\b|"
    r"\bich (?:schaue|gucke|frage|rufe|schicke|melde|prüfe|überlege|teste|mache das)\b",
)
