"""`resume-rig selftest`: the rig measures itself."""

import argparse
import json

from resume_rig.cli.arguments import add_rig_arguments, add_verb
from resume_rig.cli.console import answer
from resume_rig.cli.exit_status import DONE, FAULT
from resume_rig.cli.opened_rig import dut_of, opened_rig


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "selftest",
        "let the rig measure itself",
        "  resume-rig selftest --rig serial:/dev/ttyACM0",
    )
    add_rig_arguments(parser, default=None)
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Ask the board for its own checks; exit 3 when one is not good."""
    with opened_rig(args.rig, dut_of(args)) as opened:
        checks = opened.rig.selftest()
    good = all(check.ok for check in checks)
    if args.json:
        document = {
            "schema": "resume-rig/selftest/1",
            "ok": good,
            "checks": [{"name": c.name, "ok": c.ok, "value": c.value} for c in checks],
        }
        answer([json.dumps(document) + "\n"])
    else:
        answer(f"{'ok' if c.ok else 'BAD':<4} {c.name:<28} {c.value}\n" for c in checks)
    return DONE if good else FAULT
