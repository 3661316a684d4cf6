"""Waves for viewers of others: a cycle as VCD, a campaign as a Chrome trace.

VCD (IEEE 1364-2001, clause 18): integer nanoseconds from the first thing recorded; `$timezero`
moves the zero of GTKWave to the wake trigger. Chrome trace (Trace Event Format, JSON; Perfetto
opens it): microseconds since the first cycle began, written as text so that no nanosecond is lost.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from resume_rig.analysis.findings.groups import (
    findings_of,
)
from resume_rig.analysis.reconcile.milestones import (
    inside_milestones,
    outside_milestones,
)
from resume_rig.model.channel import Channel
from resume_rig.model.edge import CHANNELS
from resume_rig.model.result.cycle import Correlation, ReconciledCycle
from resume_rig.model.result.judgement import RecordedCycle
from resume_rig.model.units import NS_PER_MS
from resume_rig.report.text.hostile_text import ascii_only, one_line
from resume_rig.report.text.json_text import Json, json_text, text_json, utc_json

_LIGHT_BITS: Final = 16


def vcd_pieces(cycle: RecordedCycle, dut: str) -> Iterator[str]:
    """Yield the file in pieces.

    Args:
        cycle: what was recorded.
        dut: its name, for the header.
    """
    start_ns = _first_ns(cycle)
    codes = {channel: chr(ord("!") + at) for at, channel in enumerate(CHANNELS)}
    light_code = chr(ord("!") + len(CHANNELS))
    channels = [channel for channel in CHANNELS if channel in cycle.initial_levels]
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
    yield from sorted(changes, key=lambda change: change[0])


_CYCLES: Final = 1
_OUTSIDE: Final = 2
_INSIDE: Final = 3
_PROCESSES: Final = {_CYCLES: "cycles", _OUTSIDE: "measured: wires", _INSIDE: "OS-reported"}
_CYCLE_ROW: Final = (_CYCLES, 1)
_PHASE_ROW: Final = (_INSIDE, 1)
_PART_ROW: Final = (_INSIDE, 2)
_LIGHT_POINTS: Final = 400
_ROWS: Final = {channel: at for at, channel in enumerate(Channel, start=1)}


def trace_pieces(
    correlation: Correlation, recorded: Iterable[RecordedCycle], limit_ms: int | None
) -> Iterator[str]:
    """Yield the document in pieces, one cycle at a time.

    It has three processes: the cycles with outcomes and findings, the measured wires and light, and
    the OS-reported phases where the reconciliation places them, with the parts that a record times.

    Args:
        correlation: outside and inside of each cycle.
        recorded: the wires of the same cycles, in the same order.
        limit_ms: on BIOS + drivers, where the requirement has one.
    """
    places = {cycle.outside.number: at for at, cycle in enumerate(correlation.cycles)}
    yield '{"displayTimeUnit":"ms",\n"traceEvents":[\n'
    yield ",\n".join(json_text(event) for event in _names())
    origin_utc_ns: int | None = None
    for each in recorded:
        start_utc_ns = _utc_of_zero(each) + _first_ns(each) - each.zero_ns
        if origin_utc_ns is None:
            origin_utc_ns = min(start_utc_ns, each.started_utc_ns)
        shift_ns = _utc_of_zero(each) - origin_utc_ns - each.zero_ns
        place = places.get(each.number)
        reconciled = None if place is None else correlation.cycles[place]
        for event in _cycle_events(each, reconciled, shift_ns, limit_ms):
            yield ",\n" + event
    verdict = {"verdict": correlation.verdict.value, "began": utc_json(origin_utc_ns)}
    yield f'\n],\n"otherData":{json_text(verdict)}}}\n'


def _names() -> Iterator[dict[str, Json]]:
    for pid, name in _PROCESSES.items():
        yield _name("process_name", (pid, 0), name)
        yield {"ph": "M", "name": "process_sort_index", "pid": pid, "args": {"sort_index": pid}}
    for channel, tid in _ROWS.items():
        yield _name("thread_name", (_OUTSIDE, tid), channel.value)
    yield _name("thread_name", _CYCLE_ROW, "cycle")
    yield _name("thread_name", _PHASE_ROW, "phases")
    yield _name("thread_name", _PART_ROW, "devices, drivers, services, applications")


def _name(kind: str, row: tuple[int, int], name: str) -> dict[str, Json]:
    return {"ph": "M", "name": kind, "pid": row[0], "tid": row[1], "args": {"name": name}}


def _utc_of_zero(each: RecordedCycle) -> int:
    """Return where a cycle stands; by its start alone where nothing relates the clocks."""
    if each.zero_utc_ns is not None:
        return each.zero_utc_ns
    return each.started_utc_ns + each.zero_ns - _first_ns(each)


def _first_ns(each: RecordedCycle) -> int:
    times = [each.zero_ns, *(e.t_ns for e in each.edges[:1]), *(b.t_ns for b in each.light[:1])]
    return min(times)


def _last_ns(each: RecordedCycle) -> int:
    times = [each.zero_ns, *(e.t_ns for e in each.edges[-1:]), *(b.t_ns for b in each.light[-1:])]
    return max(times)


def _cycle_events(
    each: RecordedCycle, cycle: ReconciledCycle | None, shift_ns: int, limit_ms: int | None
) -> Iterator[str]:
    first_ns, last_ns = _first_ns(each), _last_ns(each)
    details: dict[str, Json] = {}
    name = f"cycle {each.number}"
    if cycle is not None:
        name = f"cycle {each.number}: {cycle.outcome.value}"
        details = {
            "verdict": cycle.verdict.value,
            "findings": [text_json(finding.text) for finding in findings_of(cycle)],
        }
    yield _slice(_CYCLE_ROW, name, first_ns + shift_ns, last_ns - first_ns, details)
    if each.has_trigger:
        yield _instant(each.zero_ns + shift_ns)
    yield from _lines(each, shift_ns, last_ns)
    yield from _light(each, shift_ns)
    if cycle is not None and each.has_trigger:
        yield from _phases(cycle, each.zero_ns + shift_ns, limit_ms)


def _lines(each: RecordedCycle, shift_ns: int, last_ns: int) -> Iterator[str]:
    """Yield a slice for each time that a line was high."""
    for channel, initial in each.initial_levels.items():
        since_ns = _first_ns(each) if initial else None
        for edge in each.edges:
            if edge.channel is not channel:
                continue
            if edge.level and since_ns is None:
                since_ns = edge.t_ns
            elif not edge.level and since_ns is not None:
                yield _high(channel, since_ns, edge.t_ns, shift_ns)
                since_ns = None
        if since_ns is not None:
            yield _high(channel, since_ns, last_ns, shift_ns)


def _high(channel: Channel, from_ns: int, until_ns: int, shift_ns: int) -> str:
    return _slice(
        (_OUTSIDE, _ROWS[channel]), f"{channel.value} = 1", from_ns + shift_ns, until_ns - from_ns
    )


def _light(each: RecordedCycle, shift_ns: int) -> Iterator[str]:
    step = max(1, len(each.light) // _LIGHT_POINTS)
    for block in each.light[::step]:
        event: dict[str, Json] = {"ph": "C", "name": "light", "pid": _OUTSIDE}
        yield _timed(event | {"args": {"counts": block.mean}}, block.t_ns + shift_ns)


def _phases(cycle: ReconciledCycle, zero_ns: int, limit_ms: int | None) -> Iterator[str]:
    outside = outside_milestones(cycle.outside)
    if outside.pltrst is not None:
        yield _slice(_PHASE_ROW, "power sequence", zero_ns, outside.pltrst.value_ns)
    inside = inside_milestones(cycle, limit_ms)
    record = cycle.record
    if inside is None or record is None:
        return
    bios_ns, drivers_ns = inside.bios_from_ns, inside.drivers_from_ns
    complete_ns = inside.complete.value_ns
    yield _slice(_PHASE_ROW, "BIOS", zero_ns + bios_ns, drivers_ns - bios_ns)
    yield _slice(_PHASE_ROW, "drivers", zero_ns + drivers_ns, complete_ns - drivers_ns)
    for part in record.components:
        if part.start_ms is None or part.duration_ms is None:
            continue
        begin_ns = zero_ns + drivers_ns + round(part.start_ms * NS_PER_MS)
        details: dict[str, Json] = {"kind": part.kind.value, "phase": text_json(part.phase)}
        length_ns = round(part.duration_ms * NS_PER_MS)
        yield _slice(_PART_ROW, text_json(part.name), begin_ns, length_ns, details)


def _slice(
    row: tuple[int, int],
    name: str,
    from_ns: int,
    length_ns: int,
    details: Mapping[str, Json] | None = None,
) -> str:
    event: dict[str, Json] = {"ph": "X", "name": name, "pid": row[0], "tid": row[1]}
    if details:
        event["args"] = details
    return _timed(event, from_ns, length_ns)


def _instant(at_ns: int) -> str:
    event: dict[str, Json] = {"ph": "i", "name": "wake trigger", "pid": _CYCLES, "tid": 1, "s": "g"}
    return _timed(event, at_ns)


def _timed(event: dict[str, Json], at_ns: int, length_ns: int | None = None) -> str:
    """Write an event with its times exact: a float would lose nanoseconds after some days."""
    times = f',"ts":{_microseconds(at_ns)}'
    if length_ns is not None:
        times += f',"dur":{_microseconds(max(0, length_ns))}'
    return f"{json_text(event)[:-1]}{times}}}"


def _microseconds(t_ns: int) -> str:
    sign = "-" if t_ns < 0 else ""
    return f"{sign}{abs(t_ns) // 1000}.{abs(t_ns) % 1000:03d}"
