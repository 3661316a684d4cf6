"""What is known of each kind of finding, a row each: its title, its owner, what to do about it.

docs/reference/findings.md says when each is made. The rules are in the modules beside this one, in
`analysis/cycles` and in `campaign`; every number that decides is in `reconcile/thresholds.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Final

from resume_rig.analysis.cycles.health import (
    DEEP_SHARE_LEAST,
    HEALTH_WITHIN_NS,
    STANDBY_LEAST_NS,
)
from resume_rig.analysis.findings.advice import ON_OFF, RESUME
from resume_rig.analysis.reconcile import thresholds as at
from resume_rig.model.result.answer import Team
from resume_rig.model.result.verdict import FindingKind
from resume_rig.model.units import NS_PER_MS, NS_PER_S


@unique
class Doubt(StrEnum):
    """What a finding puts in doubt, the gravest first, in a reader's words."""

    RESUME = "In doubt: the resume itself"
    JUDGED_TIME = "In doubt: the time that is judged"
    EVIDENCE = "In doubt: the evidence"
    OTHER_TIMES = "In doubt: other times"
    NOTHING = "Advice"


@dataclass(frozen=True, slots=True)
class About:
    """A kind of findings, for a person who has one.

    Attributes:
        title: its name in words; that of the kind is for machines.
        weight: what it puts in doubt, and who can do something about it.
        means: what is wrong, in a sentence or two.
        do: what to do about it.
        command: what shows more of it; CAPITALS are to be filled in.
        source: the paper and its section that describes it, or that none does.
        threshold: from where on it is a finding; empty where no number decides.
        explained_by: the kinds that are its cause, so that it is no finding beside them.
    """

    title: str
    weight: tuple[Doubt, Team]
    means: str
    do: str
    command: str
    source: str = "no paper describes it"
    threshold: str = ""
    explained_by: frozenset[FindingKind] = frozenset()

    @property
    def doubt(self) -> Doubt:
        """What it puts in doubt."""
        return self.weight[0]

    @property
    def owner(self) -> Team:
        """Who can do something about it."""
        return self.weight[1]


_KERNEL_POWER: Final = (
    "wevtutil qe System /f:text /rd:true /c:20 "
    "/q:*[System[Provider[@Name='Microsoft-Windows-Kernel-Power']]]"
)
_ACCOUNTS: Final = (
    "wevtutil qe System /f:xml /rd:true /c:5 "
    "/q:*[System[Provider[@Name='Microsoft-Windows-Power-Troubleshooter']]]"
)
_STATES: Final = "powercfg /a (Linux: cat /sys/power/mem_sleep)"
_LAST_WAKE: Final = "powercfg /lastwake (Linux: cat /sys/power/pm_wakeup_irq)"
_WAVE: Final = "resume-rig export STORE --to vcd --cycle N --out cycle.vcd"
_BUDGET: Final = "resume-rig correlate STORE --budget"
_TRACED: Final = "resume-rig run --trace wpr --dut-shell ssh:USER@HOST (Linux: sleepgraph -m mem)"
_DOCTOR: Final = "resume-rig doctor --rig URL --dut ssh:USER@HOST"
_SELFTEST: Final = "resume-rig selftest --rig URL"

_PHASES: Final = f"{RESUME}: Resume from Standby"
_BIOS: Final = f"{RESUME}: BIOS Initialization Phase"
_EVENT: Final = f"{RESUME}: Resume Event Data Fields in the System Event Log"

_AGAIN: Final = "Nothing: the cycle does not count. If it comes often, look at the rig."
_PROBE: Final = "Look at the probe of the line that the finding names, and at its ground."
_ASK_FIRMWARE: Final = "Ask the firmware team; do not judge this unit by its BIOS time until then."
_IN_LAST_REPORT: Final = (
    f"it is so in the last report, {HEALTH_WITHIN_NS // NS_PER_S} s after the wake at the latest"
)
_AWAY: Final = (
    "all that wires and clocks of this very cycle leave is beyond it, whatever a time service did"
)
_FACTORS: Final = " or ".join(f"{factor:,}" for factor in at.UNIT_FACTORS)
_K: Final = FindingKind

