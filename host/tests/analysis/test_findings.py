"""Each class of findings: found where it is, not where it is not, by fixed seeds.

benchmarks/findings.py does the same with many more cycles.
"""

from pathlib import Path

import pytest
from findings_truth import ADVICE, CASES, FindingCase, erring, healthy
from numpy.random import default_rng
from played_campaign import LIMIT, Bench, play

from resume_rig.analysis.findings.disagreements import context_of, disagreements
from resume_rig.analysis.findings.kinds import ABOUT, Doubt
from resume_rig.analysis.reconcile.norms import UNKNOWN_PLATFORM
from resume_rig.model.channel import Actuator
from resume_rig.model.dut import DutProfile
from resume_rig.model.os_record import SleepKind
from resume_rig.model.quantity import BoundedNs
from resume_rig.model.result.cycle import Outcome, OutsideCycle, OutsideState
from resume_rig.model.result.verdict import FindingKind
from resume_rig.oslog.reading import read_logs
from resume_rig.rig.dut_profile import load_dut_profile

CYCLES = 30
SEED_THAT_HANGS_ONCE = 7


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.kind}, {case.magnitude}")
def test_a_class_is_found_in_the_cycles_that_have_it(case: FindingCase, tmp_path: Path) -> None:
    spoilt = case.make(default_rng(4))
    answer = play(spoilt.profile, CYCLES, 4, tmp_path, by=spoilt.by, spoil=spoilt.spoil)
    had = 0
    for cycle in answer.cycles:
        kinds = {finding.kind for finding in cycle.findings}
        if spoilt.has(cycle.outside.number):
            had += 1
            assert case.shown_by(kinds)
            assert kinds <= case.along | {case.kind}
        else:
            assert kinds <= case.after | ADVICE
    assert had >= CYCLES // 10


SOUND = [pytest.param(profile, by, id=name) for name, profile, by in healthy()]


