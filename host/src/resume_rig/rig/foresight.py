"""What is known beforehand of a board that nobody asks anything.

A real one never speaks unasked: it has to be asked now and then. A simulated bench on a virtual
clock knows what comes next, so that the time until then need not be waited through.
"""

from collections.abc import Collection
from typing import Protocol

from resume_rig.model.channel import Channel


class Foresight(Protocol):
    """Looks ahead on a bench whose time passes only by waiting."""

    def next_news_ns(
        self, until_host_ns: int, channels: Collection[Channel], *, log: bool = False
    ) -> int:
        """Return the host time of the next edge on one of `channels`, `until_host_ns` at most.

        The clock has to reach that time before anything is asked of the bench again.

        Args:
            until_host_ns: look no further.
            channels: the others' edges are no news.
            log: the DUT's log growing is news, too.
        """
        ...
