"""What a store tells of its cycles without unpacking any of them: for lists of very many."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from resume_rig.campaign.plan import Plan
from resume_rig.campaign.store import Store
from resume_rig.model.cycle import Outcome
from resume_rig.model.errors import RecordError


@dataclass(frozen=True, slots=True)
class Overview:
    """One entry a cycle, in order.

    Attributes:
        numbers: of the cycles, int64 [n].
        outcomes: as the runner saw them.
        took_ns: host clock from the cycle's beginning to its end, int64 [n].
        planned: names of sleep state, sleep trigger and wake trigger by the plan, one each.
    """

    numbers: NDArray[np.int64]
    outcomes: tuple[Outcome, ...]
    took_ns: NDArray[np.int64]
    planned: tuple[tuple[str, str, str], ...]


def overview_of(store: Store) -> Overview:
    """Read it; another process may be writing to the store.

    Raises:
        RecordError: the store cannot be read.
    """
    rows = store.outline()
    known: dict[str, Outcome] = {name.value: name for name in Outcome}
    try:
        outcomes = tuple(known[row[1]] for row in rows)
    except KeyError as error:
        raise RecordError(
            f"could not read the store {store.path}: a cycle has the outcome {error.args[0]!r}, "
            "which this version does not know"
        ) from error
    return Overview(
        numbers=np.array([row[0] for row in rows], np.int64),
        outcomes=outcomes,
        took_ns=np.array([row[2] for row in rows], np.int64),
        planned=_planned(store.plan, len(rows)),
    )


def _names(plan: Plan) -> tuple[str, str, str]:
    return plan.state.value, plan.sleep_by.value, plan.wake_by.value


def _planned(plan: Plan, count: int) -> tuple[tuple[str, str, str], ...]:
    if not plan.vary:
        return (_names(plan),) * count
    return tuple(_names(plan.of_cycle(index)) for index in range(count))
