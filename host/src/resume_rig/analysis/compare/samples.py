"""What of a log or a campaign is compared: which cycles, which times, which components."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from resume_rig.analysis.findings.advice import moment_of
from resume_rig.analysis.findings.sleeps import state_mismatch
from resume_rig.analysis.ledger.contradictions import doubted
from resume_rig.analysis.ledger.ledger import ledger_of
from resume_rig.analysis.reconcile.hidden_time import BIOS_IS_WRONG
from resume_rig.analysis.stats.trend import training_of
from resume_rig.analysis.verdict.judge import believed
from resume_rig.analysis.verdict.limits import possible_kinds
from resume_rig.analysis.verdict.measures import (
    PHASE,
    Side,
    Sighting,
    is_measure,
    reader_of,
    side_of,
    sighting_of,
)
from resume_rig.model.os_record import (
    NO_SLEEPS,
    TRANSITIONS,
    ComponentKind,
    LogReading,
    SleepKind,
)
from resume_rig.model.result.cycle import AS_PLANNED, FAILED, TRIED, IntervalName, ReconciledCycle
from resume_rig.model.result.judgement import LimitJudgement
from resume_rig.model.result.series import Training
from resume_rig.model.result.verdict import Verdict
from resume_rig.model.units import NS_PER_MS, count_of

COMPARED: Final = (
    "resume_ms",
    "bios_init_ms",
    "driver_init_ms",
    "wake_ms",
    "sleep_ms",
    "firmware_resume_ms",
    "hiber_read_ms",
    "hiber_write_ms",
    "figure:exit_latency_us",
    "figure:kernel_resume_ms",
    "figure:kernel_suspend_ms",
    IntervalName.TRIGGER_TO_SLP_S3.value,
    IntervalName.PRESS_TO_SLP_S3.value,
    IntervalName.SLP_S3_TO_PWR_OK.value,
    IntervalName.PWR_OK_TO_PLTRST.value,
    IntervalName.PLTRST_TO_LIGHT.value,
    IntervalName.PRESS_TO_LIGHT.value,
    "press_to_resume_complete_ns",
)
"""Longer is worse in all of them. What a plan sets (dwell, press) is none, nor what is only the
sum of two of them from the press on."""

WHOLE: Final = "figure:transition_ms"
"""How long a boot or a shutdown took; that of a sleep is in the times above."""

_OF_BOOTS: Final = (
    WHOLE,
    "figure:bios_end_to_idle_ms",
    "figure:boot_done_via_explorer_ms",
    "figure:services_auto_start_ms",
    "figure:services_shutdown_ms",
    IntervalName.TRIGGER_TO_SLP_S3.value,
    IntervalName.SLP_S3_TO_PWR_OK.value,
    IntervalName.PWR_OK_TO_PLTRST.value,
    IntervalName.PLTRST_TO_LIGHT.value,
    IntervalName.PRESS_TO_LIGHT.value,
    "press_to_desktop_ns",
)
"""Of boots and shutdowns, in addition to each of their phases."""

_COMPARABLE: Final = frozenset(TRANSITIONS)
_PHASES_MOST: Final = 40  # assumed: bounds the tests; a boot has six, with its Plug and Play

HEADLINES: Final = (
    "resume_ms",
    "press_to_resume_complete_ns",
    IntervalName.PRESS_TO_LIGHT.value,
    "figure:exit_latency_us",
    "figure:kernel_resume_ms",
    WHOLE,
    "press_to_desktop_ns",
)
ComponentKey = tuple[str, ComponentKind, str, str]


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that one session has to be compared: a store, or a log.

    Attributes:
        path: as the user named it.
        identity: names and values of who was measured, and with what.
        setting: names and values of how; where they differ, times may differ for that alone.
        sightings: cycles that went as they should, in order, those that are left out not among
            them.
        failed: of each cycle that was tried, in order, whether it failed; None of a log, which does
            not report it.
        notes: what the evidence lacks, each one sentence.
        limits: each limit of the requirement, judged over the session.
        verdict: against the requirement.
        begun_utc_ns: when the session began; None where it is not known.
        parts: hashes of its cycles, or one of all that a log or a capture has; a session whose
            parts another one has, too, is a copy of it.
        rig: board and address, by which rigs can be distinguished; empty of a log.
        simulated: it measured no PC; None where nobody states it.
    """

    path: str
    identity: Mapping[str, str]
    setting: Mapping[str, str]
    sightings: tuple[Sighting, ...]
    failed: tuple[bool, ...] | None = None
    notes: tuple[str, ...] = ()
    limits: tuple[LimitJudgement, ...] = ()
    verdict: Verdict = Verdict.NO_EVIDENCE
    begun_utc_ns: int | None = None
    parts: frozenset[int] = frozenset()
    rig: str = ""
    simulated: bool | None = None