@pytest.mark.parametrize("cycles", [5, pytest.param(40, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("profile", "by"), SOUND)
def test_a_sound_unit_has_no_finding(
    profile: DutProfile, by: Actuator, cycles: int, tmp_path: Path
) -> None:
    answer = play(profile, cycles, 11, tmp_path, by=by)
    kinds = {finding.kind for cycle in answer.cycles for finding in cycle.findings}
    assert kinds <= ADVICE
    assert all(cycle.record is not None for cycle in answer.cycles)


@pytest.mark.parametrize(
    ("name", "kind", "share"),
    [
        ("tsc-not-reset", FindingKind.TSC_NOT_RESET, 1.0),
        ("fpdt-in-ticks", FindingKind.WRONG_UNIT, 1.0),
        ("late-display", FindingKind.UNEXPLAINED, 1.0),
        ("doze-to-s4", FindingKind.WAKE_NOT_OURS, 1.0),
        ("fake-s3", FindingKind.STATE_MISMATCH, 1.0),
        pytest.param("resume-hang", FindingKind.DARK, 0.002, marks=pytest.mark.slow),
        pytest.param("wakes-alone", FindingKind.WAKE_NOT_OURS, 0.05, marks=pytest.mark.slow),
        ("double-reset", FindingKind.DOUBLE_RESET, 0.1),
        ("bios-reports-zero", FindingKind.BIOS_NOT_REPORTED, 1.0),
        ("bios-under-reports", FindingKind.BIOS_UNDER_REPORTED, 1.0),
        ("hidden-before-s3", FindingKind.HIDDEN_BEFORE_SLEEP, 1.0),
    ],
)
def test_a_shipped_character_shows_what_it_is(
    name: str, kind: FindingKind, share: float, tmp_path: Path
) -> None:
    cycles = 40 if share == 1 else 200
    answer = play(load_dut_profile(name), cycles, SEED_THAT_HANGS_ONCE, tmp_path, dwell_s=(8, 12))
    found = sum(kind in {f.kind for f in cycle.findings} for cycle in answer.cycles)
    if name == "doze-to-s4":
        # The wires show a wake by itself, or a sleep that became another.
        found += sum("dozed" in {f.kind.value for f in c.findings} for c in answer.cycles)
    if share == 1:
        # No sleep follows the last one, so that its clock is known to a second only.
        assert found >= cycles - (kind is FindingKind.BIOS_UNDER_REPORTED)
    else:
        assert 0 < found < 2.5 * share * cycles + 3


def test_a_finding_says_how_much_within_its_bound(tmp_path: Path) -> None:
    """The BIOS of this character takes 600 ms and reports 60 % of it."""
    answer = play(load_dut_profile("bios-under-reports"), 100, 5, tmp_path)
    told = [
        finding.evidence
        for cycle in answer.cycles
        for finding in cycle.findings
        if finding.kind is FindingKind.BIOS_UNDER_REPORTED
    ]
    assert len(told) >= 99
    for each in told:
        assert abs(each["hidden_ns"] - 240_000_000) <= each["bound_ns"] < 150_000_000
        assert 0 < each["to_os_least_ns"] < each["to_os_most_ns"] < 900_000_000


def test_a_clock_that_ran_from_wake_to_sleep_shows_one_cycle(tmp_path: Path) -> None:
    """The wires time the same span, so no half second of the RTC is in it; the last has no next."""
    answer = play(load_dut_profile("bios-under-reports"), 2, 5, tmp_path)
    found = [FindingKind.BIOS_UNDER_REPORTED in {f.kind for f in c.findings} for c in answer.cycles]
    assert found == [True, False]


@pytest.mark.parametrize("kind", FindingKind)
def test_every_kind_has_a_row_and_is_documented(kind: FindingKind, fixtures_dir: Path) -> None:
    about = ABOUT[kind]
    assert all((about.owner.value, about.command))
    assert about.title[0].isupper()
    assert "-" not in about.title
    assert len(about.title) <= 50
    assert about.means.endswith(".")
    assert about.do.endswith(".")
    assert about.source == "no paper describes it" or ": " in about.source
    assert kind not in about.explained_by
    page = (fixtures_dir.parent / "docs" / "reference" / "findings.md").read_text("utf-8")
    tables, _, rates = page.partition("## How often they are right")
    tables = tables.replace(tables[tables.index("| `of` |") : tables.index("### Where a")], "")
    assert tables.count(f"| `{kind}` |") == 1
    (without_rate,) = [line for line in rates.splitlines() if line.startswith("Kinds that have no")]
    assert (f"| `{kind}` |" in rates) != (f"`{kind}`" in without_rate)


def test_the_gravest_kinds_come_first() -> None:
    doubts = [about.doubt for about in ABOUT.values()]
    assert doubts == sorted(doubts, key=list(Doubt).index)


@pytest.mark.parametrize(
    "name", ["win11-22000-laptop-s3.xml", "win10-17763-laptop-faststartup.xml"]
)
def test_a_real_firmware_is_not_accused(shared_data: Path, name: str) -> None:
    """Its averages follow the formula, and a count of 1 after hibernation is not stuck."""
    records = read_logs([shared_data / "eventlog" / name]).records
    around = context_of(
        [],
        {},
        records,
        requirement=LIMIT,
        reset_to_tsc=BoundedNs(0, 0),
        platform=UNKNOWN_PLATFORM,
    )
    blank = OutsideCycle(1, Outcome.SLEPT_AND_WOKE, OutsideState.NONE, None, None, None, None, {})
    found = {f.kind for record in records for f in disagreements(blank, record, around)}
    told = {FindingKind.NOT_MEASURED, FindingKind.RECORD_ABORTED, FindingKind.BIOS_OVER_ADVISED}
    assert found <= told | {FindingKind.BIOS_NOT_REPORTED, FindingKind.CLOCK_STEP}
    averaged = [record for record in records if around.history.average_due_ms(record)]
    assert len(averaged) > 50 or name != "win11-22000-laptop-s3.xml"


def test_a_campaign_tells_what_a_profile_may_know(tmp_path: Path) -> None:
    """Light at 610 ms, less 195 and 720 ms; its warm-up cycle is not among them."""
    (usual,) = play(load_dut_profile("healthy-laptop"), 60, 5, tmp_path).usual
    assert (usual.kind, usual.wake_by, usual.n) == (SleepKind.S3, Actuator.BUTTON, 59)
    assert abs(usual.residual_ns + 305_000_000) < 10_000_000
    assert 10_000_000 < usual.spread_ns < 40_000_000


def test_a_wake_from_s4_is_complete_after_its_image_was_read(tmp_path: Path) -> None:
    profile = erring(load_dut_profile("healthy-laptop"), sleeps=SleepKind.S4)
    answer = play(profile, 10, 2, tmp_path)
    for cycle in answer.cycles:
        assert cycle.findings == ()
        record, press = cycle.record, cycle.press_to_resume_complete
        assert record.hiber_read_ms == 2_500
        parts_ms = record.bios_init_ms + record.hiber_read_ms + record.driver_init_ms
        assert press.value_ns > parts_ms * 1_000_000
        assert abs(cycle.light_after_complete.value_ns) < 500_000_000


def test_sleeps_between_the_cycles_accuse_nobody(tmp_path: Path) -> None:
    """Each of them sets the clock anew: the half seconds no longer cancel over a row."""

    def person(bench: Bench, number: int) -> None:
        bench.cycle((6 + number % 5) * 1_000_000_000, Actuator.BUTTON)

    for seed in range(5):
        answer = play(load_dut_profile("healthy-laptop"), 50, seed, tmp_path, spoil=person)
        assert {f.kind for cycle in answer.cycles for f in cycle.findings} == set()
