"""What is sent is an image for MCUboot, whole and signed; anything else is refused by its form."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.model.errors import UsageError
from resume_rig.rig.update.image import parse_image

Make = Callable[..., bytes]


def test_an_image_says_its_version_its_board_and_its_hash(make_bytes: Make) -> None:
    image = parse_image(make_bytes((1, 2, 3, 0)), "a.bin")
    assert (image.version, image.board, len(image.hash)) == ("1.2.3", "rig", 32)
    assert parse_image(make_bytes((1, 2, 3, 4)), "a.bin").version == "1.2.3.4"


def test_an_image_may_leave_its_board_out(make_bytes: Make) -> None:
    assert parse_image(make_bytes(board=None), "a.bin").board is None


@pytest.mark.parametrize("board", [b"", b"\xff\xfe", b"a\nb", b"x" * 101])
def test_a_board_name_that_is_no_name_counts_as_none(make_bytes: Make, board: bytes) -> None:
    assert parse_image(make_bytes(board=board), "a.bin").board in (None, "��")


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", "it starts with nothing"),
        (b"\x7fELF" + bytes(100), "it starts with 7f 45 4c 46"),
        (b"\x3d\xb8\xf3\x96" + bytes(28), "header says at least 0|it has 32 bytes"),
    ],
    ids=["empty", "elf", "header-alone"],
)
def test_another_file_is_refused(data: bytes, found: str) -> None:
    with pytest.raises(UsageError, match=found):
        parse_image(data, "a.bin")


def test_an_image_that_is_not_signed_is_refused(make_bytes: Make) -> None:
    with pytest.raises(UsageError, match="it is not signed"):
        parse_image(make_bytes(signature=None), "a.bin")


def test_a_wrong_hash_is_refused(make_bytes: Make) -> None:
    with pytest.raises(UsageError, match="it is damaged"):
        parse_image(make_bytes(digest=bytes(32)), "a.bin")


@given(cut=st.integers(min_value=0, max_value=3000))
def test_an_image_cut_anywhere_is_refused(make_bytes: Make, cut: int) -> None:
    whole = make_bytes()
    data = whole[: min(cut, len(whole) - 1)]
    with pytest.raises(UsageError, match="is no firmware to send"):
        parse_image(data, "a.bin")


@given(noise=st.binary(max_size=200), start=st.integers(min_value=0, max_value=200))
def test_noise_is_refused_or_changes_nothing(make_bytes: Make, noise: bytes, start: int) -> None:
    whole = make_bytes(program=bytes(100))
    data = whole[:start] + noise + whole[start + len(noise) :]
    try:
        image = parse_image(data, "a.bin")
    except UsageError:
        return
    assert image.hash == parse_image(whole, "a.bin").hash
