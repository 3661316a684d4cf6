"""When a campaign ends before its plan does: rules over what became of its cycles. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from resume_rig.analysis.stats.figures import CYCLES_MOST, cycles_needed, failure_rate_upper
from resume_rig.model.result.cycle import FAILED, NO_ANSWER, Outcome
from resume_rig.model.units import count_of, percent_up, seconds_text


@dataclass(frozen=True, slots=True)
class StopRules:
    """Rules; those that are None stop nothing.

    Attributes:
        failures: so many cycles in which the DUT failed (`model.result.cycle.FAILED`).
        time_ns: so long spent in cycles, all sessions together.
        failure_rate: the failure rate is shown to be at most this, 0..1, at `confidence`.
        confidence: 0..1.
        recoveries: the DUT was brought back so often.
    """

    failures: int | None = None
    time_ns: int | None = None
    failure_rate: float | None = None
    confidence: float = 0.95
    recoveries: int | None = None

    @property
    def any(self) -> bool:
        """Whether there is a rule at all."""
        rules = (self.failures, self.time_ns, self.failure_rate, self.recoveries)
        return any(rule is not None for rule in rules)

    def rate_words(self) -> str:
        """Return what is to be shown of the failure rate, in words; empty without that rule."""
        if self.failure_rate is None:
            return ""
        sure = f"with {self.confidence * 100:g} % confidence"
        return f"that at most {self.failure_rate * 100:g} % fail {sure}"


NO_RULES = StopRules()


def cycles_for_rate(rules: StopRules) -> int:
    """Return how many cycles without a failure the rule of the failure rate needs, or more.

    0 without it.
    """
    if rules.failure_rate is None:
        return 0
    try:
        return cycles_needed(rules.failure_rate, rules.confidence)
    except ValueError:
        return CYCLES_MOST


def why_stop(
    rules: StopRules, outcomes: Mapping[Outcome, int], spent_ns: int, recoveries: int = 0
) -> str | None:
    """Return which rule ends the campaign, in a sentence without a full stop; None to go on.

    Args:
        rules: of the plan.
        outcomes: how many cycles came to which.
        spent_ns: in cycles.
        recoveries: how often the DUT was brought back, or tried to be.
    """
    answered = sum(count for outcome, count in outcomes.items() if outcome not in NO_ANSWER)
    failed = sum(count for outcome, count in outcomes.items() if outcome in FAILED)
    if rules.failures is not None and failed >= rules.failures:
        return f"{count_of(failed, 'cycle')} failed, and the plan stops at {rules.failures}"
    if rules.recoveries is not None and recoveries >= rules.recoveries:
        return (
            f"the DUT had to be brought back {recoveries} times, and the plan stops at "
            f"{rules.recoveries}"
        )
    if rules.failure_rate is not None and answered:
        upper = failure_rate_upper(failed, answered, rules.confidence)
        if upper <= rules.failure_rate:
            return (
                f"after {count_of(answered, 'cycle')} with {failed} failed, at most "
                f"{percent_up(upper)} fail with {rules.confidence * 100:g} % confidence, and the "
                f"plan asks for {rules.failure_rate * 100:g} %"
            )
    if rules.time_ns is not None and spent_ns >= rules.time_ns:
        return f"{seconds_text(spent_ns)} were spent in cycles, and the plan ends after that"
    return None
