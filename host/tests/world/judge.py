"""Brings a trial to the command line and holds the answer against the truth."""

import contextlib
import io
import json
import statistics
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from resume_rig.cli.main import main
from world.labs import Trial
from world.unit import Cycle

LIMIT_MS = 2000
NS = 1e9
MARGIN = 0.005  # seconds that a true fact must exceed before the finding that names it is right

# Accusations of the firmware; every other kind is counted beside them.
FIRMWARE = {
    "average-resume-wrong",
    "bios-over-reported",
    "bios-under-reported",
    "double-reset",
    "firmware-disagrees",
    "hidden-before-sleep",
    "lit-before-os",
    "resume-count-stuck",
    "tsc-not-reset",
    "wrong-unit",
}
# Shown of any unit that is slow, and true of it; and what accuses nobody.
ADVICE = {"bios-over-advised", "suspicion"}

INTERVALS: dict[str, tuple[str, str]] = {
    "trigger_to_slp_s3_ns": ("press_sleep", "slp_fall"),
    "asleep_ns": ("slp_fall", "slp_rise"),
    "press_width_ns": ("press_wake", "press_wake_up"),
    "press_to_slp_s3_ns": ("press_wake", "slp_rise"),
    "press_to_pwr_ok_ns": ("press_wake", "power_rise"),
    "slp_s3_to_pwr_ok_ns": ("slp_rise", "power_rise"),
    "pwr_ok_to_pltrst_ns": ("power_rise", "reset_rise"),
    "press_to_pltrst_ns": ("press_wake", "reset_rise"),
    "pltrst_to_light_ns": ("reset_rise", "light"),
    "press_to_light_ns": ("press_wake", "light"),
    "press_to_resume_complete_ns": ("press_wake", "complete"),
    "light_after_complete_ns": ("complete", "light"),
}

RECONCILED = {"press_to_resume_complete_ns", "light_after_complete_ns"}
OUTSIDE = set(INTERVALS) - RECONCILED


@dataclass
class Coverage:
    """How many stated intervals hold the truth."""

    stated: int = 0
    expanded: int = 0
    bound: int = 0

    def add(self, stated: dict[str, int], truth: float) -> None:
        """Count one interval of a value with its widths, in nanoseconds."""
        off = abs(stated["value"] - truth * NS)
        self.stated += 1
        self.expanded += off <= stated["expanded"]
        self.bound += off <= stated["bound"]


@dataclass
class Judgement:
    """What one answer says, against the truth; texts name what is false."""

    cycles: int = 0
    own: int = 0  # cycles whose record is in the log
    certain: int = 0
    wrong: int = 0
    low_wrong: int = 0
    right: int = 0
    false_firmware: Counter[str] = field(default_factory=Counter)
    false_other: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    verdict: str = ""
    contradicts: str = ""
    intervals: dict[str, Coverage] = field(default_factory=dict)
    medians: dict[str, bool] = field(default_factory=dict)  # does its interval hold the truth
    refused: str = ""

    @property
    def lies(self) -> list[str]:
        """What is stated as certain and is false."""
        found = [f"{self.wrong} wrong pairs called certain"] if self.wrong else []
        found += [f"{n} x {kind}, false" for kind, n in sorted(self.false_firmware.items())]
        return found + ([self.contradicts] if self.contradicts else [])


def ask(arguments: list[str]) -> tuple[int, str, str]:
    """Run the command line in this process; return exit status, standard output and error."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main(arguments)
        except SystemExit as left:
            status = left.code
    return (status if isinstance(status, int) else 2), out.getvalue(), err.getvalue()


def answer(trial: Trial, folder: Path) -> tuple[int, dict[str, Any] | str]:
    """Write the trial's files and ask about them; return the document, or the refusal."""
    capture = folder / f"capture.{trial.form}"
    capture.write_text(trial.capture, encoding="utf-8")
    logs = []
    for i, text in enumerate(trial.logs):
        path = folder / f"System-{i}.xml"
        path.write_text(text, encoding="utf-8")
        logs.append(str(path))
    status, out, err = ask(["correlate", str(capture), "--log", *logs, *trial.arguments, "--json"])
    return status, json.loads(out) if out.startswith("{") else (err or out).strip()


