"""Loop-back, calibration, samples and the past, as the host asks for them and reads them."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import cbor2
import pytest

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.errors import BoardRebooted, DeviceFault, ProtocolError, UsageError
from resume_rig.model.light import OnsetState
from resume_rig.rig.commands.actions import CalibrationRequest, LoopbackResultRequest
from resume_rig.rig.commands.board import FaultsRequest, InfoRequest
from resume_rig.rig.commands.capture import SamplesRequest
from resume_rig.rig.interface import (
    ActionStart,
    Calibration,
    ChannelLatency,
    Faults,
    LoopbackChannel,
    LoopbackResult,
    LoopbackState,
    PastBoot,
    SampleBatch,
)
from resume_rig.rig.smp.request import Fields

from .conftest import INFO, SILENCE, Talk

VECTORS = json.loads(
    (Path(__file__).resolve().parents[3] / "fixtures" / "wire" / "vectors.json").read_text("utf-8")
)
BOARD = InfoRequest().decode(Fields(INFO, "info"))
LOOP = next(e for e in VECTORS["exchanges"] if e["name"] == "info-calibrated")


def golden(message: str) -> list[Any]:
    return [
        pytest.param(cbor2.loads(bytes.fromhex(entry["reply"]["hex"])), id=entry["name"])
        for entry in VECTORS["exchanges"]
        if entry.get("reply", {}).get("message") == message
    ]


def refused(code: int) -> dict[str, object]:
    return {"err": {"group": 64, "rc": code}}


def test_a_calibrated_channel_says_so(talk: Talk) -> None:
    latency = [[0, -3, 1, 2, 200], [1, 9, 9, 9, 9]]
    rig = talk(info=INFO | {"lat": latency, "esrc": "pio"})
    info = rig.info()
    assert info.edge_source == "pio"
    assert [known.latency for known in info.channels] == [
        ChannelLatency(Channel.PWR_OK, -3, 1, 2, 200),
        None,
    ]


def test_a_latency_of_no_channel_is_a_protocol_error(talk: Talk) -> None:
    with pytest.raises(ProtocolError, match="allowed is an index below 3"):
        talk(info=INFO | {"lat": [[3, 1, 1, 1, 1]]}).info()


def test_a_loopback_names_output_channels_and_boot(talk: Talk) -> None:
    request = {"act": 1, "ch": 0b101, "tok": 500, "n": 30, "gap": 2_000_000, "boot": 77}
    rig = talk(("loopback", request, {"boot": 77, "start": 5, "end": 9}))
    channels = [Channel.BUTTON, Channel.PWR_OK]
    assert rig.start_loopback(Actuator.BUTTON, channels, 30, 2_000_000) == ActionStart(5, 9)


def test_a_channel_that_the_board_lacks_is_not_asked_for(talk: Talk) -> None:
    with pytest.raises(DeviceFault, match=r"no such channel \(channels present: PWR_OK, BUTTON\)"):
        talk().start_loopback(Actuator.BUTTON, [Channel.LID], 2, 1)


def test_a_running_loopback_is_read_by_names(talk: Talk) -> None:
    rows = [[2, 7, 1, 0, -5, 3, -9, 4], [1, 0, 0, 0, 0, 0, 0, 0]]
    reply = {"boot": 77, "st": 1, "act": 1, "n": 8, "held": 250, "lost": 0, "ch": rows}
    result = talk(("loopback", {}, reply)).loopback()
    assert result == LoopbackResult(
        LoopbackState.RUNNING,
        Actuator.BUTTON,
        8,
        250,
        0,
        (LoopbackChannel(Channel.BUTTON, 7, 1, 0, -5, 3, -9, 4),),
    )
    assert not result.ended_well


@pytest.mark.parametrize("fields", golden("loopback-result-reply"))
def test_every_golden_loopback_is_understood(fields: dict[str, Any]) -> None:
    identity = InfoRequest().decode(
        Fields(cbor2.loads(bytes.fromhex(LOOP["reply"]["hex"])), "info")
    )
    result = LoopbackResultRequest().decode(Fields(fields, "loopback"), identity)
    assert result.state == fields["st"]
    assert [row.detected for row in result.channels] == [row[1] for row in fields.get("ch", [])]
    spoilt = any(row[2] or row[3] for row in fields.get("ch", []))
    assert result.ended_well == (fields["st"] == 2 and not spoilt)


def test_a_state_that_is_not_known_is_no_result(talk: Talk) -> None:
    reply = {"boot": 77, "st": 9, "act": 9, "n": 2, "held": 0, "lost": 0, "ch": []}
    result = talk(("loopback", {}, reply)).loopback()
    assert (result.state, result.actuator) == (LoopbackState.STOPPED, None)


def test_a_calibration_is_written_and_read(talk: Talk) -> None:
    kept = {"boot": 77, "xtal": True, "store": "flash", "cal": -7, "held": 3}
    wanted = {"cal": -7, "loop": True, "clear": True, "boot": 77}
    rig = talk(
        ("calibration", wanted, kept | {"lat": [[2, 1, 2, 3, 4]]}),
        ("calibration", {}, {"boot": 77, "xtal": False, "store": "none"}),
    )
    assert rig.calibrate(clock_ppb=-7, loopback=True, clear=True) == Calibration(
        True, "flash", -7, 3, (ChannelLatency(Channel.BUTTON, 1, 2, 3, 4),)
    )
    assert rig.calibration() == Calibration(False, "none", None, 0, ())


@pytest.mark.parametrize("fields", golden("calibration-reply"))
def test_every_golden_calibration_is_understood(fields: dict[str, Any]) -> None:
    channels = (Channel.PWR_OK, Channel.SLP_S3, Channel.BUTTON)
    board = replace(BOARD, channels=channels)
    kept = CalibrationRequest().decode(Fields(fields, "calibration"), board)
    assert (kept.clock_ppb, len(kept.latencies)) == (fields.get("cal"), len(fields.get("lat", [])))
    assert kept.empty == ("cal" not in fields and "lat" not in fields)


@pytest.mark.parametrize("clock_ppb", [1_000_001, -1_000_001])
def test_a_clock_that_is_too_far_off_is_a_usage_error(talk: Talk, clock_ppb: int) -> None:
    rig = talk()
    rig.info()
    with pytest.raises(UsageError, match="allowed is -1000000 to 1000000 ppb"):
        rig.calibrate(clock_ppb=clock_ppb)


@pytest.mark.parametrize(
    ("code", "sentence"),
    [(13, "no-crystal.*RC oscillator"), (15, "no-store.*no memory"), (16, "no-result.*end well")],
)
def test_a_board_that_cannot_keep_it_says_why(talk: Talk, code: int, sentence: str) -> None:
    rig = talk(("calibration", {"loop": True, "boot": 77}, refused(code)))
    with pytest.raises(DeviceFault, match=sentence):
        rig.calibrate(loopback=True)


@pytest.mark.parametrize("action", ["press", "lid", "loopback"])
def test_a_board_that_started_anew_does_nothing_and_is_named(talk: Talk, action: str) -> None:
    deeds = {
        "press": (
            {"act": 1, "dur": 5, "tok": 500, "boot": 77},
            lambda r: r.press(Actuator.BUTTON, 5),
        ),
        "lid": ({"closed": True, "tok": 500, "boot": 77}, lambda r: r.lid(True)),
        "loopback": (
            {"act": 1, "ch": 1, "tok": 500, "n": 2, "gap": 100_000, "boot": 77},
            lambda r: r.start_loopback(Actuator.BUTTON, [Channel.PWR_OK], 2, 100_000),
        ),
    }
    request, deed = deeds[action]
    rig = talk(
        (action, request, SILENCE),
        (action, request, refused(12)),
        ("time", {}, {"boot": 78, "rx": 1, "tx": 1}),
    )
    with pytest.raises(BoardRebooted, match="its boot id was 77 and is 78"):
        deed(rig)


def test_samples_are_counts_from_a_number_on(talk: Talk) -> None:
    reply = {"boot": 77, "st": 3, "t0": 900, "first": 12, "next": 20, "s": b"\x28\x00\xff\x0f"}
    batch = talk(("samples", {"from": 10, "max": 2}, reply)).samples(10, 2)
    assert batch == SampleBatch(OnsetState.OK, 900, 12, 20, (40, 4_095))
    assert batch.more


@pytest.mark.parametrize("fields", golden("samples-reply"))
def test_every_golden_page_of_samples_is_understood(fields: dict[str, Any]) -> None:
    batch = SamplesRequest(0).decode(Fields(fields, "samples"), BOARD)
    assert 2 * len(batch.counts) == len(fields["s"])
    assert batch.more == (fields["first"] + len(batch.counts) < fields["next"])


@pytest.mark.parametrize(
    "wrong",
    [{"s": b"\x01"}, {"first": 9}, {"next": 11}, {"s": b""}, {"s": "40"}],
    ids=["half a sample", "before the number", "behind the end", "nothing though more", "text"],
)
def test_samples_that_cannot_be_are_a_protocol_error(wrong: dict[str, Any]) -> None:
    fields = {"st": 3, "t0": 900, "first": 10, "next": 20, "s": b"\x28\x00\xff\x0f"} | wrong
    with pytest.raises(ProtocolError, match="answered samples with"):
        SamplesRequest(10).decode(Fields(fields, "samples"), BOARD)


def test_earlier_boots_are_told_newest_first() -> None:
    counters = {"reset": "pin", "wdt": 1, "eovr": 2, "lovr": 3, "ref": 4, "lease": 5, "up": 6}
    assert FaultsRequest().decode(Fields(counters, "faults"), BOARD).history == ()
    rows = [[9, "watchdog", 100, 1, 2, 3, 4], [8, "power-on", 0, 0, 0, 0, 0]]
    assert FaultsRequest().decode(Fields(counters | {"hist": rows}, "faults"), BOARD) == Faults(
        *("pin", 1, 2, 3, 4, 5, 6),
        (PastBoot(9, "watchdog", 100, 1, 2, 3, 4), PastBoot(8, "power-on", 0, 0, 0, 0, 0)),
    )
