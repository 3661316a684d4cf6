"""What the findings of the wires and of the rig mean, and what to do about each; by name."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from resume_rig.analysis.findings.explained import Explained

_AGAIN: Final = "Nothing: the cycle does not count. If it comes often, look at the rig."
_PROBE: Final = "Look at the probe of the line that the finding names, and at its ground."

WIRE_EXPLANATIONS: Final[Mapping[str, Explained]] = MappingProxyType(
    {
        "never-slept": Explained(
            "The DUT did not go to sleep: no line fell that shows one.",
            "Look for what keeps it awake: powercfg /requests, or a button that is set to do "
            "nothing.",
        ),
        "never-woke": Explained(
            "The DUT was asked to wake and its power did not come back, or it stayed in reset.",
            "Look at the last edges of the cycle; PLTRST# low means power sequence, high firmware.",
        ),
        "wake-not-ours": Explained(
            "Something else than the rig woke the DUT, so the time from the press says nothing.",
            "Ask powercfg /lastwake, and disarm the devices of powercfg /devicequery wake_armed.",
        ),
        "dark": Explained(
            "The DUT has power and the display stayed dark.",
            "See whether an OS record exists: with one the display path failed, without one the "
            "firmware or the OS hung.",
        ),
        "double-reset": Explained(
            "The platform was reset twice in one wake: the user waited for both passes, and "
            "BiosInit tells of the second alone.",
            "Ask the firmware team why the first pass was given up (memory training, ME).",
        ),
        "rebooted": Explained(
            "The DUT booted instead of resuming: what was open is lost.",
            "Look for a crash in the log (Kernel-Power 41, minidump) and at the last edges.",
        ),
        "wrong-state": Explained(
            "The DUT went into another state than the plan asked for, by its own wires.",
            "Look at what its button, lid or power plan does, and whether its firmware has the "
            "state (powercfg /a).",
        ),
        "woke-late": Explained(
            "The DUT woke, and took more than twice as long as nearly all cycles before it.",
            "Look at what ran in this wake: an update, a disk check, a firmware that trained its "
            "memory anew.",
        ),
        "hung": Explained(
            "The DUT did not come on, and one more press that its button saw did not help either.",
            "Look at the first edge that is missing: power, PLTRST# or light tell how far it came.",
        ),
        "not-settled": Explained(
            "The DUT woke, and the evidence that it has settled did not come within the limit.",
            "Look at what is missing: a record, a log that can be read, a light that stands still.",
        ),
        "command-failed": Explained(
            "The OS of the DUT was told to sleep or to arm its timer, and did not do so.",
            "Run the same command by hand; it needs the rights, and a DUT that can be reached.",
        ),
        "dozed": Explained(
            "The sleep went on from S3 to S4: what was measured is a wake from hibernation.",
            "Sleep for a shorter time, or turn hibernation after sleep off for the campaign.",
        ),
        "held-off": Explained(
            "The chipset held the wake back, as its SLP lines have to stay low for their minimum.",
            "Dwell longer before the press; the hold-off is no part of a resume time.",
        ),
        "lit-asleep": Explained(
            "The display was lit while the power lines showed sleep.",
            "Look at stray light on the photodiode first, then at the backlight's supply.",
        ),
        "light-not-timed": Explained(
            "Light came, and one of its moments cannot be timed within a useful bound.",
            "Set the panel to full brightness; shield the photodiode from lamps.",
        ),
        "trigger-unclear": Explained(
            "More than one press or lid move may have been the trigger, so times from it are left "
            "out.",
            "Keep hands off during a campaign; look at the button's contact.",
        ),
        "edge-lost": Explained(
            "Two changes to one level follow one another: an edge between them is missing.",
            _PROBE,
        ),
        "glitch": Explained(
            "A line pulsed for less time than its signal can.",
            _PROBE,
        ),
        "odd-levels": Explained(
            "Lines stood at levels that no sleep state has together.",
            _PROBE,
        ),
        "overrun": Explained(
            "The board overwrote edges before the host read them; the cycle is not measured.",
            "Look for a line that flutters, or a host that is too busy.",
        ),
        "board-rebooted": Explained(
            "The board restarted in this cycle; its clock began anew.", _AGAIN
        ),
        "lease-expired": Explained(
            "The host was silent for so long that the board let go of what it held.", _AGAIN
        ),
    }
)
