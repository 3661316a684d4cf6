"""`resume-rig msa`: repeatability and reproducibility over units, rigs and sessions."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from resume_rig.cli.terminal.arguments import add_verb, existing_paths, kind_of_sleep
from resume_rig.cli.terminal.console import (
    DONE,
    UNDECIDED,
    answer,
    answer_json,
    answer_style,
    print_note,
)
from resume_rig.model.errors import UsageError
from resume_rig.model.result.fleet import UnitBy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from resume_rig.model.result.comparison import Study


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "msa",
        "analyse the measurement system: repeatability, reproducibility, gauge R&R",
        "  resume-rig msa study/ --units folder\n  resume-rig msa --design study.csv --json",
    )
    parser.add_argument(
        "stores",
        metavar="STORE",
        nargs="*",
        help="campaign stores, and folders in or below which every *.rrs is one; each is a session",
    )
    parser.add_argument(
        "--design",
        metavar="FILE",
        type=Path,
        help="CSV with the columns path, unit, rig: which unit and rig each store or log is of",
    )
    parser.add_argument(
        "--units",
        choices=[by.value for by in UnitBy],
        default=UnitBy.DUT.value,
        help="what identifies a unit of STOREs: the name of their DUT profile, the folder of the "
        "store, or each store is another unit (default dut); their rig is the URL of the campaign",
    )
    parser.add_argument(
        "--kind",
        metavar="KIND",
        type=kind_of_sleep,
        help="study this kind of sleep (default: the commonest)",
    )
    parser.add_argument(
        "--all", action="store_true", help="show every time, not headline ones only"
    )
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Read all sessions, take their variation apart, show."""
    from resume_rig.analysis.compare.precision import study_of
    from resume_rig.campaign.answer.compare import load_study, read_design

    if not args.stores and args.design is None:
        raise UsageError("could not study anything: name campaign stores, or --design FILE")
    design = {} if args.design is None else read_design(args.design)

    def progress(number: int, count: int, path: Path) -> None:
        print_note(f"{number + 1} of {count}: {path}")

    stores = existing_paths(args.stores)
    found = study_of(load_study(stores, design, UnitBy(args.units), args.kind, progress))
    if args.json:
        from resume_rig.report.msa import study_document

        answer_json([study_document(found)])
    else:
        answer(_shown(found, show_all=args.all))
    return DONE if found.measures else UNDECIDED


def _shown(found: "Study", *, show_all: bool) -> "Iterable[str]":
    from resume_rig.report.msa import study_table

    return study_table(found, answer_style(), show_all=show_all)
