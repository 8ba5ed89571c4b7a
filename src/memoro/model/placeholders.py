"""Placeholders of secrets in text that comes back: an agent edits what it was shown, and the secret stays.

`[redacted:KIND:HASH8]` names the secret by the start of its digest. Where the replaced text holds that secret, it is
put back; elsewhere the placeholder would destroy a secret or pretend one, so the write is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from memoro.errors import Refused
from memoro.model.secret_patterns import PLACEHOLDER
from memoro.model.secrets import originals, redact
from memoro.model.values import require_text


def placeholders_in(text: str) -> list[str]:
    """Return the placeholders that a text carries, each once."""
    return list(dict.fromkeys(re.findall(PLACEHOLDER, text))) if "[redacted:" in text else []


def check_restorable(text: str, before: str, known: Sequence[str] = ()) -> None:
    """Raise `Refused` unless every placeholder of the text stands for a secret of `before`, or stands in it."""
    missing = [one for one in placeholders_in(require_text(text, "text")) if one not in before]
    held = originals(before, known) if missing and before else {}
    lost = next((one for one in missing if one not in held), None)
    if lost is not None:
        raise Refused(
            f"The text carries {lost}, which stands for a secret that is not in the text it replaces. Leave the "
            "placeholder out, or edit the passage that holds the secret. Nothing was written."
        )


def restore(text: str, before: str, carried: Iterable[str], known: Sequence[str] = ()) -> str:
    """Put the secrets of `before` back in the place of the placeholders that were `carried`.

    Raises `Refused` if a secret would stand in words that do not mark it as one: agents could read it from then on.
    """
    missing = [one for one in carried if one in text and one not in before]
    if not missing:
        return text
    held = {one: secret for one, secret in originals(before, known).items() if one in missing}
    made = put_back(text, held)
    shown = redact(made, known).text
    exposed = next((one for one, secret in held.items() if secret in shown), None)
    if exposed is not None:
        raise Refused(
            f"In these words {exposed} would no longer be recognised as a secret, and agents could read it. Keep the "
            "words around the placeholder as they were. Nothing was written."
        )
    return made


def resolve(part: str, whole: str, known: Sequence[str] = ()) -> str:
    """Return a part of a text that was shown without secrets as it stands in the text."""
    carried = [one for one in placeholders_in(part) if one not in whole]
    return put_back(part, originals(whole, known)) if carried else part


def put_back(text: str, secrets: Mapping[str, str]) -> str:
    for shown, secret in secrets.items():
        padding = "\n" * secret.count("\n")  # which the output filter leaves, so that lines keep their numbers
        text = text.replace(shown + padding, secret).replace(shown, secret)
    return text
