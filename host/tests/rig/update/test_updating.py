"""An update ends with the image running and kept, or with one sentence that says why not."""

import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

import pytest

from resume_rig.model.errors import DeviceFault, LinkLost, RigError, UsageError
from resume_rig.rig.smp.client import Transport
from resume_rig.rig.update.image import FirmwareImage, parse_image
from resume_rig.rig.update.image_group import ImageGroup
from resume_rig.rig.update.updating import MAX_RESUMPTIONS, Outcome, Updater
from resume_rig.timing.clocks import VirtualClock


class Board(Protocol):
    """The fake of conftest.py, as far as these tests touch it."""

    clock: VirtualClock
    slots: list[bytes | None]
    confirmed: bool
    pending: bool
    boot_id: int
    cut_at: list[int]
    damages: bool
    slot_bytes: int
    comes_back: bool
    accepts: bool
    starts_rig: bool
    proof_refusals: int
    takes_back: bool
    has_images: bool
    protocol: int
    permits: int
    reboots_at: int | None
    chunk_offsets: list[int]

    def open_port(self) -> Transport: ...


@pytest.fixture
def new(make_bytes: Callable[..., bytes]) -> FirmwareImage:
    return parse_image(make_bytes((2, 0, 0, 0)), "new.bin")


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def updater(board: Board, said: list[str]) -> Updater:
    return Updater(
        "serial:board", board.open_port, board.clock, said.append, lambda *_: None, 10**10
    )


def test_an_update_ends_with_the_new_image_kept(
    board: Board, updater: Updater, new: FirmwareImage
) -> None:
    done = updater.update(new, keep=True)
    assert done.outcome is Outcome.CONFIRMED
    assert (done.sent_bytes, done.resumptions) == (len(new.data), 0)
    assert board.slots[0] == new.data
    assert board.confirmed


def test_an_older_image_is_sent_with_a_word(
    board: Board, updater: Updater, said: list[str], make_bytes: Callable[..., bytes]
) -> None:
    old = parse_image(make_bytes((0, 0, 9, 0)), "old.bin")
    assert updater.update(old, keep=True).outcome is Outcome.CONFIRMED
    assert any("0.0.9 is older than" in line for line in said)


def test_a_newer_image_is_not_called_older(
    board: Board, updater: Updater, said: list[str], new: FirmwareImage
) -> None:
    updater.update(new, keep=True)
    assert not any("older" in line for line in said)


def test_progress_ends_at_the_images_size(board: Board, new: FirmwareImage) -> None:
    offsets: list[tuple[int, int]] = []
    Updater(
        "b", board.open_port, board.clock, lambda _: None, lambda *o: offsets.append(o), 10**10
    ).update(new, keep=True)
    assert offsets == sorted(offsets)
    assert offsets[-1] == (len(new.data), len(new.data))


def test_a_trial_is_not_confirmed(board: Board, updater: Updater, new: FirmwareImage) -> None:
    assert updater.update(new, keep=False).outcome is Outcome.ON_TRIAL
    assert board.slots[0] == new.data
    assert not board.confirmed


def test_updating_again_confirms_what_is_on_trial(
    board: Board, updater: Updater, new: FirmwareImage
) -> None:
    updater.update(new, keep=False)
    chunks = len(board.chunk_offsets)
    assert updater.update(new, keep=True).outcome is Outcome.CONFIRMED
    assert board.confirmed
    assert len(board.chunk_offsets) == chunks


def test_an_image_that_runs_already_is_left_alone(
    board: Board, updater: Updater, new: FirmwareImage
) -> None:
    updater.update(new, keep=True)
    boot_id = board.boot_id
    assert updater.update(new, keep=True).outcome is Outcome.NOTHING_TO_DO
    assert board.boot_id == boot_id


