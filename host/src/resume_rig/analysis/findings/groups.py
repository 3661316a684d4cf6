"""Findings of all cycles: each once, grouped by kind, ranked by what they put in doubt, titled."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, unique
from types import MappingProxyType
from typing import Final

from resume_rig.model.result.answer import Team
from resume_rig.model.result.cycle import ReconciledCycle
from resume_rig.model.result.verdict import Finding, FindingKind


@dataclass(frozen=True, slots=True)
class CycleFinding:
    """A finding and the number of the cycle that it is about."""

    cycle: int
    finding: Finding


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """All findings of one kind, in cycle order."""

    kind: FindingKind
    members: tuple[CycleFinding, ...]


def findings_of(cycle: ReconciledCycle) -> tuple[Finding, ...]:
    """Return what the wires show and what the reconciliation adds, each once."""
    own = tuple(cycle.findings)
    return tuple(f for f in cycle.outside.findings if f not in own) + own


def in_groups(groups: Mapping[FindingKind, Sequence[CycleFinding]]) -> tuple[FindingGroup, ...]:
    """Return findings by kind, rare kinds first: they are the ones easily overlooked."""
    ordered = sorted(groups.items(), key=lambda item: (len(item[1]), item[0].value))
    return tuple(FindingGroup(kind, tuple(members)) for kind, members in ordered)


def grouped_findings(cycles: Iterable[ReconciledCycle]) -> tuple[FindingGroup, ...]:
    """Return the findings of cycles by kind, as `in_groups` orders them."""
    groups: dict[FindingKind, list[CycleFinding]] = {}
    for cycle in cycles:
        for finding in findings_of(cycle):
            groups.setdefault(finding.kind, []).append(CycleFinding(cycle.outside.number, finding))
    return in_groups(groups)


@unique
class Doubt(IntEnum):
    """What a finding puts in doubt, the gravest first."""

    RESUME = 0
    JUDGED_TIME = 1
    EVIDENCE = 2
    OTHER_TIMES = 3
    NOTHING = 4


DOUBT_WORDS: Final[Mapping[Doubt, str]] = MappingProxyType(
    {
        Doubt.RESUME: "In doubt: the resume itself",
        Doubt.JUDGED_TIME: "In doubt: the time that is judged",
        Doubt.EVIDENCE: "In doubt: the evidence",
        Doubt.OTHER_TIMES: "In doubt: other times",
        Doubt.NOTHING: "Advice",
    }
)
_K: Final = FindingKind
_WEIGHTS: Final[Mapping[tuple[Doubt, Team], tuple[FindingKind, ...]]] = MappingProxyType(
    {
        (Doubt.RESUME, Team.FIRMWARE): (_K.NEVER_WOKE, _K.HUNG, _K.WOKE_LATE),
        (Doubt.RESUME, Team.DRIVER): (
            *(_K.DARK, _K.REBOOTED, _K.DEVICE_CHANGED, _K.LINK_LOST, _K.DRAINS_ASLEEP),
        ),
        (Doubt.RESUME, Team.IMAGE): (
            *(_K.NEVER_SLEPT, _K.WRONG_STATE, _K.WAKE_NOT_OURS, _K.COMMAND_FAILED),
            _K.WAKE_NOT_ARMED,
        ),
        (Doubt.JUDGED_TIME, Team.FIRMWARE): (
            *(_K.BIOS_UNDER_REPORTED, _K.BIOS_OVER_REPORTED, _K.TSC_NOT_RESET, _K.WRONG_UNIT),
            *(_K.BIOS_NOT_REPORTED, _K.STATE_MISMATCH, _K.DOUBLE_RESET, _K.S0_POWER_ASLEEP),
        ),
        (Doubt.EVIDENCE, Team.IMAGE): (_K.RECORD_MISSING, _K.RECORD_DOUBLED, _K.CLOCK_STEP),
        (Doubt.EVIDENCE, Team.RIG): (
            *(_K.RECORD_ABORTED, _K.NOT_MEASURED, _K.NOT_SETTLED, _K.DOZED, _K.HELD_OFF),
            *(_K.TRIGGER_UNCLEAR, _K.EDGE_LOST, _K.GLITCH, _K.ODD_LEVELS, _K.LIT_ASLEEP),
            *(_K.LIGHT_NOT_TIMED, _K.OVERRUN, _K.BOARD_REBOOTED, _K.LEASE_EXPIRED),
            _K.WRONG_POLARITY,
        ),
        (Doubt.OTHER_TIMES, Team.FIRMWARE): (
            *(_K.HIDDEN_BEFORE_SLEEP, _K.FIRMWARE_DISAGREES, _K.AVERAGE_RESUME_WRONG),
            *(_K.RESUME_COUNT_STUCK, _K.WAKE_SOURCE_MISMATCH, _K.LIT_BEFORE_OS),
        ),
        (Doubt.OTHER_TIMES, Team.DRIVER): (_K.COMPLETE_BEFORE_LIGHT,),
        # What the campaign's middle suggests names no owner.
        (Doubt.OTHER_TIMES, Team.OPEN): (_K.SUSPICION, _K.UNEXPLAINED),
        (Doubt.NOTHING, Team.DRIVER): (_K.NEW_ERRORS,),
        (Doubt.NOTHING, Team.FIRMWARE): (_K.BIOS_OVER_ADVISED,),
        (Doubt.NOTHING, Team.IMAGE): (_K.NO_TRACE,),
    }
)
_TITLES: Final[Mapping[FindingKind, str]] = MappingProxyType(
    {
        _K.AVERAGE_RESUME_WRONG: "AverageResume of the FPDT is wrong",
        _K.BIOS_NOT_REPORTED: "BIOS time not reported",
        _K.BIOS_OVER_ADVISED: "BIOS time over the advice",
        _K.BIOS_OVER_REPORTED: "BIOS time too long",
        _K.BIOS_UNDER_REPORTED: "BIOS time too short",
        _K.BOARD_REBOOTED: "Board restarted",
        _K.CLOCK_STEP: "OS clock was set",
        _K.COMMAND_FAILED: "Command to the OS failed",
        _K.COMPLETE_BEFORE_LIGHT: "Resume complete long before display on",
        _K.DARK: "Display stayed dark",
        _K.DEVICE_CHANGED: "Device not as before",
        _K.DOUBLE_RESET: "Platform reset twice",
        _K.DOZED: "Doze to hibernate (S3 to S4)",
        _K.DRAINS_ASLEEP: "Drains in Modern Standby",
        _K.EDGE_LOST: "Edge missing",
        _K.FIRMWARE_DISAGREES: "FPDT and OS report different BIOS times",
        _K.GLITCH: "Pulse too short for its signal",
        _K.HELD_OFF: "Wake held off by the chipset",
        _K.HIDDEN_BEFORE_SLEEP: "Way to sleep longer than reported",
        _K.HUNG: "Hung",
        _K.LEASE_EXPIRED: "Host was silent",
        _K.LIGHT_NOT_TIMED: "Display on not timed",
        _K.LINK_LOST: "Network link not back",
        _K.LIT_ASLEEP: "Display lit in sleep",
        _K.LIT_BEFORE_OS: "Display on before the OS",
        _K.NEVER_SLEPT: "Never slept",
        _K.NEVER_WOKE: "Never woke",
        _K.NEW_ERRORS: "New errors in the log",
        _K.NO_TRACE: "Trace missing",
        _K.NOT_MEASURED: "Resume not measured",
        _K.NOT_SETTLED: "Did not settle",
        _K.ODD_LEVELS: "Levels of no sleep state",
        _K.OVERRUN: "Edges overwritten",
        _K.REBOOTED: "Rebooted",
        _K.RECORD_ABORTED: "Record of a sleep attempt that was aborted",
        _K.RECORD_DOUBLED: "Two records of one wake",
        _K.RECORD_MISSING: "OS record missing",
        _K.RESUME_COUNT_STUCK: "ResumeCount of the FPDT stands still",
        _K.S0_POWER_ASLEEP: "Asleep at the power of S0",
        _K.STATE_MISMATCH: "OS reports another sleep state",
        _K.SUSPICION: "Suspicion, not shown by the cycle itself",
        _K.TRIGGER_UNCLEAR: "Trigger unclear",
        _K.TSC_NOT_RESET: "BIOS time is an uptime",
        _K.UNEXPLAINED: "Residual against the campaign median",
        _K.WAKE_NOT_ARMED: "Wake source not armed",
        _K.WAKE_NOT_OURS: "Woken by something else",
        _K.WAKE_SOURCE_MISMATCH: "OS names another wake source",
        _K.WOKE_LATE: "Woke late",
        _K.WRONG_POLARITY: "A line may be the wrong way up",
        _K.WRONG_STATE: "Another sleep state than planned",
        _K.WRONG_UNIT: "BIOS time in another unit",
    }
)
_ORDER: Final = [kind for kinds in _WEIGHTS.values() for kind in kinds]
_WEIGHT_OF: Final = {kind: weight for weight, kinds in _WEIGHTS.items() for kind in kinds}


def doubt_of(kind: FindingKind) -> Doubt:
    """Return what a finding of a kind puts in doubt."""
    return _WEIGHT_OF[kind][0]


def team_of(kind: FindingKind) -> Team:
    """Return who can do something about it."""
    return _WEIGHT_OF[kind][1]


def title_of_kind(kind: FindingKind) -> str:
    """Return a kind of findings in words; its name is for machines."""
    return _TITLES[kind]


def ranked_findings(groups: Iterable[FindingGroup]) -> tuple[FindingGroup, ...]:
    """Return groups by what they put in doubt, of those that doubt the same the commonest first."""
    return tuple(
        sorted(
            groups,
            key=lambda each: (doubt_of(each.kind), -len(each.members), _ORDER.index(each.kind)),
        )
    )
