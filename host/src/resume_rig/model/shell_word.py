"""A name as a shell takes it, for commands that somebody copies out of a sentence."""

import os
import shlex
import subprocess
from pathlib import Path


def shell_word(path: Path) -> str:
    """Return a path as one word of a command line; one without blanks and signs as it is."""
    if os.name == "nt":
        return subprocess.list2cmdline([str(path)])
    return shlex.quote(str(path))
