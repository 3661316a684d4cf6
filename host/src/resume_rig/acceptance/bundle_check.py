"""The check of a bundle of evidence, which comes from somebody else.

Nothing of it is unpacked by its own name, and no more is read than it declares, within bounds.
"""

import hashlib
import json
import math
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from enum import StrEnum, unique
from pathlib import Path
from typing import IO, Any, Final

from resume_rig.acceptance.archive import FILES_MOST, Entry, NotCanonical, content, read_entries
from resume_rig.acceptance.bundle import (
    ANSWER,
    LOGS,
    MANIFEST,
    NAMESPACE,
    REPORT,
    SCHEMA,
    SIGNATURE,
    STORE,
    RequirementId,
    Trace,
    Waiver,
    judge_bundled,
    manifest_bytes,
    run_keygen,
    software,
)
from resume_rig.model.errors import RecordError, ResumeRigError, UsageError
from resume_rig.model.evidence import evidence_text, was_simulated
from resume_rig.model.result.verdict import Verdict
from resume_rig.report.text.hostile_text import one_line

_MANIFEST_MOST: Final = 4 * 1024**2
# Deflate makes 1 byte of 1,032 at most, and a store or a log 20; a bomb is near the former.
_RATIO_MOST: Final = 200
_RATIO_FROM_BYTES: Final = 64 * 1024**2
_NAME: Final = re.compile(
    r"store\.rrs|report\.html|answer\.json|manifest\.json(\.sig)?|logs/[0-9]{3}"
)
_KEYS: Final = {
    *("schema", "verdict", "why", "begun", "identity", "requirement", "requirements", "waivers"),
    *("software", "files"),
}
# Versions of libraries move the last digits of a figure.
_SAME_FIGURE: Final = 1e-9


@unique
class Standing(StrEnum):
    """What a bundle is worth to whoever checks it."""

    TRUSTED = "trusted"
    """It is whole, and signed by a key that the user named."""
    WHOLE = "whole"
    """It is whole, and nobody vouches for it: whoever made it could have made up all of it."""
    NOT_WHOLE = "not-whole"
    """Something of it is missing, changed, hidden, or not what its store gives."""


@unique
class Signed(StrEnum):
    """What a bundle's signature proves."""

    TRUSTED = "signed by a key that is allowed"
    UNVOUCHED = "signed, by a key that nobody here vouches for"
    UNSIGNED = "not signed"
    BAD = "the signature is not of this bundle"


@dataclass(frozen=True, slots=True)
class Verified:
    """What a check of a bundle found.

    Attributes:
        problems: a sentence for each thing that is not as it should be; none: it is whole.
        signed, signer: who signed, as the allowed signers name it, or the key's fingerprint.
        verdict: that the bundle states; "" where it has no manifest that can be read.
        judged: that its store gives again; None where that was not asked for, or not possible.
        compared, not_compared: what was made from the store again, and found to be the same; what
            could not be compared, and why.
        files, matched: in the bundle, and how many of them have the manifest's checksum.
        requirements: id, measure, verdict, and how it is waived ("" where it is not).
        simulated: its manifest states that no PC was measured; None where it leaves that open.
    """

    problems: tuple[str, ...]
    signed: Signed = Signed.UNSIGNED
    signer: str = ""
    verdict: str = ""
    judged: str | None = None
    compared: tuple[str, ...] = ()
    not_compared: tuple[str, ...] = ()
    dut: str = ""
    simulated: bool | None = None
    begun: str | None = None
    files: int = 0
    matched: int = 0
    size_bytes: int = 0
    requirements: tuple[tuple[str, str, str, str], ...] = ()

    @property
    def outcome(self) -> Standing:
        """What it is worth."""
        if self.problems:
            return Standing.NOT_WHOLE
        return Standing.TRUSTED if self.signed is Signed.TRUSTED else Standing.WHOLE


def verify_bundle(
    bundle: Path, today: date, *, allowed: Path | None = None, judge: bool = False
) -> Verified:
    """Check a bundle; it may come from anybody, and nothing of it is believed.

    Args:
        bundle: the file.
        today: by which waivers end.
        allowed: OpenSSH's file of allowed signers; None: nobody vouches for any key.
        judge: judge the store again, and compare everything that follows from it.

    Raises:
        RecordError: the file cannot be read.
        UsageError: the allowed signers, or ssh-keygen, are not there.
    """
    if allowed is not None and not allowed.is_file():
        raise UsageError(f"could not read the allowed signers {allowed}: there is no such file")
    with tempfile.TemporaryDirectory() as made, _opened(bundle) as stream:
        try:
            entries = _entries(stream)
            manifest = _read_manifest(_small(stream, entries[MANIFEST]))
            signature = _small(stream, entries[SIGNATURE]) if SIGNATURE in entries else None
        except NotCanonical as error:
            return Verified((one_line(str(error)),))
        own = {each: entries[each] for each in entries if each not in {MANIFEST, SIGNATURE}}
        problems, matched = _content_problems(stream, own, manifest)
        signed, signer = _signature(manifest.content, signature, allowed, Path(made))
        if signed is Signed.BAD:
            problems.append(signed.value)
        again = _Again()
        if judge and not problems:
            again = _judged_again(stream, own, manifest, Path(made) / STORE)
    return Verified(
        problems=(*problems, *again.problems),
        signed=signed,
        signer=signer,
        verdict=manifest.verdict,
        judged=again.verdict,
        compared=tuple(again.compared),
        not_compared=tuple(again.not_compared),
        dut=manifest.dut,
        simulated=manifest.simulated,
        begun=manifest.begun,
        files=len(own),
        matched=matched,
        size_bytes=sum(entry.size_bytes for entry in own.values()),
        requirements=_requirement_rows(manifest, today),
    )


