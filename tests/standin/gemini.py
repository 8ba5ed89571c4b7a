"""Gemini: embedContent, batchEmbedContents, resumable uploads and batch jobs."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any

from tests.standin import refusals
from tests.standin.embeddings import Embedding, Models, Spoiling
from tests.standin.faults import Row
from tests.standin.jobs import Files, Job, Jobs, Line, Outcome, StoredFile, arriving, write
from tests.standin.messages import Answer, Refused, Request
from tests.standin.options import MODELS
from tests.standin.vectors import WIDTHS

_CALL = re.compile(r"/(?P<version>v1|v1beta)/(?P<name>.+?)(?::(?P<verb>\w+))?")
_UPLOAD = re.compile(r"/upload/(v1|v1beta)/files")
_TASKS = frozenset({
    "RETRIEVAL_DOCUMENT", "RETRIEVAL_QUERY", "SEMANTIC_SIMILARITY", "CLASSIFICATION", "CLUSTERING",
    "QUESTION_ANSWERING", "FACT_VERIFICATION", "CODE_RETRIEVAL_QUERY",
})  # fmt: skip
_WITHOUT_TASKS = "gemini-embedding-2"  # ignores task types, takes prefixes, and returns vectors of length one
_LONGEST = {"gemini-embedding-001": 2048}
_PAGE = 50
_STATES = {"completed": "SUCCEEDED", "failed": "FAILED", "expired": "EXPIRED", "cancelled": "CANCELLED"}


class Gemini:
    """Answers all calls of Gemini's API that have to do with embeddings."""

    def __init__(self, models: Models, jobs: Jobs) -> None:
        self.jobs = jobs
        self.files = Files("files/")
        self._models = models
        self._about: dict[str, dict[str, Any]] = {}
        self._uploads: dict[str, str] = {}  # names of files by the id of their upload

    def answer(self, request: Request, spoiling: Spoiling) -> Answer | None:
        """Return the answer to a request; None where there is no such call. Raises `Refused`."""
        if _UPLOAD.fullmatch(request.path):
            return self._upload(request)
        match = _CALL.fullmatch(request.path.removeprefix("/download"))
        if match is None:
            return None
        name, verb = match["name"], match["verb"]
        kind, _, rest = name.partition("/")
        match request.method, kind, verb:
            case "POST", "models", str():
                return self._embed(request, rest, verb, spoiling)
            case "GET", "models", None:
                return self._show_models(rest)
            case method, "batches", _:
                return self._job_call(request, f"{method} {verb or ''}".strip(), name if rest else "")
            case method, "files", _:
                return self._file_call(request, f"{method} {verb or ''}".strip(), name if rest else "")
            case _:
                return None

    def texts(self, request: Request) -> tuple[str, ...]:
        """Return the texts that a request wants vectors of."""
        if request.method != "POST" or "mbedContent" not in request.path:
            return ()
        try:
            body = json.loads(request.body)
            if "batch" in body:
                return tuple(text for line in self._lines("", body) if line.asked for text in line.asked.texts)
            return tuple(_text(one) for one in body.get("requests", [body]))
        except (ValueError, KeyError, TypeError, AttributeError, Refused):
            return ()

    def _embed(self, request: Request, model: str, verb: str, spoiling: Spoiling) -> Answer | None:
        self._models.model(model)
        body = request.json
        match verb:
            case "embedContent":
                asked = self._read(model, body)
                rows = self._models.rows(asked, _in_order(spoiling))
                document = {"embedding": {"values": rows[0].values}} if rows else {"embedding": {}}
                return Answer(200, document, arriving=_usable(rows, 1), paid=asked.texts)
            case "batchEmbedContents":
                return self._embed_many(model, body, spoiling)
            case "asyncBatchEmbedContent" if self._models.options.has_batches:
                return self._create(request, model, body)
            case _:
                return None

    def _embed_many(self, model: str, body: Any, spoiling: Spoiling) -> Answer:
        requests = body.get("requests") or []
        if not requests:
            raise Refused(_refuse("* BatchEmbedContentsRequest.requests: at least one request is needed."))
        for one in requests:
            if one.get("model") != f"models/{model}":
                raise Refused(
                    _refuse("* BatchEmbedContentsRequest.requests: the model must be the same as in the path.")
                )
        asked = [self._read(model, one) for one in requests]
        whole = asked[0]._replace(texts=tuple(text for one in asked for text in one.texts))
        if any(one._replace(texts=()) != whole._replace(texts=()) for one in asked):
            raise Refused(_refuse("The stand-in takes only requests of one kind together."))
        rows = self._models.rows(whole, _in_order(spoiling))
        document = {"embeddings": [{"values": row.values} for row in rows]}
        return Answer(200, document, arriving=_usable(rows, len(requests)), paid=whole.texts)

    def _read(self, model: str, body: Any) -> Embedding:
        """Read one request. Several parts are one text: this is how one vector for many comes about."""
        task = body.get("taskType") or body.get("task_type")
        if task is not None and task not in _TASKS:
            raise Refused(_refuse(f"Invalid value at 'task_type' (type.googleapis.com/TaskType), \"{task}\""))
        text = _text(body)
        if not text:
            raise Refused(_refuse("* EmbedContentRequest.content: contents is not specified"))
        dimensions = body.get("outputDimensionality") or body.get("output_dimensionality")
        width = WIDTHS.get(model, self._models.options.dimensions)
        if dimensions is not None and not 0 < dimensions <= width:
            raise Refused(_refuse(f"* EmbedContentRequest.output_dimensionality: must be from 1 to {width}."))
        is_2 = model == _WITHOUT_TASKS
        return Embedding(
            model=model,
            texts=(text,),
            dimensions=dimensions,
            is_query=not is_2 and task is not None and task.endswith("QUERY"),
            cuts=True,
            longest=_LONGEST.get(model),
            is_unit=is_2 or dimensions is None,
        )

    def _show_models(self, name: str) -> Answer:
        names = self._models.options.models or MODELS["gemini"]
        models = [
            {"name": f"models/{one}", "supportedGenerationMethods": ["embedContent", "asyncBatchEmbedContent"]}
            for one in names
        ]
        if not name:
            return Answer(200, {"models": models})
        self._models.model(name)
        return Answer(200, {"name": f"models/{name}", "supportedGenerationMethods": ["embedContent"]})

    # Files

    def _upload(self, request: Request) -> Answer:
        command = request.headers.get("x-goog-upload-command", "")
        if request.query.get("uploadType") == "multipart":
            return self._upload_at_once(request)
        if command == "start" and request.headers.get("x-goog-upload-protocol") == "resumable":
            upload = f"upload-{request.number}"
            about = (request.json if request.body else {}).get("file", {})
            self._uploads[upload] = about.get("display_name") or about.get("displayName") or ""
            place = f"http://{request.headers['host']}{request.path}?upload_id={upload}&upload_protocol=resumable"
            return Answer(200, b"", {"x-goog-upload-url": place, "x-goog-upload-status": "active"})
        name = self._uploads.pop(request.query.get("upload_id", ""), None)
        if name is None or command != "upload, finalize" or request.headers.get("x-goog-upload-offset") != "0":
            raise Refused(_refuse("Invalid upload: unknown upload, command or offset."))
        file = self.files.add(name, request.body)
        return Answer(200, {"file": _file_document(file)}, {"x-goog-upload-status": "final"})

    def _upload_at_once(self, request: Request) -> Answer:
        boundary = request.headers.get("content-type", "").partition("boundary=")[2].strip('"').encode()
        parts = [part.removeprefix(b"\r\n").partition(b"\r\n\r\n")[2].removesuffix(b"\r\n")
                 for part in request.body.split(b"--" + boundary)[1:-1]]  # fmt: skip
        if len(parts) != 2:
            raise Refused(_refuse("Invalid upload: two parts are needed."))
        about = json.loads(parts[0]).get("file", {})
        file = self.files.add(about.get("display_name") or about.get("displayName") or "", parts[1])
        return Answer(200, {"file": _file_document(file)})

    def _file_call(self, request: Request, call: str, name: str) -> Answer | None:
        if call == "GET" and not name:
            page, token = _page(self.files.all(), request)
            return Answer(200, {"files": [_file_document(file) for file in page], **token})
        file = self.files.get(name)
        if file is None:
            raise Refused(refusals.error("gemini", 404, f"File {name} not found."))
        match call:
            case "GET":
                return Answer(200, _file_document(file))
            case "GET download" if request.query.get("alt") == "media":
                return Answer(200, file.content, {"Content-Type": "application/jsonl"}, arriving=file.arriving)
            case "DELETE":
                self.files.delete(name)
                return Answer(200, {})
            case _:
                return None

    # Batch jobs

    def _create(self, request: Request, model: str, body: Any) -> Answer:
        batch = body.get("batch") or {}
        lines = self._lines(model, body)
        if not lines:
            raise Refused(_refuse("* AsyncBatchEmbedContentRequest.batch.input_config: no requests."))
        config = _config(batch)
        is_file = "file_name" in config or "fileName" in config
        with self.jobs.alone:
            job = self.jobs.create(lines, request.number)
            self._about[job.id] = {"model": model, "name": batch.get("displayName", ""), "is_file": is_file}
            return Answer(200, self._document(job))

    def _lines(self, model: str, body: Any) -> list[Line]:
        """Read the input of a job: in a file, or in the request."""
        config = _config(body.get("batch") or {})
        name = config.get("file_name") or config.get("fileName")
        if name is None:
            given = config.get("requests", {}).get("requests", [])
            return [self._line(model, str(place), one) for place, one in enumerate(given)]
        file = self.files.get(name)
        if file is None:
            raise Refused(refusals.error("gemini", 404, f"File {name} not found."))
        documents = [json.loads(line) for line in file.content.splitlines() if line.strip()]
        return [self._line(model, str(one.get("key")), one) for one in documents]

    def _line(self, model: str, key: str, document: Any) -> Line:
        try:
            return Line(key, self._read(model, document["request"]))
        except Refused as refused:
            return Line(key, None, refused.answer)

    def _job_call(self, request: Request, call: str, name: str) -> Answer | None:
        if call == "GET" and not name:
            page, token = _page(self.jobs.all(), request)
            return Answer(200, {"operations": [self._document(job) for job in page], **token})
        job = self.jobs.get(name)
        if job is None:
            raise Refused(refusals.error("gemini", 404, f"Requested entity was not found: {name}."))
        match call:
            case "GET":
                return self._poll(job)
            case "POST cancel":
                if not self.jobs.cancel(job):
                    raise Refused(_refuse("The batch has ended already."))
                return Answer(200, {})
            case "DELETE":
                self.jobs.delete(name)
                return Answer(200, {})
            case _:
                return None

    def _poll(self, job: Job) -> Answer:
        with self.jobs.alone:
            job.polls += 1
            document = self._document(job)
            is_inline = job.end is not None and not self._about[job.id]["is_file"]
            return Answer(200, document, arriving=arriving(job.done) if is_inline else ())

    def _document(self, job: Job) -> dict[str, Any]:
        with self.jobs.alone:
            about, end = self._about[job.id], job.end
            state = _STATES[end] if end else ("RUNNING" if job.polls > 1 else "PENDING")
            metadata: dict[str, Any] = {
                "@type": "type.googleapis.com/google.ai.generativelanguage.v1main.EmbedContentBatch",
                "model": f"models/{about['model']}",
                "displayName": about["name"],
                "state": f"BATCH_STATE_{state}",
                "createTime": _time(job.created_at),
                "updateTime": _time(job.created_at),
                "name": job.id,
                "batchStats": _stats(job),
            }
            if end is None:
                return {"name": job.id, "metadata": metadata}
            if not job.done and not job.failed:
                return {"name": job.id, "metadata": metadata, "done": True, "error": _ended(end)}
            output = self._output(job, about["is_file"])
            return {"name": job.id, "metadata": {**metadata, "output": output}, "done": True, "response": output}

    def _output(self, job: Job, is_file: bool) -> dict[str, Any]:
        if not is_file:
            answers = [_result(outcome) for outcome in job.outcomes]
            return {"inlinedEmbedContentResponses": {"inlinedResponses": answers}}
        if job.output is None:
            content = write(job, job.outcomes, _output_line)
            job.output = self.files.add(f"{job.id}-output", content, arriving(job.done))
        return {"responsesFile": job.output.id}


