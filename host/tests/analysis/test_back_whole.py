"""Limits on what cycles did: outcomes, findings, figures that are no time, and the whole."""

from dataclasses import replace
from pathlib import Path

import pytest

from resume_rig.analysis.correlate import correlate
from resume_rig.analysis.reconcile.reconcile import TimedCycle
from resume_rig.analysis.verdict.judge import judge_log
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.model.channel import Channel
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import Figure, LogReading, SleepKind
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import (
    ChangedDevice,
    CycleHealth,
    DeviceChange,
    IntervalName,
    LinkReturn,
    Outcome,
    OutsideCycle,
    OutsideState,
)
from resume_rig.model.result.verdict import Finding, FindingKind, Requirement, Verdict

MS = 1_000_000
WIRES = (Channel.BUTTON, Channel.SLP_S3, Channel.PWR_OK, Channel.PLTRST, Channel.BACKLIGHT)
HEALTHY = CycleHealth(True, False, 12, (), (), (), False, (), None, 0)


def cycle(number: int, outcome: Outcome = Outcome.SLEPT_AND_WOKE, **more: object) -> TimedCycle:
    """Return a cycle whose display is on 900 ms after the press, whatever became of it."""
    outside = OutsideCycle(
        number=number,
        outcome=outcome,
        state=OutsideState.S3,
        wake_by=None,
        trigger_ns=0,
        asleep_from_ns=0,
        awake_from_ns=1,
        intervals={IntervalName.PRESS_TO_LIGHT: BoundedNs(900 * MS, MS)},
        channels=WIRES,
        asked=SleepKind.S3,
    )
    return TimedCycle(replace(outside, **more))


def changed(change: DeviceChange) -> CycleHealth:
    return replace(HEALTHY, changed=(ChangedDevice(change, "USB\\1", "Camera", "0", None),))


def profile(tmp_path: Path, text: str, kinds: str = '"S3"') -> Requirement:
    path = tmp_path / "mine.toml"
    path.write_text(
        f'id = "mine"\nversion = 1\ntitle = "t"\nsource = "s"\nkinds = [{kinds}]\n{text}', "utf-8"
    )
    return load_requirement(str(path))


LIGHT = load_requirement("xp-5s")


@pytest.mark.parametrize(
    ("bad", "name"),
    [
        (cycle(4, Outcome.WOKE_ALONE), "woke-alone"),
        (cycle(4, Outcome.NEVER_SLEPT, state=OutsideState.NONE), "never-slept"),
        (cycle(4, Outcome.SLEPT_SHALLOW), "slept-shallow"),
        (cycle(4, Outcome.WOKE_LATE), "woke-late"),
        (cycle(4, Outcome.HUNG_IN_RESUME), "hung-in-resume"),
        (cycle(4, findings=(Finding(FindingKind.DOUBLE_RESET, "Twice."),)), "double-reset"),
        (cycle(4, health=changed(DeviceChange.GONE)), "device-changed"),
        (cycle(4, health=changed(DeviceChange.FAILED)), "device-changed"),
    ],
)
def test_a_cycle_that_is_not_back_whole_fails_however_fast_it_was(
    bad: TimedCycle, name: str
) -> None:
    found = correlate([*map(cycle, (1, 2, 3)), bad], LogReading(), LIGHT)

    assert found.verdict is Verdict.FAIL
    last = found.cycles[3]
    assert (last.judged, last.verdict, last.unjudged) == (True, Verdict.FAIL, None)
    assert last.failed_by == (name,)
    assert [each.failed_by for each in found.cycles[:3]] == [()] * 3
    whole = found.limits[-1]
    assert (whole.n, whole.failed, whole.did) == (4, 1, ((name, 1),))
    assert found.failures is not None
    assert found.failures.failures == 1
    assert found.why.startswith("Back whole in every cycle: 1 of 4 cycles was not (1 ")


def test_times_of_a_wake_that_nobody_asked_for_are_in_no_figure() -> None:
    found = correlate([cycle(1), cycle(2, Outcome.WOKE_ALONE)], LogReading(), LIGHT)

    light = next(each for each in found.limits if each.limit.measure == "press_to_light_ns")
    assert light.n == 1
    assert found.series[0].figures.n == 1


