"""Shows a campaign while it runs: one line a cycle, on standard error."""

import sys

from resume_rig.campaign.events import (
    Asleep,
    CampaignBegan,
    CampaignEvent,
    CycleDone,
    CycleStarted,
    LogUnreadable,
    Recovered,
    Recovering,
    Woke,
)
from resume_rig.campaign.identity import Identity
from resume_rig.campaign.outside import outside_cycle
from resume_rig.campaign.plan import Plan
from resume_rig.cli.console import look_of, say
from resume_rig.model.units import seconds_text
from resume_rig.report.terminal_correlation import cycle_line


class Progress:
    """An observer of a campaign; on a terminal it also shows what the cycle in flight does."""

    def __init__(self, identity: Identity) -> None:
        self._identity = identity
        self._plan: Plan | None = None
        self._look = look_of(sys.stderr)
        self._live = sys.stderr.isatty()

    def __call__(self, event: CampaignEvent) -> None:
        """Show one event."""
        match event:
            case CampaignBegan(path=path, plan=plan, done=done):
                self._plan = plan
                going_on = f", {done} done before" if done else ""
                say(
                    f"{plan.cycles} {plan.state} cycles{going_on} on {self._identity.dut_name}, "
                    f"rig {self._identity.rig.board}; store {path}"
                )
            case CycleStarted(number=number):
                self._flight(number, "going to sleep")
            case Asleep(number=number, after_ns=after_ns):
                self._flight(number, f"asleep after {seconds_text(after_ns)}")
            case Woke(number=number):
                self._flight(number, "awake, settling")
            case CycleDone():
                self._done(event)
            case LogUnreadable(number=number, text=text):
                self._line(f"cycle {number}: {text}")
            case Recovering(after_cycle=number, why=why):
                self._line(f"after cycle {number}: {why} Trying once more.")
            case Recovered(after_cycle=number, ok=ok):
                self._line(f"after cycle {number}: {'awake again' if ok else 'no success'}.")

    def _done(self, event: CycleDone) -> None:
        if self._plan is None:
            return
        cycle = outside_cycle(event.raw, self._plan, self._identity)
        self._line(
            cycle_line(
                cycle,
                planned=self._plan.cycles,
                colour=self._look.colour,
                unicode=self._look.unicode,
            )
        )

    def _flight(self, number: int, what: str) -> None:
        """Show what a cycle does in a line that the next one replaces."""
        if self._live:
            say(f"\r\033[Kcycle {number}: {what} ...", end="")

    def _line(self, text: str) -> None:
        say(f"\r\033[K{text}" if self._live else text)
