"""Shows a campaign while it runs, to people or as JSON lines, and runs the user's hooks."""

from collections.abc import Mapping
from enum import StrEnum, unique
from typing import TYPE_CHECKING

from resume_rig.campaign.plan.plan import Plan
from resume_rig.campaign.plan.states import states_text
from resume_rig.campaign.run.events import (
    Asleep,
    CampaignBegan,
    CampaignEvent,
    CycleDone,
    CycleStarted,
    HostMaySleep,
    LinkReported,
    LogUnreadable,
    ProvisionalVerdict,
    Recovering,
    RigBack,
    RigLost,
    Running,
    Tally,
    Woke,
    note_text,
)
from resume_rig.campaign.run.hooks import Hooks, fire_hooks
from resume_rig.campaign.run.recovery import DONE_BY, levels_text
from resume_rig.campaign.store.identity import Identity
from resume_rig.campaign.store.measured_cycle import hung_after, outside_cycle
from resume_rig.campaign.store.raw import CycleRaw, Recovery
from resume_rig.cli.terminal.console import (
    note_columns,
    note_style,
    notes_are_live,
    print_json_note,
    print_note,
    print_note_as_json,
)
from resume_rig.model.channel import Channel
from resume_rig.model.evidence import SIMULATED
from resume_rig.model.result.cycle import UNREMARKABLE, OutsideCycle
from resume_rig.model.result.verdict import Verdict
from resume_rig.model.units import count_of, seconds_text
from resume_rig.report.campaign.progress import CampaignStatus, status_lines
from resume_rig.report.campaign.terminal import cycle_line
from resume_rig.report.text.json_text import Json, json_text, quantity_json, text_json, utc_json
from resume_rig.report.text.terminal_text import Painted, joined, lines_away
from resume_rig.report.text.wording import outcome_words

if TYPE_CHECKING:
    from resume_rig.acceptance.metrics import Metrics


def event_line(
    event: CampaignEvent, tally: Tally | None, outside: OutsideCycle | None, provisional: Verdict
) -> str:
    """Return an event as one line without its end.

    Args:
        event: what happened.
        tally: of the campaign, this event counted; None before it began.
        outside: of the cycle that is over, where the event is its end; of a recovery's step, the
            cycle before it where the step proves what became of that.
        provisional: the verdict, provisional.
    """
    document = _document(event)
    if isinstance(event, CycleDone) and tally is not None and outside is not None:
        document |= _cycle(event.raw, tally, outside) | {"verdict_so_far": provisional.value}
    elif outside is not None:
        document |= {"outcome": outside.outcome.value}
    return json_text(document)


def _document(event: CampaignEvent) -> dict[str, Json]:
    found: dict[str, Json]
    match event:
        case CampaignBegan(path=path, plan=plan, session=session, done=done):
            found = {"event": "began", "store": text_json(str(path)), "session": session}
            found |= {"cycles": plan.cycles, "done": done}
        case HostMaySleep(why=why):
            found = {"event": "host-may-sleep", "text": text_json(why)}
        case CycleStarted(number=number, done=done, levels=levels):
            found = {"event": "started", "cycle": number, "done": done, "levels": _levels(levels)}
        case Asleep(number=number, after_ns=after_ns, levels=levels):
            found = {"event": "asleep", "cycle": number, "after_ns": after_ns}
            found |= {"levels": _levels(levels)}
        case Woke(number=number, after_ns=after_ns, levels=levels):
            found = {"event": "woke", "cycle": number, "after_ns": after_ns}
            found |= {"levels": _levels(levels)}
        case CycleDone(raw=raw):
            found = {"event": "cycle", "cycle": raw.number}
        case LogUnreadable(number=number, text=text):
            found = {"event": "log-unreadable", "cycle": number, "text": text_json(text)}
        case Recovering(after_cycle=number, why=why, step=step):
            found = {"event": "recovering", "after_cycle": number, "why": text_json(why)}
            found |= {"step": step.value}
        case Recovery(after_cycle=number, ok=ok, step=step, levels=levels):
            found = {"event": "recovered", "after_cycle": number, "ok": ok, "step": step.value}
            found |= {"levels": _levels(levels)}
        case RigLost(after_cycle=number, text=text):
            found = {"event": "rig-lost", "after_cycle": number, "text": text_json(text)}
        case RigBack(after_cycle=number, boot_id=boot_id):
            found = {"event": "rig-back", "after_cycle": number, "boot_id": boot_id}
        case LinkReported(repeated=repeated, stale=stale, damaged=damaged):
            found = {"event": "link", "repeated": repeated, "stale": stale, "damaged": damaged}
    return found


