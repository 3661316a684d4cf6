"""`resume-rig press`, `lid`, `key`, `contact` and `power`: one action on the DUT."""

import argparse
from typing import TYPE_CHECKING, Final

from resume_rig.cli.terminal.arguments import (
    add_rig_arguments,
    add_verb,
    duration_ns,
    named,
    rig_of,
)
from resume_rig.cli.terminal.console import DONE, FAULT, answer, answer_document, print_note
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.errors import UsageError
from resume_rig.model.units import count_of, seconds_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from resume_rig.acceptance.single_actions import DutState, PowerChange
    from resume_rig.campaign.run.actions import MeasuredHold
    from resume_rig.rig.interface import ActionStart
    from resume_rig.rig.link.open import OpenRig


def add_press(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "press",
        "press the power button once, and report how long the press measured",
        "  resume-rig press --rig serial:/dev/ttyACM0 --for 150ms",
    )
    add_rig_arguments(parser, required=True)
    parser.add_argument(
        "--for",
        dest="duration_ns",
        metavar="TIME",
        type=duration_ns,
        default=150_000_000,
        help="how long (default 150ms)",
    )
    parser.add_argument(
        "--force-off",
        action="store_true",
        help="allow a press long enough to cut the power (a DUT loses its unsaved work)",
    )
    parser.set_defaults(execute=press_button)


def press_button(args: argparse.Namespace) -> int:
    """Press, and report how long the press measured."""
    from resume_rig.campaign.run.actions import press_once

    with rig_of(args) as opened:
        press = press_once(
            opened.rig,
            opened.clock,
            args.duration_ns,
            force_off=args.force_off,
            named=("--for", "--force-off"),
        )
    if args.json:
        document = {
            "schema": "resume-rig/press/1",
            "commanded_ns": press.commanded_ns,
            "start_ns": press.start_ns,
            "pressed_ns": press.pressed_ns,
            "released_ns": press.released_ns,
            "width_ns": press.width_ns,
        }
        answer_document(document)
    else:
        measured = "no whole press" if press.width_ns is None else seconds_text(press.width_ns)
        answer([f"Pressed for {seconds_text(press.commanded_ns)}; the header saw {measured}.\n"])
    return DONE


