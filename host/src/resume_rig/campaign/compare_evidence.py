"""What `compare` reads: campaign stores and OS logs, told apart by content, and folders of them."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from resume_rig.analysis.compare_samples import Evidence, evidence_of_cycles, evidence_of_log
from resume_rig.analysis.judge import judge_log
from resume_rig.campaign.assess import assess, facts_of
from resume_rig.campaign.fleet_line import origin_of
from resume_rig.campaign.fleet_stores import SUFFIX
from resume_rig.campaign.stored import load_campaign
from resume_rig.model.errors import RecordError
from resume_rig.model.os_record import LogReading
from resume_rig.model.requirement import Requirement
from resume_rig.model.units import seconds_text
from resume_rig.oslog.reading import read_logs
from resume_rig.oslog.registry import HEAD_BYTES, format_of

_SQLITE_MAGIC = b"SQLite format 3\0"
# What a plan sets and a time may depend on.
_SETTINGS = ("state", "sleep_by", "wake_by", "dwell_ns", "settle_ns", "press_ns", "short_dwell")
_FILES_MOST = 10_000


def find_sessions(places: Sequence[Path]) -> tuple[Path, ...]:
    """Return the files that are named, and the stores in or below folders that are named.

    A folder without a store gives the OS logs that lie in it. Each file comes once.

    Raises:
        RecordError: a folder has neither.
    """
    found: dict[Path, Path] = {}
    for place in places:
        for path in _sessions_in(place) if place.is_dir() else [place]:
            found.setdefault(path.resolve(), path)
    return tuple(found.values())


def load_evidence(path: Path, requirement: Requirement | None = None) -> Evidence:
    """Return what a store or a log has to be compared.

    Args:
        path: of one or the other.
        requirement: what it is judged against; None judges nothing.

    Raises:
        RecordError: it cannot be read, or is neither.
    """
    return _of_store(path, requirement) if _is_store(path) else _of_log(path, requirement)


def _of_log(path: Path, requirement: Requirement | None) -> Evidence:
    reading = read_logs([path])
    begun = [r.sleep_time_utc_ns for r in reading.records if r.sleep_time_utc_ns is not None]
    evidence = replace(
        evidence_of_log(str(path), reading),
        begun_utc_ns=min(begun, default=None),
        origin=_origin_of_log(path, reading),
    )
    if requirement is None:
        return evidence
    judged = judge_log(reading, requirement)
    return replace(evidence, limits=judged.limits, verdict=judged.verdict)


def _of_store(path: Path, requirement: Requirement | None) -> Evidence:
    stored = load_campaign(path)
    judged = assess(stored, requirement)
    facts = facts_of(stored)
    setting = {
        name.removesuffix("_ns").replace("_", " "): _setting_text(name, facts.plan[name])
        for name in _SETTINGS
        if name in facts.plan
    }
    builds = {r.os_build for r in stored.reading.records if r.os_build is not None}
    # By which port or URL a board was reached makes it no other board.
    identity = {**facts.identity, "rig": stored.identity.rig.board}
    if builds:
        identity["os_build"] = ", ".join(str(build) for build in sorted(builds))
    evidence = replace(
        evidence_of_cycles(str(path), judged.cycles, identity, setting),
        begun_utc_ns=stored.identity.created_utc_ns,
        origin=origin_of(stored),
        # What stands behind a comma is no address: a seed, a clock.
        rig=f"{stored.identity.rig.board} at {stored.identity.rig_url.partition(',')[0]}",
    )
    if requirement is None:
        return evidence
    return replace(evidence, limits=judged.limits, verdict=judged.verdict)


def load_sessions(
    places: Sequence[Path], requirement: Requirement | None = None
) -> tuple[Evidence, ...]:
    """Return one side of a comparison: each file is a session, copies of one count once.

    Raises:
        RecordError: a file cannot be read, or is neither store nor log.
    """
    found: dict[str, Evidence] = {}
    for path in find_sessions(places):
        evidence = load_evidence(path, requirement)
        first = found.setdefault(evidence.origin, evidence)
        if first is not evidence:
            note = f"{evidence.path} is a copy of {first.path} and counts once."
            found[first.origin] = replace(first, notes=(*first.notes, note))
    return tuple(found.values())


def _sessions_in(folder: Path) -> list[Path]:
    stores = sorted(path for path in folder.rglob(f"*{SUFFIX}") if path.is_file())
    found = stores or sorted(path for path in folder.iterdir() if path.is_file() and _is_log(path))
    if not found or len(found) > _FILES_MOST:
        what = f"{len(found)} files" if found else f"no *{SUFFIX} in it or below, and no OS log"
        raise RecordError(
            f"could not compare {folder}: found {what}; allowed is a folder of up to "
            f"{_FILES_MOST} campaign stores or OS logs"
        )
    return found


def _is_log(path: Path) -> bool:
    with path.open("rb") as stream:
        return format_of(stream.read(HEAD_BYTES)) is not None


def _origin_of_log(path: Path, reading: LogReading) -> str:
    """Return what copies of a log have in common, whatever they are called."""
    told = [
        (r.kind.value, r.sleep_time_utc_ns, r.wake_time_utc_ns, r.sleep_ms, r.wake_ms)
        for r in reading.records
    ]
    timed = any(r.wake_time_utc_ns is not None for r in reading.records)
    return hashlib.sha256(repr(told).encode()).hexdigest() if timed else str(path.resolve())


def _setting_text(name: str, value: object) -> str:
    return seconds_text(value) if name.endswith("_ns") and isinstance(value, int) else str(value)


def _is_store(path: Path) -> bool:
    try:
        if path.exists() and not path.is_file():
            raise RecordError(
                f"could not compare {path}: found a device; allowed are campaign stores, OS logs "
                "and folders of them"
            )
        with path.open("rb") as stream:
            return stream.read(len(_SQLITE_MAGIC)) == _SQLITE_MAGIC
    except OSError as error:
        raise RecordError(
            f"could not compare {path}: {error.strerror or error}; allowed are campaign stores, "
            "OS logs and folders of them"
        ) from error
