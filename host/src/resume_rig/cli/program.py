"""The program: parses the command line, runs one verb, maps errors to exit statuses."""

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import NoReturn

from resume_rig import __version__
from resume_rig.cli import (
    verb_compare,
    verb_correlate,
    verb_doctor,
    verb_export,
    verb_firmware,
    verb_fleet,
    verb_gui,
    verb_lid,
    verb_log,
    verb_msa,
    verb_power,
    verb_press,
    verb_relay,
    verb_report,
    verb_run,
    verb_selftest,
    verb_share,
    verb_sim,
    verb_store,
    verb_watch,
)
from resume_rig.cli.console import open_closed_streams, silence
from resume_rig.cli.exit_status import INTERNAL, STOPPED, USAGE, status_of_error
from resume_rig.cli.voice import Voice, say_end, voice_of
from resume_rig.model.errors import ResumeRigError

VERBS = (
    verb_run,
    verb_log,
    verb_correlate,
    verb_compare,
    verb_report,
    verb_export,
    verb_fleet,
    verb_msa,
    verb_store,
    verb_sim,
    verb_share,
    verb_gui,
    verb_press,
    verb_lid,
    verb_power,
    verb_relay,
    verb_watch,
    verb_selftest,
    verb_doctor,
    verb_firmware,
)

EPILOGUE = """\
exit status: 0 done, and PASS where a verdict was asked for; 1 FAIL; 2 bad usage or unreadable
input; 3 rig or DUT fault; 4 MARGINAL or NO-EVIDENCE; 70 internal error; 130 stopped by Ctrl-C.
"""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, as every other error of the program is said."""

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE, f"{self.prog}: {message}; see {self.prog} --help\n")


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
    for verb in VERBS:
        verb.add_to(verbs)
    return parser


def run(words: Sequence[str]) -> int:
    """Run the command line and return its exit status."""
    open_closed_streams()
    args = build_parser().parse_args(words)
    for name in ("SIGTERM", "SIGHUP"):
        # One that is ignored stays so: under nohup a closed terminal ends nothing.
        if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) != signal.SIG_IGN:
            signal.signal(getattr(signal, name), _interrupt)
    status = _carried_out(args)
    say_end(args, status)
    return status


def _carried_out(args: argparse.Namespace) -> int:
    """Run a verb; whatever happens in it becomes a sentence and an exit status."""
    tell = voice_of(args)
    try:
        status: int = args.execute(args)
        sys.stdout.flush()
    except ResumeRigError as error:
        if args.debug:
            raise
        from resume_rig.report.hostile_text import one_line

        tell(f"resume-rig: {one_line(str(error))}")
        return status_of_error(error)
    except KeyboardInterrupt:
        if args.debug:
            raise
        tell("resume-rig: stopped.")
        return STOPPED
    except BrokenPipeError:
        # The reader of our output went away (`| head`); nothing is left to say to it.
        silence(sys.stdout)
        return 0
    except Exception as error:
        if args.debug:
            raise
        return _unforeseen(error, tell)
    return status


def _unforeseen(error: Exception, tell: Voice) -> int:
    """Tell of what nobody foresaw; it must not look like a verdict.

    What the system says of a file that was named is the user's to mend; all else is a mistake of
    the program. A traceback would end with 1, as FAIL does.
    """
    from resume_rig.report.hostile_text import one_line

    if isinstance(error, OSError) and error.filename is not None:
        name = one_line(os.fsdecode(error.filename))
        tell(f"resume-rig: could not use {name}: {error.strerror}; name another file or folder")
        return USAGE
    tell(
        f"resume-rig: internal error, {type(error).__name__}: {one_line(str(error))}; please "
        "report it with what --debug shows"
    )
    return INTERNAL


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    """Let a request to end take the way of Ctrl-C, so that actuators are released."""
    raise KeyboardInterrupt
