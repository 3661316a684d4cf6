"""What a test expects of evidence that was handed over: that it is whole, and says the same."""

import hashlib
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from resume_rig.acceptance.expectations import Expectation
from resume_rig.model.errors import RecordError
from resume_rig.model.verdict import Verdict
from resume_rig.report.export.manifest import NAME
from resume_rig.report.hostile_text import one_line

_MOST_XML_BYTES: Final = 20_000_000
_AS_SAID: Final = {"failure": (Verdict.FAIL, Verdict.MARGINAL), "error": (Verdict.NO_EVIDENCE,)}


def evidence_is_whole(folder: Path) -> Expectation:
    """Return whether every file of the folder is the one of the manifest, and none is missing.

    Raises:
        RecordError: there is no manifest.
    """
    try:
        lines = (folder / NAME).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"could not read the manifest of {folder}: {error}") from error
    listed: dict[str, str] = {}
    for line in lines:
        digest, _, name = line.partition("  ")
        listed[name] = digest
    there = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()} - {NAME}
    wrong = [name for name, digest in listed.items() if _digest(folder / name) != digest]
    unlisted = sorted(there - set(listed))
    if wrong or unlisted or not listed:
        told = [f"{name} is not what was written" for name in wrong]
        told += [f"{name} is not listed" for name in unlisted] or ["no file is listed"]
        return Expectation(False, f"the evidence in {folder} is not whole: {'; '.join(told)}")
    return Expectation(True, f"{len(listed)} files of evidence, each as its manifest says")


def junit_says(path: Path, verdict: Verdict) -> Expectation:
    """Return whether the requirement's case of a JUnit file stands for `verdict`.

    Raises:
        RecordError: the file is no JUnit XML of ours.
    """
    try:
        if path.stat().st_size > _MOST_XML_BYTES:
            raise RecordError(f"could not read {path}: it is over {_MOST_XML_BYTES} bytes")
        text = path.read_text("utf-8")
        if "<!DOCTYPE" in text or "<!ENTITY" in text:
            raise RecordError(f"could not read {path}: a JUnit file declares nothing")
        case = ElementTree.fromstring(text).find(".//testcase")
    except (OSError, UnicodeDecodeError, ElementTree.ParseError) as error:
        raise RecordError(f"could not read {path} as JUnit XML: {error}") from error
    if case is None:
        raise RecordError(f"could not read {path} as JUnit XML: it has no test case")
    found = next((child for child in case if child.tag in _AS_SAID), None)
    said = (Verdict.PASS,) if found is None else _AS_SAID[found.tag]
    message = "" if found is None else f": {one_line(found.get('message') or '')}"
    text = f"JUnit says {' or '.join(said)}{message}"
    if verdict in said:
        return Expectation(True, text)
    return Expectation(False, f"{text}; expected {verdict.value}")


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return "missing"
