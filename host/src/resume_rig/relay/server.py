"""Serves the GPIOs over HTTP, to those who may ask; no client keeps another from being heard.

The rig does one thing at a time: what waits for it too long is answered that nothing was done.
"""

import base64
import binascii
import hmac
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, cast

from resume_rig.guard.http import REQUEST_BYTES_MOST, BoundedHandler, BoundedServer
from resume_rig.guard.token import is_address
from resume_rig.model.errors import UsageError
from resume_rig.relay.gpio import Answer, Gpios, refusal

_HOST = re.compile(r"(?:\[(?P<address>[0-9a-f:.]+)\]|(?P<name>[^\[\]:]+))(?::[0-9]{1,5})?")
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
            return name in self.names or is_address(name)
        return is_address(parts["address"])

    def _has_token(self, authorizations: Sequence[str]) -> bool:
        sent = _token_in(authorizations[0]) if len(authorizations) == 1 else b""
        # In a time that does not depend on how much of it is right.
        return hmac.compare_digest(sent, (self.token or "").encode("ascii"))


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


_ANSWER_S: Final = 5.0
_MOST_BODY_BYTES: Final = 4096
_MAX_PORT: Final = 65_535


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
        server.serve_forever()


class _Server(BoundedServer):
    """The relay's GPIOs, and who may ask."""

    def __init__(self, host: str, port: int, gpios: Gpios, guard: Guard) -> None:
        self.gpios, self.guard = gpios, guard
        super().__init__(host, port, _Handler)


class _Handler(BoundedHandler):
    """One request; a connection has no second one."""

    def do_GET(self) -> None:  # noqa: N802 - http.server calls it so
        """Answer a question."""
        self._answer(b"")

    def do_PATCH(self) -> None:  # noqa: N802 - likewise
        """Answer a request to set something, once it is done."""
        digits = self.headers.get("Content-Length", "")
        length = int(digits[:9]) if digits.isascii() and digits.isdigit() else None
        # A client that is refused is read first, or it might not see why.
        body = self.rfile.read(min(length or 0, REQUEST_BYTES_MOST))
        if length is None or length > _MOST_BODY_BYTES:
            text = f"a PATCH has a Content-Length of up to {_MOST_BODY_BYTES}"
            self._send(refusal(400, text))
        else:
            self._answer(body)

    def _answer(self, body: bytes) -> None:
        server = cast(_Server, self.server)
        if not self.has_come():
            return
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
