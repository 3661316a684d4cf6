"""One cycle as a Value Change Dump (IEEE 1364-2001, clause 18) that any wave viewer reads.

Times are integers of nanoseconds and begin at 0 with the first thing recorded. `$timezero` moves
the zero of viewers that know it (GTKWave) to the wake trigger; a comment tells it to people, with
the UTC at which it was.
"""

from collections.abc import Iterator
from typing import Final

from resume_rig.model.channel import Channel
from resume_rig.model.result.campaign import RecordedCycle
from resume_rig.report.text.hostile_text import ascii_only, one_line
from resume_rig.report.text.json_text import utc_json

_LIGHT_BITS: Final = 16
_NAMES: Final = tuple(Channel)


def vcd_pieces(cycle: RecordedCycle, dut: str) -> Iterator[str]:
    """Yield the file in pieces.

    Args:
        cycle: what was recorded.
        dut: its name, for the header.
    """
    start_ns = _start_ns(cycle)
    codes = {channel: chr(ord("!") + at) for at, channel in enumerate(_NAMES)}
    light_code = chr(ord("!") + len(_NAMES))
    channels = [channel for channel in _NAMES if channel in cycle.initial_levels]
    yield from _header(cycle, dut, start_ns)
    for channel in channels:
        yield f"$var wire 1 {codes[channel]} {channel.value} $end\n"
    if cycle.light:
        yield f"$var wire {_LIGHT_BITS} {light_code} LIGHT [{_LIGHT_BITS - 1}:0] $end\n"
    yield "$upscope $end\n$enddefinitions $end\n#0\n$dumpvars\n"
    for channel in channels:
        yield f"{cycle.initial_levels[channel]}{codes[channel]}\n"
    if cycle.light:
        yield f"bx {light_code}\n"
    yield "$end\n"
    last_ns = 0
    for t_ns, change in _changes(cycle, codes, light_code):
        at_ns = t_ns - start_ns
        if at_ns != last_ns:
            yield f"#{at_ns}\n"
            last_ns = at_ns
        yield change


def _header(cycle: RecordedCycle, dut: str, start_ns: int) -> Iterator[str]:
    zero_ns = cycle.zero_ns - start_ns
    what = "wake trigger" if cycle.has_trigger else "first edge"
    utc = utc_json(cycle.zero_utc_ns)
    when = (
        "at an unknown UTC"
        if utc is None
        else f"at {utc} UTC +/- {cycle.zero_utc_bound_ns} ns (host clock)"
    )
    if utc is not None:
        yield f"$date {utc} $end\n"
    yield f"$comment {_word(dut)}, cycle {cycle.number} $end\n"
    yield f"$comment zero of time: the {what}, {zero_ns} ns after #0, {when} $end\n"
    yield "$timescale 1 ns $end\n"
    yield f"$timezero {-zero_ns} $end\n"
    yield "$scope module dut $end\n"


def _word(text: str) -> str:
    """Return text that cannot end a comment."""
    return ascii_only(one_line(text, 200)).replace("$", "?")


def _start_ns(cycle: RecordedCycle) -> int:
    times = [cycle.zero_ns, *(e.t_ns for e in cycle.edges[:1]), *(b.t_ns for b in cycle.light[:1])]
    return min(times)


def _changes(
    cycle: RecordedCycle, codes: dict[Channel, str], light_code: str
) -> Iterator[tuple[int, str]]:
    changes = [
        (edge.t_ns, f"{edge.level}{codes[edge.channel]}\n")
        for edge in cycle.edges
        if edge.channel in cycle.initial_levels
    ]
    mean = -1
    for block in cycle.light:
        if block.mean != mean:
            mean = block.mean
            changes.append((block.t_ns, f"b{mean:b} {light_code}\n"))
    changes.sort(key=lambda change: change[0])
    yield from changes