def add_lid(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    _add_moved(verbs, "lid", "close the lid for a time, or open it", move_lid)


def move_lid(args: argparse.Namespace) -> int:
    """Move the lid; keep it closed while asked to."""
    with rig_of(args) as opened:
        return _move(args, "lid", opened, opened.rig.lid)


def add_contact(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    what = "close the dry contact of an AC adapter or a dock for a time, or open it"
    _add_moved(verbs, "contact", what, move_contact)


def move_contact(args: argparse.Namespace) -> int:
    """Close or open the contact; keep it closed while asked to."""
    from resume_rig.acceptance.bench import need, open_bench

    bench = open_bench(args.rig, args.dut)
    try:
        need(bench, f"{args.move} the contact", Actuator.CONTACT)
        return _move(args, "contact", bench.opened, bench.rig.contact)
    finally:
        bench.close()


def _add_moved(
    verbs: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    what: str,
    execute: "Callable[[argparse.Namespace], int]",
) -> None:
    """Add a verb that closes something for a time, or opens it."""
    example = f"  resume-rig {name} close --for 10s --rig serial:/dev/ttyACM0"
    parser = add_verb(verbs, name, what, example)
    parser.add_argument("move", choices=("close", "open"))
    add_rig_arguments(parser, required=True)
    parser.add_argument(
        "--for",
        dest="duration_ns",
        metavar="TIME",
        type=duration_ns,
        help=f"how long the {name} stays closed (default: until Ctrl-C); the board opens it when "
        f"nobody asks for it any more, so a closed {name} needs this program to stay",
    )
    parser.set_defaults(execute=execute)


def _move(
    args: argparse.Namespace,
    what: str,
    opened: "OpenRig",
    move: "Callable[[bool], ActionStart]",
) -> int:
    """Move what closes and opens, keep it closed while asked to, and report how long it was."""
    from resume_rig.campaign.run.actions import hold_closed

    limit_ns: int | None = args.duration_ns
    lasting = "until Ctrl-C" if limit_ns is None else f"for {seconds_text(limit_ns)}"
    held: MeasuredHold | None = None
    if args.move == "open":
        start_ns = move(False).start_ns
    else:
        held = hold_closed(
            opened.rig,
            opened.clock,
            limit_ns,
            lambda: print_note(f"The {what} is closed {lasting}."),
            move,
        )
        start_ns = held.start_ns
    let_go = held is not None and held.by_board
    if args.json:
        document = {
            "schema": f"resume-rig/{what}/1",
            "move": args.move,
            "start_ns": start_ns,
            "held_ns": None if held is None else held.held_ns,
            "opened_by_board": let_go,
        }
        answer_document(document)
    else:
        after = "" if held is None else f", after {seconds_text(held.held_ns)}"
        why = ": the board opened it by itself, for this host was silent" if let_go else ""
        answer([f"The {what} is open{after}{why}.\n"])
    return FAULT if let_go else DONE


def add_key(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "key",
        "press the key of the USB keyboard that the board is, and report what the DUT made of it",
        "  resume-rig key --rig serial:/dev/ttyACM0 --dut my-laptop.toml",
    )
    add_rig_arguments(parser, required=True)
    parser.add_argument(
        "--for",
        dest="duration_ns",
        metavar="TIME",
        type=duration_ns,
        default=150_000_000,
        help="how long (default 150ms)",
    )
    parser.set_defaults(execute=press_key)


def press_key(args: argparse.Namespace) -> int:
    """Press, and report what the DUT made of it; an error exits with 3 where that was nothing."""
    from resume_rig.acceptance.bench import open_bench
    from resume_rig.acceptance.single_actions import SingleActions
    from resume_rig.campaign.run.actions import check_press

    bench = open_bench(args.rig, args.dut)
    try:
        check_press(bench.info, Actuator.KEYBOARD, args.duration_ns, named=("--for", ""))
        made = SingleActions(bench).press_key(args.duration_ns)
    finally:
        bench.close()
    if args.json:
        document = {
            "schema": "resume-rig/key/1",
            "commanded_ns": args.duration_ns,
            "bus": made.bus.value,
            "armed": made.armed,
            "reports": made.reports,
            "wakeups": made.wakeups,
        }
        answer_document(document)
    else:
        answer(
            [
                f"Pressed for {seconds_text(args.duration_ns)}; the DUT had "
                f"{count_of(made.reports, 'report')} and {count_of(made.wakeups, 'wakeup')} of "
                "it.\n"
            ]
        )
    return DONE


_LONGEST_NS: Final = 3_600_000_000_000


def add_power(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "power",
        "switch the DUT on, off, or off and on again; or report what the signals show of it",
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
        type=named,
        help="a program that switches the DUT's supply, where the button does not cut the power "
        "(RESUME_RIG_POWER=off, then on)",
    )
    parser.set_defaults(execute=switch_power)


def switch_power(args: argparse.Namespace) -> int:
    """Do it, and report what the wires show; an error exits with 3, as a campaign's does."""
    from resume_rig.acceptance.bench import open_bench
    from resume_rig.acceptance.single_actions import PowerActions, SingleActions
    from resume_rig.campaign.dut.user_program import PowerCommand, program_words

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
    _report(args, state, change, wired)
    return DONE


def _report(
    args: argparse.Namespace,
    state: "DutState",
    change: "PowerChange | None",
    wired: frozenset[Channel],
) -> None:
    from resume_rig.acceptance.single_actions import DutState

    now = _in_words(state, wired)
    if args.json:
        document = {
            "schema": "resume-rig/power/1",
            "do": args.do,
            "before": None if change is None else change.before.value,
            "state": state.value,
            "took_ns": None if change is None else change.took_ns,
        }
        answer_document(document)
    elif change is None:
        answer([f"The DUT is {now}.\n"])
    elif change.took_ns == 0:
        answer([f"The DUT is {now} already.\n"])
    elif args.do == "reset":
        before, took = _in_words(change.before, wired), seconds_text(change.took_ns)
        cut = "" if change.before is DutState.OFF else ", was switched off"
        answer([f"The DUT was {before}{cut} and is {now} again, {took} later.\n"])
    else:
        before = _in_words(change.before, wired)
        answer([f"The DUT was {before} and is {now}, {seconds_text(change.took_ns)} later.\n"])


def _in_words(state: "DutState", wired: frozenset[Channel]) -> str:
    """Return a state in words, with what the wires do not distinguish."""
    from resume_rig.acceptance.single_actions import DutState

    if state is DutState.S4 and Channel.SLP_S5 not in wired:
        return "in S4 or off (SLP_S5# is not wired and would decide it)"
    if state is DutState.S3 and Channel.SLP_S4 not in wired:
        return "in S3 or deeper (SLP_S4# is not wired and would decide it)"
    if state in (DutState.S3, DutState.S4):
        return f"in {state}"
    return "in a state that the wires do not make clear" if state is DutState.UNCLEAR else state
