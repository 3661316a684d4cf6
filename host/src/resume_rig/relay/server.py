"""Serves the GPIOs over HTTP, to those who may ask; no client keeps another from being heard.

A request has a time in which it must have come, as a whole: a silent or a dripping client is hung
up on. So many may be read at once; one more hangs up on the oldest of those that have not come
yet, since a real one is sent in one piece. The rig does one thing at a time: what waits for it too
long is answered that nothing was done.
"""

import base64
import binascii
import hmac
import io
import ipaddress
import json
import logging
import re
import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from socketserver import TCPServer, ThreadingMixIn
from typing import Any, Final, cast

from resume_rig.model.errors import UsageError
from resume_rig.relay.gpio import Answer, Gpios, refusal

TOKEN_CHARS_LEAST = 16
TOKEN_CHARS_MOST = 256
_HOST = re.compile(r"(?:\[(?P<address>[0-9a-f:.]+)\]|(?P<name>[^\[\]:]+))(?::[0-9]{1,5})?")
_TOKEN_FORM = f"{TOKEN_CHARS_LEAST} to {TOKEN_CHARS_MOST} printable ASCII characters without blanks"
_SHOWN_CHARS = 60


@dataclass(frozen=True, slots=True)
class Guard:
    """What a request has to show: the name that it calls the relay by, its page, a token.

    A browser reaches what its user's machine reaches, whatever page it shows. A page of another
    site is recognised by its Origin; one whose name was made to point here (DNS rebinding) by the
    Host that the browser sends.

    Attributes:
        names: names that the relay may be called by, in small letters. Any IP address may, too:
            DNS rebinding needs a name.
        token: what every client has to send; None for no such demand.
    """

    names: frozenset[str] = frozenset({"localhost"})
    token: str | None = None

    def refusal(
        self, hosts: Sequence[str], origins: Sequence[str], authorizations: Sequence[str]
    ) -> Answer | None:
        """Return why a request is refused; None where it may pass.

        Args:
            hosts: the values of the header Host, as often as it stands there.
            origins: those of Origin.
            authorizations: those of Authorization.
        """
        if len(hosts) != 1:
            return refusal(400, "a request has one Host")
        host = hosts[0].strip().lower()
        if not self._is_ours(host):
            return refusal(
                403,
                f"this relay is not called {_shown(host)}; allowed are an IP address, "
                f"{', '.join(sorted(self.names))}, and what --name says",
            )
        if any(origin.strip().lower() != f"http://{host}" for origin in origins):
            return refusal(403, f"a page of {_shown(origins[0])} may not ask this relay")
        if self.token is not None and not self._has_token(authorizations):
            return refusal(401, "this relay asks for its token: Authorization: Bearer TOKEN")
        return None

    def _is_ours(self, host: str) -> bool:
        parts = _HOST.fullmatch(host)
        if parts is None:
            return False
        if parts["name"] is not None:
            name = parts["name"].removesuffix(".")
            return name in self.names or _is_address(name)
        return _is_address(parts["address"])

    def _has_token(self, authorizations: Sequence[str]) -> bool:
        sent = _token_in(authorizations[0]) if len(authorizations) == 1 else b""
        # In a time that does not depend on how much of it is right.
        return hmac.compare_digest(sent, (self.token or "").encode("ascii"))


def token_of(text: str, where: str) -> str:
    """Return the token that a file holds.

    Args:
        text: its content; the first line counts.
        where: names the file in an error.

    Raises:
        UsageError: it is too short, too long, or has other characters.
    """
    token = text.partition("\n")[0].strip()
    if not TOKEN_CHARS_LEAST <= len(token) <= TOKEN_CHARS_MOST or not all(
        33 <= ord(character) <= 126 for character in token
    ):
        raise UsageError(f"{where} holds no token in its first line; allowed are {_TOKEN_FORM}")
    return token


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches an address that is listened on."""
    if _is_address(host):
        return ipaddress.ip_address(host).is_loopback
    return host.lower() == "localhost"


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _token_in(authorization: str) -> bytes:
    """Return what an Authorization header carries: a bearer's token, or a basic one's password."""
    scheme, _, rest = authorization.strip().partition(" ")
    if scheme.lower() == "bearer":
        return rest.strip().encode("utf-8", "replace")
    if scheme.lower() != "basic":
        return b""
    try:
        return base64.b64decode(rest.strip(), validate=True).partition(b":")[2]
    except (binascii.Error, ValueError):
        return b""


def _shown(text: str) -> str:
    return repr("".join(c if c.isprintable() else "?" for c in text)[:_SHOWN_CHARS])


logger = logging.getLogger(__name__)

REQUEST_S: Final = 5.0
"""In which a request must have come; clients on a lab's network send it within milliseconds."""