@contextmanager
def _opened(bundle: Path) -> Iterator[IO[bytes]]:
    if bundle.exists() and not bundle.is_file():  # a pipe would be waited for
        raise RecordError(f"could not read the bundle {bundle}: it is a folder or a device")
    try:
        with bundle.open("rb") as stream:
            yield stream
    except OSError as error:
        raise RecordError(
            f"could not read the bundle {bundle}: {error.strerror or error}"
        ) from error


def _entries(stream: IO[bytes]) -> dict[str, Entry]:
    """Return the files of an archive by name; one that is made to harm is refused as a whole."""
    entries = read_entries(stream)
    for entry in entries:
        if not _NAME.fullmatch(entry.name):
            raise NotCanonical(
                f"{entry.name!r} is no file that a bundle has; allowed are {STORE}, {REPORT}, "
                f"{ANSWER}, {MANIFEST}, {SIGNATURE} and {LOGS}/NUMBER"
            )
    # Of the file as a whole: many small bombs are a large one.
    size = sum(entry.size_bytes for entry in entries)
    packed = max(1, sum(entry.packed_bytes for entry in entries))
    if size > max(_RATIO_FROM_BYTES, _RATIO_MOST * packed):
        raise NotCanonical(
            f"it grows to {size // packed} times its size when it is unpacked; allowed are "
            f"{_RATIO_MOST} times"
        )
    found = {entry.name: entry for entry in entries}
    if MANIFEST not in found:
        raise NotCanonical(f"it has no {MANIFEST}")
    return found


def _small(stream: IO[bytes], entry: Entry) -> bytes:
    if entry.size_bytes > _MANIFEST_MOST:
        raise NotCanonical(
            f"{entry.name} has {entry.size_bytes} bytes; allowed are {_MANIFEST_MOST}"
        )
    return b"".join(content(stream, entry))


@dataclass(frozen=True, slots=True)
class _Manifest:
    """What a manifest states, in the form that it has to have; texts are hostile."""

    content: bytes
    stated: Mapping[str, Any]
    verdict: str
    dut: str
    simulated: bool | None
    begun: str | None
    files: Mapping[str, tuple[int, str]]
    requirements: tuple[tuple[str, str, str], ...]
    waivers: tuple[Waiver, ...]


