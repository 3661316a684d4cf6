"""Brings a trial to the command line and holds the answer against the truth."""

import statistics
from collections import Counter
from pathlib import Path
from typing import Any

from world import judge_logs
from world.judgement import NS, Coverage, Judgement, answer
from world.labs import Trial
from world.truths import (
    FAILED,
    FAULTS,
    FIRMWARE,
    MARGIN,
    NEUTRAL,
    SLEPT,
    contradicts,
    hidden_before,
    is_true,
)
from world.unit import Cycle

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
BIOS = {"bios-over-reported", "bios-under-reported"}
RECONCILED = {"press_to_resume_complete_ns", "light_after_complete_ns"}
OUTSIDE = set(INTERVALS) - RECONCILED


def judge(trial: Trial, folder: Path) -> Judgement:
    """Ask about a trial and hold the answer against the truth."""
    found = Judgement(cycles=len(trial.cycles))
    found.own = sum(c.record in trial.present and not c.empty for c in trial.cycles)
    _, document = answer(trial, folder)
    if isinstance(document, str):
        found.refused = document
    elif trial.question == "correlate":
        _correlated(found, trial, document)
    else:
        judge_logs.JUDGES[trial.question](found, trial, document)
    return found


def _correlated(found: Judgement, trial: Trial, document: dict[str, Any]) -> None:
    pairs = _pairs(trial, document["cycles"])
    # PWR_OK stands for an SLP_S3# that is not wired, in the time asleep alone.
    sleeps = any(said["outside"].get("press_to_slp_s3_ns") for _, said in pairs)
    for cycle, said in pairs:
        _pair(found, trial, cycle, said)
        _findings(found, trial, cycle, said)
        _outcome(found, trial, cycle, said)
        if said["matched"]:
            judge_logs.ending(found, cycle, said["inside"] or {})
        if cycle.ended == "resumed":
            _intervals(found, trial, cycle, said, sleeps=sleeps)
    _missed(found, trial, pairs)
    _medians(found, trial, document)
    found.verdict = document["verdict"]
    judge_logs.computers(found, trial, document)
    upper = judge_logs.one_answer(found, trial, document)
    wrong = contradicts(trial, found.verdict, upper)
    if found.verdict in {"PASS", "FAIL"}:
        found.state("verdict", wrong, true=not wrong)
        count = len(document["cycles"])
        found.state("count", "more cycles than there were", true=count <= len(trial.cycles))
    gone = sum(c.ended != "resumed" for c in trial.cycles) - sum(
        c.ended != "resumed" and said["outcome"] not in SLEPT for c, said in pairs
    )
    if gone > 0:
        found.missed["attempts that failed"] += gone


def _pairs(trial: Trial, said: list[dict[str, Any]]) -> list[tuple[Cycle, dict[str, Any]]]:
    """Return true cycles with what is said of them: by their order, where none is missing.

    Otherwise by the length of the sleep, which the wires show and no log is needed for.
    """
    if len(said) == len(trial.cycles):
        return list(zip(trial.cycles, said, strict=True))
    found = []
    left = [cycle for cycle in trial.cycles if cycle.ended != "aborted"]
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
    record = said["record_id"]
    if record is None or not said["matched"] or said["match"]["level"] != "high":
        return
    # A wake without Power-Troubleshooter's record goes by another event of the same sleep.
    right = record in {cycle.record, *cycle.written} and record in trial.shown
    found.right += right and record in trial.present
    found.state("pair", "a record of another cycle", true=right)


def _findings(found: Judgement, trial: Trial, cycle: Cycle, said: dict[str, Any]) -> None:
    for finding in said["findings"]:
        kind = finding["kind"]
        if kind == "suspicion" and finding["evidence"].get("of") in BIOS:
            off = cycle.vector - cycle.reset_rise - cycle.bios_reported
            true = off > 0.3 + MARGIN or off < -MARGIN
            found.state("suspicion", "of an honest BIOS time", true=true)
        if kind in NEUTRAL:
            continue
        of = "firmware" if kind in FIRMWARE else "fault" if kind in FAULTS else "finding"
        found.state(of, kind, true=is_true(trial, cycle, finding))


