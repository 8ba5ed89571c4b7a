"""OpenAI's files and batches: /v1/files and /v1/batches."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from tests.standin import embeddings, refusals
from tests.standin.jobs import Files, Job, Jobs, Line, Outcome, StoredFile, arriving, write
from tests.standin.messages import Answer, Refused, Request

MOST_LINES = 50_000
MOST_BYTES = 200 << 20
_ENDPOINT = "/v1/embeddings"
_HOURS = 24


class OpenAIBatches:
    """Answers for files and batch jobs."""

    def __init__(self, jobs: Jobs) -> None:
        self.jobs = jobs
        self.files = Files("file-")
        self._about: dict[str, dict[str, Any]] = {}  # what jobs were created with, by their ids

    def answer(self, request: Request) -> Answer | None:
        """Return the answer to a request; None where it is none for files or jobs. Raises `Refused`."""
        parts = request.path.strip("/").split("/")[1:]  # without the version
        match request.method, *parts:
            case "POST", "files":
                return self._upload(request)
            case "GET", "files":
                return self._list_files(request)
            case "GET", "files", file:
                return Answer(200, _file_document(self._file(file)))
            case "GET", "files", file, "content":
                stored = self._file(file)
                headers = {"Content-Type": "application/octet-stream"}
                return Answer(200, stored.content, headers, arriving=stored.arriving)
            case "DELETE", "files", file:
                self._file(file)
                self.files.delete(file)
                return Answer(200, {"id": file, "object": "file", "deleted": True})
            case "POST", "batches":
                return self._create(request)
            case "GET", "batches":
                return self._list_jobs(request)
            case "GET", "batches", job:
                return self._poll(self._job(job))
            case "POST", "batches", job, "cancel":
                return self._cancel(self._job(job))
            case _:
                return None

    def texts(self, request: Request) -> tuple[str, ...]:
        """Return the texts of the job that a request creates."""
        if (request.method, request.path) != ("POST", "/v1/batches"):
            return ()
        try:
            file = self.files.get(str(json.loads(request.body).get("input_file_id")))
        except (ValueError, AttributeError):
            return ()
        lines = _lines(file.content)[0] if file else []
        return tuple(text for line in lines if line.asked for text in line.asked.texts)

    def _upload(self, request: Request) -> Answer:
        fields = read_form(request)
        if fields.get("purpose", ("", b""))[1] != b"batch" or "file" not in fields:
            raise Refused(refusals.error("openai", 400, "'purpose' must be 'batch', and 'file' is required."))
        name, content = fields["file"]
        if len(content) > MOST_BYTES or not name.endswith(".jsonl"):
            raise Refused(refusals.error("openai", 400, f"Invalid file: {name} must be .jsonl of at most 200 MB."))
        return Answer(200, _file_document(self.files.add(name, content)))

    def _list_files(self, request: Request) -> Answer:
        page, has_more = _page(self.files.all(), request)
        return _list([_file_document(file) for file in page], has_more)

    def _file(self, file: str) -> StoredFile:
        found = self.files.get(file)
        if found is None:
            raise Refused(refusals.error("openai", 404, f"No such File object: {file}"))
        return found

    def _job(self, job: str) -> Job:
        found = self.jobs.get(job)
        if found is None:
            raise Refused(refusals.error("openai", 404, f"No batch found with id '{job}'."))
        return found

    def _create(self, request: Request) -> Answer:
        body = request.json
        if body.get("endpoint") != _ENDPOINT or body.get("completion_window") != "24h":
            raise Refused(refusals.error("openai", 400, "Invalid 'endpoint' or 'completion_window'."))
        file = self._file(str(body.get("input_file_id")))
        lines, errors = _lines(file.content)
        with self.jobs.alone:
            job = self.jobs.create(lines, request.number, is_valid=not errors)
            self._about[job.id] = {"metadata": body.get("metadata"), "input_file_id": file.id, "errors": errors}
            return Answer(200, self._document(job))

    def _list_jobs(self, request: Request) -> Answer:
        page, has_more = _page(self.jobs.all(), request)
        return _list([self._document(job) for job in page], has_more)

    def _poll(self, job: Job) -> Answer:
        with self.jobs.alone:
            job.polls += 1
            return Answer(200, self._document(job))

    def _cancel(self, job: Job) -> Answer:
        if not self.jobs.cancel(job):
            message = f"Cannot cancel a batch with status '{self._document(job)['status']}'."
            raise Refused(refusals.error("openai", 409, message))
        return Answer(200, {**self._document(job), "status": "cancelling"})

    def _document(self, job: Job) -> dict[str, Any]:
        with self.jobs.alone:
            if job.end is not None and not job.is_written:
                self._write(job)
            about, created = self._about[job.id], int(job.created_at)
            errors = about["errors"]
            times = {f"{name}_at": None for name in ("in_progress", "finalizing", "completed", "failed", "expired",
                                                     "cancelling", "cancelled")}  # fmt: skip
            status = job.end or _status(job)
            return {
                "id": job.id,
                "object": "batch",
                "endpoint": _ENDPOINT,
                "errors": {"object": "list", "data": errors} if errors else None,
                "input_file_id": about["input_file_id"],
                "completion_window": "24h",
                "status": status,
                "output_file_id": job.output.id if job.output else None,
                "error_file_id": job.errors.id if job.errors else None,
                "created_at": created,
                **times,
                "expires_at": created + _HOURS * 3600,
                **({f"{job.end}_at": created + 1} if job.end else {}),
                "request_counts": {
                    "total": 0 if status == "validating" or job.end == "failed" else len(job.lines),
                    "completed": len(job.done) if job.end else 0,
                    "failed": len(job.failed) if job.end else 0,
                },
                "metadata": about["metadata"],
            }

    def _write(self, job: Job) -> None:
        """An expired or cancelled job names the lines that it left out in its error file."""
        job.is_written = True
        if job.done:
            content = write(job, job.done, _output_line)
            job.output = self.files.add(f"{job.id}_output.jsonl", content, arriving(job.done))
        content = write(job, job.failed, _output_line)
        if job.end in ("expired", "cancelled"):
            seen = {outcome.line.key for outcome in job.outcomes}
            content += b"".join(_left_out(line, job.end) for line in job.lines if line.key not in seen)
        if content:
            job.errors = self.files.add(f"{job.id}_error.jsonl", content)


def _status(job: Job) -> str:
    if job.polls == 0:
        return "validating"
    return "finalizing" if job.polls == job.script.polls and job.polls > 1 else "in_progress"


def _lines(content: bytes) -> tuple[list[Line], list[dict[str, Any]]]:
    """Return the lines of an input file, and the errors for which the whole job fails."""
    lines: list[Line] = []
    errors: list[dict[str, Any]] = []
    for number, raw in enumerate(content.splitlines(), 1):
        try:
            document = json.loads(raw)
            key, url = document["custom_id"], document["url"]
        except (ValueError, KeyError, TypeError):
            errors.append(_error("invalid_json_line", "This line is not parseable as valid JSON.", number))
            continue
        if url != _ENDPOINT or document.get("method") != "POST":
            errors.append(_error("mismatched_url", "The URL of the request does not match the endpoint.", number))
        try:
            lines.append(Line(key, embeddings.read_openai("openai", document.get("body"))))
        except Refused as refused:
            lines.append(Line(key, None, refused.answer))
    repeated = [key for key, count in Counter(line.key for line in lines).items() if count > 1]
    errors += [_error("duplicate_custom_id", f"The custom_id '{key}' is a duplicate; it must be unique.", None)
               for key in repeated]  # fmt: skip
    inputs = sum(len(line.asked.texts) for line in lines if line.asked)
    if not lines:
        errors.append(_error("empty_file", "The input file is empty.", None))
    if max(len(lines), inputs) > MOST_LINES:
        errors.append(_error("too_many_tasks", f"The batch has more than {MOST_LINES} requests or inputs.", None))
    return lines, errors


def _error(code: str, message: str, line: int | None) -> dict[str, Any]:
    return {"code": code, "message": message, "param": None, "line": line}


def _output_line(outcome: Outcome) -> bytes:
    line = outcome.line
    if outcome.error is not None:
        status, body = outcome.error.status, outcome.error.document
    else:
        assert line.asked is not None
        status, body = 200, embeddings.openai_answer("openai", line.asked, outcome.rows).document
    response = {"status_code": status, "request_id": f"req_{line.key}", "body": body}
    document = {"id": f"batch_req_{line.key}", "custom_id": line.key, "response": response, "error": None}
    return json.dumps(document).encode() + b"\n"


def _left_out(line: Line, end: str) -> bytes:
    reason = {"code": f"batch_{end}", "message": f"This request could not be executed: the batch was {end}."}
    document = {"id": f"batch_req_{line.key}", "custom_id": line.key, "response": None, "error": reason}
    return json.dumps(document).encode() + b"\n"


def _file_document(file: StoredFile) -> dict[str, Any]:
    return {
        "id": file.id,
        "object": "file",
        "bytes": len(file.content),
        "created_at": int(file.created_at),
        "filename": file.name,
        "purpose": "batch_output" if file.name.startswith("batch_") else "batch",
        "status": "processed",
    }


def _page(found: list[Any], request: Request) -> tuple[list[Any], bool]:
    after, limit = request.query.get("after"), int(request.query.get("limit", 20))
    ids = [one.id for one in found]
    start = ids.index(after) + 1 if after in ids else 0
    return found[start : start + limit], start + limit < len(found)


def _list(data: list[dict[str, Any]], has_more: bool) -> Answer:
    ends = {"first_id": data[0]["id"], "last_id": data[-1]["id"]} if data else {"first_id": None, "last_id": None}
    return Answer(200, {"object": "list", "data": data, **ends, "has_more": has_more})


def read_form(request: Request) -> dict[str, tuple[str, bytes]]:
    """Return the fields of a form, each with its file name and its content."""
    boundary = request.headers.get("content-type", "").partition("boundary=")[2].strip('"').encode()
    fields: dict[str, tuple[str, bytes]] = {}
    for part in request.body.split(b"--" + boundary)[1:-1] if boundary else []:
        head, _, content = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        marks = {}
        for mark in head.decode("utf-8", "replace").replace("\r\n", ";").split(";"):
            name, _, value = mark.strip().partition("=")
            marks[name] = value.strip('"')
        fields[marks.get("name", "")] = (marks.get("filename", ""), content.removesuffix(b"\r\n"))
    return fields