@dataclass(slots=True)
class Sample:
    """The times of one kind of sleep, in ms, by name.

    Attributes:
        held_ms: of components, how long others had to wait for them.
        training: first boots that are left out, because the prefetcher was still learning.
        shared_ms: greatest half-widths of what all cycles on a rig share, and of what those of one
            DUT under one OS share in addition.
    """

    cycles: int
    times_ms: dict[str, list[float]] = field(default_factory=dict)
    shared_ms: dict[str, tuple[float, float]] = field(default_factory=dict)
    components_ms: dict[ComponentKey, list[float]] = field(default_factory=dict)
    held_ms: dict[ComponentKey, list[float]] = field(default_factory=dict)
    training: Training | None = None


def evidence_of_cycles(
    path: str,
    cycles: Sequence[ReconciledCycle],
    identity: Mapping[str, str],
    setting: Mapping[str, str],
) -> Evidence:
    """Return what a campaign has to be compared; a record that the wires contradict is left out."""
    counted = [cycle for cycle in cycles if not cycle.outside.ignored]
    tried = [cycle for cycle in counted if cycle.outside.outcome in TRIED]
    went_well = [c for c in tried if c.outside.outcome in AS_PLANNED]
    contradicted = [
        c for c in went_well if c.record is not None and state_mismatch(c.outside, c.record)
    ]
    notes = []
    if contradicted:
        notes.append(
            f"{path}: {len(contradicted)} OS records contradict the wires and are left out."
        )
    notes += _bios_notes(path, went_well)
    out = {c.outside.number for c in contradicted}
    sightings = tuple(
        Sighting(None, c) if c.outside.number in out else sighting_of(c) for c in went_well
    )
    wakes = Counter(c.outside.wake_by.value for c in went_well if c.outside.wake_by is not None)
    return Evidence(
        path=path,
        identity=identity,
        setting={**setting, **_woken_by(sorted(wakes))},
        sightings=sightings,
        failed=tuple(cycle.outside.outcome in FAILED for cycle in tried),
        notes=tuple(notes),
    )


def _woken_by(names: Iterable[str]) -> dict[str, str]:
    """Return what woke the DUT as a condition; what was not observed is none."""
    found = ", ".join(names)
    return {"woken by": found} if found else {}


def _bios_notes(path: str, cycles: Sequence[ReconciledCycle]) -> list[str]:
    """Say of how many cycles the BIOS time is not what clock and wires show."""
    impossible = sum(c.bios_impossible for c in cycles)
    wrong = sum(
        not c.bios_impossible and not BIOS_IS_WRONG.isdisjoint(f.kind for f in c.findings)
        for c in cycles
    )
    notes = []
    if impossible:
        notes.append(f"{path}: {count_of(impossible, 'impossible BIOS time')} left out.")
    if wrong:
        count = count_of(wrong, "BIOS time")
        notes.append(f"{path}: {count} contradicted by clock and wires, and compared as reported.")
    return notes


_COMPUTER: Final = frozenset({"computer_name", "computer"})


def computer_of(identity: Mapping[str, str], computers: Sequence[str]) -> str:
    """Return the name of the computer that a log is of; empty where it has none, or several."""
    if computers:
        return computers[0] if len(computers) == 1 else ""
    return identity.get("computer_name", identity.get("computer", ""))


def evidence_of_log(path: str, reading: LogReading) -> Evidence:
    """Return what a log has to be compared: each transition once, its times where they may be."""
    ledger = ledger_of(reading)
    reading, odd = ledger.reading, doubted([believed(each) for each in ledger.reading.records])
    identity: dict[str, str] = {}
    notes = []
    for source in reading.sources:
        identity |= dict(source.identity)
        if source.os_build is not None:
            identity["os_build"] = str(source.os_build)
        if not source.integrity.ok:
            notes.append(f"{source.path} is incomplete, so cycles may be missing.")
    computer = computer_of(identity, reading.computers)
    identity = {name: text for name, text in identity.items() if name not in _COMPUTER}
    if computer:
        identity["computer"] = computer
    if odd:
        count = count_of(len(odd), "record")
        notes.append(f"{path}: {count} with times that exclude each other left out.")
    untimed = sum(each.ended is not None for each in reading.records)
    if untimed:
        notes.append(f"{path}: {count_of(untimed, 'transition')} without resume times.")
    if len(reading.computers) > 1:
        notes.append(f"{path}: its sleeps are of {count_of(len(reading.computers), 'computer')}.")
    records = [each for index, each in enumerate(reading.records) if index not in odd]
    wakes = Counter(r.wake_source.name for r in records if r.wake_source.type is not None)
    return Evidence(
        path=path,
        identity=identity,
        setting=_woken_by(name for name, _ in wakes.most_common(3)),
        sightings=tuple(Sighting(believed(record)) for record in records),
        notes=tuple(notes),
    )


