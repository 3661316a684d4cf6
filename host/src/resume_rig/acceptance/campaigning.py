"""A campaign on a bench that is open already, and its answer."""

from pathlib import Path
from typing import Final

from resume_rig.acceptance.assessment import Assessed, assess_store, html_at
from resume_rig.acceptance.bench_in_use import BenchInUse
from resume_rig.acceptance.whole_file import check_place_of, write_whole
from resume_rig.campaign.campaign import CampaignStopped
from resume_rig.campaign.commission import Commission, Surroundings, carry_out
from resume_rig.campaign.events import Observer, ignore
from resume_rig.campaign.plan import Plan
from resume_rig.campaign.store import Store
from resume_rig.model.errors import RigError, UsageError
from resume_rig.model.requirement import Requirement
from resume_rig.report.json_text import utc_json

SUFFIX: Final = ".rrs"


class CampaignBroken(RigError):
    """A campaign that a fault ended.

    Attributes:
        assessed: what its store says of the cycles until then.
    """

    def __init__(self, text: str, assessed: Assessed) -> None:
        super().__init__(text)
        self.assessed = assessed


def run_campaign(
    bench: BenchInUse,
    plan: Plan,
    store: Path,
    requirement: Requirement,
    *,
    log: str | None = None,
    observe: Observer = ignore,
) -> Assessed:
    """Run `plan` into a new store, write its HTML report beside it, and return the answer.

    Args:
        bench: open; it stays open.
        plan: what to do.
        store: its path; no file may be there.
        requirement: what the campaign is judged against.
        log: as `run --log` takes it; None: what the rig serves.
        observe: told what happens.

    Raises:
        UsageError: plan and bench do not fit, or the store cannot be made; nothing was moved.
        RecordError: log or store cannot be used.
        CampaignBroken: rig or DUT failed; the store keeps what was measured.
    """
    check_place_of(store)
    beside = Surroundings(log=log)
    return _answered(bench, Commission(store, plan, requirement, bench.dut, beside), observe)


def resume_campaign(
    bench: BenchInUse,
    store: Path,
    requirement: Requirement,
    *,
    log: str | None = None,
    observe: Observer = ignore,
) -> Assessed:
    """Go on with the campaign of a store by its own plan; arguments as `run_campaign`.

    Raises:
        UsageError: rig or DUT are others than those of the store.
        RecordError: log or store cannot be used.
        CampaignBroken: rig or DUT failed; the store keeps what was measured.
    """
    beside = Surroundings(log=log)
    return _answered(bench, Commission(store, None, requirement, bench.dut, beside), observe)


def load_campaign(store: Path, requirement: Requirement | None = None) -> Assessed:
    """Return what a store says that is there already.

    Args:
        store: its path.
        requirement: instead of the one that it was run for.

    Raises:
        RecordError: it cannot be read.
    """
    if requirement is None:
        with Store.open(store) as opened:
            requirement = opened.identity.requirement
    return assess_store(store, requirement, None)


def write_report(assessed: Assessed, path: Path) -> Path:
    """Write the HTML report of a campaign's store; the same store gives the same bytes.

    Raises:
        UsageError: it cannot be written.
    """
    if assessed.store is None:
        raise UsageError(f"could not write {path}: the answer is of no store")
    with Store.open(assessed.store) as opened:
        begun = utc_json(opened.identity.created_utc_ns)
    write_whole(path, html_at(assessed, f"begun {begun}"))
    return path


def _answered(bench: BenchInUse, commission: Commission, observe: Observer) -> Assessed:
    store, requirement = commission.store, commission.requirement
    report = store.with_suffix(".html")
    try:
        end = carry_out(commission, bench.opened, lambda _: observe)
    except RigError as error:
        if not store.exists():
            raise
        assessed = assess_store(store, requirement, report)
        write_report(assessed, report)
        raise CampaignBroken(str(error), assessed) from error
    assessed = assess_store(store, requirement, report)
    write_report(assessed, report)
    if isinstance(end, CampaignStopped):
        raise CampaignBroken(end.text, assessed)
    return assessed
