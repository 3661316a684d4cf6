"""The program: parses the command line, runs one verb, maps errors to exit statuses."""

import argparse
import os
import re
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

from resume_rig import __version__
from resume_rig.cli import verb_gui
from resume_rig.cli.bench import (
    verb_action,
    verb_demo,
    verb_doctor,
    verb_firmware,
    verb_relay,
    verb_run,
    verb_selftest,
    verb_share,
    verb_sim,
    verb_watch,
)
from resume_rig.cli.offline import (
    verb_bundle,
    verb_compare,
    verb_correlate,
    verb_export,
    verb_fleet,
    verb_lake,
    verb_log,
    verb_msa,
    verb_query,
    verb_report,
    verb_store,
    verb_trend,
    verb_watch_sleeps,
)
from resume_rig.cli.terminal.arguments import named_path
from resume_rig.cli.terminal.console import (
    INTERNAL,
    STOPPED,
    USAGE,
    Printer,
    answer_lines,
    open_closed_streams,
    print_end,
    print_note,
    printer_of,
    silence_answer,
    status_of_error,
    take_over_messages,
)
from resume_rig.model.errors import ResumeRigError

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

VERBS: tuple[Callable[["argparse._SubParsersAction[Any]"], None], ...] = (
    verb_demo.add_to,
    verb_run.add_to,
    verb_log.add_to,
    verb_watch_sleeps.add_to,
    verb_correlate.add_to,
    verb_compare.add_to,
    verb_report.add_to,
    verb_export.add_to,
    verb_fleet.add_to,
    verb_lake.add_to,
    verb_trend.add_to,
    verb_query.add_to,
    verb_msa.add_to,
    verb_store.add_to,
    verb_bundle.add_bundle,
    verb_bundle.add_verify,
    verb_sim.add_to,
    verb_share.add_to,
    verb_gui.add_to,
    verb_action.add_press,
    verb_action.add_lid,
    verb_action.add_key,
    verb_action.add_contact,
    verb_action.add_power,
    verb_relay.add_to,
    verb_watch.add_to,
    verb_selftest.add_to,
    verb_doctor.add_to,
    verb_doctor.add_dut_script,
    verb_firmware.add_to,
)

EPILOGUE = """\
exit status: 0 done, and PASS where a verdict was asked for; 1 FAIL; 2 bad usage or unreadable
input; 3 rig or DUT fault; 4 MARGINAL or NO-EVIDENCE; 70 internal error; 130 stopped by Ctrl-C.
"""


class _Parser(argparse.ArgumentParser):
    """Reports bad usage in one sentence, as every other error of the program is reported."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Make a parser that reads no empty text as the path of a file."""
        super().__init__(*args, **kwargs)
        self.register("type", Path, named_path)
        # A time or a rate below 0 is a value out of its range, and no option.
        self._negative_number_matcher = re.compile(r"-\.?\d")

    def error(self, message: str) -> NoReturn:
        print_note(f"{self.prog}: {message}; see {self.prog} --help")
        raise SystemExit(USAGE)

    def _print_message(self, message: str, _file: "SupportsWrite[str] | None" = None) -> None:
        """Write help and version, which argparse prints by this."""
        answer_lines(message)


def build_parser() -> argparse.ArgumentParser:
    """Return the whole command line's parser."""
    parser = _Parser(
        prog="resume-rig",
        description="Measures how a PC resumes from sleep, from outside, and judges it.",
        epilog=EPILOGUE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"resume-rig {__version__}")
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", required=True)
    for add_verb in VERBS:
        add_verb(verbs)
    return parser


def run(words: Sequence[str]) -> int:
    """Run the command line and return its exit status."""
    open_closed_streams()
    take_over_messages()
    parser = build_parser()
    args, unknown = parser.parse_known_args(words)
    if unknown:
        parser.prog = args.program  # that verb's help has what it allows
        parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    for name in ("SIGTERM", "SIGHUP", "SIGBREAK"):  # the last: Ctrl-Break on Windows
        # One that is ignored stays so: under nohup a closed terminal ends nothing.
        if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) != signal.SIG_IGN:
            signal.signal(getattr(signal, name), _interrupt)
    status = _carried_out(args)
    print_end(args, status)
    return status


def _carried_out(args: argparse.Namespace) -> int:
    """Run a verb; whatever happens in it becomes a sentence and an exit status."""
    printer = printer_of(args)
    try:
        status: int = args.execute(args)
    except ResumeRigError as error:
        if args.debug:
            raise
        from resume_rig.report.text.hostile_text import one_line

        printer(f"resume-rig: {one_line(str(error))}")
        return status_of_error(error)
    except KeyboardInterrupt:
        if args.debug:
            raise
        printer("resume-rig: stopped.")
        return STOPPED
    except BrokenPipeError:
        # The reader of our output went away (`| head`).
        silence_answer()
        return 0
    except Exception as error:
        if args.debug:
            raise
        return _unforeseen(error, printer)
    return status


def _unforeseen(error: Exception, printer: Printer) -> int:
    """Report an error that no part of the program handles; it must not look like a verdict.

    An error of the system about a named file is the user's to mend; all else is a mistake of the
    program. A traceback would end with 1, as FAIL does.
    """
    from resume_rig.report.text.hostile_text import one_line

    if isinstance(error, OSError) and error.filename is not None:
        name = one_line(os.fsdecode(error.filename))
        printer(f"resume-rig: could not use {name}: {error.strerror}; name another file or folder")
        return USAGE
    printer(
        f"resume-rig: internal error, {type(error).__name__}: {one_line(str(error))}; please "
        "report it with what --debug shows"
    )
    return INTERNAL


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    """Let a request to end take the way of Ctrl-C, so that actuators are released."""
    raise KeyboardInterrupt
