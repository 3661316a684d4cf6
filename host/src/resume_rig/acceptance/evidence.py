"""Writes a campaign in one format, or everything into one folder with a manifest.

The same store gives the same bytes: nothing here asks for the time.
"""

import shutil
import tempfile
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from heapq import nsmallest
from pathlib import Path
from typing import TYPE_CHECKING

from resume_rig.acceptance.assessment import Assessed, assess_store, html_at
from resume_rig.acceptance.whole_file import mask_of_files, remedy_of, write_whole
from resume_rig.model.errors import UsageError

if TYPE_CHECKING:
    from resume_rig.model.result.cycle import ReconciledCycle
    from resume_rig.model.result.verdict import Requirement
    from resume_rig.report.export.table import Table

FORMATS = ("junit", "csv", "parquet", "vcd", "trace", "pwrtest-xml")
WITH_TABLES = ("csv", "parquet")
_DOCUMENTS = ("junit.xml", "pwrtest.xml", "trace.json")
TABLES = ("cycles", "edges", "findings", "components")
# So many of the slowest resumes have their waves in the evidence, with all that went wrong.
SLOWEST = 10
# A folder with more files than this is no evidence that anybody opens.
WAVES_AT_MOST = 200


@dataclass(slots=True)
class Exporter:
    """One store, assessed once.

    Attributes:
        store: its path.
        requirement: what it is judged against.
    """

    store: Path
    requirement: "Requirement"
    assessed: Assessed = field(init=False)

    def __post_init__(self) -> None:
        """Assess the store.

        Raises:
            RecordError: it cannot be read.
        """
        self.assessed = assess_store(self.store, self.requirement, report=None)

    def check_cycle(self, number: int) -> None:
        """Check that the store has a cycle.

        Raises:
            UsageError: it has not.
        """
        numbers = [cycle.outside.number for cycle in self.assessed.correlation.cycles]
        if number not in numbers:
            held = f"1 to {numbers[-1]}" if numbers else "none"
            raise UsageError(
                f"could not export cycle {number}: {self.store} has no such cycle; it has {held}"
            )

    def write(self, form: str, path: Path, *, table: str = "cycles", cycle: int = 0) -> None:
        """Write one file.

        Args:
            form: one of FORMATS.
            path: of the file, which is replaced.
            table: for csv and parquet.
            cycle: for vcd.

        Raises:
            UsageError: it cannot be written.
            RecordError: the store cannot be read.
        """
        writers: dict[str, Callable[[], None]] = {
            "junit": lambda: write_whole(path, self._junit()),
            "csv": lambda: self._write_csv(path, table),
            "parquet": lambda: self._write_parquet(path, table),
            "vcd": lambda: self.write_waves((cycle,), lambda _: path),
            "trace": lambda: write_whole(path, self._trace()),
            "pwrtest-xml": lambda: write_whole(path, self._pwrtest()),
        }
        writers[form]()

    def waves(self) -> list[int]:
        """Return the cycles whose waves belong to the evidence: failures, findings, the slowest."""
        cycles = self.assessed.correlation.cycles
        found = set(self.assessed.answer.counts.wrong)
        slowest = nsmallest(SLOWEST, cycles, key=lambda c: -_resume_ms(c))
        wanted = sorted(found)[: WAVES_AT_MOST - SLOWEST]
        return sorted({*wanted, *(cycle.outside.number for cycle in slowest)})

    def write_waves(self, numbers: Collection[int], path_of: Callable[[int], Path]) -> None:
        """Write a VCD file for each of `numbers`; `path_of` gives its path.

        Raises:
            UsageError: one cannot be written.
            RecordError: the store cannot be read.
        """
        from resume_rig.campaign.store.read_back import recorded_cycles
        from resume_rig.report.export.waves import vcd_pieces

        dut = self.assessed.facts.identity.get("dut", "")
        for each in recorded_cycles(self.store, numbers):
            write_whole(path_of(each.number), vcd_pieces(each, dut))

    def _junit(self) -> Iterable[str]:
        from resume_rig.report.export.junit import junit_pieces

        return junit_pieces(self.assessed.campaign, self.began_utc())

    def began_utc(self) -> str:
        """Return when the campaign was begun, ISO 8601."""
        from resume_rig.campaign.store.store import Store
        from resume_rig.report.text.json_text import utc_json

        with Store.open(self.store) as store:
            return utc_json(store.identity.created_utc_ns) or ""

    def _table(self, name: str) -> "Table":
        from resume_rig.campaign.store.read_back import recorded_cycles
        from resume_rig.report.export import table

        correlation = self.assessed.correlation
        match name:
            case "edges":
                return table.edges_table(recorded_cycles(self.store, with_light=False))
            case "findings":
                return table.findings_table(correlation)
            case "components":
                return table.components_table(correlation)
            case _:
                facts = self.assessed.facts
                return table.cycles_table(
                    correlation, reset_to_tsc=facts.reset_to_tsc, simulated=facts.simulated
                )

    def _write_csv(self, path: Path, table: str) -> None:
        from resume_rig.report.export.table import csv_pieces

        write_whole(path, csv_pieces(self._table(table)))

    def _write_parquet(self, path: Path, table: str) -> None:
        from resume_rig.report.export.table import write_parquet

        write_parquet(self._table(table), path)

    def _trace(self) -> Iterable[str]:
        from resume_rig.campaign.store.read_back import recorded_cycles
        from resume_rig.report.export.waves import trace_pieces

        limit_ms = self.requirement.resume_limit_ms
        return trace_pieces(self.assessed.correlation, recorded_cycles(self.store), limit_ms)

    def _pwrtest(self) -> Iterable[str]:
        from resume_rig.analysis.verdict.judge import judge_log
        from resume_rig.campaign.store.read_back import load_campaign
        from resume_rig.report.export.pwrtest import pwrtest_xml

        return pwrtest_xml(judge_log(load_campaign(self.store).reading, self.requirement))