def _compare(found: Judgement, trial: Trial, folder: Path) -> None:
    """Compare the trial's logs with a candidate's; a change of 5 % of the base matters."""
    sides = []
    for name, texts in (("base", trial.logs), ("candidate", trial.candidates)):
        paths = [folder / f"{name}-{i}.xml" for i in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text, encoding="utf-8")
        sides += [str(paths[0])] if len(paths) == 1 else [f"--{name}", *map(str, paths)]
    _, out, err = ask(["compare", *sides, "--json"])
    if not out.startswith("{"):
        found.refused = (err or out).strip()
        return
    found.verdict = json.loads(out)["answer"]
    if found.verdict == "REGRESSION" and trial.slower <= 0.0:
        found.contradicts = "REGRESSION, and nothing was changed"
    elif found.verdict == "NO-REGRESSION" and trial.slower >= 0.05:
        found.contradicts = f"NO-REGRESSION, and the candidate is {trial.slower:.0%} slower"


def judge(trial: Trial, folder: Path) -> Judgement:
    """Ask about a trial and hold the answer against the truth."""
    found = Judgement(cycles=len(trial.cycles))
    found.own = sum(c.record in trial.present and not c.empty for c in trial.cycles)
    if trial.candidates:
        _compare(found, trial, folder)
        return found
    _, document = answer(trial, folder)
    if isinstance(document, str):
        found.refused = document
        return found
    pairs = _pairs(trial, document["cycles"])
    # PWR_OK stands for an SLP_S3# that is not wired, in the time asleep alone.
    sleeps = any(said["outside"].get("press_to_slp_s3_ns") for _, said in pairs)
    for cycle, said in pairs:
        _pair(found, trial, cycle, said)
        _findings(found, trial, cycle, said)
        _intervals(found, trial, cycle, said, sleeps=sleeps)
    _missed(found, trial, pairs)
    _medians(found, trial, document)
    _verdict(found, trial, document)
    return found


def _pairs(trial: Trial, said: list[dict[str, Any]]) -> list[tuple[Cycle, dict[str, Any]]]:
    """Return true cycles with what is said of them: by their order, where none is missing.

    Otherwise by the length of the sleep, which the wires show and no log is needed for.
    """
    if len(said) == len(trial.cycles):
        return list(zip(trial.cycles, said, strict=True))
    found = []
    left = list(trial.cycles)
    for document in said:
        asleep = document["outside"].get("asleep_ns")
        if asleep is None:
            continue
        near = [c for c in left if abs((c.slp_rise - c.slp_fall) * NS - asleep["value"]) < 5e6]
        if near:
            found.append((near[0], document))
            left.remove(near[0])
    return found


def _pair(found: Judgement, trial: Trial, cycle: Cycle, said: dict[str, Any]) -> None:
    level, record = said["match"]["level"], said["record_id"]
    if record is None or not said["matched"]:
        return
    right = record == cycle.record and record in trial.present
    if level == "high":
        found.certain += 1
        found.right += right
        found.wrong += not right
    else:
        found.low_wrong += not right


def _hidden_before(cycle: Cycle) -> float:
    """Return what passed between the trigger and SLP_S3# and is in no report."""
    suspend = (cycle.os_asleep - cycle.os_sleep) + cycle.firmware_suspend
    return (cycle.slp_fall - cycle.press_sleep) - suspend


def _under_reported(trial: Trial, cycle: Cycle) -> bool:
    # Time after PLTRST# that is in nobody's report; 300 ms of it are the TSC's start.
    start = max(0.0, cycle.tsc_zero - cycle.reset_rise - 0.3)
    return cycle.bios + start - cycle.bios_reported > MARGIN


