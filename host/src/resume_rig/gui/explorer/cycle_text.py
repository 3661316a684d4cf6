"""What is known of one cycle, in words: verdict, intervals, findings, OS records."""

from collections.abc import Iterator
from typing import Final

from PySide6.QtWidgets import QPlainTextEdit

from resume_rig.analysis.findings.explanations import explained
from resume_rig.analysis.verdict.measures import measure_words
from resume_rig.gui.explorer.state import Detail
from resume_rig.model.os_record import OsRecord
from resume_rig.model.result.cycle import ReconciledCycle
from resume_rig.report.parts.page import plain_value
from resume_rig.report.text.findings import findings_of, team_of
from resume_rig.report.text.hostile_text import bounded, one_line
from resume_rig.report.text.wording import (
    outcome_words,
    quantity_text,
    record_name,
    whole_ms_text,
)

_TEXT_MOST: Final = 6_000
_RECORDS_MOST: Final = 5


class CycleText(QPlainTextEdit):
    """Read, selected and copied; never taken for mark-up."""

    def __init__(self) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setAccessibleName("What is known of the cycle")
        self.setPlaceholderText("Select a cycle.")

    def show_detail(self, detail: Detail) -> None:
        """Say what is known of a cycle."""
        self.setPlainText("\n".join(_lines(detail)))


def _lines(detail: Detail) -> Iterator[str]:
    cycle = detail.cycle
    if cycle is None:
        yield from map(one_line, detail.evidence.sentences)
        yield ""
        yield "Findings and verdict come when the whole store is read."
    else:
        yield from _verdict(cycle)
        yield ""
        yield from _findings(cycle)
    yield ""
    yield from _records(detail.records)


def _verdict(cycle: ReconciledCycle) -> Iterator[str]:
    outside = cycle.outside
    judged = f": {cycle.verdict.value}" if cycle.judged else f", not judged: {cycle.why_not}"
    yield one_line(f"Cycle {outside.number} {outcome_words(cycle.outcome)}{judged}.")
    for name, quantity in outside.intervals.items():
        yield f"  {measure_words(name.value)}: {quantity_text(quantity)} ms"
    for words, value in (
        ("press to resume complete", cycle.press_to_resume_complete),
        ("display on after complete", cycle.light_after_complete),
        ("residual", cycle.unexplained),
        ("hidden before sleep", cycle.hidden_before_sleep),
    ):
        if value is not None:
            yield f"  {words}: {quantity_text(value)} ms"
    record = cycle.record
    if record is not None:
        yield f"  BIOS initialization (OS-reported): {whole_ms_text(record.bios_init_ms)} ms"
        yield f"  device initialization (OS-reported): {whole_ms_text(record.driver_init_ms)} ms"


def _findings(cycle: ReconciledCycle) -> Iterator[str]:
    found = findings_of(cycle)
    yield f"Findings: {len(found) or 'none'}"
    for finding in found:
        yield one_line(f"• {finding.kind.value}: {finding.text}")
        meaning = explained(finding.kind)
        if meaning is not None:
            yield f"  {meaning.means}"
            yield f"  What to do: {meaning.do}"
            yield f"  Owner: {team_of(finding.kind).value}; more by: {meaning.command}"
        evidence = ", ".join(f"{k} = {plain_value(v)}" for k, v in finding.evidence.items())
        if evidence:
            yield one_line(f"  Evidence: {evidence}")


def _records(records: tuple[OsRecord, ...]) -> Iterator[str]:
    yield f"OS records: {len(records) or 'none'}"
    for record in records[:_RECORDS_MOST]:
        yield one_line(f"• {record_name(record)}")
        for line in bounded(record.text, _TEXT_MOST).splitlines():
            yield f"  {one_line(line)}"
    if len(records) > _RECORDS_MOST:
        yield f"... and {len(records) - _RECORDS_MOST} more records."
