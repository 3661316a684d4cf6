"""Who took part in a campaign: DUT, rig, host, software; and whether it is still the same."""

import platform
from collections.abc import Iterator
from dataclasses import dataclass

from resume_rig import __version__
from resume_rig.model.channel import Actuator, Channel, line_names
from resume_rig.model.dut import NO_PROFILE, DutProfile
from resume_rig.model.errors import UsageError
from resume_rig.model.evidence import was_simulated
from resume_rig.model.result.verdict import Requirement
from resume_rig.model.rig_url import StoredRigUrl, seed_of
from resume_rig.rig.interface import RigInfo
from resume_rig.timing.wall_clock import HostDiscipline


@dataclass(frozen=True, slots=True)
class Identity:
    """Who and what a campaign was made by.

    Attributes:
        rig_url: how the rig was opened at first; not part of the rig's identity. Of a store that
            was sent it is a stranger's, so it opens nothing.
        rig: what the board reported of itself; its boot id is the first session's.
        dut: the profile as it was then; None where there was none.
        wired: the channels that the DUT has and the rig observes.
        requirement: what the campaign is judged against.
        host: machine, system and Python.
        created_utc_ns: host wall time.
        host_clock: who keeps the host's wall clock; None in stores without it.
        faults: the fault plan (TOML) that was injected on purpose; None for none.
        host_may_sleep: why nothing kept the host awake; None where it was, or nobody asked.
        simulated: the rig was a simulated bench; None in stores that do not state it:
            `is_simulated` is what to read.
    """

    rig_url: StoredRigUrl
    rig: RigInfo
    dut: DutProfile | None
    wired: tuple[Channel, ...]
    requirement: Requirement
    host: str
    software: str
    created_utc_ns: int
    host_clock: HostDiscipline | None = None
    faults: str | None = None
    host_may_sleep: str | None = None
    simulated: bool | None = None

    @property
    def is_simulated(self) -> bool | None:
        """Whether no PC was measured; None where a store of an older version leaves it open."""
        if self.simulated is None:
            return was_simulated(self.rig.board, self.rig_url.text)
        return self.simulated

    @property
    def dut_name(self) -> str:
        """What sentences call the DUT."""
        return NO_PROFILE if self.dut is None else self.dut.name

    @property
    def movable(self) -> dict[Actuator, int]:
        """What the rig can move on the DUT, with the longest press [ns] of each."""
        return {
            info.actuator: info.max_press_ns
            for info in self.rig.actuators
            if self.dut is None or info.actuator in self.dut.actuators
        }


def identify(
    *,
    rig_url: str,
    rig: RigInfo,
    dut: DutProfile | None,
    requirement: Requirement,
    created_utc_ns: int,
    host_clock: HostDiscipline | None = None,
    faults: str | None = None,
    host_may_sleep: str | None = None,
    simulated: bool | None = None,
) -> Identity:
    """Return the identity of a campaign that starts now on this host.

    Without a profile of the DUT every channel of the board counts as wired.

    Raises:
        UsageError: the profile wires a channel that the board does not have.
    """
    observed = tuple(info.channel for info in rig.channels)
    wired = observed if dut is None else dut.channels
    missing = [channel for channel in wired if channel not in observed]
    if dut is not None and missing:
        raise UsageError(
            f"the profile of {dut.name} wires {line_names(missing)}, which the board {rig.board} "
            f"does not observe; it observes {line_names(observed)}"
        )
    return Identity(
        rig_url=StoredRigUrl(rig_url),
        rig=rig,
        dut=dut,
        wired=wired,
        requirement=requirement,
        host=host_text(),
        software=__version__,
        created_utc_ns=created_utc_ns,
        host_clock=host_clock,
        faults=faults,
        host_may_sleep=host_may_sleep,
        simulated=simulated,
    )


def host_text() -> str:
    """Return machine, system and Python in one line."""
    return (
        f"{platform.node()}, {platform.system()} {platform.release()} {platform.machine()}, "
        f"Python {platform.python_version()}"
    )


def check_same_bench(stored: Identity, present: Identity, path: str) -> None:
    """Check that a campaign goes on with the rig and the DUT that it began with.

    Boot id, URL, host, its clock, software and requirement may differ; of the URL of a simulated
    bench its seed is the DUT that it is.

    Raises:
        UsageError: something else differs; the sentence names what.
    """
    differences = list(_differences(stored, present))
    if differences:
        raise UsageError(
            f"could not go on with {path}: it was begun with another bench "
            f"({'; '.join(differences)}); go on with the same rig and DUT, or begin a new store"
        )


def _differences(stored: Identity, present: Identity) -> Iterator[str]:
    if stored.dut_name != present.dut_name:
        yield f"DUT {stored.dut_name}, now {present.dut_name}"
    elif stored.dut != present.dut:
        yield f"the profile of {stored.dut_name} has changed"
    if (stored.is_simulated is True) != (present.is_simulated is True):
        yield "one of them is a simulated bench"
    if stored.faults != present.faults:
        yield "the fault plan has changed"
    if set(stored.wired) != set(present.wired):
        yield f"wired {line_names(stored.wired)}, now {line_names(present.wired)}"
    seeds = seed_of(stored.rig_url.text), seed_of(present.rig_url.text)
    if None not in seeds and seeds[0] != seeds[1]:
        yield f"seed {seeds[0]} of the simulated bench, now {seeds[1]}"
    for name, before, now in (
        ("board", stored.rig.board, present.rig.board),
        ("firmware", stored.rig.firmware, present.rig.firmware),
        ("protocol", stored.rig.protocol, present.rig.protocol),
        ("clock source", stored.rig.clock_source, present.rig.clock_source),
        ("clock rate [Hz]", stored.rig.clock_hz, present.rig.clock_hz),
        ("clock tolerance [ppb]", stored.rig.clock_tolerance_ppb, present.rig.clock_tolerance_ppb),
        ("calibration [ppb]", stored.rig.calibration_ppb, present.rig.calibration_ppb),
        ("channels", stored.rig.channels, present.rig.channels),
        ("actuators", stored.rig.actuators, present.rig.actuators),
    ):
        if before != now:
            yield (f"{name} differ" if isinstance(before, tuple) else f"{name} {before}, now {now}")
