"""Keywords that run campaigns, go on with them, or take one that is there already."""

from pathlib import Path

from robot.api import logger

from resume_rig.acceptance.assessment import Assessed
from resume_rig.acceptance.bench_in_use import open_bench
from resume_rig.acceptance.campaigning import (
    SUFFIX,
    CampaignBroken,
    load_campaign,
    resume_campaign,
    run_campaign,
)
from resume_rig.acceptance.killed_campaign import run_and_kill
from resume_rig.analysis.requirement import load_requirement
from resume_rig.campaign.commission import interrupted
from resume_rig.campaign.plan import Plan, default_plan, override
from resume_rig.campaign.plan_file import load_plan
from resume_rig.model.errors import UsageError
from resume_rig.robot.arguments import (
    ANY_KIND,
    AS_PLANNED,
    SLEEP_AS_PLANNED,
    WAKE_AS_PLANNED,
    Kind,
    PlanTime,
    Refusal,
    SleepWay,
    WakeWay,
    sentence,
)
from resume_rig.robot.held import shown
from resume_rig.robot.keywords import Keywords
from resume_rig.robot.log_figures import figures_html
from resume_rig.robot.output_folder import new_place, suite_name
from resume_rig.robot.progress import ConsoleProgress

_REQUIREMENT = "sysfund-0004"


