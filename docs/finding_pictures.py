"""A picture for each finding: one cycle that has it, drawn as the report draws it.

The cycles are those of simulated campaigns that have one thing wrong, and of captures that were
written by hand. Each page says what to run, so that a reader sees the same on the own screen.
"""

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from resume_rig.acceptance.assessment import Assessed, assess_store
from resume_rig.analysis.answer.campaign import answered_campaign
from resume_rig.analysis.reconcile.milestones import (
    trigger_word,
)
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.campaign.answer.assessment import assess_capture, captured_cycles
from resume_rig.campaign.store.read_back import recorded_cycles
from resume_rig.model.result.cycle import ReconciledCycle
from resume_rig.model.result.verdict import FindingKind
from resume_rig.oslog.reading import read_logs
from resume_rig.report.drawing.palette import css_variables
from resume_rig.report.drawing.phases import PhaseLimits, phase_picture
from resume_rig.report.drawing.wave import wave_picture
from resume_rig.rig.capture.csv_capture import TimeColumn
from resume_rig.rig.capture.reading import read_capture

ROOT: Final = Path(__file__).resolve().parent.parent
LOG: Final = ROOT / "fixtures" / "logs" / "two-s3-cycles.xml"
TEMPLATES: Final = ROOT / "host" / "src" / "resume_rig" / "report" / "templates"

K = FindingKind


@dataclass(frozen=True, slots=True)
class Played:
    """A simulated campaign.

    Attributes:
        kinds: findings that it shows.
        words: of `resume-rig run`, beside rig and store.
        rig: more of the rig's URL.
        files: that the words and the rig name, each with its text.
        seed: of all chance.
    """

    kinds: tuple[FindingKind, ...]
    words: str
    rig: str = ""
    files: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    seed: int = 7

    @property
    def url(self) -> str:
        """The simulated bench."""
        faults = ",faults=faults.toml" if "faults.toml" in self.files else ""
        return f"sim:clock=virtual,seed={self.seed}{self.rig}{faults}"


