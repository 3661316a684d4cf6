"""`resume-rig lake`: judged campaigns as Delta tables, which `trend`, `query` and `fleet` read.

Their arguments, and what `run --lake` does at its end, stand here too. The packages of the extra
`lab` are imported only when a lake is used.
"""

import argparse
import importlib.util
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from resume_rig.cli.terminal.arguments import (
    add_group,
    add_requirement_arguments,
    add_verb,
    existing_paths,
    named,
    requirement_of,
)
from resume_rig.cli.terminal.console import DONE, USAGE, Printer, answer_json, print_note
from resume_rig.model.errors import RecordError, ResumeRigError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from resume_rig.acceptance.assessment import Assessed
    from resume_rig.lake.engine import Engine
    from resume_rig.lake.tables import Lake
    from resume_rig.model.result.verdict import Requirement
    from resume_rig.report.text.json_text import Json

_NEEDED: Final = ("deltalake", "pyarrow", "ibis", "duckdb")


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    inner = add_group(
        verbs,
        "lake",
        "keep the judged facts of many campaigns in Delta tables",
        "  resume-rig lake add *.rrs --to /srv/lake",
    )
    add = add_verb(
        inner,
        "add",
        "judge stores, and add what is found to a lake",
        "  resume-rig lake add night-*.rrs --to s3://lab/lake",
    )
    add.add_argument(
        "stores",
        metavar="STORE",
        nargs="+",
        help="campaign stores, and folders in or below which every *.rrs is one",
    )
    add.add_argument(
        "--to", metavar="URL", type=named, required=True, help="folder or URL of the lake"
    )
    add_requirement_arguments(add)
    add.set_defaults(requirement=None, execute=_add)
    push = add_verb(
        inner,
        "push",
        "add what `run --lake` queued while its lake could not be reached",
        "  resume-rig lake push",
    )
    push.set_defaults(execute=_push)
    compact = add_verb(
        inner,
        "compact",
        "put the small files of a lake together; a lake that is added to daily wants it weekly",
        "  resume-rig lake compact /srv/lake",
    )
    compact.add_argument("lake", metavar="URL", type=named, help="folder or URL of the lake")
    compact.set_defaults(execute=_compact)


def check_lab(what: str) -> None:
    """Check that the packages of the extra are there.

    Raises:
        UsageError: one is not; the sentence names what to install.
    """
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(
            f"could not {what}: the package {missing[0]} is not installed; install resume-rig[lab]"
        )


def check_engine(args: argparse.Namespace, what: str) -> None:
    """Check what the arguments say of the engine.

    Raises:
        UsageError: they do not fit, or a package is missing.
    """
    check_lab(what)
    if args.spark_master is not None and args.engine != "spark":
        raise UsageError("--spark-master goes with --engine spark")


def check_lake(place: str) -> None:
    """Check before a campaign that its lake can be one; whether it can be reached shows later.

    Raises:
        UsageError: a package is missing, or the address is none.
    """
    check_lab("add to a lake")
    from resume_rig.lake.tables import lake_url

    lake_url(place)


def named_lake(places: list[str]) -> str | None:
    """Return the lake that is named among stores and folders; None without one.

    Raises:
        UsageError: it is not alone.
    """
    lakes = [
        place
        for place in places
        if "://" in place or (Path(place) / "campaigns" / "_delta_log").is_dir()
    ]
    if lakes and len(places) > 1:
        raise UsageError(f"could not read {lakes[0]} with others: a lake is asked alone")
    return lakes[0] if lakes else None


def add_engine_arguments(parser: argparse.ArgumentParser) -> None:
    """Add --engine and --spark-master."""
    parser.add_argument(
        "--engine",
        choices=("duckdb", "spark"),
        default="duckdb",
        help="what answers: DuckDB in this process (default), or Spark (extra spark, and Java)",
    )
    parser.add_argument(
        "--spark-master",
        metavar="URL",
        type=named,
        help="with --engine spark: the cluster's master (default local[2])",
    )


@contextmanager
def engine_of(args: argparse.Namespace, place: str, what: str) -> "Iterator[Engine]":
    """Open the engine that the arguments name on a lake."""
    check_engine(args, what)
    from resume_rig.lake.engine import EngineName, opened_engine
    from resume_rig.lake.tables import Lake

    snapshot = Lake(place).snapshot()
    with opened_engine(EngineName(args.engine), snapshot, args.spark_master) as engine:
        yield engine


