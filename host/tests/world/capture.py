"""What a logic analyser samples of the wires, and the files that its tools write.

VCD as sigrok writes it (its timescale is a decade or more finer than the sample rate; older
versions know 1 ns, 1 us and 1 ms alone), CSV as Saleae's Logic 2 exports it. A line's new level is
seen by the first sample after its edge; pulses between two samples are not seen; the analyser's
oscillator is off by some ppm.
"""

import math
from dataclasses import dataclass

from world.unit import Cycle, Random

SIGNALS = ("BUTTON", "LID", "SLP_S3#", "SLP_S4#", "PWR_OK", "PLTRST#", "BACKLIGHT")
CHANNELS = {name: name.rstrip("#") for name in SIGNALS}


@dataclass(frozen=True)
class Analyser:
    """An instrument: samples a second, relative error of its clock, and what is wired how."""

    rate: float = 1e6
    ppm: float = 0.0
    wired: tuple[str, ...] = SIGNALS
    inverted: tuple[str, ...] = ()
    form: str = "vcd"  # vcd, vcd-old, csv
    names: tuple[tuple[str, str], ...] = ()  # signal, name in the file

    def name(self, signal: str) -> str:
        """Return a signal's name in the file."""
        return dict(self.names).get(signal, signal)

    def arguments(self) -> list[str]:
        """Return the channel map of the command line."""
        found: list[str] = []
        for signal in self.wired:
            mark = "!" if signal in self.inverted else ""
            found += ["--channel", f"{CHANNELS[signal]}={mark}{self.name(signal)}"]
        return found


def edges_of(
    cycles: list[Cycle],
    random: Random,
    *,
    glitches: float = 0.0,
    dimmed: tuple[float, float] | None = None,
) -> dict[str, list]:
    """Return (true time, level) of every line; all begin high, as of a PC that runs."""
    lines: dict[str, list[tuple[float, int]]] = {name: [] for name in SIGNALS}
    for i, cycle in enumerate(cycles):
        if cycle.false_reset is not None:
            back = cycle.false_reset + 0.7 * (cycle.reset_rise - cycle.false_reset)
            lines["PLTRST#"] += [(cycle.false_reset, 1), (back, 0)]
        if cycle.lid and cycle.ours:
            lines["LID"] += [(cycle.press_sleep, 0), (cycle.press_wake, 1)]
        presses = (
            (cycle.press_sleep, cycle.press_sleep_up),
            (cycle.press_wake, cycle.press_wake_up),
        )
        if cycle.ended == "aborted":
            presses = presses[:1]
        for down, up in () if cycle.lid or not cycle.ours else presses:
            lines["BUTTON"] += _contact(down, up, random)
        if cycle.ended == "aborted":
            lines["BACKLIGHT"] += [(cycle.dark, 0), (cycle.light, 1)]
            continue
        lines["PLTRST#"] += [(cycle.reset_fall, 0), (cycle.reset_rise, 1)]
        if cycle.doze is not None:
            _doze(lines, cycle)
        lines["SLP_S3#"] += [(cycle.slp_fall, 0), (cycle.slp_rise, 1)]
        lines["PWR_OK"] += [(cycle.power_fall, 0), (cycle.power_rise, 1)]
        lines["BACKLIGHT"] += [(cycle.dark, 0), (cycle.light, 1)]
        if dimmed:
            until = cycles[i + 1].dark if i + 1 < len(cycles) else cycle.light + 10.0
            lines["BACKLIGHT"] += _dimmed(cycle.light, until, *dimmed)
    for line in lines.values():
        line.sort()
    if glitches:
        end = cycles[-1].light
        for name in ("SLP_S3#", "PWR_OK", "PLTRST#"):
            for _ in range(random.poisson(glitches * len(cycles))):
                _glitch(lines[name], float(random.uniform(0.0, end)), random)
    return lines


def _doze(lines: dict[str, list[tuple[float, int]]], cycle: Cycle) -> None:
    """Add the dark wake of a doze, and the fall into S4."""
    doze = cycle.doze
    assert doze is not None
    lines["SLP_S3#"] += [(doze.slp_rise, 1), (doze.slp_fall, 0)]
    lines["PWR_OK"] += [(doze.power_rise, 1), (doze.power_fall, 0)]
    lines["PLTRST#"] += [(doze.reset_rise, 1), (doze.slp_fall - 60e-6, 0)]
    lines["SLP_S4#"] += [(doze.slp_fall + 40e-6, 0), (cycle.slp_rise - 35e-6, 1)]


def _contact(down: float, up: float, random: Random) -> list[tuple[float, int]]:
    """Return the edges of a press whose contact bounces in half of the cases."""
    edges = [(down, 0)]
    if random.random() < 0.5:
        at = down
        for _ in range(int(random.integers(1, 4))):
            at += float(random.uniform(50e-6, 400e-6))
            edges.append((at, 1))
            at += float(random.uniform(50e-6, 800e-6))
            edges.append((at, 0))
    edges.append((up, 1))
    return edges


