"""A bundle of evidence: what somebody who was not there needs to check a verdict years later.

A ZIP file with the store, the report, logs, the requirement, who asked for what (requirement ids),
who waived what until when, and the versions of the software; `manifest.json` has the SHA-256 of
each, and `manifest.json.sig` is the lab's SSH signature of that (`ssh-keygen -Y sign`).
`bundle_check.py` checks one.
"""

import dataclasses
import hashlib
import platform
import shutil
import sqlite3
import subprocess
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from importlib import metadata
from pathlib import Path
from typing import Final

from resume_rig import __version__
from resume_rig.acceptance.archive import BYTES_MOST, FILES_MOST, write_archive
from resume_rig.acceptance.assessment import Assessed, html_at
from resume_rig.acceptance.campaign import load_campaign
from resume_rig.acceptance.whole_file import check_place_of, remedy_of, write_whole
from resume_rig.analysis.verdict.limits import limit_text
from resume_rig.campaign.store.store import Store
from resume_rig.model.errors import RecordError, UsageError
from resume_rig.report.campaign.document import correlation_pieces
from resume_rig.report.campaign.raw_data import raw_of_store
from resume_rig.report.parts.document import requirement_json
from resume_rig.report.text.hostile_text import one_line
from resume_rig.report.text.json_text import Json, json_text, text_json, utc_json

SCHEMA: Final = "resume-rig/bundle/1"
NAMESPACE: Final = "resume-rig-bundle"
"""What a signature is for: one of a file, or of a commit, is none of a bundle."""

MANIFEST: Final = "manifest.json"
SIGNATURE: Final = "manifest.json.sig"
STORE: Final = "store.rrs"
REPORT: Final = "report.html"
ANSWER: Final = "answer.json"
LOGS: Final = "logs"

_FILES_OF_OURS: Final = 5  # store, report, answer, manifest, signature
_TRACE_MOST: Final = 65_536
_TEXT_MOST: Final = 500
_KEYGEN_S: Final = 60
_PACKAGES: Final = ("numpy", "cbor2", "evtx", "pyserial", "jinja2", "pyvcd", "cffi")


@dataclass(frozen=True, slots=True)
class RequirementId:
    """A requirement of the user's own: its id in their tool, and the measure that answers it."""

    id: str
    measure: str


@dataclass(frozen=True, slots=True)
class Waiver:
    """Somebody accepts that a requirement is not met, until a day.

    Attributes:
        id: of the requirement. name: who waives it. reason: why. until: the last day of it.
    """

    id: str
    name: str
    reason: str
    until: date


@dataclass(frozen=True, slots=True)
class Trace:
    """What a file of requirement ids and waivers holds."""

    requirements: tuple[RequirementId, ...] = ()
    waivers: tuple[Waiver, ...] = ()


NOTHING_TRACED: Final = Trace()
"""No ids and no waivers."""


def load_trace(path: Path) -> Trace:
    """Read a file of requirement ids and waivers (TOML).

    Raises:
        UsageError: it cannot be read, or is not of its form; the sentence says where.
    """
    what = f"Reading the requirement ids of {path}"
    if path.exists() and not path.is_file():  # a pipe would be waited for
        raise UsageError(f"{what}: it is a folder or a device")
    try:
        with path.open("rb") as file:
            content = file.read(_TRACE_MOST + 1)
        if len(content) > _TRACE_MOST:
            raise UsageError(f"{what}: it is larger than {_TRACE_MOST} bytes")
        table = tomllib.loads(content.decode("utf-8"))
    except OSError as error:
        raise UsageError(f"{what}: {error.strerror or error}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{what}: it is not TOML ({error})") from error
    unknown = sorted(set(table) - {"requirement", "waiver"})
    if unknown:
        raise UsageError(f"{what}: {unknown[0]!r} is not allowed; tables are requirement, waiver")
    requirements = tuple(
        RequirementId(row["id"], row["measure"])
        for row in _rows(table, "requirement", ("id", "measure"), what)
    )
    ids = {each.id for each in requirements}
    waivers = []
    for row in _rows(table, "waiver", ("id", "name", "reason", "until"), what):
        if row["id"] not in ids:
            raise UsageError(f"{what}: the waiver of {row['id']!r:.80} is of no [[requirement]]")
        try:
            until = date.fromisoformat(row["until"])
        except ValueError:
            raise UsageError(
                f"{what}: the waiver of {row['id']!r:.80} is until {row['until']!r:.40}; a date is "
                "needed, for example 2027-01-31"
            ) from None
        waivers.append(Waiver(row["id"], row["name"], row["reason"], until))
    return Trace(requirements, tuple(waivers))


