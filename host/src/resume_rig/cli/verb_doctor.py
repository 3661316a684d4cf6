"""`resume-rig doctor`: checks everything before a campaign."""

import argparse
import json
import platform
from pathlib import Path

from resume_rig import __version__
from resume_rig.cli.arguments import add_rig_arguments, add_verb
from resume_rig.cli.console import answer
from resume_rig.cli.exit_status import DONE, FAULT
from resume_rig.cli.opened_rig import dut_of, opened_rig
from resume_rig.model.errors import RigError


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "doctor",
        "check host, rig and wiring before a campaign; nothing is pressed",
        "  resume-rig doctor --rig serial:/dev/ttyACM0 --dut healthy-laptop",
    )
    add_rig_arguments(parser, default="sim:")
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Run every check, show all of them, exit 3 when one is not good."""
    from resume_rig.campaign.doctor import Checked, check_bench, check_place

    checks = [
        Checked("host", True, f"resume-rig {__version__}, Python {platform.python_version()}"),
        check_place(Path.cwd()),
    ]
    try:
        with opened_rig(args.rig, dut_of(args)) as opened:
            checks.extend(check_bench(opened.rig, opened.clock, dut_of(args)))
    except RigError as error:
        checks.append(Checked("link", False, str(error)))
    good = all(check.ok for check in checks)
    if args.json:
        document = {
            "schema": "resume-rig/doctor/1",
            "rig": args.rig,
            "ok": good,
            "checks": [{"name": c.name, "ok": c.ok, "text": c.text} for c in checks],
        }
        answer([json.dumps(document, ensure_ascii=False) + "\n"])
    else:
        answer(f"{'ok' if c.ok else 'BAD':<4} {c.name:<13} {c.text}\n" for c in checks)
    return DONE if good else FAULT
