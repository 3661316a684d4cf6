"""`resume-rig power`: on, off and reset of the DUT, as a command of other test systems."""

import argparse
import json
from typing import TYPE_CHECKING, Final

from resume_rig.cli.arguments import add_rig_arguments, add_verb, duration_ns
from resume_rig.cli.console import answer
from resume_rig.cli.exit_status import DONE
from resume_rig.model.channel import Channel
from resume_rig.model.errors import UsageError
from resume_rig.model.units import seconds_text

if TYPE_CHECKING:
    from resume_rig.acceptance.power_actions import PowerChange
    from resume_rig.acceptance.single_actions import DutState

_LONGEST_NS: Final = 3_600_000_000_000


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "power",
        "switch the DUT on, off, or off and on again; or tell what the wires show of it",
        "  resume-rig power reset --rig serial:/dev/ttyACM0 --dut my-laptop.toml",
    )
    parser.add_argument("do", choices=("on", "off", "reset", "state"))
    add_rig_arguments(parser, required=True)
    parser.add_argument(
        "--timeout",
        dest="timeout_ns",
        metavar="TIME",
        type=duration_ns,
        default=60_000_000_000,
        help="how long its lines may take to show a DUT that runs (default 60s)",
    )
    parser.add_argument(
        "--power-cycle",
        metavar="COMMAND",
        help="a program that switches the DUT's supply, where the button does not cut the power "
        "(RESUME_RIG_POWER=off, then on)",
    )
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Do it, and tell what the wires show; an error exits with 3, as a campaign's does."""
    from resume_rig.acceptance.bench_in_use import open_bench
    from resume_rig.acceptance.power_actions import PowerActions
    from resume_rig.acceptance.single_actions import SingleActions
    from resume_rig.campaign.hooks import program_words
    from resume_rig.campaign.power_command import PowerCommand

    if not 0 < args.timeout_ns <= _LONGEST_NS:
        raise UsageError(
            f"--timeout is {seconds_text(args.timeout_ns)}; allowed are up to "
            f"{seconds_text(_LONGEST_NS)}"
        )
    supply = None
    if args.power_cycle is not None:
        supply = PowerCommand(program_words(args.power_cycle), {"rig": args.rig})
    bench = open_bench(args.rig, args.dut)
    try:
        actions = SingleActions(bench)
        power = PowerActions(actions, supply)
        change: PowerChange | None = None
        match args.do:
            case "on":
                change = power.on(args.timeout_ns)
            case "off":
                change = power.off()
            case "reset":
                change = power.reset(args.timeout_ns)
        state = actions.state() if change is None else change.after
        wired = frozenset(bench.wired)
    finally:
        bench.close()
    _tell(args, state, change, wired)
    return DONE


def _tell(
    args: argparse.Namespace,
    state: "DutState",
    change: "PowerChange | None",
    wired: frozenset[Channel],
) -> None:
    now = _in_words(state, wired)
    if args.json:
        document = {
            "schema": "resume-rig/power/1",
            "do": args.do,
            "before": None if change is None else change.before.value,
            "state": state.value,
            "took_ns": None if change is None else change.took_ns,
        }
        answer([json.dumps(document) + "\n"])
    elif change is None:
        answer([f"The DUT is {now}.\n"])
    elif change.took_ns == 0:
        answer([f"The DUT is {now} already.\n"])
    elif args.do == "reset":
        answer([f"The DUT was off and is {now} again, {seconds_text(change.took_ns)} later.\n"])
    else:
        before = _in_words(change.before, wired)
        answer([f"The DUT was {before} and is {now}, {seconds_text(change.took_ns)} later.\n"])


def _in_words(state: "DutState", wired: frozenset[Channel]) -> str:
    """Return a state in words, with what the wires cannot tell."""
    from resume_rig.acceptance.single_actions import DutState

    if state is DutState.S4 and Channel.SLP_S5 not in wired:
        return "in S4 or off (SLP_S5 is not wired, which would tell)"
    if state is DutState.S3 and Channel.SLP_S4 not in wired:
        return "in S3 or deeper (SLP_S4 is not wired, which would tell)"
    if state in (DutState.S3, DutState.S4):
        return f"in {state}"
    return "in a state that the wires do not make clear" if state is DutState.UNCLEAR else state
