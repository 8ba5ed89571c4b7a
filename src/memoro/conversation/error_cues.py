"""Words that tell of an error, and of what solved it. English and German first."""

from __future__ import annotations

import re

from memoro.conversation.digest_cues import any_of

ERROR_LINE = re.compile(
    r"(?:\b[\w.]*(?:Error|Exception|Warning)\b\s*[:(]|(?:^\s*|: |\s-\s)(?:ERROR|FATAL|error|[Ff]atal|Error|panic|"
    r"Fehler|erreur|errore|erro)\b\s*[:!\[]|"
    r"^(?:E  |npm ERR!)|\berror (?:TS|CS|C|E)\d+|error\[E\d+\]|\bexit(?:ed with)?(?: code| status) [1-9]|"
    r"Segmentation fault|command not found|"
    r"No such file or directory|Permission denied|permission denied|Connection refused|connection refused|"
    r"timed out|(?<!the )(?<!our )(?<!its )(?<!a )\b(?:i/o|connection|connect|request|gateway|read|write|wait) "
    r"timeout\b(?! (?:of|to|is|from|for|should|must|setting|value|in|at)\b)|"
    r"\b[Tt]imeout (?:error|exceeded|expired|after|while|waiting|reading|connecting|reached|occurred)\b|"
    r"(?<!the )\b[Tt]imeouts\b(?! (?:of|are|should|must|to|for|at)\b)|Traceback|"
    r"\bHTTP [45]\d\d\b|\b[45]\d\d (?:Bad|Unauthorized|Payment|Forbidden|Not|Method|Request|Conflict|Gone|Payload|"
    r"Unsupported|Unprocessable|Locked|Failed|Too|Internal|Service|Gateway|Network)\b|"
    r"\bFAILED\b|\bcannot \w+|\bundefined reference\b|\bnot found\b|"
    r"! LaTeX Error)"
)
TELLS_TROUBLE = any_of(
    r"\b(?:fails?|failed|failing|crash(?:es|ed|ing)|broken|breaks|exception|bug|"
    r"(?:does|did|wo|ca|could)(?:n(?:'|’)t| not) (?:work|start|build|compile|load|boot|connect|respond|reach|"
    r"log in|deploy|sync|install)|can(?:not| not) (?:start|build|load|boot|connect|reach|log in|deploy|install)|"
    r"stuck|hangs|reboots|keeps (?:crash|fail|dy|restart)ing|(?:dies|died) (?:with|at|on|after|when|every|since)|"
    r"drops every|no longer works|"
    r"stopped working|geht nicht|funktioniert nicht|startet nicht|abgestürzt|stürzt ab|kaputt|schlägt fehl|"
    r"bricht ab|hängt|"
    r"ne (?:marche|fonctionne|démarre) pas|échoue|plante|no (?:funciona|arranca)|falla|se cuelga|não (?:funciona|"
    r"arranca)|falha|"
    r"non (?:funziona|parte)|fallisce|si blocca)\b|\b(?:error|fehler|erreur|errore?|erro)\b(?![-\w])|"
    r"报错|错误|失败|崩溃|不工作"
)
# "Thursday doesn't work for me" is no error.
IS_NO_ERROR = any_of(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b.{0,20} (?:do(?:es)?n(?:'|’)t work|(?:is|are) bad)\b|"
    r"\b(?:do(?:es)?n(?:'|’)t|does not|do not) work for (?:me|us|him|her|them)\b"
)
SUPPOSES = any_of(
    r"\b(?:if|unless|when something|want|should|must|would|wenn|falls|soll|will|si|se|quiero|quero|voglio|"
    r"je veux)\b|如果"
)
SOLVES = any_of(
    r"\b(?:cause[ds]?|because|reason|fix(?:ed|es)?|solved|resolved|solution|set|changed|made|added|removed|"
    r"replaced|pinned|now|"
    r"needs?|missing|must|expects?|first|instead|helps?|restart\w*|upgrad\w+|downgrad\w+|force-\w+|rebuilt|"
    r"cleared|raised|"
    r"ursache|lösung|weil|behoben|behebt|gelöst|löst|jetzt|fehlte|gesetzt|geändert|ersetzt|hilft|liegt an|lag an|"
    r"cause|corrigé|parce que|causa|"
    r"porque|corregido|solucionado|arreglado|corrigido|resolvido|causa|risolto|corretto)\b|原因|因为|修复|解决|改"
)
