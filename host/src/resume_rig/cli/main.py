"""The entry point; it imports next to nothing, so that asking for the version costs nothing."""

import sys
from collections.abc import Sequence

from resume_rig import __version__


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line (`sys.argv` by default) and return its exit status."""
    words = sys.argv[1:] if argv is None else argv
    if list(words) == ["--version"]:
        print(f"resume-rig {__version__}")
        return 0
    from resume_rig.cli.program import run

    return run(words)
