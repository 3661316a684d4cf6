"""`resume-rig sim`: serves a simulated bench, or a firmware image with a simulated DUT."""

import argparse
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from resume_rig.acceptance.whole_file import write_whole
from resume_rig.cli.arguments import add_verb
from resume_rig.cli.console import answer, say
from resume_rig.cli.exit_status import DONE
from resume_rig.model.errors import UsageError

if TYPE_CHECKING:
    from resume_rig.rig.sim.bench import SimulatedBench

MAX_PORT = 65_535


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
        const="",
        metavar="PATH",
        help="serve on a pseudo-terminal; PATH becomes a link to it (the default way)",
    )
    where.add_argument("--tcp", metavar="HOST:PORT", help="serve on a TCP port; port 0 takes any")
    parser.add_argument(
        "--firmware",
        type=Path,
        metavar="IMAGE",
        help="let this native_sim image be the board (a zephyr.exe); only the DUT is simulated",
    )
    parser.add_argument(
        "--dut", metavar="PROFILE", default="healthy-laptop", help="DUT profile to simulate"
    )
    parser.add_argument("--seed", type=int, help="repeat a bench exactly (default: a fresh one)")
    parser.add_argument(
        "--fault",
        action="append",
        metavar="NAME",
        default=[],
        help="let the DUT misbehave: never-sleeps, never-wakes, dark, wakes-alone, no-record, "
        "zero-record",
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

    if args.list:
        _list(as_json=args.json)
        return DONE
    seed = secrets.randbits(31) if args.seed is None else args.seed
    if seed < 0:
        raise UsageError(f"--seed {seed} is not allowed; it is 0 or more")
    if args.firmware is not None and args.tcp is not None:
        raise UsageError("--firmware is served on a pseudo-terminal; leave --tcp out")
    bench = _simulated(args, seed) if args.firmware is None else _native(args, seed)
    try:
        bench.serve()
    except KeyboardInterrupt:
        say("resume-rig: the simulated bench ends.")
    finally:
        if args.log_file is not None:
            write_whole(args.log_file, bench.log_document())
            say(f"Event log of the DUT: {args.log_file}")
    return DONE


def _list(*, as_json: bool) -> None:
    from resume_rig.rig.dut_profile import load_dut_profile, shipped_profiles

    duts = [load_dut_profile(name) for name in shipped_profiles()]
    if as_json:
        named = [{"name": dut.name, "title": dut.title} for dut in duts]
        answer([json.dumps({"schema": "resume-rig/duts/1", "duts": named}) + "\n"])
        return
    width = max(len(dut.name) for dut in duts)
    answer([f"{dut.name:<{width}}  {dut.title}\n" for dut in duts])


@dataclass(frozen=True, slots=True)
class _Bench:
    """What is served; `serve` returns when somebody ends it."""

    serve: Callable[[], None]
    log_document: Callable[[], str]


def _simulated(args: argparse.Namespace, seed: int) -> _Bench:
    from resume_rig.rig.dut_profile import load_dut_profile
    from resume_rig.rig.sim.bench import SimulatedBench
    from resume_rig.rig.sim.faults import parse_faults
    from resume_rig.timing.clocks import SystemClock

    bench = SimulatedBench(
        load_dut_profile(args.dut), SystemClock(), seed, faults=parse_faults(args.fault)
    )
    return _Bench(lambda: _serve(args, bench, seed), bench.log_document)


def _native(args: argparse.Namespace, seed: int) -> _Bench:
    from resume_rig.rig.dut_profile import load_dut_profile
    from resume_rig.rig.native.opening import native_bench
    from resume_rig.rig.native.serve import serve_native
    from resume_rig.rig.sim.faults import parse_faults

    bench = native_bench(
        args.firmware,
        load_dut_profile(args.dut),
        seed,
        parse_faults(args.fault),
        f"native:{args.firmware}",
    )
    link = Path(args.pty) if args.pty else None
    return _Bench(
        lambda: serve_native(bench, link, lambda name: _announce(args, seed, f"serial:{name}")),
        bench.log_document,
    )


def _serve(args: argparse.Namespace, bench: "SimulatedBench", seed: int) -> None:
    from resume_rig.rig.sim.serve import serve_pty, serve_tcp

    stop = threading.Event()
    if args.tcp is None:
        link = Path(args.pty) if args.pty else None
        serve_pty(bench, link, lambda name: _announce(args, seed, f"serial:{name}"), stop)
        return
    host, colon, port = args.tcp.rpartition(":")
    if not colon or not port.isascii() or not port.isdigit() or int(port) > MAX_PORT:
        raise UsageError(f"--tcp {args.tcp!r} is not HOST:PORT, for example 127.0.0.1:7000")
    serve_tcp(
        bench,
        host or "127.0.0.1",
        int(port),
        lambda name: _announce(args, seed, f"socket:{name}"),
        stop,
    )


def _announce(args: argparse.Namespace, seed: int, url: str) -> None:
    """Tell where the bench is, as soon as it is there."""
    if args.json:
        document = {
            "schema": "resume-rig/sim/1",
            "rig": url,
            "dut": args.dut,
            "seed": seed,
            "firmware": None if args.firmware is None else str(args.firmware),
        }
        answer([json.dumps(document) + "\n"])
    else:
        board = "Simulated bench" if args.firmware is None else f"{args.firmware} on a bench"
        say(f"{board} ({args.dut}, seed {seed}) at {url}; Ctrl-C ends it. Try:")
        say(f"  resume-rig run --rig {url} --dut {args.dut}")
