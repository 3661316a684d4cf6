"""The check of a bundle of evidence, which comes from somebody else.

Nothing of it is unpacked by its own name, and no more is read than it declares, within bounds.
"""

import hashlib
import io
import json
import re
import shutil
import stat
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from enum import StrEnum, unique
from pathlib import Path
from typing import Final

from resume_rig.acceptance.bundle import (
    ANSWER,
    CHUNK,
    FILES_MOST,
    LOGS,
    MANIFEST,
    NAMESPACE,
    REPORT,
    SCHEMA,
    SIGNATURE,
    STORE,
    Waiver,
    run_keygen,
)
from resume_rig.acceptance.campaign import load_campaign
from resume_rig.model.errors import RecordError, ResumeRigError, UsageError
from resume_rig.model.result.verdict import Verdict
from resume_rig.report.text.hostile_text import one_line

# Far more than a campaign of 100,000 cycles with light has (2 GB); bounds what a hostile one costs.
BYTES_MOST: Final = 16 * 1024**3
_MANIFEST_MOST: Final = 4 * 1024**2
# Deflate makes 1 byte of 1,032 at most, and a store or a log 20; a bomb is near the former.
_RATIO_MOST: Final = 200
_RATIO_FROM_BYTES: Final = 64 * 1024**2
# A directory of 500 files has 40 KB; each of its entries becomes an object, ten times as large.
_AT_ONCE_MOST: Final = 4 * 1024**2
# LZMA takes the memory that a file asks for, 4 GB; bundles are packed in these ways alone.
_WAYS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_NAME: Final = re.compile(
    r"store\.rrs|report\.html|answer\.json|manifest\.json(\.sig)?|logs/[0-9]{3}"
)


# RuntimeError: an entry is encrypted; ValueError: a name is no text, or a place is before the file.
_DAMAGED: Final = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError),
    *(RuntimeError, ValueError, OverflowError),
)


@unique
class Signed(StrEnum):
    """What a bundle's signature proves."""

    TRUSTED = "signed by a key that is allowed"
    UNVOUCHED = "signed, by a key that nobody here vouches for"
    UNSIGNED = "not signed"
    BAD = "the signature is not of this bundle, or of no key that is allowed"


@dataclass(frozen=True, slots=True)
class Verified:
    """What a check of a bundle found.

    Attributes:
        problems: a sentence for each thing that does not hold; none: it is whole.
        signer: who signed, as the allowed signers name it, or the key's fingerprint; "" of none.
        verdict: that the bundle states; judged: that its store gives again, None where not asked.
        requirements: id, measure, verdict, and how it is waived ("" where it is not).
    """

    problems: tuple[str, ...]
    signed: Signed
    signer: str
    verdict: str
    judged: str | None
    dut: str
    begun: str | None
    files: int
    size_bytes: int
    requirements: tuple[tuple[str, str, str, str], ...]

    @property
    def holds(self) -> bool:
        """Whether it is whole, and what is signed is signed by whom it should be."""
        return not self.problems


def verify_bundle(
    bundle: Path, today: date, *, allowed: Path | None = None, judge: bool = False
) -> Verified:
    """Check a bundle; it may come from anybody, and nothing of it is believed.

    Args:
        bundle: the file.
        today: by which waivers end.
        allowed: OpenSSH's file of allowed signers; None: any key, and nobody vouches for it.
        judge: judge the store again, and compare.

    Raises:
        RecordError: it is no bundle, or one that is made to harm; nothing was unpacked.
        UsageError: the allowed signers, or ssh-keygen, are not there.
    """
    if allowed is not None and not allowed.is_file():
        raise UsageError(f"could not read the allowed signers {allowed}: there is no such file")
    with tempfile.TemporaryDirectory() as made:
        with _opened(bundle) as archive:
            entries = _entries(archive, bundle)
            signature = (
                _small(archive, entries.pop(SIGNATURE), bundle) if SIGNATURE in entries else None
            )
            content = _small(archive, entries.pop(MANIFEST), bundle)
            manifest = _read_manifest(content, bundle)
            problems = _content_problems(archive, entries, manifest)
            signed, signer = _signature(content, signature, allowed, Path(made))
            if signed is Signed.BAD or (allowed is not None and signed is not Signed.TRUSTED):
                problems.append(f"{signed.value}{f' ({signer})' if signer else ''}")
            store = Path(made) / STORE
            if judge and STORE in entries and not problems:
                with archive.open(entries[STORE]) as source, store.open("wb") as target:
                    shutil.copyfileobj(source, target, CHUNK)
        judged = _judged_again(store) if store.exists() else None
        if judged is not None and judged != manifest.verdict:
            problems.append(
                f"its store is judged {judged}, and the manifest says {manifest.verdict}"
            )
    return Verified(
        problems=tuple(problems),
        signed=signed,
        signer=signer,
        verdict=manifest.verdict,
        judged=judged,
        dut=manifest.dut,
        begun=manifest.begun,
        files=len(entries),
        size_bytes=sum(entry.file_size for entry in entries.values()),
        requirements=_requirement_rows(manifest, today),
    )


