"""What every group of keywords has."""

from resume_rig.robot.held import Held


class Keywords:
    """A group of keywords; all groups of one library share what it holds."""

    def __init__(self, held: Held) -> None:
        self._held = held
