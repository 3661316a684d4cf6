"""What each finding means and what to do about it; numbers come from `thresholds`.

docs/reference/findings.md is the table of this module.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from resume_rig.analysis.findings import thresholds as at
from resume_rig.analysis.findings.explained import Explained
from resume_rig.analysis.findings.wire_explanations import WIRE_EXPLANATIONS
from resume_rig.model.verdict import FindingKind

_MS: Final = 1_000_000
_ASK_FIRMWARE: Final = "Ask the firmware team; do not judge this unit by its BIOS time until then."
_AWAY: Final = (
    "the whole interval that the OS's clock and the wires leave is beyond zero, of one cycle or on "
    "average; or against light or clock, beyond the limit of unexplained"
)
_FACTORS: Final = " or ".join(f"{factor:,}" for factor in at.UNIT_FACTORS)

_COMPARED: Final[Mapping[FindingKind, Explained]] = MappingProxyType(
    {
        FindingKind.STATE_MISMATCH: Explained(
            "The OS tells of another kind of sleep than the wires show; its times are not those "
            "of what happened.",
            "Believe the wires. Look at powercfg /a and at the firmware's sleep settings.",
        ),
        FindingKind.HIDDEN_BEFORE_SLEEP: Explained(
            "The DUT took longer from the trigger to SLP_S3# than the OS reports: a part of its "
            "way to sleep is not in SleepDuration. That may be before SleepTime, within the OS, or "
            "after the OS's clock has stopped.",
            "If SLP_S3# fell soon after the OS's clock had stopped, look at the embedded "
            "controller's debounce, the lid and programs that are asked first; else at what the "
            "firmware does before SLP_S3#.",
            f"more than {at.HIDDEN_BEFORE_NS // _MS} ms beyond the bounds; "
            f"{at.ACCEPTED_NS // _MS} ms are allowed for the trigger being accepted",
        ),
        FindingKind.WAKE_SOURCE_MISMATCH: Explained(
            "The OS names another wake source than the rig used: something woke the DUT at the "
            "same moment, or the firmware tells the OS the wrong source.",
            "Compare with the other cycles: always means firmware, sometimes a device.",
        ),
        FindingKind.RECORD_MISSING: Explained(
            "The DUT slept and woke, and the log holds no record of it.",
            "Where no cycle has a record, see whether the log is of this DUT. Else let it stay "
            "awake longer (settle): the OS writes up to 2 s after the wake. Make the log larger if "
            "it wraps.",
        ),
        FindingKind.RECORD_ABORTED: Explained(
            "The OS wrote a record of zeros, as it does for a sleep that it gave up, or when the "
            "next sleep comes too soon.",
            "Let it stay awake longer before the next sleep.",
        ),
        FindingKind.RECORD_DOUBLED: Explained(
            "The log holds two records of one wake.",
            "Look for two collectors that write into one log; count the cycle once.",
            f"same kind, wake times less than {at.DOUBLED_NS // _MS} ms apart",
        ),
        FindingKind.NOT_MEASURED: Explained(
            "The record has no resume time, or the cycle could not be finished.",
            "Read the sentence of the finding: it says which.",
        ),
        FindingKind.CLOCK_STEP: Explained(
            "Somebody set the OS's clock, so its times before and after do not belong together.",
            "Stop the time service for the campaign, or let it settle first.",
            f"more than {at.CLOCK_STEP_NS // _MS} ms, or a wake before its sleep; without an "
            "event, by the wires, where the light came as ever",
        ),
        FindingKind.BIOS_NOT_REPORTED: Explained(
            "BiosInitDuration is 0, which means that the OS does not know it, not that it took "
            "no time.",
            "Use the press to light; ask the firmware team why the TSC is not read or is 0.",
        ),
        FindingKind.TSC_NOT_RESET: Explained(
            "The counter that BiosInit is read from went on over the sleep: the number is an "
            "uptime.",
            _ASK_FIRMWARE,
            "above what clock and wires leave room for, and growing with time, or above "
            f"{at.UPTIME_MS // 1000} s with no unit that fits and no second one that did not grow",
        ),
        FindingKind.WRONG_UNIT: Explained(
            "A time is another one's multiple: microseconds, nanoseconds or ticks stand where "
            "another unit is due.",
            "Ask the firmware team; do not use the time that the finding calls wrong until then.",
            f"factor {_FACTORS} to {at.UNIT_TOLERANCE:.0%}, which leaves {at.LEAST_BIOS_MS} ms or "
            "more and explains most impossible BIOS times; or FullResume proportional to BiosInit "
            f"and {at.TICKS_RATIO} times it or more, over {at.SPREAD_OF} cycles",
        ),
        FindingKind.BIOS_UNDER_REPORTED: Explained(
            "More time passed from PLTRST# until the OS's clock ran than BiosInit reports and the "
            f"{at.HANDOFF_NS // _MS} ms that the OS is allowed to start its clock: in the BIOS, or "
            "in early OS initialization before the clock was read.",
            _ASK_FIRMWARE,
            _AWAY,
        ),
        FindingKind.BIOS_OVER_REPORTED: Explained(
            "Less time passed between PLTRST# and the OS than BiosInit reports.",
            _ASK_FIRMWARE,
            _AWAY,
        ),
        FindingKind.FIRMWARE_DISAGREES: Explained(
            "The firmware's own table (ACPI FPDT) and the OS tell different BIOS times.",
            "Look which of the two follows the light; ask the firmware team about the other.",
            f"FullResume {at.FIRMWARE_ORDER_MS} ms or more above BiosInit, or their difference "
            f"more than {at.FIRMWARE_DRIFT_MS} ms off the platform's constant",
        ),
        FindingKind.AVERAGE_RESUME_WRONG: Explained(
            "AverageResume is not the average of the resumes that the firmware counted.",
            "Do not use the average; ask the firmware team.",
            f"more than {at.AVERAGE_MS} ms",
        ),
        FindingKind.RESUME_COUNT_STUCK: Explained(
            "ResumeCount did not go on: the firmware's account may be that of an earlier resume.",
            "Do not use FullResume; ask the firmware team.",
        ),
        FindingKind.BIOS_OVER_ADVISED: Explained(
            "BiosInit is above what the requirement advises.",
            "The advice decides no verdict; the time is the firmware's to shorten.",
            "the requirement's",
        ),
        FindingKind.LIT_BEFORE_OS: Explained(
            "The display was lit before the OS had control: what the user saw first is not the OS.",
            "Take the light for the firmware's, not for the end of the resume.",
            "beyond the bounds",
        ),
        FindingKind.COMPLETE_BEFORE_LIGHT: Explained(
            "The OS counts its resume as complete long before the user sees anything.",
            "Look at the display path: panel power, link training, graphics driver.",
            f"{at.LIGHT_AFTER_COMPLETE_NS // _MS} ms beyond the bounds, or what the DUT profile "
            "knows",
        ),
        FindingKind.UNEXPLAINED: Explained(
            "The light came earlier or later than all that is known explains.",
            "Compare with cycles beside it, with their edges in view.",
            f"{at.UNEXPLAINED_NS // _MS} ms, the bound, and what one healthy cycle in "
            f"{1 / at.UNUSUAL_BY_CHANCE:,.0f} departs by, as far as {at.SPREAD_OF} cycles or more "
            "tell; or the half-width of the constant in the DUT profile",
        ),
    }
)


def explained(kind: FindingKind) -> Explained | None:
    """Return what a finding means; None for a kind that nobody has explained."""
    return _COMPARED.get(kind) or WIRE_EXPLANATIONS.get(kind.value)
