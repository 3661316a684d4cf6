"""`resume-rig doctor`: checks everything before a campaign."""

import argparse
import json
import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from resume_rig import __version__
from resume_rig.cli.arguments import add_rig_arguments, add_verb, whole_number
from resume_rig.cli.console import answer, columns_of, look_of
from resume_rig.cli.exit_status import DONE, FAULT
from resume_rig.cli.opened_rig import dut_of, rig_of
from resume_rig.model.errors import RecordError, RigError, UsageError

if TYPE_CHECKING:
    from resume_rig.campaign.doctor import Checked
    from resume_rig.model.preparation import Prepared
    from resume_rig.report.terminal_style import TerminalStyle

SSH = "ssh:"
CYCLES = 1000
CYCLES_MAX = 10_000_000


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "doctor",
        "check host, rig, wiring and DUT before a campaign; nothing is pressed or changed",
        "  resume-rig doctor --rig serial:/dev/ttyACM0 --dut healthy-laptop\n"
        "  resume-rig doctor --dut ssh:lab@dut --cycles 1000\n"
        "  resume-rig doctor --checklist windows",
    )
    add_rig_arguments(parser, required=False)
    parser.add_argument(
        "--cycles",
        metavar="N",
        type=whole_number,
        default=CYCLES,
        help=f"cycles that the DUT's log must have room for (default {CYCLES})",
    )
    parser.add_argument(
        "--checklist",
        choices=("windows", "linux"),
        help="print what to look at on a DUT by hand, and do nothing else",
    )
    parser.add_argument(
        "--ssh-config",
        metavar="FILE",
        type=Path,
        help="for --dut ssh:, in place of the user's own configuration of ssh",
    )
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Run every check, show all of them, exit 3 when one is not good."""
    if not 1 <= args.cycles <= CYCLES_MAX:
        raise UsageError(f"--cycles is {args.cycles}; allowed are 1 to {CYCLES_MAX}")
    if args.checklist is not None:
        return _show_checklist(args)
    over_ssh = args.dut is not None and args.dut.startswith(SSH)
    told, prepared = _prepared(args) if over_ssh else ([], [])
    checks = [*_checks(args, over_ssh), *told]
    if args.json:
        answer([_document(args, checks, prepared)])
    else:
        answer(f"{'ok' if c.ok else 'BAD':<4} {c.name:<13} {c.text}\n" for c in checks)
        if prepared:
            from resume_rig.report.preparation_text import preparation_lines

            answer(preparation_lines(prepared, _style()))
    return DONE if all(c.ok for c in checks) and not _to_change(prepared) else FAULT


def _checks(args: argparse.Namespace, over_ssh: bool) -> "list[Checked]":
    from resume_rig.campaign.doctor import Checked, check_bench, check_place

    checks = [
        Checked("host", True, f"resume-rig {__version__}, Python {platform.python_version()}"),
        check_place(Path.cwd()),
    ]
    if over_ssh and not args.rig:
        return checks
    args.rig = args.rig or "sim:"
    if over_ssh:
        args.dut = None
    try:
        with rig_of(args) as opened:
            checks.extend(check_bench(opened.rig, opened.clock, dut_of(args)))
    except RigError as error:
        checks.append(Checked("link", False, str(error)))
    return checks


def _prepared(args: argparse.Namespace) -> "tuple[list[Checked], list[Prepared]]":
    from resume_rig.campaign.doctor import Checked
    from resume_rig.campaign.dut_shell import DutShell, parse_dut_address
    from resume_rig.campaign.preparation.asking import look_at
    from resume_rig.timing.clocks import SystemClock

    shell = DutShell(parse_dut_address(args.dut), SystemClock(), args.ssh_config)
    try:
        prepared = list(look_at(shell.run, args.cycles))
    except RecordError as error:
        return [Checked("DUT", False, str(error))], []
    return [Checked("DUT", True, f"{args.dut} answers")], prepared


def _to_change(prepared: "list[Prepared]") -> bool:
    from resume_rig.model.preparation import Standing

    return any(entry.found.standing is Standing.CHANGE for entry in prepared)


def _document(args: argparse.Namespace, checks: "list[Checked]", prepared: "list[Prepared]") -> str:
    from resume_rig.report.preparation_text import preparation_json

    document = {
        "schema": "resume-rig/doctor/1",
        "rig": args.rig or None,
        "ok": all(check.ok for check in checks) and not _to_change(prepared),
        "checks": [{"name": c.name, "ok": c.ok, "text": c.text} for c in checks],
        "preparation": preparation_json(prepared),
    }
    return json.dumps(document, ensure_ascii=False) + "\n"


def _show_checklist(args: argparse.Namespace) -> int:
    from resume_rig.campaign.dut_kind import DutKind
    from resume_rig.campaign.preparation.asking import items_for
    from resume_rig.report.preparation_text import checklist_json, checklist_lines

    items = [item.told for item in items_for(DutKind(args.checklist), args.cycles)]
    if args.json:
        document = {"schema": "resume-rig/checklist/1", "items": checklist_json(items)}
        answer([json.dumps(document, ensure_ascii=False) + "\n"])
    else:
        answer(checklist_lines(items, _style()))
    return DONE


def _style() -> "TerminalStyle":
    from resume_rig.report.terminal_style import TerminalStyle

    look = look_of(sys.stdout)
    return TerminalStyle(look.colour, look.unicode, columns_of(sys.stdout))
