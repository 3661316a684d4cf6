"""`resume-rig selftest`: the board's own checks, and loop-backs that measure its channels."""

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from resume_rig.cli.terminal.arguments import (
    add_rig_arguments,
    add_verb,
    duration_ns,
    rig_of,
    whole_number,
)
from resume_rig.cli.terminal.console import DONE, FAULT, answer, answer_document, print_note
from resume_rig.model.channel import Actuator, Channel, line_name, line_names
from resume_rig.model.errors import UsageError
from resume_rig.model.units import seconds_text

if TYPE_CHECKING:
    from resume_rig.campaign.preparation.self_measurement import Agreement, LoopbackPlan
    from resume_rig.rig.interface import Calibration, LoopbackResult, RigInfo
    from resume_rig.rig.link.open import OpenRig


_HEAD = ("channel", "observed", "missed", "extra", "mean", "sd", "min", "max", "uncertainty")


def loopback_lines(
    plan: "LoopbackPlan", result: "LoopbackResult", kept: bool, info: "RigInfo"
) -> Iterator[str]:
    """Yield a table, and what it means.

    Args:
        plan: what was asked for.
        result: what came of it.
        kept: the board keeps it.
        info: of the board, read after it; its uncertainties are shown.
    """
    yield f"{plan.actuator} -> {line_names(plan.channels)}: {result.changes} changes; times in ns"
    yield f"{_HEAD[0]:<10}" + "".join(f"{name:>12}" for name in _HEAD[1:])
    uncertainty_ns = {each.channel: each.uncertainty_ns for each in info.channels}
    for row in result.channels:
        counts = (row.detected, row.missed, row.extra)
        figures = (*counts, row.mean_ns, row.sd_ns, row.min_ns, row.max_ns)
        cells = (*figures, uncertainty_ns[row.channel])
        yield f"{line_name(row.channel):<10}" + "".join(f"{cell:>12}" for cell in cells)
    yield f"The clock was read up to {result.held_ns} ns before the pin changed."
    if not result.ended_well:
        yield f"Not good: {_complaint(plan, result)}; nothing of it is kept."
    elif kept:
        yield "The board keeps these latencies; the uncertainties are those in force from now on."
    else:
        yield "Not kept (--save lets the board keep them); the uncertainties are those in force."


def _complaint(plan: "LoopbackPlan", result: "LoopbackResult") -> str:
    if result.lost:
        return f"the board lost {result.lost} edges; allow more time with --gap"
    silent = [row.channel for row in result.channels if row.detected == 0]
    if silent:
        return (
            f"no edge came on {line_names(silent)}; is the wire from {plan.actuator}'s output pin "
            "to its pin there?"
        )
    if result.changes < plan.changes:
        return f"not every one of the first {result.changes} changes was observed once"
    return "edges were missed or came too often; look at the wires, or allow more time with --gap"


def loopback_document(
    plan: "LoopbackPlan", result: "LoopbackResult", kept: bool, info: "RigInfo"
) -> dict[str, object]:
    """Return a loop-back for JSON; arguments as of `loopback_lines`."""
    channels = {entry.channel: entry for entry in info.channels}
    return {
        "actuator": plan.actuator,
        "ok": result.ended_well,
        "kept": kept,
        "changes": result.changes,
        "gap_ns": plan.gap_ns,
        "held_ns": result.held_ns,
        "lost": result.lost,
        "channels": [
            {
                "channel": row.channel,
                "seen": row.detected,
                "missed": row.missed,
                "extra": row.extra,
                "mean_ns": row.mean_ns,
                "sd_ns": row.sd_ns,
                "min_ns": row.min_ns,
                "max_ns": row.max_ns,
                "delay_in_force_ns": channels[row.channel].delay_ns,
                "uncertainty_in_force_ns": channels[row.channel].uncertainty_ns,
            }
            for row in result.channels
        ],
    }


def calibration_text(kept: "Calibration | None") -> str:
    """Return in one line what a board keeps of itself."""
    if kept is None:
        return "this firmware keeps none"
    if kept.store == "none":
        return "none, and no memory for one"
    if kept.empty:
        why = "" if kept.crystal else ", as the clock is an RC oscillator"
        return f"none{why}"
    parts = [f"clock {kept.clock_ppb:+d} ppb off"] if kept.clock_ppb is not None else []
    if kept.latencies:
        parts.append(f"latency of {line_names(row.channel for row in kept.latencies)}")
    return f"{'; '.join(parts)} (kept in {kept.store} memory)"


