"""Replies about what a board measures of itself, and samples of light; shapes as in rig.cddl."""

import logging
from collections.abc import Sequence
from typing import Final

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.light import OnsetState
from resume_rig.rig.calibration import (
    Calibration,
    LoopbackChannel,
    LoopbackResult,
    LoopbackState,
)
from resume_rig.rig.interface import SampleBatch
from resume_rig.rig.smp.fields import Fields
from resume_rig.rig.smp.rig_replies import Identity, channel_at, parse_latencies

logger = logging.getLogger(__name__)

_MOST_CHANNELS: Final = 32
_SAMPLE_BYTES: Final = 2


def parse_loopback(fields: Fields, identity: Identity) -> LoopbackResult:
    """Return what came of a loop-back; a state that is not known here counts as stopped."""
    number = fields.count("st")
    if number not in LoopbackState.__members__.values():
        logger.warning("the board tells of a loop-back by a state that is not known: %d", number)
        number = LoopbackState.STOPPED
    state = LoopbackState(number)
    if state is LoopbackState.NONE:
        return LoopbackResult(state)
    return LoopbackResult(
        state=state,
        actuator=_actuator_at(fields.count("act"), identity),
        changes=fields.count("n"),
        held_ns=fields.count("held"),
        lost=fields.count("lost"),
        channels=_loopback_channels(fields, identity.channels),
    )


def _actuator_at(index: int, identity: Identity) -> Actuator | None:
    return next((known for known, at in identity.actuators.items() if at == index), None)


def _loopback_channels(
    fields: Fields, channels: Sequence[Channel | None]
) -> tuple[LoopbackChannel, ...]:
    names = ("channel", "seen", "missed", "extra", "mean", "sd", "min", "max")
    found: list[LoopbackChannel] = []
    for record in fields.records("ch", names, _MOST_CHANNELS):
        channel = channel_at(record, channels)
        if channel is not None:
            found.append(
                LoopbackChannel(
                    channel,
                    seen=record.count("seen"),
                    missed=record.count("missed"),
                    extra=record.count("extra"),
                    mean_ns=record.integer("mean"),
                    sd_ns=record.count("sd"),
                    min_ns=record.integer("min"),
                    max_ns=record.integer("max"),
                )
            )
    return tuple(found)


def parse_calibration(fields: Fields, channels: Sequence[Channel | None]) -> Calibration:
    """Return what the board keeps of itself."""
    return Calibration(
        crystal=fields.flag("xtal"),
        store=fields.text("store"),
        clock_ppb=fields.integer("cal") if fields.has("cal") else None,
        held_ns=fields.count("held") if fields.has("held") else 0,
        latencies=parse_latencies(fields, channels),
    )


def parse_samples(fields: Fields, number: int) -> SampleBatch:
    """Return the samples from `number` on; an onset's state that is not known here is LOST."""
    state, data = fields.count("st"), fields.data("s")
    first, behind = fields.count("first"), fields.count("next")
    if len(data) % _SAMPLE_BYTES:
        raise fields.wrong("s", len(data), "an even number of bytes")
    counts = tuple(
        int.from_bytes(data[at : at + _SAMPLE_BYTES], "little")
        for at in range(0, len(data), _SAMPLE_BYTES)
    )
    if first < number:
        raise fields.wrong("first", first, f"a number from {number} on")
    after = first + len(counts)
    if after > behind or (not counts and after < behind):
        raise fields.wrong("next", behind, f"a number from {after} on, {after} without samples")
    known = state in OnsetState.__members__.values()
    return SampleBatch(
        OnsetState(state) if known else OnsetState.LOST, fields.count("t0"), first, behind, counts
    )
