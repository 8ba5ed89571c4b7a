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
    provider: Annotated[EmbeddingProvider | None, Field("Whose model (`embedding.provider`).", "NAME")] = None
    url: Annotated[str | None, Field("The server (`embedding.url`).", "URL")] = None
    model: Annotated[str | None, Field("The model (`embedding.model`).", "NAME")] = None
    key: Annotated[
        str | None, Field("Where its key is: env:NAME, file:PATH or keyring:SERVICE/NAME (`embedding.key`).", "WHERE")
    ] = None
    dimensions: Annotated[int | None, Field("The width to ask for (`embedding.dimensions`).", "N")] = None


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
    summary="Test the models that are set, or another: whether they answer, how well, how fast, and at what price.",
    help="It sends some twenty short requests and a few long ones, with texts of its own and none of yours; `memoro "
    "usage` counts them as test. A language model that is set gets one question. What it learns about the servers is "
    "kept, and a server that was left alone after failures is asked again.",
    changes_nothing_remembered=True,
)
OPERATIONS = (TEST, *batch_jobs.OPERATIONS)
