"""Paths that steer a stand-in in a process of its own. They are neither noted nor faulted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.standin.faults import Faults
from tests.standin.jobs import JobScript
from tests.standin.messages import Answer, Request

if TYPE_CHECKING:
    from tests.standin.server import Standin

CONTROL = "/_standin/"


def control(standin: Standin, request: Request) -> Answer:
    """Steer a stand-in that runs in a process of its own."""
    match request.method, request.path.removeprefix(CONTROL):
        case "POST", "faults":
            asked = json.loads(request.body or b"{}")
            standin.set_faults(read_faults(asked) if asked else None)
            return Answer(200, {})
        case "POST", "jobs":
            asked = json.loads(request.body or b"{}")
            faults = read_faults(asked.pop("faults", {}))
            standin.set_jobs(JobScript(**asked)._replace(faults=faults))
            return Answer(200, {})
        case "POST", "change-model":
            standin.change_model()
            return Answer(200, {})
        case "GET", "state":
            return Answer(200, {
                "requests": len(standin.requests),
                "delivered": standin.delivered,
                "repeated": standin.repeated,
                "payments": [list(payment) for payment in standin.payments],
                "strays": standin.strays,
            })  # fmt: skip
        case _:
            return Answer(404, {})


def read_faults(asked: dict[str, Any]) -> Faults:
    plan: dict[str, Any] = {name: tuple(one) if isinstance(one, list) else one for name, one in asked.items()}
    return Faults(**plan)
