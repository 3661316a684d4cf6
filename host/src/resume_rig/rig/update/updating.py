"""From the image that a board runs to another one, and to which one really runs then.

Every step asks the board anew, so an update that was broken off goes on where it stopped: an image
that is there already is not sent again, one that runs on trial is only confirmed.
"""

from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Final

from resume_rig.model.clock import Clock
from resume_rig.model.errors import (
    BoardRebooted,
    DeviceFault,
    LinkLost,
    ProtocolError,
    RigError,
    UsageError,
)
from resume_rig.rig.interface import RigInfo
from resume_rig.rig.link.client import SmpRig
from resume_rig.rig.smp.client import SmpClient, Transport
from resume_rig.rig.smp.request import SmpCode
from resume_rig.rig.update.image import FirmwareImage
from resume_rig.rig.update.image_group import ImageGroup, Slot

MAX_RESUMPTIONS: Final = 10
"""How often an upload goes on after the link was lost; each one got further than the last."""

PROOF_NS: Final = 15_000_000_000
"""How long an image on trial may take until the board lets it be confirmed."""

_PAUSE_NS: Final = 200_000_000


@unique
class Outcome(StrEnum):
    """What an update came to."""

    CONFIRMED = "confirmed"
    ON_TRIAL = "on-trial"
    NOTHING_TO_DO = "nothing-to-do"


@dataclass(frozen=True, slots=True)
class BoardFirmware:
    """What runs on a board.

    Attributes:
        info: None where no rig runs that this version speaks to, so that only updates work.
        slots: those that hold an image.
    """

    info: RigInfo | None
    slots: tuple[Slot, ...]

    @property
    def running(self) -> Slot | None:
        """Return the slot that runs."""
        return next((slot for slot in self.slots if slot.active), None)


@dataclass(frozen=True, slots=True)
class Update:
    """An update that was done.

    Attributes:
        sent_bytes: how much of the image was sent; less than all after an earlier try.
        resumptions: how often the upload went on after the link was lost.
    """

    outcome: Outcome
    before: BoardFirmware
    after: BoardFirmware
    sent_bytes: int
    resumptions: int


