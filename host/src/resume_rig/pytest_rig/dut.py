"""The DUT in the hands of a pytest test: words and units in, nanoseconds out."""

from resume_rig.acceptance.bench_in_use import BenchInUse
from resume_rig.acceptance.durations import named_duration_ns
from resume_rig.acceptance.single_actions import SingleActions
from resume_rig.model.channel import Actuator
from resume_rig.model.errors import UsageError


class Dut:
    """One press, one move of the lid, one sleep, one wake; see `single_actions`.

    Every method may raise UsageError, for a word that is none or a part that the bench has not,
    DeviceFault where the board refuses, and DutFault where the DUT does not do it.
    """

    def __init__(self, bench: BenchInUse) -> None:
        self._hands = SingleActions(bench)

    def press(self, length: str = "150 ms", *, force_off: bool = False) -> int | None:
        """Press the button; return how long the header saw it [ns], None where it saw none."""
        length_ns = named_duration_ns("length", length)
        return self._hands.press(length_ns, force_off=force_off).width_ns

    def close_lid(self) -> None:
        """Close the lid; the board opens it when it hears nothing for its lease."""
        self._hands.move_lid(closed=True)

    def open_lid(self) -> None:
        """Open the lid."""
        self._hands.move_lid(closed=False)

    def put_to_sleep(self, by: str = "BUTTON", *, timeout: str = "60 s") -> int:
        """Put the DUT to sleep; return the time from the trigger to sleep entry [ns]."""
        return self._hands.put_to_sleep(actuator_named(by), named_duration_ns("timeout", timeout))

    def stay_asleep(self, time: str) -> None:
        """Watch a DUT that sleeps, and see that nothing wakes it."""
        self._hands.stay_asleep(named_duration_ns("time", time))

    def wake(self, by: str = "BUTTON", *, timeout: str = "60 s") -> int:
        """Wake the DUT; return the time from the trigger to the last sign of it [ns]."""
        return self._hands.wake(actuator_named(by), named_duration_ns("timeout", timeout))

    def state(self) -> str:
        """Return what the wires show: awake, S3, S4, off or unclear."""
        return self._hands.state().value

    def levels(self) -> dict[str, int]:
        """Return the present level of each wired channel."""
        return {str(channel): level for channel, level in self._hands.levels().items()}


def actuator_named(name: str) -> Actuator:
    """Return an actuator by its name.

    Raises:
        UsageError: there is none of that name.
    """
    if name not in list(Actuator):
        raise UsageError(f"{name!r} is no actuator; allowed are {', '.join(Actuator)}")
    return Actuator(name)
