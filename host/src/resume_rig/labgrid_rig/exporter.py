"""labgrid's exporter with rigs among its resources: `python -m resume_rig.labgrid_rig.exporter`.

It shares a rig's port while a place has it, and only then: who has no place finds no port. A
client that dies gives its connection back, and the board lets go of the DUT by itself; the place
stays with its user until somebody takes it away.

It listens on this machine alone, where labgrid's own SSH proxy reaches it, unless a resource's
`listen` names another address; that one asks for a token.
"""

import os
import threading
from queue import Queue
from typing import Any, Final

import attr
import serial
from labgrid.remote import exporter
from labgrid.remote.exporter import ResourceExport

from resume_rig.guard.token import FILE_VARIABLE, is_loopback, token_from
from resume_rig.labgrid_rig.resources import RawResumeRig, USBResumeRig
from resume_rig.model.errors import ResumeRigError, UsageError
from resume_rig.rig.link.share import share_port
from resume_rig.rig.smp.serial_transport import open_plain

_READ_S: Final = 0.2
_START_S: Final = 10.0
_HERE: Final = "127.0.0.1"
_RESOURCES: Final[dict[str, Any]] = {"RawResumeRig": RawResumeRig, "USBResumeRig": USBResumeRig}


@attr.s(eq=False)
class ResumeRigExport(ResourceExport):
    """One rig; its server runs in a thread of the exporter."""

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        self._listen = self.local_params.pop("listen", None) or _HERE
        self._token = token_from(os.environ)
        if self._token is None and not is_loopback(self._listen):
            raise UsageError(
                f"could not listen on {self._listen}: whoever reaches it could press the DUT's "
                f"button; name a token by {FILE_VARIABLE} in the environment of the exporter and "
                "of its users, or leave `listen` out, so that they come through SSH"
            )
        # labgrid's client then comes through SSH, and asks this machine for its own loopback.
        self._here_alone = is_loopback(self._listen)
        if self._here_alone and not is_loopback(self.host):
            self.proxy_required = True
        self.local = _RESOURCES[self.cls](target=None, name=None, **self.local_params)
        self.data["cls"] = "NetworkResumeRig"
        self._port: int | None = None
        self._stopping = threading.Event()
        self._server: threading.Thread | None = None

    def _get_start_params(self) -> dict[str, Any]:
        return {"path": self.local.port}

    def _get_params(self) -> dict[str, Any]:
        match = getattr(self.local, "match", {})
        return {
            "host": self._listen if self._here_alone and self.proxy_required else self.host,
            "port": self._port,
            "extra": {"path": self.local.port, "usb_serial": match.get("ID_SERIAL_SHORT")},
        }

    def _start(self, start_params: dict[str, Any]) -> None:
        self._stopping.clear()
        ready: Queue[str | ResumeRigError] = Queue()
        self._server = threading.Thread(
            target=self._serve, args=(start_params["path"], ready), daemon=True
        )
        self._server.start()
        answer = ready.get(timeout=_START_S)
        if isinstance(answer, ResumeRigError):
            raise answer
        self._port = int(answer.rpartition(":")[2])
        self.logger.info("shares %s on port %d", start_params["path"], self._port)

    def _stop(self, start_params: dict[str, Any]) -> None:
        self._stopping.set()
        self._port = None
        if self._server is not None:
            self._server.join(_START_S)
            self._server = None
        self.logger.info("shares %s no longer", start_params["path"])

    def _serve(self, path: str, ready: "Queue[str | ResumeRigError]") -> None:
        def open_port() -> serial.Serial:
            return open_plain(path, _READ_S)

        try:
            share_port(open_port, self._listen, 0, ready.put, self._stopping, token=self._token)
        except ResumeRigError as error:
            ready.put(error)


def main() -> None:
    """Make labgrid's exporter know rigs, and run it with this process's arguments."""
    for name in _RESOURCES:
        exporter.exports[name] = ResumeRigExport
    try:
        exporter.main()
    except UsageError as error:
        raise SystemExit(f"resume-rig: {error}") from error


if __name__ == "__main__":
    main()
