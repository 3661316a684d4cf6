"""Runs the command line in this process, in a folder and an environment that are always alike."""

import contextlib
import io
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from resume_rig.cli.main import main

ENVIRONMENT = {"COLUMNS": "100", "LINES": "40", "TZ": "UTC", "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True)
class Answer:
    """What one command said."""

    status: int
    out: str
    err: str


def ask(*words: str) -> Answer:
    """Run `resume-rig WORDS...`."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status: object = main(list(words))
        except SystemExit as left:
            status = left.code
    return Answer(status if isinstance(status, int) else 2, out.getvalue(), err.getvalue())


@contextlib.contextmanager
def settled(folder: Path, *, given: bool = False) -> Iterator[None]:
    """Work in a folder; zone, language and width are always the same, or as `given`."""
    before = Path.cwd(), dict(os.environ), [signal.getsignal(each) for each in SIGNALS]
    os.chdir(folder)
    for name, value in ENVIRONMENT.items():
        if not (given and name in os.environ):
            os.environ[name] = value
    time.tzset()
    try:
        yield
    finally:
        os.chdir(before[0])
        os.environ.clear()
        os.environ.update(before[1])
        time.tzset()
        for each, handler in zip(SIGNALS, before[2], strict=True):
            signal.signal(each, handler)
