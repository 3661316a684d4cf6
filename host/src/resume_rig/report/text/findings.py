"""Gathers the findings of cycles for every format: each once, grouped by kind, and ranked."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum, unique
from types import MappingProxyType
from typing import Final

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


@dataclass(frozen=True, slots=True)
class SharedFinding:
    """A finding and the cycles that it is about, word for word and figure for figure."""

    cycles: tuple[int, ...]
    finding: Finding


def findings_of(cycle: ReconciledCycle) -> tuple[Finding, ...]:
    """Return what the wires show and what the reconciliation adds, each once."""
    own = tuple(cycle.findings)
    return tuple(f for f in cycle.outside.findings if f not in own) + own


def grouped_findings(cycles: Iterable[ReconciledCycle]) -> tuple[FindingGroup, ...]:
    """Return the findings by kind, rare kinds first: they are the ones easily overlooked."""
    groups: dict[FindingKind, list[CycleFinding]] = {}
    for cycle in cycles:
        for finding in findings_of(cycle):
            groups.setdefault(finding.kind, []).append(CycleFinding(cycle.outside.number, finding))
    ordered = sorted(groups.items(), key=lambda item: (len(item[1]), item[0].value))
    return tuple(FindingGroup(kind, tuple(members)) for kind, members in ordered)


def shared_findings(group: FindingGroup) -> tuple[SharedFinding, ...]:
    """Return the findings of one kind, equal ones once, in the order of their first cycles."""
    found: list[tuple[Finding, list[int]]] = []
    place: dict[tuple[str, str], int] = {}
    for member in group.members:
        key = (member.finding.text, repr(sorted(member.finding.evidence.items())))
        if key in place:
            found[place[key]][1].append(member.cycle)
        else:
            place[key] = len(found)
            found.append((member.finding, [member.cycle]))
    return tuple(SharedFinding(tuple(cycles), finding) for finding, cycles in found)


@unique
class Team(StrEnum):
    """Who can do something about a finding."""

    FIRMWARE = "Firmware"
    DRIVER = "Driver"
    RIG = "Rig"
    IMAGE = "Image team"
    OPEN = "Not known"


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
            *(
                _K.WRONG_POLARITY,
                _K.LIGHT_NOT_TIMED,
                _K.OVERRUN,
                _K.BOARD_REBOOTED,
                _K.LEASE_EXPIRED,
            ),
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


_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
_FOLDED_FROM: Final = 3


@dataclass(frozen=True, slots=True)
class FoldedFinding:
    """Findings that differ in their numbers alone, as one: a number is a range, "343 to 388"."""

    cycles: tuple[int, ...]
    text: str
    evidence: Mapping[str, str]


def folded_findings(group: FindingGroup) -> tuple[FoldedFinding, ...]:
    """Return the findings of one kind, those that differ in their numbers alone as one line.

    Two of them stay two: their own figures are shorter than what they have in common.
    """
    by_key: dict[tuple[str, tuple[str, ...]], list[CycleFinding]] = {}
    for member in group.members:
        found = member.finding
        key = (_NUMBER.sub("0", found.text), tuple(sorted(found.evidence)))
        by_key.setdefault(key, []).append(member)
    lines: list[FoldedFinding] = []
    for members in by_key.values():
        if len(members) >= _FOLDED_FROM:
            lines.append(_folded(members))
            continue
        shared = shared_findings(FindingGroup(group.kind, tuple(members)))
        lines += [_folded([CycleFinding(n, each.finding) for n in each.cycles]) for each in shared]
    return tuple(lines)


def _folded(members: Sequence[CycleFinding]) -> FoldedFinding:
    texts = [member.finding.text for member in members]
    evidence = [member.finding.evidence for member in members]
    numbers = zip(*(_NUMBER.findall(text) for text in texts), strict=True)
    ranges = iter([_range_text(column) for column in numbers])
    return FoldedFinding(
        cycles=tuple(member.cycle for member in members),
        text=_NUMBER.sub(lambda _: next(ranges), texts[0]),
        evidence=dict(_evidence(name, [each[name] for each in evidence]) for name in evidence[0]),
    )


_IN_MS: Final = {"_ns": 1e-6, "_us": 1e-3}


def _evidence(name: str, values: Sequence[int | float | str | None]) -> tuple[str, str]:
    """Return a piece of evidence as it is read: its name in words, times in ms."""
    unit = name[-3:]
    if unit not in _IN_MS or not all(isinstance(each, int | float) for each in values):
        return name, _range_text([_evidence_text(each) for each in values])
    times_ms = [f"{float(each or 0) * _IN_MS[unit]:.2f}" for each in values]
    return f"{name.removesuffix(unit)}_ms", _range_text(times_ms)


def _evidence_text(value: int | float | str | None) -> str:
    if value is None:
        return "not set"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _range_text(values: Sequence[str]) -> str:
    """Return one text for all: the same, or from the least number to the greatest."""
    different = list(dict.fromkeys(values))
    if len(different) == 1:
        return different[0]
    try:
        ordered = sorted(different, key=float)
    except ValueError:
        return f"{different[0]} and {len(different) - 1} more"
    return f"{ordered[0]} to {ordered[-1]}"


_RANGES_MOST: Final = 12


def cycle_ranges(numbers: Sequence[int]) -> str:
    """Write cycle numbers as ranges ("1-4, 7"), a dozen at most, then how many remain."""
    ranges: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    texts = [str(a) if a == b else f"{a}-{b}" for a, b in ranges[:_RANGES_MOST]]
    if rest := sum(b - a + 1 for a, b in ranges[_RANGES_MOST:]):
        texts.append(f"and {rest} more")
    return ", ".join(texts)
