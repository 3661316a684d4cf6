"""The ladder of a profile: read strictly, with defaults that fit."""

from pathlib import Path

import pytest

from resume_rig.model.dut import DEFAULT_LADDER, RecoveryStep
from resume_rig.model.errors import UsageError
from resume_rig.rig.dut_profile import load_dut_profile

S = 1_000_000_000


def profile(tmp_path: Path, table: str) -> str:
    path = tmp_path / "mine.toml"
    path.write_text(f'base = "healthy-laptop"\n[recovery]\n{table}\n', "utf-8")
    return str(path)


def test_a_profile_without_a_ladder_has_the_default_one() -> None:
    assert load_dut_profile("healthy-laptop").recovery == DEFAULT_LADDER
    assert DEFAULT_LADDER.steps == tuple(RecoveryStep)


def test_a_ladder_is_read(tmp_path: Path) -> None:
    table = (
        'steps = ["force-off", "ask"]\nwait_ms = 0\nforce_off_ms = 15000\noff_ms = 2000\n'
        "boot_ms = 90000\nask_ms = 60000\ntries = 5\nin_a_row = 1"
    )

    ladder = load_dut_profile(profile(tmp_path, table)).recovery

    assert ladder.steps == (RecoveryStep.FORCE_OFF, RecoveryStep.ASK)
    times = (ladder.wait_ns, ladder.force_off_ns, ladder.off_ns, ladder.boot_ns, ladder.ask_ns)
    assert times == (0, 15 * S, 2 * S, 90 * S, 60 * S)
    assert (ladder.tries, ladder.in_a_row) == (5, 1)


@pytest.mark.parametrize(
    ("table", "found"),
    [
        ("force_off_ms = 3999", '"recovery.force_off_ms" is 3999; it takes a number from 4000'),
        ("force_off_ms = 15001", '"recovery.force_off_ms" is 15001'),
        ('steps = ["kick"]', "\"recovery.steps\" names 'kick'; allowed are wait, press"),
        ('steps = ["wait", "wait"]', '"recovery.steps" names wait twice'),
        ("steps = [1]", '"recovery.steps" names 1'),
        ('steps = "wait"', "\"recovery.steps\" is 'wait'"),
        ("tries = 0", '"recovery.tries" is 0; it takes a whole number from 1'),
        ("in_a_row = 1001", '"recovery.in_a_row" is 1001; it takes a whole number from 1 to 1000'),
        ("wait_s = 1", '"recovery.wait_s" is not known'),
    ],
)
def test_a_wrong_ladder_is_refused_with_key_and_range(
    tmp_path: Path, table: str, found: str
) -> None:
    with pytest.raises(UsageError) as refused:
        load_dut_profile(profile(tmp_path, table))

    assert found in str(refused.value)
