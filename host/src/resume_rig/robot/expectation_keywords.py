"""Keywords that judge a campaign; each fails with one sentence that has the figures."""

from robot.api import logger

from resume_rig.acceptance.checks import recoveries_succeeded
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
from resume_rig.model.os_record import SleepKind
from resume_rig.model.result.cycle import IntervalName, Outcome, OutsideState
from resume_rig.model.result.requirement import BIOS, RESUME, Comparison
from resume_rig.model.result.verdict import FindingKind, Verdict
from resume_rig.robot.arguments import ANY, ANY_KIND, EVERY, Duration, Kind, Share, Waker, sentence
from resume_rig.robot.session import Keywords, shown

_LIGHT = IntervalName.PRESS_TO_LIGHT.value
_AFTER = "light_after_complete_ns"


class ExpectationKeywords(Keywords):
    """Keywords that judge the campaign that was run or loaded last."""

    @sentence("Campaign Should Pass")
    def campaign_should_pass(self) -> str:
        """Check that the verdict on the campaign's requirement is PASS."""
        return self._held.expect(verdict_is(self._held.campaign().correlation))

    @sentence("Campaign Verdict Should Be")
    def campaign_verdict_should_be(self, verdict: Verdict) -> str:
        """Check the verdict: ``PASS``, ``FAIL``, ``MARGINAL`` or ``NO EVIDENCE``."""
        return self._held.expect(verdict_is(self._held.campaign().correlation, verdict))

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
        self._held.told.append(text if found.ok else f"advice: {text}")
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
