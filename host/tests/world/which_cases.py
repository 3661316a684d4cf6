"""Scenarios of whose log it is, and how often it tells the same."""

import re
from dataclasses import replace
from datetime import datetime, timedelta

from world.labs import PT, Life, Trial, life, plan_of, trial, windows_of
from world.oslog import Step, xml_of
from world.unit import Random, draw

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?=\.)")


def unit_changed(random: Random, cycles: int) -> Trial:
    """The unit was changed half way; the logs of both lie beside one capture."""
    first = max(3, round(cycles * random.uniform(0.3, 0.7)))
    plan = plan_of(random, first)
    one = life(random, draw(random), plan, windows=windows_of(random, "UNIT-A"))
    start = one.cycles[-1].light + float(random.uniform(60.0, 900.0))
    windows = windows_of(random, "UNIT-B", 900_000)
    # Two clocks of one lab: right to some minutes.
    windows.base = one.windows.base + int(random.integers(-600, 600))
    rest = replace(plan, cycles=max(3, cycles - first), start=start)
    two = life(random, draw(random), rest, windows=windows)
    both = Life(one.unit, one.cycles + two.cycles, one.windows)
    made = trial(random, both, others=(two,), files=bool(random.random() < 0.7))
    made.shown |= {event.record for event in two.windows.events}
    made.present |= {event.record for event in two.windows.events if event.provider == PT}
    made.doubled = False
    made.computers = 2
    return made


def restarted(random: Random, cycles: int) -> Trial:
    """The log was cleared: the record numbers of one file restart."""
    at = int(random.integers(2, max(3, cycles - 2)))
    steps = (Step(at, "cleared", None),)
    return trial(random, life(random, draw(random), plan_of(random, cycles), steps=steps))


def _twice(random: Random, cycles: int) -> Trial:
    lived = life(random, draw(random), plan_of(random, cycles))
    windows = lived.windows
    share = float(random.uniform(0.2, 1.0))
    events = []
    number = windows.events[0].record - 1
    new: dict[int, int] = {}
    for event in windows.events:
        number += 1
        new[event.record] = number
        events.append(replace(event, record=number))
        of = next((c for c in lived.cycles if c.record == event.record), None)
        if event.provider != PT or of is None:
            continue
        of.record = number
        if random.random() < share:
            number += 1
            events.append(replace(event, record=number, time=event.time + 1e-6))
            of.again = frozenset({number})
    for cycle in lived.cycles:
        cycle.written = frozenset(new[n] for n in cycle.written if n in new) | cycle.again
    windows.events = events
    return trial(random, lived)


def twice(random: Random, cycles: int) -> Trial:
    """Sleeps are recorded twice, under two record numbers."""
    return _twice(random, cycles)


def twice_log(random: Random, cycles: int) -> Trial:
    """The same, of the log alone."""
    made = _twice(random, cycles)
    made.question = "log"
    return made


def _shifted(text: str, hours: int) -> str:
    def shift(found: re.Match[str]) -> str:
        return f"{datetime.fromisoformat(found[0]) + timedelta(hours=hours):%Y-%m-%dT%H:%M:%S}"

    return TIME.sub(shift, text)


def _overlap(random: Random, cycles: int) -> Trial:
    lived = life(random, draw(random), plan_of(random, cycles))
    events = lived.windows.events
    last = round(len(events) * random.uniform(0.5, 0.9))
    first = round(len(events) * random.uniform(0.05, 0.5))
    hours = int(random.choice([0, 1, -1, 2]))
    made = trial(random, lived)
    made.logs = [
        xml_of([(lived.windows, events[:last])]),
        _shifted(xml_of([(lived.windows, events[first:])]), hours),
    ]
    return made


def overlap(random: Random, cycles: int) -> Trial:
    """Two exports of one log, with a part in common; one may be an hour off."""
    return _overlap(random, cycles)


def overlap_log(random: Random, cycles: int) -> Trial:
    """The same, of the logs alone."""
    made = _overlap(random, cycles)
    made.question = "log"
    return made


def overlap_fleet(random: Random, cycles: int) -> Trial:
    """The same, of a fleet."""
    made = _overlap(random, cycles)
    made.question = "fleet"
    return made
