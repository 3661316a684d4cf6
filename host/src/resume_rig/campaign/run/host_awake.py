"""Keeps the host awake while a campaign runs: one that sleeps neither presses nor listens.

Windows: SetThreadExecutionState, of the thread that runs the campaign. Linux: an inhibitor lock of
logind, held by `systemd-inhibit` for as long as the program lives that it runs. Elsewhere nobody
is asked.
"""

import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

if sys.platform == "win32":
    import ctypes

    # winbase.h
    _CONTINUOUS: Final = 0x80000000
    _SYSTEM_REQUIRED: Final = 0x00000001
    _set_state = ctypes.windll.kernel32.SetThreadExecutionState
    _set_state.argtypes, _set_state.restype = (ctypes.c_uint,), ctypes.c_uint

# `cat` answers once logind has given the lock, and ends with its standard input.
_INHIBIT: Final = (
    "systemd-inhibit",
    "--what=sleep:idle:handle-lid-switch",
    "--who=resume-rig",
    "--why=a campaign is running",
    "cat",
)
# Assumed: D-Bus answers within some ms, or not at all.
_ANSWER_S: Final = 5.0
_REASON_CHARS: Final = 200


@contextmanager
def host_awake() -> Iterator[str | None]:
    """Keep the host awake within the block; yields why it may sleep all the same, or None."""
    if sys.platform == "win32":
        kept = _set_state(_CONTINUOUS | _SYSTEM_REQUIRED)
        try:
            yield None if kept else "Windows refused it"
        finally:
            _set_state(_CONTINUOUS)
    elif sys.platform == "linux":
        with _inhibited() as why:
            yield why
    else:
        yield "nobody tried how to ask this system"


@contextmanager
def _inhibited() -> Iterator[str | None]:
    try:
        # In a session of its own: Ctrl-C is not for it, and nobody is asked for a password.
        lock = subprocess.Popen(
            _INHIBIT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError:
        yield "there is no systemd-inhibit to ask"
        return
    try:
        yield _why_not(lock)
    finally:
        try:
            lock.communicate(timeout=_ANSWER_S)  # closes its standard input
        except subprocess.TimeoutExpired:
            lock.kill()
            lock.communicate()


def _why_not(lock: "subprocess.Popen[bytes]") -> str | None:
    """Return why there is no lock; None once there is one."""
    assert lock.stdin is not None
    assert lock.stdout is not None
    assert lock.stderr is not None
    try:
        lock.stdin.write(b"\n")
        lock.stdin.flush()
    except BrokenPipeError:
        pass
    answered, _, _ = select.select([lock.stdout], [], [], _ANSWER_S)
    if not answered:
        return f"systemd-inhibit did not answer within {_ANSWER_S:g} s"
    if lock.stdout.readline():
        return None
    words = " ".join(lock.stderr.read(4 * _REASON_CHARS).decode("utf-8", "replace").split())
    return words[:_REASON_CHARS].rstrip(".") or "systemd-inhibit refused it"
