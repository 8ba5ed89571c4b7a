"""Models on other machines and in other programs: whether one answers, and how well."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

from memoro.model.vocabulary import EmbeddingProvider
from memoro.operations import batch_jobs
from memoro.operations.fields import Field
from memoro.operations.operation import Caller, Operation

if TYPE_CHECKING:
    from memoro.documents import Document
    from memoro.model_probing import ProbeReport
    from memoro.workspace import Workspace


class TestProvider(NamedTuple):
    provider: Annotated[EmbeddingProvider | None, Field("The provider (`embedding.provider`).", "NAME")] = None
    url: Annotated[str | None, Field("The server (`embedding.url`).", "URL")] = None
    model: Annotated[str | None, Field("The model (`embedding.model`).", "NAME")] = None
    key: Annotated[
        str | None,
        Field(
            "The place of the API key: env:NAME, file:PATH or keyring:SERVICE/NAME (`embedding.key`).",
            "WHERE",
            ("--api-key",),
        ),
    ] = None
    dimensions: Annotated[int | None, Field("The number of dimensions (`embedding.dimensions`).", "N")] = None


def test(m: "Workspace", request: TestProvider, _caller: Caller) -> "ProbeReport":
    from memoro.model_probing import ProbedModel, probe_models

    return probe_models(m.parts, ProbedModel(*request))


def _report(found: "ProbeReport") -> "Document":
    from memoro.documents import plain

    document: Document = plain(found)
    return document


TEST = Operation(
    name="provider test",
    request=TestProvider,
    call=test,
    encode=_report,
    access="admin",
    summary="Test a model: its answers, its speed and its price.",
    help="Without options it tests the models in your settings. It sends about twenty short requests and a few "
    "long ones, with its own texts and none of yours; `memoro usage` counts them as `test`. A language "
    "model gets one question. Memoro keeps what it learns about the servers, and retries a server that it "
    "had paused after failures.",
    changes_nothing_remembered=True,
)
OPERATIONS = (TEST, *batch_jobs.OPERATIONS)
