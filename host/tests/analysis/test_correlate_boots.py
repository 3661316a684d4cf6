"""S5 cycles and the accounts of their boots and shutdowns: matched by time, press to desktop."""

from dataclasses import replace

import pytest
from correlated import AWAKE_NS, MS, UTC_NS, Campaign, S
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from resume_rig.analysis.compare.comparison import Question, compare
from resume_rig.analysis.compare.samples import evidence_of_cycles
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.model.os_record import Component, ComponentKind, Figure, OsRecord, SleepKind
from resume_rig.model.result.cycle import IntervalName, OutsideState
from resume_rig.model.result.verdict import Verdict
from resume_rig.oslog.source.records import BARE_RECORD

LOADER_MS, KERNEL_MS, MAIN_MS, SHUTDOWN_MS = 3241, 4657, 14_437, 12_800
BOOT_30S = load_requirement("boot-30s")
BEFORE_KERNEL_NS = 110 * MS + 30 * MS + KERNEL_MS * MS


def phase(name: str, duration_ms: float) -> Component:
    return Component(ComponentKind.PHASE, name, "", duration_ms)


class Boots(Campaign):
    """Cycles that went off and on again, with what Windows writes of it."""

    def boot(self, main_ms: int = MAIN_MS, *, told: bool = True, offset_ns: int = 700 * MS) -> None:
        self.outside()
        cycle = self.cycles[-1]
        outside = replace(cycle.outside, asked=SleepKind.BOOT, state=OutsideState.S5)
        self.cycles[-1] = replace(cycle, outside=outside)
        if not told:
            return
        start_ns = UTC_NS + self.at_ns + AWAKE_NS + BEFORE_KERNEL_NS + offset_ns
        self.records.append(self._shutdown(UTC_NS + self.at_ns + offset_ns - 14 * S))
        figures = (
            Figure("transition_ms", main_ms + 6_000),
            Figure("start_os_image_ms", LOADER_MS),
            Figure("exit_boot_services_exit_ms", KERNEL_MS),
        )
        self.records.append(
            replace(
                BARE_RECORD,
                record_id=len(self.records),
                kind=SleepKind.BOOT,
                sleep_time_utc_ns=start_ns,
                components=(phase("main path", main_ms), phase("post boot", 6_000)),
                figures=figures,
            )
        )

    @staticmethod
    def _shutdown(start_ns: int) -> OsRecord:
        service = Component(ComponentKind.SERVICE, "Slowsvc", "shutdown services", 6_400)
        whole = (Figure("transition_ms", SHUTDOWN_MS),)
        return replace(
            BARE_RECORD,
            kind=SleepKind.SHUTDOWN,
            sleep_time_utc_ns=start_ns,
            components=(service,),
            figures=whole,
        )


@pytest.fixture
def campaign(waveform, record) -> Boots:
    return Boots(waveform, record)


def test_a_boot_goes_to_its_cycle_with_its_shutdown(campaign: Boots) -> None:
    for _ in range(8):
        campaign.boot()
    answer = campaign.correlation(BOOT_30S)
    assert [cycle.record.kind for cycle in answer.cycles] == [SleepKind.BOOT] * 8
    for place, cycle in enumerate(answer.cycles):
        assert cycle.record is campaign.records[2 * place + 1]
        assert cycle.shutdown is campaign.records[2 * place]
    assert answer.unmatched_records == ()
    assert answer.clock is None  # a boot's times are of no wake


def test_press_to_desktop_holds_both_begins_of_the_main_path(campaign: Boots) -> None:
    for _ in range(8):
        campaign.boot()
    answer = campaign.correlation(BOOT_30S)
    cycle = answer.cycles[0]
    desktop = cycle.press_to_desktop
    power_ns = cycle.outside.intervals[IntervalName.PRESS_TO_PLTRST].value_ns
    # From the loader's start, or from the kernel's: nobody says which.
    for begins_ms in (LOADER_MS, KERNEL_MS):
        true_ns = power_ns + (30 + begins_ms + MAIN_MS) * MS
        assert abs(desktop.value_ns - true_ns) <= desktop.bound_ns
    assert desktop.bound_ns < 760 * MS
    assert (answer.verdict, answer.limits[0].n) == (Verdict.PASS, 8)


def test_a_slow_boot_fails_the_profile(campaign: Boots) -> None:
    for main_ms in (*[MAIN_MS] * 7, 28_000):
        campaign.boot(main_ms)
    answer = campaign.correlation(BOOT_30S)
    assert answer.verdict is Verdict.FAIL
    assert answer.limits[0].failed == 1


def test_boots_that_windows_did_not_write_leave_the_others_theirs(campaign: Boots) -> None:
    for number in range(12):
        campaign.boot(told=number % 3 != 1)
    answer = campaign.correlation(BOOT_30S)
    assert [cycle.record is not None for cycle in answer.cycles] == [
        number % 3 != 1 for number in range(12)
    ]
    # 8 of 12 boots are no evidence of the others.
    assert answer.verdict is Verdict.NO_EVIDENCE


def test_boots_of_other_days_are_of_no_cycle(campaign: Boots) -> None:
    for _ in range(8):
        campaign.boot(told=False)
    day_ns = 86_400 * S
    for number in range(5):
        start_ns = UTC_NS - 3 * day_ns + number**2 * 977 * S
        phases = (phase("main path", 9_000),)
        campaign.records.append(
            replace(BARE_RECORD, kind=SleepKind.BOOT, sleep_time_utc_ns=start_ns, components=phases)
        )
    answer = campaign.correlation(BOOT_30S)
    assert all(cycle.press_to_desktop is None and not cycle.judged for cycle in answer.cycles)
    assert answer.verdict is Verdict.NO_EVIDENCE


def test_campaigns_of_boots_are_compared_to_the_desktop(waveform, record) -> None:
    sides = []
    for main_ms in (MAIN_MS, MAIN_MS + 4_000):
        boots = Boots(waveform, record)
        for number in range(12):
            boots.boot(main_ms + number)
        cycles = boots.correlation(BOOT_30S).cycles
        sides.append([evidence_of_cycles(f"{main_ms}.rrs", cycles, {}, {})])
    found = compare(*sides, Question(one_session_is_enough=True))
    assert found.kind is SleepKind.BOOT
    slower = {effect.name for effect in found.effects if effect.change.value == "slower"}
    assert {"press_to_desktop_ns", "phase:main path", "figure:transition_ms"} <= slower


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    starts=st.lists(st.integers(-(2**62), 2**62), max_size=6),
    firmware=st.sampled_from([0.0, 1e-3, 1e9, float(LOADER_MS)]),
)
def test_hostile_times_of_boots_match_nothing_and_break_nothing(
    waveform, record, starts: list[int], firmware: float
) -> None:
    boots = Boots(waveform, record)
    for _ in range(4):
        boots.boot(told=False)
    for start_ns in starts:
        boots.records.append(
            replace(
                BARE_RECORD,
                kind=SleepKind.BOOT,
                sleep_time_utc_ns=start_ns,
                components=(phase("main path", 9e14),),
                figures=(Figure("start_os_image_ms", firmware),),
            )
        )
    answer = boots.correlation(BOOT_30S)
    assert len(answer.cycles) == 4
