"""Files of models at huggingface.co or a mirror of it: what a repository holds, and a download that can be resumed.

No account, no cookies and no telemetry: each request says only which file of which model is wanted.
"""

from __future__ import annotations

import json
import os
import re
import ssl
from collections.abc import Callable
from http.client import HTTPException, HTTPResponse
from typing import NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import HTTPRedirectHandler, HTTPSHandler, OpenerDirector, Request, build_opener

from memoro.errors import ProviderRejected, ProviderUnavailable

_SECONDS = 30.0  # without a byte, after which a connection counts as lost
_ATTEMPTS = 4  # for one file; each goes on where the one before broke off
_LISTING_BYTES = 8_000_000
_AT_ONCE = 256 * 1024  # bytes
_COMMIT = re.compile(r"[0-9a-f]{40}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


class SourceFile(NamedTuple):
    """One file of a model, as its source describes it."""

    path: str
    size: int
    sha256: str | None  # the source has one for its large files


class Listing(NamedTuple):
    """The wanted files of a repository at one commit."""

    commit: str
    files: tuple[SourceFile, ...]


class ModelSource:
    """The repositories of one hub, by its address."""

    def __init__(self, endpoint: str) -> None:
        self._endpoint = endpoint
        self.host = urlsplit(endpoint).netloc
        if urlsplit(endpoint).scheme not in ("http", "https") or not self.host:
            raise ProviderRejected(f"{endpoint!r} is no address of a source of models. Check HF_ENDPOINT.")

    def list_files(self, repository: str, revision: str | None, wanted: tuple[str, ...]) -> Listing:
        """Return the commit of a repository and those of its files that are wanted."""
        address = f"{self._endpoint}/api/models/{quote(repository)}/revision/{quote(revision or 'main')}?blobs=true"
        try:
            with self._open(address) as response:
                document = json.loads(response.read(_LISTING_BYTES))
            commit, siblings = document["sha"], document["siblings"]
            files = tuple(_source_file(one) for one in siblings if one["rfilename"] in wanted)
        except HTTPError as error:
            raise self._refused(error, repository, revision) from error
        except (URLError, HTTPException, OSError) as error:
            raise ProviderUnavailable(
                f"{self.host} cannot be reached: {_reason(error)}. Run `memoro sync` again later."
            ) from error
        except (ValueError, KeyError, TypeError) as error:
            raise ProviderRejected(f"{self.host} answered with something that is no list of files.") from error
        if not isinstance(commit, str) or not _COMMIT.fullmatch(commit):
            raise ProviderRejected(f"{self.host} names no commit of {repository}.")
        return Listing(commit, files)

    def fetch(self, repository: str, commit: str, file: SourceFile, to: str, report: Callable[[int], None]) -> None:
        """Write one file, and go on from what an earlier attempt left beside it. `report` gets the new bytes."""
        address = f"{self._endpoint}/{quote(repository)}/resolve/{commit}/{quote(file.path)}"
        part = f"{to}.part"
        os.makedirs(os.path.dirname(to), mode=0o700, exist_ok=True)
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                self._append(address, file, part, report)
                if os.path.getsize(part) == file.size:
                    os.rename(part, to)
                    return
                problem: Exception = URLError("the connection broke off")
            except HTTPError as error:
                raise self._refused(error, repository, commit) from error
            except (URLError, HTTPException, TimeoutError, ConnectionError) as error:
                problem = error
            if attempt == _ATTEMPTS:
                raise ProviderUnavailable(
                    f"The download of {file.path} from {self.host} broke off: {_reason(problem)}. "
                    "Run `memoro sync` again: it continues from there."
                ) from problem

    def _append(self, address: str, file: SourceFile, part: str, report: Callable[[int], None]) -> None:
        have = os.path.getsize(part) if os.path.exists(part) else 0
        if have == file.size:
            return
        request = {"Range": f"bytes={have}-"} if 0 < have < file.size else {}
        with self._open(address, request) as response:
            mode = "ab" if request and response.status == 206 else "wb"
            if mode == "wb":
                report(-have)
            with open(part, mode) as out:
                while (block := response.read(_AT_ONCE)) and out.tell() + len(block) <= file.size:
                    out.write(block)
                    report(len(block))

    def _open(self, address: str, headers: dict[str, str] | None = None) -> HTTPResponse:
        request = Request(address, headers={"User-Agent": "memoro", "Accept-Encoding": "identity", **(headers or {})})
        response: HTTPResponse = _opener(address).open(request, timeout=_SECONDS)
        return response

    def _refused(
        self, error: HTTPError, repository: str, revision: str | None
    ) -> ProviderRejected | ProviderUnavailable:
        if error.code in (401, 403, 404):
            which = f" of the revision {revision}" if revision else ""
            return ProviderRejected(
                f"{self.host} has no model {repository}{which} that it gives to everybody. Check embedding.model."
            )
        return ProviderUnavailable(f"{self.host} answered with HTTP {error.code}. Run `memoro sync` again later.")


class _SafeRedirects(HTTPRedirectHandler):
    """Large files are on other hosts than their list. They may not come over an open line where that did not."""

    def redirect_request(self, req, fp, code, msg, headers, newurl):  # type: ignore[no-untyped-def]
        if urlsplit(req.full_url).scheme == "https" and urlsplit(newurl).scheme != "https":
            raise URLError(f"{urlsplit(req.full_url).netloc} sends us to an address without encryption")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _opener(address: str) -> OpenerDirector:
    if urlsplit(address).scheme == "http":
        return build_opener(_SafeRedirects)
    context = ssl.create_default_context()
    try:
        import certifi  # a Python without certificates of its own, as on macOS
    except ImportError:
        pass
    else:
        context.load_verify_locations(certifi.where())
    return build_opener(_SafeRedirects, HTTPSHandler(context=context))


def _source_file(one: dict[str, object]) -> SourceFile:
    path, size, large = one["rfilename"], one["size"], one.get("lfs")
    sha256 = large.get("sha256") if isinstance(large, dict) else None
    if not isinstance(path, str) or not isinstance(size, int) or size < 0:
        raise ValueError("a file without a size")
    if sha256 is not None and not (isinstance(sha256, str) and _SHA256.fullmatch(sha256)):
        raise ValueError("a hash of another form")
    return SourceFile(path, size, sha256)


def _reason(error: Exception) -> str:
    reason = getattr(error, "reason", None) or error
    said = getattr(reason, "strerror", None) or str(reason) or type(error).__name__
    return str(said).rstrip(".")
