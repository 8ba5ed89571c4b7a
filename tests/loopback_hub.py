"""A hub of models on this machine: the few requests that a download makes, with faults on demand."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class LoopbackHub:
    """Serves folders as repositories, and keeps what it was asked for."""

    def __init__(self) -> None:
        self.repositories: dict[str, Path] = {}
        self.asked: list[tuple[str, str, dict[str, str]]] = []
        self.cut_after: int | None = None  # bytes of a large file, after which the connection breaks
        self.lies = False  # the bytes of large files are others than announced
        self.endpoint = ""

    def files(self, repository: str) -> dict[str, bytes]:
        folder = self.repositories[repository]
        paths = [path for path in folder.rglob("*") if path.is_file()]
        return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def described(repository: str, files: dict[str, bytes]) -> dict[str, Any]:
    siblings = []
    for path, data in files.items():
        about: dict[str, Any] = {"rfilename": path, "size": len(data), "blobId": hashlib.sha1(data).hexdigest()}
        if is_large(path):
            about["lfs"] = {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 130}
        siblings.append(about)
    return {"id": repository, "modelId": repository, "sha": COMMIT, "private": False, "siblings": siblings}


def is_large(path: str) -> bool:
    return path.endswith((".safetensors", ".onnx"))


@contextmanager
def loopback_hub() -> Iterator[LoopbackHub]:
    hub = LoopbackHub()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self.do_GET()

        def do_GET(self) -> None:
            hub.asked.append((self.command, self.path, dict(self.headers)))
            path = self.path.partition("?")[0]
            if about := re.fullmatch(r"/api/models/([\w.-]+/[\w.-]+)(?:/revision/([\w.-]+))?", path):
                self._describe(*about.groups())
            elif file := re.fullmatch(rf"/([\w.-]+/[\w.-]+)/resolve/{COMMIT}/(.+)", path):
                self._send_file(*file.groups())
            else:
                self._send(404, b"", {"X-Error-Code": "EntryNotFound"})

        def _describe(self, repository: str, revision: str | None) -> None:
            if repository not in hub.repositories:
                self._send(404, b"", {"X-Error-Code": "RepoNotFound"})
            elif revision not in (None, "main", "v1", COMMIT):
                self._send(404, b"", {"X-Error-Code": "RevisionNotFound"})
            else:
                found = described(repository, hub.files(repository))
                self._send(200, json.dumps(found).encode(), {"Content-Type": "application/json"})

        def _send_file(self, repository: str, path: str) -> None:
            data = hub.files(repository)[path]
            tag = hashlib.sha256(data).hexdigest()
            if hub.lies and is_large(path):
                data = bytes(len(data))
            headers = {"ETag": f'"{tag}"', "X-Repo-Commit": COMMIT, "Accept-Ranges": "bytes"}
            start = int(re.sub(r"\D", "", self.headers.get("Range", "0").partition("-")[0]) or 0)
            if start:
                headers["Content-Range"] = f"bytes {start}-{len(data) - 1}/{len(data)}"
            self._send(206 if start else 200, data[start:], headers, is_large(path))

        def _send(self, status: int, body: bytes, headers: dict[str, str], large: bool = False) -> None:
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command == "HEAD":
                return
            if large and hub.cut_after is not None:
                self.wfile.write(body[: hub.cut_after])
                self.close_connection = True
                return
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    hub.endpoint = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
