"""`resume-rig sim`: serves the simulated bench on a PTY or a TCP port."""

import argparse
import json
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from resume_rig.cli.arguments import add_verb
from resume_rig.cli.console import answer, say, write_whole
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
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Serve until interrupted."""
    import secrets

    from resume_rig.rig.dut_profile import load_dut_profile
    from resume_rig.rig.sim.bench import SimulatedBench
    from resume_rig.rig.sim.faults import parse_faults
    from resume_rig.timing.clocks import SystemClock

    seed = secrets.randbits(31) if args.seed is None else args.seed
    if seed < 0:
        raise UsageError(f"--seed {seed} is not allowed; it is 0 or more")
    bench = SimulatedBench(
        load_dut_profile(args.dut), SystemClock(), seed, faults=parse_faults(args.fault)
    )
    try:
        _serve(args, bench, seed)
    except KeyboardInterrupt:
        say("resume-rig: the simulated bench ends.")
    finally:
        if args.log_file is not None:
            write_whole(args.log_file, bench.log_document())
            say(f"Event log of the DUT: {args.log_file}")
    return DONE


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
        document = {"schema": "resume-rig/sim/1", "rig": url, "dut": args.dut, "seed": seed}
        answer([json.dumps(document) + "\n"])
    else:
        say(f"Simulated bench ({args.dut}, seed {seed}) at {url}; Ctrl-C ends it. Try:")
        say(f"  resume-rig run --rig {url} --dut {args.dut}")
