"""Who the rig says it is, and how it is."""

from collections.abc import Iterator
from typing import Final

from PySide6.QtWidgets import QFormLayout, QGroupBox, QLabel, QVBoxLayout, QWidget

from resume_rig.gui.desk import Desk
from resume_rig.gui.state.bench_state import BenchState
from resume_rig.gui.widgets.labels import plain_label, show_text, tip_of
from resume_rig.model.units import count_of, seconds_text
from resume_rig.rig.interface import Faults, RigInfo

_NOTHING: Final = "–"
_WIDE: Final = 26


class BenchFacts(QWidget):
    """Two tables of facts."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        del desk
        self._identity = _FactsBox("Identity", _IDENTITY)
        self._health = _FactsBox("Health", _HEALTH)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._identity)
        column.addWidget(self._health)

    def show_state(self, state: BenchState) -> None:
        """Show what the board told last."""
        self._identity.tell(dict(_identity(state)))
        self._health.tell(dict(_health(state)))


class _FactsBox(QGroupBox):
    def __init__(self, title: str, names: tuple[str, ...]) -> None:
        super().__init__(title)
        form = QFormLayout(self)
        self._labels: dict[str, QLabel] = {}
        for name in names:
            label = plain_label(_NOTHING)
            label.setAccessibleName(name)
            label.setWordWrap(True)
            form.addRow(plain_label(name, role="soft"), label)
            self._labels[name] = label

    def tell(self, facts: dict[str, str]) -> None:
        for name, label in self._labels.items():
            text = facts.get(name, _NOTHING)
            show_text(label, text)
            label.setToolTip(tip_of(text) if len(text) > _WIDE else "")


_IDENTITY: Final = (
    "Board",
    "Firmware",
    "DUT",
    "Clock",
    "Edges by",
    "Channels",
    "Actuators",
    "Press up to",
    "Boot",
)
_HEALTH: Final = (
    "Link",
    "Clock bound",
    "Round trip",
    "Up for",
    "Last reset",
    "Overruns",
    "Refusals",
    "Lease",
)


def _identity(state: BenchState) -> Iterator[tuple[str, str]]:
    info = state.info
    if info is None:
        return
    yield "Board", info.board
    yield "Firmware", f"{info.firmware}, protocol {info.protocol}"
    yield "DUT", (state.dut_name or "no profile") + (" (simulated)" if state.simulated else "")
    yield "Clock", _clock(info)
    yield "Edges by", info.edge_source or "it does not tell"
    calibrated = sum(known.latency is not None for known in info.channels)
    yield "Channels", f"{len(info.channels)}, {calibrated} calibrated"
    yield "Actuators", ", ".join(each.actuator for each in info.actuators)
    longest_ns = max((each.max_press_ns for each in info.actuators), default=0)
    yield "Press up to", seconds_text(longest_ns)
    yield "Boot", f"{info.boot_id:#010x}"


def _clock(info: RigInfo) -> str:
    if info.calibration_ppb is not None:
        return f"{info.clock_source}, calibrated to {info.calibration_ppb} ppb"
    return f"{info.clock_source}, +/-{info.clock_tolerance_ppb / 1000:g} ppm"


def _health(state: BenchState) -> Iterator[tuple[str, str]]:
    yield "Link", state.link.value
    if state.bound_ns is not None:
        yield "Clock bound", f"+/-{seconds_text(state.bound_ns)}"
    if state.round_trip_ns is not None:
        yield "Round trip", seconds_text(state.round_trip_ns)
    faults = state.faults
    if faults is None or state.info is None:
        return
    yield "Up for", seconds_text(faults.uptime_ns)
    yield "Last reset", _reset(faults)
    yield "Overruns", f"{faults.edge_overruns} edges, {faults.light_overruns} blocks of light"
    yield "Refusals", str(faults.refusals)
    expired = count_of(faults.lease_expiries, "time")
    yield "Lease", f"{seconds_text(state.info.lease_ns)}, ran out {expired}"


def _reset(faults: Faults) -> str:
    watchdog = f", {count_of(faults.watchdog_resets, 'watchdog reset')}"
    return faults.reset_reason + (watchdog if faults.watchdog_resets else "")
