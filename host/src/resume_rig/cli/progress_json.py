"""A campaign while it runs, for machines: one JSON document a line, on standard error."""

from collections.abc import Mapping

from resume_rig.campaign.events import (
    Asleep,
    CampaignBegan,
    CampaignEvent,
    CycleDone,
    CycleStarted,
    LinkTold,
    LogUnreadable,
    Recovered,
    Recovering,
    RigBack,
    RigLost,
    Woke,
)
from resume_rig.campaign.raw import CycleRaw
from resume_rig.campaign.tally import Tally
from resume_rig.model.channel import Channel
from resume_rig.model.cycle import OutsideCycle
from resume_rig.model.verdict import Verdict
from resume_rig.report.json_text import Json, json_text, quantity_json, text_json, utc_json


def event_line(
    event: CampaignEvent, tally: Tally | None, outside: OutsideCycle | None, so_far: Verdict
) -> str:
    """Return an event as one line without its end.

    Args:
        event: what happened.
        tally: of the campaign, this event counted; None before it began.
        outside: of the cycle that is over, where the event tells of one; of a recovery's step,
            the cycle before it where the step proves what became of that.
        so_far: the verdict, provisional.
    """
    document = _document(event)
    if isinstance(event, CycleDone) and tally is not None and outside is not None:
        document |= _cycle(event.raw, tally, outside) | {"verdict_so_far": so_far.value}
    elif outside is not None:
        document |= {"outcome": outside.outcome.value}
    return json_text(document)


def _document(event: CampaignEvent) -> dict[str, Json]:
    found: dict[str, Json]
    match event:
        case CampaignBegan(path=path, plan=plan, session=session, done=done):
            found = {"event": "began", "store": text_json(str(path)), "session": session}
            found |= {"cycles": plan.cycles, "done": done}
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
        case Recovered(after_cycle=number, ok=ok, step=step, levels=levels):
            found = {"event": "recovered", "after_cycle": number, "ok": ok, "step": step.value}
            found |= {"levels": _levels(levels)}
        case RigLost(after_cycle=number, text=text):
            found = {"event": "rig-lost", "after_cycle": number, "text": text_json(text)}
        case RigBack(after_cycle=number, boot_id=boot_id):
            found = {"event": "rig-back", "after_cycle": number, "boot_id": boot_id}
        case LinkTold(repeated=repeated, stale=stale, damaged=damaged):
            found = {"event": "link", "repeated": repeated, "stale": stale, "damaged": damaged}
    return found


def _levels(levels: Mapping[Channel, int] | None) -> dict[str, Json] | None:
    return None if levels is None else {str(line): level for line, level in levels.items()}


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
