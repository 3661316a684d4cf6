"""What a test expects of the times that a DUT had to be brought back."""

from itertools import groupby

from resume_rig.acceptance.assessment import Assessed
from resume_rig.acceptance.expectations import Expectation
from resume_rig.campaign.recovery_text import recovery_text
from resume_rig.campaign.store import Store
from resume_rig.model.errors import UsageError
from resume_rig.model.units import count_of


def recoveries_succeeded(assessed: Assessed, at_least: int = 0) -> Expectation:
    """Return whether each climb of the ladder ended with a DUT that is back.

    Args:
        assessed: the answer; its store is read.
        at_least: so many climbs there have to be.

    Raises:
        UsageError: it is of no store.
        RecordError: the store cannot be read.
    """
    if assessed.store is None:
        raise UsageError("could not see recoveries: the answer is of no store")
    with Store.open(assessed.store) as store:
        steps = store.recoveries()
    climbs = [list(group) for _, group in groupby(steps, lambda s: (s.session, s.after_cycle))]
    lost = [climb[-1] for climb in climbs if not climb[-1].ok]
    if lost:
        return Expectation(False, f"the DUT did not come back: {recovery_text(lost[0])}")
    told = f"the DUT was brought back {count_of(len(climbs), 'time')}"
    if len(climbs) < at_least:
        return Expectation(False, f"{told}; expected {at_least} or more")
    return Expectation(True, told)
