"""What an account says of the parts of a transition: phases, devices, services, applications."""

from dataclasses import dataclass
from enum import StrEnum, unique


@unique
class ComponentKind(StrEnum):
    """What a component is."""

    PHASE = "phase"
    DEVICE = "device"
    DRIVER = "driver"
    SERVICE = "service"
    APPLICATION = "application"


@dataclass(frozen=True, slots=True)
class Component:
    """One part of one transition, as the OS timed it.

    Components may overlap and nest: their durations do not add up to that of the transition.

    Attributes:
        kind: what it is.
        name: as recorded; hostile: escape it where it is shown.
        phase: the phase of the transition that it belongs to, e.g. "resume devices"; of a phase,
            its parent's name, or empty.
        duration_ms: how long it took; None where the account says that it had not ended.
        start_ms: when it began, from the start of the transition.
        own_ms: what is left of the duration without its children, where the account tells.
        detail: what else tells it from others of its name (process id, driver, bus address).
        held_ms: how long of it others had to wait for it, where the account tells (the prePendTime
            of a Plug and Play object: until its driver returned STATUS_PENDING).
        group: the load order group of a service; empty where it has none.
    """

    kind: ComponentKind
    name: str
    phase: str
    duration_ms: float | None
    start_ms: float | None = None
    own_ms: float | None = None
    detail: str = ""
    held_ms: float | None = None
    group: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that an account gives and no field of OsRecord holds.

    Attributes:
        name: glossary word with its unit at the end, e.g. "exit_latency_us", "drips_percent".
        value: as recorded.
    """

    name: str
    value: float
