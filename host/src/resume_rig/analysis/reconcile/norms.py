"""What is known of a platform before a campaign, and what is normal in one.

A time is normal for a kind of sleep and a wake source: S4 and S3, lid and button have their own.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt
from statistics import median

from resume_rig.analysis.reconcile.terms import MS_NS, firmware_extra_ms, residual
from resume_rig.analysis.reconcile.thresholds import (
    FAR_SIGMAS,
    FEW_CYCLES,
    LIGHT_AFTER_COMPLETE_NS,
    MEDIAN_OF,
    SPREAD_OF,
    UNUSUAL_BY_CHANCE,
)
from resume_rig.analysis.stats.distributions import student_t_beyond
from resume_rig.analysis.stats.figures import MAD_TO_SIGMA
from resume_rig.model.channel import WakeBy
from resume_rig.model.dut import DutProfile
from resume_rig.model.os_record import OsRecord, SleepKind
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import OutsideCycle, UsualRest


@dataclass(frozen=True, slots=True)
class Platform:
    """Constants of a platform that other campaigns have shown.

    Attributes:
        residual: PLTRST# -> light minus BiosInit minus DriverInit, with the scatter of healthy
            units as its bound; None: the campaign's own median stands in.
        firmware_extra_ms: BiosInit minus the firmware's FullResume; None: likewise.
        light_after_complete_max_ns: the display may light so long after "resume complete".
        s3_power_max_w: a unit that draws more is not in S3; None: nobody says.
    """

    residual: BoundedNs | None = None
    firmware_extra_ms: float | None = None
    light_after_complete_max_ns: int = LIGHT_AFTER_COMPLETE_NS
    s3_power_max_w: float | None = None


UNKNOWN_PLATFORM = Platform()


def platform_of(dut: DutProfile | None) -> Platform:
    """Return what a DUT's profile knows of its platform."""
    if dut is None:
        return UNKNOWN_PLATFORM
    most_w = None if dut.s3_power_max_mw is None else dut.s3_power_max_mw / 1e3
    known = dut.known
    if known is None:
        return replace(UNKNOWN_PLATFORM, s3_power_max_w=most_w)
    light_ns = known.light_after_complete_max_ns
    return Platform(
        residual=None
        if known.residual_ns is None
        else BoundedNs(known.residual_ns, known.residual_half_width_ns),
        firmware_extra_ms=known.firmware_extra_ms,
        light_after_complete_max_ns=LIGHT_AFTER_COMPLETE_NS if light_ns is None else light_ns,
        s3_power_max_w=most_w,
    )


Group = tuple[SleepKind, WakeBy | None]
Pair = tuple[OutsideCycle, OsRecord]
_Terms = tuple[int | None, int | None, int | None]
"""Of one cycle: its residual and its BiosInit in ns, BiosInit minus FullResume in ms."""


@dataclass(frozen=True, slots=True)
class Norm:
    """A median with what is known of the scatter around it.

    Attributes:
        n: how many values it is of.
        spread_ns: standard deviation from it, what is far out left out; None of fewer than 8.
        unusual_ns: how far from the median a value has to be to be unusual; None where nobody
            knows.
        is_given: whether the DUT profile tells it, and no campaign.
    """

    n: int
    median_ns: int
    spread_ns: int | None
    unusual_ns: int | None
    is_given: bool = False


@dataclass(frozen=True, slots=True)
class Norms:
    """What is normal in a campaign, by kind of sleep and wake source.

    Attributes:
        residuals: of PLTRST# -> light minus BiosInit minus DriverInit; what the platform is known
            by, where it is.
        learned: the same, of this campaign in any case.
        bios: of BiosInit.
        firmware_extra_ms: BiosInit minus FullResume, constant per machine; None below 3 cycles.
    """

    residuals: Mapping[Group, Norm] = field(default_factory=dict)
    learned: Mapping[Group, Norm] = field(default_factory=dict)
    bios: Mapping[Group, Norm] = field(default_factory=dict)
    firmware_extra_ms: float | None = None


