"""Holds answers about logs alone against the truth: `log`, `fleet`, `compare`."""

from collections.abc import Callable
from typing import Any

from world.judgement import Judgement
from world.labs import Trial
from world.truths import contradicts, possible
from world.unit import Cycle

BOOTS = {"boot", "shutdown", "fast-startup"}  # kinds that are no sleep


def attempts(trial: Trial) -> range:
    """Return how many sleeps a log shows; a doze may count as one, or with its S4 as two."""
    least = len(trial.cycles) if trial.attempts is None else trial.attempts
    return range(least, least + sum(c.doze is not None for c in trial.cycles) + 1)


def computers(found: Judgement, trial: Trial, document: dict[str, Any]) -> None:
    """Hold the computers that an answer names against the truth, where it names any."""
    cycles = document.get("cycles", ())
    named = {c.get("computer") or (c.get("inside") or {}).get("computer") for c in cycles}
    named -= {None, ""}
    # Without a verdict, cycles without a record may be of one that is not named.
    if len(named) < trial.computers and (not named or document["verdict"] == "NO-EVIDENCE"):
        if trial.computers > 1:
            found.missed["computers"] += 1
    elif named:
        found.state("computers", f"{len(named)}", true=len(named) == trial.computers)


def one_answer(found: Judgement, trial: Trial, document: dict[str, Any]) -> float | None:
    """Hold the one answer against document and truth; return the failure rate's upper limit.

    Tools without that value state the limit with the statistics.
    """
    rate = document["statistics"]["failure_rate"] or {"upper_95": None}
    told = document.get("answer")
    if not isinstance(told, dict):
        return rate["upper_95"]
    same = told["verdict"] == document["verdict"]
    found.state("verdict", "the answer and the document disagree", true=same)
    about = told["about"]["computers"]
    if about and told["verdict"] != "NO-EVIDENCE":
        found.state("computers", f"about {len(about)}", true=len(about) == trial.computers)
    if trial.question == "log":
        found.state("count", "total", true=told["counts"]["total"] in attempts(trial))
    return (told["failures"] or {"rate_upper": None})["rate_upper"]


# How an attempt may be said to have ended; a death in sleep and a boot look alike.
ENDINGS = {
    "resumed": {"resumed"},
    "aborted": {"refused"},
    "boot": {"became-boot"},
    "died": {"died", "became-boot"},
}


def ending(found: Judgement, cycle: Cycle, said: dict[str, Any]) -> None:
    """Hold the stated end of an attempt against the truth, where one is stated."""
    how = said.get("ending")
    if how is not None and cycle.doze is None:
        true = how in ENDINGS[cycle.ended]
        found.state("ending", f"{how}, and it {cycle.ended}", true=true)


def _log(found: Judgement, trial: Trial, document: dict[str, Any]) -> None:
    sleeps = [c for c in document["cycles"] if c["kind"] not in BOOTS]
    computers(found, trial, document)
    true = attempts(trial)
    found.state("count", "sleeps", true=len(sleeps) in true)
    if all(source["integrity"]["ok"] for source in document["sources"]):
        found.state("complete", "and sleeps are missing", true=len(sleeps) >= true.start)
    if len(sleeps) < true.start:
        found.missed["sleeps"] += true.start - len(sleeps)
    failed = trial.failed + sum(c.ended != "resumed" for c in trial.cycles)
    seen = sum(c.get("resume_ms") is None for c in sleeps)
    if failed > seen:
        found.missed["attempts that failed"] += failed - seen
    _each(found, trial, sleeps)
    _rates(found, trial, document)
    found.verdict = document["verdict"]
    upper = one_answer(found, trial, document)
    if found.verdict in {"PASS", "FAIL"}:
        wrong = contradicts(trial, found.verdict, upper)
        found.state("verdict", wrong, true=not wrong)


def _each(found: Judgement, trial: Trial, sleeps: list[dict[str, Any]]) -> None:
    """Hold each judged time against what happened, where the record excludes it by itself."""
    of = {record: c for c in trial.cycles for record in c.written}
    for said in sleeps:
        cycle = of.get(said["record_id"])
        if cycle is not None:
            ending(found, cycle, said)
        if cycle is None or not said["judged"] or said["verdict"] not in {"PASS", "FAIL"}:
            continue
        found.state("judged", "an impossible BIOS time is judged", true=possible(cycle))


def _rates(found: Judgement, trial: Trial, document: dict[str, Any]) -> None:
    rate = document["statistics"]["failure_rate"]
    if trial.failing is not None and rate and rate["upper_95"] is not None:
        found.campaign["upper limit of the failure rate"] = rate["upper_95"] >= trial.failing
    for series in document["statistics"]["series"]:
        if series["measure"] != "resume_ms":
            continue
        for name, interval in (
            ("median_ms", series["median_interval"]),
            ("mean_ms", series["mean_interval"]),
        ):
            if name not in trial.process or not interval or interval["low_ms"] is None:
                continue
            if interval["high_ms"] is None:
                continue
            # The log has whole milliseconds, of which each is cut, not rounded.
            low, high = interval["low_ms"] - 0.1, interval["high_ms"] + 1.1
            found.campaign[f"process: {name}"] = low <= trial.process[name] <= high


def _fleet(found: Judgement, trial: Trial, document: dict[str, Any]) -> None:
    groups = document["groups"]
    units = {campaign["unit"] for group in groups for campaign in group["campaigns"]}
    found.verdict = document["verdict"]
    found.state("computers", f"{len(units)}", true=len(units) == trial.computers)
    judged = sum(group["failures"]["n"] for group in groups)
    undecided = sum(group["failures"]["undecided"] for group in groups)
    true = attempts(trial)
    found.state("count", "sleeps", true=judged + undecided in true)
    odd = {one["unit"] if isinstance(one, dict) else one for g in groups for one in g["odd"]}
    for unit in sorted(units):
        if unit in odd:
            found.state("odd unit", "a unit like the others", true=unit in trial.odd)
    found.stated["odd unit"] += len(units - odd)
    if trial.odd - odd:
        found.missed["odd unit"] += len(trial.odd - odd)


def _compare(found: Judgement, trial: Trial, document: dict[str, Any]) -> None:
    """A change of 5 % of the base matters."""
    found.verdict = document["answer"]
    wrong = ""
    if found.verdict == "REGRESSION" and trial.slower <= 0.0:
        wrong = "REGRESSION, and nothing was changed"
    elif found.verdict == "NO-REGRESSION" and trial.slower >= 0.05:
        wrong = "NO-REGRESSION, and the candidate is slower"
    if found.verdict in {"REGRESSION", "NO-REGRESSION"}:
        found.state("verdict", wrong, true=not wrong)
    if trial.must and found.verdict != trial.must:
        found.missed[f"{trial.must} ({found.verdict})"] += 1
    for effect in document["effects"]:
        if effect["name"] != "resume_ms" or trial.shift_ms is None or effect["low_ms"] is None:
            continue
        if effect["high_ms"] is None:
            continue
        holds = effect["low_ms"] - 1.0 <= trial.shift_ms <= effect["high_ms"] + 1.0
        found.campaign["shift of resume_ms"] = holds


JUDGES: dict[str, Callable[[Judgement, Trial, dict[str, Any]], None]] = {
    "log": _log,
    "fleet": _fleet,
    "compare": _compare,
}
