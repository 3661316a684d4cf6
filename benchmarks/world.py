"""The second simulator at large: what the command line says of PCs that it knows nothing of.

python benchmarks/world.py [CAMPAIGNS] [SEED] [WORLD...]

How to hold a branch against it: run it in the branch's worktree with the branch's Python, at
seeds that the branch was not made with, and compare its table with that of main at the same
seeds (docs/validation.md has one):

    nice .venv/bin/python benchmarks/world.py 20 1 claim_cases which_cases | tee mine.md
    nice .venv/bin/python benchmarks/world.py 6 9000                     # everything, other seeds

Plays CAMPAIGNS of each world (default 20, seeds from SEED on, default 1) and holds the answers
against the truth. WORLD is a name (`mixed-short`), or a module of host/tests/world that has a
family of them: unit_cases, log_cases, claim_cases (BIOS times, clocks), which_cases (whose log,
how often), wire_cases (wires, light), ending_cases (failed attempts, missing records),
statistics_cases; default all. It asks by `correlate`, `log`, `fleet` and `compare` with `--json`
alone; keys that an older tool does not have are not asked of it.

Prints each world's false statements and what it missed, and then a table:

    false       of all statements that are called certain; each kind has a column, "false of stated"
    firmware    findings that accuse the firmware; a `suspicion` accuses nobody and is no statement
    bounds      worst-case bounds of intervals that do not hold the truth
    verdicts    PASS and FAIL, REGRESSION and NO-REGRESSION
    others      pairs of cycle and record, outcomes, faults of the DUT, counts of sleeps and
                computers, "complete", impossible times that are judged
    findings    those that accuse nobody, odd units of a fleet: rates, not lies
    suspicions  of a BIOS time that is honest
    95 %        intervals of campaigns: those that do not hold the truth, of all
    found       records whose pair is called certain and right, of those that the logs hold

Exit status 1 where something false was stated as certain; each such campaign is named by world
and seed, and `made(world, seed)` of host/tests/world/scenarios.py plays it again.
"""

import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "host" / "tests"))

from world.judge import judge
from world.judgement import UNSURE, Coverage, Judgement
from world.scenarios import SCENARIOS, made
from world.truths import at_most

PROCESSES = 2
COLUMNS = ("firmware", "bound", "verdict")
HEAD = (
    "| world | campaigns | false | firmware | bounds | verdicts | others | findings "
    "| suspicions | 95 % | found | missed |\n|---|---|---|---|---|---|---|---|---|---|---|---|"
)


def main() -> int:
    """Play, print, and return the exit status."""
    campaigns = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    seeds = range(first, first + campaigns)
    rows, lied = [], False
    with ProcessPoolExecutor(PROCESSES) as pool:
        for name in chosen(sys.argv[3:]):
            judged = dict(zip(seeds, pool.map(play, [name] * campaigns, seeds), strict=True))
            show(name, judged)
            rows.append(row(name, list(judged.values())))
            lied |= any(one.lies for one in judged.values())
    print("", HEAD, *rows, sep="\n")
    return int(lied)


def chosen(asked: list[str]) -> list[str]:
    """Return the worlds that are asked for, by name or by family."""
    families = {name: made.__module__.rsplit(".", 1)[-1] for name, made in SCENARIOS.items()}
    unknown = sorted(set(asked) - set(families) - set(families.values()))
    if unknown:
        sys.exit(f"no world and no family: {', '.join(unknown)}")
    return [name for name, of in families.items() if not asked or {name, of} & set(asked)]


def play(name: str, seed: int) -> Judgement:
    """Return the judgement of one campaign."""
    with tempfile.TemporaryDirectory() as folder:
        return judge(made(name, seed), Path(folder))


def of(hits: int, n: int) -> str:
    """Return a share with its 95 % interval (Clopper-Pearson)."""
    if n == 0:
        return "none"
    low = 0.0 if hits == 0 else 1.0 - at_most(n - hits, n, 0.025)
    high = 1.0 if hits == n else at_most(hits, n, 0.025)
    return f"{hits} of {n} ({low:.0%} to {high:.0%})"


