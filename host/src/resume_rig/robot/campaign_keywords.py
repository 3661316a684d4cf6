"""Keywords that run a campaign, judge it and hand it over; a failure is one sentence."""

from pathlib import Path

from robot.api import logger
from robot.libraries.BuiltIn import BuiltIn, RobotNotRunningError

from resume_rig.acceptance.assessment import Assessed
from resume_rig.acceptance.bench import BenchInUse, open_bench
from resume_rig.acceptance.campaign import (
    SUFFIX,
    CampaignBroken,
    load_campaign,
    run_and_kill,
    run_campaign,
    write_report,
)
from resume_rig.acceptance.checks import evidence_is_whole, junit_agrees, recoveries_succeeded
from resume_rig.acceptance.evidence import Exporter, write_evidence
from resume_rig.acceptance.expectations import (
    Expectation,
    came_to,
    failure_rate_shown,
    has_finding,
    has_no_finding,
    has_records,
    light_timed_to,
    limit_on,
    records_show,
    slept_and_woke,
    time_conforms,
    verdict_is,
    wires_show,
)
from resume_rig.acceptance.whole_file import file_stem, free_path
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.campaign.plan.plan import Plan
from resume_rig.campaign.plan.plan_file import load_plan, parse_plan
from resume_rig.campaign.plan.words import KEYWORDS
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
from resume_rig.model.os_record import SleepKind
from resume_rig.model.result.cycle import IntervalName, Outcome, OutsideState
from resume_rig.model.result.verdict import (
    BIOS,
    RESUME,
    USUAL_REQUIREMENT,
    Comparison,
    FindingKind,
    Requirement,
    Verdict,
)
from resume_rig.report.text.hostile_text import encodable, one_line
from resume_rig.robot.arguments import (
    ANY,
    ANY_KIND,
    EVERY,
    Duration,
    Kind,
    Refusal,
    Share,
    Waker,
    plan_words,
    sentence,
)
from resume_rig.robot.session import Keywords, figures_html, shown


def _new_place(name: str, suffix: str = "") -> Path:
    """Return a path in the output folder where nothing is."""
    return free_path(Path(_variable("${OUTPUT_DIR}", ".")), name, suffix)


def _suite_name() -> str:
    """Return the name of the running suite, fit for a file."""
    return file_stem(_variable("${SUITE_NAME}", "campaign").rpartition(".")[2].lower())


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
        """Count an event, and show what is worth a line."""
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


class CampaignKeywords(Keywords):
    """Keywords that run campaigns; the one that was run or loaded last is judged."""

    @sentence("Run Campaign")
    @plan_words
    def run_campaign(
        self,
        *,
        plan: str | None = None,
        requirement: str = USUAL_REQUIREMENT,
        log: str | None = None,
        store: str | None = None,
        dut_shell: str | None = None,
        **words: object,
    ) -> str:
        """Run a campaign on the open rig, and return the path of its store.

        | =Argument= | =Meaning= |
        | ``plan`` | name of a ready plan, or path of a TOML file; four S3 cycles without it |
        | ``requirement`` | name of a requirement profile, or path of a TOML file |
        | ``log`` | the DUT's log: a file, a folder or ``ssh:USER@HOST`` |
        | ``store`` | path of the new store; in the output folder without it |
        | ``dut_shell`` | where the DUT's OS takes commands: ``ssh:USER@HOST``; else ``log`` |
        {words}

        A simulated DUT serves its own log.
        What is named with ``plan`` takes the place of the plan's own.
        The figures and plots of the campaign go into log.html, its report beside the store.
        Where rig or DUT fail, the keyword fails, and what was measured can still be judged.
        """
        made, wanted = parse_plan(words, load_plan(plan), KEYWORDS), load_requirement(requirement)
        use, path = self._held.bench("run a campaign"), _store_path(store)
        return self._run(use, made, path, wanted, log=log, dut_shell=dut_shell)

    @sentence("Run Campaign Once")
    @plan_words
    def run_campaign_once(
        self,
        name: str,
        *,
        plan: str | None = None,
        requirement: str = USUAL_REQUIREMENT,
        log: str | None = None,
        store: str | None = None,
        dut_shell: str | None = None,
        **words: object,
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
            path = self.run_campaign(
                plan=plan,
                requirement=requirement,
                log=log,
                store=store,
                dut_shell=dut_shell,
                **words,
            )
        except Refusal as error:
            if isinstance(error.__cause__, CampaignBroken):
                held.broken[name] = str(error)
            raise
        held.named[name] = held.campaign()
        return path

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
        self, store: str, requirement: str = USUAL_REQUIREMENT, log: str | None = None
    ) -> str:
        """Resume the campaign of a store by its own plan, and return the store's path.

        It has to be the same rig and the same DUT.
        """
        wanted, use = load_requirement(requirement), self._held.bench("go on with a campaign")
        return self._run(use, None, Path(store), wanted, log=log)

    @sentence("Load Campaign")
    def load_campaign(self, store: str, requirement: str | None = None) -> str:
        """Take the campaign of a store that is there already; no rig is needed.

        Without ``requirement`` it is judged against the one that it was run for.
        """
        wanted = None if requirement is None else load_requirement(requirement)
        return self._take(load_campaign(Path(store), wanted))

    def _run(
        self,
        use: BenchInUse,
        plan: Plan | None,
        store: Path,
        requirement: Requirement,
        *,
        log: str | None,
        dut_shell: str | None = None,
    ) -> str:
        """Run or resume a campaign; what a broken one measured can still be judged."""
        try:
            assessed = run_campaign(
                *(use, plan, store, requirement),
                log=log,
                dut_shell=dut_shell,
                observe=ConsoleProgress(),
            )
        except CampaignBroken as broken:
            self._take(broken.assessed)
            raise
        return self._take(assessed)

    def _take(self, assessed: Assessed) -> str:
        held, facts = self._held, assessed.facts
        if held.assessed is not assessed:
            logger.info(figures_html(assessed), html=True)
        held.assessed = assessed
        held.stores.append(Path(facts.store_path))
        return facts.store_path