def _rows(
    table: Mapping[str, object], name: str, keys: Sequence[str], what: str
) -> Iterator[dict[str, str]]:
    found = table.get(name, [])
    if not isinstance(found, list) or len(found) > FILES_MOST:
        raise UsageError(f"{what}: {name} is not a list of tables [[{name}]], {FILES_MOST} at most")
    for number, row in enumerate(found, 1):
        place = f"{what}, [[{name}]] {number}"
        if not isinstance(row, dict) or set(row) != set(keys):
            raise UsageError(f"{place}: exactly {', '.join(keys)} are needed")
        texts = {key: str(row[key]) for key in keys}
        empty = [key for key, text in texts.items() if not text.strip() or len(text) > _TEXT_MOST]
        if empty or not all(isinstance(row[key], str | date) for key in keys):
            wrong = empty[0] if empty else "a value"
            raise UsageError(f"{place}: {wrong} is not a text of 1 to {_TEXT_MOST} characters")
        yield texts


def make_bundle(
    store: Path,
    out: Path,
    *,
    logs: Sequence[Path] = (),
    trace: Trace = NOTHING_TRACED,
    key: Path | None = None,
) -> None:
    """Write a bundle of a campaign, judged against its own requirement.

    Args:
        store: the campaign's.
        out: the bundle; there whole or not at all.
        logs: files that go with it, as they are.
        trace: requirement ids and waivers.
        key: SSH key that signs it; None: it is not signed. Of one that an agent holds the public
            part is enough.

    Raises:
        RecordError: the store, or a log, cannot be read.
        UsageError: the bundle cannot be written, a requirement id names a measure that the
            requirement does not limit, or the key cannot sign.
    """
    check_place_of(out)
    if len(logs) > (most := FILES_MOST - _FILES_OF_OURS):
        raise UsageError(
            f"could not make the bundle: {len(logs)} logs and traces; allowed are {most}"
        )
    try:
        with tempfile.TemporaryDirectory(prefix="resume-rig-bundle-") as made:
            place = Path(made)
            with Store.open(store) as opened:
                opened.copy_to(place / STORE)
            judged = judge_bundled(place / STORE)
            _check_trace(trace, judged.assessed)
            for name, pieces in judged.texts():
                with (place / name).open("wb") as file:
                    file.writelines(pieces)
            # A log's own name may be one that no other system takes: it stands in the manifest.
            (place / LOGS).mkdir()
            origins = {f"{LOGS}/{number:03d}": log for number, log in enumerate(logs, 1)}
            for name, log in origins.items():
                _copy_log(log, place / name)
            manifest = judged.stated(trace) | {
                "software": software(),
                "files": _files(place, origins),
            }
            (place / MANIFEST).write_bytes(manifest_bytes(manifest))
            names = [STORE, REPORT, ANSWER, *origins, MANIFEST]
            if key is not None:
                _sign(place / MANIFEST, key)
                names.append(SIGNATURE)
            _pack(place, names, out)
    except OSError as error:
        reason = f"{error.strerror or error}, in {tempfile.gettempdir()} where it is put together"
        remedy = remedy_of(error, "name another folder by TMPDIR")
        raise UsageError(f"could not make the bundle {out}: {reason}; {remedy}") from error


def _check_trace(trace: Trace, assessed: Assessed) -> None:
    limited = [each.limit.measure for each in assessed.correlation.limits]
    for each in trace.requirements:
        if each.measure not in limited:
            raise UsageError(
                f"could not make the bundle: {each.id!r} is answered by {each.measure!r:.80}, "
                f"which {assessed.facts.requirement.id} does not limit; it limits "
                f"{', '.join(limited)}"
            )


def _copy_log(log: Path, to: Path) -> None:
    if not log.is_file():  # a device has no end
        found = "it is a folder or a device" if log.exists() else "there is no such file"
        raise RecordError(f"could not put {log} into the bundle: {found}; name log files")
    try:
        shutil.copyfile(log, to)
    except OSError as error:
        reason, remedy = error.strerror or error, remedy_of(error, "name log files")
        raise RecordError(f"could not put {log} into the bundle: {reason}; {remedy}") from error


