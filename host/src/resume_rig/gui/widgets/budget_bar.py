"""What makes an interval uncertain: each independent error's share of the variance."""

from collections.abc import Sequence
from typing import Final

import pyqtgraph as pg

from resume_rig.gui.desk import Desk
from resume_rig.gui.state.limits_tables import Part
from resume_rig.gui.widgets.plot_panel import PlotPanel

_NAME_MOST: Final = 44
_MOST: Final = 10
_NS_PER_US: Final = 1e3


class BudgetBar(PlotPanel):
    """A bar for each error, the greatest first; together they are all of the variance."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, "What makes it uncertain", "share of the variance, %")
        self._parts: Sequence[Part] = ()
        self._items: list[object] = []
        self.plot.invertY(True)
        self.plot.setMouseEnabled(x=False, y=False)
        desk.look.changed.connect(self._draw_again)

    def draw(self, name: str, parts: Sequence[Part]) -> None:
        """Draw the parts of an interval's budget."""
        ordered = sorted(parts, key=lambda part: -part.share)
        self._parts = ordered[:_MOST]
        rest = sum(part.share for part in ordered[_MOST:])
        self.note(f"{name}; {rest:.2g} % more in smaller ones" if len(ordered) > _MOST else name)
        self._draw_again()

    def _draw_again(self) -> None:
        for item in self._items:
            self.plot.removeItem(item)
        colours = self._desk.look.colours
        rows = list(range(len(self._parts)))
        self._items = [
            pg.BarGraphItem(
                x0=[0.0] * len(rows),
                x1=[part.share for part in self._parts],
                y0=[row - 0.35 for row in rows],
                y1=[row + 0.35 for row in rows],
                brush=colours.blue,
                pen=self.pen(colours.line),
            )
        ]
        for row, part in enumerate(self._parts):
            text = pg.TextItem(
                f"{part.share:.1f} %, {abs(part.net_ns) / _NS_PER_US:.3g} us",
                color=colours.ink,
                anchor=(0, 0.5),
            )
            text.setPos(part.share, row)
            self._items.append(text)
        for item in self._items:
            self.plot.addItem(item)
        ticks = [(row, part.name[:_NAME_MOST]) for row, part in enumerate(self._parts)]
        self.plot.getAxis("left").setTicks([ticks])
        self.plot.setYRange(-0.7, max(len(rows), 1) - 0.3, padding=0)
        # Beside the longest bar is room for its words; a share ends at 100 %.
        self.plot.setXRange(0, 125, padding=0)
        shares = range(0, 101, 20)
        self.plot.getAxis("bottom").setTicks([[(share, str(share)) for share in shares]])
