"""`resume-rig correlate`: matches a capture or a store with OS logs, and reconciles the two."""

import argparse
import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

from resume_rig.acceptance.assessment import Assessed, assess_store
from resume_rig.cli.terminal.answer import show
from resume_rig.cli.terminal.arguments import (
    add_requirement_arguments,
    add_verb,
    requirement_of,
)
from resume_rig.cli.terminal.console import check_output, print_note, status_of_verdict
from resume_rig.model.errors import RecordError, UsageError

if TYPE_CHECKING:
    from fractions import Fraction

    from resume_rig.model.os_record import LogReading, OsRecord
    from resume_rig.model.result.match import StatedPair


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "correlate",
        "match what was measured outside with what the OS logged, and reconcile the two",
        "  resume-rig correlate night.rrs\n"
        "  resume-rig correlate bench.vcd --log System.evtx --channel SLP_S3=D0 "
        "--channel BUTTON=D1",
    )
    parser.add_argument(
        "capture",
        metavar="CAPTURE",
        type=Path,
        help="a campaign store, or a capture: VCD, CSV, sigrok session, Saleae binary export",
    )
    parser.add_argument(
        "--log",
        metavar="FILE",
        type=Path,
        action="extend",
        nargs="+",
        default=[],
        help="OS logs; needed for a capture, instead of the stored records for a store",
    )
    parser.add_argument(
        "--channel",
        metavar="NAME=SIGNAL",
        action="append",
        default=[],
        help="which signal of the capture is channel NAME; NAME=~SIGNAL inverts it; "
        "signals that are named as a channel, such as SLP_S3# or PWRBTN#, need no map",
    )
    parser.add_argument(
        "--sample-rate",
        metavar="RATE",
        type=sample_rate,
        help="the capture's sample rate, such as 1MHz, where it does not state it, or states it "
        "wrongly",
    )
    parser.add_argument(
        "--time-column",
        metavar="TITLE",
        default="",
        help="which column of a CSV capture is the time (default: the first)",
    )
    parser.add_argument(
        "--time-unit",
        choices=("s", "ms", "us", "ns", "ps"),
        default="",
        help="its unit, where its title does not give it",
    )
    parser.add_argument(
        "--pair",
        action="append",
        default=[],
        metavar="CYCLE=RECORD",
        help="a cycle and its OS record by their numbers, where you know one pair and the times "
        "allow more than one match",
    )
    parser.add_argument(
        "--cycle",
        action="append",
        default=[],
        metavar="N=FILE",
        help="a trace of cycle N, or xperf's summary of one: what it times joins the cycle's OS "
        "record, whatever its times; may be given for several cycles",
    )
    parser.add_argument("--dut", metavar="PROFILE", help="the DUT's profile (for a capture)")
    parser.add_argument("--report", metavar="HTML", type=Path, help="write an HTML report too")
    parser.add_argument("--all", action="store_true", help="show every row of a long table")
    parser.add_argument(
        "--budget",
        action="store_true",
        help="show the uncertainty budget of each interval, term by term, before the answer",
    )
    add_requirement_arguments(parser)
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Tell a store from a capture by content, assess, show."""
    requirement, stated_pair = requirement_of(args), _stated_pair(args.pair)
    traces = _traces(args.cycle)
    check_output(args.report, (args.capture, *args.log))
    reading = _reading(args.log)
    if _is_store(args.capture):
        if args.channel or args.dut or args.time_column or args.time_unit or args.sample_rate:
            raise UsageError(
                f"{args.capture} is a campaign store, which knows its channels, times and DUT; "
                "leave out --channel, --dut, --time-column, --time-unit and --sample-rate"
            )
        assessed = assess_store(args.capture, requirement, args.report, reading, stated_pair)
    else:
        if reading is None:
            raise UsageError(_without_log(args.capture))
        assessed = _assess_capture(args, reading, stated_pair)
    if traces:
        from resume_rig.analysis.answer.campaign import answered_campaign
        from resume_rig.analysis.correlate import with_traces

        correlation = with_traces(assessed.correlation, traces)
        campaign = answered_campaign(correlation, assessed.facts)
        assessed = dataclasses.replace(assessed, campaign=campaign)
    show(assessed, args)
    return status_of_verdict(assessed.answer.verdict)


def _assess_capture(
    args: argparse.Namespace, reading: "LogReading", stated_pair: "StatedPair | None"
) -> Assessed:
    from resume_rig.analysis.answer.campaign import answered_campaign
    from resume_rig.campaign.answer.assessment import assess_capture
    from resume_rig.rig.capture.csv_capture import TimeColumn
    from resume_rig.rig.capture.gathering import doubts_of, without_inverted
    from resume_rig.rig.capture.reading import read_capture
    from resume_rig.rig.capture.sampling import StatedRate
    from resume_rig.rig.capture.signals import channel_map_of
    from resume_rig.rig.dut_profile import load_dut_profile

    rate_hz: Fraction | None = args.sample_rate
    time_column = TimeColumn(args.time_column, args.time_unit)
    capture = read_capture(args.capture, channel_map_of(args.channel), time_column)
    capture = dataclasses.replace(capture, notes=(*capture.notes, *doubts_of(capture)))
    capture = without_inverted(capture)
    dut = None if args.dut is None else load_dut_profile(args.dut)
    correlation, facts = assess_capture(
        args.capture,
        capture,
        reading,
        requirement=requirement_of(args),
        dut=dut,
        report_path=args.report,
        stated_pair=stated_pair,
        sample_rate=None if rate_hz is None else StatedRate(rate_hz, "--sample-rate"),
    )
    for note in facts.faults:
        print_note(f"resume-rig: {note}")
    return Assessed(answered_campaign(correlation, facts), capture=capture)


def sample_rate(text: str) -> "Fraction":
    """Read `1MHz`, `12.5 kHz` or `100Hz`."""
    from resume_rig.rig.capture.sampling import rate_of

    found = rate_of(text)
    if found is None:
        raise argparse.ArgumentTypeError(
            f"{text[:80]!r} is not a sample rate; allowed are a number and Hz, kHz, MHz or GHz, "
            "for example 1MHz"
        )
    return found


def _traces(texts: list[str]) -> "dict[int, OsRecord]":
    """Return what each trace times, by the number of its cycle."""
    from resume_rig.oslog.reading import read_logs

    found: dict[int, OsRecord] = {}
    for text in texts:
        number, equals, path = text.partition("=")
        if not (equals and path and number.isascii() and number.isdecimal()):
            raise UsageError(
                f"--cycle takes a cycle and its file, such as 12=s3.xml; found {text!r}"
            )
        if int(number) in found:
            raise UsageError(
                f"--cycle names cycle {int(number)} twice; allowed is one file a cycle"
            )
        traces = [record for record in read_logs([Path(path)]).records if record.components]
        if len(traces) != 1:
            raise RecordError(
                f"could not join {path} with cycle {int(number)}: found {len(traces)} transitions "
                "that time their parts, allowed is 1"
            )
        found[int(number)] = traces[0]
    return found


def _stated_pair(texts: list[str]) -> "StatedPair | None":
    if not texts:
        return None
    if len(texts) > 1:
        raise UsageError(
            f"--pair names one pair that you know, and was given {len(texts)} times "
            f"({', '.join(texts)}); leave all but one out, the times identify the others"
        )
    from resume_rig.model.result.match import stated_pair_of

    (text,) = texts
    found = stated_pair_of(text)
    if found is None:
        raise UsageError(
            f"--pair takes the numbers of a cycle and of its record, such as 1=5; found {text!r}"
        )
    return found


def _reading(paths: list[Path]) -> "LogReading | None":
    if not paths:
        return None
    from resume_rig.oslog.reading import read_logs

    return read_logs(paths)


def _without_log(path: Path) -> str:
    """Return what is missing, where a file that is no store stands alone."""
    from resume_rig.oslog.reading import name_of_log
    from resume_rig.rig.capture.reading import ALLOWED, is_capture

    if (kind := name_of_log(path)) is not None:
        return f"{path} is an OS log ({kind}); `resume-rig log` judges it"
    if is_capture(path):
        return f"{path} is a capture; name the OS log with --log FILE"
    return (
        f"could not read {path}: it is neither a campaign store nor a capture; allowed are a"
        f" campaign store and captures: {ALLOWED}"
    )


def _is_store(path: Path) -> bool:
    from resume_rig.oslog.reading import HEAD_BYTES, is_sqlite

    allowed = (
        "allowed are a campaign store and captures: VCD, CSV, a sigrok session, a folder of"
        " Saleae's binary export"
    )
    if path.is_dir():
        return False
    try:
        if path.exists() and not path.is_file():
            raise RecordError(f"could not read {path}: found a device; {allowed}")
        with path.open("rb") as stream:
            head = stream.read(HEAD_BYTES)
        if not head:
            raise RecordError(f"could not read {path}: it is empty; {allowed}")
        return is_sqlite(head)
    except OSError as error:
        raise RecordError(f"could not read {path}: {error.strerror or error}; {allowed}") from error
