"""SmpRig and light: blocks, and the onset that the board found."""

import re
from collections.abc import Callable

import pytest

from resume_rig.model.edge import LightBlock
from resume_rig.model.errors import DeviceFault, ProtocolError
from resume_rig.model.light import LightOnset, OnsetState
from resume_rig.rig.interface import LightBatch
from resume_rig.rig.link.client import SmpRig

Talk = Callable[..., SmpRig]


def test_light_is_armed_and_read_as_blocks(talk: Talk) -> None:
    reply = {"boot": 77, "first": 3, "next": 5, "ovr": 0, "b": [10, 1, 2, 3, 20, 4, 5, 6]}
    rig = talk(
        ("light", {"dur": 3_000}, {"boot": 77, "until": 4_000}),
        ("light", {"from": 3, "max": 128}, reply),
    )
    rig.arm_light(3_000)
    blocks = (LightBlock(3, 10, 1, 2, 3), LightBlock(4, 20, 4, 5, 6))
    assert rig.light(3) == LightBatch(blocks, 3, 5, 0, 0, False)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"b": [10, 1, 65_536, 3]}, "65536 for 'b'; allowed is counts up to 65535"),
        ({"b": [-10, 1, 2, 3]}, "-10 for 'b'; allowed is a number from 0"),
        ({"b": [2**63, 1, 2, 3]}, "9223372036854775808 for 'b'"),
        ({"b": [10, 1, -2, 3]}, "-2 for 'b'; allowed is a number from 0"),
        ({"b": [10, 1, True, 3]}, "True for 'b'; allowed is a whole number"),
        ({"b": [10, 1, 2.0, 3]}, "2.0 for 'b'; allowed is a whole number"),
        ({"b": [10, 1, 2]}, "multiple of 4"),
        ({"next": 2**32}, "4294967296 for 'next'; allowed is a number up to 4294967295"),
    ],
    ids=["counts", "time", "late", "below 0", "truth", "float", "cut", "number"],
)
def test_light_that_no_board_can_mean_is_refused(
    talk: Talk, changes: dict[str, object], sentence: str
) -> None:
    reply = {"boot": 77, "first": 3, "next": 4, "ovr": 0, "b": [10, 1, 2, 3]} | changes
    rig = talk(("light", {"from": 3, "max": 128}, reply))
    with pytest.raises(ProtocolError, match=re.escape(sentence)):
        rig.light(3)


def test_arming_can_ask_for_a_baseline_and_a_settled_span(talk: Talk) -> None:
    request = {"dur": 3_000, "base": 150_000_000, "settle": 2_000_000_000}
    reply = {"boot": 77, "until": 4_000, "base": 150_000_000, "settle": 2_000_000_000}
    rig = talk(("light", request, reply))
    rig.arm_light(3_000, baseline_ns=150_000_000, settle_ns=2_000_000_000)


def test_the_onset_is_asked_for_and_parsed(talk: Talk) -> None:
    rig = talk(("onset", {}, {"boot": 77, "st": 1}))
    assert rig.onset() == LightOnset(OnsetState.DARK)


def test_a_board_that_looks_for_no_onset_says_so(talk: Talk) -> None:
    rig = talk(("onset", {}, {"err": {"group": 64, "rc": 11}}))
    assert rig.info().light_rate_hz is None
    with pytest.raises(DeviceFault, match="no-onset"):
        rig.onset()


def test_a_board_announces_how_it_looks_for_the_onset(
    talk: Talk, board_info: dict[str, object]
) -> None:
    rig = talk(("info", {}, board_info | {"lhz": 50_000, "lmax": 4_095, "oring": 10_000}))
    assert rig.info().onset_ring == 0
    info = rig.info()
    assert (info.light_rate_hz, info.light_full_scale, info.onset_ring) == (50_000, 4_095, 10_000)