ABOUT: Final[Mapping[FindingKind, About]] = {
    _K.NEVER_WOKE: About(
        "Never woke",
        (Doubt.RESUME, Team.FIRMWARE),
        "The DUT was asked to wake and its power did not come back, or it stayed in reset.",
        "Look at the last edges of the cycle; PLTRST# low means power sequence, high firmware.",
        _WAVE,
        source=_PHASES,
    ),
    _K.HUNG: About(
        "Hung",
        (Doubt.RESUME, Team.FIRMWARE),
        "The DUT did not come on, and one more press that its button saw did not help either.",
        "Look at the first edge that is missing: power, PLTRST# or light show how far it came.",
        _WAVE,
        source=_PHASES,
    ),
    _K.WOKE_LATE: About(
        "Woke late",
        (Doubt.RESUME, Team.FIRMWARE),
        "The DUT woke, and took more than twice as long as nearly all cycles before it.",
        "Look at what ran in this wake: an update, a disk check, a firmware that trained its "
        "memory anew.",
        _TRACED,
        source=f"{ON_OFF}: ResumeDevices Performance Analysis",
    ),
    _K.DARK: About(
        "Display stayed dark",
        (Doubt.RESUME, Team.DRIVER),
        "The DUT has power and the display stayed dark.",
        "See whether an OS record exists: with one the display path failed, without one the "
        "firmware or the OS hung.",
        _WAVE,
        source=_PHASES,
    ),
    _K.REBOOTED: About(
        "Rebooted",
        (Doubt.RESUME, Team.DRIVER),
        "The DUT booted instead of resuming: what was open is lost.",
        "Look for a crash in the log (Kernel-Power 41, minidump) and at the last edges.",
        _KERNEL_POWER,
    ),
    _K.DEVICE_CHANGED: About(
        "Device not as before",
        (Doubt.RESUME, Team.DRIVER),
        "A device is gone, new, or has another problem code than before the sleep, by the "
        "DUT's own list.",
        "Ask the owner of its driver; the id in the evidence is what Device Manager, pnputil, "
        "lspci or lsusb know it by.",
        "pnputil /enum-devices /problem (Linux: dmesg -l err)",
        threshold=_IN_LAST_REPORT,
    ),
    _K.LINK_LOST: About(
        "Network link not back",
        (Doubt.RESUME, Team.DRIVER),
        "A network link that was up before the sleep was not after the wake.",
        "Look at the driver of the adapter first, then at the network that it was in.",
        "netsh interface show interface (Linux: ip -brief link)",
        threshold=_IN_LAST_REPORT,
    ),
    _K.DRAINS_ASLEEP: About(
        "Drains in Modern Standby",
        (Doubt.RESUME, Team.DRIVER),
        "The DUT slept and woke as asked, and was not in its deepest state for long enough: a "
        "battery would have drained.",
        "Windows: powercfg /sleepstudy names the devices that hold it up. Linux: substate and "
        "package C10 in health.residencies_us say on which side to look.",
        "powercfg /sleepstudy (Linux: cat /sys/kernel/debug/pmc_core/substate_residencies)",
        threshold=f"less than {DEEP_SHARE_LEAST:.0%} of a Modern Standby of "
        f"{STANDBY_LEAST_NS // NS_PER_S} s or more, or more than {at.S0_POWER_SHARE:.0%} of "
        "what it draws awake",
    ),
    _K.NEVER_SLEPT: About(
        "Never slept",
        (Doubt.RESUME, Team.IMAGE),
        "The DUT did not go to sleep: no line fell that shows one.",
        "Look for what keeps it awake: powercfg /requests, or a button that is set to do nothing.",
        "powercfg /requests (Linux: systemd-inhibit)",
        source=f"{ON_OFF}: Other Test Notes",
    ),
    _K.WRONG_STATE: About(
        "Another sleep state than planned",
        (Doubt.RESUME, Team.IMAGE),
        "The DUT went into another state than the plan asked for, by its own wires.",
        "Look at what its button, lid or power plan does, and whether its firmware has the "
        "state (powercfg /a).",
        _STATES,
    ),
    _K.WAKE_NOT_OURS: About(
        "Woken by something else",
        (Doubt.RESUME, Team.IMAGE),
        "Something else than the rig woke the DUT, so the time from the press means nothing.",
        "Ask powercfg /lastwake, and disarm the devices of powercfg /devicequery wake_armed.",
        _LAST_WAKE,
        source=_EVENT,
    ),
    _K.COMMAND_FAILED: About(
        "Command to the OS failed",
        (Doubt.RESUME, Team.IMAGE),
        "The DUT's OS was commanded to sleep, to arm its timer or to report, and did not.",
        "Run the same command by hand; it needs the rights, and a DUT that can be reached.",
        _DOCTOR,
    ),
    _K.WAKE_NOT_ARMED: About(
        "Wake source not armed",
        (Doubt.RESUME, Team.IMAGE),
        "The board's key could not wake the DUT: the bus between the two shows it.",
        "Arm the keyboard (Windows: powercfg /deviceenablewake), keep its port under power in "
        "sleep (firmware setup), and see that the board hangs on the DUT.",
        "powercfg /devicequery wake_armed (Linux: cat /proc/acpi/wakeup)",
    ),
    _K.BIOS_UNDER_REPORTED: About(
        "BIOS time too short",
        (Doubt.JUDGED_TIME, Team.FIRMWARE),
        "More time passed from PLTRST# until the OS's clock ran than BiosInit reports and the "
        f"{at.HANDOFF_NS // NS_PER_MS} ms that the OS is allowed to start its clock: in the "
        "BIOS, or in early OS initialization before the clock was read.",
        _ASK_FIRMWARE,
        _BUDGET,
        source=_BIOS,
        threshold=_AWAY,
    ),
    _K.BIOS_OVER_REPORTED: About(
        "BIOS time too long",
        (Doubt.JUDGED_TIME, Team.FIRMWARE),
        "Less time passed between PLTRST# and the OS than BiosInit reports.",
        _ASK_FIRMWARE,
        _BUDGET,
        source=_BIOS,
        threshold=_AWAY,
    ),
    _K.TSC_NOT_RESET: About(
        "BIOS time is an uptime",
        (Doubt.JUDGED_TIME, Team.FIRMWARE),
        "The counter that BiosInit is read from went on over the sleep: the number is an uptime.",
        _ASK_FIRMWARE,
        _ACCOUNTS,
        source=_BIOS,
        threshold="above what clock and wires leave room for, and growing with time, or above "
        f"{at.UPTIME_MS // 1000} s with no unit that fits and no second one that did not grow",
    ),
    _K.WRONG_UNIT: About(
        "BIOS time in another unit",
        (Doubt.JUDGED_TIME, Team.FIRMWARE),
        "A time is another one's multiple: microseconds, nanoseconds or ticks stand where "
        "another unit is due.",
        "Ask the firmware team; do not use the time that the finding calls wrong until then.",
        _ACCOUNTS,
        source=_BIOS,
        threshold=f"factor {_FACTORS} to {at.UNIT_TOLERANCE:.0%}, which leaves "
        f"{at.LEAST_BIOS_MS} ms or more and explains most impossible BIOS times; or FullResume "
        "proportional to BiosInit "
        f"and {at.TICKS_RATIO} times it or more, over {at.SPREAD_OF} cycles",
    ),
    _K.BIOS_NOT_REPORTED: About(
        "BIOS time not reported",
        (Doubt.JUDGED_TIME, Team.FIRMWARE),
        "BiosInitDuration is 0, which means that the OS does not know it, not that it took "
        "no time.",
        "Use power button to display on; ask the firmware team why the TSC is not read or 0.",
        _ACCOUNTS,
        source=_BIOS,
    ),
    _K.STATE_MISMATCH: About(
        "OS reports another sleep state",
        (Doubt.JUDGED_TIME, Team.FIRMWARE),
        "The OS reports another kind of sleep than the signals show; its times are not those "
        "of what happened.",
        "Believe the wires. Look at powercfg /a and at the firmware's sleep settings.",
        _STATES,
    ),
    _K.DOUBLE_RESET: About(
        "Platform reset twice",
        (Doubt.JUDGED_TIME, Team.FIRMWARE),
        "The platform was reset twice in one wake: the user waited for both passes, and "
        "BiosInit covers the second alone.",
        "Ask the firmware team why the first pass was given up (memory training, ME).",
        _WAVE,
        source=_PHASES,
    ),
    _K.S0_POWER_ASLEEP: About(
        "Asleep at the power of S0",
        (Doubt.JUDGED_TIME, Team.FIRMWARE),
        "The OS says that the DUT slept in S3, and its supply says that it did not: it drew "
        "what an S0 draws.",
        "Look at whether it really is Modern Standby (powercfg /a), and which device stays on; "
        "s3_power_max_mw of the DUT profile says what is too much for this platform.",
        _STATES,
        threshold=f"more than s3_power_max_mw, or {at.S0_POWER_SHARE:.0%} of what it draws awake, "
        "beyond the uncertainty",
    ),
    _K.RECORD_MISSING: About(
        "OS record missing",
        (Doubt.EVIDENCE, Team.IMAGE),
        "The DUT slept and woke, and the log holds no record of it.",
        "Where no cycle has a record, see whether the log is of this DUT. Else let it stay "
        "awake longer (settle): the OS writes up to 2 s after the wake. Make the log larger if "
        "it wraps.",
        _DOCTOR,
    ),
    _K.RECORD_DOUBLED: About(
        "Two records of one wake",
        (Doubt.EVIDENCE, Team.IMAGE),
        "The log holds two records of one wake.",
        "Look for two collectors that write into one log; count the cycle once.",
        _ACCOUNTS,
        source=_EVENT,
        threshold=f"same kind, wake times less than {at.DOUBLED_NS // NS_PER_MS} ms apart",
    ),
    _K.CLOCK_STEP: About(
        "OS clock was set",
        (Doubt.EVIDENCE, Team.IMAGE),
        "Somebody set the OS's clock, so its times before and after do not belong together.",
        "Stop the time service for the campaign, or let it settle first.",
        _KERNEL_POWER,
        threshold=f"more than {at.CLOCK_STEP_NS // NS_PER_MS} ms, or a wake before its sleep; "
        "without an event, by the wires, where the light came as ever",
    ),
    _K.RECORD_ABORTED: About(
        "Record of a sleep attempt that was aborted",
        (Doubt.EVIDENCE, Team.RIG),
        "The OS wrote a record of zeros, as it does for a sleep that it gave up, or when the "
        "next sleep comes too soon.",
        "Let it stay awake longer before the next sleep.",
        _ACCOUNTS,
        source=_EVENT,
    ),
    _K.NOT_MEASURED: About(
        "Resume not measured",
        (Doubt.EVIDENCE, Team.RIG),
        "The record has no resume time, or the cycle could not be finished.",
        "Where the record has no times, judge power button to display on; where the cycle was "
        "not finished, look at the rig.",
        _ACCOUNTS,
        source=_EVENT,
    ),
    _K.NOT_SETTLED: About(
        "Did not settle",
        (Doubt.EVIDENCE, Team.RIG),
        "The DUT woke, and the evidence that it has settled did not come within the limit.",
        "Look at what is missing: a record, a log that can be read, a light that stands still.",
        _DOCTOR,
    ),
    _K.DOZED: About(
        "Doze to hibernate (S3 to S4)",
        (Doubt.EVIDENCE, Team.RIG),
        "The sleep went on to S4: what was measured is a wake from hibernation.",
        "Sleep for a shorter time, or turn hibernation after sleep off for the campaign.",
        "powercfg /qh SCHEME_CURRENT (Linux: systemd-analyze cat-config systemd/sleep.conf)",
        source=f"{RESUME}: Resume from Hibernate",
    ),
    _K.HELD_OFF: About(
        "Wake held off by the chipset",
        (Doubt.EVIDENCE, Team.RIG),
        "The chipset held the wake back, as its SLP lines have to stay low for their minimum.",
        "Dwell longer before the press; the hold-off is no part of a resume time.",
        _WAVE,
    ),
    _K.TRIGGER_UNCLEAR: About(
        "Trigger unclear",
        (Doubt.EVIDENCE, Team.RIG),
        "More than one press or lid move may have been the trigger, so times from it are left out.",
        "Keep hands off during a campaign; look at the button's contact.",
        _WAVE,
    ),
    _K.EDGE_LOST: About(
        "Edge missing",
        (Doubt.EVIDENCE, Team.RIG),
        "Two changes to one level follow one another: an edge between them is missing.",
        _PROBE,
        _WAVE,
    ),
    _K.GLITCH: About(
        "Pulse too short for its signal",
        (Doubt.EVIDENCE, Team.RIG),
        "A line pulsed for less time than its signal can.",
        _PROBE,
        _WAVE,
    ),
    _K.ODD_LEVELS: About(
        "Levels of no sleep state",
        (Doubt.EVIDENCE, Team.RIG),
        "Lines stood at levels that no sleep state has together.",
        _PROBE,
        _WAVE,
    ),
    _K.LIT_ASLEEP: About(
        "Display lit in sleep",
        (Doubt.EVIDENCE, Team.RIG),
        "The display was lit while the power lines showed sleep.",
        "Look at stray light on the photodiode first, then at the backlight's supply.",
        _WAVE,
    ),
    _K.LIGHT_NOT_TIMED: About(
        "Display on not timed",
        (Doubt.EVIDENCE, Team.RIG),
        "Light came, and one of its moments cannot be timed within a useful bound.",
        "Set the panel to full brightness; shield the photodiode from lamps.",
        _WAVE,
    ),
    _K.OVERRUN: About(
        "Edges overwritten",
        (Doubt.EVIDENCE, Team.RIG),
        "The board overwrote edges before the host read them; the cycle is not measured.",
        "Look for a line that flutters, or a host that is too busy.",
        _SELFTEST,
    ),
    _K.BOARD_REBOOTED: About(
        "Board restarted",
        (Doubt.EVIDENCE, Team.RIG),
        "The board restarted in this cycle; its clock began anew.",
        _AGAIN,
        _SELFTEST,
    ),
    _K.LEASE_EXPIRED: About(
        "Host was silent",
        (Doubt.EVIDENCE, Team.RIG),
        "The host was silent for so long that the board let go of what it held.",
        _AGAIN,
        _SELFTEST,
    ),
    _K.WRONG_POLARITY: About(
        "A line may be the wrong way up",
        (Doubt.EVIDENCE, Team.RIG),
        "A line is high while the others are low, and low while they are high, all along: it "
        "is inverted, or another signal. What the wires show then is not what the DUT did.",
        "Check the polarity of the line that the finding names; `--channel NAME=~SIGNAL` "
        "inverts a signal of a capture.",
        _WAVE,
    ),
    _K.HIDDEN_BEFORE_SLEEP: About(
        "Way to sleep longer than reported",
        (Doubt.OTHER_TIMES, Team.FIRMWARE),
        "The DUT took longer from the trigger to SLP_S3# than the OS reports: a part of its "
        "way to sleep is not in SleepDuration. That may be before SleepTime, within the OS, or "
        "after the OS's clock has stopped.",
        "If SLP_S3# fell soon after the OS's clock had stopped, look at the embedded "
        "controller's debounce, the lid and programs that are asked first; else at what the "
        "firmware does before SLP_S3#.",
        _TRACED,
        source=f"{ON_OFF}: Overview of the Suspend Phase",
        threshold=f"more than {at.HIDDEN_BEFORE_NS // NS_PER_MS} ms beyond the bounds; "
        f"{at.ACCEPTED_NS // NS_PER_MS} ms are allowed for the trigger being accepted",
    ),
    _K.FIRMWARE_DISAGREES: About(
        "FPDT and OS report different BIOS times",
        (Doubt.OTHER_TIMES, Team.FIRMWARE),
        "The firmware's own table (ACPI FPDT) and the OS report different BIOS times.",
        "Look which of the two follows the light; ask the firmware team about the other.",
        _KERNEL_POWER,
        threshold=f"FullResume {at.FIRMWARE_ORDER_MS} ms or more above BiosInit, or their "
        f"difference more than {at.FIRMWARE_DRIFT_MS} ms off the constant of the DUT profile",
    ),
    _K.AVERAGE_RESUME_WRONG: About(
        "AverageResume of the FPDT is wrong",
        (Doubt.OTHER_TIMES, Team.FIRMWARE),
        "AverageResume is not the average of the resumes that the firmware counted.",
        "Do not use the average; ask the firmware team.",
        _KERNEL_POWER,
        threshold=f"more than {at.AVERAGE_MS} ms",
    ),
    _K.RESUME_COUNT_STUCK: About(
        "ResumeCount of the FPDT stands still",
        (Doubt.OTHER_TIMES, Team.FIRMWARE),
        "ResumeCount did not go on: the firmware's account may be that of an earlier resume.",
        "Do not use FullResume; ask the firmware team.",
        _KERNEL_POWER,
    ),
    _K.WAKE_SOURCE_MISMATCH: About(
        "OS names another wake source",
        (Doubt.OTHER_TIMES, Team.FIRMWARE),
        "The OS names another wake source than the rig used: something woke the DUT at the "
        "same moment, or the firmware reports the wrong source to the OS.",
        "Compare with the other cycles: always means firmware, sometimes a device.",
        _LAST_WAKE,
        source=_EVENT,
    ),
    _K.LIT_BEFORE_OS: About(
        "Display on before the OS",
        (Doubt.OTHER_TIMES, Team.FIRMWARE),
        "The display was lit before the OS had control: what the user saw first is not the OS.",
        "Take the light for the firmware's, not for the end of the resume.",
        _BUDGET,
        source=_BIOS,
        threshold="beyond the bounds",
        explained_by=frozenset({_K.BIOS_OVER_REPORTED}),
    ),
    _K.COMPLETE_BEFORE_LIGHT: About(
        "Resume complete long before display on",
        (Doubt.OTHER_TIMES, Team.DRIVER),
        "The OS counts its resume as complete long before the user sees anything.",
        "Look at the display path: panel power, link training, graphics driver.",
        _TRACED,
        source=f"{RESUME}: S3 Resume Start and End",
        threshold=f"{at.LIGHT_AFTER_COMPLETE_NS // NS_PER_MS} ms beyond the bounds, or what the "
        "DUT profile knows",
        # The OS's "complete" comes later by what its BIOS time lacks.
        explained_by=frozenset({_K.BIOS_UNDER_REPORTED}),
    ),
    _K.SUSPICION: About(
        "Suspicion, not shown by the cycle itself",
        (Doubt.OTHER_TIMES, Team.OPEN),
        "A time differs from what the rest of the campaign, or a clock that nobody disturbs, "
        "suggests. The cycle's own evidence leaves an innocent reading, so that it accuses "
        "nobody: this cycle may be wrong, the others may, or the clock.",
        "Repeat with the OS's time service stopped and a PLTRST# to TSC start in the DUT "
        "profile: then the cycle's own times may decide.",
        _BUDGET,
        source=_BIOS,
    ),
    _K.UNEXPLAINED: About(
        "Residual against the campaign median",
        (Doubt.OTHER_TIMES, Team.OPEN),
        "The light came earlier or later than all that is known explains.",
        "Compare its edges with those of neighbouring cycles.",
        _BUDGET,
        source=_BIOS,
        threshold=f"{at.UNEXPLAINED_NS // NS_PER_MS} ms, the bound, and what one healthy cycle in "
        f"{1 / at.UNUSUAL_BY_CHANCE:,.0f} departs by, as far as {at.SPREAD_OF} cycles or more "
        "show; or the half-width of the constant in the DUT profile",
        explained_by=frozenset(
            {
                _K.BIOS_UNDER_REPORTED,
                _K.BIOS_OVER_REPORTED,
                _K.LIT_BEFORE_OS,
                _K.SUSPICION,
                _K.STATE_MISMATCH,
                _K.DOUBLE_RESET,
            }
        ),
    ),
    _K.NEW_ERRORS: About(
        "New errors in the log",
        (Doubt.NOTHING, Team.DRIVER),
        "The DUT's log has entries of level error or worse that were not there before the sleep.",
        "Read them in the JSON document (health.errors); the first one is often the cause.",
        "wevtutil qe System /f:text /rd:true /c:20 /q:*[System[Level<=2]]",
    ),
    _K.BIOS_OVER_ADVISED: About(
        "BIOS time over the advice",
        (Doubt.NOTHING, Team.FIRMWARE),
        "BiosInit is above what the requirement advises.",
        "The advice decides no verdict; the time is the firmware's to shorten.",
        _ACCOUNTS,
        source=f"{RESUME}: S3 Resume and the Windows Logo Program",
        threshold="the requirement's",
    ),
    _K.NO_TRACE: About(
        "Trace missing",
        (Doubt.NOTHING, Team.IMAGE),
        "A trace of this cycle was asked for, and there is none, or it shows no sleep; what "
        "was measured stands.",
        "Run the tool by hand on the DUT, as an administrator; look at room on both disks.",
        "wpr -status",
        source=f"{ON_OFF}: Sleep and Hibernate Transitions: Capturing Traces",
    ),
}
"""All kinds, by what they put in doubt; of one doubt in the order in which they are listed."""