def _late_os(trial: Trial, cycle: Cycle) -> bool:
    # What the OS itself took before it read its clock; 300 ms are the TSC's start, as above.
    start = max(0.0, cycle.tsc_zero - cycle.reset_rise - 0.3)
    return cycle.rtc_read - cycle.tsc_zero + start - cycle.bios_reported > MARGIN


def _firmware_disagrees(trial: Trial, cycle: Cycle) -> bool:
    gaps = [c.bios_reported - c.firmware_resume for c in trial.cycles]
    return cycle.bios_reported < cycle.firmware_resume or max(gaps) - min(gaps) > 0.018


def _unexplained(trial: Trial, cycle: Cycle) -> bool:
    rests = [c.light - c.reset_rise - c.reported for c in trial.cycles]
    rest = cycle.light - cycle.reset_rise - cycle.reported
    return abs(rest - statistics.median(rests)) > 0.045


# Garbage is longer than the truth, and is named by what it looks like.
GARBLED = {"uptime": {"tsc-not-reset"}, "us": {"wrong-unit"}, "ns": {"wrong-unit", "tsc-not-reset"}}


def _garbled(kind: str) -> Callable[[Trial, Cycle], bool]:
    return lambda trial, cycle: kind in GARBLED.get(trial.unit.garble, ())


# When a finding is true of a cycle; one that stands not here never is in these scenarios.
TRUTHS: dict[str, Callable[[Trial, Cycle], bool]] = {
    "bios-under-reported": _under_reported,
    "bios-over-reported": lambda trial, cycle: cycle.bios_reported - cycle.bios > MARGIN,
    "firmware-disagrees": _firmware_disagrees,
    "lit-before-os": lambda trial, cycle: cycle.light < cycle.vector,
    # 100 ms are allowed for the trigger's acceptance, and 250 ms are named nothing.
    "hidden-before-sleep": lambda trial, cycle: _hidden_before(cycle) > 0.25,
    "complete-before-light": lambda trial, cycle: cycle.light - cycle.complete > 1.0,
    "unexplained": _unexplained,
    "record-missing": lambda trial, cycle: cycle.empty or cycle.record not in trial.present,
    "record-aborted": lambda trial, cycle: cycle.empty,
    "clock-step": lambda trial, cycle: trial.stepped,
    "glitch": lambda trial, cycle: trial.glitches,
    "wake-not-ours": lambda trial, cycle: not cycle.ours,
    "dozed": lambda trial, cycle: cycle.doze is not None,
    "double-reset": lambda trial, cycle: cycle.false_reset is not None,
    "tsc-not-reset": _garbled("tsc-not-reset"),
    "wrong-unit": _garbled("wrong-unit"),
    "record-doubled": lambda trial, cycle: trial.doubled,
    "not-measured": lambda trial, cycle: cycle.empty,
    "bios-not-reported": lambda trial, cycle: cycle.bios_reported < 0.001,
}


def _findings(found: Judgement, trial: Trial, cycle: Cycle, said: dict[str, Any]) -> None:
    for finding in said["findings"]:
        kind = finding["kind"]
        if kind in ADVICE:
            continue
        true = TRUTHS.get(kind, lambda trial, cycle: False)
        # A finding that names the early OS beside the BIOS is true of either.
        if kind == "bios-under-reported" and "early OS" in finding["evidence"].get("place", ""):
            true = _late_os
        # A mean over a row of cycles speaks of the campaign, not of one cycle.
        of = trial.cycles if finding["evidence"].get("cycles", 1) > 1 else [cycle]
        if not any(true(trial, one) for one in of):
            (found.false_firmware if kind in FIRMWARE else found.false_other)[kind] += 1


def _intervals(
    found: Judgement, trial: Trial, cycle: Cycle, said: dict[str, Any], *, sleeps: bool
) -> None:
    stated = said["outside"] | (said["reconciled"] or {})
    for name, (begin, end) in INTERVALS.items():
        if name == "asleep_ns" and not sleeps:
            continue
        if stated.get(name) is not None:
            truth = getattr(cycle, end) - getattr(cycle, begin)
            found.intervals.setdefault(name, Coverage()).add(stated[name], truth)
    hidden = stated.get("hidden_before_sleep_ns")
    if hidden is not None:
        # What the trigger's acceptance took is not hidden; the unit's own, without what it hides.
        accepted = trial.unit.accept
        coverage = found.intervals.setdefault("hidden_before_sleep_ns", Coverage())
        coverage.add(hidden, _hidden_before(cycle) - accepted)


