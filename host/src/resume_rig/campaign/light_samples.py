"""The photodiode's samples at full rate that a board keeps about an onset, as a table."""

from collections.abc import Iterator
from dataclasses import dataclass

from resume_rig.model.clock import Clock
from resume_rig.model.errors import RigError
from resume_rig.model.light import OnsetState
from resume_rig.rig.interface import Rig

# While light is recorded the oldest samples go; each page asks behind the one before, so a
# reading that is overtaken begins anew, and seldom.
_TRIES = 5
_SETTLING_NS = 20_000_000
_S = 1_000_000_000


@dataclass(frozen=True, slots=True)
class KeptSamples:
    """One unbroken row of samples.

    Attributes:
        state: of the onset in the recording.
        start_ns: board clock at sample 0. rate_hz: samples in a second.
        first: number of the first of `counts`.
        counts: of the converter.
    """

    state: OnsetState
    start_ns: int
    rate_hz: int
    first: int
    counts: tuple[int, ...]

    def time_ns(self, index: int) -> int:
        """Return when `counts[index]` was taken, board clock."""
        return self.start_ns + (self.first + index) * _S // self.rate_hz


def kept_samples(rig: Rig, clock: Clock) -> KeptSamples:
    """Return all samples that the board keeps about the onset in its newest recording.

    Raises:
        DeviceFault: the board has no photodiode, or looks for no onset.
        RigError: samples were overwritten while they were read, again and again.
    """
    for _ in range(_TRIES):
        page = rig.samples(0)
        first, counts = page.first, list(page.counts)
        while page.more:
            number = first + len(counts)
            page = rig.samples(number)
            if page.first != number:
                break
            counts.extend(page.counts)
        else:
            # Without a rate there is no onset, and the board refused.
            rate_hz = rig.info().light_rate_hz or 1
            return KeptSamples(page.state, page.start_ns, rate_hz, first, tuple(counts))
        clock.sleep_ns(_SETTLING_NS)
    raise RigError(
        "could not read the samples of light: the board overwrote them while they were read, "
        f"{_TRIES} times; read them when the recording is over"
    )


def samples_csv(samples: KeptSamples) -> Iterator[str]:
    """Yield a heading and a line for each sample: its time on the board's clock, and its counts."""
    yield "t_ns,counts\n"
    for index, counts in enumerate(samples.counts):
        yield f"{samples.time_ns(index)},{counts}\n"
