"""`resume-rig fleet`: many stores at once, side by side, with one answer."""

import argparse
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from resume_rig.acceptance.whole_file import write_whole
from resume_rig.cli.offline.verb_lake import add_engine_arguments, engine_of, named_lake
from resume_rig.cli.terminal.arguments import (
    add_requirement_arguments,
    add_verb,
    existing_paths,
    percent,
    requirement_of,
    whole_number,
)
from resume_rig.cli.terminal.console import (
    USAGE,
    answer,
    answer_json,
    answer_style,
    check_output,
    print_note,
    status_of_verdict,
)
from resume_rig.model.errors import UsageError
from resume_rig.model.result.fleet import Trait, UnitBy
from resume_rig.model.result.verdict import Verdict
from resume_rig.timing.clocks import utc_now_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from resume_rig.model.result.fleet import Fleet, FleetCampaign, SurveyedStore, UnreadStore
    from resume_rig.model.result.verdict import Requirement

_BY = f"{Trait.PRODUCT.value},{Trait.BIOS.value},{Trait.STATE.value}"
_JOBS_MOST = 64


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    parser = add_verb(
        verbs,
        "fleet",
        "put many campaigns or OS logs side by side: which fail, which units are unlike the others",
        "  resume-rig fleet /srv/campaigns --html fleet.html\n"
        "  resume-rig fleet logs/            the System logs of many PCs, without a rig\n"
        "  resume-rig fleet unit-*.rrs --units store --by product,bios --json",
    )
    parser.add_argument(
        "stores",
        metavar="STORE",
        nargs="+",
        help="campaign stores, OS logs, and folders of them: every *.rrs in or below it, and every "
        "file whose content is an OS log; or one lake",
    )
    parser.add_argument(
        "--by",
        metavar="TRAITS",
        type=_traits,
        default=_BY,
        help=f"what campaigns of one group have in common, of {', '.join(Trait)}; none: one group "
        f"of all (default {_BY})",
    )
    parser.add_argument(
        "--units",
        choices=[by.value for by in UnitBy],
        default=UnitBy.DUT.value,
        help="what identifies a unit: the name of their DUT profile (of a log its computer name, "
        "or the log itself), the folder, or each store or log is another unit (default dut)",
    )
    parser.add_argument(
        "--matters",
        metavar="PERCENT",
        type=percent,
        default=5.0,
        help="how far a unit has to be from the others to be named, in %% of their median "
        "(default 5)",
    )
    parser.add_argument(
        "--jobs",
        metavar="N",
        type=whole_number,
        help="stores and logs that are read at a time (default: one for each processor)",
    )
    parser.add_argument("--all", action="store_true", help="show every row of a long table")
    parser.add_argument("--html", metavar="FILE", type=Path, help="write an HTML report too")
    add_engine_arguments(parser)
    add_requirement_arguments(parser)
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    """Find the stores, read each, put them side by side, show."""
    from resume_rig.analysis.compare.fleet import survey

    requirement = requirement_of(args)
    lake = named_lake(args.stores)
    if lake is None:
        campaigns, unread, copies = _of_stores(args, requirement)
    else:
        check_output(args.html, ())
        campaigns, unread = _of_lake(args, lake, requirement)
        copies = ()
    found = survey(
        campaigns,
        requirement,
        args.by,
        matters=args.matters / 100,
        unread=unread,
        copies=copies,
    )
    if args.html is not None:
        from resume_rig.report.html import fleet_report

        write_whole(args.html, fleet_report(found, utc_now_text()))
        print_note(f"Report: {args.html}")
    if args.json:
        from resume_rig.report.fleet.document import fleet_document

        answer_json([fleet_document(found)])
    else:
        answer(_text(found, show_all=args.all))
    if found.unread and found.verdict is not Verdict.FAIL:
        return USAGE
    return status_of_verdict(found.verdict)


def _of_stores(
    args: argparse.Namespace, requirement: "Requirement"
) -> "tuple[Sequence[FleetCampaign], Sequence[UnreadStore], Sequence[tuple[str, str]]]":
    from resume_rig.analysis.compare.counted_once import counted_once
    from resume_rig.campaign.answer.fleet import find_stores, survey_stores

    if args.engine != "duckdb" or args.spark_master is not None:
        option = "--engine" if args.engine != "duckdb" else "--spark-master"
        raise UsageError(f"{option} goes with a lake; stores are read by this program")
    jobs = _jobs_of(args)
    found = find_stores(existing_paths(args.stores), logs=True)
    stores = found.paths
    check_output(args.html, stores)

    def read(
        wanted: "Mapping[Path, Collection[int]]", doing: str = ""
    ) -> "Iterator[SurveyedStore | UnreadStore]":
        def progress(number: int, path: Path) -> None:
            if len(stores) > 1:
                print_note(f"{number} of {len(wanted)}: {doing}{path}")

        return survey_stores(wanted, requirement, UnitBy(args.units), jobs=jobs, progress=progress)

    campaigns, unread, copies = counted_once(
        read(dict.fromkeys(stores, ())), partial(read, doing="without repeated sleeps, ")
    )
    return campaigns, (*found.unread, *unread), copies


def _of_lake(
    args: argparse.Namespace, lake: str, requirement: "Requirement"
) -> "tuple[Sequence[FleetCampaign], Sequence[UnreadStore]]":
    with engine_of(args, lake, "read a lake") as engine:
        from resume_rig.lake.questions import fleet_campaigns

        with engine.reading():
            return fleet_campaigns(engine, requirement, UnitBy(args.units))


def _text(found: "Fleet", *, show_all: bool) -> "Iterable[str]":
    from resume_rig.report.fleet.terminal import fleet_table

    return fleet_table(found, answer_style(), show_all=show_all)


def _jobs_of(args: argparse.Namespace) -> int:
    jobs: int = args.jobs if args.jobs is not None else min(os.cpu_count() or 1, _JOBS_MOST)
    if not 1 <= jobs <= _JOBS_MOST:
        raise UsageError(
            f"could not read {jobs} stores at a time; allowed are 1 to {_JOBS_MOST} (--jobs)"
        )
    return jobs


def _traits(text: str) -> tuple[Trait, ...]:
    names = [name.strip() for name in text.split(",")]
    if names == ["none"]:
        return ()
    if "none" in names:
        raise argparse.ArgumentTypeError(
            f"{text[:80]!r}: none stands alone, and makes one group of all; or name traits, of "
            f"{', '.join(Trait)}"
        )
    wrong = [name for name in names if name not in list(Trait)]
    if wrong or len(set(names)) < len(names):
        what = f"{wrong[0]!r} is no trait" if wrong else f"{text!r} names one twice"
        raise argparse.ArgumentTypeError(
            f"{what}; allowed are {', '.join(Trait)} with commas between, or none"
        )
    return tuple(Trait(name) for name in names)
