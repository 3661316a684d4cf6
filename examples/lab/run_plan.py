"""Runs a plan over all rigs of a tag that labgrid has, and ends with one page of the lab.

    LG_COORDINATOR=lab:20408 python run_plan.py --tag pool=nightly --plan plan.toml --lake /srv/lake

Runs where labgrid is. Each place is reserved by its name, so that one who has it keeps it: labgrid
is the queue. A place's tag `dut` names its DUT profile. A rig that breaks costs its own campaign.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from labgrid import Environment
from labgrid.remote.client import start_session

from resume_rig.labgrid_rig.resources import url_of

ENVIRONMENT = """\
imports: [resume_rig.labgrid_rig]
targets:
  main:
    resources:
      RemotePlace: {{name: {place}}}
    drivers: {{}}
"""
CLIENT = [sys.executable, "-m", "labgrid.remote.client"]
STATUS = {0: "PASS", 1: "FAIL", 2: "not run", 3: "broke", 4: "no evidence"}
# What a campaign may take beyond its own timeouts: none hangs for ever.
LONGEST_S = 7 * 24 * 3600


@dataclass(frozen=True)
class Place:
    """A place of labgrid's; `dut` is its tag of that name."""

    name: str
    dut: str | None


@dataclass(frozen=True)
class Done:
    """What became of a place."""

    place: str
    words: str
    store: Path | None = None


def main() -> int:
    """Run the plan everywhere; 0 where every place gave a verdict, else 3."""
    if sys.argv[1:2] == ["--address"]:
        print_address(sys.argv[2])
        return 0
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--tag", required=True, metavar="KEY=VALUE", help="places that have it")
    parser.add_argument("--plan", required=True, type=Path, help="as `resume-rig run --plan`")
    parser.add_argument("--lake", required=True, help="folder or URL")
    parser.add_argument("--out", type=Path, default=Path("stores"), help="folder for the stores")
    parser.add_argument("--html", type=Path, default=Path("lab.html"), help="the page")
    parser.add_argument("--wait", type=float, default=5.0, help="s for a place that is taken")
    parser.add_argument(
        "--lab", default="resume-rig", help="a resume-rig that has the extra lab, by its path"
    )
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    places = places_of(args.tag)
    if not places:
        sys.stderr.write(f"run_plan: no place has the tag {args.tag}\n")
        return 2
    with ThreadPoolExecutor(len(places)) as pool:
        done = list(pool.map(lambda place: run_one(place, args), places))
    for each in done:
        sys.stdout.write(f"{each.place}: {each.words}\n")
    stores = [str(each.store) for each in done if each.store is not None]
    if stores:
        subprocess.run([args.lab, "lake", "add", *stores, "--to", args.lake], check=False)
        page = ["--units", "dut", "--html", str(args.html)]
        subprocess.run([args.lab, "trend", args.lake, *page], check=False)
    judged = (STATUS[0], STATUS[1], STATUS[4])
    return 0 if all(each.words in judged for each in done) else 3


def places_of(tag: str) -> list[Place]:
    """Return the places that have a tag, by name."""
    key, _, value = tag.partition("=")
    address = os.environ.get("LG_COORDINATOR", "127.0.0.1:20408")
    session = start_session(address)
    try:
        tags = {name: dict(place.tags) for name, place in session.places.items()}
    finally:
        session.loop.run_until_complete(session.stop())
        session.loop.run_until_complete(session.close())
    chosen = sorted(name for name, each in tags.items() if each.get(key) == value)
    return [Place(name, tags[name].get("dut")) for name in chosen]


def run_one(place: Place, args: argparse.Namespace) -> Done:
    """Run the plan at one place, and give the place back however that ends."""
    with acquired(place.name, args.wait) as has_it:
        if not has_it:
            return Done(place.name, f"taken by somebody for {args.wait:g} s and more")
        found = subprocess.run(
            [sys.executable, __file__, "--address", place.name],
            capture_output=True,
            text=True,
            check=False,
        )
        if found.returncode != 0:
            return Done(place.name, f"has no rig: {found.stderr.strip().splitlines()[-1:]}")
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        store = args.out / f"{place.name}-{stamp}.rrs"
        words = ["--rig", found.stdout.split()[-1], "--plan", str(args.plan), "--out", str(store)]
        words += ["--progress", "quiet", *(["--dut", place.dut] if place.dut else [])]
        with store.with_suffix(".txt").open("w") as log:
            ended = subprocess.run(
                [sys.executable, "-m", "resume_rig", "run", *words],
                stdout=log,
                stderr=log,
                timeout=LONGEST_S,
                check=False,
            )
    words_of = STATUS.get(ended.returncode, f"ended with status {ended.returncode}")
    return Done(place.name, words_of, store if store.exists() else None)


@contextmanager
def acquired(place: str, wait_s: float) -> Iterator[bool]:
    """Reserve a place, have it for the block, and give it back; yield whether it was to be had."""
    reserved = client("reserve", "--shell", f"name={place}")
    token = reserved.stdout.strip().rpartition("LG_TOKEN=")[2]
    try:
        try:
            allocated = client("wait", token, timeout=wait_s).returncode == 0
        except subprocess.TimeoutExpired:
            allocated = False
        has_it = allocated and client("-p", f"+{token}", "acquire").returncode == 0
        try:
            yield has_it
        finally:
            if has_it:
                client("-p", place, "release")
    finally:
        client("cancel-reservation", token)


def client(*words: str, timeout: float = 120) -> "subprocess.CompletedProcess[str]":
    """Run labgrid-client."""
    return subprocess.run(
        [*CLIENT, *words], capture_output=True, text=True, timeout=timeout, check=False
    )


def print_address(place: str) -> None:
    """Print the URL of the rig of a place that this user has."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(ENVIRONMENT.format(place=place))
        file.flush()
        target = Environment(file.name).get_target()
        rig = target.get_resource("NetworkResumeRig", wait_avail=True)
        sys.stdout.write(f"{url_of(rig)}\n")


if __name__ == "__main__":
    sys.exit(main())
