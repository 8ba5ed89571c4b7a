"""Batch jobs of OpenAI: a file of requests, a job, and files with its results and its errors."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress

from memoro.errors import BatchesUnavailable, NothingThere, ProviderError, ProviderRejected, TextRejected
from memoro.providers.batch.documents import at, count_at, list_at, name_in, text_at
from memoro.providers.batch.ports import BatchResult, RemoteJob, RemoteState
from memoro.providers.batch.reading import ResultLine, checked_results, lines_of
from memoro.providers.http_client import HttpClient, UploadedFile
from memoro.providers.ports import Space

_ENDPOINT = "/v1/embeddings"
_JOB_KEY = "memoro_job"  # of the metadata by which a job of ours is found
PAGE, _MOST_PAGES = 100, 20  # how many jobs are looked through for one of ours, the newest first
_STATES: dict[str, RemoteState] = {
    "validating": "running",
    "in_progress": "running",
    "finalizing": "running",
    "cancelling": "cancelling",
    "completed": "completed",
    "failed": "failed",
    "expired": "expired",
    "cancelled": "cancelled",
}


class OpenAIBatches:
    """`request_of` makes the body of a plain request for one text."""

    def __init__(self, http: HttpClient, space: Space, request_of: Callable[[str], Mapping[str, object]]) -> None:
        self._http, self._request_of = http, request_of
        self.space: Space = space

    def upload(self, job: str, texts: Mapping[str, str]) -> str | None:
        content = b"".join(self._line(digest, text) for digest, text in texts.items())
        try:
            found = self._http.upload_form("/files", {"purpose": "batch"}, UploadedFile(_file_name(job), content))
        except NothingThere as error:
            raise _without_batches(error) from error
        return name_in(found, "id")

    def create(self, job: str, texts: Mapping[str, str], input_file: str | None) -> RemoteJob:  # noqa: ARG002
        body = {
            "input_file_id": input_file,
            "endpoint": _ENDPOINT,
            "completion_window": "24h",
            "metadata": {_JOB_KEY: job},
        }
        try:
            found = self._http.post("/batches", body)
        except NothingThere as error:
            raise _without_batches(error) from error
        name_in(found, "id")
        return _remote(found)

    def find(self, job: str) -> RemoteJob | None:
        after = ""
        for _ in range(_MOST_PAGES):
            page = self._http.get(f"/batches?limit={PAGE}" + (f"&after={after}" if after else ""))
            jobs = list_at(page, "data")
            for one in jobs:
                if text_at(one, "metadata", _JOB_KEY) == job:
                    return _remote(one)
            after = text_at(jobs[-1], "id") if jobs else ""
            if not after or at(page, "has_more") is not True:
                return None
        return None

    def poll(self, remote_id: str) -> RemoteJob:
        try:
            return _remote(self._http.get(f"/batches/{remote_id}"))
        except NothingThere:
            return RemoteJob(remote_id, "gone", why="the provider does not know the job any more")

    def results(self, remote: RemoteJob, digests: Sequence[str]) -> Iterator[BatchResult]:
        return checked_results(self._lines(remote), digests, self.space)

    def cancel(self, remote_id: str) -> None:
        with suppress(NothingThere, TextRejected):  # the second: it has ended already
            self._http.post(f"/batches/{remote_id}/cancel", {})

    def discard(self, job: str, remote: RemoteJob | None) -> None:
        for file in (*self._input_files(job), *(remote.files if remote else ())):
            with suppress(ProviderError):
                self._http.delete(f"/files/{file}")

    def _input_files(self, job: str) -> list[str]:
        with suppress(ProviderError):
            found = list_at(self._http.get("/files?purpose=batch&limit=1000"), "data")
            return [text_at(one, "id") for one in found if text_at(one, "filename") == _file_name(job)]
        return []

    def _lines(self, remote: RemoteJob) -> Iterator[ResultLine]:
        for file in remote.files:
            with suppress(NothingThere):  # it was read before, and deleted
                yield from lines_of(self._http.lines(f"/files/{file}/content"), _result_line)

    def _line(self, digest: str, text: str) -> bytes:
        line = {"custom_id": digest, "method": "POST", "url": _ENDPOINT, "body": self._request_of(text)}
        return json.dumps(line, ensure_ascii=False).encode() + b"\n"


def _file_name(job: str) -> str:
    return f"{job}.jsonl"


def _without_batches(error: NothingThere) -> ProviderRejected:
    return BatchesUnavailable(f"The provider takes no batch jobs. {error}")


def _remote(document: object) -> RemoteJob:
    files = (text_at(document, "output_file_id"), text_at(document, "error_file_id"))
    errors = [text_at(one, "message") or text_at(one, "code") for one in list_at(document, "errors", "data")]
    return RemoteJob(
        id=text_at(document, "id"),
        state=_STATES.get(text_at(document, "status"), "running"),
        total=count_at(document, "request_counts", "total"),
        done=count_at(document, "request_counts", "completed"),
        failed=count_at(document, "request_counts", "failed"),
        files=tuple(file for file in files if file),
        why="; ".join(filter(None, errors[:3])),
    )


def _result_line(document: object) -> ResultLine | None:
    digest = text_at(document, "custom_id")
    if not digest:
        return None
    body = at(document, "response", "body")
    data = list_at(body, "data")
    is_success = at(document, "error") is None and at(document, "response", "status_code") == 200
    why = text_at(document, "error", "message") or text_at(body, "error", "message")
    return ResultLine(digest, at(data[0], "embedding") if is_success and len(data) == 1 else None, why)
