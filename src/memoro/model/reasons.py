"""Whether a message asks for a reason, and whether a text gives one."""

from memoro.model.phrases import Phrases

_ASKS = Phrases(
    ("why|how come", r"\bwhy\b|\bhow come\b"),
    (
        "reason|rationale|what sp",
        r"\b(?:the|a|our|what) (?:reasons?|rationale)\b|\bwhat (?:speaks|spoke) (?:for|against)\b",
    ),
    ("warum|wieso|weshalb|grund|gründe|wozu", r"\b(?:warum|wieso|weshalb|wozu|aus welchem grund|grund|gründe)\b"),
    ("pourquoi|por qu|perché|waarom|为什么|为何", r"\b(?:pourquoi|por ?qu[eé]|perché|waarom)\b|为什么|为何"),
)
_GIVES = Phrases(
    (
        "because|since|so that|so nothing|due to|thanks to",
        r"\b(?:because|so that|so nothing|due to|thanks to)\b|,? since (?!\d)",
    ),
    (
        "can't|cannot|could|too |not enough|otherwise|hide|break|avoid",
        r"\b(?:can't|cannot|could not|couldn't|too \w+|not enough|otherwise|hides?|breaks?|avoids?)\b",
    ),
    (
        "rather than|instead of|need|save|cost|faster|slower|cheaper|safer|simpler|easier|error-prone|dangerous",
        r"\b(?:rather than|instead of|needs? no|saves?|costs?|faster|slower|cheaper|safer|simpler|easier"
        r"|error-prone|dangerous)\b",
    ),
    (
        "weil|damit|denn|sonst|zu |deshalb|daher|darum|wegen",
        r"\b(?:weil|damit|denn|sonst|deshalb|daher|darum|wegen|zu (?:teuer|langsam|groß|viel))\b",
    ),
    ("parce qu|car|pour que|sinon|trop", r"\b(?:parce qu\w*|car|pour que|sinon|trop)\b"),
    ("porque|para que|ya que|pois|demasiado", r"\b(?:porque|para que|ya que|pois|demasiado)\b"),
    ("因为|由于|否则|所以|太", r"因为|由于|否则|所以|太\w"),
)


def asks_for_reason(message: str) -> bool:
    return _ASKS.are_in(message)


def gives_reason(text: str) -> bool:
    return _GIVES.are_in(text)
