"""Standard output and standard error, and the exit statuses of the contract.

An answer goes to standard output, alone; notes and progress go to standard error. What a closed
pipe or a full disk does to either changes no verdict.

Nothing else in the program writes to them. What is `Painted` goes out as it is; any other text is
one line of somebody's, bounded and with what does not print spelled out; JSON goes out in ASCII.
"""

import argparse
import contextlib
import json
import logging
import os
import re
import shutil
import sys
import traceback
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, TextIO, assert_never, cast

from resume_rig.acceptance.whole_file import check_place_of
from resume_rig.model.errors import ResumeRigError, RigError, UsageError
from resume_rig.model.result.verdict import Verdict
from resume_rig.report.text.terminal_text import joined, terminal_text

if TYPE_CHECKING:
    from resume_rig.report.text.json_text import Json
    from resume_rig.report.text.terminal_style import TerminalStyle


DONE = 0
FAILED = 1
USAGE = 2
FAULT = 3
UNDECIDED = 4
INTERNAL = 70
STOPPED = 130

_NOT_JSON: Final = re.compile(r"[^\n\x20-\x7e]")


def status_of_verdict(verdict: Verdict) -> int:
    """Return 0 for PASS, 1 for FAIL, 4 for MARGINAL and NO-EVIDENCE."""
    match verdict:
        case Verdict.PASS:
            return DONE
        case Verdict.FAIL:
            return FAILED
        case Verdict.MARGINAL | Verdict.NO_EVIDENCE:
            return UNDECIDED
        case _:
            assert_never(verdict)


def status_of_error(error: ResumeRigError) -> int:
    """Return 3 for what the rig or the DUT did, 2 for what the user gave."""
    return FAULT if isinstance(error, RigError) else USAGE