def _config(batch: Any) -> dict[str, Any]:
    found = batch.get("inputConfig") or batch.get("input_config") or {}
    assert isinstance(found, dict)
    return found


def _text(body: Any) -> str:
    return " ".join(part["text"] for part in body["content"]["parts"])


def _refuse(message: str) -> Answer:
    return refusals.error("gemini", 400, message)


def _in_order(spoiling: Spoiling) -> Spoiling:
    return spoiling._replace(fault=None) if spoiling.fault == "reordered" else spoiling


def _usable(rows: list[Row], count: int) -> tuple[str, ...]:
    """Nothing says which text a vector belongs to: only a complete answer can be used."""
    return tuple(row.text for row in rows if row.is_right) if len(rows) == count else ()


def _result(outcome: Outcome) -> dict[str, Any]:
    if outcome.error is not None:
        document: Any = outcome.error.document
        return {"error": document["error"]}
    return {"response": {"embedding": {"values": outcome.rows[0].values if outcome.rows else []}}}


def _output_line(outcome: Outcome) -> bytes:
    return json.dumps({"key": outcome.line.key, **_result(outcome)}).encode() + b"\n"


def _stats(job: Job) -> dict[str, str]:
    """Return the counts of a job, which Gemini writes as strings and leaves out where they are zero."""
    done, failed = (len(job.done), len(job.failed)) if job.end else (0, 0)
    counts = {
        "requestCount": len(job.lines),
        "successfulRequestCount": done,
        "failedRequestCount": failed,
        "pendingRequestCount": len(job.lines) - done - failed,
    }
    return {name: str(count) for name, count in counts.items() if count}


def _ended(end: str) -> dict[str, Any]:
    code, word = {"expired": (4, "DEADLINE_EXCEEDED"), "cancelled": (1, "CANCELLED")}.get(end, (13, "INTERNAL"))
    return {"code": code, "message": f"The batch has {end}.", "status": word}


def _file_document(file: StoredFile) -> dict[str, Any]:
    return {
        "name": file.id,
        "displayName": file.name,
        "mimeType": "application/jsonl",
        "sizeBytes": str(len(file.content)),
        "createTime": _time(file.created_at),
        "state": "ACTIVE",
    }


def _page(found: list[Any], request: Request) -> tuple[list[Any], dict[str, str]]:
    start, size = int(request.query.get("pageToken") or 0), int(request.query.get("pageSize", _PAGE))
    token = {"nextPageToken": str(start + size)} if start + size < len(found) else {}
    return found[start : start + size], token


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
