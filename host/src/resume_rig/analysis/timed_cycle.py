"""A cycle on the host's clock, with what the rig saw of the DUT beside it."""

from dataclasses import dataclass

from resume_rig.model.cycle import OutsideCycle
from resume_rig.model.os_record import OsRecord
from resume_rig.model.quantity import BoundedNs


@dataclass(frozen=True, slots=True)
class SleepBeside:
    """A sleep that ended outside of the cycles: of a DUT that was brought back, or tried again.

    Attributes:
        asleep_ns, awake_ns: host UTC of the power line falling and rising; None where it began in
            a cycle before, which never woke.
    """

    asleep_ns: int | None
    awake_ns: int


@dataclass(frozen=True, slots=True)
class TimedCycle:
    """A cycle and when it was on the host's clock.

    Attributes:
        wake_utc: host UTC at `outside.awake_from_ns`, of the trigger where that is None. None
            where the clock of the edges has no relation to the host's (captures).
        records: OS records that were in the log at its end and not before; none where the log
            was not read while the cycles ran.
    """

    outside: OutsideCycle
    wake_utc: BoundedNs | None = None
    records: tuple[OsRecord, ...] = ()
