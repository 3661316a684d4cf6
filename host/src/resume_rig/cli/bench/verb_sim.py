"""`resume-rig sim`: serves a simulated bench, or a firmware image with a simulated DUT."""

import argparse
import threading
from collections.abc import Callable
from contextlib import closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from resume_rig.acceptance.whole_file import write_whole
from resume_rig.cli.terminal.arguments import add_verb, host_and_port, whole_number
from resume_rig.cli.terminal.console import DONE, answer, answer_document, print_note
from resume_rig.model.errors import UsageError

if TYPE_CHECKING:
    from resume_rig.rig.sim.bench import SimulatedBench
    from resume_rig.rig.sim.schedule import LinkFaults


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "sim",
        "serve the simulated bench until Ctrl-C",
        "  resume-rig sim --pty /tmp/rig       then, in another terminal:\n"
        "  resume-rig run --rig serial:/tmp/rig",
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--pty",
        nargs="?",
        const=True,
        type=Path,
        metavar="PATH",
        help="serve on a pseudo-terminal; PATH becomes a link to it (the default way)",
    )
    where.add_argument(
        "--tcp",
        metavar="HOST:PORT",
        help="serve on a TCP port, as RFC 2217; port 0 takes any",
    )
    parser.add_argument(
        "--firmware",
        type=Path,
        metavar="IMAGE",
        help="let this native_sim image be the board (a zephyr.exe); only the DUT is simulated",
    )
    parser.add_argument(
        "--dut", metavar="PROFILE", default="healthy-laptop", help="DUT profile to simulate"
    )
    parser.add_argument(
        "--seed", type=whole_number, help="repeat a bench exactly (default: a fresh one)"
    )
    parser.add_argument(
        "--fault",
        action="append",
        metavar="NAME",
        default=[],
        help="let the DUT misbehave: never-sleeps, never-wakes, dark, wakes-alone, no-record, "
        "zero-record, noisy-line (may be repeated)",
    )
    parser.add_argument(
        "--faults",
        type=Path,
        metavar="FILE",
        help="inject the faults of this plan (TOML) into wire, board and cable",
    )
    parser.add_argument(
        "--diary",
        type=Path,
        metavar="FILE",
        help="write there what was injected and what the DUT did, as JSON lines",
    )
    parser.add_argument(
        "--log-file",
        type=Path,
        metavar="FILE",
        help="when the bench ends, write the DUT's event log there as one document",
    )
    parser.add_argument(
        "--list", action="store_true", help="show the shipped DUT profiles, and serve nothing"
    )
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Serve until interrupted."""
    import secrets

    from resume_rig.rig.link.open import SEED_MOST

    if args.list:
        _list(as_json=args.json)
        return DONE
    seed = secrets.randbits(31) if args.seed is None else args.seed
    if not 0 <= seed <= SEED_MOST:
        raise UsageError(f"--seed {seed} is not allowed; it is a whole number of 0 to {SEED_MOST}")
    if args.firmware is not None and args.tcp is not None:
        raise UsageError("--firmware is served on a pseudo-terminal; leave --tcp out")
    if args.firmware is not None and (args.faults is not None or args.diary is not None):
        raise UsageError("--firmware is a real image; --faults and --diary go without it")
    bench = _simulated(args, seed) if args.firmware is None else _native(args, seed)
    try:
        bench.serve()
    except KeyboardInterrupt:
        print_note("resume-rig: the simulated bench ends.")
    finally:
        if args.log_file is not None:
            write_whole(args.log_file, bench.log_document())
            print_note(f"Event log of the DUT: {args.log_file}")
    return DONE


def _list(*, as_json: bool) -> None:
    from resume_rig.rig.dut_profile import load_dut_profile, shipped_profiles

    duts = [load_dut_profile(name) for name in shipped_profiles()]
    if as_json:
        named = [{"name": dut.name, "title": dut.title} for dut in duts]
        answer_document({"schema": "resume-rig/duts/1", "duts": named})
        return
    width = max(len(dut.name) for dut in duts)
    answer([f"{dut.name:<{width}}  {dut.title}\n" for dut in duts])


@dataclass(frozen=True, slots=True)
class _Bench:
    """What is served; `serve` returns when somebody ends it."""

    serve: Callable[[], None]
    log_document: Callable[[], str]


def _simulated(args: argparse.Namespace, seed: int) -> _Bench:
    from resume_rig.model.fault_plan import ON_THE_BENCH, ON_THE_HOST, FaultPlan
    from resume_rig.rig.dut_profile import load_dut_profile
    from resume_rig.rig.fault_file import load_fault_plan
    from resume_rig.rig.sim.bench import SimulatedBench
    from resume_rig.rig.sim.dut.event import parse_faults
    from resume_rig.rig.sim.schedule import FaultDiary, FaultSchedule, LinkFaults
    from resume_rig.timing.clocks import SystemClock

    dut, clock = load_dut_profile(args.dut), SystemClock()
    plan = FaultPlan() if args.faults is None else load_fault_plan(args.faults)
    away = sorted({fault.kind for fault in plan.faults} & ON_THE_HOST)
    if away:
        raise UsageError(
            f"could not serve {args.faults}: {', '.join(away)} strike the process of a campaign; "
            "they are injected by `--rig sim:faults=FILE`"
        )
    out = None if args.diary is None else _new_file(args.diary)
    start_ns = clock.now_ns()
    diary = None
    if out is not None:
        # The wall clock may be set while the bench runs; the diary has it as it is then.
        diary = FaultDiary(out, lambda t_ns: clock.utc_ns() - clock.now_ns() + start_ns + t_ns)
    note = None if diary is None else diary.fault
    bench = SimulatedBench(
        dut,
        clock,
        seed,
        faults=parse_faults(args.fault),
        diary=diary,
        schedule=FaultSchedule(plan, seed, ON_THE_BENCH, note),
    )
    cable = LinkFaults(plan, seed, bench.now_ns, diary)

    def serve() -> None:
        with nullcontext() if out is None else closing(out):
            _serve(args, bench, seed, cable)

    return _Bench(serve, bench.log_document)


def _new_file(path: Path) -> TextIO:
    try:
        return path.open("x", encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(
            f"could not write {path}: {error.strerror or error}; a new file in a folder that can "
            "be written to is allowed"
        ) from error


def _native(args: argparse.Namespace, seed: int) -> _Bench:
    from resume_rig.rig.dut_profile import load_dut_profile
    from resume_rig.rig.native.opening import native_bench, serve_native
    from resume_rig.rig.sim.dut.event import parse_faults

    bench = native_bench(
        args.firmware,
        load_dut_profile(args.dut),
        seed,
        parse_faults(args.fault),
        f"native:{args.firmware}",
    )
    link = None if args.pty is True else args.pty
    return _Bench(
        lambda: serve_native(bench, link, lambda name: _announce(args, seed, f"serial:{name}")),
        bench.log_document,
    )


def _serve(
    args: argparse.Namespace, bench: "SimulatedBench", seed: int, cable: "LinkFaults"
) -> None:
    from resume_rig.rig.sim.serve import serve_pty, serve_tcp

    stop = threading.Event()
    if args.tcp is None:
        link = None if args.pty is True else args.pty
        serve_pty(
            bench, link, lambda name: _announce(args, seed, f"serial:{name}"), stop, faults=cable
        )
        return
    host, port = host_and_port("--tcp", args.tcp)
    serve_tcp(
        bench,
        host,
        port,
        lambda name: _announce(args, seed, f"rfc2217:{name}"),
        stop,
        faults=cable,
    )


def _announce(args: argparse.Namespace, seed: int, url: str) -> None:
    """Report where the bench is, as soon as it is there."""
    if args.json:
        document = {
            "schema": "resume-rig/sim/1",
            "rig": url,
            "dut": args.dut,
            "seed": seed,
            "firmware": None if args.firmware is None else str(args.firmware),
        }
        answer_document(document)
    else:
        board = "Simulated bench" if args.firmware is None else f"{args.firmware} on a bench"
        print_note(f"{board} ({args.dut}, seed {seed}) at {url}; Ctrl-C ends it. Try:")
        print_note(f"  resume-rig run --rig {url} --dut {args.dut}")
