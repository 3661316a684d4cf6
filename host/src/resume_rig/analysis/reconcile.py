"""Makes outside and inside of one cycle one statement: differences, never absolute times.

    press -> PLTRST# rising      outside
    PLTRST# rising -> TSC = 0    neither side can see it; the DUT profile bounds it
    TSC = 0 -> waking vector     BiosInit, inside
    waking vector -> complete    DriverInit, inside

A campaign's own median tells what is normal for its platform; what one cycle departs from it is
`unexplained`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from resume_rig.analysis.reported_times import MS_NS, reported
from resume_rig.model.channel import Channel
from resume_rig.model.cycle import IntervalName, OutsideCycle
from resume_rig.model.os_record import OsRecord
from resume_rig.model.quantity import BoundedNs

# Where no DUT profile says better: about 1 ms on old parts, 100s of ms on new ones (CSME, straps,
# microcode, Boot Guard).
UNKNOWN_RESET_TO_TSC = BoundedNs(150 * MS_NS, 150 * MS_NS)
# The power sequence up to PLTRST# takes 0.1 s on laptops, 1.1 s with a legacy power supply.
_UNKNOWN_POWER = BoundedNs(550 * MS_NS, 550 * MS_NS)
_MEDIAN_OF_AT_LEAST = 3
_SPREAD_OF_AT_LEAST = 8
_MAD_TO_SIGMA = 1.4826


@dataclass(frozen=True, slots=True)
class Norms:
    """What is normal in a campaign; None where too few cycles tell.

    Attributes:
        residual_ns: median of PLTRST# -> light minus BiosInit minus DriverInit, of 3 or more.
        residual_spread_ns: how far residuals usually are from that median, of 8 or more: median
            absolute deviation, scaled to the standard deviation of a normal distribution.
        firmware_extra_ms: median of BiosInit minus FullResume, constant per machine, of 3 or
            more.
    """

    residual_ns: int | None
    residual_spread_ns: int | None
    firmware_extra_ms: float | None


def press_to_resume_complete(
    outside: OutsideCycle, record: OsRecord | None, reset_to_tsc: BoundedNs
) -> BoundedNs | None:
    """Return press (or lid) to "all devices have their S0 IRP"; None where a part is missing."""
    power = outside.intervals.get(IntervalName.PRESS_TO_PLTRST)
    inside = _inside(record)
    return None if power is None or inside is None else power + reset_to_tsc + inside


def light_after_complete(
    outside: OutsideCycle, record: OsRecord | None, reset_to_tsc: BoundedNs
) -> BoundedNs | None:
    """Return light minus resume complete; negative where the light came first.

    Press to light and press to complete share the press and the power sequence; both cancel, and
    so do their bounds.
    """
    light = outside.intervals.get(IntervalName.PLTRST_TO_LIGHT)
    inside = _inside(record)
    return None if light is None or inside is None else light - reset_to_tsc - inside


def unexplained(outside: OutsideCycle, record: OsRecord | None, norms: Norms) -> BoundedNs | None:
    """Return how far a cycle's residual is from the campaign's median.

    What is constant cancels (PLTRST# to TSC among it). The bound doubles: a median lies within the
    same bound as the values that it is of.
    """
    residual = _residual(outside, record)
    if residual is None or norms.residual_ns is None:
        return None
    return BoundedNs(residual.value_ns - norms.residual_ns, 2 * residual.bound_ns)


def norms_of(pairs: Sequence[tuple[OutsideCycle, OsRecord]]) -> Norms:
    """Return what is normal in a campaign, of its cycles with a record; ignored ones left out."""
    counted = [(outside, record) for outside, record in pairs if not outside.ignored]
    residuals = [_residual(outside, record) for outside, record in counted]
    values_ns = [residual.value_ns for residual in residuals if residual is not None]
    extras_ms = [
        extra for extra in (firmware_extra_ms(record) for _, record in counted) if extra is not None
    ]
    enough = _MEDIAN_OF_AT_LEAST
    residual_ns = round(median(values_ns)) if len(values_ns) >= enough else None
    return Norms(
        residual_ns=residual_ns,
        residual_spread_ns=None if residual_ns is None else _spread_ns(values_ns, residual_ns),
        firmware_extra_ms=float(median(extras_ms)) if len(extras_ms) >= enough else None,
    )


def _spread_ns(values_ns: Sequence[int], middle_ns: int) -> int | None:
    if len(values_ns) < _SPREAD_OF_AT_LEAST:
        return None
    return round(_MAD_TO_SIGMA * median(abs(value - middle_ns) for value in values_ns))


def firmware_extra_ms(record: OsRecord) -> int | None:
    """Return BiosInit minus the firmware's own FullResume."""
    if record.bios_init_ms is None or record.firmware_resume_ms is None:
        return None
    return record.bios_init_ms - record.firmware_resume_ms


def awake_to_os(
    outside: OutsideCycle, record: OsRecord, reset_to_tsc: BoundedNs
) -> BoundedNs | None:
    """Return `awake_from_ns` to the waking vector; None where BiosInit is missing."""
    if record.bios_init_ms is None or outside.awake_from_ns is None:
        return None
    return _power(outside) + reset_to_tsc + reported(record.bios_init_ms)


def _power(outside: OutsideCycle) -> BoundedNs:
    intervals = outside.intervals
    to_pltrst = intervals.get(IntervalName.PWR_OK_TO_PLTRST)
    if Channel.SLP_S3 not in outside.channels and to_pltrst is not None:
        return to_pltrst
    to_pwr_ok = intervals.get(IntervalName.SLP_S3_TO_PWR_OK)
    if to_pwr_ok is not None and to_pltrst is not None:
        return to_pwr_ok + to_pltrst
    from_press = intervals.get(IntervalName.PRESS_TO_PLTRST)
    to_slp_s3 = intervals.get(IntervalName.PRESS_TO_SLP_S3)
    if from_press is not None and to_slp_s3 is not None:
        return from_press - to_slp_s3
    return _UNKNOWN_POWER


def _inside(record: OsRecord | None) -> BoundedNs | None:
    if record is None or record.bios_init_ms is None or record.driver_init_ms is None:
        return None
    return reported(record.bios_init_ms) + reported(record.driver_init_ms)


def _residual(outside: OutsideCycle, record: OsRecord | None) -> BoundedNs | None:
    light = outside.intervals.get(IntervalName.PLTRST_TO_LIGHT)
    inside = _inside(record)
    return None if light is None or inside is None else light - inside
