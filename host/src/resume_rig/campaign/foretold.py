"""What can be said of a campaign's verdict before it begins."""

from collections.abc import Iterator

from resume_rig.campaign.commission import Commission
from resume_rig.campaign.stop_rules import cycles_for_rate
from resume_rig.model.os_record import state_word
from resume_rig.rig.open import OpenRig


def foretold(commission: Commission, opened: OpenRig) -> Iterator[str]:
    """Yield a sentence for each thing that the verdict will lack, whatever is measured.

    Args:
        commission: what was asked for.
        opened: the rig that it is asked of.
    """
    plan, requirement = commission.plan, commission.requirement
    others = set() if plan is None else plan.states - set(requirement.kinds)
    if plan is not None and others:
        kinds = ", ".join(requirement.kinds)
        whole = ", so the verdict will be NO-EVIDENCE" if others == set(plan.states) else ""
        yield (
            f"{requirement.id} speaks of {kinds}; cycles of "
            f"{', '.join(sorted(map(state_word, others)))} are measured and not judged{whole} "
            "(--kind changes that, but for S5)."
        )
    if plan is not None and plan.cycles < (needed := cycles_for_rate(plan.stop)):
        yield (
            f"the plan stops when it is shown {plan.stop.rate_words()}; that takes {needed:,} "
            f"cycles or more without a failure, and the plan has {plan.cycles:,}, so it cannot be "
            "shown."
        )
    if commission.beside.log is None and opened.dut_log is None:
        yield (
            "no --log was given and this rig serves none, so the verdict will be NO-EVIDENCE; "
            "what the wires say is measured all the same."
        )
