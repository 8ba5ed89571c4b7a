"""Words that tell what a sentence of a session does: decides, agrees, asks for a step, leaves something open.

English and German first, with the usual forms of French, Spanish, Portuguese, Italian and Chinese.
"""

from __future__ import annotations

import re


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{one})" for one in patterns), re.IGNORECASE)


# A word of agreement or of courtesy at the beginning of a sentence, which says nothing by itself.
OPENING = re.compile(
    r"^(?:(?:and|but|so|well|hm+|oh|ah|ach|uh|ok(?:ay|i)?|k|yes|yep|yeah|yup|sure|fine|great|good|nice|perfect|cool|right|"
    r"exactly|true|lovely|brilliant|excellent|agreed|deal|done|thanks|thank you|thx|cheers|please|got it|understood|"
    r"makes sense|sounds good|fair(?: enough| point)?|of course|good (?:idea|point|call|catch)|you(?:'|’)re right|alright|"
    r"all right|go ahead|awesome|super|wunderbar|prima|gut|ja|jo|jep|klar|genau|stimmt|passt|einverstanden|danke|bitte|"
    r"gerne|alles klar|in ordnung|verstanden|sehr gut|perfekt|toll|schön|okee|oui|d['’]accord|merci|parfait|très bien|bien|"
    r"super|sí|si|vale|de acuerdo|gracias|claro|perfecto|bueno|muy bien|sim|certo|obrigad[oa]|ótimo|perfeito|combinado|tá|"
    r"sì|va bene|grazie|perfetto|d['’]accordo|certo|好的?|是的?|可以|行|谢谢|没问题|嗯|对|haha|👍|👌|✅|\+1)"
    r"(?:\s*[,.!:;–—。，！]+\s*|\s+(?=(?:and|but|then|so|let|please|und|dann|aber)\b)|\s*$)\s*)+",
    re.IGNORECASE,
)
# A whole message that agrees to what was proposed. The weak ones agree only where somebody has just asked.
AGREES = _any(
    r"^\W*(?:yes|yep|yeah|yup|agreed|deal|exactly|go|go ahead|go for it|do (?:it|that|so|both)|let(?:'|’)?s do (?:it|that|so)|"
    r"please do|sounds good|makes sense|good (?:idea|call)|i like (?:it|that)|works for me|that works|approved|lgtm|ship it|"
    r"👍|\+1|absolutely|definitely|sure|perfect|both|ja|jo|jep|genau|passt|einverstanden|mach(?:en wir)?(?: (?:das|es|so|mal))?|"
    r"so machen wir(?:'s| es| das)|gerne|klingt gut|abgemacht|oui|d['’]accord|vas-y|on fait (?:ça|comme ça)|ça marche|sí|vale|"
    r"de acuerdo|adelante|hazlo|hecho|sim|combinado|pode ser|faz isso|manda|vai|sì|va bene|d['’]accordo|procedi|facciamo così|"
    r"同意|就这样|就这么办|好的?|可以|行|没问题)(?![\w'’])"
)
WEAKLY_AGREES = _any(
    r"^\W*(?:ok(?:ay)?|k|fine|good|great|nice|cool|right|alright|all right|gut|klar|alles klar|in ordnung|prima|super|bien|"
    r"très bien|bueno|claro|certo|ótimo|perfetto)(?![\w'’])"
)
REFUSES = _any(
    r"^\W*(?:no|nope|nah|not (?:that|now|yet|needed)|don(?:'|’)?t|never|nein|nee|lieber nicht|nicht|auf keinen fall|kein\w*|"
    r"non|pas|surtout pas|no,|mejor no|nada de|não|nem|non |niente|不|不要|别)(?![\w'’])"
)
QUESTION = re.compile(r"[?？]\W*$")