def test_what_was_not_checked_is_said_and_never_good() -> None:
    unasked = correlate([cycle(1), cycle(2)], LogReading(), LIGHT)
    assert unasked.verdict is Verdict.PASS
    assert "not checked: devices (run --health)" in unasked.why
    assert (
        "not checked"
        not in correlate(
            [cycle(1, health=HEALTHY), cycle(2, health=HEALTHY)], LogReading(), LIGHT
        ).why
    )
    # Asked for, and it never came: nobody knows what is missing.
    silent = replace(HEALTHY, compared=False)
    assert correlate([cycle(1, health=silent)], LogReading(), LIGHT).verdict is Verdict.NO_EVIDENCE


@pytest.mark.parametrize("change", [DeviceChange.NEW, DeviceChange.RECOVERED])
def test_a_device_that_came_is_no_loss(change: DeviceChange) -> None:
    found = correlate([cycle(1, health=changed(change))], LogReading(), LIGHT)
    assert found.verdict is Verdict.PASS


def test_a_link_that_did_not_come_back_is_one() -> None:
    lost = Finding(FindingKind.LINK_LOST, "It did not come back.")
    health = replace(HEALTHY, links=(LinkReturn("wlan0", False, 1, None),))
    found = correlate([cycle(1, health=health, findings=(lost,))], LogReading(), LIGHT)
    assert found.cycles[0].failed_by == ("link-lost",)


@pytest.mark.parametrize("outcome", [Outcome.RIG_FAULT, Outcome.INTERRUPTED])
def test_a_fault_of_the_rig_is_none_of_the_duts(outcome: Outcome) -> None:
    found = correlate([*map(cycle, range(1, 20)), cycle(20, outcome)], LogReading(), LIGHT)
    assert found.verdict is Verdict.PASS
    assert found.limits[-1].n == 19


def test_nobody_asked_a_captures_dut_to_wake() -> None:
    found = correlate([cycle(1), cycle(2, Outcome.WOKE_ALONE, asked=None)], LogReading(), LIGHT)
    assert found.verdict is Verdict.PASS


def test_a_profile_may_look_at_times_alone(tmp_path: Path) -> None:
    times = profile(
        tmp_path,
        '[rule]\nback_whole = false\n[[limit]]\nmeasure = "press_to_light_ns"\nat_most = 5\n'
        'unit = "s"\n',
    )
    found = correlate([cycle(1), cycle(2, Outcome.WOKE_ALONE)], LogReading(), times)
    assert found.verdict is Verdict.PASS


def test_a_share_of_failures_is_shown_or_missed_or_open(tmp_path: Path) -> None:
    one_in_20 = profile(tmp_path, '[[limit]]\noutcome = "dark"\nshare_at_most = 0.05\n')
    one_in_20 = replace(one_in_20, back_whole=False)

    def verdict(n: int, dark: int) -> Verdict:
        # Spread: failures in a run count for less.
        apart = n // dark if dark else n + 1
        outcomes = [
            Outcome.DARK
            if number % apart == 0 and number <= apart * dark
            else Outcome.SLEPT_AND_WOKE
            for number in range(1, n + 1)
        ]
        cycles = [cycle(number, each) for number, each in enumerate(outcomes, start=1)]
        return correlate(cycles, LogReading(), one_in_20).verdict

    assert verdict(59, 0) is Verdict.PASS
    assert verdict(58, 0) is Verdict.NO_EVIDENCE
    assert verdict(93, 1) is Verdict.PASS
    assert verdict(70, 1) is Verdict.MARGINAL
    assert verdict(40, 9) is Verdict.FAIL


def test_a_finding_that_could_not_be_made_is_no_evidence_that_it_is_not_there(
    tmp_path: Path,
) -> None:
    devices = profile(tmp_path, '[[limit]]\nfinding = "device-changed"\nshare_at_most = 0\n')
    unasked = correlate([cycle(1)], LogReading(), devices)
    assert unasked.verdict is Verdict.NO_EVIDENCE
    asked = correlate([cycle(1, health=HEALTHY)], LogReading(), devices)
    assert asked.verdict is Verdict.PASS


def test_a_thousand_are_a_thousand() -> None:
    needed = load_requirement("standby-1000")
    (limit,) = needed.limits()
    few = replace(needed, further=(replace(limit, cycles_min=5),))
    standby = {"state": OutsideState.S0IX, "asked": SleepKind.MODERN_STANDBY}

    def verdict(n: int, *bad: TimedCycle) -> Verdict:
        cycles = [cycle(number, **standby) for number in range(1, n + 1)]
        return correlate([*cycles, *bad], LogReading(), few).verdict

    assert (limit.cycles_min, limit.share) == (1000, None)
    assert verdict(5) is Verdict.PASS
    assert verdict(4) is Verdict.NO_EVIDENCE
    assert verdict(2, cycle(3, Outcome.WOKE_ALONE, **standby)) is Verdict.FAIL


