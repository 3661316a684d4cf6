"""What `msa` reads: stores, and which unit and rig each is of."""

import csv
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from resume_rig.analysis.compare.precision import study_session
from resume_rig.analysis.compare.samples import Evidence, kinds_in
from resume_rig.campaign.answer.compare import load_evidence
from resume_rig.campaign.answer.fleet import find_stores
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import SleepKind
from resume_rig.model.result.fleet import UnitBy
from resume_rig.model.result.precision import StudySession

_COLUMNS = ("path", "unit", "rig")
_ROWS_MOST = 10_000


def read_design(path: Path) -> dict[Path, tuple[str, str]]:
    """Return unit and rig of each store or log of a design, a CSV of path, unit and rig.

    Paths in it are relative to its own folder.

    Raises:
        UsageError: it cannot be read, or is of another form.
    """
    if path.exists() and not path.is_file():  # a device never ends, a pipe never begins
        raise UsageError(
            f"could not read the design {path}: it is a folder or a device; name a CSV file"
        )
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream)
            rows = [row for row, _ in zip(reader, range(_ROWS_MOST), strict=False)]
            columns = reader.fieldnames or []
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no CSV in UTF-8"
        raise UsageError(f"could not read the design {path}: {reason}; name a CSV file") from error
    missing = [name for name in _COLUMNS if name not in columns]
    if missing or not rows:
        what = f"no column {missing[0]}" if missing else "no row"
        raise UsageError(
            f"could not read the design {path}: it has {what}; allowed are the columns "
            f"{', '.join(_COLUMNS)}, and a row for each session"
        )
    found: dict[Path, tuple[str, str]] = {}
    for number, row in enumerate(rows, 2):
        name, unit, rig = (row[column] or "" for column in _COLUMNS)
        place = path.parent / name
        if not name or not unit or not rig or place in found:
            what = "names a file again" if name and unit and rig else "has an empty field"
            raise UsageError(f"could not read the design {path}: line {number} {what}")
        found[place] = (unit, rig)
    return found


def load_study(
    stores: Sequence[Path],
    design: Mapping[Path, tuple[str, str]],
    unit_by: UnitBy,
    kind: SleepKind | None,
    told: Callable[[int, int, Path], None],
) -> list[StudySession]:
    """Return the sessions of a study.

    Args:
        stores: stores, and folders of them.
        design: unit and rig of further stores and logs.
        unit_by: what tells units of `stores` apart; their rig is the URL that they were run with.
        kind: of sleep; None for the commonest.
        told: called with how many are read, of how many, and the next.

    Raises:
        UsageError: there are fewer than two sessions.
        RecordError: one cannot be read.
    """
    found = find_stores(stores)
    if found.unread:
        raise UsageError(f"{found.unread[0].why}; name folders that can be read")
    named = dict.fromkeys(found.paths) | dict(design)
    evidence: dict[str, tuple[Evidence, tuple[str, str]]] = {}
    for number, (path, who) in enumerate(named.items()):
        told(number, len(named), path)
        each = load_evidence(path)
        evidence.setdefault(each.origin, (each, who or _who(path, each, unit_by)))
    if len(evidence) < 2:
        raise UsageError(
            f"could not study {len(evidence)} session: repeatability and reproducibility need "
            "two at least; name more stores"
        )
    kinds: Counter[SleepKind] = Counter()
    for each, _ in evidence.values():
        kinds.update(kinds_in(each))
    chosen = kind or next((each for each, _ in kinds.most_common(1)), SleepKind.S3)
    return [study_session(each, chosen, unit, rig) for each, (unit, rig) in evidence.values()]


def _who(path: Path, evidence: Evidence, unit_by: UnitBy) -> tuple[str, str]:
    match unit_by:
        case UnitBy.DUT:
            unit = evidence.identity.get("dut", "unknown")
        case UnitBy.FOLDER:
            unit = str(path.parent)
        case UnitBy.STORE:
            unit = str(path)
    return unit, evidence.rig or "unknown"
