"""A stand-in for providers of embeddings: a loopback server that speaks their formats and misbehaves on a seed.

    with standin("openai", seed=3, faults=Faults(kinds=("500", "short"), probability=0.2)) as server:
        ...  # embedding.url = server.url
        assert not server.repeated  # no text was sent again whose vector had arrived

`python -m tests.standin --flavour ollama` runs it as a process of its own.
"""

from tests.standin.faults import (
    ALL_FAULTS,
    BODY_FAULTS,
    CAP_FAULTS,
    FINE,
    LINE_FAULTS,
    STATUS_FAULTS,
    VECTOR_FAULTS,
    Fault,
    Faults,
)
from tests.standin.jobs import Job, JobScript
from tests.standin.messages import Request
from tests.standin.options import FLAVOURS, LIMITS, Flavour, Limits, Options
from tests.standin.records import Payment
from tests.standin.server import Standin, standin
from tests.standin.vectors import BYTES_A_TOKEN, count_tokens

__all__ = [
    "standin", "Standin", "Flavour", "FLAVOURS", "Options", "Limits", "LIMITS",
    "Fault", "Faults", "FINE", "ALL_FAULTS", "LINE_FAULTS", "STATUS_FAULTS", "BODY_FAULTS", "VECTOR_FAULTS",
    "CAP_FAULTS", "Request", "Payment", "Job", "JobScript", "BYTES_A_TOKEN", "count_tokens",
]  # fmt: skip