def _missed(found: Judgement, trial: Trial, pairs: list[tuple[Cycle, dict[str, Any]]]) -> None:
    """Count campaigns in which a lie beyond every stated uncertainty went without a finding."""
    matched = [(c, said) for c, said in pairs if said["matched"]]
    n = len(matched)
    if n < 10:
        return
    kinds = Counter(f["kind"] for _, said in matched for f in said["findings"])
    unit = trial.unit
    if unit.bios_sometimes == 1.0:
        excess = statistics.median(c.vector - c.reset_rise - c.bios_reported for c, _ in matched)
        # The TSC may start within 300 ms after PLTRST#, and n cycles tell of 1 s / n.
        # A time service that may slew the clock leaves room for it: then a suspicion is due.
        noted = kinds["suspicion"]
        if excess > 0.35 + 2.0 / n and kinds["bios-under-reported"] + noted < n / 2:
            found.missed["bios-under-reported"] += 1
        impossible = kinds["bios-over-reported"] + kinds["wrong-unit"] + kinds["tsc-not-reset"]
        if excess < -0.05 - 2.0 / n and impossible + noted < n / 2:
            found.missed["bios-over-reported"] += 1
    hidden = statistics.median(_hidden_before(c) for c, _ in matched)
    if hidden > 0.6 and kinds["hidden-before-sleep"] < n / 2:
        found.missed["hidden-before-sleep"] += 1


def _medians(found: Judgement, trial: Trial, document: dict[str, Any]) -> None:
    cycles = [cycle for cycle in trial.cycles if cycle.doze is None]  # S4 is not judged
    if not cycles:
        return
    for series in document["statistics"]["series"]:
        name, interval = series["measure"], series["median_interval"]
        if name not in INTERVALS or not interval or interval["low_ms"] is None:
            continue
        if interval["high_ms"] is None:
            continue
        begin, end = INTERVALS[name]
        truth = 1e3 * statistics.median(getattr(c, end) - getattr(c, begin) for c in cycles)
        found.medians[name] = interval["low_ms"] <= truth <= interval["high_ms"]


def _verdict(found: Judgement, trial: Trial, document: dict[str, Any]) -> None:
    """Hold PASS against the share of failures that it excludes, FAIL against there being none.

    The requirement speaks of what the OS reports, and a BIOS time that is impossible may be left
    out of it: a verdict is false where neither what was reported nor what happened bears it out.
    Cycles without a record count with what a complete log would have reported.
    """
    found.verdict = document["verdict"]
    cycles = [cycle for cycle in trial.cycles if cycle.doze is None]
    reported = [1e3 * cycle.reported for cycle in cycles] or [0.0]
    happened = [1e3 * (cycle.bios + cycle.driver) for cycle in cycles] or [0.0]
    share = min(sum(t > LIMIT_MS + 2 for t in times) / len(times) for times in (reported, happened))
    slowest = max(*reported, *happened)
    rate = document["statistics"]["failure_rate"]
    if found.verdict == "PASS":
        allowed = rate["upper_95"] if rate["upper_95"] is not None else 1.0
        if not trial.present:
            found.contradicts = "PASS on a foreign log"
        elif share > allowed:
            found.contradicts = f"PASS, at most {allowed:.1%} fail; in truth {share:.1%}"
    elif found.verdict == "FAIL" and slowest < LIMIT_MS - 2 and trial.present:
        found.contradicts = f"FAIL, and the slowest took {slowest:.0f} ms"
    elif found.verdict == "FAIL" and not trial.present:
        found.contradicts = "FAIL on a foreign log"
