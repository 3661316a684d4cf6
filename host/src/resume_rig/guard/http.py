"""Serves HTTP so that no client keeps another from being heard.

A request has a time in which it must have come, as a whole: a silent or a dripping client is hung
up on. So many may be read at once; one more hangs up on the oldest of those that have not come
yet, since a real one is sent in one piece.
"""

import io
import logging
import socket
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from socketserver import TCPServer, ThreadingMixIn
from typing import Any, Final, cast

logger = logging.getLogger(__name__)

REQUEST_S: Final = 5.0
"""In which a request must have come; clients on a lab's network send it within milliseconds."""

CONNECTIONS_MOST: Final = 32
REQUEST_BYTES_MOST: Final = 16_384
_PLACE_S: Final = 0.2
_FULL: Final = (
    b"HTTP/1.0 503 too many connections\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
)


class BoundedServer(ThreadingMixIn, HTTPServer):
    """A thread for each connection, up to `CONNECTIONS_MOST`.

    Args:
        host: name or address to listen on.
        port: 0 takes any that is free.
        handler: of each request.

    Raises:
        OSError, OverflowError: it cannot be listened on.
    """

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, host: str, port: int, handler: "type[BoundedHandler]") -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._places = threading.BoundedSemaphore(CONNECTIONS_MOST)
        self._lock = threading.Lock()
        self._reading: dict[socket.socket, None] = {}  # the oldest first
        super().__init__((host, port), handler)

    def server_bind(self) -> None:
        """Bind, and ask no name server for a name of this machine."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        """Start a thread for a connection; where there are too many, the oldest unread one goes."""
        if not self._places.acquire(blocking=False):
            self._hang_up_on_the_oldest()
            if not self._places.acquire(timeout=_PLACE_S):
                with suppress(OSError):
                    request.settimeout(_PLACE_S)
                    request.sendall(_FULL)
                self.shutdown_request(request)
                return
        with self._lock:
            self._reading[request] = None
        try:
            super().process_request(request, client_address)
        except RuntimeError:  # the system has no thread left
            self._leave(request)
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve one connection, and give its place back."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._leave(request)

    def is_read(self, request: socket.socket) -> bool:
        """Note that a request has come as a whole; False where it was hung up on before."""
        with self._lock:
            return self._reading.pop(request, self) is None

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Note a bug: who hangs up ends its own request before."""
        logger.exception("could not answer %s (%s)", client_address[0], request)

    def _hang_up_on_the_oldest(self) -> None:
        with self._lock:
            oldest = next(iter(self._reading), None)
            if oldest is None:
                return
            del self._reading[oldest]
            with suppress(OSError):
                oldest.shutdown(socket.SHUT_RDWR)

    def _leave(self, request: socket.socket) -> None:
        with self._lock:
            self._reading.pop(request, None)
        self._places.release()


class _Coming(io.RawIOBase):
    """A request as it comes: in time as a whole, of so many bytes at most.

    Attributes:
        ended: the client hung up, or sent more than is read: nothing may be made of what came.
    """

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._until_s = time.monotonic() + REQUEST_S
        self._left_bytes = REQUEST_BYTES_MOST
        self.ended = False

    def readable(self) -> bool:
        """Return that it is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read what is there.

        Raises:
            TimeoutError: the request's time is over.
        """
        left_s = self._until_s - time.monotonic()
        if left_s <= 0:
            raise TimeoutError
        self._connection.settimeout(left_s)
        room = memoryview(buffer)[: self._left_bytes]
        got = self._connection.recv_into(room) if self._left_bytes else 0
        self._left_bytes -= got
        self.ended = self.ended or got == 0
        return got


class BoundedHandler(BaseHTTPRequestHandler):
    """One request of a `BoundedServer`; a connection has no second one."""

    def setup(self) -> None:
        """Read with a limit of time and length."""
        super().setup()
        self._coming = _Coming(self.connection)
        self.rfile.close()
        self.rfile = io.BufferedReader(self._coming)

    def handle(self) -> None:
        """Answer; who hangs up is not answered."""
        with suppress(OSError):
            super().handle()

    def finish(self) -> None:
        """Leave; who hung up gets no answer."""
        with suppress(OSError):
            super().finish()

    def has_come(self) -> bool:
        """Return whether the request came as a whole; a part of one is none."""
        server = cast(BoundedServer, self.server)
        return not self._coming.ended and server.is_read(self.connection)

    def log_message(self, *args: Any) -> None:
        """Log nothing: standard error is for people."""