def _dimmed(since: float, until: float, rate: float, duty: float) -> list[tuple[float, int]]:
    """Return the gaps that a PWM of `rate` and `duty` leaves between two moments."""
    gaps = []
    at = since
    while at + 1.0 / rate < until:
        gaps += [(at + duty / rate, 0), (at + 1.0 / rate, 1)]
        at += 1.0 / rate
    return gaps


def _glitch(line: list[tuple[float, int]], at: float, random: Random) -> None:
    """Put a pulse of less than 60 us where the line is quiet."""
    if any(abs(time - at) < 0.01 for time, _ in line):
        return
    before = [level for time, level in line if time < at]
    level = before[-1] if before else 1
    line += [(at, 1 - level), (at + float(random.uniform(0.2e-6, 30e-6)), level)]
    line.sort()


def sampled(
    edges: list[tuple[float, int]], analyser: Analyser, first: int = 1
) -> list[tuple[int, int]]:
    """Return (sample, level) where the sampled level changes; `first` is the level before."""
    step = 1.0 / (analyser.rate * (1.0 + analyser.ppm * 1e-6))
    at: dict[int, int] = {}
    for time, level in edges:
        at[math.ceil(time / step)] = level  # the last edge before a sample is what it sees
    found: list[tuple[int, int]] = []
    last = first
    for sample in sorted(at):
        if at[sample] != last:
            last = at[sample]
            found.append((sample, last))
    return found


def text_of(lines: dict[str, list], end: float, analyser: Analyser) -> str:
    """Return the file of a capture from 0 to `end` seconds; what lies outside is not in it."""
    changes: dict[int, list[tuple[str, int]]] = {0: []}
    for signal in analyser.wired:
        turned = signal in analyser.inverted
        kept = [(time, level) for time, level in lines[signal] if time <= end]
        before = [level for time, level in kept if time <= 0.0]
        first = before[-1] if before else 1
        changes[0].append((signal, 1 - first if turned else first))
        kept = [(time, level) for time, level in kept if time > 0.0]
        for sample, level in sampled(kept, analyser, first):
            changes.setdefault(sample, []).append((signal, 1 - level if turned else level))
    last = math.ceil(end * analyser.rate * (1.0 + analyser.ppm * 1e-6)) + 1
    if analyser.form == "csv":
        return _csv(changes, last, analyser)
    return _vcd(changes, last, analyser)


def _csv(changes: dict[int, list[tuple[str, int]]], last: int, analyser: Analyser) -> str:
    rows = ["Time [s]," + ",".join(analyser.name(signal) for signal in analyser.wired)]
    levels = dict.fromkeys(analyser.wired, 1)
    for sample in sorted({*changes, last}):
        levels |= dict(changes.get(sample, []))
        values = ",".join(str(levels[signal]) for signal in analyser.wired)
        rows.append(f"{sample / analyser.rate:.9f},{values}")
    return "\n".join(rows) + "\n"


def _units(analyser: Analyser) -> int:
    """Return how many units of the timescale are a second."""
    rate = round(analyser.rate)
    if analyser.form == "vcd-old":
        return 10**9 if rate > 10**6 else 10**6 if rate > 10**3 else 10**3
    units = 1
    while units < rate:
        units *= 10
    for _ in range(2):
        if units % rate == 0:
            break
        units *= 10
    return units


def _vcd(changes: dict[int, list[tuple[str, int]]], last: int, analyser: Analyser) -> str:
    units = _units(analyser)
    period = next(
        f"{size // units} {name}"
        for name, size in (("s", 1), ("ms", 10**3), ("us", 10**6), ("ns", 10**9), ("ps", 10**12))
        if size >= units
    )
    rate = next(
        f"{analyser.rate / size:g} {name}"
        for name, size in (("MHz", 1e6), ("kHz", 1e3), ("Hz", 1.0))
        if analyser.rate >= size
    )
    wired = len(analyser.wired)
    text = ["$date Mon Mar 10 09:12:44 2025 $end", "$version libsigrok 0.5.2 $end", "$comment"]
    text += [
        f"  Acquisition with {wired}/8 channels at {rate}",
        "$end",
        f"$timescale {period} $end",
    ]
    text.append("$scope module libsigrok $end")
    codes = {signal: chr(ord("!") + i) for i, signal in enumerate(analyser.wired)}
    text += [f"$var wire 1 {codes[s]} {analyser.name(s)} $end" for s in analyser.wired]
    text += ["$upscope $end", "$enddefinitions $end"]
    for sample in sorted(changes):
        if changes[sample]:
            moved = " ".join(f"{level}{codes[signal]}" for signal, level in changes[sample])
            text.append(f"#{round(sample / analyser.rate * units)} {moved}")
    text.append(f"#{round(last / analyser.rate * units)}")
    return "\n".join(text) + "\n"
