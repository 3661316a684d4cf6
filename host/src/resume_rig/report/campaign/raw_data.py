"""The appendix of a report: where the raw data lie that it was computed from."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from resume_rig.model.errors import shell_word

_WHAT = {
    "campaign.rrs": "the store: everything that was recorded, as it was recorded",
    "cycles.csv": "a row a cycle",
    "edges.csv": "a row an edge, with the board's own stamps",
    "findings.csv": "a row a finding",
    "components.csv": "a row a device, driver, service or phase that an OS record times",
    "junit.xml": "the requirements as test cases",
    "pwrtest.xml": "the OS records, as PwrTest writes them",
    "trace.json": "the whole campaign, for Perfetto and chrome://tracing",
}


@dataclass(frozen=True, slots=True)
class RawFile:
    """A file near a report; `link` is relative to the report, as a URL writes it."""

    link: str
    name: str
    what: str


@dataclass(frozen=True, slots=True)
class RawData:
    """What the appendix lists.

    Attributes:
        files: near the report.
        waves: number of a cycle -> link of its wave, where a file has it.
        command: words that write the wave of any cycle; None where nothing was stored.
    """

    files: tuple[RawFile, ...]
    waves: dict[int, str]
    command: str | None


NOTHING_RAW = RawData((), {}, None)


def raw_of_store(store: Path, report: Path | None) -> RawData:
    """Return the appendix of a report that lies where its store can be reached from."""
    files: tuple[RawFile, ...] = ()
    if report is not None:
        try:
            name = os.path.relpath(store, report.parent)
        except ValueError:
            # Another drive of Windows: no link leads there.
            name = str(store)
        files = (RawFile(_link(name), store.name, _WHAT["campaign.rrs"]),)
    return RawData(files, {}, _wave_command(store))


def raw_in_folder(names: Iterable[str], waves: Iterable[int]) -> RawData:
    """Return the appendix of a report in a folder of evidence.

    Args:
        names: of the files in the folder.
        waves: numbers of the cycles that have a wave there.
    """
    files = tuple(RawFile(_link(name), name, _WHAT.get(name, "")) for name in names)
    links = {number: wave_name(number) for number in waves}
    return RawData(files, links, _wave_command(Path("campaign.rrs")))


def wave_name(number: int) -> str:
    """Return where a folder of evidence has the wave of a cycle."""
    return f"cycles/cycle-{number:06d}.vcd"


def _wave_command(store: Path) -> str:
    return f"resume-rig export {shell_word(store)} --to vcd --cycle N --out cycle.vcd"


def _link(name: str) -> str:
    return quote(Path(name).as_posix().encode("utf-8", "surrogateescape"))
