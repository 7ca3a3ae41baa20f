"""An HTTP server on loopback that records its requests and answers as told, also badly.

Contract: bound to 127.0.0.1 at a free port, so nothing outside reaches it; leaving the `with` block ends it
and lets go of whoever still waits. A fault of the server itself fails the test at that point; a client that
leaves does not.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
from abc import ABC, abstractmethod
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.servers.script import DROP, HANG, Drip, Page


class LoopbackServer(ABC):
    """Answers every request with what `answer(method, path, data)` gives."""

    def __init__(self):
        self.requests = []
        self.faults = []
        self.closing = threading.Event()
        self._http = _Server(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    @property
    def address(self):
        return f"127.0.0.1:{self._http.server_address[1]}"

    @property
    def url(self):
        return f"http://{self.address}"

    @abstractmethod
    def answer(self, method, path, data):
        """What to say: a Page, a Stream, HANG or DROP."""

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, kind, value, trace):
        self.closing.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()
        if self.faults and kind is None:
            raise self.faults[0]


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        fault = sys.exc_info()[1]
        if not isinstance(fault, (ConnectionError, TimeoutError)):
            self.owner.faults.append(fault)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30

    def _any(self):
        owner = self.server.owner
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        owner.requests.append((self.command, self.path, data))
        self.close_connection = True
        answer = owner.answer(self.command, self.path, data)
        if answer is HANG:
            owner.closing.wait()
        elif answer is DROP:
            self._drop()
        elif isinstance(answer, Page):
            self._head(answer.status, answer.kind, [("Content-Length", str(len(answer.data)))])
            self.wfile.write(answer.data)
        else:
            self._head(200, "application/x-ndjson", [("Transfer-Encoding", "chunked")])
            self._lines(answer.parts)

    do_GET = do_POST = do_CONNECT = _any

    def _head(self, status, kind, fields):
        self.send_response(status)
        for name, value in [("Content-Type", kind), ("Connection", "close"), *fields]:
            self.send_header(name, value)
        self.end_headers()

    def _lines(self, parts):
        for part in parts:
            if part is HANG:
                self.server.owner.closing.wait()
                return
            if part is DROP:
                self._drop()
                return
            if isinstance(part, Drip):
                self._drip(part.chunk)
                return
            self._line(part)
        self.wfile.write(b"0\r\n\r\n")

    def _drip(self, chunk):
        for _ in range(500):  # ten seconds, so that a client without a time limit fails and does not hang
            if self.server.owner.closing.wait(0.02):
                break
            self._line(chunk)

    def _line(self, part):
        line = (part if isinstance(part, str) else json.dumps(part)).encode() + b"\n"
        self.wfile.write(b"%x\r\n%b\r\n" % (len(line), line))

    def _drop(self):
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format, *args):
        pass
