"""`resume-rig log`: judges OS logs alone."""

import argparse
from dataclasses import replace
from os.path import realpath
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from resume_rig.acceptance.whole_file import write_whole
from resume_rig.cli.terminal.arguments import (
    add_requirement_arguments,
    add_verb,
    existing_paths,
    requirement_of,
)
from resume_rig.cli.terminal.console import (
    answer,
    answer_json,
    answer_style,
    check_output,
    print_note,
    status_of_verdict,
)
from resume_rig.model.errors import RecordError, UsageError
from resume_rig.timing.clocks import utc_now_text

if TYPE_CHECKING:
    from resume_rig.model.os_record import LogReading
    from resume_rig.model.result.judgement import LogJudgement

EMIT_FORMAT = "pwrtest-xml"


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "log",
        "judge OS logs alone: transition table, kinds, verdict",
        "  resume-rig log                    this PC's own\n"
        "  resume-rig log System.evtx\n  resume-rig log *.xml --ignore-first --json",
    )
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="OS logs, recognised by content: Windows event logs (EVTX, XML, JSON, CSV), PwrTest, "
        "event traces (ETL), S3Resume, xperf and wpaexporter output, powercfg reports, Linux "
        "kernel logs, suspend traces and suspend_stats, ACPI FPDT (default: the System log of "
        "this PC, on Linux its kernel's journal)",
    )
    add_requirement_arguments(parser)
    parser.add_argument(
        "--ignore-first",
        action="store_true",
        help="leave the first transition of each log out of the verdict, as S3Resume does",
    )
    parser.add_argument("--all", action="store_true", help="show every row of a long table")
    parser.add_argument("--report", metavar="HTML", type=Path, help="write an HTML report too")
    parser.add_argument(
        "--emit",
        nargs=2,
        metavar=("FORMAT", "FILE"),
        help="write the records in another tool's format too: pwrtest-xml FILE",
    )
    parser.set_defaults(execute=execute)


def _emit_place(emit: list[str] | None) -> Path | None:
    """Return where the records are to be written.

    Raises:
        UsageError: the format is none that can be written.
    """
    if emit is None:
        return None
    if emit[0] != EMIT_FORMAT:
        raise UsageError(f"--emit {emit[0]!r} is not a format; allowed is {EMIT_FORMAT}")
    return Path(emit[1])


def _emit(judgement: "LogJudgement", path: Path) -> None:
    from resume_rig.report.export.pwrtest import left_out_count, pwrtest_xml

    write_whole(path, "".join(pwrtest_xml(judgement)))
    left_out = left_out_count(judgement)
    without = f", without {left_out} of kinds that PwrTest does not have" if left_out else ""
    print_note(f"Records: {path}{without}")


def _reading(paths: list[Path]) -> "LogReading":
    """Read the files, or without any the log of this PC."""
    from resume_rig.oslog.reading import read_logs

    if paths:
        return read_logs(paths)
    from resume_rig.campaign.dut.own_log import (
        export_own_delays,
        export_own_log,
        own_kind,
        own_name,
    )

    kind = own_kind()
    with TemporaryDirectory(prefix="resume-rig-") as folder:
        log = export_own_log(Path(folder), kind)
        delays = export_own_delays(Path(folder), kind)
        try:
            reading = read_logs([log] if delays is None else [log, delays])
        except RecordError:  # a log of delays that never held one is no reason to judge nothing
            reading = read_logs([log])
    names = (own_name(kind), "what Windows calls slow on this PC")
    sources = (replace(each, path=name) for each, name in zip(reading.sources, names, strict=False))
    return replace(reading, sources=tuple(sources))


def execute(args: argparse.Namespace) -> int:
    """Read, judge, show."""
    from resume_rig.analysis.answer.log import answered_log
    from resume_rig.analysis.verdict.judge import judge_log

    requirement = requirement_of(args)
    paths = existing_paths(args.files)
    emit_to = _emit_place(args.emit)
    for written in (args.report, emit_to):
        check_output(written, paths)
    if emit_to is not None and args.report and realpath(args.report) == realpath(emit_to):
        raise UsageError(
            f"could not write {emit_to}: --report and --emit name one file; name another for one"
        )
    judgement = judge_log(_reading(paths), requirement, ignore_first=args.ignore_first)
    log = answered_log(judgement)
    if args.report is not None:
        from resume_rig.report.html import log_report

        write_whole(args.report, log_report(log, utc_now_text()))
        print_note(f"Report: {args.report}")
    if emit_to is not None:
        _emit(judgement, emit_to)
    if args.json:
        from resume_rig.report.log.document import log_document

        answer_json(log_document(log))
    else:
        from resume_rig.report.log.terminal import log_table

        answer(log_table(log, answer_style(), show_all=args.all))
    return status_of_verdict(log.answer.verdict)