def _read_manifest(text: bytes) -> _Manifest:
    try:
        found = json.loads(text.decode("utf-8"))
        if found["schema"] != SCHEMA:
            raise NotCanonical(
                f"its schema is {found['schema']!r:.40}; this program reads {SCHEMA}"
            )
        # A key that is there twice is another one to another reader.
        if manifest_bytes(found) != text or set(found) != _KEYS:
            raise NotCanonical(f"its {MANIFEST} is not as this program writes one")
        if max(len(found[name]) for name in ("files", "requirements", "waivers")) > FILES_MOST:
            raise NotCanonical(
                f"its {MANIFEST} has more than {FILES_MOST} files, requirements or waivers"
            )
        return _Manifest(
            content=text,
            stated=found,
            verdict=Verdict(found["verdict"]).value,
            dut=str(found["identity"]["dut"]),
            simulated=_was_simulated(found["identity"]),
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
        raise NotCanonical(f"its {MANIFEST} is not of the form that one has") from error


def _was_simulated(identity: Mapping[str, Any]) -> bool | None:
    """Return whether a manifest states that no PC was measured; None where it leaves that open."""
    stated = identity.get("evidence")
    board, _, url = str(identity.get("rig", "")).partition(" at ")
    found = {evidence_text(each): each for each in (True, False)}.get(str(stated))
    return was_simulated(board, url) if found is None else found


def _content_problems(
    stream: IO[bytes], entries: Mapping[str, Entry], manifest: _Manifest
) -> tuple[list[str], int]:
    """Return what differs between files and manifest, and how many files do not."""
    problems = [
        f"{one_line(name, 80)} is missing" for name in manifest.files if name not in entries
    ]
    if len(manifest.files) != len(manifest.stated["files"]):
        problems.append("the manifest names a file twice")
    matched = 0
    for name, entry in entries.items():
        if name not in manifest.files:
            problems.append(f"{name} is not in the manifest")
            continue
        try:
            digest = _digest(content(stream, entry))
        except NotCanonical as error:
            problems.append(str(error))
            continue
        if (entry.size_bytes, digest) == manifest.files[name]:
            matched += 1
        else:
            problems.append(f"{name} is not the file that the manifest names (SHA-256)")
    for name in (STORE, REPORT, ANSWER):
        if name not in manifest.files:
            problems.append(f"the manifest names no {name}")
    return problems, matched


def _signature(
    text: bytes, signature: bytes | None, allowed: Path | None, place: Path
) -> tuple[Signed, str]:
    if signature is None:
        return Signed.UNSIGNED, ""
    file = place / "signature"
    file.write_bytes(signature)
    words = ("-n", NAMESPACE, "-s", str(file))
    if allowed is not None:
        names = run_keygen("find-principals", "-f", str(allowed), *words[2:])
        for name in names.stdout.decode("utf-8", "replace").splitlines():
            found = run_keygen("verify", "-f", str(allowed), "-I", name, *words, stdin=text)
            if found.returncode == 0:
                return Signed.TRUSTED, name
    done = run_keygen("check-novalidate", *words, stdin=text)
    key = re.search(rb"key (SHA256:[A-Za-z0-9+/=]+)", done.stdout)
    if done.returncode != 0:
        return Signed.BAD, ""
    return Signed.UNVOUCHED, "" if key is None else key.group(1).decode()


class _Again:
    """What a bundle's store gives when it is judged again, against what the bundle says."""

    def __init__(self) -> None:
        self.verdict: str | None = None
        self.problems: list[str] = []
        self.compared: list[str] = []
        self.not_compared: list[str] = []

    def compare(self, name: str, ours: object, theirs: object) -> None:
        """Note whether a part is what the store gives."""
        if _is_same(ours, theirs):
            self.compared.append(name)
            return
        scalar = not isinstance(ours, dict | list) and not isinstance(theirs, dict | list)
        detail = f": {ours!r:.200}, and the bundle says {theirs!r:.200}" if scalar else ""
        self.problems.append(f"{name} is not what its store gives{detail}")

    def note(self, name: str, others: Sequence[str], *, same: bool) -> None:
        """Note whether a file is the one that the store gives."""
        if same:
            self.compared.append(name)
        elif others:
            self.not_compared.append(f"{name}: the bundle was made with {', '.join(others)}")
        else:
            self.problems.append(f"{name} is not what its store gives")


def _is_same(ours: object, theirs: object) -> bool:
    """Return whether two JSON values are the same, but for the last digits of a figure."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(_is_same(ours[k], theirs[k]) for k in ours)
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(_is_same, ours, theirs))
    if isinstance(ours, float) and isinstance(theirs, float):
        return math.isclose(ours, theirs, rel_tol=_SAME_FIGURE)
    return type(ours) is type(theirs) and ours == theirs


def _judged_again(
    stream: IO[bytes], entries: Mapping[str, Entry], manifest: _Manifest, store: Path
) -> _Again:
    """Judge the store of a bundle, and compare everything that follows from it."""
    found = _Again()
    with store.open("wb") as target:
        target.writelines(content(stream, entries[STORE]))
    trace = Trace(
        tuple(RequirementId(name, measure) for name, measure, _ in manifest.requirements),
        manifest.waivers,
    )
    try:
        judged = judge_bundled(store)
        found.verdict = judged.assessed.correlation.verdict.value
        stated = json.loads(manifest_bytes(judged.stated(trace)))
        texts = [(name, _digest(pieces)) for name, pieces in judged.texts()]
    except ResumeRigError as error:
        found.problems.append(f"its store cannot be judged: {one_line(str(error), 200)}")
        return found
    for name, value in stated.items():
        found.compare(name, value, manifest.stated[name])
    others = _other_versions(manifest.stated["software"])
    for name, digest in texts:
        # The manifest's checksum is that of the file in the bundle: that was checked.
        found.note(name, others, same=digest == manifest.files[name][1])
    return found


def _digest(pieces: Iterable[bytes]) -> str:
    sha = hashlib.sha256()
    for piece in pieces:
        sha.update(piece)
    return sha.hexdigest()


def _other_versions(theirs: object) -> list[str]:
    """Return with which other software than this a bundle says that it was made."""
    if not isinstance(theirs, dict):
        return ["unknown software"]
    ours = software()
    return [
        one_line(f"{name} {theirs.get(name)}", 80)
        for name in ours
        if name != "system" and theirs.get(name) != ours[name]
    ]


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
