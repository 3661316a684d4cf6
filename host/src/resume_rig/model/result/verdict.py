"""Verdicts, findings and the statistics that stand beside them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum, unique


@unique
class Verdict(StrEnum):
    """The answer to "was the requirement met?"; MARGINAL = within the uncertainty of the limit."""

    PASS = "PASS"
    FAIL = "FAIL"
    MARGINAL = "MARGINAL"
    NO_EVIDENCE = "NO-EVIDENCE"


@unique
class FindingKind(StrEnum):
    """Names of disagreements and faults (docs/reference/findings.md tells each)."""

    NEVER_SLEPT = "never-slept"
    NEVER_WOKE = "never-woke"
    WAKE_NOT_OURS = "wake-not-ours"
    DARK = "dark"
    REBOOTED = "rebooted"
    WRONG_STATE = "wrong-state"
    WOKE_LATE = "woke-late"
    HUNG = "hung"
    NOT_SETTLED = "not-settled"
    COMMAND_FAILED = "command-failed"
    NO_TRACE = "no-trace"
    WAKE_NOT_ARMED = "wake-not-armed"
    DOZED = "dozed"
    HELD_OFF = "held-off"
    LIT_ASLEEP = "lit-asleep"
    LIGHT_NOT_TIMED = "light-not-timed"
    TRIGGER_UNCLEAR = "trigger-unclear"
    EDGE_LOST = "edge-lost"
    GLITCH = "glitch"
    ODD_LEVELS = "odd-levels"
    STATE_MISMATCH = "state-mismatch"
    DOUBLE_RESET = "double-reset"
    RECORD_MISSING = "record-missing"
    RECORD_ABORTED = "record-aborted"
    RECORD_DOUBLED = "record-doubled"
    NOT_MEASURED = "not-measured"
    CLOCK_STEP = "clock-step"
    WAKE_SOURCE_MISMATCH = "wake-source-mismatch"
    HIDDEN_BEFORE_SLEEP = "hidden-before-sleep"
    S0_POWER_ASLEEP = "s0-power-asleep"
    DRAINS_ASLEEP = "drains-asleep"
    DEVICE_CHANGED = "device-changed"
    LINK_LOST = "link-lost"
    NEW_ERRORS = "new-errors"
    BIOS_NOT_REPORTED = "bios-not-reported"
    TSC_NOT_RESET = "tsc-not-reset"
    WRONG_UNIT = "wrong-unit"
    BIOS_UNDER_REPORTED = "bios-under-reported"
    BIOS_OVER_REPORTED = "bios-over-reported"
    FIRMWARE_DISAGREES = "firmware-disagrees"
    AVERAGE_RESUME_WRONG = "average-resume-wrong"
    RESUME_COUNT_STUCK = "resume-count-stuck"
    LIT_BEFORE_OS = "lit-before-os"
    COMPLETE_BEFORE_LIGHT = "complete-before-light"
    UNEXPLAINED = "unexplained"
    BIOS_OVER_ADVISED = "bios-over-advised"
    OVERRUN = "overrun"
    BOARD_REBOOTED = "board-rebooted"
    LEASE_EXPIRED = "lease-expired"


@dataclass(frozen=True, slots=True)
class Finding:
    """A disagreement or fault, named, with its evidence.

    Attributes:
        text: one sentence for a person.
        evidence: JSON-able numbers and strings, unit in each name.
    """

    kind: FindingKind
    text: str
    evidence: Mapping[str, int | float | str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Statistics:
    """Of a set of times in milliseconds; every figure is None when n is 0."""

    n: int
    min_ms: float | None
    median_ms: float | None
    mean_ms: float | None
    p95_ms: float | None
    max_ms: float | None