# What decides by itself.
DECIDES = _any(
    r"\blet(?:'|’)?s (?:go|use|take|keep|stay|stick|do|make|drop|skip|move|switch|set|put|call|have|not|try|leave|add|ship)\b",
    r"\bwe(?:(?:'|’)ll| will|(?:'|’)re| are)? (?:go(?:ing)?|use|using|take|taking|keep|keeping|stay(?:ing)?|stick(?:ing)?|drop|"
    r"dropping|switch(?:ing)?|mov(?:e|ing)|do(?! (?:we|you|not|have))|don(?:'|’)t|never|always|only)\b",
    r"\bI(?:(?:'|’)ll| will|(?:'|’)d)? (?:go with|take|keep|stay with|stick with|pick|choose|prefer|rather|don(?:'|’)t want)\b",
    r"\bI(?:(?:'|’)ll| will|(?:'|’)d rather| want)\b",
    r"\b(?:go|going|went|stick|sticking|stay|staying|settled?) (?:with|for)\b|\bgo(?:es)? to (?=[A-Z`\d])",
    r"\bdecided\b|\bdecision\b|\bchose(?:n)?\b|\bopted\b|\bfinal\b|\bapproved\b|\bthe rule\b|\brule (?:number|no|is|:)|"
    r"\bfrom now on\b|\bby default\b|\bstandard\b(?= (?:is|for))|\bfor now\b|\bin general\b|\bremember that\b",
    r"\b\S+ it is\b|\bso it(?:'|’)?s\b|\bafter all\b|\binstead\b|\brather than\b",
    r"\bmov(?:es|ed) (?:from|to)\b|\bswitch(?:es|ed)? (?:to|from|back)\b|\breplace(?:s|d)? \S+ (?:by|with)\b",
    r"^(?:please |then |and |but |so |also |just |rather |better )*(?:use|take|keep|drop|switch|move|swap|stay|stick|"
    r"pick|choose|go with|go for|prefer|avoid|skip|limit|cap|leave|treat|store|round|set|make|put|call|name|charge|pay|book|"
    r"order|plan|schedule|start with|begin with|surge|ban|allow|forbid|disable|enable|require|default to|cut|raise|lower|"
    r"postpone|cancel|merge)\b (?!it$|it\b[.!]?$|that$|this$)",
    # German
    r"\bwir (?:nehmen|machen|bleiben|gehen|verwenden|benutzen|nutzen|setzen|behalten|lassen|streichen|wechseln|verschieben|"
    r"verzichten|brauchen kein\w*|wollen|stellen)\b|\b(?:nehmen|machen|bleiben|verwenden|lassen|streichen) wir\b|"
    r"\bich (?:nehme|will|möchte|bleibe|hätte lieber)\b|\bentschieden\b|\bbeschlossen\b|\bdann (?:nehmen|eben|doch|lieber)\b|"
    r"\bab (?:jetzt|sofort)\b|\bgrundsätzlich\b|\bbis auf weiteres\b|\bdoch (?:lieber|nicht)\b|\bstatt(?:dessen)?\b|"
    r"\bbleibt? (?:bei|es|dabei)\b|^(?:bitte |dann |und |also |lieber )*(?:nimm|nehmt|nehmen sie|verwende|benutze?|lass|"
    r"bleib|streich|setze?|stell|behalte?|verschieb|wechsle|mach (?=\S+ \S+))\b",
    # French, Spanish, Portuguese, Italian, Chinese
    r"\bon (?:prend|garde|part|reste|choisit|utilise|passe|va|fait|met|laisse|abandonne|évite)\b|\bnous (?:prenons|gardons|"
    r"utilisons|allons|passons)\b|\bje (?:prends|préfère|choisis|veux|garde)\b|\bdécidé\b|\bfinalement\b|\bplutôt\b|"
    r"^(?:prends|prenez|garde[sz]?|utilise[sz]?|mets|mettez|laisse[sz]?|passe[sz]?)\b",
    r"\bvamos (?:a|com|con|de|usar|ficar|manter)\b|\b(?:usamos|nos quedamos|dejamos|ponemos|elegimos|decidimos|pasamos|"
    r"cambiamos|ficamos|mantemos|mudamos|escolhemos|passamos|preferimos|preferimos)\b|\bprefiero\b|\bprefiro\b|\bquiero\b|"
    r"\bquero\b|\bdecidido\b|\bal final\b|\bno fim\b|\ba partir de (?:ahora|agora)\b|\bem vez de\b|\ben vez de\b|\bmejor\b|"
    r"\bmelhor\b|^(?:usa|usar|deja|dejar|toma|pon|poner|deixa|deixar|mantém|manter|fica|tira|quita)\b",
    r"\b(?:usiamo|teniamo|prendiamo|restiamo|andiamo con|scegliamo|decidiamo|passiamo|lasciamo|facciamo)\b|\bpreferisco\b|"
    r"\bvoglio\b|\bdeciso\b|\bal posto di\b|\bmeglio\b|\bd['’]ora in poi\b",
    r"我们?(?:用|选|采用|决定|保留|改用|换成)|就用|改成|改为|决定|不用|不要|一律|以后|必须|只能|先用|还是用|换成",
)
# What binds whoever comes later: a rule, a limit, a condition.
BINDS = _any(
    r"\b(?:never|always|must(?:n(?:'|’)t)?|at most|at least|no more than|not before|not after|only|unless|until|every time|"
    r"nothing (?:but|over|above)|max(?:imum)?|minimum|no later than|not allowed|forbidden|required|has to be|have to be|"
    r"ever|should(?:n(?:'|’)t)?|per|each)\b|^(?:\W*(?:and|but|then|so))?\W*no (?!idea|problem|worries|rush|need\b)\w+",
    r"\b(?:nie(?:mals)?|immer|muss|müssen|darf|dürfen|höchstens|mindestens|nur|außer|maximal|spätestens|frühestens|"
    r"nicht vor|pro|jede[rsnm]?|soll(?:en|te)?)\b|^\W*(?:kein\w*|ohne)\b",
    r"\b(?:jamais|toujours|il faut|au plus|au moins|seulement|sauf|maximum|nunca|siempre|sempre|hay que|tem que|deve|debe|"
    r"máximo|mínimo|solo|sólo|só|apenas|mai|massimo|almeno|soltanto|salvo)\b|^\W*(?:pas de|nada de|sin|sem|senza|niente)\b",
    r"永远|从不|总是|必须|最多|至少|只|除非|禁止",
)
REASON = _any(
    r"\b(?:because|since|so that|as (?:we|it|the|they|I)|otherwise|due to|in case|that way|else|hence|weil|da|damit|denn|sonst|"
    r"wegen|deshalb|parce que|car|afin|pour que|sinon|porque|para que|si no|senão|pois|perché|altrimenti|così)\b|因为|否则|以免",
)
# A sentence that gives the reason for the one before it.
GIVES_REASON = _any(
    r"\b(?:could|would|otherwise|because|alone|risk\w*|avoids?|cheaper|faster|safer|simpler|easier|slower|too (?:slow|late|much|"
    r"many|expensive|big|long)|hides?|breaks?|loses?|lost|raced?|fails?|nobody|nothing|no longer|cannot|can(?:'|’)t|needs? no|"
    r"costs? (?:less|more|nothing)|saves?|könnte|würde|sonst|weil|billiger|schneller|sicherer|einfacher|zu (?:teuer|langsam|"
    r"spät)|spart|kostet|sinon|plus (?:simple|rapide|sûr)|más (?:simple|rápido|barato|seguro)|mais (?:simples|rápido|barato|"
    r"seguro)|più (?:semplice|veloce|sicuro|economico))\b",
)
# A proposal of the assistant, which an agreement makes a decision.
PROPOSES = _any(
    r"\bI(?:(?:'|’)d| would)\b|\bI (?:suggest|propose|recommend|can|could)\b|\b(?:we|you) (?:could|can|should|might)\b|"
    r"\bhow about\b|\bwhat about\b|\b(?:shall|should) (?:I|we)\b|\bdo you want\b|\bwant me to\b|\bwould you like\b|\boptions?\b|"
    r"\bmy (?:suggestion|proposal|recommendation|plan)\b|\bproposal\b|\bplan:|\brecommend\w*|\balternativ\w+|\beither\b|"
    r"\bthe (?:safest|simplest|easiest|cheapest|best)\b|\bbetter:|\bthen:",
    r"\b(?:ich würde|würde ich|ich schlage|schlage ich|mein vorschlag|vorschlag|ich empfehle|soll(?:en)? (?:ich|wir)|"
    r"wir könnten|man könnte|sie könnten|du könntest|möchten sie|willst du|entweder|am besten|am einfachsten|sinnvoll)\b",
    r"\b(?:je (?:propose|recommande|suggère|mettrais|ferais|prendrais|peux)|on pourrait|vous pourriez|voulez-vous|veux-tu|"
    r"propongo|sugiero|recomiendo|podemos|podríamos|quieres que|yo (?:pondría|usaría|haría)|proponho|sugiro|recomendo|poderíamos|"
    r"eu (?:faria|usaria|punha|poria)|queres que|quer que|propongo|suggerisco|consiglio|potremmo|vuoi che|io (?:farei|userei))\b",
    r"建议|推荐|可以|要不要|方案",
)
OPTIONS = _any(r"\bor\b|\boptions?\b|\beither\b|\boder\b|\bentweder\b|\bou\b|\bo\b|还是|或者")

