"""What every view is given: the rig's worker, jobs, colours, remembered state, the way around."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from resume_rig.gui.remembered import Remembered
from resume_rig.gui.request import NO_WISH, BenchWish, Target
from resume_rig.gui.theme import Look

if TYPE_CHECKING:
    from resume_rig.gui.state.seen import Seen
    from resume_rig.gui.worker.jobs import Jobs
    from resume_rig.gui.worker.rig_worker import RigWorker

AskPath = Callable[[str, str, Callable[[Path], None]], None]
"""Asks for the name of a file to write: title, suffixes such as "PNG (*.png)", what then."""


@dataclass(frozen=True, slots=True)
class Desk:
    """The application's parts, as a view sees them.

    Attributes:
        look: colours in force.
        remembered: state that outlives the window.
        jobs: runs work in the background, with progress, and can be cancelled.
        worker: owns the rig.
        seen: what the rig and the campaign told so far; views read, and never write.
        go: shows a view by name, and lets it open a target.
        say: puts a sentence on the status line.
        ask_path: asks where to write a file; tests put their own in its place.
        wish: what the command line asked to be done with a rig at once.
    """

    look: Look
    remembered: Remembered
    jobs: "Jobs"
    worker: "RigWorker"
    seen: "Seen"
    go: Callable[[str, Target], None]
    say: Callable[[str], None]
    ask_path: AskPath
    wish: BenchWish = NO_WISH
