"""A question of the user's own, asked in a process of its own, which can always be ended.

DuckDB hears an interrupt between two blocks, and keeps neither its limit of memory nor of time
within one: `range(0, 2000000000)` took 6 GB and went on. A process can be killed, and has limits
that the system keeps.
"""

import os
import pickle
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from resume_rig.model.errors import UsageError

# DuckDB has 768 MB for its tables (engine.py); its strings, Arrow and Python come on top.
MEMORY_MOST_BYTES: Final = 2 * 1024**3
ANSWER_MOST_BYTES: Final = 256 * 1024**2
# Windows has it; elsewhere a session does the same.
_A_GROUP_OF_ITS_OWN: Final[int] = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
TOO_MUCH: Final = (
    f"could not answer: that takes more memory than {MEMORY_MOST_BYTES // 1024**3} GiB, or answers "
    f"more than {ANSWER_MOST_BYTES // 1024**2} MiB; ask for less"
)

Answer = tuple[list[str], list[tuple[Any, ...]]]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and of whom.

    Attributes:
        lake: folder or URL.
        text: one SELECT.
        most: rows; one more shows that there are more.
        engine: a name of `EngineName`.
        master: URL of Spark's master; None: two workers on this machine.
    """

    lake: str
    text: str
    most: int
    engine: str
    master: str | None


def answered(question: Question, time_limit_ns: int) -> Answer:
    """Return columns and rows of the answer.

    Whatever ends the wait, a signal or the limit, ends the question at once, and leaves no file.

    Raises:
        UsageError: it is no question to these tables alone, the engine refuses it, or it takes
            more time, memory or rows than it may.
        RecordError: the lake cannot be read.
    """
    with (
        tempfile.TemporaryDirectory(prefix="resume-rig-query-", ignore_cleanup_errors=True) as made,
        (Path(made) / "answer").open("w+b") as file,
    ):
        with _process(file.fileno(), made) as process:
            assert process.stdin is not None
            with suppress(BrokenPipeError):
                pickle.dump(question, process.stdin)
                process.stdin.flush()
            try:
                status = process.wait(time_limit_ns / 1e9)
            except subprocess.TimeoutExpired as error:
                raise UsageError(
                    f"could not answer {question.text[:80]!r} within "
                    f"{time_limit_ns / 1e9:g} s; ask for less, or give it more time by --time-limit"
                ) from error
        file.seek(0)
        try:
            found: Answer | Exception = pickle.load(file)
        except (EOFError, pickle.UnpicklingError) as error:
            how = f"signal {-status}" if status < 0 else f"status {status}"
            raise UsageError(f"{TOO_MUCH} (the engine ended with {how})") from error
    if isinstance(found, Exception):
        raise found
    return found


@contextmanager
def _process(output: int, place: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Start the process that asks; after the block it, and what it started, has ended."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", "from resume_rig.lake.asking import work; work()"],
        stdin=subprocess.PIPE,
        stdout=output,
        stderr=subprocess.DEVNULL,
        # What an engine has no memory for goes where the parent clears up.
        env={**os.environ, "TMPDIR": place, "TEMP": place, "TMP": place},
        start_new_session=True,  # Ctrl-C is the parent's to answer
        creationflags=_A_GROUP_OF_ITS_OWN,
    )
    try:
        yield process
    finally:
        if sys.platform == "win32":
            process.kill()
        else:  # Spark's Java is in it, too
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if process.stdin is not None:
            with suppress(BrokenPipeError):
                process.stdin.close()