def _levels(levels: Mapping[Channel, int] | None) -> dict[str, Json] | None:
    """Return levels by channel, in order: those of a step of the ladder come from a set."""
    return None if levels is None else {str(line): levels[line] for line in sorted(levels)}


def _cycle(raw: CycleRaw, tally: Tally, outside: OutsideCycle) -> dict[str, Json]:
    return {
        "outcome": outside.outcome.value,
        "state_outside": outside.state.value,
        "started": utc_json(raw.started_host_ns + raw.utc_minus_host_ns),
        "lasted_ns": raw.ended_host_ns - raw.started_host_ns,
        "outside": {name.value: quantity_json(q) for name, q in outside.intervals.items()},
        "resume_ms": [record.resume_ms for record in raw.records],
        "findings": [finding.kind.value for finding in outside.findings],
        "done": tally.done,
        "outcomes": {outcome.value: count for outcome, count in tally.outcomes.items()},
        "left_ns": tally.left_ns(),
    }


@unique
class ProgressMode(StrEnum):
    """How much is shown."""

    LINES = "lines"
    """A line a cycle; on a terminal also a line of status, which is replaced."""
    QUIET = "quiet"
    """Only what went wrong."""
    JSON = "json"
    """A JSON document a line, for machines."""


class Progress:
    """An observer of a campaign."""

    def __init__(
        self,
        identity: Identity,
        mode: ProgressMode,
        hooks: Hooks,
        metrics: "Metrics | None" = None,
    ) -> None:
        self._identity = identity
        self._metrics = metrics
        self._mode = mode
        self._hooks = hooks
        self._plan: Plan | None = None
        self._tally: Tally | None = None
        self._index = 0
        self._newest: OutsideCycle | None = None
        self._steps: list[Recovery] = []
        self._levels: Mapping[Channel, int] | None = None
        self._provisional = ProvisionalVerdict(identity.requirement)
        self._resumed = False
        self._style = note_style()
        self._live = notes_are_live() and mode is ProgressMode.LINES
        self._drawn = 0

    def __call__(self, event: CampaignEvent) -> None:
        """Count one event, show it, and fire the hooks."""
        outside = self._count(event)
        if self._metrics is not None:
            self._metrics.take(self._identity, event, outside, self._provisional)
        if self._mode is ProgressMode.JSON:
            print_json_note(event_line(event, self._tally, outside, self._provisional.verdict))
        else:
            self._show(event, outside)
        fire_hooks(self._hooks, event, outside if isinstance(event, CycleDone) else None)
        while self._hooks.problems:
            problem = f"resume-rig: {self._hooks.problems.pop(0)}"
            (print_note_as_json if self._mode is ProgressMode.JSON else self._line)(problem)

    def _count(self, event: CampaignEvent) -> OutsideCycle | None:
        match event:
            case CampaignBegan(plan=plan, done=done, session=session):
                self._plan, self._tally = plan, Tally(plan, done)
                self._resumed = session > 1
            case CycleStarted(done=done, levels=levels):
                self._index, self._levels = done, levels
            case Asleep(levels=levels) | Woke(levels=levels) | Recovery(levels=levels) if levels:
                self._levels = levels
                return self._revised(event) if isinstance(event, Recovery) else None
            case CycleDone(raw=raw) if self._plan is not None and self._tally is not None:
                plan = self._plan.of_cycle(self._index)
                outside = outside_cycle(raw, plan, self._identity)
                self._tally.add(outside, raw)
                self._provisional.add(plan, self._index, outside, raw.records)
                self._newest, self._steps = outside, []
                return outside
            case Recovery():
                return self._revised(event)
        return None

    def _revised(self, step: Recovery) -> OutsideCycle | None:
        """Count the newest cycle anew, and return it, where a step proves that it hung."""
        before = self._newest
        self._steps.append(step)
        after = hung_after(before, self._steps, self._identity.wired)
        if before is not None and after is not None and self._tally is not None:
            self._tally.revise(before.outcome, after.outcome)
            self._newest = after
        return after

    def _show(self, event: CampaignEvent, outside: OutsideCycle | None) -> None:
        quiet = self._mode is ProgressMode.QUIET
        match event:
            case CampaignBegan() if not quiet:
                self._began(event)
            case CycleStarted(number=number):
                self._flight(number, "going to sleep")
            case Asleep(number=number, after_ns=after_ns):
                self._flight(number, f"asleep after {seconds_text(after_ns)}")
            case Woke(number=number):
                self._flight(number, "awake, settling")
            case CycleDone() if outside is not None:
                if not quiet or outside.outcome not in UNREMARKABLE:
                    self._cycle(outside)
            case HostMaySleep() | LogUnreadable():
                self._line(note_text(event))
            case Recovering(after_cycle=number, why=why, step=step):
                self._line(f"after cycle {number}: {why} Next: {DONE_BY[step]}.")
            case Recovery():
                self._line(_recovered(event, outside))
            case RigLost(after_cycle=number, text=text):
                self._line(f"after cycle {number}: {text}; waiting for the rig.")
            case RigBack(after_cycle=number):
                self._line(f"after cycle {number}: the rig is back, the campaign goes on.")
            case LinkReported():
                self._end(event)

    def _began(self, event: CampaignBegan) -> None:
        if self._identity.is_simulated:
            print_note(SIMULATED)
        going_on = f", {event.done} done before" if event.done else ""
        dut, states = self._identity.dut_name, states_text(event.plan.states)
        print_note(
            f"{count_of(event.plan.cycles, f'{states} cycle')}{going_on} on {dut}, "
            f"rig {self._identity.rig.board}; store {event.path}"
        )

    def _end(self, link: LinkReported) -> None:
        """Show the last event, however a campaign ends; the answer begins on a line of its own."""
        if link.repeated + link.stale + link.damaged > 0:
            self._line(
                f"link to the rig: {link.repeated} requests sent again, {link.stale} replies too "
                f"late or doubled, {link.damaged} damaged."
            )
        elif self._live:
            print_note(self._over(), end="")

    def _cycle(self, outside: OutsideCycle) -> None:
        planned = None if self._plan is None else self._plan.cycles
        self._line(cycle_line(outside, self._style, planned=planned))

    def _flight(self, number: int, what: str) -> None:
        """Show what a cycle does, and how the campaign stands, in a line that is replaced."""
        if self._live and self._tally is not None and self._plan is not None:
            status = self._status(f"cycle {number} {what}", self._tally, self._plan.cycles)
            width = note_columns() - 1
            lines = status_lines(status, width, unicode=self._style.unicode)
            over = self._over()
            self._drawn = len(lines)
            print_note(joined(over, joined(*lines, between="\n")), end="")

    def _line(self, text: str) -> None:
        print_note(joined(self._over(), text) if self._live else text)

    def _over(self) -> Painted:
        """Return what takes the lines of status away, so that something else is written there."""
        drawn, self._drawn = self._drawn, 0
        return lines_away(drawn)

    def _status(self, doing: str, tally: Tally, cycles: int) -> CampaignStatus:
        first = tally.first_failure
        return CampaignStatus(
            doing=doing,
            done=tally.done,
            cycles=cycles,
            outcomes=tally.outcomes,
            light_ns=_middle_and_high(tally.light_ns),
            resume_ms=_middle_and_high(tally.resume_ms),
            first_failure=None if first is None else first[0],
            left_ns=tally.left_ns(),
            provisional=self._provisional.verdict,
            resumed=self._resumed,
            levels=self._levels,
        )


def _recovered(step: Recovery, proven: OutsideCycle | None) -> str:
    shown = "" if step.levels is None else f" ({levels_text(step.levels)})"
    text = f"after cycle {step.after_cycle}: {'awake again' if step.ok else 'no success'}{shown}"
    if proven is not None:
        text = f"{text}; so cycle {step.after_cycle} {outcome_words(proven.outcome)}"
    return f"{text}."


def _middle_and_high(values: Running) -> tuple[int, int] | None:
    middle, high = values.quantile(0.5), values.quantile(0.95)
    return None if middle is None or high is None else (middle, high)
