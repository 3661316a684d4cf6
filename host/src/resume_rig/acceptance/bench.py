"""A rig and its DUT in the hands of a test system: claimed, opened once, used by many tests."""

import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.clock import Clock
from resume_rig.model.dut import NO_PROFILE, DutProfile
from resume_rig.model.errors import UsageError
from resume_rig.model.rig_url import NOT_NAMED, RigUrl
from resume_rig.report.text.hostile_text import one_line
from resume_rig.report.text.json_text import utc_json
from resume_rig.rig.dut_profile import profile_for
from resume_rig.rig.interface import Rig, RigInfo
from resume_rig.rig.link.claim import Claim, FoundPort, claim_rig, found_ports
from resume_rig.rig.link.open import OpenRig, open_rig
from resume_rig.timing.clocks import SystemClock

_PORTS_NAMED: Final = 8
_NAMED_CHARS: Final = 60
_TO_SECONDS: Final = len("2026-01-01T00:00:00")


@contextmanager
def opened_rig(
    url: RigUrl,
    dut: DutProfile | None,
    *,
    clock: Clock | None = None,
    not_before_utc_ns: int = 0,
    sessions_before: int = 0,
) -> Iterator[OpenRig]:
    """Open a rig for this process alone; close it, which releases its actuators, at the end.

    Args:
        url: of the rig.
        dut: its DUT's profile.
        clock: used instead of the one that the URL asks for.
        not_before_utc_ns: wall time at which a virtual clock starts at the earliest.
        sessions_before: of the campaign that goes on.

    Raises:
        UsageError: no URL of a rig, or none at all; the sentence names the ports that there are.
        LinkLost: nobody answers, or another process has the rig; the sentence says which.
    """
    if url == NOT_NAMED:
        raise UsageError(_none_named(found_ports()))
    with claim_here(url):
        opened = open_rig(
            url,
            clock,
            dut,
            not_before_utc_ns=not_before_utc_ns,
            sessions_before=sessions_before,
        )
        try:
            yield opened
        finally:
            opened.rig.close()


def _none_named(ports: Sequence[FoundPort]) -> str:
    """Return what to name where no rig was named: no bench is taken without a word."""
    listed = ", ".join(
        f"--rig serial:{one_line(each.usb_serial, _NAMED_CHARS)}"
        f" ({one_line(each.product, _NAMED_CHARS)}, {one_line(each.path, _NAMED_CHARS)})"
        for each in ports[:_PORTS_NAMED]
    )
    more = f" and {len(ports) - _PORTS_NAMED} more" if len(ports) > _PORTS_NAMED else ""
    found = (
        f"boards that this PC sees by USB are {listed}{more}"
        if ports
        else ("this PC sees no board by USB; a shared one is --rig rfc2217:HOST:PORT")
    )
    return (
        f"could not run a campaign: no rig is named; {found}; to try without a board: "
        "`resume-rig demo`, or --rig sim:"
    )


def claim_here(url: RigUrl) -> Claim:
    """Note that this program has the rig at `url` from now on; raises as `claim_rig`."""
    now_utc = (utc_json(SystemClock().utc_ns()) or "")[:_TO_SECONDS] + "Z"
    return claim_rig(url, _program(), now_utc)


def _program() -> str:
    path = Path(sys.argv[0] or "python")
    return path.parent.name if path.stem == "__main__" else path.stem


@dataclass(slots=True)
class BenchInUse:
    """An open rig; `close` gives it back and lets go of every actuator.

    Attributes:
        url: of the rig.
        dut: its DUT's profile; None where none was named.
        info: of the board, when it was opened.
    """

    url: RigUrl
    dut: DutProfile | None
    opened: OpenRig
    info: RigInfo
    claim: Claim

    @property
    def rig(self) -> Rig:
        """The open rig."""
        return self.opened.rig

    @property
    def wired(self) -> tuple[Channel, ...]:
        """The channels that the DUT has."""
        observed = tuple(each.channel for each in self.info.channels)
        return observed if self.dut is None else self.dut.channels

    @property
    def movable(self) -> tuple[Actuator, ...]:
        """What the rig can move on the DUT."""
        driven = tuple(each.actuator for each in self.info.actuators)
        if self.dut is None:
            return driven
        return tuple(each for each in driven if each in self.dut.actuators)

    @property
    def dut_name(self) -> str:
        """What sentences call the DUT."""
        return NO_PROFILE if self.dut is None else self.dut.name

    def close(self) -> None:
        """Let go of every actuator and of the rig."""
        try:
            self.opened.rig.close()
        finally:
            self.claim.release()

    def lacks(self, wanted: Collection[Channel | Actuator]) -> str | None:
        """Return in one sentence what the bench has not of `wanted`; None where it has all."""
        channels = [each for each in wanted if isinstance(each, Channel)]
        actuators = [each for each in wanted if isinstance(each, Actuator)]
        missing = [each for each in channels if each not in self.wired]
        if missing:
            return (
                f"the DUT {self.dut_name} has no channel {', '.join(missing)}; wired are "
                f"{', '.join(self.wired)}"
            )
        still = [each for each in actuators if each not in self.movable]
        if still:
            return (
                f"the rig cannot move the {', '.join(still)} of the DUT {self.dut_name}; it moves "
                f"{', '.join(self.movable) or 'nothing'}"
            )
        return None


def open_bench(url: RigUrl, dut: str | None = None, *, not_before_utc_ns: int = 0) -> BenchInUse:
    """Open the rig at `url` for this process alone.

    Args:
        url: as `run --rig` takes it.
        dut: name of a shipped DUT profile, or path of one; a simulated bench has a default.
        not_before_utc_ns: wall time at which a virtual clock starts at the earliest.

    Raises:
        UsageError: no URL of a rig, or no such profile.
        LinkLost: nobody answers, or another process has the rig; the sentence says which.
    """
    profile = profile_for(url, dut)
    with ExitStack() as stack:
        claim = stack.enter_context(claim_here(url))
        opened = open_rig(url, dut=profile, not_before_utc_ns=not_before_utc_ns)
        stack.callback(opened.rig.close)
        bench = BenchInUse(url, profile, opened, opened.rig.info(), claim)
        stack.pop_all()
    return bench


def need(bench: BenchInUse, doing: str, *wanted: Channel | Actuator) -> None:
    """Check that the bench has what is needed.

    Raises:
        UsageError: it has not; the sentence names what there is.
    """
    lacking = bench.lacks(wanted)
    if lacking is not None:
        raise UsageError(f"could not {doing}: {lacking}")