def _unreadable(bundle: Path, why: str) -> RecordError:
    return RecordError(f"could not read the bundle {bundle}: {why}")


class _Bounded(io.BufferedReader):
    """A file that gives no more at once than an archive of ours needs."""

    def read(self, size: int | None = -1, /) -> bytes:
        """Return so many bytes.

        Raises:
            BadZipFile: that is more than any part of a bundle that is read at once.
        """
        found = super().read(_AT_ONCE_MOST + 1 if size is None or size < 0 else size)
        if len(found) > _AT_ONCE_MOST:
            raise zipfile.BadZipFile("its directory is larger than that of any bundle")
        return found


@contextmanager
def _opened(bundle: Path) -> Iterator[zipfile.ZipFile]:
    if bundle.exists() and not bundle.is_file():  # a pipe would be waited for
        raise _unreadable(bundle, "it is a folder or a device")
    try:
        with _Bounded(io.FileIO(bundle)) as file, zipfile.ZipFile(file) as archive:
            yield archive
    except OSError as error:
        raise _unreadable(bundle, f"{error.strerror or error}") from error
    except _DAMAGED as error:
        raise _unreadable(
            bundle, f"it is damaged, or no bundle ({one_line(str(error))})"
        ) from error


def _entries(archive: zipfile.ZipFile, bundle: Path) -> dict[str, zipfile.ZipInfo]:
    """Return the files of an archive by name; one that is made to harm is refused as a whole."""
    infos = archive.infolist()
    if len(infos) > FILES_MOST:
        raise _unreadable(bundle, f"it has {len(infos)} files; allowed are {FILES_MOST}")
    found: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        name = info.filename
        if not _NAME.fullmatch(info.orig_filename) or stat.S_ISLNK(info.external_attr >> 16):
            raise _unreadable(
                bundle,
                f"{one_line(name, 80)!r} is no file that a "
                f"bundle has; allowed are {STORE}, {REPORT}, {ANSWER}, {MANIFEST}, {SIGNATURE} and "
                f"{LOGS}/NUMBER",
            )
        if info.compress_type not in _WAYS:
            raise _unreadable(
                bundle,
                f"{name} is packed in a way that no bundle is; allowed are stored and deflated",
            )
        if name in found:
            raise _unreadable(bundle, f"it has {name} twice")
        found[name] = info
    # Of the file as a whole: entries may share their bytes, and many small bombs are a large one.
    size, packed = sum(info.file_size for info in infos), max(1, bundle.stat().st_size)
    if size > max(_RATIO_FROM_BYTES, _RATIO_MOST * packed):
        raise _unreadable(
            bundle,
            f"it grows to {size // packed} times its size when "
            f"it is unpacked; allowed are {_RATIO_MOST} times",
        )
    if size > BYTES_MOST:
        raise _unreadable(bundle, f"it holds more than {BYTES_MOST // 1024**3} GiB")
    if MANIFEST not in found:
        raise _unreadable(bundle, f"it has no {MANIFEST}")
    return found


def _small(archive: zipfile.ZipFile, info: zipfile.ZipInfo, bundle: Path) -> bytes:
    if info.file_size > _MANIFEST_MOST:
        raise _unreadable(
            bundle, f"{info.filename} has {info.file_size} bytes; allowed are {_MANIFEST_MOST}"
        )
    with archive.open(info) as stream:
        return stream.read(_MANIFEST_MOST)


@dataclass(frozen=True, slots=True)
class _Manifest:
    """What a manifest states, in the form that it has to have; texts are hostile."""

    verdict: str
    dut: str
    begun: str | None
    files: Mapping[str, tuple[int, str]]
    requirements: tuple[tuple[str, str, str], ...]
    waivers: tuple[Waiver, ...]


