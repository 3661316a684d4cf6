"""A program of the user's own that tells the DUT's OS."""

import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from resume_rig.campaign.answer.assessment import assess
from resume_rig.campaign.dut.choice import dut_control
from resume_rig.campaign.dut.user_program import UserControl
from resume_rig.campaign.plan.plan_file import parse_plan
from resume_rig.campaign.store.read_back import load_campaign
from resume_rig.model.errors import UsageError
from resume_rig.model.os_record import SleepKind
from resume_rig.model.result.cycle import Outcome
from resume_rig.model.result.verdict import FindingKind
from resume_rig.rig.interface import Ended
from resume_rig.timing.clocks import VirtualClock

S = 1_000_000_000


CALLS_AND_HANGS = (
    "import socket, sys, time\n"
    "caller = socket.create_connection(('127.0.0.1', int(sys.argv[1]))); time.sleep(600)\n"
)


def gone(caller: socket.socket) -> bool:
    """Wait until whoever called has ended."""
    try:
        return caller.recv(1) == b""
    except ConnectionResetError:  # how Windows tells of a caller that was ended
        return True


def control(script: str, *more: str) -> UserControl:
    return UserControl([sys.executable, "-c", script, *more], {"store": "a.rrs"})


class Awaited(UserControl):
    """Lets its program end before anybody asks: a virtual clock does not wait for real ones."""

    def ended(self) -> Ended | None:
        while (answer := super().ended()) is None:
            time.sleep(0.01)
        return answer


def ended(found: UserControl) -> Ended:
    while (answer := found.ended()) is None:
        time.sleep(0.01)
    return answer


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda c: c.sleep(SleepKind.BOOT), "sleep S5 None a.rrs"),
        (lambda c: c.sleep(SleepKind.S4), "sleep S4 None a.rrs"),
        (lambda c: c.arm_timer(15 * S + 1), "arm-timer None 16 a.rrs"),
        (lambda c: c.greet(), "greet None None a.rrs"),
    ],
    ids=["off", "S4", "timer", "greet"],
)
def test_the_program_is_told_what_is_asked(
    tmp_path: Path, ask: Callable[[UserControl], None], told: str
) -> None:
    script = (
        "import os, sys; names = ('ASK', 'STATE', 'AFTER_S', 'STORE'); "
        "open(sys.argv[1], 'w').write(' '.join(str(os.environ.get('RESUME_RIG_' + n)) "
        "for n in names))"
    )
    found = control(script, str(tmp_path / "told"))

    ask(found)

    assert ended(found) == Ended(ok=True)
    assert (tmp_path / "told").read_text() == told


def test_a_program_that_fails_or_is_not_there_is_said() -> None:
    found = control("raise SystemExit(3)")
    found.sleep(SleepKind.S3)
    assert ended(found) == Ended(ok=False, text=f"the command {sys.executable} ended with status 3")

    missing = UserControl(["/no/such/program"], {})
    missing.sleep(SleepKind.S3)
    answer = ended(missing)
    assert (answer.ok, answer.reached) == (False, False)
    assert "/no/such/program could not be run" in answer.text


def test_a_program_that_hangs_is_ended() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        found = control(CALLS_AND_HANGS, str(server.getsockname()[1]))
        found.greet()
        with server.accept()[0] as caller:
            assert found.ended() is None

            found.close()
            found.close()

            assert gone(caller)


@pytest.mark.parametrize(
    ("status", "outcome", "kinds"),
    [
        (1, Outcome.NEVER_SLEPT, {FindingKind.NEVER_SLEPT, FindingKind.COMMAND_FAILED}),
        (None, Outcome.RIG_FAULT, {FindingKind.COMMAND_FAILED}),
    ],
    ids=["refused", "not reached"],
)
def test_a_sleep_command_that_fails_is_the_duts_fault_only_where_it_answered(
    simulated: Callable[..., Any],
    status: int | None,
    outcome: Outcome,
    kinds: set[FindingKind],
) -> None:
    bench = simulated()
    words = [sys.executable, "-c", f"raise SystemExit({status})"]
    bench.control = Awaited(["/no/such/program"] if status is None else words, {})

    bench.begin(
        parse_plan({"cycles": 1, "warm_up": 0, "sleep_by": "command", "sleep_timeout_s": 8})
    )

    (cycle,) = assess(load_campaign(bench.path)).cycles
    assert cycle.outcome is outcome
    assert {f.kind for f in cycle.findings} == kinds


def test_a_timer_that_cannot_be_armed_lets_the_dut_alone(simulated: Callable[..., Any]) -> None:
    bench = simulated()
    bench.control = UserControl(["/no/such/program"], {})

    bench.begin(parse_plan({"cycles": 1, "warm_up": 0, "wake_by": "timer"}))

    (cycle,) = assess(load_campaign(bench.path)).cycles
    assert cycle.outcome is Outcome.RIG_FAULT
    assert "arm its timer" in cycle.findings[0].text
    assert bench.rig.edges(0).edges == ()


@pytest.mark.parametrize(
    ("command", "shell", "words"),
    [
        ("", None, "an empty command"),
        ("x 'y", None, "could not use the command"),
        (None, "tester@host", "allowed is ssh:USER@HOST"),
        (None, "ssh:host", "could not reach a DUT"),
    ],
)
def test_what_names_nobody_is_refused(
    command: str | None, shell: str | None, words: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=words):
        dut_control(command, shell, VirtualClock(), None, tmp_path / "a.rrs")


def test_nothing_named_is_nobody(tmp_path: Path) -> None:
    assert dut_control(None, None, VirtualClock(), None, tmp_path / "a.rrs") is None