def add_or_queue(assessed: "Assessed", place: str, printer: Printer) -> None:
    """Add a campaign that was just run, and what waits for the same lake; queue it where it cannot.

    The campaign is over and judged: what becomes of the lake is reported, and changes no verdict.
    """
    from resume_rig.lake.facts import facts_of
    from resume_rig.lake.tables import (
        Lake,
        LakeUnreachable,
        lake_url,
        push,
        put,
        queue_folder,
        queued,
    )

    store = assessed.store
    if store is None:
        return
    try:
        facts, lake, queue = facts_of(assessed), Lake(place), queue_folder()
        try:
            printer(f"resume-rig: lake {lake.url}: {store} {lake.add(facts).value}")
            for one in [each for each in queued(queue).waiting if each.url == lake_url(place)]:
                printer(f"resume-rig: lake {lake.url}: {one.store} {push(one, lake).value}")
        except LakeUnreachable as error:
            put(facts, place, store, queue)
            printer(f"resume-rig: {error}; {store} is queued, `resume-rig lake push` adds it")
    except ResumeRigError as error:
        printer(f"resume-rig: {error}; `resume-rig lake add {store} --to {place}` tries again")


def _add(args: argparse.Namespace) -> int:
    check_lab("add to a lake")
    from resume_rig.campaign.answer.fleet import find_stores
    from resume_rig.lake.tables import Lake
    from resume_rig.report.text.json_text import json_text

    lake = Lake(args.to)
    requirement = _requirement(args)
    done: list[Json] = []
    refused: list[Json] = []
    found = find_stores(existing_paths(args.stores))
    for each in found.unread:
        refused.append({"store": each.path, "why": each.why})
        print_note(f"resume-rig: {each.why}")
    for store in found.paths:
        try:
            became = _added(store, lake, requirement)
        except RecordError as error:
            refused.append({"store": str(store), "why": str(error)})
            print_note(f"resume-rig: {error}")
        else:
            done.append({"store": str(store), "became": became})
            print_note(f"{store}: {became}")
    if args.json:
        document: dict[str, Json] = {"schema": "resume-rig/lake-add/1", "lake": lake.url}
        answer_json([json_text({**document, "added": done, "refused": refused}) + "\n"])
    return USAGE if refused else DONE


def _added(store: Path, lake: "Lake", requirement: "Requirement | None") -> str:
    from resume_rig.acceptance.campaign import load_campaign
    from resume_rig.campaign.store.disk import is_being_written
    from resume_rig.lake.facts import facts_of

    if is_being_written(store):
        raise RecordError(
            f"could not add {store}: its campaign still runs; add it when it is over, or run it "
            "with --lake"
        )
    return lake.add(facts_of(load_campaign(store, requirement))).value


def _requirement(args: argparse.Namespace) -> "Requirement | None":
    """Return the requirement that is asked for; None: of each store its own."""
    changes = (args.limit_ms, args.guard_band, args.kind)
    if args.requirement is None and all(each is None for each in changes):
        return None
    if args.requirement is None:
        raise UsageError(
            "--limit-ms, --guard-band and --kind change a requirement; name it with --requirement"
        )
    return requirement_of(args)


def _push(args: argparse.Namespace) -> int:
    check_lab("add to a lake")
    from resume_rig.lake.tables import Lake, push, queue_folder, queued
    from resume_rig.report.text.json_text import json_text

    done: list[Json] = []
    refused: list[Json] = []
    found = queued(queue_folder())
    for unread in found.unread:
        refused.append({"store": None, "lake": None, "why": str(unread)})
        print_note(f"resume-rig: {unread}")
    for one in found.waiting:
        try:
            became = push(one, Lake(one.url)).value
        except ResumeRigError as error:
            refused.append({"store": one.store, "lake": one.url, "why": str(error)})
            print_note(f"resume-rig: {error}")
        else:
            done.append({"store": one.store, "lake": one.url, "became": became})
            print_note(f"{one.store}: {became} ({one.url})")
    if not done and not refused:
        print_note(f"nothing waits in {queue_folder()}")
    if args.json:
        pushed: Json = {"schema": "resume-rig/lake-push/1", "added": done, "refused": refused}
        answer_json([json_text(pushed) + "\n"])
    return USAGE if refused else DONE


def _compact(args: argparse.Namespace) -> int:
    check_lab("compact a lake")
    from resume_rig.lake.tables import Lake
    from resume_rig.report.text.json_text import json_text

    lake = Lake(args.lake)
    files = lake.compact(time.time_ns())
    for name, (before, after) in files.items():
        print_note(f"{name}: {before} files, now {after}")
    if args.json:
        tables: Json = {
            name: {"before": before, "after": after} for name, (before, after) in files.items()
        }
        compacted: dict[str, Json] = {"schema": "resume-rig/lake-compact/1", "lake": lake.url}
        answer_json([json_text({**compacted, "tables": tables}) + "\n"])
    return DONE
