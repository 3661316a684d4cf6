"""The wires and the findings of one cycle, read from the store."""

from pathlib import Path

from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from resume_rig.gui.desk import Desk
from resume_rig.gui.state.evidence import Evidence, read_evidence
from resume_rig.gui.widgets.labels import plain_label
from resume_rig.gui.widgets.lanes_plot import LanesPlot
from resume_rig.gui.worker.jobs import Task
from resume_rig.report.hostile_text import one_line

_NS_PER_S = 1e9
_NONE = "No cycle is chosen; a failure's button, or the list of failures, shows one."


class CampaignEvidence(QWidget):
    """Sentences over lanes.

    Attributes:
        evidence: what is shown; None before any.
        lanes: the picture.
    """

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._task: Task | None = None
        self.evidence: Evidence | None = None
        self.text = plain_label(_NONE)
        self.text.setWordWrap(True)
        self.lanes = LanesPlot(desk, "Wires of the cycle", "time after the wake trigger, s")
        # In a small window the picture keeps its height, and scrolls.
        scroll = QScrollArea()
        scroll.setWidget(self.lanes)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 4, 4, 4)
        column.addWidget(self.text)
        column.addWidget(scroll, 1)

    @property
    def loading(self) -> bool:
        """Whether a cycle is being read."""
        return self._task is not None

    def show_cycle(self, path: Path, number: int) -> None:
        """Read a cycle in the background, and show it."""
        if self._task is not None:
            self._task.cancel()
        self.evidence = None
        self.text.setText(f"Reading cycle {number} …")
        self._task = self._desk.jobs.start(
            f"Reading cycle {number} of {path.name}",
            lambda _task: read_evidence(path, number),
            self._show,
            self._fail,
        )

    def _show(self, found: Evidence) -> None:
        self._task = None
        self.evidence = found
        self._desk.say(f"Cycle {found.outside.number} of {found.path.name}")
        self.text.setText("\n".join(one_line(sentence) for sentence in found.sentences))
        first_ns = min(lane.since_ns for lane in found.wires.lanes.values())
        self.lanes.draw(found.wires, first_ns, found.until_ns, found.zero_ns)
        self.lanes.show_range(
            (first_ns - found.zero_ns) / _NS_PER_S, (found.until_ns - found.zero_ns) / _NS_PER_S
        )
        self.lanes.mark([(0.0, "")] if found.has_trigger else [])
        self.lanes.lanes.note("dashed: the wake trigger" if found.has_trigger else "")

    def _fail(self, sentence: str) -> None:
        self._task = None
        self.text.setText(sentence)
