"""The process that asks a question of the user's own; `question.py` starts and ends it."""

import logging
import os
import pickle
import sys
import threading
from typing import NoReturn

from resume_rig.lake.engine import EngineName, opened_engine
from resume_rig.lake.question import (
    ANSWER_MOST_BYTES,
    MEMORY_MOST_BYTES,
    TOO_MUCH,
    Answer,
    Question,
)
from resume_rig.lake.tables import Lake
from resume_rig.model.errors import RecordError, UsageError

if sys.platform == "linux":
    import resource

logger = logging.getLogger(__name__)


def work() -> NoReturn:
    """Ask in this process: a question comes through standard input, its answer goes to output."""
    question: Question = pickle.load(sys.stdin.buffer)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    found: Answer | Exception
    try:
        found = _asked(question)
    except (UsageError, RecordError) as error:
        found = type(error)(str(error))
    except MemoryError:
        found = UsageError(TOO_MUCH)
    except Exception as error:
        # The last resort: the parent reports it as a mistake of the program.
        logger.exception("a question failed")
        found = RuntimeError(f"{type(error).__name__}: {error}")
    pickle.dump(found, sys.stdout.buffer, pickle.HIGHEST_PROTOCOL)
    sys.stdout.buffer.flush()
    os._exit(0)  # the thread above would keep the process


def _end_with_parent() -> None:
    """End where the parent has ended, however that came: its end of the pipe is closed then."""
    while os.read(sys.stdin.fileno(), 1):
        pass
    os._exit(1)


def _asked(question: Question) -> Answer:
    name = EngineName(question.engine)
    if name is EngineName.DUCKDB:
        _limit_memory()
    snapshot = Lake(question.lake).snapshot()
    with opened_engine(name, snapshot, question.master) as engine:
        return engine.asked(question.text, question.most, ANSWER_MOST_BYTES)


def _limit_memory() -> None:
    """Let the system refuse what the engine does not count: Linux does; others have its own limit.

    Java reserves more than it takes, so Spark has a limit of its own.
    """
    if sys.platform == "linux":
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        limit = MEMORY_MOST_BYTES if hard < 0 else min(MEMORY_MOST_BYTES, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))
