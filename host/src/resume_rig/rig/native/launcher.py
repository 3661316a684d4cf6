"""Becomes another program, which the kernel kills when the thread that started this one ends.

A program of its own, run as `python -I -S launcher.py PARENT_PID PROGRAM [ARGUMENT...]`: between
fork and exec of a process with threads only a fresh interpreter is a safe place for prctl. The
kernel keeps the wish across exec, also when the image starts itself anew. Linux only.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def become(parent_pid: int, command: list[str]) -> str:
    """Turn into `command`; return why that was not possible."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        return f"prctl: {os.strerror(ctypes.get_errno())}"
    if os.getppid() != parent_pid:
        return "whoever started it is gone"
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python had it ignored
    try:
        os.execv(command[0], command)
    except OSError as error:
        return error.strerror or str(error)


if __name__ == "__main__":
    sys.stdout.write(become(int(sys.argv[1]), sys.argv[2:]) + "\n")
    sys.stdout.flush()
    os._exit(126)  # as a shell does for what it cannot execute
