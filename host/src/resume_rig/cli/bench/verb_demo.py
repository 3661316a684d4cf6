"""`resume-rig demo`: a small campaign on the simulated bench, for who has no board yet."""

import argparse

from resume_rig.cli.bench import verb_run
from resume_rig.cli.terminal.arguments import add_verb, named, whole_number


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "demo",
        "try without a board: 4 S3 cycles of a simulated laptop, a summary and a report",
        "  resume-rig demo\n  resume-rig demo --seed 7 --dut double-reset",
    )
    parser.add_argument(
        "--dut",
        metavar="PROFILE",
        type=named,
        help="which laptop (resume-rig sim --list shows them; default healthy-laptop)",
    )
    parser.add_argument(
        "--seed",
        metavar="N",
        type=whole_number,
        help="the same numbers again with the same seed (default: others each time)",
    )
    parser.add_argument(
        "--real-time",
        action="store_true",
        help="wait as long as a PC would, some 40 s (default: in a second)",
    )
    verb_run.add_output_arguments(parser)
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Run the campaign as `run` does, on the bench that nobody can take for a PC."""
    options = "" if args.real_time else "clock=virtual"
    seed = "" if args.seed is None else f"{options and ','}seed={args.seed}"
    run = argparse.ArgumentParser()
    verb_run.add_arguments(run)
    usual = vars(run.parse_args(["--rig", f"sim:{options}{seed}"]))
    # The seed of `demo` is the laptop's, that of `run` the plan's.
    own = {key: usual[key] for key in ("rig", "seed")}
    return verb_run.execute(argparse.Namespace(**{**usual, **vars(args), **own}))