def test_drips_are_judged_from_a_log(tmp_path: Path, record) -> None:
    deep = replace(
        profile(
            tmp_path, '[[limit]]\nfigure = "drips_percent"\nat_least = 90\n', '"modern-standby"'
        ),
        guard_band=False,
    )

    def verdict(percent: float) -> Verdict:
        standby = replace(
            record(kind=SleepKind.MODERN_STANDBY), figures=(Figure("drips_percent", percent),)
        )
        return judge_log(LogReading((), (standby,)), deep).verdict

    assert (verdict(90.0), verdict(97.5), verdict(89.9)) == (
        Verdict.PASS,
        Verdict.PASS,
        Verdict.FAIL,
    )


@pytest.mark.parametrize(
    ("drained_mwh", "hours", "verdict"),
    [
        (1_000, 8, Verdict.PASS),  # 2 % of 50 Wh in 8 h, 4 % in 16 h
        (1_500, 8, Verdict.FAIL),
        (2_400, 16, Verdict.PASS),
        (2_600, 16, Verdict.FAIL),
        (1_250, 8, Verdict.MARGINAL),  # 5 % as it is reported, in steps of 10 mWh
    ],
)
def test_drain_is_scaled_to_sixteen_hours(record, drained_mwh, hours, verdict) -> None:
    standby = replace(
        record(kind=SleepKind.MODERN_STANDBY),
        sleep_time_utc_ns=1_777_000_000 * 10**9,
        wake_time_utc_ns=(1_777_000_000 + hours * 3600) * 10**9,
        figures=(Figure("energy_drain_mwh", drained_mwh), Figure("full_charge_mwh", 50_000)),
    )
    judged = judge_log(LogReading((), (standby,)), load_requirement("standby-drain-16h"))
    assert judged.verdict is verdict


def test_of_a_log_nobody_says_that_the_pc_came_back_whole(record) -> None:
    judged = judge_log(LogReading((), (record(), record())), load_requirement("sysfund-0004"))
    assert judged.verdict is Verdict.PASS
    assert "whole" not in judged.why


@pytest.mark.parametrize(
    ("limit", "text"),
    [
        (
            'outcome = "asleep"\nshare_at_most = 0',
            "outcome is 'asleep'; allowed are slept",
        ),
        ('finding = ["dark", "lost"]\nshare_at_most = 0', "finding is 'lost'; allowed are"),
        ("outcome = []\nshare_at_most = 0", "empty list"),
        ('outcome = "dark"', "share_at_most is missing"),
        ('outcome = "dark"\nshare_at_most = 0.9', "share_at_most is 0.9"),
        ('outcome = "dark"\nat_most = 3', "'at_most' is not a key"),
        ('outcome = "dark"\nfinding = "dark"\nshare_at_most = 0', "outcome and finding"),
        ('figure = "drips_percent"\nat_least = 90\nunit = "ms"', "unit is 'ms'; allowed are %"),
        ('figure = "drips_prozent"\nat_least = 90', "figure is 'drips_prozent'"),
        ('measure = "back-whole"\nshare_at_most = 0\ncycles_min = -1', "cycles_min is -1"),
    ],
)
def test_a_limit_that_is_none_is_refused_in_a_sentence(
    tmp_path: Path, limit: str, text: str
) -> None:
    with pytest.raises(UsageError, match=r"mine\.toml") as caught:
        profile(tmp_path, f"[[limit]]\n{limit}\n")
    assert text in str(caught.value)


def test_evidence_that_nobody_calls_real_is_refused(tmp_path: Path, record) -> None:
    real = profile(
        tmp_path,
        'evidence = "real"\n[[limit]]\nmeasure = "resume_ms"\nat_most = 2\nunit = "s"\n',
    )
    judged = judge_log(LogReading((), (record(),)), real)
    assert judged.verdict is Verdict.NO_EVIDENCE
    assert "asks for evidence of a real PC" in judged.why
    with pytest.raises(UsageError, match="evidence is 'true'; allowed are any, real"):
        profile(
            tmp_path, 'evidence = "true"\n[[limit]]\nmeasure = "wake_ms"\nat_most = 2\nunit = "s"'
        )