def is_terminal(stream: TextIO) -> bool:
    """Return whether `stream` is a terminal on which a line can be written over."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def columns_of(stream: TextIO) -> int:
    """Return how many cells a line on `stream` has; a file or a pipe is as wide as a page."""
    return shutil.get_terminal_size((120, 24)).columns if stream.isatty() else 120


def style_of(stream: TextIO) -> "TerminalStyle":
    """Return what `stream` takes; coloured is a terminal, unless the user objects (NO_COLOR)."""
    from resume_rig.report.text.terminal_style import TerminalStyle

    colour = is_terminal(stream) and "NO_COLOR" not in os.environ
    return TerminalStyle(colour, _takes_unicode(stream), columns_of(stream))


def answer_style() -> "TerminalStyle":
    """Return how an answer on standard output is drawn."""
    return style_of(sys.stdout)


def note_style() -> "TerminalStyle":
    """Return how progress on standard error is drawn."""
    return style_of(sys.stderr)


def notes_are_live() -> bool:
    """Return whether a line of progress can be written over."""
    return is_terminal(sys.stderr)


def somebody_reads_notes() -> bool:
    """Return whether standard error is a terminal."""
    return sys.stderr.isatty()


def note_columns() -> int:
    """Return how many cells a line of progress has."""
    return columns_of(sys.stderr)


def _takes_unicode(stream: TextIO) -> bool:
    return (stream.encoding or "").lower().replace("-", "") in {"utf8", "utf16"}


def print_note(text: str, end: str = "\n") -> None:
    """Write progress to standard error, a line as a rule; what is not painted is cleaned.

    A terminal that was closed, or a pipe that nobody reads any more, stops no campaign.
    """
    _note(terminal_text(text + end))


def _note(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        # What is still buffered would fail again when Python ends, and turn the status into 120.
        with contextlib.suppress(OSError):
            silence(sys.stderr)


def answer(pieces: Iterable[str]) -> None:
    """Write a result to standard output; a reader that went away (`| head`) changes no verdict.

    Args:
        pieces: painted, or a line each, which is cleaned.

    Raises:
        UsageError: it cannot be written, because the disk is full, for example.
    """
    _answer(map(terminal_text, pieces))


def _answer(pieces: Iterable[str]) -> None:
    stream = sys.stdout
    if not _takes_unicode(stream):
        encoding = stream.encoding or "ascii"
        pieces = (piece.encode(encoding, "replace").decode(encoding) for piece in pieces)
    try:
        stream.writelines(pieces)
        stream.flush()
    except BrokenPipeError:
        silence(stream)
    except OSError as error:
        silence(stream)
        raise UsageError(
            f"could not write the answer to standard output: {error.strerror or error}; send it "
            "to a file or a program that can take it"
        ) from error


def answer_document(document: object) -> None:
    """Write a result as one JSON document in a line, in ASCII."""
    answer_json([json.dumps(document) + "\n"])


def answer_json(pieces: Iterable[str]) -> None:
    """Write pieces of JSON to standard output, untouched but for what is not ASCII.

    Raises:
        UsageError: they cannot be written.
    """
    _answer(map(_ascii_json, pieces))


def _ascii_json(text: str) -> str:
    return _NOT_JSON.sub(lambda found: json.dumps(found[0])[1:-1], text)


def silence_answer() -> None:
    """Let what is not written yet of an answer go nowhere: its reader went away."""
    silence(sys.stdout)


def silence(stream: TextIO) -> None:
    """Let what a stream still holds go nowhere, so that nothing complains at the end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def open_closed_streams() -> None:
    """Stand in for standard streams that were closed before the program began.

    Without it Python would write what is meant for standard error to standard output, and the
    next file to be opened would get the number of the one that is missing.
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            mode = "r" if name == "stdin" else "w"
            nowhere = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(nowhere, mode, encoding="utf-8"))


def take_over_messages() -> None:
    """Let warnings, logged problems and tracebacks take the way of every other note."""
    sys.excepthook = _traceback
    warnings.showwarning = cast("Any", _warning)
    logging.lastResort = _NoteHandler(logging.WARNING)


class _NoteHandler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        print_note(self.format(record))


def _warning(text: object, kind: type[Warning], path: str, line: int, *_more: object) -> None:
    print_note(f"{path}:{line}: {kind.__name__}: {text}")


def _traceback(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    for piece in traceback.format_exception(kind, error, trace):
        # Places in the source, and what joins two tracebacks, are lines; the rest is the error's.
        ours = piece.startswith((" ", "\n"))
        _note(joined(*(piece.splitlines(keepends=True) if ours else [piece])))


def answer_lines(text: str) -> None:
    """Write several lines to standard output, each cleaned.

    Raises:
        UsageError: they cannot be written.
    """
    answer(text.splitlines(keepends=True))


def check_output(path: Path | None, inputs: Iterable[Path]) -> None:
    """Check that a file can be written, before the work that it reports.

    Args:
        path: of the file; None where none is asked for.
        inputs: what it is made of.

    Raises:
        UsageError: it is one of its inputs, or there can be no file at that place.
    """
    if path is None:
        return
    check_place_of(path)
    real = os.path.realpath(path)
    for given in inputs:
        if os.path.realpath(given) == real:
            raise UsageError(
                f"could not write {path}: it would replace {given}, which it is made of; "
                "name another file"
            )


Printer = Callable[[str], None]


def is_for_machine(args: argparse.Namespace) -> bool:
    """Return whether a machine reads standard error: `--progress json`."""
    return getattr(args, "progress", None) == "json"


def printer_of(args: argparse.Namespace) -> Printer:
    """Return what prints a note on a line of its own, as the reader takes it."""
    return print_note_as_json if is_for_machine(args) else print_note


def print_note_as_json(text: str) -> None:
    """Print a note of the program as a JSON line."""
    from resume_rig.report.text.json_text import text_json

    print_event({"event": "said", "text": text_json(text.removeprefix("resume-rig: "))})


def print_event(event: "Mapping[str, Json]") -> None:
    """Print an event as a JSON line."""
    from resume_rig.report.text.json_text import json_text

    print_json_note(json_text(event))


def print_json_note(text: str) -> None:
    """Write a JSON document to standard error, on a line of its own."""
    _note(f"{_ascii_json(text)}\n")


def print_end(args: argparse.Namespace, status: int) -> None:
    """Print the last event for a machine; people see that the program ended."""
    if is_for_machine(args):
        print_event({"event": "ended", "status": status})