def test_a_lost_link_costs_no_chunk_that_arrived(
    board: Board, updater: Updater, new: FirmwareImage, said: list[str]
) -> None:
    board.cut_at = [len(new.data) // 3, 2 * len(new.data) // 3]
    done = updater.update(new, keep=True)
    assert done.resumptions == 2
    assert done.outcome is Outcome.CONFIRMED
    # Offset 0 opens each session anew; every other chunk goes over the line once.
    later = [offset for offset in board.chunk_offsets if offset]
    assert later == sorted(set(later))
    assert sum("going on where the upload stopped" in line for line in said) == 2


def test_each_write_and_the_reset_are_permitted_once(
    board: Board, updater: Updater, new: FirmwareImage
) -> None:
    board.proof_refusals = 2
    updater.update(new, keep=True)
    # Every chunk, arming it, the reset, and three tries to confirm.
    assert board.permits == len(board.chunk_offsets) + 1 + 1 + 3


def test_a_board_of_before_permits_can_be_updated(
    board: Board, updater: Updater, new: FirmwareImage
) -> None:
    board.protocol = 1
    assert updater.update(new, keep=True).outcome is Outcome.CONFIRMED
    assert board.permits == 0


def test_a_board_that_starts_anew_amid_an_upload_is_asked_again_who_it_is(
    board: Board, updater: Updater, new: FirmwareImage, said: list[str]
) -> None:
    board.reboots_at = len(new.data) // 2
    done = updater.update(new, keep=True)
    assert (done.outcome, done.resumptions) == (Outcome.CONFIRMED, 1)
    assert sum("rebooted" in line and "going on where" in line for line in said) == 1


def test_whoever_has_not_asked_the_board_writes_nothing(board: Board, new: FirmwareImage) -> None:
    images = ImageGroup(board.open_port(), board.clock, lambda: None)
    for write in (
        lambda: images.upload(new.data, lambda _: None),
        lambda: images.try_next(new.hash),
        images.confirm,
        images.reset,
    ):
        with pytest.raises(DeviceFault, match=r"no-nonce \(23\), it does this only for a host"):
            write()
    assert board.chunk_offsets == []
    assert len(images.slots()) == 1


def test_a_link_that_is_lost_again_and_again_is_given_up(
    board: Board, updater: Updater, make_bytes: Callable[..., bytes]
) -> None:
    image = parse_image(make_bytes((2, 0, 0, 0), program=bytes(50_000)), "a.bin")
    board.cut_at = [0] * (MAX_RESUMPTIONS + 5)
    with pytest.raises(LinkLost, match="the port is gone"):
        updater.update(image, keep=True)
    assert not board.pending


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT cannot be raised alike there")
def test_ctrl_c_ends_an_upload_at_once(board: Board, new: FirmwareImage) -> None:
    def interrupt(*_: int) -> None:
        signal.raise_signal(signal.SIGINT)

    updater = Updater("b", board.open_port, board.clock, lambda _: None, interrupt, 10**10)
    with pytest.raises(KeyboardInterrupt):
        updater.update(new, keep=True)
    assert len(board.chunk_offsets) <= 2
    assert not board.pending


def test_a_damaged_upload_is_never_tried(
    board: Board, updater: Updater, new: FirmwareImage
) -> None:
    board.damages = True
    with pytest.raises(RigError, match="the board got the image damaged"):
        updater.update(new, keep=True)
    assert not board.pending


def test_a_slot_that_is_too_small_is_named(
    board: Board, updater: Updater, new: FirmwareImage
) -> None:
    board.slot_bytes = 100
    with pytest.raises(DeviceFault, match="larger than the board's slot"):
        updater.update(new, keep=True)


def test_a_board_without_a_bootloader_says_what_to_do(
    board: Board, updater: Updater, new: FirmwareImage
) -> None:
    board.has_images = False
    with pytest.raises(DeviceFault, match=r"no image group; build it with MCUboot"):
        updater.update(new, keep=True)


def test_the_image_of_another_board_is_not_sent(
    board: Board, updater: Updater, make_bytes: Callable[..., bytes]
) -> None:
    image = parse_image(make_bytes(board=b"rpi_pico/rp2040"), "a.bin")
    with pytest.raises(UsageError, match=r"for rpi_pico/rp2040, the board is rig"):
        updater.update(image, keep=True)
    assert board.chunk_offsets == []


def test_an_image_that_names_no_board_is_sent_with_a_word(
    updater: Updater, make_bytes: Callable[..., bytes], said: list[str]
) -> None:
    image = parse_image(make_bytes((2, 0, 0, 0), board=None), "a.bin")
    assert updater.update(image, keep=True).outcome is Outcome.CONFIRMED
    assert "is unknown" in said[0]


def test_a_board_that_stays_away_is_named(
    board: Board, updater: Updater, new: FirmwareImage
) -> None:
    board.comes_back = False
    began_ns = board.clock.now_ns()
    with pytest.raises(LinkLost, match="did not come back within 10 s of its reset"):
        updater.update(new, keep=True)
    assert board.clock.now_ns() - began_ns < 20 * 10**9


def test_an_image_that_the_bootloader_refuses_is_named(
    board: Board, updater: Updater, new: FirmwareImage
) -> None:
    board.accepts = False
    with pytest.raises(RigError, match=r"did not stay: the board runs version 1\.0\.0 again"):
        updater.update(new, keep=True)


def test_a_rig_that_does_not_start_is_not_confirmed(
    board: Board, updater: Updater, new: FirmwareImage
) -> None:
    board.starts_rig = False
    with pytest.raises(LinkLost, match="the new image runs, but its rig did not start"):
        updater.update(new, keep=True)
    assert not board.confirmed


def test_confirming_waits_until_the_image_has_proved_itself(
    board: Board, updater: Updater, new: FirmwareImage
) -> None:
    board.proof_refusals = 9
    assert updater.update(new, keep=True).outcome is Outcome.CONFIRMED


def test_an_image_that_never_proves_itself_stays_unconfirmed(
    board: Board, updater: Updater, new: FirmwareImage
) -> None:
    board.proof_refusals = 10**6
    with pytest.raises(RigError, match="did not prove itself within 15 s"):
        updater.update(new, keep=True)
    assert not board.confirmed


def test_an_image_that_resets_before_it_has_proved_itself_is_not_called_kept(
    board: Board, updater: Updater, new: FirmwareImage
) -> None:
    board.proof_refusals = 3
    board.takes_back = True
    with pytest.raises(RigError, match=r"did not stay: the board runs 1\.0\.0 and not 2\.0\.0"):
        updater.update(new, keep=True)


def test_another_image_on_trial_is_not_written_over(
    board: Board, updater: Updater, new: FirmwareImage
) -> None:
    board.confirmed = False
    with pytest.raises(RigError, match=r"runs version 1\.0\.0 on trial"):
        updater.update(new, keep=True)
    assert board.chunk_offsets == []


def test_a_board_that_takes_an_image_back_while_it_is_looked_at_is_told_of(
    board: Board, new: FirmwareImage, updater: Updater
) -> None:
    opened = 0

    def open_port() -> Transport:
        nonlocal opened
        opened += 1
        if board.slots[0] == new.data and opened % 2:
            board.slots.reverse()
            board.boot_id += 1
            board.confirmed = True
        return board.open_port()

    with pytest.raises(RigError, match="did not stay"):
        replace(updater, open_port=open_port).update(new, keep=True)


def test_the_state_of_a_board_is_told(board: Board, updater: Updater) -> None:
    found = updater.look()
    assert found.info is not None
    assert found.running is not None
    assert (found.info.board, found.running.version, found.running.confirmed) == (
        "rig",
        "1.0.0",
        True,
    )