@dataclass(frozen=True, slots=True)
class Updater:
    """Updates one board.

    Attributes:
        name: the board's URL, for sentences.
        open_port: opens it; called again after each loss of the link.
        clock: real time.
        on_step: called with a sentence for each thing that happens.
        on_offset: called with how many bytes of how many the board has.
        return_ns: how long the board may stay away, after a lost link and after its reset.
    """

    name: str
    open_port: Callable[[], Transport]
    clock: Clock
    on_step: Callable[[str], None]
    on_offset: Callable[[int, int], None]
    return_ns: int

    def look(self) -> BoardFirmware:
        """Return what runs on the board.

        Raises:
            RigError: it does not answer, or has no image group.
        """
        with closing(self.open_port()) as transport:
            try:
                info = SmpRig(SmpClient(transport, self.clock)).info()
            except ProtocolError:
                info = None  # no rig group, or one that this version does not speak
            return BoardFirmware(info, self._images(transport).slots())

    def update(self, image: FirmwareImage, *, keep: bool) -> Update:
        """Bring `image` onto the board, and check that it runs.

        Args:
            image: checked.
            keep: confirm it when it has proved itself; else the next reset takes it back.

        Raises:
            UsageError: the image is for another board.
            RigError: the link is lost for good, the board refuses, does not come back, or runs
                another image afterwards than was asked for.
        """
        before = self.look()
        self._check_board(image, before)
        running = before.running
        if running is not None and running.hash == image.hash:
            return self._settle(image, before, keep=keep, sent_bytes=0, resumptions=0)
        if running is not None and not running.confirmed:
            raise RigError(
                f"could not update {self.name}: it runs version {running.version} on trial and "
                "keeps the other slot to fall back to; confirm that image by updating to it "
                "again, or reset the board"
            )
        if running is not None and _is_older(image.version, running.version):
            self.on_step(
                f"Version {image.version} is older than {running.version}, which runs; boards take "
                "older images too (downgrade protection is off)."
            )
        sent_bytes, resumptions = self._bring(image, before)
        self.on_step(
            "Resetting the board; the bootloader checks the signature and swaps the images."
        )
        self._arm_and_reset(image)
        self._await_return(image, before)
        return self._settle(
            image, before, keep=keep, sent_bytes=sent_bytes, resumptions=resumptions
        )

    def _images(self, transport: Transport) -> ImageGroup:
        """Return the image group behind an open port; it asks for permits as the boot it meets."""
        rig = SmpRig(SmpClient(transport, self.clock))

        def permit() -> None:
            # Without a rig that this version speaks to, the board says itself what it needs.
            with suppress(ProtocolError):
                rig.permit()

        return ImageGroup(transport, self.clock, permit)

    def _check_board(self, image: FirmwareImage, before: BoardFirmware) -> None:
        found = None if before.info is None else before.info.board
        if image.board is None or found is None:
            who = "the image" if image.board is None else "the firmware that runs"
            self.on_step(
                f"Whether the image fits the board is unknown: {who} does not name its board."
            )
        elif image.board != found:
            raise UsageError(
                f"could not update {self.name}: the image is for {image.board}, the board is "
                f"{found}; name the image that was built for it"
            )

    def _bring(self, image: FirmwareImage, before: BoardFirmware) -> tuple[int, int]:
        """Send the image; return how many bytes went over the line, and the resumptions."""
        if any(slot.hash == image.hash for slot in before.slots):
            self.on_step("The board has the image already.")
            return 0, 0
        sent_bytes = resumptions = furthest = 0
        while True:
            first = last = -1

            def note(offset: int) -> None:
                nonlocal first, last
                first, last = (offset if first < 0 else first), offset
                self.on_offset(offset, len(image.data))

            try:
                with closing(self._reopened() if resumptions else self.open_port()) as transport:
                    self._images(transport).upload(image.data, note)
            except (LinkLost, BoardRebooted) as e:
                if resumptions == MAX_RESUMPTIONS or (resumptions and last <= furthest):
                    raise
                self.on_step(f"{e}; going on where the upload stopped.")
            # A first reply far into the image counts bytes that were sent before.
            began = 0 if resumptions == 0 or first < 0 else min(first, furthest)
            sent_bytes += max(0, last - began)
            furthest = max(furthest, last)
            if last == len(image.data):
                return sent_bytes, resumptions
            resumptions += 1

    def _reopened(self) -> Transport:
        """Return the port once it is there again and somebody answers."""
        deadline_ns = self.clock.now_ns() + self.return_ns
        while True:
            transport: Transport | None = None
            try:
                transport = self.open_port()
                self._images(transport).slots()
            except LinkLost:
                if transport is not None:
                    transport.close()
                if self.clock.now_ns() >= deadline_ns:
                    raise
                self.clock.sleep_ns(_PAUSE_NS)
            except BaseException:
                if transport is not None:
                    transport.close()
                raise
            else:
                return transport

    def _arm_and_reset(self, image: FirmwareImage) -> None:
        with closing(self._reopened()) as transport:
            group = self._images(transport)
            other = next((slot for slot in group.slots() if not slot.active), None)
            if other is None or other.hash != image.hash:
                found = "nothing" if other is None else f"version {other.version}, another image"
                raise RigError(
                    f"could not update {self.name}: after the upload its other slot holds {found}; "
                    "send the image again"
                )
            group.try_next(image.hash)
            group.reset()

    def _await_return(self, image: FirmwareImage, before: BoardFirmware) -> None:
        """Wait until the board has started anew, and see which image it runs."""
        old_boot = None if before.info is None else before.info.boot_id
        deadline_ns = self.clock.now_ns() + self.return_ns
        heard = "nothing answers"
        while self.clock.now_ns() < deadline_ns:
            self.clock.sleep_ns(_PAUSE_NS)
            try:
                after = self.look()
            except (LinkLost, ProtocolError) as e:
                heard = str(e)
                continue
            running = after.running
            if running is None or (after.info is not None and after.info.boot_id == old_boot):
                heard = "it has not reset yet"
                continue
            if running.hash != image.hash:
                if any(slot.pending for slot in after.slots):
                    heard = "it has not reset yet"
                    continue
                raise RigError(
                    f"the update of {self.name} did not stay: the board runs version "
                    f"{running.version} again, as the bootloader refused version {image.version} "
                    "(is it signed with this board's key?) or took it back"
                )
            if after.info is not None:
                return
            heard = "the new image runs, but its rig did not start"
        raise LinkLost(
            f"the board at {self.name} did not come back within {self.return_ns / 1e9:g} s of its "
            f"reset: {heard}; an image that nobody confirms is taken back at the next reset, so "
            "take the board's power away once"
        )

    def _settle(
        self,
        image: FirmwareImage,
        before: BoardFirmware,
        *,
        keep: bool,
        sent_bytes: int,
        resumptions: int,
    ) -> Update:
        """Confirm the image that runs where it is to stay, and return what came of it all."""
        after, running = self._look_for(image)
        if running.confirmed:
            done = Outcome.NOTHING_TO_DO if sent_bytes == 0 else Outcome.CONFIRMED
            return Update(done, before, after, sent_bytes, resumptions)
        if not keep:
            return Update(Outcome.ON_TRIAL, before, after, sent_bytes, resumptions)
        self.on_step("The new image runs; waiting until it has proved itself.")
        with suppress(BoardRebooted):  # what it runs then is looked at
            self._confirm()
        after, running = self._look_for(image)
        if not running.confirmed:
            raise RigError(
                f"the board at {self.name} started anew before the new image was confirmed; "
                "update it once more"
            )
        return Update(Outcome.CONFIRMED, before, after, sent_bytes, resumptions)

    def _look_for(self, image: FirmwareImage) -> tuple[BoardFirmware, Slot]:
        """Return what runs on the board, which has to be `image`, and its slot."""
        found = self.look()
        running = found.running
        if running is None or running.hash != image.hash:
            other = "an image that it does not name" if running is None else running.version
            raise RigError(
                f"the update of {self.name} did not stay: the board runs {other} and not "
                f"{image.version}"
            )
        return found, running

    def _confirm(self) -> None:
        deadline_ns = self.clock.now_ns() + PROOF_NS
        with closing(self.open_port()) as transport:
            group = self._images(transport)
            while True:
                try:
                    return group.confirm()
                except DeviceFault as e:
                    if e.code != SmpCode.BAD_STATE:
                        raise
                    if self.clock.now_ns() >= deadline_ns:
                        raise RigError(
                            f"the new image on {self.name} did not prove itself within "
                            f"{PROOF_NS / 1e9:g} s, so it was not confirmed; the board goes back "
                            "to the image before at its next reset"
                        ) from e
                    self.clock.sleep_ns(_PAUSE_NS)


def _is_older(version: str, than: str) -> bool:
    """Compare versions as MCUboot writes them; one that is not of that form is not older."""
    first, second = (
        [int(part) for part in text.split(".") if part.isdecimal()] for text in (version, than)
    )
    return first < second
