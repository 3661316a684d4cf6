"""`resume-rig watch-sleeps`: follows the log of a PC and judges each resume as it happens."""

import argparse
from contextlib import closing
from typing import TYPE_CHECKING

from resume_rig.cli.terminal.arguments import (
    add_requirement_arguments,
    add_verb,
    duration_ns,
    named,
    requirement_of,
)
from resume_rig.cli.terminal.console import (
    answer,
    answer_json,
    answer_style,
    print_note,
    status_of_verdict,
)
from resume_rig.model.errors import RecordError

if TYPE_CHECKING:
    from resume_rig.analysis.answer.log import AnsweredLog
    from resume_rig.campaign.dut.log_source import OsLogSource
    from resume_rig.model.clock import Clock
    from resume_rig.model.os_record import OsRecord
    from resume_rig.model.result.verdict import Requirement

# Windows writes a record up to 2 s after a wake; asking takes some 20 ms of a processor.
POLL_NS = 1_000_000_000


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "watch-sleeps",
        "judge each resume of this PC as it happens, by its own log, without rig and SSH",
        "  resume-rig watch-sleeps\n"
        "  resume-rig watch-sleeps --log //lab-server/logs/unit-7 --for 8h --json",
    )
    parser.add_argument(
        "--log",
        metavar="SOURCE",
        type=named,
        help="another PC's log: a file that grows, a folder that logs are dropped into, or "
        "ssh:USER@HOST[,HOST...][:PORT], or on Windows wevtutil:HOST (default: the log of this PC)",
    )
    parser.add_argument(
        "--for",
        dest="duration_ns",
        metavar="TIME",
        type=duration_ns,
        help="stop after this time (default: at Ctrl-C)",
    )
    add_requirement_arguments(parser)
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Follow the log until the time is over or Ctrl-C; then judge all of it."""
    from resume_rig.report.log.terminal import summary_json, summary_lines
    from resume_rig.timing.clocks import SystemClock

    requirement, clock = requirement_of(args), SystemClock()
    with closing(_source(args.log, clock)) as source:
        source.new_records()
        print_note(f"Watching {source.describe().path}; Ctrl-C ends it.")
        watching = _Watching(source, requirement, as_json=args.json)
        try:
            begun_ns = clock.now_ns()
            while args.duration_ns is None or clock.now_ns() - begun_ns < args.duration_ns:
                clock.sleep_ns(POLL_NS)
                watching.look()
        except KeyboardInterrupt:
            watching.look()
        log = watching.answered()
    if args.json:
        answer_json([summary_json(log)])
    else:
        answer(summary_lines(log, answer_style()))
    return status_of_verdict(log.answer.verdict)


def _source(text: str | None, clock: "Clock") -> "OsLogSource":
    from resume_rig.campaign.dut.choice import log_source
    from resume_rig.campaign.dut.own_log import ThisPc, own_kind
    from resume_rig.campaign.dut.ssh_log import SshLog

    if text is not None:
        return log_source(text, clock)
    return SshLog(ThisPc(clock, own_kind()), clock)


class _Watching:
    """The sleeps since the beginning; each is shown when its record is there."""

    def __init__(self, source: "OsLogSource", requirement: "Requirement", *, as_json: bool) -> None:
        self._source = source
        self._requirement = requirement
        self._as_json = as_json
        self._records: tuple[OsRecord, ...] = ()
        self._problem: str | None = None

    def look(self) -> None:
        """Show what is new; a log that cannot be read now is reported once."""
        from resume_rig.report.log.terminal import watched_json, watched_line

        try:
            new = self._source.new_records()
        except RecordError as error:
            if str(error) != self._problem:
                print_note(f"{error}; it is tried again.")
            self._problem = str(error)
            return
        self._problem = None
        self._records += new
        if not new:
            return
        log, numbers = self.answered(), {id(record) for record in new}
        judgement = log.judgement
        every = zip(log.numbers, judgement.reading.records, judgement.cycles, strict=True)
        for number, record, cycle in every:
            if id(record) not in numbers:
                continue
            if self._as_json:
                answer_json([watched_json(cycle, number)])
            else:
                answer([watched_line(cycle, answer_style())])

    def answered(self) -> "AnsweredLog":
        """Judge all of them."""
        from resume_rig.analysis.answer.log import answered_log
        from resume_rig.analysis.verdict.judge import judge_log
        from resume_rig.model.os_record import LogReading

        reading = LogReading((self._source.describe(),), self._records)
        return answered_log(judge_log(reading, self._requirement))
