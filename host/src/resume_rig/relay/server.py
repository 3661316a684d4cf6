"""Serves the GPIOs over HTTP, one request at a time: a rig does one thing at a time."""

import json
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, Final

from resume_rig.model.errors import UsageError
from resume_rig.relay.gpio import Answer, Gpios

_MOST_BODY_BYTES: Final = 4096
_PATIENCE_S: Final = 10.0
_MAX_PORT: Final = 65_535


def serve_relay(gpios: Gpios, host: str, port: int, on_ready: Callable[[str], None]) -> None:
    """Serve until interrupted.

    Args:
        gpios: what answers.
        host: name or address to listen on.
        port: 0 takes any that is free.
        on_ready: told "http://host:port" when clients may come.

    Raises:
        UsageError: it cannot be listened on.
    """

    class Handler(_Handler):
        answering = staticmethod(gpios.answer)

    try:
        server = HTTPServer((host, port), Handler)
    except (OSError, OverflowError) as error:
        why = error.strerror if isinstance(error, OSError) else f"0 to {_MAX_PORT} are allowed"
        raise UsageError(
            f"could not serve on {host}:{port}: {why}; a free port of this machine is allowed, "
            "and 0 takes any"
        ) from error
    with server:
        on_ready(f"http://{host}:{server.server_address[1]}")
        server.serve_forever()


class _Handler(BaseHTTPRequestHandler):
    """One request."""

    answering: Callable[[str, str, bytes], Answer]
    timeout = _PATIENCE_S  # of a client that says nothing

    def do_GET(self) -> None:
        """Tell."""
        self._answer(b"")

    def do_PATCH(self) -> None:
        """Do."""
        digits = self.headers.get("Content-Length", "")
        if not (digits.isascii() and digits.isdigit() and int(digits[:9]) <= _MOST_BODY_BYTES):
            text = f"a PATCH has a Content-Length of up to {_MOST_BODY_BYTES}"
            self._send(Answer(400, {"detail": text}))
            return
        self._answer(self.rfile.read(int(digits)))

    def log_message(self, *args: Any) -> None:
        """Say nothing: standard error is for people."""

    def _answer(self, body: bytes) -> None:
        self._send(self.answering(self.command, self.path, body))

    def _send(self, answer: Answer) -> None:
        data = json.dumps(answer.document).encode("ascii")
        # Clients show the reason of a status and no body.
        reason = None
        if answer.status != HTTPStatus.OK:
            reason = answer.document["detail"].encode("ascii", "replace").decode("ascii")
            reason = "".join(c if c.isprintable() else "?" for c in reason)
        self.send_response(answer.status, reason)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
