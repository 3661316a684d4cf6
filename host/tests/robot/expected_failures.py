"""What each DUT profile makes fail, and by which words; the table in the docs is made of this.

Run it to write the table: python host/tests/robot/expected_failures.py
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

PAGE: Final = Path(__file__).resolve().parents[3] / "docs" / "reference" / "robot-suites.md"
BEGIN: Final = "<!-- written by host/tests/robot/expected_failures.py -->\n"
END: Final = "<!-- end -->\n"

SLEEPS: Final = "Every Cycle Sleeps And Wakes"
RESUME: Final = "S3 Resume Takes At Most Two Seconds"
BELIEVED: Final = "BIOS Time Can Be Believed"
HIDDEN: Final = "Nothing Is Hidden Before Sleep"
LIGHT: Final = "Display Lights Soon After The Press"
COMPLETE: Final = "Light Follows Resume Complete"
TIMED: Final = "Light Can Be Timed"
ON_WIRES: Final = "S3 Is S3 On The Wires"
TO_OS: Final = "S3 Is S3 To The OS"
AGREE: Final = "Wires And OS Agree"
DOZES: Final = "No S3 Dozes On To S4"
STAYS: Final = "A Sleeping DUT Stays Asleep Until It Is Woken"
LID: Final = "Lid Puts To Sleep And Wakes"
LID_NAMED: Final = "OS Names The Lid"
LID_LIGHT: Final = "Lid Lights The Display As Soon As The Button"

NONE: Final[Mapping[str, str]] = {}
UNMEASURED: Final = "NO-EVIDENCE"
NOT_BACK: Final = "could not bring fake-s3 back after cycle 1"

EXPECTED: Final[Mapping[str, Mapping[str, str]]] = {
    "healthy-laptop": NONE,
    "healthy-desktop": NONE,
    "espi-laptop": NONE,
    "slow-bios": NONE,
    "lid-bounce": NONE,
    "slow-laptop": {
        RESUME: "total resume time at most 2 s: 11 of 11 cycles do not conform",
        LIGHT: "power button to display on at most 2500 ms: 11 of 11 cycles do not conform",
        LID_LIGHT: "power button to display on at most 2500 ms: 11 of 11 cycles do not conform",
    },
    "bios-reports-zero": {
        RESUME: UNMEASURED,
        BELIEVED: "The OS reports no BIOS time",
        COMPLETE: UNMEASURED,
    },
    "tsc-not-reset": {
        RESUME: "impossible BIOS time",
        BELIEVED: "the counter it is read from was not reset over the sleep",
        COMPLETE: "impossible BIOS time",
    },
    "bios-under-reports": {
        BELIEVED: "more went by than the BIOS time that the OS reports",
        COMPLETE: UNMEASURED,
    },
    "fpdt-in-ticks": {BELIEVED: "ticks of a counter stand in its table"},
    "fake-s3": {
        SLEEPS: "cycle 1 slept shallow",
        RESUME: "slept shallow",
        LIGHT: "slept shallow",
        COMPLETE: "slept shallow",
        ON_WIRES: "cycle 1 was in S0ix: The plan asked for S3, and the wires show S0ix",
        AGREE: "The OS reports S3, and the wires show S0ix",
        STAYS: "it did not fall asleep within 60.00 s",
        LID: NOT_BACK,
        LID_NAMED: NOT_BACK,
        LID_LIGHT: NOT_BACK,
    },
    "hybrid-sleep": {TO_OS: "cycle 1 is hybrid to it"},
    "doze-to-s4": {
        RESUME: "not covered by this requirement",
        LIGHT: "not covered by this requirement",
        COMPLETE: "not covered by this requirement",
        ON_WIRES: "cycle 1 was in S4: The sleep began as S3 and became S4",
        TO_OS: "cycle 1 is S4 to it",
        DOZES: "The sleep began as S3 and became S4",
        STAYS: "did not stay asleep for 6.000 s",
        LID: "cycle 1 woke alone",
        LID_LIGHT: UNMEASURED,
    },
    "late-display": {COMPLETE: "The OS counts its resume as complete"},
    "hidden-before-s3": {HIDDEN: "longer on its way to sleep than the OS reports"},
    "pwm-panel": {TIMED: "its light timed to ±1.000 ms"},
}


def table() -> str:
    """Return the table of the docs."""
    rows = ["| DUT profile | test that fails | by the words |", "|---|---|---|"]
    for profile, failures in EXPECTED.items():
        if not failures:
            rows.append(f"| `{profile}` | none | |")
        for test, words in failures.items():
            rows.append(f"| `{profile}` | {test} | {words} |")
    return "\n".join(rows) + "\n"


def with_table(page: str) -> str:
    """Return the page with the table as it is now."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{table()}{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text("utf-8")), "utf-8")
