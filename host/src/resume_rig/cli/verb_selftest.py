"""`resume-rig selftest`: the rig measures itself."""

import argparse
import json
from typing import TYPE_CHECKING

from resume_rig.cli.arguments import add_rig_arguments, add_verb, duration_ns, whole_number
from resume_rig.cli.console import answer, say
from resume_rig.cli.exit_status import DONE, FAULT
from resume_rig.cli.loopback_table import (
    calibration_document,
    calibration_text,
    loopback_document,
    loopback_lines,
)
from resume_rig.cli.opened_rig import rig_of
from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.errors import UsageError
from resume_rig.model.units import seconds_text

if TYPE_CHECKING:
    from resume_rig.campaign.self_measurement import LoopbackPlan
    from resume_rig.rig.calibration import LoopbackResult
    from resume_rig.rig.open import OpenRig

_PLUG = "a loop-back drives outputs again and again, which a DUT takes for presses"


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "selftest",
        "let the rig measure itself: its own checks, or the latency of its channels",
        "  resume-rig selftest --rig serial:/dev/ttyACM0\n"
        "  resume-rig selftest --rig serial:/dev/ttyACM0 --loopback BUTTON=PWR_OK,SLP_S3 "
        "--no-dut --save",
    )
    add_rig_arguments(parser, required=True)
    parser.add_argument(
        "--loopback",
        metavar="ACTUATOR=CHANNEL[,CHANNEL...]",
        action="append",
        default=[],
        help="measure the latency of channels whose pins are wired to this actuator's output pin "
        "(may be repeated)",
    )
    parser.add_argument(
        "--no-dut",
        action="store_true",
        help="you have looked: no DUT is connected to the rig, only the wires of the loop-back",
    )
    parser.add_argument(
        "--count",
        metavar="N",
        type=whole_number,
        help="changes of the output, 2 to 10000 (default 200)",
    )
    parser.add_argument(
        "--gap",
        dest="gap_ns",
        metavar="TIME",
        type=duration_ns,
        help="mean time between two changes, 100us to 100ms (default 1ms)",
    )
    parser.add_argument(
        "--save", action="store_true", help="let the board keep the latencies as its calibration"
    )
    parser.add_argument(
        "--forget", action="store_true", help="let the board forget its calibration"
    )
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Ask the board for its own checks, run loop-backs, or forget; exit 3 when not all is good."""
    plans = _plans(args)
    with rig_of(args) as opened:
        if args.forget:
            return _forget(args, opened)
        if plans:
            _check_no_dut(args, opened)
            return _loop_back(args, opened, plans)
        return _check(args, opened)


def _plans(args: argparse.Namespace) -> "list[LoopbackPlan]":
    from resume_rig.campaign.self_measurement import DEFAULT_CHANGES, DEFAULT_GAP_NS, LoopbackPlan

    wanting = [
        option
        for option, given in (
            ("--count", args.count is not None),
            ("--gap", args.gap_ns is not None),
            ("--save", args.save),
            ("--no-dut", args.no_dut),
        )
        if given
    ]
    if args.forget and (args.loopback or wanting):
        raise UsageError("--forget forgets the calibration and does nothing else; give it alone")
    if wanting and not args.loopback:
        raise UsageError(f"{', '.join(wanting)} needs --loopback ACTUATOR=CHANNEL[,CHANNEL...]")
    changes = DEFAULT_CHANGES if args.count is None else args.count
    gap_ns = DEFAULT_GAP_NS if args.gap_ns is None else args.gap_ns
    return [LoopbackPlan(*_wires(text), changes, gap_ns) for text in args.loopback]


def _wires(text: str) -> tuple[Actuator, tuple[Channel, ...]]:
    name, _, channels = text.partition("=")
    names = channels.split(",")
    if name not in list(Actuator) or any(channel not in list(Channel) for channel in names):
        raise UsageError(
            f"--loopback {text!r} is not of the form ACTUATOR=CHANNEL[,CHANNEL...]; actuators are "
            f"{', '.join(Actuator)}, channels {', '.join(Channel)}"
        )
    if len(set(names)) < len(names):
        raise UsageError(f"--loopback {text!r} names a channel twice")
    return Actuator(name), tuple(Channel(channel) for channel in names)


def _check_no_dut(args: argparse.Namespace, opened: "OpenRig") -> None:
    """Raise UsageError unless a person says that there is no DUT, and nothing tells otherwise."""
    if opened.simulated and not opened.plug:
        raise UsageError(
            f"could not loop back on {args.rig}: a simulated DUT is connected, and {_PLUG}; add "
            "dut=loopback to the URL, which puts a plug in its place"
        )
    if not opened.plug and not args.no_dut:
        raise UsageError(
            f"could not loop back on {args.rig}: {_PLUG}; take the DUT off the rig, put the wires "
            "in, and say so with --no-dut"
        )


def _loop_back(args: argparse.Namespace, opened: "OpenRig", plans: "list[LoopbackPlan]") -> int:
    from resume_rig.campaign.self_measurement import check_can_keep, measure_loopback

    rig = opened.rig
    if args.save:
        check_can_keep(rig)
    results: list[tuple[LoopbackPlan, LoopbackResult, bool]] = []
    for plan in plans:
        say(
            f"Driving {plan.actuator} {plan.changes} times, for about "
            f"{seconds_text(plan.changes * plan.gap_ns)} ..."
        )
        result = measure_loopback(rig, opened.clock, plan)
        kept = args.save and result.ended_well
        if kept:
            rig.calibrate(loopback=True)
        results.append((plan, result, kept))
    info = rig.info()
    good = all(result.ended_well for _, result, _ in results)
    if args.json:
        document = {
            "schema": "resume-rig/selftest-loopback/1",
            "ok": good,
            "board": info.board,
            "loopbacks": [loopback_document(*row, info) for row in results],
        }
        answer([json.dumps(document) + "\n"])
    else:
        for row in results:
            answer(f"{line}\n" for line in loopback_lines(*row, info))
    return DONE if good else FAULT


def _forget(args: argparse.Namespace, opened: "OpenRig") -> int:
    from resume_rig.campaign.self_measurement import check_can_keep

    check_can_keep(opened.rig)
    kept = opened.rig.calibrate(clear=True)
    if args.json:
        document = {
            "schema": "resume-rig/selftest-forget/1",
            "calibration": calibration_document(kept),
        }
        answer([json.dumps(document) + "\n"])
    else:
        answer(["The board has forgotten its calibration.\n"])
    return DONE


def _check(args: argparse.Namespace, opened: "OpenRig") -> int:
    from resume_rig.campaign.self_measurement import kept_calibration

    info, checks = opened.rig.info(), opened.rig.selftest()
    kept = kept_calibration(opened.rig)
    good = all(check.ok for check in checks)
    if args.json:
        document = {
            "schema": "resume-rig/selftest/1",
            "ok": good,
            "checks": [{"name": c.name, "ok": c.ok, "value": c.value} for c in checks],
            "edge_source": info.edge_source,
            "clock": {
                "source": info.clock_source,
                "hz": info.clock_hz,
                "tolerance_ppb": info.clock_tolerance_ppb,
            },
            "calibration": calibration_document(kept),
        }
        answer([json.dumps(document) + "\n"])
    else:
        answer(f"{'ok' if c.ok else 'BAD':<4} {c.name:<28} {c.value}\n" for c in checks)
        answer(
            [
                f"edges stamped by {info.edge_source or 'a source that it does not tell'}\n",
                f"clock {info.clock_source}, {info.clock_hz} Hz, "
                f"+/-{info.clock_tolerance_ppb / 1000:g} ppm\n",
                f"calibration: {calibration_text(kept)}\n",
            ]
        )
    return DONE if good else FAULT
