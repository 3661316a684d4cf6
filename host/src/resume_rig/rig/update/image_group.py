"""The image group of a board that MCUboot starts: its two slots, and what is uploaded to them."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from smp.exceptions import SMPException
from smpclient import SMPClient
from smpclient.exceptions import SMPClientException, SMPUploadError
from smpclient.requests.image_management import ImageStatesRead, ImageStatesWrite
from smpclient.requests.os_management import ResetWrite

from resume_rig.model.clock import Clock
from resume_rig.model.errors import DeviceFault, ProtocolError, RigError
from resume_rig.rig.smp.refusal import SMP_LEVEL, SmpCode
from resume_rig.rig.smp.transport import Transport
from resume_rig.rig.update.smpclient_link import SmpClientLink, asked, misread, refused

STATE_TIMEOUT_NS: Final = 5_000_000_000
"""Reading states hashes nothing, but may wait for a sector that is being erased."""

UPLOAD_TIMEOUT_NS: Final = 20_000_000_000
"""A board that runs from the flash it erases stands still: up to 4 s for a sector of 256 KiB."""

_SLOTS: Final = 2


@dataclass(frozen=True, slots=True)
class Slot:
    """One slot as the board tells of it.

    Attributes:
        number: 0 is the one that runs.
        version: of the image in it, e.g. "1.2.3".
        hash: of the image; None where the board tells none.
        active: it runs. confirmed: it stays. pending: the next reset tries it.
        permanent: and keeps it.
    """

    number: int
    version: str
    hash: bytes | None
    active: bool
    confirmed: bool
    pending: bool
    permanent: bool


class ImageGroup:
    """Speaks the image group over an open transport; whoever opened the transport closes it.

    Args:
        transport: open.
        clock: decides how long a request may take.
    """

    def __init__(self, transport: Transport, clock: Clock) -> None:
        self._link = SmpClientLink(transport, clock, STATE_TIMEOUT_NS)
        self._client = SMPClient(self._link, address=transport.name)

    def slots(self) -> tuple[Slot, ...]:
        """Return the slots that hold an image.

        Raises:
            DeviceFault: the board refused; in the words of a user where it has no image group.
            ProtocolError: it answers, but not as a board does.
            LinkLost: it does not answer.
        """
        try:
            reply = asked(self._client, ImageStatesRead())
        except DeviceFault as e:
            if (e.group, e.code) == (SMP_LEVEL, SmpCode.NOT_SUPPORTED):
                raise DeviceFault(
                    e.group,
                    e.code,
                    f"the firmware of the board at {self._link.name} cannot be updated this way: "
                    "it has no image group; build it with MCUboot (make firmware-mcuboot) and "
                    "flash it once with a programmer",
                ) from e
            raise
        return tuple(
            Slot(
                number=state.slot,
                version=_printable(state.version),
                hash=None if state.hash is None else bytes(state.hash),
                active=state.active is True,
                confirmed=state.confirmed is True,
                pending=state.pending is True,
                permanent=state.permanent is True,
            )
            for state in reply.images[:_SLOTS]
        )

    def upload(self, data: bytes, on_offset: Callable[[int], None]) -> None:
        """Send an image; a board that has a part of it already is sent the rest.

        Args:
            data: the whole image.
            on_offset: told how many bytes the board has, after each reply.

        Raises:
            DeviceFault, ProtocolError, LinkLost: as `slots`.
        """
        self._link.timeout_ns = UPLOAD_TIMEOUT_NS
        try:
            asyncio.run(self._upload(data, on_offset))
        finally:
            self._link.timeout_ns = STATE_TIMEOUT_NS

    async def _upload(self, data: bytes, on_offset: Callable[[int], None]) -> None:
        try:
            await self._client.connect()  # asks for the size of the board's buffers
            known = -1
            async for offset in self._client.upload(
                data, first_timeout_s=1e9, subsequent_timeout_s=1e9
            ):
                if not 0 <= offset <= len(data) or offset == known == 0:
                    raise ProtocolError(
                        f"the board answered upload with offset {offset}; allowed are 1 to "
                        f"{len(data)}"
                    )
                known = offset
                on_offset(offset)
        except SMPUploadError as e:
            raise _upload_refused(e) from e
        except (SMPClientException, SMPException, ValueError) as e:
            raise misread("upload", e) from e

    def try_next(self, image_hash: bytes) -> None:
        """Let the bootloader try this image at the next reset, once."""
        asked(self._client, ImageStatesWrite(hash=image_hash, confirm=False))

    def confirm(self) -> None:
        """Keep the image that runs.

        Raises:
            DeviceFault: with BAD_STATE while the image has not proved itself; and as `slots`.
        """
        asked(self._client, ImageStatesWrite(confirm=True))

    def reset(self) -> None:
        """Reset the board; it answers first."""
        asked(self._client, ResetWrite())


def _upload_refused(cause: SMPUploadError) -> Exception:
    """Return the exception for an upload that the board broke off."""
    reason = cause.args[0] if cause.args else ""
    if isinstance(reason, str):
        return RigError(
            "the board got the image damaged: the SHA-256 of what it has is not that of what was "
            "sent; send it again"
        )
    return refused(reason, "upload")


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text[:40])
