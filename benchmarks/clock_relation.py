"""The relation of two clocks against a known truth, and how fast it is.

python benchmarks/clock_relation.py [SESSIONS]

Each session is seeded: a board of up to 50 ppm that drifts by up to 0.1 ppm/s, a USB link with
frames, heavy tails, hiccups of 20 to 200 ms and unequal ways, and the exchanges that a campaign
of 60 s makes and keeps. The truth is asked for at random moments.
"""

import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "host" / "tests" / "timing"))

from clock_sessions import TICK_NS, S, campaign_exchanges, crystal, exchange, usb_link

from resume_rig.model.edge import ClockExchange
from resume_rig.timing.hull import ClockLimits, board_limits
from resume_rig.timing.relation import ExchangeSelection, relate

SPAN_S = 60.0
PROBES = 40
LIMITS = board_limits(50_000, S // TICK_NS)
WEEK = 1_000_000


def session(
    seed: int, *, framed_up: bool
) -> tuple[list[float], list[float], list[float], list[float], int, int]:
    """Return bounds and errors of offsets [ns], bounds and errors of the rate over 2 s [ppb].

    Last come how many exchanges were made, and how many kept.
    """
    random = np.random.default_rng(seed)
    clock, link = crystal(random, SPAN_S), usb_link(random, framed_up=framed_up)
    cycles = campaign_exchanges(clock, link, SPAN_S)
    kept: list[ClockExchange] = []
    for made in cycles:
        selection = ExchangeSelection(LIMITS)
        for each in made:
            selection.add(each)
        kept += selection.kept()
    relation = relate(kept, LIMITS)
    if relation.breaks:
        raise SystemExit(f"session {seed}: a break where there is none: {relation.breaks[0].text}")
    first, last = kept[0].board_rx_ns, kept[-1].board_tx_ns
    bounds: list[float] = []
    errors: list[float] = []
    rate_bounds: list[float] = []
    rate_errors: list[float] = []
    for board_ns in random.integers(first, last - 2 * S, PROBES).tolist():
        answer = relation.to_host_ns(board_ns)
        rates = relation.rates(board_ns, board_ns + 2 * S)
        back = None if answer is None else relation.to_board_ns(answer.value_ns)
        if answer is None or rates is None or back is None:
            raise SystemExit(f"session {seed}: no time at {board_ns}")
        truth = clock.host(board_ns)
        bounds.append(answer.bound_ns)
        errors.append(abs(answer.value_ns - truth))
        rate = (clock.host(board_ns + 2 * S) - truth) / (2 * S) - 1
        rate_bounds.append(1e9 * (rates.high - rates.low) / 2)
        rate_errors.append(1e9 * abs((rates.low + rates.high) / 2 - rate))
        back_error = abs(back.value_ns - clock.board(answer.value_ns))
        beyond = errors[-1] > bounds[-1] or rate_errors[-1] > rate_bounds[-1]
        if beyond or back_error > back.bound_ns:
            raise SystemExit(f"session {seed}: the truth at {board_ns} is outside of a bound")
    return bounds, errors, rate_bounds, rate_errors, sum(map(len, cycles)), len(kept)


def show(name: str, values: list[float]) -> None:
    """Print median, 95th percentile and greatest."""
    figures = np.percentile(values, [50, 95, 100])
    print(f"{name:<34}{figures[0]:>9.1f}{figures[1]:>9.1f}{figures[2]:>9.1f}")


def week() -> None:
    """Time a week of exchanges."""
    random = np.random.default_rng(7)
    clock, link = crystal(random, 1000.0), usb_link(random)
    made = [exchange(clock, link, int(i * 604_800 * S / WEEK)) for i in range(0, WEEK, 100)]
    # Making a million takes longer than relating them: each is repeated, 6 ms later each time.
    made = [
        type(e)(
            *(stamp + n * 6_000_000 for stamp in (e.host_tx_ns, e.board_rx_ns)),
            *(stamp + n * 6_000_000 for stamp in (e.board_tx_ns, e.host_rx_ns)),
        )
        for e in made
        for n in range(100)
    ]
    made = [e for e, after in pairwise(made) if e.host_rx_ns < after.host_tx_ns]
    limits = ClockLimits(150_000, tick_ns=TICK_NS)
    begun = time.process_time()
    relation = relate(made, limits)
    took_s = time.process_time() - begun
    print(f"a week, {len(made)} exchanges: {took_s:.1f} s of processor time", end=", ")
    asked = random.integers(made[0].board_rx_ns, made[-1].board_tx_ns, 1000).tolist()
    begun = time.process_time()
    for board_ns in asked:
        relation.to_host_ns(board_ns)
    took_s = time.process_time() - begun
    print(f"{1e3 * took_s:.0f} us a question, {len(relation.breaks)} breaks")


def table(sessions: int, *, framed_up: bool) -> None:
    """Play the sessions and print what came of them."""
    found: tuple[list[float], ...] = ([], [], [], [])
    made = kept = 0
    for seed in range(sessions):
        *figures, made_here, kept_here = session(seed, framed_up=framed_up)
        made, kept = made + made_here, kept + kept_here
        for values, part in zip(found, figures, strict=True):
            values.extend(part)
    ways = "both ways wait for frames" if framed_up else "replies wait for frames"
    print(f"{sessions} sessions of {SPAN_S:.0f} s, {PROBES} moments each, {ways}: ", end="")
    print("every truth within its bound")
    print(f"{made / sessions:.0f} exchanges made, {kept / sessions:.0f} kept, each session")
    print(f"{'':<34}{'median':>9}{'p95':>9}{'most':>9}")
    for name, values in zip(("bound of a time, us", "error of a time, us"), found[:2], strict=True):
        show(name, [value / 1e3 for value in values])
    for name, values in zip(
        ("bound of a rate over 2 s, ppb", "its error, ppb"), found[2:], strict=True
    ):
        show(name, values)
    print()


def main() -> None:
    """Print the tables."""
    sessions = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    table(sessions, framed_up=False)
    table(max(sessions // 10, 1), framed_up=True)
    week()


if __name__ == "__main__":
    main()
