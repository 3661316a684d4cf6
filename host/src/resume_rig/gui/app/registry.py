"""The pages of the window, in their order. A page is imported when it is first shown."""

from collections.abc import Callable
from dataclasses import dataclass

from resume_rig.gui.desk import Desk
from resume_rig.gui.widgets.page import View


@dataclass(frozen=True, slots=True)
class ViewEntry:
    """One page.

    Attributes:
        name: as `--view` and `Desk.go` know it; also in `request.VIEW_NAMES`.
        title: in the rail and the menu.
        make: imports and makes it.
    """

    name: str
    title: str
    make: Callable[[Desk], View]


def _bench(desk: Desk) -> View:
    from resume_rig.gui.bench.view import BenchView

    return BenchView(desk)


def _campaign(desk: Desk) -> View:
    from resume_rig.gui.campaign.view import CampaignView

    return CampaignView(desk)


def _explorer(desk: Desk) -> View:
    from resume_rig.gui.explorer.view import ExplorerView

    return ExplorerView(desk)


def _limits(desk: Desk) -> View:
    from resume_rig.gui.limits.view import LimitsView

    return LimitsView(desk)


def _log(desk: Desk) -> View:
    from resume_rig.gui.log.view import LogView

    return LogView(desk)


def _compare(desk: Desk) -> View:
    from resume_rig.gui.compare.view import CompareView

    return CompareView(desk)


def _start(desk: Desk) -> View:
    from resume_rig.gui.start.view import StartView

    return StartView(desk)


VIEWS = (
    ViewEntry("start", "Start", _start),
    ViewEntry("bench", "Bench", _bench),
    ViewEntry("campaign", "Campaign", _campaign),
    ViewEntry("explorer", "Explorer", _explorer),
    ViewEntry("limits", "Limits", _limits),
    ViewEntry("log", "Log", _log),
    ViewEntry("compare", "Compare", _compare),
)
"""Ctrl+1 shows the first, Ctrl+2 the second, and so on."""
