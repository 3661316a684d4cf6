"""Serves a native bench's pseudo-terminal to other programs, as sim/serve does a simulated one."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from resume_rig.rig.native.bench import NativeBench
from resume_rig.rig.sim.serve import clear_link, linked


def serve_native(bench: NativeBench, link: Path | None, on_ready: Callable[[str], None]) -> None:
    """Start the image and let clients come and go until the image ends or Ctrl-C.

    Args:
        bench: not started; closed in the end.
        link: becomes a symbolic link to the terminal, and is removed in the end; None for none.
        on_ready: told the path to open, link or terminal, when clients may come.

    Raises:
        UsageError: there is no such image, it cannot be executed, or `link` cannot be made.
        LinkLost: the image ended, or served no SMP in time.
    """
    if link is not None:
        clear_link(link)
    with closing(bench), linked(link, bench.start()) as path:
        on_ready(path)
        problem = bench.wait()
        if problem is not None:
            raise problem
