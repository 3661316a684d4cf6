"""A secret that a client has to know, and where it is kept: in a file or in the environment.

It is no part of a rig URL, as URLs go to process lists, stores and reports.
"""

import hashlib
import hmac
import ipaddress
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from resume_rig.model.errors import UsageError

TOKEN_VARIABLE: Final = "RESUME_RIG_TOKEN"
FILE_VARIABLE: Final = "RESUME_RIG_TOKEN_FILE"
TOKEN_CHARS_LEAST: Final = 16
TOKEN_CHARS_MOST: Final = 256
_NEW_BYTES: Final = 24  # of a fresh one: more than anybody can try
_FILE_CHARS: Final = 4096
_TOKEN_FORM = f"{TOKEN_CHARS_LEAST} to {TOKEN_CHARS_MOST} printable ASCII characters without blanks"


def new_token() -> str:
    """Return a token that nobody can guess."""
    return secrets.token_urlsafe(_NEW_BYTES)


def token_of(text: str, where: str) -> str:
    """Return the token that a file or a variable holds.

    Args:
        text: its content; the first line counts.
        where: names it in an error, which never shows the content.

    Raises:
        UsageError: it is too short, too long, or has other characters.
    """
    token = text.partition("\n")[0].strip()
    if not TOKEN_CHARS_LEAST <= len(token) <= TOKEN_CHARS_MOST or not all(
        33 <= ord(character) <= 126 for character in token
    ):
        raise UsageError(f"{where} holds no token in its first line; allowed are {_TOKEN_FORM}")
    return token


def token_in(path: Path) -> str:
    """Return the token in a file.

    Raises:
        UsageError: the file cannot be read, or holds none.
    """
    try:
        with path.open("r", encoding="utf-8", errors="replace") as file:
            return token_of(file.read(_FILE_CHARS), str(path))
    except OSError as error:
        raise UsageError(
            f"could not read the token in {path}: {error.strerror or error}"
        ) from error


def token_from(environment: Mapping[str, str]) -> str | None:
    """Return the token that the environment names, a file's before a variable's; None for none.

    Raises:
        UsageError: what it names is no token.
    """
    if path := environment.get(FILE_VARIABLE):
        return token_in(Path(path))
    if text := environment.get(TOKEN_VARIABLE):
        return token_of(text, TOKEN_VARIABLE)
    return None


def proof_of(token: str, nonce: str) -> str:
    """Return what shows, for this nonce alone, that one knows the token."""
    return hmac.new(token.encode("ascii"), nonce.encode("ascii"), hashlib.sha256).hexdigest()


def is_address(text: str) -> bool:
    """Return whether a text is an IP address."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches an address that is listened on."""
    if is_address(host):
        return ipaddress.ip_address(host).is_loopback
    return host.lower() == "localhost"