CONNECTIONS_MOST: Final = 32
_ANSWER_S: Final = 5.0
_PLACE_S: Final = 0.2
_MOST_BODY_BYTES: Final = 4096
_MOST_BYTES: Final = 16_384
_MAX_PORT: Final = 65_535
_FULL: Final = (
    b"HTTP/1.0 503 the relay has too many connections\r\nContent-Length: 0\r\n"
    b"Connection: close\r\n\r\n"
)


def serve_relay(
    gpios: Gpios,
    host: str,
    port: int,
    on_ready: Callable[[str], None],
    guard: Guard | None = None,
) -> None:
    """Serve until interrupted.

    Args:
        gpios: what answers.
        host: name or address to listen on.
        port: 0 takes any that is free.
        on_ready: called with "http://host:port" when clients may come.
        guard: who may ask; None: whoever calls it localhost or by an IP address.

    Raises:
        UsageError: it cannot be listened on.
    """
    try:
        server = _Server(host, port, gpios, guard or Guard())
    except (OSError, OverflowError) as error:
        why = error.strerror if isinstance(error, OSError) else f"0 to {_MAX_PORT} are allowed"
        raise UsageError(
            f"could not serve on {host}:{port}: {why}; a free port of this machine is allowed, "
            "and 0 takes any"
        ) from error
    with server:
        shown = f"[{host}]" if ":" in host else host
        on_ready(f"http://{shown}:{server.server_address[1]}")
        server.serve_forever(poll_interval=_PLACE_S)


class _Server(ThreadingMixIn, HTTPServer):
    """A thread for each connection, up to `CONNECTIONS_MOST`."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, host: str, port: int, gpios: Gpios, guard: Guard) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.gpios, self.guard = gpios, guard
        self._places = threading.BoundedSemaphore(CONNECTIONS_MOST)
        self._lock = threading.Lock()
        self._reading: dict[socket.socket, None] = {}  # the oldest first
        super().__init__((host, port), _Handler)

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
        logger.exception("the relay could not answer %s (%s)", client_address[0], request)

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
        self._left_bytes = _MOST_BYTES
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


class _Handler(BaseHTTPRequestHandler):
    """One request; a connection has no second one."""

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

    def do_GET(self) -> None:
        """Answer a question."""
        self._answer(b"")

    def do_PATCH(self) -> None:
        """Answer a request to set something, once it is done."""
        digits = self.headers.get("Content-Length", "")
        length = int(digits[:9]) if digits.isascii() and digits.isdigit() else None
        # A client that is refused is read first, or it might not see why.
        body = self.rfile.read(min(length or 0, _MOST_BYTES))
        if length is None or length > _MOST_BODY_BYTES:
            text = f"a PATCH has a Content-Length of up to {_MOST_BODY_BYTES}"
            self._send(refusal(400, text))
        else:
            self._answer(body)

    def log_message(self, *args: Any) -> None:
        """Log nothing: standard error is for people."""

    def _answer(self, body: bytes) -> None:
        server = cast(_Server, self.server)
        if self._coming.ended or not server.is_read(self.connection):
            return  # a part of a request is none
        heads = (self.headers.get_all(name, []) for name in ("Host", "Origin", "Authorization"))
        refused = server.guard.refusal(*heads)
        self._send(refused or server.gpios.answer(self.command, self.path, body))

    def _send(self, answer: Answer) -> None:
        data = json.dumps(answer.document).encode("ascii")
        # Clients show the reason of a status and no body.
        reason = None
        if answer.status != HTTPStatus.OK:
            reason = answer.document["detail"].encode("ascii", "replace").decode("ascii")
            reason = "".join(c if c.isprintable() else "?" for c in reason)
        self.connection.settimeout(_ANSWER_S)  # for all of it
        self.send_response(answer.status, reason)
        if answer.status == HTTPStatus.UNAUTHORIZED:
            self.send_header("WWW-Authenticate", "Bearer")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