@dataclass(frozen=True, slots=True)
class Judged:
    """What a bundle states of the store in it, computed from that store alone."""

    assessed: Assessed
    begun: str | None

    def texts(self) -> Iterator[tuple[str, Iterable[bytes]]]:
        """Yield answer and report, each in pieces; both name the store as the bundle does."""
        pieces = correlation_pieces(self.assessed.campaign)
        yield ANSWER, (piece.encode() for piece in pieces)
        raw = raw_of_store(Path(STORE), Path(REPORT))
        yield REPORT, [html_at(self.assessed, f"begun {self.begun}", raw).encode()]

    def stated(self, trace: Trace) -> dict[str, Json]:
        """Return the part of the manifest that follows from the store and the trace.

        Raises:
            UsageError: a requirement id names a measure that the requirement does not limit.
        """
        _check_trace(trace, self.assessed)
        correlation, facts = self.assessed.correlation, self.assessed.facts
        verdicts = {each.limit.measure: each for each in correlation.limits}
        return {
            "schema": SCHEMA,
            "verdict": correlation.verdict.value,
            "why": text_json(correlation.why),
            "begun": self.begun,
            "identity": {name: text_json(value) for name, value in facts.identity.items()},
            "requirement": requirement_json(facts.requirement),
            "requirements": [
                {
                    "id": text_json(each.id),
                    "measure": each.measure,
                    "limit": limit_text(verdicts[each.measure].limit),
                    "verdict": verdicts[each.measure].verdict.value,
                }
                for each in trace.requirements
            ],
            "waivers": [
                {
                    "id": text_json(each.id),
                    "name": text_json(each.name),
                    "reason": text_json(each.reason),
                    "until": each.until.isoformat(),
                }
                for each in trace.waivers
            ],
        }


def judge_bundled(store: Path) -> Judged:
    """Judge the store of a bundle; the same store gives the same, wherever it lies.

    Raises:
        RecordError: it cannot be read.
    """
    assessed = load_campaign(store)
    with Store.open(store) as opened:
        begun = utc_json(opened.identity.created_utc_ns)
    facts = dataclasses.replace(assessed.facts, store_path=STORE)
    campaign = dataclasses.replace(assessed.campaign, facts=facts)
    return Judged(dataclasses.replace(assessed, campaign=campaign), begun)


def manifest_bytes(manifest: Mapping[str, Json]) -> bytes:
    """Return a manifest as a bundle has it."""
    return (json_text(manifest) + "\n").encode()


def _files(place: Path, origins: Mapping[str, Path]) -> list[Json]:
    files: list[Json] = []
    for name in (STORE, REPORT, ANSWER, *origins):
        with (place / name).open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        size = (place / name).stat().st_size
        file: dict[str, Json] = {"name": name, "bytes": size, "sha256": digest}
        if name in origins:
            file["origin"] = text_json(origins[name].name)
        files.append(file)
    return files


def software() -> dict[str, Json]:
    """Return the versions of what an answer and a report are made by."""
    found: dict[str, Json] = {
        "resume-rig": __version__,
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }
    for name in _PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = None
    return found


def run_keygen(*words: str, stdin: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    """Run `ssh-keygen -Y`.

    Raises:
        UsageError: it is not there, or does not end.
    """
    try:
        return subprocess.run(
            ["ssh-keygen", "-Y", *words],
            input=stdin,
            capture_output=True,
            check=False,
            timeout=_KEYGEN_S,
        )
    except FileNotFoundError as error:
        raise UsageError(
            "could not run ssh-keygen, which signs bundles and checks signatures: it is not on the "
            "PATH; install OpenSSH's client, 8.2 or later"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise UsageError(
            f"could not run ssh-keygen: it did not end within {_KEYGEN_S} s; a key with a "
            "passphrase has to be in an agent"
        ) from error


def _sign(path: Path, key: Path) -> None:
    if not key.is_file():
        raise UsageError(f"could not sign with {key}: there is no such file; name an SSH key")
    done = run_keygen("sign", "-f", str(key.absolute()), "-n", NAMESPACE, str(path))
    if done.returncode != 0:
        message = one_line(done.stderr.decode("utf-8", "replace"), 300)
        raise UsageError(f"could not sign with {key}: ssh-keygen said {message!r}")


def _pack(place: Path, names: Sequence[str], out: Path) -> None:
    try:
        write_whole(out, lambda stream: write_archive(stream, place, names))
    except OverflowError as error:
        raise UsageError(
            f"could not make the bundle {out}: it would have more than {BYTES_MOST} bytes; leave "
            "logs or traces out"
        ) from error
