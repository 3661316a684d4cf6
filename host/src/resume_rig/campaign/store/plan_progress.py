"""How far the plan of a stored campaign is done, and whether anything is left of it."""

from dataclasses import dataclass

from resume_rig.campaign.plan.stop_rules import why_stop
from resume_rig.campaign.store.raw import recoveries_of
from resume_rig.campaign.store.store import Store
from resume_rig.model.result.cycle import Outcome
from resume_rig.model.units import count_of


@dataclass(frozen=True, slots=True)
class PlanProgress:
    """Where a campaign stands.

    Attributes:
        done: cycles of the plan that are done.
        cycles: of the plan.
        ended_by: the rule of the plan that ended it, a sentence without a full stop; None without.
        to_show: what a rule of the plan wants to be shown, in words; empty without one.
    """

    done: int
    cycles: int
    ended_by: str | None
    to_show: str = ""

    @property
    def left(self) -> str | None:
        """A sentence, where something of the plan is not done; None for a campaign that is."""
        if self.ended_by is not None or self.done >= self.cycles:
            return None
        return (
            f"The plan is not done: {self.done} of {count_of(self.cycles, 'cycle')}; the answer is "
            "of these alone."
        )

    @property
    def rule(self) -> str | None:
        """A sentence, where a rule ended the campaign, or what it asks for was not shown."""
        if self.ended_by is None and self.to_show and self.done >= self.cycles:
            return f"Not shown by all of the plan's cycles: {self.to_show}."
        if self.ended_by is None or self.done >= self.cycles:
            return None
        return f"Ended by a rule of its plan before the last cycle: {self.ended_by}."


def progress_of(store: Store) -> PlanProgress:
    """Return where the campaign of a store stands.

    Raises:
        RecordError: the store cannot be read.
    """
    return PlanProgress(
        done_of(store), store.plan.cycles, stopped_by(store), store.plan.stop.rate_words()
    )


def done_of(store: Store) -> int:
    """Return how many cycles of the plan are done; interrupted ones are to be done again."""
    outcomes = store.outcomes()
    return sum(outcomes.values()) - outcomes.get(Outcome.INTERRUPTED, 0)


def stopped_by(store: Store) -> str | None:
    """Return which rule of its plan ended a campaign; None where none did."""
    rules = store.plan.stop
    if not rules.any:
        return None
    recoveries = 0 if rules.recoveries is None else recoveries_of(store.recoveries())
    return why_stop(rules, store.outcomes(), store.spent_ns(), recoveries)
