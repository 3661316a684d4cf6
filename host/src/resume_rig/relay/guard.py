"""Who may ask the relay: the name it is called by, the page that asks, and a token. Pure.

A browser reaches what its user's machine reaches, whatever page it shows. A page of another site
is known by its Origin; one whose name was made to point here (DNS rebinding) by the Host that the
browser sends.
"""

import base64
import binascii
import hmac
import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass

from resume_rig.model.errors import UsageError

TOKEN_CHARS_LEAST = 16
TOKEN_CHARS_MOST = 256
_HOST = re.compile(r"(?:\[(?P<address>[0-9a-f:.]+)\]|(?P<name>[^\[\]:]+))(?::[0-9]{1,5})?")
_TOKEN_FORM = f"{TOKEN_CHARS_LEAST} to {TOKEN_CHARS_MOST} printable ASCII characters without blanks"
_SHOWN_CHARS = 60


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not answered: an HTTP status and one sentence."""

    status: int
    detail: str


@dataclass(frozen=True, slots=True)
class Guard:
    """What a request has to show.

    Attributes:
        names: names that the relay may be called by, in small letters. Any IP address may, too:
            DNS rebinding needs a name.
        token: what every client has to send; None for no such demand.
    """

    names: frozenset[str] = frozenset({"localhost"})
    token: str | None = None

    def refusal(
        self, hosts: Sequence[str], origins: Sequence[str], authorizations: Sequence[str]
    ) -> Refusal | None:
        """Return why a request is refused; None where it may pass.

        Args:
            hosts: the values of the header Host, as often as it stands there.
            origins: those of Origin.
            authorizations: those of Authorization.
        """
        if len(hosts) != 1:
            return Refusal(400, "a request has one Host")
        host = hosts[0].strip().lower()
        if not self._is_ours(host):
            return Refusal(
                403,
                f"this relay is not called {_shown(host)}; allowed are an IP address, "
                f"{', '.join(sorted(self.names))}, and what --name says",
            )
        if any(origin.strip().lower() != f"http://{host}" for origin in origins):
            return Refusal(403, f"a page of {_shown(origins[0])} may not ask this relay")
        if self.token is not None and not self._knows_it(authorizations):
            return Refusal(401, "this relay asks for its token: Authorization: Bearer TOKEN")
        return None

    def _is_ours(self, host: str) -> bool:
        parts = _HOST.fullmatch(host)
        if parts is None:
            return False
        if parts["name"] is not None:
            name = parts["name"].removesuffix(".")
            return name in self.names or _is_address(name)
        return _is_address(parts["address"])

    def _knows_it(self, authorizations: Sequence[str]) -> bool:
        sent = _token_in(authorizations[0]) if len(authorizations) == 1 else b""
        # In a time that does not say how much of it was right.
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
