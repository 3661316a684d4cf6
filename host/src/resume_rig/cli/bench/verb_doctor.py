"""`resume-rig doctor` checks everything before a campaign; `dut-script` prepares a DUT."""

import argparse
import platform
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from resume_rig import __version__
from resume_rig.cli.terminal.arguments import (
    add_rig_arguments,
    add_verb,
    dut_of,
    rig_of,
    whole_number,
)
from resume_rig.cli.terminal.console import (
    DONE,
    FAULT,
    answer,
    answer_document,
    answer_lines,
    answer_style,
    check_output,
    print_note,
)
from resume_rig.model.errors import RecordError, RigError, UsageError
from resume_rig.model.units import count_of

if TYPE_CHECKING:
    from resume_rig.campaign.preparation.doctor import Checked
    from resume_rig.model.preparation import Prepared

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
        "  resume-rig doctor --log //lab-server/logs/unit-7\n"
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
        "--log",
        metavar="SOURCE",
        help="see whether records of the DUT arrive: a file or folder that its log is pushed into, "
        "ssh:USER@HOST, or on Windows wevtutil:HOST",
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
        help="for --dut ssh: and --log ssh:, in place of the user's own configuration of ssh",
    )
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Run every check, show all of them, exit 3 when one is not good."""
    if not 1 <= args.cycles <= CYCLES_MAX:
        raise UsageError(f"--cycles is {args.cycles}; allowed are 1 to {CYCLES_MAX}")
    if args.checklist is not None:
        return _show_checklist(args)
    over_ssh = args.dut is not None and args.dut.startswith(SSH)
    prepared_checks, prepared = _prepared(args) if over_ssh else ([], [])
    checks = [*_checks(args, over_ssh), *prepared_checks, *_log_checked(args)]
    if args.json:
        answer_document(_document(args, checks, prepared))
    else:
        answer(_lines(checks, _to_change(prepared)))
        if prepared:
            from resume_rig.report.preparation import preparation_lines

            answer(preparation_lines(prepared, answer_style()))
    return DONE if all(c.ok for c in checks) and not _to_change(prepared) else FAULT


def _lines(checks: "list[Checked]", to_change: bool) -> Iterator[str]:
    """Yield the answer, then each check, those that failed first."""
    bad = sum(not check.ok for check in checks)
    found = [f"{bad} of {count_of(len(checks), 'check')} failed"] if bad else []
    found += ["the DUT has settings to change"] if to_change else []
    all_good = f"Ready: all {count_of(len(checks), 'check')} passed."
    yield f"Not ready: {', and '.join(found)}.\n" if found else f"{all_good}\n"
    yield "\n"
    width, style = max(len(check.name) for check in checks), answer_style()
    for check in sorted(checks, key=lambda each: each.ok):
        text = style.shown(check.text)
        yield f"{'ok' if check.ok else 'BAD':<4} {check.name:<{width}}  {text}\n"


def _checks(args: argparse.Namespace, over_ssh: bool) -> "list[Checked]":
    from resume_rig.campaign.preparation.doctor import (
        Checked,
        check_bench,
        check_clock,
        check_place,
    )
    from resume_rig.timing.clocks import SystemClock

    checks = [
        Checked("host", True, f"resume-rig {__version__}, Python {platform.python_version()}"),
        check_place(Path.cwd()),
        check_clock(SystemClock()),
    ]
    if (over_ssh or args.log) and not args.rig:
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


def _log_checked(args: argparse.Namespace) -> "list[Checked]":
    if args.log is None:
        return []
    from resume_rig.campaign.dut.choice import log_source
    from resume_rig.campaign.preparation.doctor import check_log
    from resume_rig.timing.clocks import SystemClock

    clock = SystemClock()
    with closing(log_source(args.log, clock, args.ssh_config)) as source:
        return [check_log(source, clock)]


def _prepared(args: argparse.Namespace) -> "tuple[list[Checked], list[Prepared]]":
    from resume_rig.campaign.dut.shell import DutShell, parse_dut_address
    from resume_rig.campaign.preparation.doctor import Checked, look_at
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


def _document(
    args: argparse.Namespace, checks: "list[Checked]", prepared: "list[Prepared]"
) -> dict[str, object]:
    from resume_rig.report.preparation import preparation_json

    return {
        "schema": "resume-rig/doctor/1",
        "rig": args.rig or None,
        "ok": all(check.ok for check in checks) and not _to_change(prepared),
        "checks": [{"name": c.name, "ok": c.ok, "text": c.text} for c in checks],
        "preparation": preparation_json(prepared),
    }


def _show_checklist(args: argparse.Namespace) -> int:
    from resume_rig.campaign.dut.shell import DutKind
    from resume_rig.campaign.preparation.doctor import items_for
    from resume_rig.report.preparation import checklist_json, checklist_lines

    items = items_for(DutKind(args.checklist), args.cycles)
    if args.json:
        document = {"schema": "resume-rig/checklist/1", "items": checklist_json(items)}
        answer_document(document)
    else:
        answer(checklist_lines(items, answer_style()))
    return DONE


SCRIPT = "push-events.ps1"


def add_dut_script(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "dut-script",
        "print the PowerShell script that pushes a Windows DUT's events to a shared folder",
        f"  resume-rig dut-script --out {SCRIPT}",
    )
    parser.add_argument("--out", metavar="FILE", type=Path, help="write it into a new file instead")
    parser.set_defaults(execute=print_script)


def print_script(args: argparse.Namespace) -> int:
    """Print or write the script; it is ASCII, which every PowerShell reads."""
    from importlib.resources import files

    from resume_rig.acceptance.whole_file import write_whole

    text = files("resume_rig.campaign.dut").joinpath(SCRIPT).read_text("ascii")
    if args.out is not None:
        check_output(args.out, [])
        write_whole(args.out, text)
        print_note(
            f"Script: {args.out}; read it, then run it on the DUT as administrator, with -Register"
        )
    if args.json:
        path = None if args.out is None else str(args.out)
        document = {"schema": "resume-rig/dut-script/1", "path": path, "text": text}
        answer_document(document)
    elif args.out is None:
        answer_lines(text)
    return DONE
