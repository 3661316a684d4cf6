"""The entry point; it imports next to nothing, so that asking for the version costs nothing."""

import sys
from collections.abc import Sequence

from resume_rig import __version__


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line (`sys.argv` by default) and return its exit status."""
    words = sys.argv[1:] if argv is None else argv
    if list(words) == ["--version"]:
        return _print_version()
    try:
        from resume_rig.cli.program import run

        return run(words)
    except KeyboardInterrupt:
        # While modules are loaded, before the program itself can answer.
        if "--debug" in words:
            raise
        from resume_rig.cli.terminal.console import STOPPED, print_note

        print_note("resume-rig: stopped.")
        return STOPPED


def _print_version() -> int:
    try:
        print(f"resume-rig {__version__}", flush=True)
    except OSError:
        from resume_rig.cli.terminal.console import USAGE, silence_answer

        silence_answer()
        return USAGE
    return 0