# A request for one step, which decides nothing.
STEP = re.compile(
    r"^(?:please |pls |now |then |and |also |just |ok |can you |could you |would you |let(?:'|’)?s |bitte |jetzt |dann |und |noch |"
    r"kannst du |s'il te plaît |por favor |puedes |podes |puoi )*"
    r"(?:commit|push|run|rerun|re-run|show|explain|check|look|list|print|open|read|tell|send|draft|review|test|try|retry|continue|"
    r"proceed|start|stop|wait|remind|summari[sz]e|rebase|format|clean up|undo|paste|give|find|search|compare|describe|verify|debug|"
    r"investigate|translate|proofread|fix|implement|build|create|write|generate|update|document|finish|help|think|plan|go on|carry on|"
    r"next|see|note|save|deploy|release|install|download|upload|add(?= (?:a |the |some )?(?:tests?|docs?|comments?|logging))|"
    r"commite|committe|pushe?|führe?|zeig\w*|erklär\w*|prüf\w*|schau\w*|such\w*|les\w*|schreib\w*|schick\w*|teste?|weiter|mach weiter|"
    r"starte?|warte?|öffne|fass\w*|erstell\w*|formatier\w*|übersetz\w*|vergleich\w*|hilf|speicher\w*|"
    r"montre|explique|vérifie|regarde|lance|continue|envoie|écris|relis|cherche|traduis|muestra|explica|revisa|mira|ejecuta|"
    r"sigue|envía|escribe|busca|traduce|mostra|explica|verifica|corre|roda|continua|envia|escreve|procura|traduz|mostra|spiega|"
    r"controlla|esegui|continua|invia|scrivi|cerca|traduci|提交|运行|继续|看看?|检查|解释|写|生成|翻译|发)(?![\w'’])",
    re.IGNORECASE,
)
# The beginning of a session says what is wanted; that is its task.
TASK = _any(
    r"\b(?:I|we|they|she|he|[A-Z]\w+) (?:need|needs|want|wants|would like|have to|has to|must)\b|\bhelp\b|\bplease\b|\bi(?:'|’)d like\b|"
    r"\b(?:ich|wir|\w+) (?:brauche?n?|braucht|möchte|möchten|muss|müssen|will|wollen|sollen?)\b|\bbitte\b|"
    r"\b(?:j'ai besoin|il (?:me|nous) faut|je veux|je voudrais|necesito|necesitamos|quiero|preciso|precisamos|quero|ho bisogno|"
    r"voglio|vorrei)\b|我(?:想|要|需要)|请|帮"
)
GREETING = re.compile(
    r"^\W*(?:hi|hey|hello|hallo|moin|servus|good (?:morning|afternoon|evening)|guten (?:morgen|tag|abend)|bonjour|bonsoir|salut|"
    r"hola|buen[oa]s(?: (?:días|tardes|noches))?|olá|oi|bo[am] (?:dia|tarde|noite)|ciao|buongiorno|buonasera|morning|你好|您好|早上好)"
    r"(?:\s+(?:there|all|again|zusammen|claude|codex|gemini|nochmal|todos|a todos|tutti))?\s*(?:[,.!:–—，。！]+\s*|$)",
    re.IGNORECASE,
)
LEANS = _any(
    r"\b(?:it|that|those|these|this|them|they|both|same|ones?|there|the (?:latter|former|first|second|third|last|other)|he|she|"
    r"das|dies\w*|es|beide[s]?|so|dort|die (?:erste|zweite|letzte)|der (?:erste|zweite)|ça|cela|celui\w*|les deux|eso|ese|esa|"
    r"ambos|isso|esse|essa|ambas|quello|questa|questo|entrambi)\b|^[^\w]*(?:这|那|它)"
)