def calibration_document(kept: "Calibration | None") -> dict[str, object] | None:
    """Return what a board keeps of itself for JSON; None from firmware that keeps none."""
    if kept is None:
        return None
    return {
        "crystal": kept.crystal,
        "store": kept.store,
        "clock_ppb": kept.clock_ppb,
        "held_ns": kept.held_ns,
        "latencies": [
            {
                "channel": row.channel,
                "mean_ns": row.mean_ns,
                "sd_ns": row.sd_ns,
                "deviation_ns": row.deviation_ns,
                "count": row.count,
            }
            for row in kept.latencies
        ],
    }


_PLUG = "a loop-back drives outputs again and again, which a DUT takes for presses"


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "selftest",
        "let the rig measure itself: its own checks, or the latency of its channels",
        "  resume-rig selftest --rig serial:/dev/ttyACM0\n"
        "  resume-rig selftest --rig serial:/dev/ttyACM0 --loopback BUTTON=PWR_OK,SLP_S3 "
        "--no-dut --save\n"
        "  resume-rig selftest --rig serial:/dev/ttyACM0 --against serial:/dev/ttyACM1 "
        "--loopback BUTTON=PWR_OK,SLP_S3 --no-dut",
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
        "--against",
        metavar="URL",
        help="a second board: the loop-back's actuator is its, and the wire goes to the channels "
        "of both boards, whose stamps are compared (--count: pulses, 2 to 1000, default 100)",
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
    if args.against is not None:
        return _execute_against(args, plans)
    with rig_of(args) as opened:
        if args.forget:
            return _forget(args, opened)
        if plans:
            _check_no_dut(args, opened)
            return _loop_back(args, opened, plans)
        return _check(args, opened)


