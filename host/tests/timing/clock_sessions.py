"""Simulated sessions with a known truth: a crystal that drifts, and a USB link that delays.

Shared with benchmarks/clock_relation.py. Times are ns of the host's raw clock.
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from resume_rig.model.edge import ClockExchange

S = 1_000_000_000
TICK_NS = 1_000
DRIFT = 0.05e-6  # per second; of the slow wave and of each step of temperature


@dataclass(frozen=True)
class Crystal:
    """A board's clock against the host's, in closed form.

    The rate is constant, plus a wave of temperature, plus steps of temperature that the can of
    the crystal follows with a time constant; each of them drifts by up to 0.05 ppm/s.
    """

    start: float
    rate: float
    wave: float
    period_s: float
    phase: float
    steps: tuple[tuple[float, float, float], ...]

    def board(self, host_ns: int) -> float:
        """Return the board's clock [ns] at a host time, relative to `start`'s whole part."""
        t = host_ns / S
        angle = 2 * np.pi / self.period_s
        moved = self.rate * t + self.wave / angle * (
            np.cos(self.phase) - np.cos(angle * t + self.phase)
        )
        for at, size, tau in self.steps:
            past = max(t - at, 0.0)
            moved += size * (past - tau * (1 - np.exp(-past / tau)))
        return host_ns + moved * S + self.start

    def stamp(self, host_ns: int) -> int:
        """Return what the board reads: whole ticks, rounded down."""
        return int(self.board(host_ns) // TICK_NS) * TICK_NS

    def host(self, board_ns: int) -> float:
        """Return the host time at which the board's clock is at `board_ns`."""
        found = board_ns - self.start
        for _ in range(6):
            found -= self.board(round(found)) - board_ns
        return found


def crystal(random: Generator, span_s: float) -> Crystal:
    """Return a crystal of up to 50 ppm that drifts as fast as is agreed."""
    period_s = float(random.uniform(60, 3600))
    steps = []
    for _ in range(int(random.integers(0, 3))):
        tau = float(random.uniform(5, 120))
        size = float(random.uniform(-1, 1)) * DRIFT * tau
        steps.append((float(random.uniform(0, span_s)), size / 2, tau))
    return Crystal(
        float(random.integers(0, 10**15)),
        float(random.uniform(-50e-6, 50e-6)),
        float(random.uniform(0, 1)) * DRIFT * period_s / (2 * np.pi),
        period_s,
        float(random.uniform(0, 2 * np.pi)),
        tuple(steps),
    )


@dataclass(frozen=True)
class UsbLink:
    """Delays of a full or high speed device: frames, heavy tails, hiccups, unequal ways.

    Replies wait for the next frame. Requests go out as soon as the controller gets to them, or,
    with `framed_up`, in the next frame as well: then each reply has most of a frame to wait, as
    its request has just come with the frame before, and no exchange is quick both ways.
    """

    random: Generator
    frame_ns: int
    framed_up: bool
    phase_ns: float
    up_ns: float
    down_ns: float
    hiccup: float

    def up(self, host_ns: int) -> int:
        """Return when a request that was handed over at `host_ns` is at the board."""
        sent = host_ns + self._soft(self.up_ns)
        wait = self._next_frame(sent) - sent if self.framed_up else self.random.uniform(0, 125e3)
        return sent + int(wait) + int(self.random.integers(5_000, 40_000))

    def down(self, left_ns: int) -> int:
        """Return when a reply that left at `left_ns` is stamped by the host."""
        return self._next_frame(left_ns + 5_000) + self._soft(self.down_ns)

    def _soft(self, median_ns: float) -> int:
        delay = median_ns * float(self.random.lognormal(0, 0.8))
        if self.random.random() < self.hiccup:
            delay += float(self.random.uniform(20e6, 200e6))
        return int(delay)

    def _next_frame(self, at_ns: int) -> int:
        frame = self.frame_ns * (1 + 37e-6)
        return int(np.ceil((at_ns - self.phase_ns) / frame) * frame + self.phase_ns)


def usb_link(random: Generator, *, framed_up: bool = False) -> UsbLink:
    """Return a link; the two ways differ by up to a factor of ten."""
    ways = [40e3, 40e3 * 10 ** float(random.uniform(0, 1))]
    random.shuffle(ways)
    frame_ns = 1_000_000 if random.random() < 0.8 else 125_000
    phase_ns = float(random.uniform(0, 1e6))
    return UsbLink(random, frame_ns, framed_up, phase_ns, ways[0], ways[1], 0.01)


def exchange(clock: Crystal, link: UsbLink, host_ns: int) -> ClockExchange:
    """Return one exchange that begins at a host time."""
    arrived = link.up(host_ns)
    left = arrived + int(link.random.integers(20_000, 200_000))
    return ClockExchange(host_ns, clock.stamp(arrived), clock.stamp(left), link.down(left))


def campaign_exchanges(
    clock: Crystal, link: UsbLink, span_s: float, cycle_s: float = 20.0, every_s: float = 1.0
) -> list[list[ClockExchange]]:
    """Return exchanges as a campaign makes them, by cycle: five, one a second, five."""
    now = int(link.random.integers(0, S))
    end = now + int(span_s * S)
    cycles = []
    while now < end:
        made: list[ClockExchange] = []
        pauses_ns = [0] * 5
        cycle_end = min(now + int(cycle_s * S), end)
        while pauses_ns or now < cycle_end:
            made.append(exchange(clock, link, now))
            now = made[-1].host_rx_ns + int(link.random.integers(50_000, 300_000))
            now += pauses_ns.pop() if pauses_ns else int((every_s + link.random.random() / 4) * S)
        for _ in range(5):
            made.append(exchange(clock, link, now))
            now = made[-1].host_rx_ns + int(link.random.integers(50_000, 300_000))
        cycles.append(made)
    return cycles
