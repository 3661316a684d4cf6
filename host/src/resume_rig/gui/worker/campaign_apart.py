"""A campaign in a process of its own: its work never keeps the window from drawing.

The rig's thread of the window waits for what that process tells; pause, stop and a person's answer
go to it as they are wished. It stops its campaign, in order, when the window is gone.
"""

import signal
import sys
import threading
from contextlib import suppress
from typing import Final, cast

from resume_rig.gui.state.events import CampaignOver, Event
from resume_rig.gui.worker.campaign_session import Tell, run_campaign
from resume_rig.gui.worker.gate import Gate, Wish
from resume_rig.gui.worker.other_process import (
    InternalFault,
    OtherProcess,
    ProcessEnded,
    receive,
    receive_order,
    tell,
    tell_faults,
)
from resume_rig.gui.worker.requests import RunCampaign
from resume_rig.model.errors import RigError

_PATIENCE_S: Final = 15.0


def run_campaign_apart(order: RunCampaign, told: Tell, gate: Gate) -> None:
    """Run a campaign to its end.

    Args:
        order: what to run.
        told: gets every event; the last one is CampaignOver.
        gate: lets it wait and stop.

    Raises:
        ResumeRigError: it could not begin, and there is no store.
    """
    existed = order.store.exists()
    process = OtherProcess(__name__, _PATIENCE_S)
    try:
        process.order((sys.argv[0], order))
        gate.follow(lambda wish: process.send(wish.encode("ascii")))
        for event in process.answers():
            told(cast(Event, event))
            if isinstance(event, CampaignOver):
                return
    except (ProcessEnded, InternalFault) as lost:
        gone = isinstance(lost, ProcessEnded)
        why = f"the process of the campaign is gone: {lost}" if gone else str(lost)
        if not order.store.exists() or (order.plan is not None and existed):
            raise RigError(f"could not run the campaign: {why}; start it again") from lost
        text = f"{why}; what was measured is kept, and can be gone on with"
        told(CampaignOver(order.store, False, text, failed=True))
    finally:
        gate.follow(None)
        process.close()


def work() -> None:
    """Run the one campaign that comes in; the other end of the pipes is `run_campaign_apart`."""
    gate = Gate()
    signal.signal(signal.SIGTERM, lambda *_: gate.stop())
    # Whoever finds the rig taken reads whose it is.
    sys.argv[0], order = cast(tuple[str, RunCampaign], receive_order())
    threading.Thread(target=_obey, args=(gate,), daemon=True).start()
    tell_faults(lambda: run_campaign(order, _tell_who_is_there, gate))


def _obey(gate: Gate) -> None:
    while word := receive(1):
        gate.obey(Wish(word.decode("ascii")))
    gate.stop()


def _tell_who_is_there(event: Event) -> None:
    """Tell the window; one that is gone keeps no campaign from its end."""
    with suppress(BrokenPipeError):
        tell(event)
