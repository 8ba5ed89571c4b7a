"""Batch jobs of Gemini: the texts in the request or in a file, an operation, and results in it or in a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress

from memoro.errors import BatchesUnavailable, NothingThere, ProviderError, TextRejected
from memoro.providers.batch.documents import at, count_at, list_at, name_in, text_at
from memoro.providers.batch.ports import BatchResult, RemoteJob, RemoteState
from memoro.providers.batch.reading import ResultLine, checked_results, lines_of
from memoro.providers.http_client import HttpClient
from memoro.providers.ports import Space

_MOST_INLINE_BYTES = 18_000_000  # of a request; Gemini takes 20 MB
# The answer of such a job comes as one document, which must stay well below what we read at once.
MOST_INLINE_NUMBERS = 1_000_000
_FILE_TYPE = "application/jsonl"
_UPLOAD_SECONDS = 300.0
PAGE, _MOST_PAGES = 100, 20  # how many jobs are looked through for one of ours
_STATES: dict[str, RemoteState] = {
    "PENDING": "running",
    "RUNNING": "running",
    "SUCCEEDED": "completed",
    "FAILED": "failed",
    "CANCELLED": "cancelled",
    "EXPIRED": "expired",
}


class GeminiBatches:
    """`request_of` makes the request for one text, as `batchEmbedContents` takes it.

    `http` is at the top of the host: files are uploaded beside the `version` of the interface, such as /v1beta.
    """

    def __init__(
        self, http: HttpClient, version: str, space: Space, request_of: Callable[[str], Mapping[str, object]]
    ) -> None:
        self._http, self._version, self._request_of = http, version, request_of
        self.space: Space = space

    def upload(self, job: str, texts: Mapping[str, str]) -> str | None:
        if self._is_inline(texts):
            return None
        content = b"".join(_line({"key": key, "request": self._request_of(text)}) for key, text in texts.items())
        return self._send(self._begin(job, len(content)), content)

    def create(self, job: str, texts: Mapping[str, str], input_file: str | None) -> RemoteJob:
        given = {"file_name": input_file} if input_file else {"requests": {"requests": self._inline(texts)}}
        try:
            found = self._http.post(
                f"{self._version}/models/{self.space.model}:asyncBatchEmbedContent",
                {"batch": {"displayName": job, "inputConfig": given}},
                seconds=_UPLOAD_SECONDS,
            )
        except NothingThere as error:
            raise BatchesUnavailable(f"{self.space.model} takes no batch jobs. {error}") from error
        name_in(found, "name")
        return _remote(found)

    def find(self, job: str) -> RemoteJob | None:
        token = ""
        for _ in range(_MOST_PAGES):
            page = self._http.get(
                f"{self._version}/batches?pageSize={PAGE}" + (f"&pageToken={token}" if token else "")
            )
            for one in list_at(page, "operations") or list_at(page, "batches"):
                if (text_at(one, "metadata", "displayName") or text_at(one, "displayName")) == job:
                    return _remote(one)
            token = text_at(page, "nextPageToken")
            if not token:
                return None
        return None

    def poll(self, remote_id: str) -> RemoteJob:
        try:
            return _remote(self._http.get(f"{self._version}/{remote_id}"))
        except NothingThere:
            return RemoteJob(remote_id, "gone", why="the provider does not know the job any more")

    def results(self, remote: RemoteJob, digests: Sequence[str]) -> Iterator[BatchResult]:
        lines = self._file_lines(remote.files) if remote.files else self._inline_lines(remote.id, digests)
        return checked_results(lines, digests, self.space)

    def cancel(self, remote_id: str) -> None:
        with suppress(NothingThere, TextRejected):  # the second: it has ended already
            self._http.post(f"{self._version}/{remote_id}:cancel", {})

    def discard(self, job: str, remote: RemoteJob | None) -> None:
        for name in (*self._input_files(job), *((*remote.files, remote.id) if remote else ())):
            with suppress(ProviderError):
                self._http.delete(f"{self._version}/{name}")

    def _input_files(self, job: str) -> list[str]:
        with suppress(ProviderError):
            found = list_at(self._http.get(f"{self._version}/files?pageSize=100"), "files")
            return [text_at(one, "name") for one in found if text_at(one, "displayName") == job]
        return []

    def _is_inline(self, texts: Mapping[str, str]) -> bool:
        if len(texts) * self.space.dimensions > MOST_INLINE_NUMBERS:
            return False
        return sum(len(_line(one)) for one in self._inline(texts)) <= _MOST_INLINE_BYTES

    def _inline(self, texts: Mapping[str, str]) -> list[Mapping[str, object]]:
        return [{"request": self._request_of(text), "metadata": {"key": key}} for key, text in texts.items()]

    def _begin(self, job: str, length: int) -> str:
        headers = {
            "X-Goog-Upload-Protocol": "resumable",
            "X-Goog-Upload-Command": "start",
            "X-Goog-Upload-Header-Content-Length": str(length),
            "X-Goog-Upload-Header-Content-Type": _FILE_TYPE,
            "Content-Type": "application/json",
        }
        about = {"file": {"display_name": job, "mime_type": _FILE_TYPE}}
        reply = self._http.upload(f"/upload{self._version}/files", _line(about), headers)
        return name_in(dict(reply.headers), "x-goog-upload-url")

    def _send(self, address: str, content: bytes) -> str:
        headers = {"X-Goog-Upload-Command": "upload, finalize", "X-Goog-Upload-Offset": "0"}
        return name_in(self._http.upload(address, content, headers).document, "file", "name")

    def _file_lines(self, files: Sequence[str]) -> Iterator[ResultLine]:
        for file in files:
            with suppress(NothingThere):  # it was read before, and deleted
                yield from lines_of(self._http.lines(f"{self._version}/{file}:download?alt=media"), _result_line)

    def _inline_lines(self, remote_id: str, digests: Sequence[str]) -> Iterator[ResultLine]:
        """Read the results that come with the job. Without keys they have the order of the texts."""
        found: list[object] = []
        with suppress(NothingThere):  # it was read before, and deleted
            found = _inlined(self._http.get(f"{self._version}/{remote_id}"))
        for place, one in enumerate(found):
            key = text_at(one, "metadata", "key") or text_at(one, "key")
            if not key and len(found) == len(digests):  # else a text was forgotten meanwhile, and places mean nothing
                key = digests[place]
            if key:
                yield _read(key, one)


def _line(document: object) -> bytes:
    return json.dumps(document, ensure_ascii=False).encode() + b"\n"


def _state(document: object) -> RemoteState:
    """Read the state by the end of its name: it is written with several beginnings."""
    written = text_at(document, "metadata", "state") or text_at(document, "state")
    found = _STATES.get(written.rpartition("_")[2])
    if found is None and at(document, "done") is True:
        return "failed" if at(document, "error") else "completed"
    return found or "running"


def _remote(document: object) -> RemoteJob:
    about = at(document, "metadata")
    statistics = at(about, "batchStats")
    output = at(about, "output") or at(document, "response")
    file = text_at(output, "responsesFile")
    return RemoteJob(
        id=text_at(document, "name"),
        state=_state(document),
        total=count_at(statistics, "requestCount"),
        done=count_at(statistics, "successfulRequestCount"),
        failed=count_at(statistics, "failedRequestCount"),
        files=(file,) if file else (),
        why=text_at(document, "error", "message"),
    )


def _inlined(document: object) -> list[object]:
    output = at(document, "metadata", "output") or at(document, "response")
    found = at(output, "inlinedEmbedContentResponses") or at(output, "inlinedResponses")
    return list_at(found, "inlinedResponses") if isinstance(found, dict) else found if isinstance(found, list) else []


def _result_line(document: object) -> ResultLine | None:
    key = text_at(document, "key") or text_at(document, "metadata", "key")
    return _read(key, document) if key else None


def _read(key: str, document: object) -> ResultLine:
    return ResultLine(key, at(document, "response", "embedding", "values"), text_at(document, "error", "message"))