def kinds_in(evidence: Evidence) -> Counter[SleepKind]:
    """Return how many cycles of each kind have a time that can be compared."""
    found: Counter[SleepKind] = Counter()
    sleeps, boots = ([reader_of(name) for name in names] for names in (COMPARED, _OF_BOOTS))
    for sighting in evidence.sightings:
        # Without a record the wires leave two kinds open; the first is the commoner one.
        kinds = sorted(possible_kinds(sighting) & _COMPARABLE, key=list(SleepKind).index)[:1]
        of_boot = not NO_SLEEPS.isdisjoint(kinds)
        if any(reader(sighting) is not None for reader in (boots if of_boot else sleeps)) or (
            of_boot and _phases_of([sighting])
        ):
            found.update(kinds)
    return found


def _phases_of(chosen: Iterable[Sighting]) -> tuple[str, ...]:
    names = dict.fromkeys(
        part.name
        for sighting in chosen
        if sighting.record is not None
        for part in sighting.record.components
        if part.kind is ComponentKind.PHASE and part.duration_ms is not None
    )
    measures = (f"{PHASE}{name}" for name in names)
    return tuple(islice(filter(is_measure, measures), _PHASES_MOST))


def sample_of(evidence: Evidence, kind: SleepKind) -> Sample:
    """Return the times of one kind of sleep."""
    chosen = [sighting for sighting in evidence.sightings if kind in possible_kinds(sighting)]
    training = training_of(_lengths_ms(chosen)) if kind is SleepKind.BOOT else None
    if training is not None:
        chosen = chosen[training.runs :]
    sample = Sample(len(chosen), training=training)
    of_boot = kind in NO_SLEEPS
    for name in (*_OF_BOOTS, *_phases_of(chosen)) if of_boot else COMPARED:
        values = [value for value in map(reader_of(name), chosen) if value is not None]
        if values:
            sample.times_ms[name] = [value.value_ns / NS_PER_MS for value in values]
            sample.shared_ms[name] = (
                max(value.rig_ns for value in values) / NS_PER_MS,
                max(value.campaign_ns for value in values) / NS_PER_MS,
            )
    # Phases of boots are times of their own.
    sample.components_ms = _components(chosen, phases=not of_boot)
    sample.held_ms = _components(chosen, phases=False, held=True)
    return sample


def _lengths_ms(chosen: Iterable[Sighting]) -> list[float]:
    """Return how long boots took, NaN for one that is not reported, in their order."""
    whole = reader_of(WHOLE)
    values = map(whole, chosen)
    return [math.nan if value is None else value.value_ns / NS_PER_MS for value in values]


def headlines_gone(
    base: Sequence[Sample],
    candidate: Sequence[Evidence],
    candidate_samples: Sequence[Sample],
    least: int,
) -> list[str]:
    """Return the headline times that the base has and the candidate lacks, but could have.

    A log has no times of the wires, and a campaign without a log none of the OS; a sum of both
    lacks what its parts lack.
    """
    sides = set()
    if any(sighting.record is not None for each in candidate for sighting in each.sightings):
        sides.add(Side.INSIDE)
    if any(each.failed is not None for each in candidate):
        sides.add(Side.OUTSIDE)
    return [
        name
        for name in HEADLINES
        if side_of(name) in sides
        and sum(len(sample.times_ms.get(name, ())) for sample in base) >= least
        and not any(name in sample.times_ms for sample in candidate_samples)
    ]


def step_ms_of(name: str) -> float:
    """Return the steps in which a time is reported."""
    return 1.0 if side_of(name) is Side.INSIDE else 0.001


def rounding_ms_of(name: str) -> float:
    """Return the standard deviation of a time by the steps in which it is reported."""
    return step_ms_of(name) / math.sqrt(12)


def _components(
    chosen: Iterable[Sighting], *, phases: bool, held: bool = False
) -> dict[ComponentKey, list[float]]:
    """Return one of the times of each component; of several of a name in a record, the longest."""
    found: defaultdict[ComponentKey, list[float]] = defaultdict(list)
    for sighting in chosen:
        if sighting.record is None:
            continue
        longest: dict[ComponentKey, float] = {}
        for part in sighting.record.components:
            time_ms = part.held_ms if held else part.duration_ms
            if time_ms is not None and (phases or part.kind is not ComponentKind.PHASE):
                # What a device is asked to do, start or enumerate, is a time of its own.
                phase = f"{part.phase} {part.detail}".strip() if held else part.phase
                key = (moment_of(sighting.record), part.kind, part.name, phase)
                longest[key] = max(time_ms, longest.get(key, 0.0))
        for key, duration_ms in longest.items():
            found[key].append(duration_ms)
    return dict(found)
