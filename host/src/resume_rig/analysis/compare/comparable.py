"""Whether two sides can be compared at all: what differs, and what that spoils."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from resume_rig.analysis.compare.effects import Times
from resume_rig.analysis.compare.samples import HEADLINES, Evidence, Sample
from resume_rig.analysis.stats.trend import change_points_of, drift_of
from resume_rig.analysis.verdict.judge import training_sentence
from resume_rig.analysis.verdict.measures import measure_words
from resume_rig.model.os_record import NO_SLEEPS, SleepKind
from resume_rig.model.result.comparison import Unit
from resume_rig.model.units import count_of

# Names by which stores and logs identify the unit; the rest of an identity is what changed in it.
_WHO: Final = (
    "dut",
    "dut_manufacturer",
    "dut_product",
    "system_manufacturer",
    "system_product",
    "computer",
    "machine",
)
_BUILD: Final = ("dut_bios_version", "bios_version", "os_build")
_INSTRUMENT: Final = ("rig", "firmware", "clock", "wired")
_NOT_COMPARED: Final = frozenset({"sessions"})
_SHORT: Final = 0.5
"""A session with less than this share of the middle session's values shortens all the others.
Assumed: decides which one is named."""


def not_cancelled_ms(
    base: Sequence[Evidence],
    candidate: Sequence[Evidence],
    samples: Sequence[Sample],
    candidate_samples: Sequence[Sample],
) -> dict[str, float]:
    """Return the half-width by which errors that all cycles share can make a difference, by time.

    What is the same on a rig cancels where both sides are of one rig; what is the same of a DUT
    under its OS, where both are of one DUT. Else it counts on both sides.
    """
    rigs = {each.rig for each in (*base, *candidate)}
    who, theirs = identity_of(base), identity_of(candidate)
    same_dut = all(who.get(name) == theirs.get(name) for name in _WHO)
    counts = (len(rigs) > 1, not same_dut)
    found: dict[str, float] = {}
    for side in (samples, candidate_samples):
        for name in dict.fromkeys(name for sample in side for name in sample.shared_ms):
            shared = [sample.shared_ms[name] for sample in side if name in sample.shared_ms]
            found[name] = found.get(name, 0.0) + sum(
                max(each[place] for each in shared) for place in (0, 1) if counts[place]
            )
    return found


def identity_of(side: Sequence[Evidence]) -> dict[str, str]:
    """Return names and values of who was measured; where sessions differ, all values of a name."""
    return _merged([each.identity for each in side])


def names_its_dut(identity: Mapping[str, str]) -> bool:
    """Return whether an identity has anything that distinguishes one DUT from another."""
    return not identity.keys().isdisjoint(_WHO)


def differences_of(
    base: Sequence[Evidence], candidate: Sequence[Evidence]
) -> tuple[tuple[str, str, str], ...]:
    """Return (name, base, candidate) of what identity and setting disagree in."""
    ours, theirs = ({**identity_of(side), **_setting_of(side)} for side in (base, candidate))
    names = [name for name in dict.fromkeys([*ours, *theirs]) if name not in _NOT_COMPARED]
    return tuple(
        (name, ours.get(name, "not reported"), theirs.get(name, "not reported"))
        for name in names
        if ours.get(name) != theirs.get(name)
    )


def differing_warnings(base: Sequence[Evidence], candidate: Sequence[Evidence]) -> tuple[str, ...]:
    """Return what the two differ in that spoils a comparison, the gravest first."""
    ours, theirs = identity_of(base), identity_of(candidate)
    setting = _setting_of(base)
    found = _differing(ours, theirs, _WHO, "another DUT")
    found += _differing(setting, _setting_of(candidate), setting, "other conditions")
    found += _differing(ours, theirs, _INSTRUMENT, "another instrument")
    return tuple(found)


def session_warnings(
    base: Sequence[Evidence], candidate: Sequence[Evidence], times: Sequence[Times]
) -> tuple[str, ...]:
    """Return what makes sessions no repeats of one another."""
    found = _unlike("base", base) + _unlike("candidate", candidate)
    found += _shared_records([*base, *candidate])
    found += _not_in_turn(base, candidate)
    return (*found, *_short(times, [each.path for each in (*base, *candidate)]))


def other_kinds_warnings(
    side: Sequence[Evidence], kinds: Sequence[Mapping[SleepKind, int]], kind: SleepKind | None
) -> tuple[str, ...]:
    """Return which cycles of other kinds than `kind` each session has."""
    found = []
    for each, counts in zip(side, kinds, strict=True):
        others = ", ".join(
            f"{n} {k.value}"
            for k, n in counts.items()
            if k is not kind and (k in NO_SLEEPS) == (kind in NO_SLEEPS)
        )
        if others:
            found.append(f"{each.path} has cycles of other kinds, which are left out: {others}.")
    return tuple(found)


def sample_warnings(
    side: Sequence[Evidence], samples: Sequence[Sample], unit: Unit
) -> tuple[str, ...]:
    """Return what of one side spoils a comparison: steps and drifts, lost records."""
    found: list[str] = []
    for each, sample in zip(side, samples, strict=True):
        # Where sessions are the unit, what cycles of one session do makes no p too small.
        if unit is Unit.CYCLE:
            found += _restless(each, sample)
        if sample.training is not None:
            found.append(f"{each.path}: {training_sentence(sample.training)}; set apart.")
        found += each.notes
    return tuple(found)


def _merged(tables: Sequence[Mapping[str, str]]) -> dict[str, str]:
    names = dict.fromkeys(name for table in tables for name in table)
    return {
        name: ", ".join(dict.fromkeys(table[name] for table in tables if name in table))
        for name in names
    }


def _setting_of(side: Sequence[Evidence]) -> dict[str, str]:
    return _merged([each.setting for each in side])


def _differing(
    ours: Mapping[str, str], theirs: Mapping[str, str], names: Iterable[str], what: str
) -> list[str]:
    return [
        f"The candidate is of {what}: {name.replace('_', ' ')} is {theirs[name]}, not {ours[name]}."
        for name in names
        if name in ours and name in theirs and ours[name] != theirs[name]
    ]


def _unlike(name: str, side: Sequence[Evidence]) -> list[str]:
    """Say what sessions of one side differ in, and should not."""
    tables = [{**each.identity, **each.setting} for each in side]
    merged = _merged(tables)
    compared = [*_WHO, *_BUILD, *_setting_of(side), *_INSTRUMENT]
    return [
        f"Sessions of the {name} are not alike: {each.replace('_', ' ')} is {merged[each]}."
        for each in dict.fromkeys(compared)
        if len({table[each] for table in tables if each in table}) > 1
    ]


def _shared_records(sessions: Sequence[Evidence]) -> list[str]:
    """Say where two sessions report the same wake, so that they are not independent."""
    first: dict[tuple[object, ...], str] = {}
    shared: dict[tuple[str, str], int] = {}
    for each in sessions:
        for sighting in each.sightings:
            record = sighting.record
            if record is None or record.wake_time_utc_ns is None:
                continue
            key = (record.wake_time_utc_ns, record.wake_ms, record.driver_init_ms)
            other = first.setdefault(key, each.path)
            if other != each.path:
                shared[other, each.path] = shared.get((other, each.path), 0) + 1
    return [
        f"{one} and {other} share {count_of(n, 'record')}, so they are not independent sessions."
        for (one, other), n in shared.items()
    ]


def _not_in_turn(base: Sequence[Evidence], candidate: Sequence[Evidence]) -> list[str]:
    begun = [[each.begun_utc_ns for each in side] for side in (base, candidate)]
    ours, theirs = ([at for at in side if at is not None] for side in begun)
    if min(len(ours), len(theirs)) < 2 or len(ours) + len(theirs) < len(base) + len(candidate):
        return []
    if max(ours) < min(theirs) or max(theirs) < min(ours):
        return [
            "All sessions of one side were measured before those of the other: what changed on the "
            "bench meanwhile looks like the build; measure them in turn."
        ]
    return []


def _short(times: Sequence[Times], paths: Sequence[str]) -> list[str]:
    """Say which session is so short that it takes most cycles from the others."""
    found: dict[str, int] = {}
    for each in times:
        if len(paths) < 3:
            break
        lengths = [len(values) + each.warm_up for values in each.settled]
        there = [n for n in lengths if n > each.warm_up]
        if there and min(there) < _SHORT * float(np.median(there)):
            path = paths[lengths.index(min(there))]
            found.setdefault(path, min(there))
    return [
        f"{path} has {count_of(n, 'value')} only, and the same cycles of every session are "
        "compared: leave it out to use more of the others."
        for path, n in found.items()
    ]


def _restless(evidence: Evidence, sample: Sample) -> list[str]:
    """Say where a sample changes while it is taken, so that its cycles are no repeats."""
    found: list[str] = []
    for name in HEADLINES:
        values = np.asarray(sample.times_ms.get(name, ()))
        steps = change_points_of(values, list(range(1, len(values) + 1)))
        drift = drift_of(values)
        if steps or (drift is not None and drift.shown):
            word = "steps" if steps else "drifts"
            found.append(
                f"{evidence.path}: the {measure_words(name)} {word} while it is measured, so its "
                "cycles do not repeat one another; fewer of them count as independent."
            )
    return found
