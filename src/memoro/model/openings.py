"""Words that begin a sentence and say nothing by themselves: agreement, courtesy, greetings, introductions."""

import re

# A word of agreement or of courtesy at the beginning of a sentence, which says nothing by itself.
OPENING = re.compile(
    r"^(?:(?:and|but|so|well|hm+|oh|ah|ach|uh|actually|eigentlich|ok(?:ay|i)?|k|yes|yep|yeah|yup|sure|fine|great|"
    r"good|nice|perfect|cool|right|"
    r"exactly|true|lovely|brilliant|excellent|agreed|deal|done|thanks|thank you|thx|cheers|please|got it|understood|"
    r"makes sense|sounds good|fair(?: enough| point)?|of course|good (?:idea|point|call|catch)|you(?:'|"
    r"’)re right|alright|"
    r"all right|go ahead|awesome|super|wunderbar|prima|gut|ja|jo|jep|klar|genau|stimmt|passt|einverstanden|danke|"
    r"bitte|"
    r"gerne|alles klar|in ordnung|verstanden|sehr gut|perfekt|toll|schön|okee|oui|d['’]accord|merci|parfait|"
    r"très bien|bien|"
    r"super|sí|si|vale|de acuerdo|gracias|claro|perfecto|bueno|muy bien|sim|certo|obrigad[oa]|ótimo|perfeito|"
    r"combinado|tá|"
    r"sì|va bene|grazie|perfetto|d['’]accordo|certo|好的?|是的?|可以|行|谢谢|没问题|嗯|对|haha|👍|👌|✅|\+1)"
    r"(?:\s*[,.!:;–—。，！]+\s*|\s+(?=(?:and|but|then|so|let|please|und|dann|aber)\b)|\s*$)\s*|(?:ok(?:ay)?|yes|yep|"
    r"yeah|ja|jo|jep|oui|sí|sim|sì|hm+|actually|eigentlich|meanwhile|thanks|thx|danke|merci|gracias|obrigad[oa]|"
    r"grazie)\s+(?=\w))+",
    re.IGNORECASE,
)
# What introduces a remark and says nothing about it.
INTRODUCES = re.compile(
    r"^(?:(?:and |und |oh,? )?(?:last (?:one|thing)|one (?:more )?(?:thing|question)|(?:a )?small thing|"
    r"another thing|next|also|by the way|btw|"
    r"noch (?:was|eins|etwas|eine (?:sache|frage))|übrigens|außerdem|kleinigkeit|nächstes|une (?:chose|question)|"
    r"autre chose|"
    r"(?:una|otra) cosa|uma coisa|outra coisa|un['’]altra cosa|una cosa|另外|还有)\b[^:,.?!：，]{0,24}[:,：，]\s*)+",
    re.IGNORECASE,
)
# A greeting before something else.
GREETING = re.compile(
    r"^\W*(?:hi|hey|hello|hallo|moin|servus|good (?:morning|afternoon|evening)|guten (?:morgen|tag|abend)|"
    r"bonjour|bonsoir|salut|"
    r"hola|buen[oa]s(?: (?:días|tardes|noches))?|olá|oi|bo[am] (?:dia|tarde|noite)|ciao|buongiorno|buonasera|"
    r"morning|你好|您好|早上好)"
    r"(?:\s+(?:there|all|again|zusammen|claude|codex|gemini|nochmal|todos|a todos|tutti))?"
    r"\s*(?:[,.!:–—，。！]+\s*|$)",
    re.IGNORECASE,
)