def _plans(args: argparse.Namespace) -> "list[LoopbackPlan]":
    from resume_rig.campaign.preparation.self_measurement import (
        CHANGES,
        DEFAULT_CHANGES,
        DEFAULT_GAP_NS,
        GAP_NS,
        LoopbackPlan,
    )

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
    if args.forget and (args.loopback or wanting or args.against is not None):
        raise UsageError("--forget forgets the calibration and does nothing else; give it alone")
    if args.against is not None and not args.loopback:
        raise UsageError("--against needs --loopback ACTUATOR=CHANNEL[,CHANNEL...]")
    if wanting and not args.loopback:
        raise UsageError(f"{', '.join(wanting)} needs --loopback ACTUATOR=CHANNEL[,CHANNEL...]")
    changes = DEFAULT_CHANGES if args.count is None else args.count
    gap_ns = DEFAULT_GAP_NS if args.gap_ns is None else args.gap_ns
    if args.against is None and not CHANGES[0] <= changes <= CHANGES[1]:
        raise UsageError(f"--count {changes}: allowed are {CHANGES[0]} to {CHANGES[1]} changes")
    if not GAP_NS[0] <= gap_ns <= GAP_NS[1]:
        low, high = map(seconds_text, GAP_NS)
        raise UsageError(f"--gap is {seconds_text(gap_ns)}; allowed are {low} to {high}")
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
    """Raise UsageError unless a person states that there is no DUT, and nothing contradicts it."""
    if opened.in_process and not opened.plug:
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
    from resume_rig.campaign.preparation.self_measurement import check_can_keep, measure_loopback

    rig = opened.rig
    if args.save:
        check_can_keep(rig)
    results: list[tuple[LoopbackPlan, LoopbackResult, bool]] = []
    for plan in plans:
        print_note(
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
        answer_document(document)
    else:
        for row in results:
            answer(f"{line}\n" for line in loopback_lines(*row, info))
    return DONE if good else FAULT


def _execute_against(args: argparse.Namespace, plans: "list[LoopbackPlan]") -> int:
    """Compare with a second board; exit 3 when they do not agree."""
    from resume_rig.acceptance.bench import opened_rig
    from resume_rig.campaign.preparation.self_measurement import (
        DEFAULT_PULSES,
        MOST_PULSES,
        measure_against,
    )

    if len(plans) != 1 or args.save or args.gap_ns is not None:
        raise UsageError(
            "--against compares one wire: give --loopback ACTUATOR=CHANNEL[,CHANNEL...] once, and "
            "neither --save nor --gap"
        )
    pulses = DEFAULT_PULSES if args.count is None else args.count
    if not 2 <= pulses <= MOST_PULSES:
        raise UsageError(f"--count {pulses}: allowed are 2 to {MOST_PULSES} pulses with --against")
    (plan,) = plans
    with rig_of(args) as opened, opened_rig(args.against, None) as second:
        for one, url in ((opened, args.rig), (second, args.against)):
            if one.in_process:
                raise UsageError(
                    f"could not compare with {url}: a simulated bench has a DUT or a plug of its "
                    "own, and no wire to another board; use serial:, socket: or rfc2217:"
                )
        _check_no_dut(args, second)
        print_note(f"{args.against} presses {plan.actuator} {pulses} times ...")
        wire = (plan.actuator, plan.channels)
        found = measure_against(opened.rig, second.rig, second.clock, wire, pulses)
    if args.json:
        answer_document(_against_document(found))
    else:
        answer(f"{line}\n" for line in _against_lines(found, args.rig, args.against))
    return DONE if found.complaint is None else FAULT


def _against_lines(found: "Agreement", ours: str, theirs: str) -> Iterator[str]:
    if found.channels:
        names = ("edges", "mean", "sd", "largest", "allowed")
        yield f"{'channel':<10}" + "".join(f"{name:>10}" for name in names)
        for row in found.channels:
            figures = (row.edges, row.mean_ns, row.sd_ns, row.most_ns, row.allowed_ns)
            yield f"{line_name(row.channel):<10}" + "".join(f"{figure:>10}" for figure in figures)
        yield (
            "Times in ns: our stamps against the second board's, about the mean of all channels. "
            "A delay that all share does not show."
        )
        if found.rate_low_ppb <= found.rate_high_ppb:
            yield (
                f"The clock of {ours} runs {found.rate_low_ppb / 1000:+.3f} to "
                f"{found.rate_high_ppb / 1000:+.3f} ppm against that of {theirs} (over "
                f"{seconds_text(found.span_ns)}, guaranteed); both state "
                f"{found.stated_ppb / 1000:g} ppm together."
            )
    if found.complaint is None:
        yield "The boards agree within what they state of themselves."
    else:
        yield f"Not good: {found.complaint}."


def _against_document(found: "Agreement") -> dict[str, object]:
    return {
        "schema": "resume-rig/selftest-against/1",
        "ok": found.complaint is None,
        "complaint": found.complaint,
        "span_ns": found.span_ns,
        "rate_low_ppb": found.rate_low_ppb,
        "rate_high_ppb": found.rate_high_ppb,
        "stated_ppb": found.stated_ppb,
        "channels": [
            {
                "channel": row.channel,
                "edges": row.edges,
                "mean_ns": row.mean_ns,
                "sd_ns": row.sd_ns,
                "most_ns": row.most_ns,
                "allowed_ns": row.allowed_ns,
            }
            for row in found.channels
        ],
    }


def _forget(args: argparse.Namespace, opened: "OpenRig") -> int:
    from resume_rig.campaign.preparation.self_measurement import check_can_keep

    check_can_keep(opened.rig)
    kept = opened.rig.calibrate(clear=True)
    if args.json:
        document = {
            "schema": "resume-rig/selftest-forget/1",
            "calibration": calibration_document(kept),
        }
        answer_document(document)
    else:
        answer(["The board has forgotten its calibration.\n"])
    return DONE


def _check(args: argparse.Namespace, opened: "OpenRig") -> int:
    from resume_rig.campaign.preparation.self_measurement import kept_calibration

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
        answer_document(document)
    else:
        answer(f"{'ok' if c.ok else 'BAD':<4} {c.name:<28} {c.value}\n" for c in checks)
        answer(
            [
                f"edge source: {info.edge_source or 'not reported'}\n",
                f"clock {info.clock_source}, {info.clock_hz} Hz, "
                f"+/-{info.clock_tolerance_ppb / 1000:g} ppm\n",
                f"calibration: {calibration_text(kept)}\n",
            ]
        )
    return DONE if good else FAULT