def _store_path(named: str | None) -> Path:
    """Return where a store goes: as named, or a new file in the output folder."""
    if named is None:
        return _new_place(_suite_name(), SUFFIX)
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
        """Write the campaign as JUnit XML, a case a requirement, for systems other than Robot."""
        self._exporter().write("junit", Path(path))
        return path

    @sentence("Write Evidence")
    def write_evidence(self, folder: str | None = None) -> str:
        """Write report, JUnit, tables, waves, trace and store into a new folder with a manifest.

        Returns the folder; without a name it is a new one in the output folder.
        """
        place = _new_place("evidence") if folder is None else Path(folder)
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
        return self._held.expect(junit_agrees(Path(path), verdict))

    def _exporter(self) -> Exporter:
        assessed = self._held.campaign()
        if assessed.store is None:
            raise UsageError("could not export the campaign: it is of no store")
        return Exporter(assessed.store, assessed.facts.requirement)


_LIGHT = IntervalName.PRESS_TO_LIGHT.value
_AFTER = "light_after_complete_ns"


class ExpectationKeywords(Keywords):
    """Keywords that judge the campaign that was run or loaded last."""

    @sentence("Campaign Should Pass")
    def campaign_should_pass(self) -> str:
        """Check that the verdict on the campaign's requirement is PASS."""
        return self._held.expect(verdict_is(self._held.campaign().campaign))

    @sentence("Campaign Verdict Should Be")
    def campaign_verdict_should_be(self, verdict: Verdict) -> str:
        """Check the verdict: ``PASS``, ``FAIL``, ``MARGINAL`` or ``NO EVIDENCE``."""
        return self._held.expect(verdict_is(self._held.campaign().campaign, verdict))

    @sentence("Resume Time Should Be At Most")
    def resume_time_should_be_at_most(
        self, limit: Duration, share: Share = EVERY, wake_by: Waker = ANY
    ) -> str:
        """Check total resume time, the OS's own times, which SYSFUND-0004 limits.

        | =Argument= | =Meaning= |
        | ``limit`` | for example ``2 s`` |
        | ``share`` | so many cycles have to conform, shown with 95 % confidence; all without it |
        | ``wake_by`` | only cycles that were woken by it |
        """
        return self._held.expect(self._time(RESUME, limit, share, wake_by))

    @sentence("BIOS Time Should Be At Most")
    def bios_time_should_be_at_most(self, limit: Duration, share: Share = EVERY) -> str:
        """Check the BIOS time that the OS reports."""
        return self._held.expect(self._time(BIOS, limit, share))

    @sentence("BIOS Time Is Advised To Be At Most")
    def bios_time_is_advised_to_be_at_most(self, limit: Duration) -> str:
        """Warn where the BIOS takes longer; advice never fails a test."""
        found = self._time(BIOS, limit)
        text = shown(found.text)
        if found.ok:
            logger.info(text)
        else:
            logger.warn(f"advice: {text}")
        self._held.sentences.append(text if found.ok else f"advice: {text}")
        return text

    @sentence("Display Should Light Within")
    def display_should_light_within(
        self, limit: Duration, share: Share = EVERY, wake_by: Waker = ANY
    ) -> str:
        """Check the time from the press, or from the lid's opening, to the display's light."""
        return self._held.expect(self._time(_LIGHT, limit, share, wake_by))

    @sentence("Light Should Follow Resume Complete Within")
    def light_should_follow_resume_complete_within(self, limit: Duration) -> str:
        """Check how long after the OS's resume the display lit; before it is well."""
        return self._held.expect(self._time(_AFTER, limit))

    @sentence("Light Should Be Timed To")
    def light_should_be_timed_to(self, width: Duration) -> str:
        """Check that press to display on is known to ± ``width`` (95 %) in every cycle."""
        return self._held.expect(light_timed_to(self._held.campaign().correlation, width.ns))

    @sentence("Time Should Be At Most")
    def time_should_be_at_most(
        self,
        measure: str,
        limit: Duration,
        share: Share = EVERY,
        wake_by: Waker = ANY,
        kind: Kind = ANY_KIND,
    ) -> str:
        """Check any measure of time, for example ``press_to_pwr_ok_ns`` or ``driver_init_ms``.

        Example: | Time Should Be At Most | pltrst_to_light_ns | 1 s | share=95 % |
        """
        return self._held.expect(self._time(measure, limit, share, wake_by, kind=kind))

    @sentence("Time Should Be At Least")
    def time_should_be_at_least(self, measure: str, limit: Duration) -> str:
        """Check any measure of time from below."""
        return self._held.expect(self._time(measure, limit, comparison=Comparison.AT_LEAST))

    @sentence("Every Cycle Should Sleep And Wake")
    def every_cycle_should_sleep_and_wake(self) -> str:
        """Check that every cycle slept and woke as planned, as the wires show it."""
        return self._held.expect(slept_and_woke(self._held.campaign().correlation))

    @sentence("Cycles Should Come To")
    def cycles_should_come_to(
        self, outcome: Outcome, at_least: int = 1, at_most: int = 1_000_000
    ) -> str:
        """Check how many cycles came to an outcome, for example ``never-woke``."""
        answer = self._held.campaign().correlation
        return self._held.expect(came_to(answer, outcome, at_least, at_most))

    @sentence("Wires Should Show")
    def wires_should_show(self, state: OutsideState) -> str:
        """Check the sleep state that the wires show of every cycle."""
        return self._held.expect(wires_show(self._held.campaign().correlation, state))

    @sentence("OS Records Should Show")
    def os_records_should_show(self, kind: SleepKind) -> str:
        """Check the kind of sleep that the OS reports in every cycle."""
        return self._held.expect(records_show(self._held.campaign().correlation, kind))

    @sentence("Every Cycle Should Have An OS Record")
    def every_cycle_should_have_an_os_record(self) -> str:
        """Check that every cycle is matched with a record of its own, with high certainty."""
        return self._held.expect(has_records(self._held.campaign().correlation))

    @sentence("There Should Be No Finding Of")
    def there_should_be_no_finding_of(self, *kinds: FindingKind) -> str:
        """Check that no cycle has a finding of these kinds; of any kind where none is named."""
        return self._held.expect(has_no_finding(self._held.campaign().correlation, kinds))

    @sentence("There Should Be A Finding Of")
    def there_should_be_a_finding_of(self, kind: FindingKind) -> str:
        """Check that a cycle has a finding of this kind."""
        return self._held.expect(has_finding(self._held.campaign().correlation, kind))

    @sentence("Failure Rate Should Be Shown At Most")
    def failure_rate_should_be_shown_at_most(self, share: Share) -> str:
        """Check that the cycles show, with 95 % confidence, that so few fail.

        299 cycles without a failure show 1 %, 2995 show 0.1 %.
        """
        answer = self._held.campaign().correlation
        return self._held.expect(failure_rate_shown(answer, share.of_one or 0.0))

    @sentence("Every Recovery Should Succeed")
    def every_recovery_should_succeed(self, at_least: int = 0) -> str:
        """Check that the DUT was brought back each time that it needed it."""
        return self._held.expect(recoveries_succeeded(self._held.campaign(), at_least))

    def _time(
        self,
        measure: str,
        limit: Duration,
        share: Share = EVERY,
        wake_by: Waker = ANY,
        *,
        comparison: Comparison = Comparison.AT_MOST,
        kind: Kind = ANY_KIND,
    ) -> Expectation:
        assessed = self._held.campaign()
        kinds = assessed.facts.requirement.kinds if kind.kind is None else (kind.kind,)
        wanted = limit_on(measure, limit.ns, kinds, comparison=comparison, share=share.of_one)
        return time_conforms(assessed.correlation, wanted, wake_by.by)