def _read_manifest(content: bytes, bundle: Path) -> _Manifest:
    try:
        found = json.loads(content.decode("utf-8"))
        if found["schema"] != SCHEMA:
            raise _unreadable(
                bundle, f"its schema is {found['schema']!r:.40}; this program reads {SCHEMA}"
            )
        if max(len(found[name]) for name in ("files", "requirements", "waivers")) > FILES_MOST:
            raise _unreadable(
                bundle, f"its {MANIFEST} has more than {FILES_MOST} files, requirements or waivers"
            )
        return _Manifest(
            verdict=Verdict(found["verdict"]).value,
            dut=str(found["identity"]["dut"]),
            begun=None if found["begun"] is None else str(found["begun"]),
            files={str(f["name"]): (int(f["bytes"]), str(f["sha256"])) for f in found["files"]},
            requirements=tuple(
                (str(each["id"]), str(each["measure"]), Verdict(each["verdict"]).value)
                for each in found["requirements"]
            ),
            waivers=tuple(
                Waiver(
                    str(each["id"]),
                    str(each["name"]),
                    str(each["reason"]),
                    date.fromisoformat(each["until"]),
                )
                for each in found["waivers"]
            ),
        )
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError) as error:
        raise _unreadable(bundle, f"its {MANIFEST} is not of the form that one has") from error


def _content_problems(
    archive: zipfile.ZipFile, entries: Mapping[str, zipfile.ZipInfo], manifest: _Manifest
) -> list[str]:
    """Return what differs between files and manifest."""
    problems = [
        f"{one_line(name, 80)} is missing" for name in manifest.files if name not in entries
    ]
    for name, info in entries.items():
        if name not in manifest.files:
            problems.append(f"{name} is not in the manifest")
            continue
        size, digest = manifest.files[name]
        try:
            found = _digest(archive, info)
        except zipfile.BadZipFile:
            problems.append(f"{name} is damaged")
            continue
        if (info.file_size, found) != (size, digest):
            problems.append(f"{name} is not the file that the manifest names (SHA-256)")
    for name in (STORE, REPORT, ANSWER):
        if name not in manifest.files:
            problems.append(f"the manifest names no {name}")
    return problems


def _digest(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> str:
    """Return the SHA-256 of what an entry declares to hold, and of no byte more."""
    sha, left = hashlib.sha256(), info.file_size
    with archive.open(info) as stream:
        while left > 0 and (chunk := stream.read(min(CHUNK, left))):
            sha.update(chunk)
            left -= len(chunk)
    return sha.hexdigest()


def _signature(
    content: bytes, signature: bytes | None, allowed: Path | None, place: Path
) -> tuple[Signed, str]:
    if signature is None:
        return Signed.UNSIGNED, ""
    file = place / "signature"
    file.write_bytes(signature)
    words = ("-n", NAMESPACE, "-s", str(file))
    if allowed is None:
        done = run_keygen("check-novalidate", *words, stdin=content)
        key = re.search(rb"key (SHA256:[A-Za-z0-9+/=]+)", done.stdout)
        if done.returncode != 0:
            return Signed.BAD, ""
        return Signed.UNVOUCHED, "" if key is None else key.group(1).decode()
    names = run_keygen("find-principals", "-f", str(allowed), *words[2:])
    for name in names.stdout.decode("utf-8", "replace").splitlines():
        found = run_keygen("verify", "-f", str(allowed), "-I", name, *words, stdin=content)
        if found.returncode == 0:
            return Signed.TRUSTED, name
    return Signed.BAD, ""


def _judged_again(store: Path) -> str:
    try:
        return load_campaign(store).correlation.verdict.value
    except ResumeRigError as error:
        return f"not at all ({one_line(str(error), 200)})"


def _requirement_rows(manifest: _Manifest, today: date) -> tuple[tuple[str, str, str, str], ...]:
    """Return id, measure, verdict and waiver of each requirement."""
    rows = []
    for name, measure, verdict in manifest.requirements:
        words = [_waiver_words(each, today) for each in manifest.waivers if each.id == name]
        rows.append((name, measure, verdict, "; ".join(words)))
    return tuple(rows)


def _waiver_words(waiver: Waiver, today: date) -> str:
    ended = waiver.until < today
    word = "waiver ended" if ended else "waived"
    return f"{word} {'on' if ended else 'until'} {waiver.until}, by {waiver.name}: {waiver.reason}"
