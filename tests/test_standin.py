"""The stand-in speaks the formats of the providers: their own clients understand it, and its faults are as named."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from email.utils import parsedate_to_datetime

import httpx
import numpy
import openai
import pytest

from tests.standin import (
    ALL_FAULTS,
    BYTES_A_TOKEN,
    CAP_FAULTS,
    FLAVOURS,
    VECTOR_FAULTS,
    Fault,
    Faults,
    Limits,
    Options,
    Standin,
    count_tokens,
    standin,
)
from tests.standin.clients import new_client, official

MODEL = "loopback-embed"
TEXTS = ["The boat is red", "The boat is green", "Tax is due in May"]


def ask(server: Standin, texts: Sequence[str] = TEXTS, model: str = MODEL, **more: object) -> httpx.Response:
    body = {"model": model, "input": list(texts), **more}
    headers = {"Authorization": "Bearer right"}
    with new_client() as client:
        return client.post(f"{server.root}/v1/embeddings", json=body, headers=headers)


def get(server: Standin, path: str) -> httpx.Response:
    with new_client() as client:
        return client.get(f"{server.root}{path}", headers={"Authorization": "Bearer right"})


def message_of(response: httpx.Response) -> str:
    document = response.json()
    return str(document.get("detail") or document.get("message") or document["error"]["message"])


def rows_of(response: httpx.Response) -> dict[int, list[float]]:
    return {row["index"]: row["embedding"] for row in response.json()["data"]}


def test_the_official_client_reads_the_vectors_and_the_usage():
    with standin("openai") as server, official(server) as client:
        answer = client.embeddings.create(model="text-embedding-3-small", input=TEXTS)

        assert server.requests[0].json["encoding_format"] == "base64"  # what the client asks for by itself
        assert [len(one.embedding) for one in answer.data] == [1536] * 3
        assert answer.usage.prompt_tokens == sum(map(count_tokens, TEXTS))
        for place, text in enumerate(TEXTS):
            numpy.testing.assert_array_equal(
                numpy.float32(answer.data[place].embedding), server.vector(text, "text-embedding-3-small")
            )


def test_floats_and_base64_are_the_same_vectors_and_dimensions_shorten_them():
    with standin("openai") as server, official(server) as client:
        plain = client.embeddings.create(model=MODEL, input="a b", dimensions=64, encoding_format="float")
        packed = client.embeddings.create(model=MODEL, input="a b", dimensions=64)

    assert len(plain.data[0].embedding) == 64
    numpy.testing.assert_allclose(plain.data[0].embedding, packed.data[0].embedding, atol=1e-7)
    assert numpy.linalg.norm(plain.data[0].embedding) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("429 seconds", openai.RateLimitError),
        ("quota", openai.RateLimitError),
        ("key refused", openai.AuthenticationError),
        ("500", openai.InternalServerError),
        ("dropped", openai.APIConnectionError),
        ("reset", openai.APIConnectionError),
    ],
)
def test_the_official_client_names_the_faults(fault: Fault, error: type[Exception]):
    with standin("openai", faults=fault) as server, official(server) as client:
        with pytest.raises(error) as raised:
            client.embeddings.create(model=MODEL, input=TEXTS)

        assert fault != "quota" or raised.value.code == "insufficient_quota"  # type: ignore[attr-defined]
        assert not server.delivered


def test_the_official_client_lists_the_models_and_refuses_a_wrong_key():
    with standin("openai", options=Options(key="right")) as server:
        with official(server) as client:
            assert "text-embedding-3-small" in [model.id for model in client.models.list()]
        with official(server, key="wrong") as client, pytest.raises(openai.AuthenticationError):
            client.models.list()


def test_openai_refuses_what_is_too_much_and_empty_texts():
    with standin("openai") as server:
        too_many = ask(server, ["a"] * 2049)
        too_long = ask(server, ["a" * (8192 * BYTES_A_TOKEN + 1)])
        too_much = ask(server, ["a" * 8000 * BYTES_A_TOKEN] * 38)
        empty = ask(server, ["a", ""])

    assert [answer.status_code for answer in (too_many, too_long, too_much, empty)] == [400] * 4
    assert "2048" in message_of(too_many) and "8192" in message_of(too_long) and "300000" in message_of(too_much)


def test_ollama_cuts_long_texts_and_says_nothing():
    beginning = "same " * 600
    with standin("ollama") as server:
        rows = rows_of(ask(server, [f"{beginning} one end", f"{beginning} another"]))

    assert rows[0] == rows[1]


def test_ollama_fails_a_whole_batch_for_one_text_and_misses_models():
    with standin("ollama", options=Options(poison=("NaN maker",))) as server:
        poisoned = ask(server, ["good", "the NaN maker"])
        alone = ask(server, ["good"])
        missing = ask(server, model="missing-model")

    assert (poisoned.status_code, alone.status_code, missing.status_code) == (500, 200, 404)
    assert "unsupported value: NaN" in message_of(poisoned) and "try pulling it first" in message_of(missing)


def test_ollama_has_its_own_calls():
    with standin("ollama", options=Options(models=("nomic-embed-text:latest",))) as server:
        tags, version = get(server, "/api/tags").json(), get(server, "/api/version").json()
        with new_client() as client:
            body = {"model": "nomic-embed-text", "input": ["a", "b"]}
            own = client.post(f"{server.root}/api/embed", json=body).json()
            missing = client.post(f"{server.root}/api/embed", json={"model": "other", "input": "a"})

    assert [model["name"] for model in tags["models"]] == ["nomic-embed-text:latest"]
    assert version["version"] and len(own["embeddings"]) == 2
    assert missing.status_code == 404 and missing.json()["error"].startswith('model "other" not found')


def test_lm_studio_ignores_base64_and_loads_a_model_at_its_first_use():
    with standin("lmstudio", options=Options(load_seconds=0.2)) as server:
        start = time.monotonic()
        first = ask(server, encoding_format="base64")
        loaded = time.monotonic()
        ask(server)

        assert loaded - start >= 0.2
        assert isinstance(first.json()["data"][0]["embedding"], list)


def test_quarter_width_base64_is_a_quarter_as_wide():
    with standin("openai", faults="quarter") as server:
        packed = ask(server, encoding_format="base64").json()["data"][0]["embedding"]

        assert len(base64.b64decode(packed)) == 256  # bytes, and 256 numbers were expected
        assert not server.delivered


def test_llama_cpp_loads_first_and_refuses_from_513_tokens():
    with standin("llamacpp", options=Options(load_seconds=30)) as server:
        assert ask(server).status_code == get(server, "/health").status_code == 503
    with standin("llamacpp") as server:
        assert ask(server, ["a" * 512 * BYTES_A_TOKEN]).status_code == 200
        refused = ask(server, ["a" * 513 * BYTES_A_TOKEN])
        assert refused.status_code == 500 and "input is too large to process" in message_of(refused)
        assert get(server, "/health").json() == {"status": "ok"}


def test_vllm_refuses_dimensions_and_long_texts():
    with standin("vllm") as server:
        refused = ask(server, dimensions=64)
        long = ask(server, ["a" * 8193 * BYTES_A_TOKEN])

    assert (refused.status_code, long.status_code) == (400, 400)
    assert "matryoshka" in message_of(refused) and "maximum context length is 8192" in message_of(long)


def test_tei_takes_32_texts():
    with standin("tei") as server:
        assert ask(server, ["a"] * 32).status_code == 200
        refused = ask(server, ["a"] * 33)

    assert refused.status_code == 413 and "maximum allowed batch size 32" in message_of(refused)


def test_voyage_has_its_own_fields():
    with standin("voyage", options=Options(limits=Limits(4, 60, 50))) as server:

        def voyage(texts: Sequence[str] = TEXTS, **more: object) -> httpx.Response:
            return ask(server, texts, "voyage-3.5", **more)

        query, document = voyage(input_type="query"), voyage(input_type="document")
        assert rows_of(query) != rows_of(document) and len(rows_of(query)[0]) == 1024
        assert len(rows_of(voyage(output_dimension=256))[0]) == 256
        assert document.json()["usage"] == {"total_tokens": sum(map(count_tokens, TEXTS))}
        assert voyage(encoding_format="float").status_code == 400
        assert voyage(dimensions=256).status_code == 400
        assert "batch size limit is 4" in message_of(voyage(["a"] * 5))
        assert "tokens per submitted batch is 60" in message_of(voyage(["a" * 100] * 3))
        assert voyage(["a" * 300]).status_code == 200
        assert voyage(["a" * 300], truncation=False).status_code == 400


def test_both_forms_of_retry_after_are_sent():
    with standin(faults=Faults(script=("429 seconds", "429 date"), retry_after=7)) as server:
        seconds, date = ask(server).headers["Retry-After"], ask(server).headers["Retry-After"]

    assert seconds == "7" and abs(parsedate_to_datetime(date).timestamp() - time.time() - 7) < 3


def test_a_redirection_leads_to_another_port_where_visits_are_noted():
    with standin(faults="redirect 307") as server:
        answer = ask(server)
        assert answer.status_code == 307 and not server.strays
        with new_client(follow_redirects=True) as client:
            client.post(f"{server.url}/embeddings", json={}, headers={"Authorization": "Bearer right"})

        assert server.strays == ["POST /v1/embeddings"]


@pytest.mark.parametrize("fault", CAP_FAULTS)
def test_a_cap_refuses_more_texts_and_names_its_number_or_not(fault: Fault):
    cap = int(fault.rsplit(" ", 1)[1])
    with standin(faults=fault) as server:
        assert ask(server, ["a"] * cap).status_code == 200
        refused = ask(server, ["a"] * (cap + 1))

    assert refused.status_code == 400 and (str(cap) in message_of(refused)) == (not fault.startswith("silent"))


@pytest.mark.parametrize("fault", VECTOR_FAULTS)
def test_exactly_the_usable_vectors_of_a_faulty_answer_count_as_delivered(fault: Fault):
    with standin(seed=5, faults=fault) as server:
        data = json.loads(ask(server, encoding_format="float").content)["data"]
        usable = []
        for row in data:
            values = numpy.array(row["embedding"], float)
            if values.shape == (256,) and numpy.isfinite(values).all() and values.any() and "index" in row:
                numpy.testing.assert_allclose(values, server.vector(TEXTS[row["index"]], MODEL), atol=1e-6)
                usable.append(TEXTS[row["index"]])

        assert sorted(server.delivered) == sorted(usable)
        assert len(data) == {"one for many": 1}.get(fault, len(data))
        assert fault not in ("nan", "null", "zeros") or len(usable) == 2


def test_nothing_counts_as_delivered_where_the_body_is_broken_or_its_reader_has_gone():
    broken: tuple[Fault, ...] = ("cut off", "reset", "dropped", "hang", "html", "gzip bomb", "huge", "500", "slow")
    with standin(faults=Faults(script=broken, slow_seconds=2)) as server:
        for _ in broken:
            with new_client(timeout=0.2) as client:
                try:
                    body = {"model": MODEL, "input": TEXTS}
                    url = f"{server.url}/embeddings"
                    with client.stream("POST", url, json=body, headers={"Authorization": "Bearer right"}) as answer:
                        next(answer.iter_raw(), b"")
                except httpx.HTTPError:
                    continue

        assert [request.fault for request in server.requests] == list(broken)
        assert not server.delivered


def test_a_text_sent_again_after_its_vector_arrived_is_noted():
    with standin(faults=Faults(script=("500", None, None))) as server:
        ask(server, ["a"])
        ask(server, ["a"])
        assert not server.repeated
        ask(server, ["b", "a"])

        assert server.repeated == ["a"]
        assert [payment.text for payment in server.payments] == ["a", "b", "a"]


def test_a_seed_repeats_its_faults_and_another_has_others():
    def faults_of(seed: int) -> list[str | None]:
        with standin(seed=seed, faults=Faults(kinds=("500", "short", "429"), probability=0.5)) as server:
            for _ in range(20):
                ask(server)
            return [request.fault for request in server.requests]

    assert faults_of(1) == faults_of(1) != faults_of(2)
    assert None in faults_of(1) and "500" in faults_of(1)


def test_another_model_behind_the_same_name_has_other_vectors_that_are_as_near_each_other():
    with standin() as server:
        before = rows_of(ask(server, encoding_format="float"))
        server.change_model()
        after = rows_of(ask(server, encoding_format="float"))

    assert numpy.dot(before[0], after[0]) < 0.5
    assert numpy.dot(before[0], before[1]) == pytest.approx(numpy.dot(after[0], after[1]), abs=1e-5)
    assert numpy.dot(after[0], after[1]) > numpy.dot(after[0], after[2])


def test_a_stopped_server_refuses_connections_and_comes_back_on_its_port():
    with standin() as server:
        server.stop()
        with pytest.raises(httpx.ConnectError):
            ask(server)
        server.start()
        assert ask(server).status_code == 200


@pytest.mark.parametrize("flavour", [one for one in FLAVOURS if one != "gemini"])
def test_every_flavour_lists_its_models(flavour):
    with standin(flavour) as server:
        assert get(server, "/v1/models").json()["object"] == "list"
        assert get(server, "/v1/nothing").status_code == 404


def test_no_fault_breaks_the_server():
    with standin(faults=Faults(script=ALL_FAULTS, slow_seconds=0.05, hang_seconds=0.05)) as server:
        for _ in ALL_FAULTS:
            try:
                ask(server, ["a"] * 70)
            except (httpx.HTTPError, OSError):
                continue

        assert [request.fault for request in server.requests] == list(ALL_FAULTS)
        assert ask(server).status_code == 200


@pytest.mark.process
def test_it_runs_as_a_process_that_keeps_its_log_in_a_file(tmp_path):
    log = tmp_path / "log.jsonl"
    command = [sys.executable, "-m", "tests.standin", "--flavour", "ollama", "--seed", "3", "--log", str(log)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        with new_client() as client:
            root = url.removesuffix("/v1")
            client.post(f"{root}/_standin/faults", json={"script": ["500"]})
            answers = [client.post(f"{url}/embeddings", json={"model": MODEL, "input": ["a"]}) for _ in range(2)]
            state = client.get(f"{root}/_standin/state").json()
        process.communicate("")

    events = [json.loads(line)["event"] for line in log.read_text("utf-8").splitlines()]
    assert [answer.status_code for answer in answers] == [500, 200]
    assert events == ["request", "request", "paid", "delivered"]
    assert (state["requests"], state["delivered"], state["repeated"]) == (2, ["a"], [])