def group_of(outside: OutsideCycle, record: OsRecord) -> Group:
    """Return what a cycle can be compared with."""
    return record.kind, outside.wake_by


def norms_of(pairs: Iterable[Pair], known: Platform = UNKNOWN_PLATFORM) -> Norms:
    """Return what is normal in a campaign, of its cycles with a record, in order.

    Ignored cycles are left out, and the first of each group where 8 more are there: it may be
    one of warming up. What the platform is known by goes before what the campaign shows.
    """
    groups: dict[Group, list[_Terms]] = {}
    for outside, record in pairs:
        if not outside.ignored:
            groups.setdefault(group_of(outside, record), []).append(_terms_of(outside, record))
    warm = {group: members[len(members) > SPREAD_OF :] for group, members in groups.items()}
    learned = _medians({group: _known(each[0] for each in of) for group, of in warm.items()})
    return Norms(
        residuals=learned if known.residual is None else _given(warm, known.residual),
        learned=learned,
        bios=_medians({group: _known(each[1] for each in of) for group, of in warm.items()}),
        firmware_extra_ms=_firmware_extra(warm.values(), known),
    )


def norm_of(values_ns: Sequence[int]) -> Norm | None:
    """Return median and spread; None of fewer than 3 values."""
    n = len(values_ns)
    if n < MEDIAN_OF:
        return None
    middle_ns = round(median(values_ns))
    if n < SPREAD_OF:
        return Norm(n, middle_ns, None, None)
    return Norm(n, middle_ns, *_scatter([abs(value_ns - middle_ns) for value_ns in values_ns]))


def _scatter(apart_ns: Sequence[int]) -> tuple[int, int]:
    """Return spread and limit of the usual, given how far values are from their median.

    A median absolute deviation says which are far out, whatever those are; the others say more
    exactly how much is usual. At least half of all stay, as half of all are within the deviation.
    """
    far_ns = FAR_SIGMAS * (1 + FEW_CYCLES / len(apart_ns)) * MAD_TO_SIGMA * median(apart_ns)
    near_ns = [each_ns for each_ns in apart_ns if each_ns <= far_ns]
    freedom = len(near_ns) - 1
    spread_ns = sqrt(sum(each_ns * each_ns for each_ns in near_ns) / freedom)
    beyond = student_t_beyond(UNUSUAL_BY_CHANCE, freedom) * sqrt(1 + 1 / len(near_ns))
    return round(spread_ns), round(beyond * spread_ns)


def usual_rests(norms: Norms) -> tuple[UsualRest, ...]:
    """Return what the campaign shows of its platform, for whoever keeps it in a DUT profile."""
    return tuple(
        UsualRest(kind, wake_by, norm.n, norm.median_ns, norm.spread_ns)
        for (kind, wake_by), norm in norms.learned.items()
    )


def _given(groups: Iterable[Group], constant: BoundedNs) -> dict[Group, Norm]:
    norm = Norm(0, constant.value_ns, None, constant.bound_ns, is_given=True)
    return dict.fromkeys(groups, norm)


def _medians(values_ns: Mapping[Group, Sequence[int]]) -> dict[Group, Norm]:
    norms = {group: norm_of(values) for group, values in values_ns.items()}
    return {group: norm for group, norm in norms.items() if norm is not None}


def _terms_of(outside: OutsideCycle, record: OsRecord) -> _Terms:
    rest, bios_ms = residual(outside, record), record.bios_init_ms
    return (
        None if rest is None else rest.value_ns,
        None if bios_ms is None else bios_ms * MS_NS,
        firmware_extra_ms(record),
    )


def _known(values: Iterable[int | None]) -> list[int]:
    return [value for value in values if value is not None]


def _firmware_extra(groups: Iterable[Sequence[_Terms]], known: Platform) -> float | None:
    if known.firmware_extra_ms is not None:
        return known.firmware_extra_ms
    extras_ms = _known(each[2] for members in groups for each in members)
    return float(median(extras_ms)) if len(extras_ms) >= MEDIAN_OF else None
