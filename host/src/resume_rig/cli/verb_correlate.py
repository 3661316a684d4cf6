"""`resume-rig correlate`: matches a capture or a store with OS logs, and reconciles the two."""

import argparse
import dataclasses
import re
from pathlib import Path
from typing import TYPE_CHECKING

from resume_rig.acceptance.assessment import Assessed, assess_store
from resume_rig.cli.arguments import (
    add_requirement_arguments,
    add_verb,
    channel_map_of,
    requirement_of,
)
from resume_rig.cli.assessment import show
from resume_rig.cli.console import check_output, say
from resume_rig.cli.exit_status import status_of_verdict
from resume_rig.model.errors import RecordError, UsageError

if TYPE_CHECKING:
    from fractions import Fraction

    from resume_rig.model.match import KnownPair
    from resume_rig.model.os_record import LogReading

_PAIR = re.compile(r"([0-9]{1,9})=([0-9]{1,19})", re.ASCII)
_SQLITE_MAGIC = b"SQLite format 3\0"


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
        help="its unit, where its title does not tell it",
    )
    parser.add_argument(
        "--pair",
        action="append",
        default=[],
        metavar="CYCLE=RECORD",
        help="a cycle and its OS record by their numbers, where you know one pair and the times "
        "allow more than one match",
    )
    parser.add_argument("--dut", metavar="PROFILE", help="the DUT's profile (for a capture)")
    parser.add_argument("--report", metavar="HTML", type=Path, help="write an HTML report too")
    parser.add_argument("--all", action="store_true", help="show every row of a long table")
    parser.add_argument(
        "--budget",
        action="store_true",
        help="show what makes each interval uncertain, term by term, before the answer",
    )
    add_requirement_arguments(parser)
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Tell a store from a capture by content, assess, show."""
    requirement, known = requirement_of(args), _known_pair(args.pair)
    check_output(args.report, (args.capture, *args.log))
    reading = _reading(args.log)
    if _is_store(args.capture):
        if args.channel or args.dut or args.time_column or args.time_unit or args.sample_rate:
            raise UsageError(
                f"{args.capture} is a campaign store, which knows its channels, times and DUT; "
                "leave out --channel, --dut, --time-column, --time-unit and --sample-rate"
            )
        assessed = assess_store(args.capture, requirement, args.report, reading, known)
    else:
        if reading is None:
            raise UsageError(f"{args.capture} is a capture; name the OS log with --log FILE")
        assessed = _assess_capture(args, reading, known)
    show(assessed, args)
    return status_of_verdict(assessed.correlation.verdict)


def _assess_capture(
    args: argparse.Namespace, reading: "LogReading", known: "KnownPair | None"
) -> Assessed:
    from resume_rig.campaign.capture_assessment import assess_capture
    from resume_rig.rig.capture.csv_capture import TimeColumn
    from resume_rig.rig.capture.doubts import doubts_of
    from resume_rig.rig.capture.reading import read_capture
    from resume_rig.rig.capture.sampling import StatedRate
    from resume_rig.rig.dut_profile import load_dut_profile

    rate_hz: Fraction | None = args.sample_rate
    time_column = TimeColumn(args.time_column, args.time_unit)
    capture = read_capture(args.capture, channel_map_of(args.channel), time_column)
    capture = dataclasses.replace(capture, notes=(*capture.notes, *doubts_of(capture)))
    dut = None if args.dut is None else load_dut_profile(args.dut)
    correlation, facts = assess_capture(
        args.capture,
        capture,
        reading,
        requirement=requirement_of(args),
        dut=dut,
        report_path=args.report,
        known=known,
        sample_rate=None if rate_hz is None else StatedRate(rate_hz, "--sample-rate"),
    )
    for note in facts.faults:
        say(f"resume-rig: {note}")
    return Assessed(correlation, facts, capture=capture)


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


def _known_pair(texts: list[str]) -> "KnownPair | None":
    if not texts:
        return None
    if len(texts) > 1:
        raise UsageError(
            f"--pair names one pair that you know, and was given {len(texts)} times "
            f"({', '.join(texts)}); leave all but one out, the times tell the others"
        )
    from resume_rig.model.match import KnownPair

    (text,) = texts
    found = _PAIR.fullmatch(text)
    if found is None:
        raise UsageError(
            f"--pair takes the numbers of a cycle and of its record, such as 1=5; found {text!r}"
        )
    return KnownPair(int(found[1]), int(found[2]))


def _reading(paths: list[Path]) -> "LogReading | None":
    if not paths:
        return None
    from resume_rig.oslog.reading import read_logs

    return read_logs(paths)


def _is_store(path: Path) -> bool:
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
            start = stream.read(len(_SQLITE_MAGIC))
        if not start:
            raise RecordError(f"could not read {path}: it is empty; {allowed}")
        return start == _SQLITE_MAGIC
    except OSError as error:
        raise RecordError(f"could not read {path}: {error.strerror or error}; {allowed}") from error