def write_evidence(exporter: Exporter, folder: Path) -> list[Path]:
    """Write everything about a campaign into a new folder; return its files.

    The folder appears whole or not at all.

    Raises:
        UsageError: the folder is there already, or cannot be written.
        RecordError: the store cannot be read.
    """
    if folder.exists():
        raise UsageError(
            f"could not write the evidence to {folder}: it is there already; name a new folder"
        )
    part: Path | None = None
    try:
        # A name that nobody can foresee, and put a link or a folder of theirs in its place.
        part = Path(tempfile.mkdtemp(".part", f".{folder.name[:80]}.", folder.parent))
        (part / "cycles").mkdir()
        names = _fill(exporter, part)
        part.chmod(0o777 & ~mask_of_files())
        part.replace(folder)
    except OSError as error:
        raise _unwritten(folder, error) from error
    except UsageError as error:
        if part is None or not isinstance(error.__cause__, OSError):
            raise
        # It names a file of the unfinished folder, which nobody has heard of.
        raise _unwritten(folder, error.__cause__) from error
    finally:
        if part is not None:
            shutil.rmtree(part, ignore_errors=True)
    return [folder / name for name in names]


def _unwritten(folder: Path, error: OSError) -> UsageError:
    remedy = remedy_of(error, "name a new folder in one that can be written to")
    reason = error.strerror or error
    return UsageError(f"could not write the evidence to {folder}: {reason}; {remedy}")


def _fill(exporter: Exporter, part: Path) -> list[Path]:
    from resume_rig.campaign.store.store import Store
    from resume_rig.report.campaign.raw_data import raw_in_folder, wave_name
    from resume_rig.report.export import manifest

    waves, tables = exporter.waves(), [f"{table}.csv" for table in TABLES]
    raw = raw_in_folder(("campaign.rrs", *tables, *_DOCUMENTS), waves)
    begun = f"begun {exporter.began_utc()}"
    write_whole(part / "report.html", html_at(exporter.assessed, begun, raw))
    exporter.write("junit", part / "junit.xml")
    for table in TABLES:
        exporter.write("csv", part / f"{table}.csv", table=table)
    exporter.write("trace", part / "trace.json")
    exporter.write("pwrtest-xml", part / "pwrtest.xml")
    exporter.write_waves(waves, lambda number: part / wave_name(number))
    with Store.open(exporter.store) as store:
        store.copy_to(part / "campaign.rrs")
    files = [path for path in part.rglob("*") if path.is_file()]
    write_whole(part / manifest.NAME, manifest.manifest_lines(part, files))
    return [path.relative_to(part) for path in (*sorted(files), part / manifest.NAME)]


def _resume_ms(cycle: "ReconciledCycle") -> int:
    return -1 if cycle.record is None else cycle.record.resume_ms or -1
