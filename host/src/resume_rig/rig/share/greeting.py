"""The one line by which a server of a port tells a client why it is not served."""

import socket
from contextlib import suppress
from typing import Final

GREETING: Final = "resume-rig share: "

_MOST_BYTES: Final = 300
_PATIENCE_S: Final = 1.0


def turned_away(host: str, port: int) -> str | None:
    """Ask a server that did not serve why; None where it says nothing of the kind.

    A telnet server begins with telnet options, so that nothing else is taken for an answer. What
    it says is cut to one printable line.
    """
    heard = b""
    with (
        suppress(OSError),
        socket.create_connection((host, port), timeout=_PATIENCE_S) as connection,
    ):
        while _may_be_ours(heard) and (more := connection.recv(_MOST_BYTES)):
            heard += more
    text = heard[:_MOST_BYTES].decode("utf-8", "replace").partition("\r\n")[0]
    if not text.startswith(GREETING):
        return None
    return "".join(c if c.isprintable() else "?" for c in text.removeprefix(GREETING))


def _may_be_ours(heard: bytes) -> bool:
    start = GREETING.encode("ascii")
    return len(heard) < _MOST_BYTES and heard[: len(start)] == start[: len(heard)]