# What is left to do. A heading introduces a list, a mark stands inside a sentence.
LEFT_HEADING = re.compile(
    r"^\W*(?:(?:what(?:'|’)?s |what is |is |are |things |points |still |also |otherwise |for \w+ )*(?:left|open|still open|remaining|"
    r"outstanding|pending|to ?do|todos|left to do|still to do|not (?:yet )?done|missing|unresolved|next steps?|next up|next|"
    r"follow[- ]ups?|open (?:points?|items?|questions?|issues?|tasks?)|remaining (?:points?|items?|tasks?|work|steps?)|action items?|"
    r"before (?:the )?\w+|later)(?: (?:for|until|before|on|from|now|here|is|are)(?: \w+){0,3})?|"
    r"(?:(?:es |noch |damit |sonst |jetzt )*(?:offen(?:e punkte| ist| sind| bleib(?:t|en))?|ausstehend|zu tun|zu erledigen|fehl(?:t|en)|to-?dos?|"
    r"nächste schritte|als nächstes|übrig|bleib(?:t|en)|erledigen|was fehlt|was noch fehlt)(?: (?:noch|bleibt|ist|sind|für \w+|bis \w+))*)|"
    r"(?:reste(?:nt)?(?: à faire)?|à faire|en suspens|prochaines étapes|pendientes?|por hacer|quedan?(?: por hacer| pendientes?)?|"
    r"faltan?|próximos pasos|em aberto|por fazer|pendências|fica(?:m)?(?: por fazer| em aberto| pendente)?|faltam?|próximos passos|"
    r"resta(?:no)?(?: da fare)?|da fare|in sospeso|rimane|rimangono|manca(?:no)?|prossimi passi|待办|未完成|剩下的?|还需要|还差|下一步)"
    r"[^:：]{0,30})\s*[:：]",
    re.IGNORECASE,
)
ASKS_WHAT_IS_LEFT = _any(
    r"\bwhat(?:'|’)?s (?:left|open|next|missing|still (?:open|to do|missing|pending)|remaining|outstanding|pending)\b|"
    r"\bwhat (?:is|are|else)(?: still)?(?: (?:left|open|missing|next|to do|pending|remaining|do we|needs|is there))?\W*$|"
    r"\b(?:anything|what) (?:else|left|open|missing|still)\b|\bwhat remains\b|\bopen (?:points|items|questions|tasks)\b|\bto-?dos?\b|"
    r"\bwas (?:ist|bleibt|fehlt|steht)(?: \w+){0,2} (?:noch |offen|aus|übrig|zu tun)|\bwas fehlt\b|\bwas (?:bleibt|steht)(?: noch)?|"
    r"\bnoch (?:offen|etwas|was)\b|\bqu['’]est-ce qu['’]il reste\b|\bque reste\b|\breste[- ]t[- ]il\b|\bqué (?:queda|falta)\b|"
    r"\bo que (?:falta|fica|resta)\b|\bcosa (?:resta|manca|rimane)\b|还(?:有什么|差什么|剩)|还需要"
)
LEFT = _any(
    r"\bstill (?:open|to do|needs?|has to|have to|missing|unclear|waiting|pending|must|to be|isn(?:'|’)t|not|lacks?|wants?|owes?)\b|"
    r"\bnot (?:yet|done yet|written yet|decided yet)\b|\b(?:isn|aren|hasn|haven|wasn|doesn|don)(?:'|’)t (?:\w+ )?(?:yet|written|done|"
    r"finished|decided|confirmed|merged|tested|clear|answered|sent|there)\b|\b(?:has|have|needs?) (?:yet )?to (?:be )?(?:confirm\w*|"
    r"approv\w+|sign\w*|decid\w+|check\w*|answer\w*|review\w*|send|sent|repl\w+|agree\w*|be done)\b|\bwait(?:s|ing)? (?:for|on|until)\b|"
    r"\bto be (?:figured|decided|confirmed|checked|done|agreed|written)\b|\bon (?:my|your|the) (?:to-?do )?list\b|\btodo\b|\btbd\b|"
    r"\bremind me\b|\bremember to\b|\bdon(?:'|’)t forget\b|\bfollow[- ]up\b|\bundecided\b|\bunresolved\b|\bopen question\b|\bblocked (?:by|on|until)\b|"
    r"\bremains? (?:open|to|unclear)\b|\bleft (?:to do|open|for)\b|\boutstanding\b|\bdecide (?:\w+ )?later\b|\bpending\b|"
    r"\bhave to ask\b|\bneed to (?:ask|check|find out|decide|talk)\b|\bcheck with\b|\bask \w+ (?:about|whether|if|for)\b|"
    r"\bnext (?:would be|is|comes|step)\b|\bnext up\b|\blater\b(?= (?:we|I|this))",
    r"\bnoch (?:offen|unklar|nicht|zu|ausstehend|kein\w*|fehl\w*|entscheid\w*|klär\w*|prüf\w*|mach\w*|frag\w*)\b|\bsteht (?:noch )?aus\b|\bfehlt noch\b|\bwartet (?:noch )?auf\b|"
    r"\bmuss (?:noch|erst|ich noch)\b|\bmüssen (?:noch|wir noch|erst)\b|\bzu klären\b|\berinner\w* mich\b|\bnachfragen\b|\bnicht vergessen\b|"
    r"\b(?:bleibt|ist) offen\b|\bals nächstes\b|\bkläre? ich\b|\bmuss ich (?:\w+ ){0,3}fragen\b|\bsteht noch\b",
    r"\bà (?:voir|décider|faire|confirmer|vérifier)\b|\bpas encore\b|\bil reste\b|\ben attente\b|\bdoit encore\b|\brappelle[- ]moi\b|"
    r"\bpor (?:decidir|confirmar|hacer|fazer|definir|escribir|escrever)\b|\bpendientes?\b|\bpendentes?\b|\btodavía (?:no|falta)\b|\baún (?:no|falta)\b|\bainda (?:não|falta)\b|"
    r"\bfalta (?:que|o|a|el|la|confirmar|escribir|escrever|decidir)\b|\bhay que (?:preguntar|confirmar)\b|\bfica (?:para|por|a faltar)\b|\brecuérdame\b|\blembra-me\b|\besperar (?:por|a)\b|\bespera (?:por|a|de)\b|\bà espera\b|"
    r"\bda (?:fare|decidere|confermare|verificare)\b|\bnon ancora\b|\bin attesa\b|\bmanca (?:ancora|la|il)\b|\bricordami\b|\baspetta\b|"
    r"还没|尚未|待(?:定|确认|办)|等.{0,12}(?:确认|回复|批准)|记得|别忘了|下一步|还需要|还要",
)
# A time to come: what is to be done then is open. Said with something to do.
LATER = _any(
    r"\b(?:tomorrow|tonight|next (?:week|month|sprint|time|session|year|release)|in (?:a|an|one|two|three|\d+) (?:day|week|month|hour)s?|"
    r"later (?:today|this)|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|by (?:mon|tues|wednes|thurs|fri|satur|sun)day|"
    r"(?:on|by) the \d+(?:st|nd|rd|th)|after (?:the )?(?:release|launch|holiday|demo|weekend|break)|"
    r"morgen(?: früh)?|nächste[nrs]? (?:woche|monat|mal|jahr)|übermorgen|in (?:einer|zwei|drei|\d+) (?:tag|woche|monat)\w*|"
    r"am (?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)|bis (?:montag|dienstag|mittwoch|donnerstag|freitag)|"
    r"demain|la semaine prochaine|lundi|mañana|la (?:próxima semana|semana que viene)|amanhã|na próxima semana|para a semana|domani|"
    r"la prossima settimana)\b|明天|下周|下个?月|以后再"
)
TO_DO = re.compile(
    r"^(?:(?:I|we|you)(?:(?:'|’)(?:d|ll)| would| will| have to| need to| should| must| can)?|please|then|and|also|ich|wir|bitte|dann)?\s*"
    r"(?:\w+ly )?(?:send|remove|delete|drop|call|ask|order|book|pay|write|check|test|try|publish|deploy|release|merge|review|confirm|"
    r"finish|continue|upload|print|buy|bring|tell|email|mail|post|update|migrate|upgrade|rotate|switch off|turn off|clean|measure|"
    r"decide|discuss|talk|meet|look|do|start|ship|schick\w*|sende?n?|lösch\w*|entfern\w*|bestell\w*|ruf\w*|frag\w*|prüf\w*|schreib\w*|"
    r"mach\w*|zahl\w*|kauf\w*|veröffentlich\w*|würde|werde|envoyer|envoie|supprimer|appeler|enviar|envía|envia|mandar|manda|borrar|apagar|llamar|ligar|"
    r"inviare|manda|cancellare|chiamare|发|删|问|写)(?![\w'’])",
    re.IGNORECASE,
)
# A report that something was done.
DONE = _any(
    r"\b(?:done|finished|removed|deleted|sent|written|wrote|merged|confirmed|added|fixed|updated|moved|deployed|released|committed|"
    r"pushed|renamed|created|booked|ordered|paid|answered|approved|published|gone|replied|signed|closed|is (?:now )?(?:in|on|live|there)|"
    r"erledigt|fertig|entfernt|gelöscht|geschickt|gesendet|geschrieben|bestätigt|gemacht|ergänzt|behoben|bestellt|bezahlt|gebucht|"
    r"verschickt|veröffentlicht|fait|terminé|supprimé|envoyé|écrit|confirmé|ajouté|corrigé|hecho|enviado|borrado|escrito|confirmado|"
    r"añadido|corregido|listo|feito|enviad[oa]|apagad[oa]|escrit[oa]|confirmad[oa]|adicionad[oa]|corrigid[oa]|pronto|fatto|inviato|"
    r"cancellato|scritto|confermato|aggiunto|corretto|finito)\b|已|完成|好了"
)
ERROR_LINE = re.compile(
    r"(?:\b[\w.]*(?:Error|Exception|Warning)\b\s*[:(]|^\s*(?:ERROR|FATAL|error|fatal|Error|panic|Fehler|erreur|errore|erro)\b\s*[:!\[ ]|"
    r"^(?:E  |npm ERR!)|\berror (?:TS|CS|C|E)\d+|error\[E\d+\]|\bexit(?:ed with)?(?: code| status) [1-9]|Segmentation fault|command not found|"
    r"No such file or directory|Permission denied|permission denied|Connection refused|connection refused|timed? ?out|Traceback|"
    r"\b(?:HTTP )?[45]\d\d (?:[A-Z][a-z]+ ?){1,3}|\bFAILED\b|\bcannot \w+|\bundefined reference\b|\bnot found\b|! LaTeX Error)"
)
TELLS_TROUBLE = _any(
    r"\b(?:fails?|failed|failing|crash\w*|broken|breaks?|errors?|exception|bug|doesn(?:'|’)t (?:work|start|build|compile|load)|"
    r"does not (?:work|start|build)|won(?:'|’)t (?:start|build|load)|stuck|hangs?|wrong|fehler\w*|geht nicht|funktioniert nicht|"
    r"abgestürzt|stürzt ab|kaputt|schlägt fehl|bricht ab|erreur|ne marche pas|échoue|plante|no funciona|falla|error|não funciona|"
    r"falha|erro|non funziona|errore|fallisce)\b|报错|错误|失败|崩溃|不工作"
)
SOLVES = _any(
    r"\b(?:cause[ds]?|because|reason|fix(?:ed|es)?|solved|resolved|solution|set|changed|made|added|removed|replaced|pinned|now|"
    r"needs?|missing|must|expects?|first|instead|helps?|restart\w*|upgrad\w+|downgrad\w+|force-\w+|rebuilt|cleared|raised|"
    r"ursache|weil|behoben|gelöst|jetzt|fehlte|gesetzt|geändert|ersetzt|hilft|liegt an|lag an|cause|corrigé|parce que|causa|"
    r"porque|corregido|solucionado|arreglado|corrigido|resolvido|causa|risolto|corretto)\b|原因|因为|修复|解决|改"
)