@dataclass(frozen=True, slots=True)
class Captured:
    """A capture of one cycle.

    Attributes:
        kinds: findings that it shows.
        what: differs from a cycle that is as it should be.
        less: edges of that cycle that are not there: their moment, in ms, and their line.
        more: edges that are there beside: moment, line, level.
    """

    kinds: tuple[FindingKind, ...]
    what: str
    less: tuple[tuple[float, str], ...] = ()
    more: tuple[tuple[float, str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Picture:
    """What a page shows of one finding.

    Attributes:
        svg: the drawing, a file of its own; "" where no line moved in the whole cycle.
        says: the finding's sentence.
        made: how to make it, in Markdown.
    """

    svg: str
    says: str
    made: str


def _dut(title: str, *lines: str, base: str = "healthy-laptop") -> dict[str, str]:
    """Return a DUT profile as the file `dut.toml`."""
    return {"dut.toml": "\n".join((f'base = "{base}"', f'title = "{title}"', *lines, ""))}


def _faults(*lines: str) -> dict[str, str]:
    return {"faults.toml": "\n".join((*lines, ""))}


_LADDER: Final = ("[recovery]", "wait_ms = 4000", "off_ms = 1000", "boot_ms = 5000")

_STRETCHED: Final = (
    "[timing.button_to_slp_s3]",
    "median_ms = 1500",
    "sigma = 0",
    "min_ms = 1500",
    "max_ms = 1500",
)
_SLOW_BIOS: Final = (
    "[timing]",
    "bios_init = { median_ms = 800, sigma = 0.03, min_ms = 720, max_ms = 900 }",
    "pltrst_to_light = { median_ms = 1215, sigma = 0.02, min_ms = 1120, max_ms = 1350 }",
    "[behaviour]",
)
_ALWAYS: Final = "--dut dut.toml --cycles 6"
_BY_ITSELF: Final = (
    "[[fault]]",
    'kind = "never-sleeps"',
    "at_s = [11]",
    "for_s = 8",
    "[[fault]]",
    'kind = "dark"',
    "at_s = [90]",
    "for_s = 10",
    "[[fault]]",
    'kind = "never-wakes"',
    "at_s = [150]",
    "for_s = 40",
    "[[fault]]",
    'kind = "wakes-alone"',
    "at_s = [230]",
    "for_s = 8",
)

CAMPAIGNS: Final = (
    Played(
        (K.NEVER_SLEPT, K.NEVER_WOKE, K.DARK, K.WAKE_NOT_OURS),
        "--dut dut.toml --cycles 10",
        files=_dut("Laptop that errs", *_LADDER) | _faults(*_BY_ITSELF),
    ),
    Played(
        (K.HUNG,),
        "--dut dut.toml --cycles 2",
        files=_dut("Laptop that never wakes", "[recovery]", 'steps = ["press"]')
        | _faults("[[fault]]", 'kind = "never-wakes"', "at_s = [11]", "for_s = 200"),
    ),
    Played((K.WRONG_STATE,), "--dut hibernates --cycles 3"),
    Played((K.WOKE_LATE,), "--dut late-wake --cycles 26", seed=3),
    Played(
        (K.NOT_SETTLED,),
        "--plan plan.toml",
        files={"plan.toml": 'cycles = 3\nsettle = "adaptive"\nsettle_limit_s = 15\n'}
        | _faults("[[fault]]", 'kind = "no-record"', "at_s = [1]", "for_s = 600"),
    ),
    Played(
        (K.RECORD_MISSING,),
        "--dut dut.toml --cycles 12",
        files=_dut("Laptop that records little", "[behaviour]", "record_missing_share = 0.2"),
    ),
    Played((K.COMMAND_FAILED,), "--wake-by timer --sleep-command false --cycles 1"),
    Played((K.WAKE_NOT_ARMED,), "--dut wakes-by-nothing-else --wake-by keyboard --cycles 2"),
    Played((K.DOZED,), "--dut doze-to-s4 --dwell 8s --cycles 3"),
    Played(
        (K.HELD_OFF,),
        "--dut dut.toml --plan plan.toml",
        files=_dut("Laptop whose SLP_S4# is stretched", *_STRETCHED)
        | {"plan.toml": "cycles = 3\ndwell_s = 1\nshort_dwell = true\n"},
    ),
    Played((K.STATE_MISMATCH,), "--dut fake-s3 --cycles 3"),
    Played((K.S0_POWER_ASLEEP,), "--dut fake-s3 --cycles 4", rig=",power=ina226"),
    Played((K.DRAINS_ASLEEP,), "--dut drains --state modern-standby --dwell 30s --cycles 2"),
    Played((K.DEVICE_CHANGED, K.NEW_ERRORS), "--dut loses-devices --health --cycles 4"),
    Played(
        (K.LINK_LOST,),
        "--dut dut.toml --health --cycles 2",
        files=_dut("Laptop whose Wi-Fi stays away", "[behaviour]", "link_late_ms = 90000"),
    ),
    Played(
        (K.DOUBLE_RESET,),
        _ALWAYS,
        files=_dut(
            "Desktop that is reset twice",
            "[behaviour]",
            "double_reset_share = 1.0",
            base="healthy-desktop",
        ),
    ),
    Played(
        (K.RECORD_ABORTED,),
        _ALWAYS,
        files=_dut("Laptop whose records are empty", "[behaviour]", "record_aborted_share = 0.5"),
    ),
    Played(
        (K.NOT_MEASURED,),
        _ALWAYS,
        files=_dut("Laptop that claims Modern Standby", "[behaviour]", 'claims = "modern-standby"'),
    ),
    Played(
        (K.RECORD_DOUBLED,),
        _ALWAYS,
        files=_dut("Laptop that records twice", "[behaviour]", "record_doubled_share = 1.0"),
    ),
    Played(
        (K.CLOCK_STEP,),
        "--dut dut.toml --cycles 16",
        files=_dut(
            "Laptop whose clock is set",
            "[behaviour]",
            "clock_step_share = 0.15",
            "clock_step_ms = 4321",
        ),
    ),
    Played(
        (K.WAKE_SOURCE_MISMATCH,),
        _ALWAYS,
        files=_dut("Laptop that names a timer", "[behaviour]", "wake_source_type = 6"),
    ),
    Played((K.HIDDEN_BEFORE_SLEEP,), "--dut hidden-before-s3 --cycles 5"),
    Played((K.BIOS_NOT_REPORTED,), "--dut bios-reports-zero --cycles 4"),
    Played((K.TSC_NOT_RESET,), "--dut tsc-not-reset --cycles 5"),
    Played(
        (K.WRONG_UNIT,),
        _ALWAYS,
        files=_dut("Laptop that counts in µs", "[behaviour]", "bios_factor = 1000.0"),
    ),
    Played(
        (K.BIOS_UNDER_REPORTED,),
        "--dut dut.toml --cycles 10",
        files=_dut("Laptop that reports too little", *_SLOW_BIOS, "bios_factor = 0.3"),
    ),
    Played(
        (K.BIOS_OVER_REPORTED,),
        "--dut dut.toml --cycles 10",
        files=_dut("Laptop that reports too much", *_SLOW_BIOS, "bios_factor = 1.8"),
    ),
    Played(
        (K.SUSPICION,),
        "--dut dut.toml --cycles 10",
        files=_dut(
            "Laptop that reports too little, beside a time service",
            "clock_slew_max_ppm = 31250",
            *_SLOW_BIOS,
            "bios_factor = 0.75",
        ),
    ),
    Played((K.FIRMWARE_DISAGREES,), "--dut fpdt-in-ticks --cycles 6"),
    Played(
        (K.AVERAGE_RESUME_WRONG,),
        _ALWAYS,
        files=_dut("Laptop that averages wrongly", "[behaviour]", "average_factor = 1.5"),
    ),
    Played(
        (K.RESUME_COUNT_STUCK,),
        _ALWAYS,
        files=_dut("Laptop that counts no resume", "[behaviour]", "resume_count_runs = false"),
    ),
    Played(
        (K.LIT_BEFORE_OS,),
        _ALWAYS,
        files=_dut("Laptop that is lit by its firmware", "[behaviour]", "lit_by_firmware = true"),
    ),
    Played(
        (K.COMPLETE_BEFORE_LIGHT, K.UNEXPLAINED),
        "--dut dut.toml --cycles 20",
        files=_dut(
            "Laptop whose display is late",
            "[behaviour]",
            "light_late_share = 0.1",
            "light_late_ms = 3000",
        ),
    ),
    Played((K.BIOS_OVER_ADVISED,), "--dut slow-bios --cycles 4"),
    Played(
        (K.OVERRUN, K.BOARD_REBOOTED),
        "--cycles 9",
        files=_faults(
            "[[fault]]",
            'kind = "board-reset"',
            "at_s = [19]",
            "[[fault]]",
            'kind = "ring-overrun"',
            "at_s = [35]",
        ),
    ),
    Played(
        (K.LEASE_EXPIRED, K.LIGHT_NOT_TIMED),
        "--sleep-by lid --wake-by lid --cycles 4",
        files=_faults("[[fault]]", 'kind = "host-pause"', "at_s = [13]", "for_s = 40"),
    ),
)

_CYCLE: Final = (
    (0, "PWRBTN#", 0),
    (150, "PWRBTN#", 1),
    (700, "BACKLIGHT", 0),
    (1500, "PLTRST#", 0),
    (1501, "SLP_S3#", 0),
    (1511, "PWR_OK", 0),
    (6000, "PWRBTN#", 0),
    (6048, "SLP_S3#", 1),
    (6108, "PWR_OK", 1),
    (6150, "PWRBTN#", 1),
    (6158, "PLTRST#", 1),
    (7500, "BACKLIGHT", 1),
)
"""A cycle as it should be: moments in ms, lines, levels. All lines begin high."""

_FROM_MS: Final = 1000
_UNTIL_MS: Final = 30_000
"""The capture goes on so long that nothing is open at its end."""

CAPTURES: Final = (
    Captured(
        (K.TRIGGER_UNCLEAR,),
        "the button is pressed twice before the wake",
        more=((4000, "PWRBTN#", 0), (4150, "PWRBTN#", 1)),
    ),
    Captured(
        (K.LIT_ASLEEP,),
        "the backlight is on for a second of the sleep",
        more=((3000, "BACKLIGHT", 1), (4000, "BACKLIGHT", 0)),
    ),
    Captured(
        (K.GLITCH,),
        "SLP_S3# is high for 20 µs in the sleep, as of a loose contact",
        more=((4000, "SLP_S3#", 1), (4000.02, "SLP_S3#", 0)),
    ),
    Captured(
        (K.REBOOTED,),
        "power comes back for 0.3 s, and a reset takes it away down to S4",
        less=((7500, "BACKLIGHT"),),
        more=(
            (6300, "PLTRST#", 0),
            (6400, "SLP_S3#", 0),
            (6400.03, "SLP_S4#", 0),
            (6410, "PWR_OK", 0),
            (10_400, "SLP_S4#", 1),
            (10_400.03, "SLP_S3#", 1),
            (10_500, "PWR_OK", 1),
            (10_600, "PLTRST#", 1),
            (12_400, "BACKLIGHT", 1),
        ),
    ),
    Captured((K.EDGE_LOST,), "SLP_S3# has no rising edge", less=((6048, "SLP_S3#"),)),
    Captured(
        (K.WRONG_POLARITY,),
        "SLP_S3# is recorded the wrong way up",
        less=((1501, "SLP_S3#"), (6048, "SLP_S3#")),
        more=((-990, "SLP_S3#", 0), (1501, "SLP_S3#", 1), (6048, "SLP_S3#", 0)),
    ),
    Captured(
        (K.ODD_LEVELS,),
        "PLTRST# stays high",
        less=((1500, "PLTRST#"), (6158, "PLTRST#")),
    ),
)


_OF_TIMES: Final = frozenset(
    (
        *(K.BIOS_NOT_REPORTED, K.BIOS_UNDER_REPORTED, K.BIOS_OVER_REPORTED, K.BIOS_OVER_ADVISED),
        *(K.WRONG_UNIT, K.TSC_NOT_RESET, K.FIRMWARE_DISAGREES, K.AVERAGE_RESUME_WRONG),
        *(K.RESUME_COUNT_STUCK, K.LIT_BEFORE_OS, K.COMPLETE_BEFORE_LIGHT, K.UNEXPLAINED),
    )
)
"""Findings that the times of the OS and of the wires show, on one axis; all others: the wires."""


_NO_TRACE: Final = Picture(
    "",
    "This cycle has no trace of its sleep: wpr -start ended with status 0x5 on the DUT.",
    "Run a campaign with `--trace wpr` on a DUT whose user is no administrator.",
)


def pictures() -> Iterator[tuple[FindingKind, Picture]]:
    """Yield a picture of each finding.

    Raises:
        SystemExit: a campaign or a capture does not show what it is here for, or a finding has
            neither.
    """
    drawn: set[FindingKind] = set()
    with tempfile.TemporaryDirectory() as made:
        for number, shown in enumerate((*CAMPAIGNS, *CAPTURES)):
            folder = Path(made, str(number))
            folder.mkdir()
            played = (
                _played(shown, folder) if isinstance(shown, Played) else _captured(shown, folder)
            )
            for kind in shown.kinds:
                yield kind, _picture(kind, played, _made(shown))
                drawn.add(kind)
    yield K.NO_TRACE, _NO_TRACE
    missing = set(FindingKind) - drawn - {K.NO_TRACE}
    if missing:
        raise SystemExit(f"make docs: no picture of {', '.join(sorted(missing))}")


def _played(shown: Played, folder: Path) -> Assessed:
    for name, text in shown.files.items():
        (folder / name).write_text(text, encoding="utf-8")
    words = ("run", "--rig", shown.url, "--out", "store.rrs", *shown.words.split())
    command = (sys.executable, "-m", "resume_rig", *words)
    done = subprocess.run(
        command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    store = folder / "store.rrs"
    if not store.exists():
        raise SystemExit(f"make docs: no campaign of {shown.kinds[0]}: {done.stderr.strip()}")
    return assess_store(store, load_requirement("sysfund-0004"), report=None)


def _captured(shown: Captured, folder: Path) -> Assessed:
    path = folder / "capture.csv"
    path.write_text(_csv(shown), encoding="utf-8")
    capture = read_capture(path, {}, TimeColumn("", ""))
    correlation, facts = assess_capture(
        path,
        capture,
        read_logs([LOG]),
        requirement=load_requirement("sysfund-0004"),
        dut=None,
        report_path=None,
    )
    return Assessed(answered_campaign(correlation, facts), capture=capture)


def _csv(shown: Captured) -> str:
    less = set(shown.less)
    kept = [edge for edge in _CYCLE if edge[:2] not in less]
    levels = {line: 1 for _, line, _ in (*_CYCLE, *shown.more)}
    rows = [f"time [ms],{','.join(levels)}", _row(0, levels)]
    for ms, line, level in sorted((*kept, *shown.more)):
        levels[line] = level
        rows.append(_row(_FROM_MS + ms, levels))
    return "\n".join((*rows, _row(_UNTIL_MS, levels), ""))


def _row(ms: float, levels: Mapping[str, int]) -> str:
    return ",".join((f"{ms:g}", *map(str, levels.values())))


def _picture(kind: FindingKind, assessed: Assessed, made: str) -> Picture:
    cycle = _cycle_with(kind, assessed.correlation.cycles)
    says = next(finding.text for finding in cycle.findings if finding.kind is kind)
    svg = _phases(cycle, assessed) if kind in _OF_TIMES else _wave(cycle, assessed)
    return Picture(svg, says, made)


def _cycle_with(kind: FindingKind, cycles: Iterable[ReconciledCycle]) -> ReconciledCycle:
    for cycle in cycles:
        if any(finding.kind is kind for finding in cycle.findings):
            return cycle
    raise SystemExit(f"make docs: no cycle of the campaign of {kind} has it")


def _wave(cycle: ReconciledCycle, assessed: Assessed) -> str:
    number = cycle.outside.number
    if assessed.store is None:
        wires = captured_cycles(assessed.capture, assessed.correlation.cycles, {number})
    else:
        wires = recorded_cycles(assessed.store, {number})
    picture = wave_picture(next(iter(wires)))
    return "" if picture is None else _alone(_macro("failures.html.j2", "wave", picture))


def _phases(cycle: ReconciledCycle, assessed: Assessed) -> str:
    """Return the cycle's times, measured and reported, on one axis."""
    limits = PhaseLimits(
        assessed.facts.requirement.resume_limit_ms, reset_to_tsc=assessed.facts.reset_to_tsc
    )
    picture = phase_picture([("shown", "", cycle)], trigger_word({cycle.outside.wake_by}), limits)
    return _alone(_macro("first.html.j2", "phases", picture))


def _macro(template: str, name: str, picture: object) -> str:
    """Return what a template of the reports makes of a picture."""
    environment = Environment(
        loader=PackageLoader("resume_rig.report", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    module = environment.get_template(template).make_module({})
    return str(Markup(getattr(module, name)(picture)))


# As in base.html.j2, which draws them once a page.
_HATCHES: Final = "".join(
    f'<pattern id="hatch-{name}" width="7" height="7" patternUnits="userSpaceOnUse"'
    ' patternTransform="rotate(45)"><rect class="hatch-ground" width="7" height="7"/>'
    f'<line class="{name}-line" x1="0" y1="0" x2="0" y2="7"/></pattern>'
    for name in ("hidden", "unknown")
)


def _alone(page: str) -> str:
    """Return the drawing of a page's part as a file that stands by itself."""
    found = re.search(r'<svg class="figure.*?</svg>', page, re.DOTALL)
    if found is None:
        raise SystemExit("make docs: a template of the reports draws no figure")
    style = css_variables() + (TEMPLATES / "style.css").read_text("utf-8")
    begins, _, rest = found[0].partition(">")
    return (
        f'{begins} xmlns="http://www.w3.org/2000/svg">\n<style>\n{style}'
        f"svg.figure {{ background: var(--paper); }}\n</style>\n<defs>{_HATCHES}</defs>\n{rest}\n"
    )


def _made(shown: Played | Captured) -> str:
    if isinstance(shown, Captured):
        return f"A capture of one cycle, written by hand: {shown.what}."
    files = "\n\n".join(
        f"`{name}`:\n\n```toml\n{text.rstrip()}\n```" for name, text in shown.files.items()
    )
    run = f"```\nresume-rig run --rig {shown.url} {shown.words} --out example.rrs\n```"
    return f"A simulated cycle. To see it in a report:\n\n{run}" + (f"\n\n{files}" if files else "")
