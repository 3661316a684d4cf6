"""`resume-rig bundle` and `verify`: evidence in one signed file, and the check of it."""

import argparse
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from resume_rig.cli.terminal.arguments import add_verb, existing_paths
from resume_rig.cli.terminal.console import (
    DONE,
    FAILED,
    UNDECIDED,
    answer,
    answer_json,
    check_output,
    print_note,
)
from resume_rig.model.errors import UsageError
from resume_rig.model.evidence import SIMULATED

_STATUS: dict[str, int] = {"trusted": DONE, "whole": UNDECIDED, "not-whole": FAILED}

if TYPE_CHECKING:
    from collections.abc import Iterator

    from resume_rig.acceptance.bundle_check import Verified


def add_bundle(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb that makes one."""
    parser = add_verb(
        verbs,
        "bundle",
        "pack a campaign's evidence into one file: store, report, logs, versions, checksums",
        "  resume-rig bundle night.rrs --log System.evtx --trace ids.toml --sign ~/.ssh/lab "
        "--out night.zip",
    )
    parser.add_argument("store", metavar="STORE", type=Path, help="a campaign store")
    parser.add_argument(
        "--out", metavar="FILE", type=Path, help="the bundle (default: beside the store, .zip)"
    )
    parser.add_argument(
        "--log",
        metavar="FILE",
        action="append",
        default=[],
        help="a log that goes with it as it is (may be repeated)",
    )
    parser.add_argument(
        "--with-traces",
        action="store_true",
        help="put the campaign's traces (NAME-traces beside the store) in as logs",
    )
    parser.add_argument(
        "--trace",
        metavar="FILE",
        type=Path,
        help="requirement ids and waivers (TOML; docs/reference/bundles.md)",
    )
    parser.add_argument(
        "--sign", metavar="KEY", type=Path, help="SSH key that signs it, with ssh-keygen -Y"
    )
    parser.set_defaults(execute=_bundle)


def add_verify(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the verb that checks one."""
    parser = add_verb(
        verbs,
        "verify",
        "check a bundle: is it whole, and who vouches for it",
        "  resume-rig verify night.zip --allowed-signers lab-signers --judge",
    )
    parser.add_argument("bundle", metavar="BUNDLE", type=Path, help="a bundle of evidence")
    parser.add_argument(
        "--allowed-signers",
        metavar="FILE",
        type=Path,
        help="keys that you trust, in ssh-keygen(1)'s form; without it nobody vouches for a bundle",
    )
    parser.add_argument(
        "--judge",
        action="store_true",
        help="judge the store again, and compare all that follows from it, the report too",
    )
    parser.set_defaults(execute=_verify)


def _bundle(args: argparse.Namespace) -> int:
    from resume_rig.acceptance.bundle import NOTHING_TRACED, load_trace, make_bundle
    from resume_rig.campaign.dut.trace import trace_folder
    from resume_rig.campaign.store.store import Store, beside_store
    from resume_rig.report.text.json_text import json_text

    with Store.open(args.store) as store:
        if store.identity.is_simulated:
            print_note(SIMULATED)
    out: Path = args.out or beside_store(args.store, ".zip")
    logs = existing_paths(args.log)
    folder = trace_folder(args.store)
    traces = sorted(folder.iterdir()) if folder.is_dir() else []
    if args.with_traces and not traces:
        raise UsageError(f"could not make the bundle: there are no traces in {folder}")
    if args.with_traces:
        logs = [*logs, *traces]
    elif traces:
        print_note(
            f"resume-rig: {len(traces)} traces in {folder} stay out; --with-traces puts them in"
            if len(traces) > 1
            else f"resume-rig: a trace in {folder} stays out; --with-traces puts it in"
        )
    check_output(out, (args.store, *logs))
    if args.sign is None:
        print_note("resume-rig: the bundle is not signed; --sign KEY shows who made it")
    make_bundle(
        args.store,
        out,
        logs=logs,
        trace=NOTHING_TRACED if args.trace is None else load_trace(args.trace),
        key=args.sign,
    )
    if args.json:
        answer_json([json_text({"schema": "resume-rig/bundle-made/1", "bundle": str(out)}) + "\n"])
    else:
        print_note(f"Bundle: {out}")
    return DONE


def _verify(args: argparse.Namespace) -> int:
    from resume_rig.acceptance.bundle_check import verify_bundle

    if not args.bundle.exists():
        raise UsageError(f"could not read the bundle {args.bundle}: there is no such file")
    today = datetime.now(UTC).date()
    found = verify_bundle(args.bundle, today, allowed=args.allowed_signers, judge=args.judge)
    if args.json:
        answer_json(_document(found))
    else:
        answer(_lines(found))
    return _STATUS[found.outcome.value]


def _document(found: "Verified") -> "Iterator[str]":
    from resume_rig.report.text.json_text import json_text, text_json

    yield json_text(
        {
            "schema": "resume-rig/verify/1",
            "outcome": found.outcome.value,
            "problems": [text_json(each) for each in found.problems],
            "signature": found.signed.name.lower(),
            "signer": text_json(found.signer),
            "verdict": found.verdict,
            "judged": found.judged,
            "compared": [text_json(each) for each in found.compared],
            "not_compared": [text_json(each) for each in found.not_compared],
            "dut": text_json(found.dut),
            "simulated": found.simulated,
            "begun": None if found.begun is None else text_json(found.begun),
            "files": found.files,
            "matched": found.matched,
            "bytes": found.size_bytes,
            "requirements": [
                {
                    "id": text_json(name),
                    "measure": text_json(measure),
                    "verdict": verdict,
                    "waiver": text_json(waiver),
                }
                for name, measure, verdict, waiver in found.requirements
            ],
        }
    )
    yield "\n"


def _headline(found: "Verified") -> "Iterator[str]":
    """Yield what the bundle is worth, and what to do about it."""
    checksums = f"{found.matched} of {found.files} checksums match"
    match found.outcome.value:
        case "trusted":
            yield f"Trusted: bundle intact, {checksums}; signed by {found.signer}."
        case "whole":
            yield f"Bundle intact, {checksums}; nobody vouches for it."
            yield "Whoever made it could have made up all of it; --allowed-signers names keys."
        case _ if not found.files:
            yield "Bundle NOT intact."
        case _:
            yield f"Bundle NOT intact, {checksums}."


def _lines(found: "Verified") -> "Iterator[str]":
    from resume_rig.report.text.hostile_text import one_line

    if found.simulated:
        yield f"{SIMULATED}\n"
    for line in _headline(found):
        yield f"{line}\n"
    for problem in found.problems:
        yield f"  {one_line(problem)}\n"
    if not found.files:
        return
    signer = f" ({one_line(found.signer, 120)})" if found.signer else ""
    yield f"Signature: {found.signed.value}{signer}\n"
    begun = one_line(str(found.begun), 40)
    yield f"Verdict:   {found.verdict}, of {one_line(found.dut, 120)}, begun {begun}\n"
    if found.judged is not None:
        same = f"; the same: {', '.join(found.compared)}" if found.compared else ""
        yield f"Judged:    {found.judged}, from the store in it{same}\n"
    for each in found.not_compared:
        yield f"Not compared: {one_line(each, 300)}\n"
    yield f"Files:     {found.files}, {found.size_bytes:,} bytes\n"
    for name, measure, verdict, waiver in found.requirements:
        more = f"; {one_line(waiver, 300)}" if waiver else ""
        yield f"{one_line(name, 80)} ({one_line(measure, 80)}): {verdict}{more}\n"