class CampaignKeywords(Keywords):
    """Keywords that run campaigns; the one that was run or loaded last is judged."""

    @sentence("Run Campaign")
    def run_campaign(
        self,
        *,
        cycles: int | None = None,
        plan: str | None = None,
        state: Kind = ANY_KIND,
        sleep_by: SleepWay = SLEEP_AS_PLANNED,
        wake_by: WakeWay = WAKE_AS_PLANNED,
        dwell: PlanTime = AS_PLANNED,
        settle: PlanTime = AS_PLANNED,
        press: PlanTime = AS_PLANNED,
        warm_up: int | None = None,
        requirement: str = _REQUIREMENT,
        log: str | None = None,
        store: str | None = None,
    ) -> str:
        """Run a campaign on the open rig, and return the path of its store.

        | =Argument= | =Meaning= |
        | ``plan`` | name of a ready plan, or path of a TOML file; four S3 cycles without it |
        | ``cycles``, ``state``, ``sleep_by``, ``wake_by`` | how many, into what, by what |
        | ``dwell``, ``settle`` | asleep before the wake; awake before the next sleep |
        | ``press`` | how long the button is pressed |
        | ``warm_up`` | so many cycles at the beginning are not judged |
        | ``requirement`` | name of a requirement profile, or path of a TOML file |
        | ``log`` | the DUT's log: a file, a folder or ``ssh:USER@HOST`` |
        | ``store`` | path of the new store; in the output folder without it |

        A simulated DUT serves its own log.
        What is named beside ``plan`` takes the place of the plan's own.
        The figures and plots of the campaign go into log.html, its report beside the store.
        Where rig or DUT fail, the keyword fails, and what was measured can still be judged.
        """
        made = _plan_of(
            plan,
            cycles=cycles,
            state=state,
            sleep_by=sleep_by,
            wake_by=wake_by,
            dwell=dwell,
            settle=settle,
            press=press,
            warm_up=warm_up,
        )
        wanted = load_requirement(requirement)
        use, path = self._held.bench("run a campaign"), _store_path(store)
        try:
            assessed = run_campaign(use, made, path, wanted, log=log, observe=ConsoleProgress())
        except CampaignBroken as broken:
            self._take(broken.assessed)
            raise
        return self._take(assessed)

    @sentence("Run Campaign Once")
    def run_campaign_once(
        self,
        name: str,
        *,
        cycles: int | None = None,
        plan: str | None = None,
        state: Kind = ANY_KIND,
        sleep_by: SleepWay = SLEEP_AS_PLANNED,
        wake_by: WakeWay = WAKE_AS_PLANNED,
        dwell: PlanTime = AS_PLANNED,
        settle: PlanTime = AS_PLANNED,
        warm_up: int | None = None,
        requirement: str = _REQUIREMENT,
        log: str | None = None,
    ) -> str:
        """Run a campaign, or take the one of this name that this Robot Framework run made before.

        Several suites may judge one campaign by different sides; a real one takes hours.
        Arguments as `Run Campaign`; they count where the campaign is not there yet.
        One that a fault ended is not tried again: the keyword fails with the same sentence.
        """
        held = self._held
        if name in held.broken:
            raise Refusal(held.broken[name])
        if name in held.named:
            return self._take(held.named[name])
        try:
            store = self.run_campaign(
                cycles=cycles,
                plan=plan,
                state=state,
                sleep_by=sleep_by,
                wake_by=wake_by,
                dwell=dwell,
                settle=settle,
                warm_up=warm_up,
                requirement=requirement,
                log=log,
            )
        except Refusal as error:
            if isinstance(error.__cause__, CampaignBroken):
                held.broken[name] = str(error)
            raise
        held.named[name] = held.campaign()
        return store

    @sentence("Run Campaign And Kill It After")
    def run_campaign_and_kill_it_after(self, kill_after: int, cycles: int) -> str:
        """Run a campaign in a process of its own, kill it, and return the path of its store.

        The process is killed, not asked to stop, when ``kill_after`` of ``cycles`` are over; the
        rig of this run is closed meanwhile. `Resume Campaign` goes on.
        """
        held = self._held
        held.bench("run a campaign")
        path = _store_path(None)
        held.close()
        run_and_kill(held.url, held.dut, path, cycles=cycles, kill_after=kill_after)
        held.use = open_bench(held.url, held.dut, not_before_utc_ns=interrupted(path).newest_utc_ns)
        return str(path)

    @sentence("Resume Campaign")
    def resume_campaign(
        self, store: str, requirement: str = _REQUIREMENT, log: str | None = None
    ) -> str:
        """Go on with the campaign of a store, by its own plan, and return the store's path.

        It has to be the same rig and the same DUT.
        """
        wanted, use = load_requirement(requirement), self._held.bench("go on with a campaign")
        observe = ConsoleProgress()
        try:
            assessed = resume_campaign(use, Path(store), wanted, log=log, observe=observe)
        except CampaignBroken as broken:
            self._take(broken.assessed)
            raise
        return self._take(assessed)

    @sentence("Load Campaign")
    def load_campaign(self, store: str, requirement: str | None = None) -> str:
        """Take the campaign of a store that is there already; no rig is needed.

        Without ``requirement`` it is judged against the one that it was run for.
        """
        wanted = None if requirement is None else load_requirement(requirement)
        return self._take(load_campaign(Path(store), wanted))

    def _take(self, assessed: Assessed) -> str:
        held, facts = self._held, assessed.facts
        if held.assessed is not assessed:
            logger.info(figures_html(assessed), html=True)
        held.assessed = assessed
        held.stores.append(Path(facts.store_path))
        return facts.store_path


def _plan_of(
    plan: str | None,
    *,
    cycles: int | None,
    state: Kind,
    sleep_by: SleepWay,
    wake_by: WakeWay,
    dwell: PlanTime,
    settle: PlanTime,
    press: PlanTime,
    warm_up: int | None,
) -> Plan:
    return override(
        default_plan() if plan is None else load_plan(plan),
        cycles=cycles,
        state=state.kind,
        sleep_by=sleep_by.by,
        wake_by=wake_by.by,
        dwell_ns=dwell.ns,
        settle_ns=settle.ns,
        press_ns=press.ns,
        warm_up=warm_up,
    )


def _store_path(named: str | None) -> Path:
    """Return where a store goes: as named, or a new file in the output folder."""
    if named is None:
        return new_place(suite_name(), SUFFIX)
    path = Path(named)
    if path.suffix != SUFFIX:
        raise UsageError(f"could not make the store {shown(named)}: its name ends in {SUFFIX}")
    return path
