"""The onset of light as rig.cddl has it, and as the host speaks of it."""

import json
from pathlib import Path
from typing import Any

import cbor2
import pytest

from resume_rig.model.errors import ProtocolError
from resume_rig.model.light import LightOnset, OnsetState
from resume_rig.rig.commands.board import InfoRequest
from resume_rig.rig.commands.capture import OnsetRequest
from resume_rig.rig.smp.request import Fields

from ..conftest import INFO

VECTORS = json.loads(
    (Path(__file__).resolve().parents[4] / "fixtures" / "wire" / "vectors.json").read_text("utf-8")
)
BOARD = InfoRequest().decode(Fields(INFO, "info"))
ONSETS = [
    pytest.param(entry, id=entry["name"])
    for entry in VECTORS["exchanges"]
    if entry.get("reply", {}).get("message") == "onset-reply"
]
MEASURED: dict[str, Any] = {
    **{"boot": 77, "st": 3, "base": 10_240, "sig": 768, "peak": 2_510},
    **{"first": 1_000, "res": 20_000, "t50": 2_000, "t90": 3_000, "lvl": 128_000},
    **{"pwm": 220_500, "duty": 100_000, "u": 1_178_000},
}


def parse(fields: dict[str, Any]) -> LightOnset:
    return OnsetRequest().decode(Fields(fields, "onset"), BOARD)


def test_an_onset_is_measured_in_counts_hertz_and_shares() -> None:
    assert parse(MEASURED) == LightOnset(
        state=OnsetState.OK,
        first_ns=1_000,
        half_ns=2_000,
        ninety_ns=3_000,
        resolution_ns=20_000,
        base_counts=40.0,
        sigma_counts=3.0,
        peak_counts=2_510,
        level_counts=500.0,
        pwm_hz=220.5,
        duty=0.1,
        pwm_uncertainty_ns=1_178_000,
    )


def test_what_an_onset_does_not_say_is_none() -> None:
    assert parse({"st": 1}) == LightOnset(OnsetState.DARK)
    assert parse({"st": 5, "base": 256, "sig": 256, "peak": 9, "first": 7}) == LightOnset(
        OnsetState.NOT_SETTLED, first_ns=7, base_counts=1.0, sigma_counts=1.0, peak_counts=9
    )


def test_a_state_that_is_not_known_is_lost() -> None:
    assert parse({**MEASURED, "st": 200}) == LightOnset(OnsetState.LOST)


@pytest.mark.parametrize("key", sorted(MEASURED.keys() - {"boot"}))
def test_a_measured_onset_has_everything(key: str) -> None:
    with pytest.raises(ProtocolError, match=f"answered onset with nothing for '{key}'"):
        parse({name: value for name, value in MEASURED.items() if name != key})


@pytest.mark.parametrize("entry", ONSETS)
def test_every_golden_onset_is_understood(entry: dict[str, Any]) -> None:
    fields = cbor2.loads(bytes.fromhex(entry["reply"]["hex"]))
    onset = parse(fields)
    assert onset.state == fields["st"]
    assert onset.half_ns == fields.get("t50")
    assert (onset.first_ns is None) == ("first" not in fields)


def test_every_state_has_a_golden_onset() -> None:
    shown = {param.values[0]["reply"]["fields"]["st"] for param in ONSETS}
    assert shown == set(OnsetState)
