"""`resume-rig export`: a campaign in the formats of other tools, or all of it as evidence."""

import argparse
from pathlib import Path

from resume_rig.acceptance.evidence import FORMATS, TABLES, WITH_TABLES, Exporter, write_evidence
from resume_rig.cli.terminal.arguments import (
    add_requirement_arguments,
    add_verb,
    requirement_of,
    whole_number,
)
from resume_rig.cli.terminal.console import DONE, answer_document, check_output, print_note
from resume_rig.model.errors import UsageError


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "export",
        "write a campaign for other tools: JUnit, CSV, Parquet, VCD, Chrome trace, PwrTest",
        "  resume-rig export night.rrs --to junit --out junit.xml\n"
        "  resume-rig export night.rrs --to vcd --cycle 743 --out cycle-743.vcd\n"
        "  resume-rig export night.rrs --evidence night-evidence",
    )
    parser.add_argument("store", metavar="STORE", type=Path, help="a campaign store")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--to", metavar="FORMAT", choices=FORMATS, help=f"one of {', '.join(FORMATS)}"
    )
    what.add_argument(
        "--evidence",
        metavar="FOLDER",
        type=Path,
        help="everything into a new folder: report, exports, waves of what went wrong, the store, "
        "and a manifest with SHA-256",
    )
    parser.add_argument("--out", metavar="FILE", type=Path, help="where to, with --to")
    parser.add_argument(
        "--table",
        choices=TABLES,
        help=f"what csv and parquet hold: {', '.join(TABLES)} (default cycles)",
    )
    parser.add_argument("--cycle", metavar="N", type=whole_number, help="which cycle, for vcd")
    add_requirement_arguments(parser)
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Recompute everything from what the store keeps raw, and write it."""
    if args.evidence is None:
        return _one(args)
    if args.out is not None:
        raise UsageError("--out goes with --to; --evidence names its folder itself")
    exporter = Exporter(args.store, requirement_of(args))
    files = write_evidence(exporter, args.evidence)
    _report(args, [str(path) for path in files], f"Evidence: {args.evidence}, {len(files)} files")
    return DONE


def _one(args: argparse.Namespace) -> int:
    if args.out is None:
        raise UsageError(f"export --to {args.to} needs --out FILE")
    if args.to == "vcd" and args.cycle is None:
        raise UsageError("export --to vcd needs --cycle N: a file holds one cycle")
    if args.to != "vcd" and args.cycle is not None:
        raise UsageError(f"--cycle goes with --to vcd; {args.to} holds the whole campaign")
    if args.to not in WITH_TABLES and args.table is not None:
        raise UsageError(f"--table goes with --to csv and --to parquet; {args.to} has no tables")
    check_output(args.out, (args.store,))
    exporter = Exporter(args.store, requirement_of(args))
    if args.cycle is not None:
        exporter.check_cycle(args.cycle)
    exporter.write(args.to, args.out, table=args.table or "cycles", cycle=args.cycle or 0)
    _report(args, [str(args.out)], f"Written: {args.out}")
    return DONE


def _report(args: argparse.Namespace, files: list[str], sentence: str) -> None:
    if args.json:
        document = {"schema": "resume-rig/export/1", "files": files}
        answer_document(document)
    else:
        print_note(sentence)
