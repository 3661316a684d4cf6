"""What a BIOS may report instead of its time, cycle by cycle.

"zero" is "not reported"; units are those that firmware is known to have mistaken for another:
microseconds, 100 ns, ticks of a TSC of 2.4 GHz; with "uptime" the TSC was not reset.
"""

from collections.abc import Callable

from world.unit import Cycle, Phases, Unit

FORMS = ("short", "long", "constant", "zero", "us", "100ns", "ticks", "uptime")
TIMES = {"us": 1e3, "100ns": 1e4, "ticks": 2.4e6}


def reports(
    form: str, wrong: Callable[[Unit, Phases, Cycle], bool], constant: float = 0.0
) -> Callable[[Unit, Phases, Cycle], None]:
    """Return what makes the cycles that are `wrong` report by `form`."""

    def happening(unit: Unit, phases: Phases, cycle: Cycle) -> None:
        if not wrong(unit, phases, cycle):
            return
        random = phases.random
        true = cycle.bios
        off = float(random.uniform(0.3, 2.0))
        if form in TIMES:
            # The field has 32 bits of milliseconds.
            cycle.bios_reported = (true * TIMES[form]) % (2**32 / 1e3)
            cycle.garble = form
        elif form == "uptime":
            cycle.bios_reported = cycle.vector + 900.0
            cycle.garble = form
        else:
            cycle.bios_reported = {
                "short": max(true - off, 0.001),
                "long": true + off,
                "constant": constant,
                "zero": 0.0,
            }[form]
        if not unit.firmware_tells_truth:
            cycle.firmware_resume = max(cycle.bios_reported - unit.firmware_less, 0.001)

    return happening


def some(share: float) -> Callable[[Unit, Phases, Cycle], bool]:
    """Return what calls `share` of the cycles wrong."""
    return lambda unit, phases, cycle: bool(phases.random.random() < share)
