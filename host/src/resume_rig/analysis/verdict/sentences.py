"""Sentences that a log and a campaign share: what a verdict rests on."""

from collections.abc import Sequence

from resume_rig.analysis.reconcile.terms import VALUE_BOUND_MS
from resume_rig.analysis.stats.figures import failure_rate_upper
from resume_rig.model.os_record import SleepKind
from resume_rig.model.result.judgement import LimitJudgement
from resume_rig.model.result.requirement import RESUME, Requirement
from resume_rig.model.result.series import Training
from resume_rig.model.result.verdict import Verdict
from resume_rig.model.units import count_of, percent_up

RESUME_BOUND_MS = 2 * VALUE_BOUND_MS


def limit_clauses(limits: Sequence[LimitJudgement]) -> list[str]:
    """Return a clause for each required limit but that on BIOS + drivers, which has a sentence.

    Beside others it has a clause, too, where no judged cycle has a value for it.
    """
    required = [each for each in limits if each.limit.required]
    others = [each for each in required if each.limit.measure != RESUME or each.limit.share]
    without = [each for each in required if each not in others and not each.n] if others else []
    return [each.why for each in (*without, *others)]


def training_sentence(training: Training) -> str:
    """Return which boots of a series the prefetcher learnt in."""
    runs = "boot was" if training.runs == 1 else f"{training.runs} boots were"
    span = f"{training.first_ms:.0f}"
    if training.runs > 1:
        span += f" to {training.last_ms:.0f}"
    return (
        f"the first {runs} slower ({span} ms, then {training.trained_ms:.0f} ms): the boot"
        " prefetcher was still learning"
    )


def hybrid_lead(judged: Sequence[SleepKind], requirement: Requirement) -> str:
    """Return the lead of a sentence on judged resumes where hybrid sleeps stand among S3; or "".

    Args:
        judged: the kind of each sleep that counts.
        requirement: what they were judged against.
    """
    hybrid, plain = judged.count(SleepKind.HYBRID), judged.count(SleepKind.S3)
    if not hybrid or SleepKind.S3 not in requirement.kinds:
        return ""
    sleeps = f"{count_of(hybrid, 'hybrid sleep')}, which "
    sleeps += "resumes from S3, is judged" if hybrid == 1 else "resume from S3, are judged"
    return f"{sleeps} with {plain} S3: " if plain else f"no S3 here; {sleeps}: "


def resume_sentence(limits: Sequence[LimitJudgement], requirement: Requirement) -> list[str]:
    """Say what the judged resumes are against the limit on BIOS + drivers, if there is one."""
    for each in limits:
        is_resume = each.limit.measure == RESUME and each.limit.share is None
        if is_resume and each.limit.required and each.worst is not None:
            passed = each.n - each.failed - each.marginal
            verdicts = [Verdict.PASS] * passed + [Verdict.FAIL] * each.failed
            verdicts += [Verdict.MARGINAL] * each.marginal
            worst_ms = round(each.worst)
            said = verdict_sentence(
                verdicts,
                worst_ms,
                requirement,
                broken=each.broken,
                hidden=each.hidden,
                undecided=each.undecided,
            )
            return [each.evidence, said] if each.evidence else [said]
    return []


def verdict_sentence(
    verdicts: Sequence[Verdict],
    worst_ms: int,
    requirement: Requirement,
    *,
    broken: int = 0,
    hidden: int = 0,
    undecided: int = 0,
) -> str:
    """Return what a verdict rests on: counts, the worst, and what the count of failures proves.

    Args:
        verdicts: of the resumes that have a time; one or more.
        worst_ms: the longest of them.
        requirement: what they were judged against.
        broken: resumes that failed without a time.
        hidden: of the MARGINAL ones, those that clock and wires take across the limit.
        undecided: further resumes of which there is no evidence.
    """
    n, limit_ms = len(verdicts), requirement.resume_limit_ms or 0
    failed, marginal = verdicts.count(Verdict.FAIL), verdicts.count(Verdict.MARGINAL)
    resumes = count_of(n, "measured resume" if broken else "judged resume")  # the broken are judged
    if failed:
        over = f"{limit_ms} ms or more" if requirement.limit_fails else f"over {limit_ms} ms"
        text = f"{failed} of {resumes} {are(failed)} {over}"
    else:
        within = "below" if requirement.limit_fails else "within"
        text = f"{n - marginal} of {resumes} {are(n - marginal)} {within} "
        text += f"{limit_ms} ms"
    if marginal > hidden:
        text += f", {marginal - hidden} within {RESUME_BOUND_MS} ms of it and so undecided"
    if hidden:
        text += f", {hidden} undecided because BIOS time that was not reported takes "
        text += "it across" if hidden == 1 else "them across"
    text += f"; the worst took {worst_ms} ms"
    upper = _failures_upper([*verdicts, *[Verdict.FAIL] * broken], undecided)
    if upper is None or upper >= 1:
        return text  # all failed: a bound of 100 % says nothing
    counted = " (undecided ones counted as failed)" if marginal else ""
    if undecided:
        counted = f" ({undecided} without evidence counted as failed)"
        if marginal:
            counted = f" (undecided ones and {undecided} without evidence counted as failed)"
    return f"{text}; upper 95 % confidence limit of the failure rate {percent_up(upper)}{counted}"


def _failures_upper(verdicts: Sequence[Verdict], undecided: int = 0) -> float | None:
    """Return the 95 % upper bound on the failure rate; MARGINAL and undecided count as failed."""
    judged = [verdict for verdict in verdicts if verdict is not Verdict.NO_EVIDENCE]
    failed = sum(verdict is not Verdict.PASS for verdict in judged) + undecided
    n = len(judged) + undecided
    return failure_rate_upper(failed, n, 0.95) if judged else None


def are(n: int) -> str:
    """Return the verb for a count."""
    return "is" if n == 1 else "are"
