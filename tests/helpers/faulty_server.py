"""A server in front of another one that passes requests on, except those that a test lets fail."""

from __future__ import annotations

import http.client
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread


class Fault(Enum):
    """What happens to a request instead of its answer."""

    CUT = "the answer ends in the middle"
    CLOSED = "the connection is closed"
    SILENT = "nothing comes"


@dataclass
class Request:
    """A request; `number` counts from 1."""

    number: int
    method: str
    path: str
    range: str | None


@dataclass
class FaultyServer:
    """The address of the server, the requests so far, and what happens to one: a fault, an HTTP status, or nothing.

    `after` is called when a request was answered.
    """

    target: str
    address: str = ""
    fault: Callable[[Request], Fault | int | None] = lambda _: None
    after: Callable[[Request], None] = lambda _: None
    requests: list[Request] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)

    def of(self, method: str, part: str = "") -> list[Request]:
        """Return the requests with a method whose path has a part."""
        return [each for each in self.requests if each.method == method and part in each.path]


@contextmanager
def faulty_server(target: str) -> Iterator[FaultyServer]:
    """Run a server that passes requests on to the address `target`."""
    state = FaultyServer(target)

    class Handler(_Handler):
        of = state

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False  # clients keep their connections

    with Server(("127.0.0.1", 0), Handler) as server:
        state.address = f"127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield state
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    of: FaultyServer
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def _pass_on(self) -> None:
        body = self._body()
        with self.of.lock:
            request = Request(len(self.of.requests) + 1, self.command, self.path, self.headers.get("Range"))
            self.of.requests.append(request)
        fault = self.of.fault(request)
        if isinstance(fault, int):
            self.send_response(fault)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if fault is Fault.SILENT:
            time.sleep(30)
        if fault in (Fault.SILENT, Fault.CLOSED):
            self.close_connection = True
            return
        with suppress(BrokenPipeError, ConnectionResetError):
            self._answer(body, is_cut=fault is Fault.CUT)
        self.of.after(request)

    def _answer(self, body: bytes, *, is_cut: bool) -> None:
        connection = http.client.HTTPConnection(self.of.target)
        left_out = ("transfer-encoding", "expect", "content-length", "connection")
        headers = {name: value for name, value in self.headers.items() if name.lower() not in left_out}
        connection.request(self.command, self.path, body, headers)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        self.send_response_only(answer.status, answer.reason)
        is_head = self.command == "HEAD"
        for name, value in answer.getheaders():
            if name.lower() not in ("transfer-encoding", "connection", "content-length" * (not is_head)):
                self.send_header(name, value)
        if not is_head:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if is_cut else data)
        self.close_connection = self.close_connection or is_cut

    def _body(self) -> bytes:
        if "chunked" not in (self.headers.get("Transfer-Encoding") or ""):
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        return b"".join(parts)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _pass_on  # noqa: N815
