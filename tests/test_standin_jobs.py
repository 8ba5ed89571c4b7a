"""The stand-in's batch jobs of OpenAI and its Gemini: upload, create, poll, read, cancel, and how they go wrong."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any

import httpx
import numpy
import openai
import pytest

from tests.standin import Faults, JobScript, Options, Standin, standin
from tests.standin.clients import new_client, official

MODEL = "text-embedding-3-small"
TEXTS = [f"text number {number}" for number in range(12)]


def lines_for(texts: list[str]) -> bytes:
    lines = [
        {
            "custom_id": f"id-{place}",
            "method": "POST",
            "url": "/v1/embeddings",
            "body": {"model": MODEL, "input": text},
        }
        for place, text in enumerate(texts)
    ]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def create(client: Any, content: bytes) -> Any:
    file = client.files.create(file=("in.jsonl", io.BytesIO(content)), purpose="batch")
    return client.batches.create(
        input_file_id=file.id, endpoint="/v1/embeddings", completion_window="24h", metadata={"mine": "one"}
    )


def poll_to_the_end(client: Any, job: str) -> tuple[Any, list[str]]:
    seen = []
    for _ in range(10):
        found = client.batches.retrieve(job)
        seen.append(found.status)
        if found.status in ("completed", "failed", "expired", "cancelled"):
            break
    return found, seen


def read_lines(client: Any, file: str) -> list[Any]:
    return [json.loads(line) for line in client.files.content(file).text.splitlines()]


def test_the_official_client_runs_a_batch_job():
    with standin("openai") as server, official(server) as client:
        job = create(client, lines_for(TEXTS))
        assert job.status == "validating" and server.delivered == []
        found, seen = poll_to_the_end(client, job.id)
        output = read_lines(client, found.output_file_id)

        assert seen == ["in_progress", "finalizing", "completed"] and found.error_file_id is None
        assert (found.request_counts.total, found.request_counts.completed) == (12, 12)
        assert [line["custom_id"] for line in output] != [f"id-{place}" for place in range(12)]  # another order
        for line in output:
            text = TEXTS[int(line["custom_id"].removeprefix("id-"))]
            vector = line["response"]["body"]["data"][0]["embedding"]
            numpy.testing.assert_allclose(vector, server.vector(text, MODEL), atol=1e-6)
        assert sorted(server.delivered) == sorted(TEXTS)
        assert [(one.text, one.job) for one in server.payments] == [(text, job.id) for text in TEXTS]


def test_jobs_are_listed_with_their_metadata_and_files_are_deleted():
    with standin("openai") as server, official(server) as client:
        jobs = [create(client, lines_for(["a"])) for _ in range(3)]
        listed = list(client.batches.list(limit=2))  # the client asks for the next page by itself

        assert [job.id for job in listed] == [job.id for job in jobs][::-1]
        assert listed[0].metadata == {"mine": "one"}
        assert client.files.delete(jobs[0].input_file_id).deleted
        with pytest.raises(openai.NotFoundError):
            client.files.retrieve(jobs[0].input_file_id)
        assert [file.filename for file in client.files.list()] == ["in.jsonl", "in.jsonl"]


def test_a_job_with_a_repeated_custom_id_or_a_broken_line_fails_and_costs_nothing():
    with standin("openai") as server, official(server) as client:
        for content, code in ((lines_for(["a"]) * 2, "duplicate_custom_id"), (b"{\n", "invalid_json_line")):
            found, _ = poll_to_the_end(client, create(client, content).id)
            assert found.status == "failed" and found.errors.data[0].code == code
        assert not server.payments


def test_bad_lines_are_in_the_error_file_and_the_others_in_the_output():
    with standin("openai", options=Options(poison=("number 3",))) as server, official(server) as client:
        found, _ = poll_to_the_end(client, create(client, lines_for([*TEXTS, ""])).id)
        errors = read_lines(client, found.error_file_id)

        assert found.status == "completed"
        assert (found.request_counts.completed, found.request_counts.failed) == (11, 2)
        assert {line["custom_id"] for line in errors} == {"id-3", "id-12"}
        assert all(line["response"]["body"]["error"]["message"] for line in errors)


def test_an_expired_job_has_partial_output_and_names_what_it_left_out():
    with standin("openai") as server, official(server) as client:
        server.set_jobs(JobScript(polls=0, end="expired", share=0.5))
        found, _ = poll_to_the_end(client, create(client, lines_for(TEXTS)).id)
        output, errors = read_lines(client, found.output_file_id), read_lines(client, found.error_file_id)

        assert (found.status, len(output), len(errors)) == ("expired", 6, 6)
        assert errors[0]["response"] is None and errors[0]["error"]["code"] == "batch_expired"
        assert len(server.payments) == 6


def test_a_cancelled_job_is_paid_as_far_as_it_went():
    with standin("openai") as server, official(server) as client:
        job = create(client, lines_for(TEXTS))
        assert client.batches.cancel(job.id).status == "cancelling"
        found, _ = poll_to_the_end(client, job.id)

        assert found.status == "cancelled" and len(read_lines(client, found.output_file_id)) == 6
        assert len(server.payments) == 6
        with pytest.raises(openai.ConflictError):
            client.batches.cancel(job.id)


def test_lines_of_a_job_can_fail_be_missing_or_hold_nonsense():
    script = Faults(script=("dropped", "500", "nan", "cut off", None))
    with standin("openai") as server, official(server) as client:
        server.set_jobs(JobScript(polls=0, faults=script))
        found, _ = poll_to_the_end(client, create(client, lines_for(TEXTS[:5])).id)
        client.files.content(found.output_file_id)

        assert found.request_counts.failed == 1
        assert server.delivered == [TEXTS[4]]


def test_a_server_without_batches_knows_no_such_address():
    with (
        standin("openai", options=Options(has_batches=False)) as server,
        official(server) as client,
        pytest.raises(openai.NotFoundError),
    ):
        create(client, lines_for(["a"]))


# Gemini

G1, G2 = "gemini-embedding-001", "gemini-embedding-2"


def gemini(server: Standin, method: str, path: str, body: object = None, **more: Any) -> httpx.Response:
    with new_client() as client:
        headers = {"x-goog-api-key": "right", **more.pop("headers", {})}
        return client.request(method, f"{server.root}{path}", json=body, headers=headers, **more)


def request_for(text: str, model: str = G1, **more: object) -> dict[str, object]:
    return {"model": f"models/{model}", "content": {"parts": [{"text": text}]}, **more}


def test_gemini_embeds_one_text_and_many_in_order():
    with standin("gemini") as server:
        one = gemini(server, "POST", f"/v1beta/models/{G1}:embedContent", request_for("a boat")).json()
        body = {"requests": [request_for(text) for text in TEXTS]}
        many = gemini(server, "POST", f"/v1/models/{G1}:batchEmbedContents", body).json()["embeddings"]

        numpy.testing.assert_allclose(one["embedding"]["values"], server.vector("a boat", G1), atol=1e-6)
        for text, found in zip(TEXTS, many, strict=True):
            numpy.testing.assert_allclose(found["values"], server.vector(text, G1), atol=1e-6)
        assert server.delivered == ["a boat", *TEXTS] and server.requests[1].texts == tuple(TEXTS)


def test_a_shorter_vector_of_the_older_gemini_model_has_not_length_one():
    with standin("gemini") as server:
        lengths = []
        for model in (G1, G2):
            body = request_for("a boat on a lake", model, outputDimensionality=768)
            values = gemini(server, "POST", f"/v1beta/models/{model}:embedContent", body).json()["embedding"][
                "values"
            ]
            lengths.append(float(numpy.linalg.norm(values)))
            assert len(values) == 768

    assert lengths[0] < 0.99 and lengths[1] == pytest.approx(1, abs=1e-5)


def test_several_parts_are_one_vector_and_roles_need_task_types():
    with standin("gemini") as server:
        parts = {"content": {"parts": [{"text": "a"}, {"text": "b"}]}}
        found = gemini(server, "POST", f"/v1beta/models/{G2}:embedContent", parts).json()
        numpy.testing.assert_allclose(found["embedding"]["values"], server.vector("a b", G2), atol=1e-6)

        def query_and_document(model: str) -> list[Any]:
            return [
                gemini(
                    server, "POST", f"/v1/models/{model}:embedContent", request_for("a", model, taskType=task)
                ).json()
                for task in ("RETRIEVAL_QUERY", "RETRIEVAL_DOCUMENT")
            ]

        query, document = query_and_document(G1)
        assert query != document
        query, document = query_and_document(G2)
        assert query == document


def test_gemini_refuses_in_its_own_words():
    with standin("gemini", options=Options(key="right")) as server:
        too_many = gemini(
            server, "POST", f"/v1/models/{G1}:batchEmbedContents", {"requests": [request_for("a")] * 101}
        )
        missing = gemini(server, "POST", "/v1/models/missing:embedContent", request_for("a"))
        no_key = gemini(server, "GET", "/v1/models", headers={"x-goog-api-key": "wrong"})
        server.set_faults(Faults(kinds=("429 seconds",), retry_after=12))
        limited = gemini(server, "GET", "/v1/models")

    assert (too_many.status_code, missing.status_code, no_key.status_code) == (400, 404, 400)
    assert no_key.json()["error"]["details"][0]["reason"] == "API_KEY_INVALID"
    assert limited.json()["error"]["details"][0]["retryDelay"] == "12s"


def upload(server: Standin, content: bytes) -> str:
    start = {
        "X-Goog-Upload-Protocol": "resumable",
        "X-Goog-Upload-Command": "start",
        "X-Goog-Upload-Header-Content-Length": str(len(content)),
        "X-Goog-Upload-Header-Content-Type": "application/jsonl",
    }
    about = {"file": {"display_name": "mine", "mime_type": "application/jsonl"}}
    begun = gemini(server, "POST", "/upload/v1beta/files", about, headers=start)
    assert begun.headers["x-goog-upload-url"].startswith(server.root)
    path = begun.headers["x-goog-upload-url"].removeprefix(server.root)
    finish = {"X-Goog-Upload-Command": "upload, finalize", "X-Goog-Upload-Offset": "0"}
    done = gemini(server, "POST", path, headers=finish, content=content)
    assert done.headers["x-goog-upload-status"] == "final" and done.json()["file"]["state"] == "ACTIVE"
    name: str = done.json()["file"]["name"]
    return name


def start_job(server: Standin, config: Mapping[str, object]) -> dict[str, Any]:
    body = {"batch": {"displayName": "mine", "inputConfig": config}}
    found = gemini(server, "POST", f"/v1beta/models/{G1}:asyncBatchEmbedContent", body)
    document: dict[str, Any] = found.json()
    assert found.status_code == 200, document
    return document


def poll(server: Standin, name: str) -> tuple[dict[str, Any], list[str]]:
    states = []
    for _ in range(10):
        document: dict[str, Any] = gemini(server, "GET", f"/v1beta/{name}").json()
        states.append(document["metadata"]["state"].removeprefix("BATCH_STATE_"))
        if document.get("done"):
            break
    return document, states


def test_a_gemini_job_from_a_file_has_its_results_in_a_file():
    keyed = [{"key": f"k{place}", "request": request_for(text)} for place, text in enumerate([*TEXTS, ""])]
    with standin("gemini") as server:
        name = upload(server, b"".join(json.dumps(one).encode() + b"\n" for one in keyed))
        created = start_job(server, {"file_name": name})
        document, states = poll(server, created["name"])
        output = document["metadata"]["output"]["responsesFile"]
        content = gemini(server, "GET", f"/v1beta/{output}:download?alt=media").text
        again = gemini(server, "GET", f"/download/v1beta/{output}:download?alt=media").text
        results = {line["key"]: line for line in map(json.loads, content.splitlines())}

        assert created["metadata"]["batchStats"] == {"requestCount": "13", "pendingRequestCount": "13"}
        assert states == ["PENDING", "RUNNING", "SUCCEEDED"] and content == again
        assert results["k12"]["error"]["code"] == 400 and len(results) == 13
        for place, text in enumerate(TEXTS):
            values = results[f"k{place}"]["response"]["embedding"]["values"]
            numpy.testing.assert_allclose(values, server.vector(text, G1), atol=1e-6)
        assert len(server.payments) == 12 and set(server.delivered) == set(TEXTS)


def test_a_gemini_job_with_its_texts_in_the_request_answers_in_their_order():
    inline = {"requests": {"requests": [{"request": request_for(text)} for text in TEXTS]}}
    with standin("gemini") as server:
        server.set_jobs(JobScript(polls=0, faults=Faults(script=(None, "500"))))
        created = start_job(server, inline)
        document, _ = poll(server, created["name"])
        answers = document["metadata"]["output"]["inlinedEmbedContentResponses"]["inlinedResponses"]
        listed = gemini(server, "GET", "/v1beta/batches?pageSize=10").json()["operations"]

        assert [("error" in one) for one in answers] == [place == 1 for place in range(12)]
        assert listed[0]["metadata"]["displayName"] == "mine" and listed[0]["name"] == created["name"]
        assert server.delivered == [TEXTS[0], *TEXTS[2:]]


def test_a_gemini_job_expires_or_is_cancelled():
    inline = {"requests": {"requests": [{"request": request_for("a")}]}}
    with standin("gemini") as server:
        server.set_jobs(JobScript(polls=0, end="expired", share=0))
        document, states = poll(server, start_job(server, inline)["name"])
        assert states == ["EXPIRED"] and document["error"]["message"] and not server.payments
        server.set_jobs(JobScript())
        name = start_job(server, inline)["name"]
        assert gemini(server, "POST", f"/v1beta/{name}:cancel", {}).status_code == 200
        assert poll(server, name)[1] == ["CANCELLED"]
        assert gemini(server, "DELETE", f"/v1beta/{name}").status_code == 200
        assert gemini(server, "GET", f"/v1beta/{name}").status_code == 404
