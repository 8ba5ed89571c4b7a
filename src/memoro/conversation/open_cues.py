"""Words that tell what is left to do, and what was done. English and German first."""

from __future__ import annotations

import re

from memoro.conversation.digest_cues import any_of

# What is left to do. A heading introduces a list, a mark stands inside a sentence.
LEFT_HEADING = re.compile(
    r"^\W*(?:(?:what(?:'|’)?s |what is |is |are |things |points |still |also |otherwise |for \w+ )*(?:left|open|"
    r"still open|remaining|"
    r"outstanding|pending|to ?do|todos|left to do|still to do|not (?:yet )?done|missing|unresolved|next steps?|"
    r"next up|next|"
    r"follow[- ]ups?|open (?:points?|items?|questions?|issues?|tasks?)|remaining (?:points?|items?|tasks?|work|"
    r"steps?)|action items?|"
    r"before (?:the )?\w+|later|tomorrow|next (?:time|session|week))"
    r"(?: (?:for|until|before|on|from|now|here|is|are)(?: \w+){0,3})?|"
    r"(?:(?:es |noch |damit |sonst |jetzt )*(?:offen(?:e punkte| ist| sind| bleib(?:t|en))?|ausstehend|zu tun|"
    r"zu erledigen|fehl(?:t|en)|to-?dos?|"
    r"nächste schritte|als nächstes|(?:das |beim )?nächste[ns]? mal|nächste woche|morgen|"
    r"übrig|bleib(?:t|en)|erledigen|was fehlt|was noch fehlt)(?: (?:noch|bleibt|"
    r"ist|sind|für \w+|bis \w+))*)|"
    r"(?:(?:il )?reste(?:nt)?(?: à faire)?|à faire|en suspens|prochaines étapes|pendientes?|por hacer|"
    r"quedan?(?: por hacer| pendientes?)?|"
    r"faltan?|próximos pasos|em aberto|por fazer|pendências|fica(?:m)?(?: por fazer| em aberto| pendente)?|"
    r"faltam?|próximos passos|"
    r"resta(?:no)?(?: da fare)?|da fare|in sospeso|rimane|rimangono|manca(?:no)?|prossimi passi|待办|"
    r"未完成|剩下的?|还需要|还差|下一步)"
    r"[^:：]{0,30})\s*[:：]",
    re.IGNORECASE,
)
ASKS_WHAT_IS_LEFT = any_of(
    r"\bwhat(?:'|’)?s (?:left|open|next|missing|still (?:open|to do|missing|pending)|remaining|outstanding|"
    r"pending)\b|"
    r"\bwhat (?:is|are|else)(?: still)?(?: (?:left|open|missing|next|to do|pending|remaining|do we|needs|"
    r"is there))?\W*$|"
    r"\b(?:anything|what)(?: else)?(?: (?:is|are|that(?:(?:'|’)s| is)))? "
    r"(?:left|open|missing|still|to do|pending|outstanding)\b|"
    r"\b(?:anything|what) else(?: (?:for|do (?:we|I|you)|(?:we|I|you)) .*(?:need|have|must|do|today|now|here))?\W*$|"
    r"\bwhat remains\b|\bopen (?:points|items|questions|"
    r"tasks)\b|\bto-?dos?\b|"
    r"\bwas (?:ist|bleibt|fehlt|steht)(?: \w+){0,2} (?:noch |offen|aus|übrig|zu tun)|\bwas fehlt\b|"
    r"\bwas (?:bleibt|steht)(?: noch)?|"
    r"\bnoch (?:offen|etwas|was)\b|\bqu['’]est-ce qu['’]il reste\b|\bque reste\b|\breste[- ]t[- ]il\b|"
    r"\bqué (?:queda|falta)\b|"
    r"\bo que (?:falta|fica|resta)\b|\bcosa (?:resta|manca|rimane)\b|还(?:有什么|差什么|剩)|还需要"
)
LEFT = any_of(
    r"(?<!was )(?<!were )\bstill (?:open|to do|needs?|has to|have to|missing|unclear|waiting|pending|must|to be|"
    r"isn(?:'|’)t|not|"
    r"lacks?|wants?|owes?)\b|"
    r"\bnot (?:yet(?! (?:valid|in force|available|supported|reachable|known|defined))|"
    r"done yet|written yet|decided yet)\b|\b(?:isn|aren|hasn|haven|wasn|doesn|don)(?:'|"
    r"’)t (?:\w+ )?(?:yet|written|done|"
    r"finished|decided|confirmed|merged|tested|clear|answered|sent|there)\b|\b(?:has|have|"
    r"needs?) (?:yet )?to (?:be )?(?:confirm\w*|"
    r"approv\w+|sign\w*|decid\w+|check\w*|answer\w*|review\w*|send|sent|repl\w+|agree\w*|be done)\b|\bwait(?:s|"
    r"ing) (?:for (?!nothing)|on|until)\b|"
    r"\bto be (?:figured|decided|confirmed|checked|done|agreed|written)\b|\bon (?:my|your|"
    r"the) (?:to-?do )?list\b|\btodo\b|\btbd\b|"
    r"\bremind me\b|\bremember to\b|\bdon(?:'|’)t forget\b|\bfollow[- ]up\b|\bundecided\b|\bunresolved\b|"
    r"\bopen question\b|\bblocked (?:by|on|until)\b|"
    r"\bremains? (?:open|to|unclear)\b|\bleft (?:to do|open|for)\b|\boutstanding\b|\bdecide (?:\w+ )?later\b|"
    r"\bpending\b|"
    r"\bhave to ask\b|\bneed to (?:ask|check|find out|decide|talk)\b|\bcheck with\b|\bask \w+ (?:about|whether|"
    r"if|for)\b|"
    r"\bnext (?:would be|is|comes|step)\b|\bnext up\b|\blater\b(?= (?:we|I|this))",
    r"(?<!war )(?<!waren )\bnoch (?:offen|unklar|nicht|zu|ausstehend|kein\w*|fehl\w*|entscheid\w*|klär\w*|prüf\w*|"
    r"mach\w*|frag\w*)\b|"
    r"\bsteht (?:noch )?aus\b|\bfehl(?:t|en) noch\b|\bes fehl(?:t|en)\b|\bwartet (?:noch )?auf\b|"
    r"\bmuss (?:noch|erst|ich noch)\b|\bmüssen (?:noch|wir noch|erst)\b|\bzu klären\b|\berinner\w* mich\b|"
    r"\bnachfragen\b|\bnicht vergessen\b|"
    r"\b(?:bleibt|ist) offen\b|\bals nächstes\b|\bkläre? ich\b|\bmuss ich (?:\w+ ){0,3}fragen\b|\bsteht noch\b",
    r"\bà (?:voir|décider|faire|confirmer|vérifier)\b|\bpas encore\b|\bil reste\b|\ben attente\b|\bdoit encore\b|"
    r"\brappelle[- ]moi\b|"
    r"\bpor (?:decidir|confirmar|hacer|fazer|definir|escribir|escrever)\b|\bpendientes?\b|\bpendentes?\b|"
    r"\btodavía (?:no|falta)\b|\baún (?:no|falta)\b|\bainda (?:não|falta)\b|"
    r"\bfalta (?:que|o|a|el|la|confirmar|escribir|escrever|decidir)\b|\bhay que (?:preguntar|confirmar)\b|"
    r"\bfica (?:para|por|a faltar)\b|\brecuérdame\b|\blembra-me\b|\besperar (?:por|a)\b|\bespera (?:por|a|de)\b|"
    r"\bà espera\b|"
    r"\bda (?:fare|decidere|confermare|verificare)\b|\bnon ancora\b|\bin attesa\b|\bmanca (?:ancora|la|il)\b|"
    r"\bricordami\b|\baspetta\b|"
    r"还没|尚未|待(?:定|确认|办)|等.{0,12}(?:确认|回复|批准)|记得|别忘了|下一步|还需要|还要",
)
# Said by the assistant near the end: somebody else's part, and what is prepared only.
WAITS_FOR_OTHERS = re.compile(
    r"\b(?:the|our|your|der|die|das|euer|eure|Ihr|Ihre|Herr|Frau|[A-ZÄÖÜ]\w+)(?: [\w.'’-]+){0,4} "
    r"(?:has to|have to|needs to|need to) |"
    r"\bnot (?:enabled|merged|deployed|tested|sent|published|switched on|live|active)\b|"
    r"\bnoch nicht (?:aktiv|live|an)\b"
)
# A time to come: what is to be done then is open. Said with something to do.
LATER = any_of(
    r"\b(?:tomorrow|tonight|next (?:week|month|sprint|time|session|year|release)|in (?:a|an|one|two|three|"
    r"\d+) (?:day|week|month|hour)s?|"
    r"later (?:today|this)|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|by (?:mon|tues|wednes|thurs|fri|satur|"
    r"sun)day|"
    r"(?:on|by) the \d+(?:st|nd|rd|th)|before (?:mon|tues|wednes|thurs|fri|satur|sun)day|over ?night|"
    r"after (?:the )?(?:release|launch|holiday|demo|weekend|break)|"
    r"morgen(?: früh)?|nächste[nrs]? (?:woche|monat|mal|jahr)|übermorgen|in (?:einer|zwei|drei|\d+) (?:tag|woche|"
    r"monat)\w*|"
    r"am (?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)|bis (?:montag|dienstag|mittwoch|"
    r"donnerstag|freitag)|"
    r"demain|la semaine prochaine|lundi|mañana|la (?:próxima semana|semana que viene)|amanhã|na próxima semana|"
    r"para a semana|domani|"
    r"la prossima settimana)\b|明天|下周|下个?月|以后再"
)
PLANS = any_of(
    r"\bwürden? (?:ich|wir)\b|\b(?:ich|wir) (?:würden?|werden?)\b|\bwerden? (?:ich|wir)\b|\b(?:je|on|"
    r"nous) (?:vais|va|allons)\b|"
    r"\b(?:I|we|you|he|she|they)(?:(?:'|’)ll| will| have to| has to| need(?:s)?(?: to)?| must| should|"
    r" want(?:s)?(?: to)?)\b|"
    r"\b\w+ (?:has to|needs?|wants?|must)\b|\bill\b|\bwill do\b|"
    r"\b(?:brauche?n?|braucht|muss|müssen|müsste|soll|sollte|will|wollen)\b|\b(?:il faut|je dois|on doit|doit)\b|"
    r"\b(?:tengo que|hay que|necesito|tenemos que|preciso|tenho de|tenho que|devo|dobbiamo)\b|要|需要"
)
TO_DO = re.compile(
    r"^(?:(?:I|we|you)(?:(?:'|’)(?:d|ll)| would| will| have to| need to| should| must| can)?|please|then|and|"
    r"also|ich|wir|bitte|dann)?\s*"
    r"(?:\w+ly )?(?:send|remove|delete|drop|call|ask|order|book|pay|write|check|test|try|publish|deploy|release|"
    r"merge|review|confirm|"
    r"finish|continue|upload|print|buy|bring|tell|email|mail|post|update|migrate|upgrade|rotate|switch off|"
    r"turn off|clean|measure|"
    r"decide|discuss|talk|meet|ship|schick\w*|sende?n?|lösch\w*|entfern\w*|bestell\w*|ruf\w*|frag\w*|prüf\w*|"
    r"schreib\w*|"
    r"mach\w*|zahl\w*|kauf\w*|veröffentlich\w*|würde|werde|envoyer|envoie|supprimer|appeler|enviar|envía|envia|"
    r"mandar|manda|borrar|apagar|llamar|ligar|"
    r"inviare|manda|cancellare|chiamare|发|删|问|写)(?![\w'’])",
    re.IGNORECASE,
)
# A report that something was done.
DONE = any_of(
    r"\b(?:done|finished|removed|deleted|sent|written|wrote|merged|confirmed|added|fixed|updated|moved|deployed|"
    r"released|committed|"
    r"pushed|renamed|created|booked|ordered|paid|answered|approved|published|gone|replied|signed|closed|"
    r"is (?:now )?(?:in|on|live|there)|"
    r"erledigt|fertig|entfernt|gelöscht|geschickt|gesendet|geschrieben|bestätigt|gemacht|ergänzt|behoben|"
    r"bestellt|bezahlt|gebucht|"
    r"verschickt|veröffentlicht|fait|terminé|supprimé|envoyé|écrit|confirmé|ajouté|corrigé|hecho|enviado|borrado|"
    r"escrito|confirmado|"
    r"añadido|corregido|listo|feito|enviad[oa]|apagad[oa]|escrit[oa]|confirmad[oa]|adicionad[oa]|corrigid[oa]|"
    r"pronto|fatto|inviato|"
    r"cancellato|scritto|confermato|aggiunto|corretto|finito)\b|已|完成|好了"
)
