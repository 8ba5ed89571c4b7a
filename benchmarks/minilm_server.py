"""all-MiniLM-L6-v2 on this machine, behind OpenAI's embeddings format: `python -m benchmarks.minilm_server --port N`.

Each text is computed once: its vector is kept beside the weights (`MEMORO_MINILM`, else a folder below /tmp).
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import sqlite3
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy

from benchmarks.minilm import DIMENSIONS, MiniLm, folder
from memoro.model.vocabulary import Role

if TYPE_CHECKING:
    from memoro.providers.ports import Vectors

MODEL = "all-MiniLM-L6-v2"
HOST = "127.0.0.1"
MOST_BYTES = 64 * 1024 * 1024  # of a request
AT_ONCE = 64  # texts that are computed before their vectors are kept


class ServedModel(Protocol):
    """A model that the server can answer with."""

    def embed(self, texts: Sequence[str], role: Role = "document") -> Vectors: ...

    def count_tokens(self, texts: Sequence[str]) -> int: ...


class KeptMiniLm:
    """The model with every vector kept by the digest of its text. Threads and processes may share the file."""

    def __init__(self, file: Path | None = None) -> None:
        self._model: MiniLm | None = None
        self.space = MiniLm.space
        self._lock = threading.Lock()
        self._db = sqlite3.connect(file or folder() / "vectors.db", timeout=60, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("CREATE TABLE IF NOT EXISTS vectors (digest BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")

    def embed(self, texts: Sequence[str], role: Role = "document") -> Vectors:  # noqa: ARG002
        keys = [hashlib.sha256(text.encode()).digest() for text in texts]
        with self._lock:
            known = self._known(keys)
            missing = list({key: text for key, text in zip(keys, texts, strict=True) if key not in known}.items())
            missing.sort(key=lambda pair: len(pair[1]))
            for start in range(0, len(missing), AT_ONCE):
                known |= self._computed(missing[start : start + AT_ONCE])
        rows = [known[key] for key in keys]
        return numpy.stack(rows) if rows else numpy.zeros((0, DIMENSIONS), numpy.float32)

    def count_tokens(self, texts: Sequence[str]) -> int:
        return self._loaded().count_tokens(texts)

    def _known(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        found: dict[bytes, Vectors] = {}
        for key in keys:
            row = self._db.execute("SELECT vector FROM vectors WHERE digest = ?", (key,)).fetchone()
            if row:
                found[key] = numpy.frombuffer(row[0], numpy.float32)
        return found

    def _computed(self, missing: Sequence[tuple[bytes, str]]) -> dict[bytes, Vectors]:
        rows = self._loaded().embed([text for _, text in missing])
        found = {key: row for (key, _), row in zip(missing, rows, strict=True)}
        with self._db:
            pairs = [(key, row.tobytes()) for key, row in found.items()]
            self._db.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", pairs)
        return found

    def _loaded(self) -> MiniLm:
        if self._model is None:
            self._model = MiniLm()
        return self._model


class _Handler(BaseHTTPRequestHandler):
    """`POST /v1/embeddings` and `GET /v1/models`; each request is answered whole."""

    protocol_version = "HTTP/1.1"
    server: MiniLmServer

    def do_GET(self) -> None:
        if self.path.rstrip("/") == "/v1/models":
            self._send(200, {"object": "list", "data": [{"id": MODEL, "object": "model", "owned_by": "local"}]})
        else:
            self._fail(404, f"There is nothing at {self.path}.")

    def do_POST(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        if size > MOST_BYTES:
            self.close_connection = True
            self._fail(413, "The request is too large.")
            return
        data = self.rfile.read(size)
        if self.path.rstrip("/") != "/v1/embeddings":
            self._fail(404, f"There is nothing at {self.path}.")
            return
        try:
            asked = json.loads(data)
            given = asked["input"]
            texts = [given] if isinstance(given, str) else given
        except (ValueError, KeyError, TypeError):
            self._fail(400, "The request is no JSON object with an `input`.")
            return
        if texts and all(isinstance(text, str) and text for text in texts):
            self._send(200, self.server.answer(texts, asked.get("encoding_format") == "base64"))
        else:
            self._fail(400, "`input` must be a text, or a list of texts; none may be empty.")

    def _fail(self, status: int, message: str) -> None:
        self._send(
            status, {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}
        )

    def _send(self, status: int, document: object) -> None:
        data = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: an indexing run makes thousands of requests."""


class MiniLmServer(ThreadingHTTPServer):
    """Answers on the loopback address alone. Port 0 takes a free one."""

    daemon_threads = True

    def __init__(self, port: int = 0, model: ServedModel | None = None) -> None:
        super().__init__((HOST, port), _Handler)
        self._model = model or KeptMiniLm()

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.server_address[1]}/v1"

    def answer(self, texts: Sequence[str], as_base64: bool) -> object:
        rows = self._model.embed(texts)
        tokens = self._model.count_tokens(texts)
        data = [
            {"object": "embedding", "index": n, "embedding": _base64(row) if as_base64 else row.tolist()}
            for n, row in enumerate(rows)
        ]
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return {"object": "list", "data": data, "model": MODEL, "usage": usage}


def _base64(row: Vectors) -> str:
    return base64.b64encode(row.astype("<f4").tobytes()).decode()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--port", type=int, default=8191)
    server = MiniLmServer(parser.parse_args().port)
    print(f"{MODEL} answers at {server.url}; stop it with Ctrl-C.", flush=True)
    print(f"  memoro config set embedding.url {server.url}")
    print(f"  memoro config set embedding.model {MODEL}")
    print("  memoro config set embedding.provider compatible", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main()
