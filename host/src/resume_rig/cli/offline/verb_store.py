"""`resume-rig store`: what a campaign store holds, whether it is whole, and its salvage."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from resume_rig.cli.terminal.arguments import add_group, add_verb
from resume_rig.cli.terminal.console import (
    DONE,
    USAGE,
    answer,
    answer_document,
    answer_lines,
    print_note,
)
from resume_rig.model.errors import UsageError, shell_word

if TYPE_CHECKING:
    from collections.abc import Callable

    from resume_rig.campaign.store.store import Store


def add_to(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb to the command line."""
    inner = add_group(
        verbs,
        "store",
        "look at a campaign store, check it, or salvage a damaged one",
        "  resume-rig store check night.rrs",
    )
    _add(inner, "info", "show what a store holds", _info)
    _add(inner, "check", "look for damage, page by page and cycle by cycle", _check)
    _add(inner, "faults", "write the plan of faults that was injected on purpose", _faults)
    rescue = _add(inner, "salvage", "write what can be read to a new store", _salvage)
    rescue.add_argument("--out", metavar="FILE", type=Path, required=True, help="the new store")


def _add(
    inner: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    summary: str,
    execute: "Callable[[argparse.Namespace], int]",
) -> argparse.ArgumentParser:
    more = " --out saved.rrs" if name == "salvage" else ""
    parser = add_verb(inner, name, summary, f"  resume-rig store {name} night.rrs{more}")
    parser.add_argument("store", metavar="STORE", type=Path, help="a campaign store")
    parser.set_defaults(execute=execute)
    return parser


def _info(args: argparse.Namespace) -> int:
    from resume_rig.campaign.plan.plan_file import plan_facts
    from resume_rig.campaign.store.store import Store
    from resume_rig.report.parts.page import plan_item

    with Store.open(args.store) as store:
        facts, plan = _facts(store), store.plan
    if args.json:
        answer_document({"schema": "resume-rig/store-info/1", **facts})
    else:
        facts["plan"] = dict(plan_item(*item) for item in plan_facts(plan).items())
        width = max(map(len, facts))
        answer(f"{name:<{width}}  {_text(value)}\n" for name, value in facts.items())
    return DONE


def _facts(store: "Store") -> dict[str, object]:
    from resume_rig.campaign.plan.plan_file import plan_to_mapping
    from resume_rig.campaign.store.raw import recoveries_of
    from resume_rig.campaign.store.read_back import progress_of
    from resume_rig.report.text.hostile_text import one_line
    from resume_rig.report.text.json_text import utc_json

    identity, outcomes = store.identity, store.outcomes()
    size, cycles = store.path.stat().st_size, sum(outcomes.values())
    newest, progress = store.newest_utc_ns(), progress_of(store)
    return {
        "store": str(store.path),
        "bytes": size,
        "bytes_per_cycle": round(size / cycles) if cycles else None,
        "begun": utc_json(identity.created_utc_ns),
        "newest": utc_json(newest) if cycles else None,
        "dut": one_line(identity.dut_name),
        "rig": one_line(f"{identity.rig.board} at {identity.rig_url}"),
        "injected": None if identity.faults is None else one_line(identity.faults),
        "firmware": one_line(identity.rig.firmware),
        "host": one_line(identity.host),
        "software": one_line(identity.software),
        "requirement": identity.requirement.id,
        "wired": [channel.value for channel in identity.wired],
        "sessions": len(store.sessions()),
        "recoveries": recoveries_of(store.recoveries()),
        "cycles": cycles,
        "plan_state": progress.left or progress.rule,
        "outcomes": {outcome.value: count for outcome, count in outcomes.items()},
        "first_failure": _failure(store),
        "plan": plan_to_mapping(store.plan),
        "salvaged": store.salvaged,
    }


def _failure(store: "Store") -> dict[str, object] | None:
    found = store.first_failure()
    return None if found is None else {"cycle": found[0], "outcome": found[1].value}


def _text(value: object) -> str:
    match value:
        case None:
            return "-"
        case dict():
            return ", ".join(f"{name} {_text(each)}" for name, each in value.items()) or "-"
        case list():
            return ", ".join(map(str, value))
        case _:
            return str(value)


def _faults(args: argparse.Namespace) -> int:
    from resume_rig.campaign.store.store import Store

    with Store.open(args.store) as store:
        plan = store.identity.faults
    if plan is None:
        raise UsageError(
            f"could not write a plan of faults: no fault was injected into {args.store}; a store "
            "of a simulated bench that was opened with faults=FILE has one"
        )
    if args.json:
        document = {"schema": "resume-rig/store-faults/1", "store": str(args.store), "plan": plan}
        answer_document(document)
    else:
        answer_lines(plan)
    return DONE


def _check(args: argparse.Namespace) -> int:
    from resume_rig.campaign.store.salvage import check_store
    from resume_rig.model.units import count_of
    from resume_rig.report.text.hostile_text import one_line

    found = check_store(args.store)
    if args.json:
        document = {
            "schema": "resume-rig/store-check/1",
            "store": str(args.store),
            "ok": not found.problems,
            "cycles": found.cycles,
            "problems": [one_line(text) for text in found.problems],
            "salvaged": None if found.salvaged is None else one_line(found.salvaged),
        }
        answer_document(document)
    elif found.problems:
        answer(f"{one_line(text)}\n" for text in found.problems)
        print_note(
            f"{args.store} is damaged; `resume-rig store salvage {shell_word(args.store)} --out "
            "NEW` writes what can be read to a new store and leaves this one as it is"
        )
    else:
        answer([f"{args.store} is complete: {count_of(found.cycles, 'cycle')}.\n"])
        if found.salvaged is not None:
            answer([f"It was salvaged: {one_line(found.salvaged)}.\n"])
    return USAGE if found.problems else DONE


def _salvage(args: argparse.Namespace) -> int:
    from resume_rig.campaign.store.salvage import salvage

    came = salvage(args.store, args.out)
    if args.json:
        document = {
            "schema": "resume-rig/store-salvage/1",
            "store": str(came.path),
            "kept": len(came.kept),
            "without_light": came.without_light,
            "without_records": came.without_records,
            "without_power": came.without_power,
            "lost": came.lost,
            "planned": came.planned,
        }
        answer_document(document)
    else:
        answer([f"{came.sentence()}.\n"])
        print_note(f"Store: {came.path}")
    return DONE
