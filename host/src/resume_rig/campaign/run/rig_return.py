"""A rig whose link went, or whose board started anew: it is waited for, and it must be the same."""

import dataclasses
from collections.abc import Callable

from resume_rig.campaign.plan.plan import NS_PER_S
from resume_rig.campaign.run.events import Observer, RigBack, RigLost
from resume_rig.campaign.store.identity import Identity, check_same_bench
from resume_rig.model.clock import Clock
from resume_rig.model.errors import (
    BoardRebooted,
    LinkLost,
    ProtocolError,
    RigError,
    RigGone,
    UsageError,
)
from resume_rig.rig.interface import RigInfo

# A board enumerates again within seconds; a hub that was unplugged takes somebody's walk.
BACK_WITHIN_NS = 300 * NS_PER_S
PAUSE_NS = NS_PER_S
# So many losses without a good cycle between them are a rig that has to be looked at.
MOST_IN_A_ROW = 5
# What may pass by itself; a refusal and a DUT that stays dead do not.
PASSES = (LinkLost, BoardRebooted, ProtocolError)

Reopen = Callable[[], RigInfo]


class RigReturn:
    """Every loss of the rig in one session.

    Args:
        reopen: opens the rig's port anew and says who answers; None where that cannot be done.
        identity: who took part from the beginning.
        path: of the store, for sentences.
        clock: to wait on.
        observe: told of losses and returns.
    """

    def __init__(
        self,
        reopen: Reopen | None,
        identity: Identity,
        path: str,
        clock: Clock,
        observe: Observer,
    ) -> None:
        self._reopen = reopen
        self._identity = identity
        self._path = path
        self._clock = clock
        self._observe = observe
        self._in_a_row = 0

    def good_cycle(self) -> None:
        """Note that a cycle was measured."""
        self._in_a_row = 0

    def wait(self, error: RigError, after_cycle: int) -> RigInfo | None:
        """Wait for the rig; return who it says it is, or None when it is not to be waited for.

        Raises:
            RigError: another rig answers.
        """
        if self._reopen is None or not isinstance(error, PASSES) or isinstance(error, RigGone):
            return None
        self._in_a_row += 1
        if self._in_a_row > MOST_IN_A_ROW:
            return None
        self._observe(RigLost(after_cycle, str(error)))
        info = self._answer(self._reopen)
        if info is None:
            return None
        try:
            present = dataclasses.replace(self._identity, rig=info)
            check_same_bench(self._identity, present, self._path)
        except UsageError as other:
            raise RigError(f"the rig that came back is another one: {other}") from other
        self._observe(RigBack(after_cycle, info.boot_id))
        return info

    def _answer(self, reopen: Reopen) -> RigInfo | None:
        until_ns = self._clock.now_ns() + BACK_WITHIN_NS
        while self._clock.now_ns() < until_ns:
            try:
                return reopen()
            except RigGone:
                return None
            except (RigError, UsageError):
                # A port that is not there (yet) is no reason to end a campaign.
                self._clock.sleep_ns(PAUSE_NS)
        return None
