"""Keywords that run campaigns, go on with them, and hand them over as evidence."""

from pathlib import Path

from robot.api import logger
from robot.libraries.BuiltIn import BuiltIn, RobotNotRunningError

from resume_rig.acceptance.assessment import Assessed
from resume_rig.acceptance.bench import open_bench
from resume_rig.acceptance.campaign import (
    SUFFIX,
    CampaignBroken,
    load_campaign,
    run_campaign,
    write_report,
)
from resume_rig.acceptance.checks import evidence_is_whole, junit_says
from resume_rig.acceptance.evidence import Exporter, write_evidence
from resume_rig.acceptance.killed_campaign import run_and_kill
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.campaign.plan.plan import Plan, default_plan, override
from resume_rig.campaign.plan.plan_file import load_plan, trace_of
from resume_rig.campaign.run.campaign import interrupted
from resume_rig.campaign.run.events import (
    CampaignBegan,
    CampaignEvent,
    CycleDone,
    CycleStarted,
    Recovering,
    RigLost,
)
from resume_rig.model.errors import UsageError
from resume_rig.report.text.hostile_text import encodable, one_line
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
from resume_rig.robot.log import figures_html
from resume_rig.robot.session import Keywords, shown

_MOST = 100_000


def new_place(name: str, suffix: str = "") -> Path:
    """Return a path in the output folder where nothing is: NAME-1, NAME-2 and so on.

    Raises:
        UsageError: there are too many.
    """
    folder = Path(_variable("${OUTPUT_DIR}", "."))
    for number in range(1, _MOST):
        path = folder / f"{name}-{number}{suffix}"
        if not path.exists():
            return path
    raise UsageError(f"could not make {name} in {folder}: there are {_MOST - 1:,} already")


def suite_name() -> str:
    """Return the name of the running suite, fit for a file."""
    last = _variable("${SUITE_NAME}", "campaign").rpartition(".")[2].lower()
    return "".join(c if c.isalnum() and c.isascii() else "-" for c in last)[:60] or "campaign"


def _variable(name: str, otherwise: str) -> str:
    try:
        return str(BuiltIn().get_variable_value(name, otherwise))
    except RobotNotRunningError:
        return otherwise


_TENTHS = 10


class ConsoleProgress:
    """An observer that writes a line for each tenth of a campaign, and for what went wrong."""

    def __init__(self) -> None:
        self._cycles = 0
        self._done = 0
        self._tenth = 0

    def __call__(self, event: CampaignEvent) -> None:
        """Count an event, and say what is worth a line."""
        match event:
            case CampaignBegan(plan=plan):
                self._cycles = plan.cycles
            case CycleStarted(done=done):
                self._done = done
            case CycleDone():
                tenth = _TENTHS * (self._done + 1) // max(self._cycles, 1)
                if tenth > self._tenth and self._cycles >= _TENTHS:
                    self._tenth = tenth
                    logger.console(f"{self._done + 1} of {self._cycles} cycles")
            case Recovering(after_cycle=number, why=text) | RigLost(after_cycle=number, text=text):
                logger.console(f"after cycle {number}: {encodable(one_line(text))}")


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
        health: bool | None = None,
        requirement: str = _REQUIREMENT,
        log: str | None = None,
        store: str | None = None,
        trace: str | None = None,
        dut_shell: str | None = None,
    ) -> str:
        """Run a campaign on the open rig, and return the path of its store.

        | =Argument= | =Meaning= |
        | ``plan`` | name of a ready plan, or path of a TOML file; four S3 cycles without it |
        | ``cycles``, ``state``, ``sleep_by``, ``wake_by`` | how many, into what, by what |
        | ``dwell``, ``settle`` | asleep before the wake; awake before the next sleep |
        | ``press`` | how long the button is pressed |
        | ``warm_up`` | so many cycles at the beginning are not judged |
        | ``health`` | ask the DUT for its devices, links and errors before and after |
        | ``requirement`` | name of a requirement profile, or path of a TOML file |
        | ``log`` | the DUT's log: a file, a folder or ``ssh:USER@HOST`` |
        | ``store`` | path of the new store; in the output folder without it |
        | ``trace`` | what records each cycle on the DUT: ``wpr``, ``xperf`` or ``none`` |
        | ``dut_shell`` | where the DUT's OS takes commands: ``ssh:USER@HOST``; else ``log`` |

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
            health=health,
            trace=trace,
        )
        wanted = load_requirement(requirement)
        use, path = self._held.bench("run a campaign"), _store_path(store)
        try:
            assessed = run_campaign(
                use, made, path, wanted, log=log, dut_shell=dut_shell, observe=ConsoleProgress()
            )
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
        health: bool | None = None,
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
                health=health,
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
        """Resume the campaign of a store by its own plan, and return the store's path.

        It has to be the same rig and the same DUT.
        """
        wanted, use = load_requirement(requirement), self._held.bench("go on with a campaign")
        observe = ConsoleProgress()
        try:
            assessed = run_campaign(use, None, Path(store), wanted, log=log, observe=observe)
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
    health: bool | None,
    trace: str | None,
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
        health=health,
        trace=None if trace is None else trace_of("trace", trace),
    )


def _store_path(named: str | None) -> Path:
    """Return where a store goes: as named, or a new file in the output folder."""
    if named is None:
        return new_place(suite_name(), SUFFIX)
    path = Path(named)
    if path.suffix != SUFFIX:
        raise UsageError(f"could not make the store {shown(named)}: its name ends in {SUFFIX}")
    return path


class EvidenceKeywords(Keywords):
    """Keywords that hand the campaign over that was run or loaded last."""

    @sentence("Write Report")
    def write_report(self, path: str) -> str:
        """Write the HTML report to ``path``; a campaign that was run here has one already."""
        return str(write_report(self._held.campaign(), Path(path)))

    @sentence("Write JUnit")
    def write_junit(self, path: str) -> str:
        """Write the campaign as JUnit XML, a case a requirement, for systems beside Robot."""
        self._exporter().write("junit", Path(path))
        return path

    @sentence("Write Evidence")
    def write_evidence(self, folder: str | None = None) -> str:
        """Write report, JUnit, tables, waves, trace and store into a new folder with a manifest.

        Returns the folder; without a name it is a new one in the output folder.
        """
        place = new_place("evidence") if folder is None else Path(folder)
        write_evidence(self._exporter(), place)
        return str(place)

    @sentence("Evidence Should Be Whole")
    def evidence_should_be_whole(self, folder: str) -> str:
        """Check every file of a folder of evidence against its manifest."""
        return self._held.expect(evidence_is_whole(Path(folder)))

    @sentence("JUnit Should Agree")
    def junit_should_agree(self, path: str) -> str:
        """Check that a JUnit file gives the campaign's verdict."""
        verdict = self._held.campaign().correlation.verdict
        return self._held.expect(junit_says(Path(path), verdict))

    def _exporter(self) -> Exporter:
        assessed = self._held.campaign()
        if assessed.store is None:
            raise UsageError("could not export the campaign: it is of no store")
        return Exporter(assessed.store, assessed.facts.requirement)