def _outcome(found: Judgement, trial: Trial, cycle: Cycle, said: dict[str, Any]) -> None:
    outcome = said["outcome"]
    if outcome in FAILED | SLEPT:
        aborted = cycle.ended == "aborted"
        true = outcome == "never-slept" if aborted else outcome not in FAILED
        found.state("outcome", f"{outcome}, and it {cycle.ended}", true=true)


def _intervals(
    found: Judgement, trial: Trial, cycle: Cycle, said: dict[str, Any], *, sleeps: bool
) -> None:
    stated = said["outside"] | (said["reconciled"] or {})
    for name, (begin, end) in INTERVALS.items():
        if name == "asleep_ns" and not sleeps:
            continue
        if stated.get(name) is None:
            continue
        truth, late = getattr(cycle, end) - getattr(cycle, begin), 0.0
        if end == "light" and cycle.lit and name in OUTSIDE:
            truth, late = cycle.lit[0] - getattr(cycle, begin), cycle.lit[1] - cycle.lit[0]
        coverage = found.intervals.setdefault(name, Coverage())
        found.state("bound", name, true=coverage.add(stated[name], truth, late))
    hidden = stated.get("hidden_before_sleep_ns")
    if hidden is not None:
        # What the trigger's acceptance took is not hidden; the unit's own, without what it hides.
        accepted = trial.unit.accept
        coverage = found.intervals.setdefault("hidden_before_sleep_ns", Coverage())
        coverage.add(hidden, hidden_before(cycle) - accepted)


def _missed(found: Judgement, trial: Trial, pairs: list[tuple[Cycle, dict[str, Any]]]) -> None:
    """Count campaigns in which a lie beyond every stated uncertainty went without a finding."""
    matched = [(c, said) for c, said in pairs if said["matched"]]
    n = len(matched)
    for cycle, said in matched:
        off = cycle.vector - cycle.reset_rise - cycle.bios_reported
        lie = off > 1.0 or off < -0.7  # 300 ms of it may be the TSC's start
        if lie and cycle.bios_reported > 0.0 and not any(map(_of_the_bios, said["findings"])):
            found.missed["a BIOS time that is off by 1 s, in cycles"] += 1
    if n < 10:
        return
    # A suspicion names the kind that it is a suspicion of.
    kinds = Counter(
        f["evidence"].get("of", "") if f["kind"] == "suspicion" else f["kind"]
        for _, said in matched
        for f in said["findings"]
    )
    off = [c.vector - c.reset_rise - c.bios_reported for c, _ in matched]
    excess = statistics.median(off)
    # The TSC may start within 300 ms after PLTRST#, and n cycles tell of 1 s / n.
    always = trial.unit.bios_sometimes == 1.0
    if always and excess > 0.35 + 2.0 / n and kinds["bios-under-reported"] < n / 2:
        found.missed["bios-under-reported"] += 1
    impossible = kinds["bios-over-reported"] + kinds["wrong-unit"] + kinds["tsc-not-reset"]
    if always and excess < -0.05 - 2.0 / n and impossible < n / 2:
        found.missed["bios-over-reported"] += 1
    hidden = statistics.median(hidden_before(c) for c, _ in matched)
    if hidden > 0.6 and kinds["hidden-before-sleep"] < n / 2:
        found.missed["hidden-before-sleep"] += 1


def _of_the_bios(finding: dict[str, Any]) -> bool:
    return finding["kind"] in FIRMWARE | {"suspicion"}


def _medians(found: Judgement, trial: Trial, document: dict[str, Any]) -> None:
    cycles = [c for c in trial.cycles if c.doze is None and c.ended == "resumed"]
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
        holds = interval["low_ms"] <= truth <= interval["high_ms"]
        found.campaign[f"median of {name}"] = holds
