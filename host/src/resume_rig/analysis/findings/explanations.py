"""What each finding means and what to do about it.

docs/reference/findings.md is the table of this module.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from resume_rig.analysis.cycles.health import (
    DEEP_SHARE_LEAST,
    HEALTH_WITHIN_NS,
    STANDBY_LEAST_NS,
)
from resume_rig.analysis.findings.advice import ON_OFF, RESUME
from resume_rig.analysis.reconcile import thresholds as at
from resume_rig.model.result.verdict import FindingKind
from resume_rig.model.units import NS_PER_MS, NS_PER_S


@dataclass(frozen=True, slots=True)
class Explained:
    """A class of findings, for a person who has one.

    Attributes:
        means: what is wrong, in a sentence or two.
        do: what to do about it.
        threshold: from where on it is a finding; empty where no number decides.
        source: the paper and its section that describes it, or that none does.
        command: what shows more of it; CAPITALS are to be filled in.
    """

    means: str
    do: str
    threshold: str = ""
    source: str = ""
    command: str = ""


_HEALTH_S: Final = HEALTH_WITHIN_NS // NS_PER_S
_AGAIN: Final = "Nothing: the cycle does not count. If it comes often, look at the rig."
_PROBE: Final = "Look at the probe of the line that the finding names, and at its ground."

_ASK_FIRMWARE: Final = "Ask the firmware team; do not judge this unit by its BIOS time until then."
_AWAY: Final = (
    "all that wires and clocks of this very cycle leave is beyond it, whatever a time service did"
)
_FACTORS: Final = " or ".join(f"{factor:,}" for factor in at.UNIT_FACTORS)

_EXPLAINED: Final[Mapping[FindingKind, Explained]] = MappingProxyType(
    {
        FindingKind.NEVER_SLEPT: Explained(
            "The DUT did not go to sleep: no line fell that shows one.",
            "Look for what keeps it awake: powercfg /requests, or a button that is set to do "
            "nothing.",
        ),
        FindingKind.NEVER_WOKE: Explained(
            "The DUT was asked to wake and its power did not come back, or it stayed in reset.",
            "Look at the last edges of the cycle; PLTRST# low means power sequence, high firmware.",
        ),
        FindingKind.WAKE_NOT_OURS: Explained(
            "Something else than the rig woke the DUT, so the time from the press means nothing.",
            "Ask powercfg /lastwake, and disarm the devices of powercfg /devicequery wake_armed.",
        ),
        FindingKind.DARK: Explained(
            "The DUT has power and the display stayed dark.",
            "See whether an OS record exists: with one the display path failed, without one the "
            "firmware or the OS hung.",
        ),
        FindingKind.DOUBLE_RESET: Explained(
            "The platform was reset twice in one wake: the user waited for both passes, and "
            "BiosInit covers the second alone.",
            "Ask the firmware team why the first pass was given up (memory training, ME).",
        ),
        FindingKind.REBOOTED: Explained(
            "The DUT booted instead of resuming: what was open is lost.",
            "Look for a crash in the log (Kernel-Power 41, minidump) and at the last edges.",
        ),
        FindingKind.WRONG_STATE: Explained(
            "The DUT went into another state than the plan asked for, by its own wires.",
            "Look at what its button, lid or power plan does, and whether its firmware has the "
            "state (powercfg /a).",
        ),
        FindingKind.WOKE_LATE: Explained(
            "The DUT woke, and took more than twice as long as nearly all cycles before it.",
            "Look at what ran in this wake: an update, a disk check, a firmware that trained its "
            "memory anew.",
        ),
        FindingKind.HUNG: Explained(
            "The DUT did not come on, and one more press that its button saw did not help either.",
            "Look at the first edge that is missing: power, PLTRST# or light show how far it came.",
        ),
        FindingKind.NOT_SETTLED: Explained(
            "The DUT woke, and the evidence that it has settled did not come within the limit.",
            "Look at what is missing: a record, a log that can be read, a light that stands still.",
        ),
        FindingKind.WAKE_NOT_ARMED: Explained(
            "The board's key could not wake the DUT: the bus between the two shows it.",
            "Arm the keyboard (Windows: powercfg /deviceenablewake), keep its port under power in "
            "sleep (firmware setup), and see that the board hangs on the DUT.",
        ),
        FindingKind.COMMAND_FAILED: Explained(
            "The DUT's OS was commanded to sleep, to arm its timer or to report, and did not.",
            "Run the same command by hand; it needs the rights, and a DUT that can be reached.",
        ),
        FindingKind.NO_TRACE: Explained(
            "A trace of this cycle was asked for, and there is none, or it shows no sleep; what "
            "was measured stands.",
            "Run the tool by hand on the DUT, as an administrator; look at room on both disks.",
        ),
        FindingKind.DEVICE_CHANGED: Explained(
            "A device is gone, new, or has another problem code than before the sleep, by the "
            "DUT's own list.",
            "Ask the owner of its driver; the id in the evidence is what Device Manager, pnputil, "
            "lspci or lsusb know it by.",
            f"it is so in the last report, {_HEALTH_S} s after the wake at the latest",
        ),
        FindingKind.LINK_LOST: Explained(
            "A network link that was up before the sleep was not after the wake.",
            "Look at the driver of the adapter first, then at the network that it was in.",
            f"it is so in the last report, {_HEALTH_S} s after the wake at the latest",
        ),
        FindingKind.NEW_ERRORS: Explained(
            "The DUT's log has entries of level error or worse that were not there before the "
            "sleep.",
            "Read them in the JSON document (health.errors); the first one is often the cause.",
        ),
        FindingKind.DRAINS_ASLEEP: Explained(
            "The DUT slept and woke as asked, and was not in its deepest state for long enough: a "
            "battery would have drained.",
            "Windows: powercfg /sleepstudy names the devices that hold it up. Linux: substate and "
            "package C10 in health.residencies_us say on which side to look.",
            f"less than {DEEP_SHARE_LEAST:.0%} of a Modern Standby of "
            f"{STANDBY_LEAST_NS // NS_PER_S} s or more, or more than {at.S0_POWER_SHARE:.0%} of "
            "what it draws awake",
        ),
        FindingKind.DOZED: Explained(
            "The sleep went on to S4: what was measured is a wake from hibernation.",
            "Sleep for a shorter time, or turn hibernation after sleep off for the campaign.",
        ),
        FindingKind.HELD_OFF: Explained(
            "The chipset held the wake back, as its SLP lines have to stay low for their minimum.",
            "Dwell longer before the press; the hold-off is no part of a resume time.",
        ),
        FindingKind.LIT_ASLEEP: Explained(
            "The display was lit while the power lines showed sleep.",
            "Look at stray light on the photodiode first, then at the backlight's supply.",
        ),
        FindingKind.LIGHT_NOT_TIMED: Explained(
            "Light came, and one of its moments cannot be timed within a useful bound.",
            "Set the panel to full brightness; shield the photodiode from lamps.",
        ),
        FindingKind.TRIGGER_UNCLEAR: Explained(
            "More than one press or lid move may have been the trigger, so times from it are left "
            "out.",
            "Keep hands off during a campaign; look at the button's contact.",
        ),
        FindingKind.EDGE_LOST: Explained(
            "Two changes to one level follow one another: an edge between them is missing.",
            _PROBE,
        ),
        FindingKind.GLITCH: Explained(
            "A line pulsed for less time than its signal can.",
            _PROBE,
        ),
        FindingKind.ODD_LEVELS: Explained(
            "Lines stood at levels that no sleep state has together.",
            _PROBE,
        ),
        FindingKind.WRONG_POLARITY: Explained(
            "A line is high while the others are low, and low while they are high, all along: it "
            "is inverted, or another signal. What the wires show then is not what the DUT did.",
            "Check the polarity of the line that the finding names; `--channel NAME=~SIGNAL` "
            "inverts a signal of a capture.",
        ),
        FindingKind.OVERRUN: Explained(
            "The board overwrote edges before the host read them; the cycle is not measured.",
            "Look for a line that flutters, or a host that is too busy.",
        ),
        FindingKind.BOARD_REBOOTED: Explained(
            "The board restarted in this cycle; its clock began anew.", _AGAIN
        ),
        FindingKind.LEASE_EXPIRED: Explained(
            "The host was silent for so long that the board let go of what it held.", _AGAIN
        ),
        FindingKind.STATE_MISMATCH: Explained(
            "The OS reports another kind of sleep than the signals show; its times are not those "
            "of what happened.",
            "Believe the wires. Look at powercfg /a and at the firmware's sleep settings.",
        ),
        FindingKind.S0_POWER_ASLEEP: Explained(
            "The OS says that the DUT slept in S3, and its supply says that it did not: it drew "
            "what an S0 draws.",
            "Look at whether it really is Modern Standby (powercfg /a), and which device stays on; "
            "s3_power_max_mw of the DUT profile says what is too much for this platform.",
            f"more than s3_power_max_mw, or {at.S0_POWER_SHARE:.0%} of what it draws awake, beyond "
            "the uncertainty",
        ),
        FindingKind.HIDDEN_BEFORE_SLEEP: Explained(
            "The DUT took longer from the trigger to SLP_S3# than the OS reports: a part of its "
            "way to sleep is not in SleepDuration. That may be before SleepTime, within the OS, or "
            "after the OS's clock has stopped.",
            "If SLP_S3# fell soon after the OS's clock had stopped, look at the embedded "
            "controller's debounce, the lid and programs that are asked first; else at what the "
            "firmware does before SLP_S3#.",
            f"more than {at.HIDDEN_BEFORE_NS // NS_PER_MS} ms beyond the bounds; "
            f"{at.ACCEPTED_NS // NS_PER_MS} ms are allowed for the trigger being accepted",
        ),
        FindingKind.WAKE_SOURCE_MISMATCH: Explained(
            "The OS names another wake source than the rig used: something woke the DUT at the "
            "same moment, or the firmware reports the wrong source to the OS.",
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
            f"same kind, wake times less than {at.DOUBLED_NS // NS_PER_MS} ms apart",
        ),
        FindingKind.NOT_MEASURED: Explained(
            "The record has no resume time, or the cycle could not be finished.",
            "Where the record has no times, judge power button to display on; where the cycle was "
            "not finished, look at the rig.",
        ),
        FindingKind.CLOCK_STEP: Explained(
            "Somebody set the OS's clock, so its times before and after do not belong together.",
            "Stop the time service for the campaign, or let it settle first.",
            f"more than {at.CLOCK_STEP_NS // NS_PER_MS} ms, or a wake before its sleep; without an "
            "event, by the wires, where the light came as ever",
        ),
        FindingKind.BIOS_NOT_REPORTED: Explained(
            "BiosInitDuration is 0, which means that the OS does not know it, not that it took "
            "no time.",
            "Use power button to display on; ask the firmware team why the TSC is not read or 0.",
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
            f"{at.HANDOFF_NS // NS_PER_MS} ms that the OS is allowed to start its clock: in the "
            "BIOS, or in early OS initialization before the clock was read.",
            _ASK_FIRMWARE,
            _AWAY,
        ),
        FindingKind.BIOS_OVER_REPORTED: Explained(
            "Less time passed between PLTRST# and the OS than BiosInit reports.",
            _ASK_FIRMWARE,
            _AWAY,
        ),
        FindingKind.SUSPICION: Explained(
            "A time differs from what the rest of the campaign, or a clock that nobody disturbs, "
            "suggests. The cycle's own evidence leaves an innocent reading, so that it accuses "
            "nobody: this cycle may be wrong, the others may, or the clock.",
            "Repeat with the OS's time service stopped and a PLTRST# to TSC start in the DUT "
            "profile: then the cycle's own times may decide.",
        ),
        FindingKind.FIRMWARE_DISAGREES: Explained(
            "The firmware's own table (ACPI FPDT) and the OS report different BIOS times.",
            "Look which of the two follows the light; ask the firmware team about the other.",
            f"FullResume {at.FIRMWARE_ORDER_MS} ms or more above BiosInit, or their difference "
            f"more than {at.FIRMWARE_DRIFT_MS} ms off the constant of the DUT profile",
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
            f"{at.LIGHT_AFTER_COMPLETE_NS // NS_PER_MS} ms beyond the bounds, or what the DUT "
            "profile knows",
        ),
        FindingKind.UNEXPLAINED: Explained(
            "The light came earlier or later than all that is known explains.",
            "Compare its edges with those of neighbouring cycles.",
            f"{at.UNEXPLAINED_NS // NS_PER_MS} ms, the bound, and what one healthy cycle in "
            f"{1 / at.UNUSUAL_BY_CHANCE:,.0f} departs by, as far as {at.SPREAD_OF} cycles or more "
            "show; or the half-width of the constant in the DUT profile",
        ),
    }
)


_NO_PAPER: Final = "no paper describes it"
_PHASES: Final = f"{RESUME}: Resume from Standby"
_ENDS: Final = f"{RESUME}: S3 Resume Start and End"
_BIOS: Final = f"{RESUME}: BIOS Initialization Phase"
_EVENT: Final = f"{RESUME}: Resume Event Data Fields in the System Event Log"
_LOGO: Final = f"{RESUME}: S3 Resume and the Windows Logo Program"
_NOTES: Final = f"{ON_OFF}: Other Test Notes"
_KERNEL_POWER: Final = (
    "wevtutil qe System /f:text /rd:true /c:20 "
    "/q:*[System[Provider[@Name='Microsoft-Windows-Kernel-Power']]]"
)
_ACCOUNTS: Final = (
    "wevtutil qe System /f:xml /rd:true /c:5 "
    "/q:*[System[Provider[@Name='Microsoft-Windows-Power-Troubleshooter']]]"
)
_WAVE: Final = "resume-rig export STORE --to vcd --cycle N --out cycle.vcd"
_BUDGET: Final = "resume-rig correlate STORE --budget"
_TRACED: Final = "resume-rig run --trace wpr --dut-shell ssh:USER@HOST (Linux: sleepgraph -m mem)"
_DOCTOR: Final = "resume-rig doctor --rig URL --dut ssh:USER@HOST"
_K: Final = FindingKind

# What describes it, what shows more of it, and which findings that is.
_MORE: Final[tuple[tuple[str, str, tuple[FindingKind, ...]], ...]] = (
    (_NOTES, "powercfg /requests (Linux: systemd-inhibit)", (_K.NEVER_SLEPT,)),
    (
        _NO_PAPER,
        "powercfg /a (Linux: cat /sys/power/mem_sleep)",
        (_K.WRONG_STATE, _K.STATE_MISMATCH, _K.S0_POWER_ASLEEP),
    ),
    (
        _EVENT,
        "powercfg /lastwake (Linux: cat /sys/power/pm_wakeup_irq)",
        (_K.WAKE_NOT_OURS, _K.WAKE_SOURCE_MISMATCH),
    ),
    (
        _NO_PAPER,
        "powercfg /devicequery wake_armed (Linux: cat /proc/acpi/wakeup)",
        (_K.WAKE_NOT_ARMED,),
    ),
    (
        _NO_PAPER,
        "powercfg /sleepstudy (Linux: cat /sys/kernel/debug/pmc_core/substate_residencies)",
        (_K.DRAINS_ASLEEP,),
    ),
    (_NO_PAPER, "pnputil /enum-devices /problem (Linux: dmesg -l err)", (_K.DEVICE_CHANGED,)),
    (_NO_PAPER, "netsh interface show interface (Linux: ip -brief link)", (_K.LINK_LOST,)),
    (
        _NO_PAPER,
        "wevtutil qe System /f:text /rd:true /c:20 /q:*[System[Level<=2]]",
        (_K.NEW_ERRORS,),
    ),
    (_NO_PAPER, _DOCTOR, (_K.COMMAND_FAILED, _K.NOT_SETTLED, _K.RECORD_MISSING)),
    (
        f"{RESUME}: Resume from Hibernate",
        "powercfg /qh SCHEME_CURRENT (Linux: systemd-analyze cat-config systemd/sleep.conf)",
        (_K.DOZED,),
    ),
    (
        f"{ON_OFF}: Sleep and Hibernate Transitions: Capturing Traces",
        "wpr -status",
        (_K.NO_TRACE,),
    ),
    (_PHASES, _WAVE, (_K.NEVER_WOKE, _K.DARK, _K.DOUBLE_RESET, _K.HUNG)),
    (_NO_PAPER, _KERNEL_POWER, (_K.REBOOTED, _K.CLOCK_STEP)),
    (f"{ON_OFF}: ResumeDevices Performance Analysis", _TRACED, (_K.WOKE_LATE,)),
    (f"{ON_OFF}: Overview of the Suspend Phase", _TRACED, (_K.HIDDEN_BEFORE_SLEEP,)),
    (_ENDS, _TRACED, (_K.COMPLETE_BEFORE_LIGHT,)),
    (_EVENT, _ACCOUNTS, (_K.RECORD_ABORTED, _K.RECORD_DOUBLED, _K.NOT_MEASURED)),
    (_BIOS, _ACCOUNTS, (_K.BIOS_NOT_REPORTED, _K.TSC_NOT_RESET, _K.WRONG_UNIT)),
    (
        _BIOS,
        _BUDGET,
        (
            *(_K.BIOS_UNDER_REPORTED, _K.BIOS_OVER_REPORTED, _K.LIT_BEFORE_OS, _K.UNEXPLAINED),
            _K.SUSPICION,
        ),
    ),
    (
        _NO_PAPER,
        _KERNEL_POWER,
        (_K.FIRMWARE_DISAGREES, _K.AVERAGE_RESUME_WRONG, _K.RESUME_COUNT_STUCK),
    ),
    (_LOGO, _ACCOUNTS, (_K.BIOS_OVER_ADVISED,)),
    (
        _NO_PAPER,
        _WAVE,
        (
            *(_K.HELD_OFF, _K.LIT_ASLEEP, _K.LIGHT_NOT_TIMED, _K.TRIGGER_UNCLEAR),
            *(_K.EDGE_LOST, _K.GLITCH, _K.ODD_LEVELS, _K.WRONG_POLARITY),
        ),
    ),
    (
        _NO_PAPER,
        "resume-rig selftest --rig URL",
        (_K.OVERRUN, _K.BOARD_REBOOTED, _K.LEASE_EXPIRED),
    ),
)
_MORE_OF: Final = {kind: (team, command) for team, command, kinds in _MORE for kind in kinds}


def explained(kind: FindingKind) -> Explained | None:
    """Return what a finding means; None for a kind that nobody has explained."""
    found = _EXPLAINED.get(kind)
    if found is None:
        return None
    source, command = _MORE_OF[kind]
    return replace(found, source=source, command=command)