def row(name: str, every: list[Judgement]) -> str:
    """Return a world's row of the table."""
    stated = sum((one.stated for one in every), Counter[str]())
    false = Counter[str]()
    for one in every:
        for (kind, _), n in one.false.items():
            false[kind] += n
    others = set(stated) - {*COLUMNS, *UNSURE}
    loose = set(UNSURE) - {"suspicion"}
    certain = set(stated) - set(UNSURE)

    def cell(kinds: set[str]) -> str:
        all_stated = sum(stated[kind] for kind in kinds)
        return f"{sum(false[kind] for kind in kinds)} of {all_stated}" if all_stated else ""

    campaign = [holds for one in every for holds in one.campaign.values()]
    own, right = sum(one.own for one in every), sum(one.right for one in every)
    missed = sum((one.missed for one in every), Counter[str]())
    refused = sum(bool(one.refused) for one in every)
    cells = [
        name,
        f"{len(every)}, {refused} refused" if refused else f"{len(every)}",
        cell(certain),
        *(cell({kind}) for kind in COLUMNS),
        cell(others),
        cell(loose),
        cell({"suspicion"}),
        f"{campaign.count(False)} of {len(campaign)}" if campaign else "",
        f"{right / own:.0%}" if own and stated["pair"] else "",
        "; ".join(f"{n} {what}" for what, n in missed.items()),
    ]
    return f"| {' | '.join(cells)} |"


def show(name: str, judged: dict[int, Judgement]) -> None:
    """Print what was found in a world."""
    every = list(judged.values())
    cycles = sum(j.cycles for j in every)
    verdicts = dict(Counter(j.verdict or "refused" for j in every))
    print(f"{name}: {len(every)} campaigns, {cycles} cycles; verdicts {verdicts}")
    lying = sum(bool(j.lies) for j in every)
    print(f"  campaigns with something false as certain: {of(lying, len(every))}")
    false = sum((one.false for one in every), Counter[tuple[str, str]]())
    stated = sum((one.stated for one in every), Counter[str]())
    for (kind, what), n in sorted(false.items()):
        print(f"  false, {kind}: {what}: {n} (of {stated[kind]} statements of this kind)")
    missed = Counter(what for one in every for what in one.missed)
    if missed:
        print(f"  campaigns that missed: {dict(missed)}")
    show_intervals(every)
    for seed, one in judged.items():
        if one.lies:
            print(f"  seed {seed} ({one.cycles} cycles): {'; '.join(one.lies)}")
        if one.refused:
            print(f"  seed {seed}: refused: {one.refused[:160]}")
    sys.stdout.flush()


def show_intervals(every: list[Judgement]) -> None:
    """Print the measures whose intervals do not hold the truth as often as they say.

    A campaign counts once: what is systematic in it is the same in each of its cycles.
    """
    stated: dict[str, list[Coverage]] = {}
    campaigns: dict[str, list[bool]] = {}
    for one in every:
        for measure, coverage in one.intervals.items():
            stated.setdefault(measure, []).append(coverage)
        for measure, holds in one.campaign.items():
            campaigns.setdefault(measure, []).append(holds)
    for measure, held in stated.items():
        beyond = sum(each.stated - each.bound for each in held)
        mostly = sum(each.expanded >= 0.5 * each.stated for each in held)
        if beyond or mostly < 0.95 * len(held):
            print(
                f"  {measure}: truth within the expanded uncertainty in half of the cycles or more "
                f"in {of(mostly, len(held))} campaigns; {beyond} of "
                f"{sum(each.stated for each in held)} cycles beyond the bound"
            )
    for measure, holds in campaigns.items():
        if sum(holds) < 0.95 * len(holds):
            print(f"  {measure}: interval holds the truth in {of(sum(holds), len(holds))}")


if __name__ == "__main__":
    sys.exit(main())
