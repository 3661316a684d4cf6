"""Whether two pieces of evidence can be compared at all: what differs, and what that spoils."""

from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np

from resume_rig.analysis.change_points import change_points_of
from resume_rig.analysis.compare_samples import HEADLINES, Evidence, Sample
from resume_rig.analysis.measures import measure_words
from resume_rig.analysis.trend import drift_of
from resume_rig.model.os_record import SleepKind

# Names by which stores and logs tell the unit; the rest of an identity is what changed in it.
_WHO: Final = (
    "dut",
    "dut_manufacturer",
    "dut_product",
    "system_manufacturer",
    "system_product",
    "computer",
    "machine",
)
_INSTRUMENT: Final = ("rig", "firmware", "clock", "wired")
_NOT_COMPARED: Final = frozenset({"sessions"})


def differences_of(base: Evidence, candidate: Evidence) -> tuple[tuple[str, str, str], ...]:
    """Return (name, base, candidate) of what identity and setting disagree in."""
    ours = {**base.identity, **base.setting}
    theirs = {**candidate.identity, **candidate.setting}
    names = [name for name in dict.fromkeys([*ours, *theirs]) if name not in _NOT_COMPARED]
    return tuple(
        (name, ours.get(name, "not told"), theirs.get(name, "not told"))
        for name in names
        if ours.get(name) != theirs.get(name)
    )


def differing_warnings(base: Evidence, candidate: Evidence) -> tuple[str, ...]:
    """Return what the two differ in that spoils a comparison, the gravest first."""
    found = _differing(base.identity, candidate.identity, _WHO, "another DUT")
    found += _differing(base.setting, candidate.setting, base.setting, "other conditions")
    found += _differing(base.identity, candidate.identity, _INSTRUMENT, "another instrument")
    return tuple(found)


def sample_warnings(
    evidence: Evidence, kinds: Mapping[SleepKind, int], sample: Sample, kind: SleepKind | None
) -> tuple[str, ...]:
    """Return what of one side spoils a comparison: other kinds, steps and drifts, lost records."""
    return (*_other_kinds(evidence, kinds, kind), *_restless(evidence, sample), *evidence.notes)


def _differing(
    ours: Mapping[str, str], theirs: Mapping[str, str], names: Iterable[str], what: str
) -> list[str]:
    return [
        f"The candidate is of {what}: {name.replace('_', ' ')} is {theirs[name]}, not {ours[name]}."
        for name in names
        if name in ours and name in theirs and ours[name] != theirs[name]
    ]


def _other_kinds(
    evidence: Evidence, kinds: Mapping[SleepKind, int], kind: SleepKind | None
) -> list[str]:
    others = {k: n for k, n in kinds.items() if k is not kind}
    if not others:
        return []
    told = ", ".join(f"{n} {k.value}" for k, n in others.items())
    return [f"{evidence.path} has cycles of other kinds, which are left out: {told}."]


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
                "cycles do not repeat one another and p values are too small."
            )
    return found
