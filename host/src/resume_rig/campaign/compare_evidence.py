"""What `compare` reads: a campaign store, or an OS log, told apart by its content."""

from pathlib import Path

from resume_rig.analysis.compare_samples import Evidence, evidence_of_cycles, evidence_of_log
from resume_rig.campaign.assess import assess, facts_of
from resume_rig.campaign.stored import load_campaign
from resume_rig.model.errors import RecordError
from resume_rig.model.units import seconds_text
from resume_rig.oslog.reading import read_logs

_SQLITE_MAGIC = b"SQLite format 3\0"
# What a plan sets and a time may depend on.
_SETTINGS = ("state", "sleep_by", "wake_by", "dwell_ns", "settle_ns", "press_ns", "short_dwell")


def load_evidence(path: Path) -> Evidence:
    """Return what a store or a log has to be compared.

    Raises:
        RecordError: it cannot be read, or is neither.
    """
    if not _is_store(path):
        return evidence_of_log(str(path), read_logs([path]))
    stored = load_campaign(path)
    facts = facts_of(stored)
    setting = {
        name.removesuffix("_ns").replace("_", " "): _told(name, facts.plan[name])
        for name in _SETTINGS
        if name in facts.plan
    }
    builds = {r.os_build for r in stored.reading.records if r.os_build is not None}
    # By which port or URL a board was reached makes it no other board.
    identity = {**facts.identity, "rig": stored.identity.rig.board}
    if builds:
        identity["os_build"] = ", ".join(str(build) for build in sorted(builds))
    return evidence_of_cycles(str(path), assess(stored).cycles, identity, setting)


def _told(name: str, value: object) -> str:
    return seconds_text(value) if name.endswith("_ns") and isinstance(value, int) else str(value)


def _is_store(path: Path) -> bool:
    try:
        if path.exists() and not path.is_file():
            found = "a folder" if path.is_dir() else "a device"
            raise RecordError(
                f"could not compare {path}: found {found}; allowed are a campaign store and an OS "
                "log"
            )
        with path.open("rb") as stream:
            return stream.read(len(_SQLITE_MAGIC)) == _SQLITE_MAGIC
    except OSError as error:
        raise RecordError(
            f"could not compare {path}: {error.strerror or error}; allowed are a campaign store "
            "and an OS log"
        ) from error
