"""Why a verdict is what it is, and its sentence of at most twelve words."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from resume_rig.analysis.reconcile.milestones import PRESS
from resume_rig.analysis.verdict.events import event_words, named_events
from resume_rig.analysis.verdict.limits import UPPER, limit_in_unit, value_for
from resume_rig.analysis.verdict.measures import START, Sighting, is_rate, measure_words
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.answer import Assumption, FailureBound, Judged, Reason
from resume_rig.model.result.judgement import LimitJudgement
from resume_rig.model.result.series import FailureRate
from resume_rig.model.result.verdict import RESUME, WHOLE, Comparison, Limit, Verdict
from resume_rig.model.units import NS_PER_MS, TIME_UNITS_NS, percent_up

WORDS_MOST: Final = 12
"""Of a headline."""

Figures = Mapping[str, int | float | str]

_WHOLE_FROM_MS: Final = 100
_MS_OF: Final = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}
_DIGITS_MOST: Final = 6  # of a millisecond: a nanosecond
_CONFIDENCE: Final = 0.95
# Who conforms, and who does not.
_SIDES: Final = {
    Comparison.AT_MOST: ("within {}", "over {}"),
    Comparison.BELOW: ("below {}", "{} or more"),
    Comparison.AT_LEAST: ("at least {}", "below {}"),
    Comparison.ABOVE: ("above {}", "{} or less"),
}
# As verdict_of_limits has it: what is missing leaves a requirement open, whatever is near a limit.
_DECIDES: Final = (Verdict.FAIL, Verdict.NO_EVIDENCE, Verdict.MARGINAL, Verdict.PASS)


def in_unit(limit: Limit, shown: float) -> tuple[str, float, float]:
    """Return a unit, the limit and a value in it, which is rounded on its side of the limit.

    Args:
        limit: whose unit `shown` is in.
        shown: the value.
    """
    unit, value, digits = limit.unit, limit_in_unit(limit), 2
    if unit in _MS_OF:
        value, shown, unit = limit.value / NS_PER_MS, shown * _MS_OF[unit], "ms"
        digits = 0 if abs(shown) >= _WHOLE_FROM_MS else 1
    while digits < _DIGITS_MOST and shown != value == round(shown, digits):
        digits += 1
    return unit, value, round(shown, digits)


def plain(value: float, sign: str = "") -> str:
    """Return a number with all of its digits and no exponent."""
    text = f"{value:{sign}.{_DIGITS_MOST}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def counted_from(measure: str, trigger: str) -> str:
    """Return a measure in words that begin with what it counts from, "lid opening" for one."""
    words = measure_words(measure)
    rest = words.removeprefix(f"{START} to ")
    return words if rest == words or trigger == PRESS else f"{trigger} to {rest}"


def decisive_limit(limits: Sequence[LimitJudgement]) -> LimitJudgement | None:
    """Return the required limit that the verdict rests on; None where nothing is required.

    Of those with one verdict it is one on a value, which has a worst to name.
    """
    required = [each for each in limits if each.limit.required]

    def order(each: LimitJudgement) -> tuple[int, bool]:
        return _DECIDES.index(each.verdict), each.limit.is_event

    return min(required, key=order, default=None)


@dataclass(frozen=True, slots=True)
class Worst:
    """The value nearest to a limit, or farthest beyond: of which transition, and its bound."""

    number: int
    value: BoundedNs


class WorstOf:
    """Looks for the worst value of a limit."""

    def __init__(self, limit: Limit | None) -> None:
        self._limit = limit
        self.found: Worst | None = None

    def add(self, number: int, sighting: Sighting) -> None:
        """Take in a judged transition that may have a value."""
        limit = self._limit
        value = None if limit is None else value_for(limit, sighting)
        if limit is None or value is None:
            return
        # Of a rate it is the time that its pages took: the longest is the lowest rate.
        longest = (limit.comparison in UPPER) is not is_rate(limit.measure)
        before = None if self.found is None else self.found.value.value_ns
        if before is None or (value.value_ns > before if longest else value.value_ns < before):
            self.found = Worst(number, value)


def judged_limit(found: LimitJudgement, trigger: str, worst: Worst | None) -> Judged:
    """Return the limit that a verdict rests on.

    Args:
        found: as judged.
        trigger: what times of the wires count from.
        worst: of a limit on a time; None where nobody has it.
    """
    limit = found.limit
    title = counted_from(limit.measure, trigger)
    unit, value, shown = in_unit(limit, found.worst or 0.0)
    if found.worst is None:
        return Judged(limit, title, unit, value)
    bound = None
    if worst is not None and not is_rate(limit.measure) and limit.unit in TIME_UNITS_NS:
        bound = worst.value.bound_ns / NS_PER_MS
    return Judged(limit, title, unit, value, shown, bound, None if worst is None else worst.number)


def failure_bound(rate: FailureRate | None) -> FailureBound | None:
    """Return what so many judged transitions show; None where none is judged."""
    if rate is None or not rate.n:
        return None
    return FailureBound(
        failed=rate.failures,
        n=rate.n,
        upper=rate.upper,
        confidence=_CONFIDENCE,
        assumption=Assumption.UNDECIDED_FAILED if rate.undecided else Assumption.INDEPENDENT,
        needed_for_1_percent=rate.needed_for_1_percent,
    )


def reason_of(found: LimitJudgement) -> Reason:
    """Return why a verdict is what it is, by the limit that it rests on."""
    shared, limit = found.limit.share is not None, found.limit
    if found.evidence:
        few = found.n < limit.cycles_min
        if few:
            return Reason.TOO_FEW_CYCLES
        slow = found.missing is not None and found.missing.speaks_against
        return Reason.SLOW_UNMEASURED if slow else Reason.TOO_FEW_MEASURED
    if found.verdict is Verdict.FAIL:
        return Reason.SHARE_MISSED if shared else _failed_by(found)
    if found.verdict is Verdict.PASS:
        return Reason.SHARE_SHOWN if shared else Reason.WITHIN
    if not (found.n or found.broken):
        return Reason.NOT_LIMITED
    near = Reason.HIDDEN if found.hidden == found.marginal else Reason.NEAR
    return Reason.SHARE_OPEN if shared else near


def _failed_by(found: LimitJudgement) -> Reason:
    if found.limit.is_event:
        return Reason.NOT_WHOLE if found.limit.measure == WHOLE else Reason.HAPPENED
    return Reason.OVER if found.failed else Reason.DID_NOT_RESUME


def limit_figures(found: LimitJudgement, noun: str, trigger: str, needed: float) -> Figures:
    """Return what the sentences of a limit name, each under the name that they have for it.

    Args:
        found: as judged.
        noun: what has the value, "cycles", where it is no resume time.
        trigger: what times of the wires count from.
        needed: share of transitions that must have a value, 0..1.
    """
    limit = found.limit
    unit, value, worst = in_unit(limit, found.worst or 0.0)
    within, beyond = (side.format(f"{plain(value)} {unit}") for side in _SIDES[limit.comparison])
    if limit.is_event:
        whole, events = limit.measure == WHOLE, " or ".join(named_events(limit.measure))
        within = "back whole" if whole else f"without {events}"
        beyond = "not back whole" if whole else events
    share, what = 100.0 * (limit.share or 0.0), counted_from(limit.measure, trigger)
    return {
        "event": limit.is_event,
        "n": found.n,
        "all": found.n + found.broken,
        "met": found.n - found.marginal - found.failed,
        "failed": found.failed,
        "marginal": found.marginal,
        "hidden": found.hidden,
        "broken": found.broken,
        "undecided": found.undecided,
        "woke": found.n + found.undecided,
        "noun": "resumes" if limit.measure == RESUME else f"{noun}: {what}",
        "of": noun,
        "what": what,
        "limit": f"{plain(value)} {unit}",
        "within": within,
        "beyond": beyond,
        "worst": f"{plain(worst)} {unit}",
        "share": f"{share:g} %",
        "allowed": f"{100.0 - share:g} %",
        "needed": f"{100.0 * needed:g} %",
        "cycles_min": limit.cycles_min,
        "did": ", ".join(f"{count} {event_words(name)}" for name, count in found.did),
    }


_BY_LIMIT: Final[Mapping[Reason, tuple[str, ...]]] = {
    Reason.WITHIN: (
        "{met} of {woke} {noun} {within}; the worst {worst}.",
        "{met} of {woke} {noun} {within}.",
        "{met} of {woke} {of} {within}.",
    ),
    Reason.OVER: (
        "{failed} of {all} {noun} {beyond}; the worst {worst}.",
        "{failed} of {all} {noun} {beyond}.",
        "{failed} of {all} {of} {beyond}.",
    ),
    Reason.DID_NOT_RESUME: ("{broken} of {all} {of} did not resume.",),
    Reason.NEAR: (
        "{marginal} of {n} {noun} too near {limit} to decide.",
        "{marginal} of {n} {of} too near {limit} to decide.",
    ),
    Reason.HIDDEN: (
        "Hidden BIOS time may take {hidden} of {n} {noun} over {limit}.",
        "Hidden BIOS time may take {hidden} of {n} over {limit}.",
    ),
    Reason.SHARE_SHOWN: (
        "{share} of {noun} {within}, shown by {n}.",
        "{share} of {of} {within}, shown by {n}.",
    ),
    Reason.SHARE_MISSED: (
        "{failed} of {all} {noun} {beyond}; {allowed} are allowed.",
        "{failed} of {all} {of} {beyond}; {allowed} are allowed.",
    ),
    Reason.SHARE_OPEN: (
        "{n} {noun} do not show that {share} are {within}.",
        "{n} {of} do not show that {share} are {within}.",
        "{n} do not show {share} {within}.",
    ),
    Reason.TOO_FEW_MEASURED: (
        "Only {n} of {woke} {of} with a time; {needed} are needed.",
        "Only {n} of {woke} with a time; {needed} are needed.",
    ),
    Reason.SLOW_UNMEASURED: (
        "{undecided} of {woke} {of} without a time, and slow by what is there.",
        "{undecided} of {woke} without a time, and slow.",
    ),
    Reason.TOO_FEW_CYCLES: ("Only {n} of {cycles_min} {of} that are asked for.",),
    Reason.NOT_WHOLE: (
        "{failed} of {all} {of} not back whole: {did}.",
        "{failed} of {all} {of} not back whole.",
    ),
    Reason.HAPPENED: (
        "{failed} of {all} {of}: {beyond}.",
        "{failed} of {all} {of} did what must not happen.",
    ),
    Reason.NOT_LIMITED: (
        "No judged transition has a value: {what}.",
        "No judged transition has the value that is required.",
    ),
}
_OF_EVENT: Final[Mapping[Reason, tuple[str, ...]]] = {
    Reason.WITHIN: ("{met} of {woke} {of} {within}.",),
    Reason.TOO_FEW_MEASURED: ("Only {n} of {woke} {of} show it; {needed} are needed.",),
    Reason.NOT_LIMITED: ("Not checked in any {of}.",),
}
_UNDECIDED: Final = (
    "{met} of {woke} {noun} {within}; {undecided} without evidence.",
    "{met} of {woke} {of} {within}; {undecided} without evidence.",
)
_BROKEN: Final = (
    "{failed} of {all} {noun} {beyond}; {broken} did not resume.",
    "{failed} of {all} {of} {beyond}; {broken} did not resume.",
)


def headline(reason: Reason, figures: Figures) -> str:
    """Return the sentence of a reason that is by a limit."""
    forms = _BY_LIMIT[reason]
    if figures["event"] and reason in _OF_EVENT:
        forms = _OF_EVENT[reason]
    elif reason is Reason.WITHIN and figures["undecided"]:
        forms = _UNDECIDED
    elif reason is Reason.OVER and figures["broken"]:
        forms = _BROKEN
    return first_short(form.format(**figures) for form in forms)


def not_real(simulated: bool | None) -> str:
    """Return that the requirement asks for a real PC."""
    what = "Simulated" if simulated else "Of what this is, is not stated"
    return f"{what}; the requirement asks for a real PC."


def all_ignored(n: int, noun: str) -> str:
    """Return that everything was left out on purpose."""
    return f"The only {noun} is ignored." if n == 1 else f"All {n} {noun}s are ignored."


def first_short(sentences: Iterable[str]) -> str:
    """Return the first sentence that is short enough for a headline, else the last.

    Raises:
        IndexError: there is none.
    """
    found = list(sentences)
    return next((each for each in found if len(each.split()) <= WORDS_MOST), found[-1])


def bound_sentence(bound: FailureBound, noun: str) -> str:
    """Return what a failure bound says, with what it rests on; "" where it says nothing."""
    if bound.upper >= 1:
        return ""
    sure = f"{100.0 * bound.confidence:g} % confidence"
    return f"At most {percent_up(bound.upper)} of {noun} fail ({sure}), if {bound.assumption}."


def margin_sentence(judged: Judged, subject: str) -> str:
    """Return how far the worst is from the limit, with its bound; "" where there is none."""
    if judged.worst is None:
        return ""
    distance = abs(judged.worst - judged.value)
    bound = "" if judged.bound is None else f" ±{plain(round(judged.bound, 3))}"
    where = "" if judged.worst_at is None else f" ({subject} {judged.worst_at})"
    if not distance:
        return f"The worst{where} is at the limit of {plain(judged.value)} {judged.unit}."
    how_far = f"{plain(round(distance, _DIGITS_MOST))}{bound} {judged.unit}"
    return f"The worst, {plain(judged.worst)} {judged.unit}{where}, is {how_far} from the limit."
