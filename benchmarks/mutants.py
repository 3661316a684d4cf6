"""Random mutants of the modules that decide: how many of them do the tests notice?

python benchmarks/mutants.py [NUMBER] [SEED] [GLOB ...]

A mutant is the package with one thing changed (`<` to `<=`, `max` to `min`, a statement removed).
Each runs in a copy, against the tests that reach its line, the quickest file first, with a limit
of time. What reaches which line is recorded once for a state of the sources, in build/mutants.
GLOBs, under the package, replace MODULES. `mutants_equal.toml` holds mutants that change no answer,
with the reason. MUTANT_PROCESSES (2) run at a time; MUTANT_ELSEWHERE names folders and files of
tests that are left out; MUTANT_VERBOSE=1 names what noticed each.

Of the tools that are kept, mutmut 3 takes no sample, mutates functions alone and forks beside Qt
and threads; cosmic-ray 8 has one test command and one limit for all modules, mutates in place, and
its order has no seed.
"""

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue

from mutant_sites import Mutant, mutants_of

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "host" / "src"
TESTS = ROOT / "host" / "tests"
REACH = ROOT / "build" / "mutants"
MODULES = (
    "analysis/**/*",
    "timing/*",
    "oslog/evtx*",
    "campaign/run/recovery*",
    "campaign/store/*",
)
# Folders whose tests wait for windows, boards and processes: what decides is seen without them.
ELSEWHERE = os.environ.get(
    "MUTANT_ELSEWHERE", "gui robot labgrid_rig hardware firmware core relay rig"
).split()
PROCESSES = int(os.environ.get("MUTANT_PROCESSES", "2"))
TESTS_S = 120.0  # of tests for a mutant; the cheapest files come first
LIMIT_S = 40.0  # beside five times what the tests took when they were recorded
AIM = 0.95


class Reach:
    """Which tests reach a line, and how long each took; recorded by reach_recorder.py."""

    def __init__(self) -> None:
        import coverage

        REACH.mkdir(parents=True, exist_ok=True)
        kept = REACH / "tests.json"
        state = _digest(sorted(SOURCES.rglob("*.py")))
        now = {
            str(path.relative_to(ROOT)): _digest([path])
            for path in sorted(TESTS.rglob("test_*.py"))
            if not set(path.relative_to(TESTS).parts) & set(ELSEWHERE)
        }
        known = json.loads(kept.read_text()) if kept.exists() else {}
        if known.get("sources") != state:
            known = {"sources": state, "files": {}, "seconds": {}}
            (REACH / "reach").unlink(missing_ok=True)
        if new := [name for name, digest in now.items() if known["files"].get(name) != digest]:
            print(f"recording what {len(new)} files of tests reach ...", flush=True)
            self._record(new)
            known["seconds"] = {
                test: seconds
                for test, seconds in known["seconds"].items()
                if test.partition("::")[0] not in new
            }
            for path in REACH.glob("seconds.*"):
                known["seconds"] |= json.loads(path.read_text())
                path.unlink()
            whole = coverage.Coverage(data_file=str(REACH / "reach"))
            if (REACH / "reach").exists():
                whole.load()
            whole.combine([str(path) for path in REACH.glob("reach.*")])
            whole.save()
            known["files"] = now
            kept.write_text(json.dumps(known))
        self.seconds: dict[str, float] = known["seconds"]
        self._data = coverage.CoverageData(str(REACH / "reach"))
        self._data.read()

    def _record(self, files: list[str]) -> None:
        (REACH / "arguments").write_text("\n".join(files))
        options = [
            "-p",
            "reach_recorder",
            "-n",
            str(PROCESSES),
            "--dist",
            "loadfile",
            "-m",
            "not slow",
        ]
        subprocess.run(
            [*PYTEST, *options, f"@{REACH / 'arguments'}"],
            cwd=ROOT,
            env=environment(SOURCES, REACH),
            check=False,
        )

    def tests(self, mutant: Mutant) -> tuple[list[str], float]:
        """Return the tests for a mutant, the quickest file first, and what they take [s]."""
        reached = self._lines(mutant.path, mutant.reached_by)
        if not reached:  # nothing but constants: the tests of who imports it
            name = f".{mutant.path.stem} import"
            for path in SOURCES.rglob("*.py"):
                if name in path.read_text():
                    reached |= self._lines(path, range(1, 10_000))
        files: dict[str, dict[str, float]] = defaultdict(dict)
        for test, seconds in self.seconds.items():
            file = test.partition("::")[0]
            if test in reached or file in reached:
                files[file][test] = seconds
        chosen: list[str] = []
        total_s = 0.0
        for tests in sorted(files.values(), key=lambda tests: sum(tests.values())):
            if chosen and total_s + sum(tests.values()) > TESTS_S:
                break
            chosen += tests
            total_s += sum(tests.values())
        return chosen, total_s

    def slowest_first(self) -> list[str]:
        """Return all tests."""
        return sorted(self.seconds, key=lambda test: -self.seconds[test])

    def _lines(self, path: Path, lines: range) -> set[str]:
        by_line = self._data.contexts_by_lineno(str(path))
        return {test for line, tests in by_line.items() if line in lines for test in tests} - {""}


PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]


def environment(sources: Path, scratch: Path) -> dict[str, str]:
    """Return the environment in which tests import the package from `sources`."""
    path = os.pathsep.join([str(sources), str(Path(__file__).parent), *sys.path[1:]])
    return os.environ | {
        "PYTHONPATH": path,
        "PYTHONDONTWRITEBYTECODE": "1",
        "HYPOTHESIS_STORAGE_DIRECTORY": str(scratch / "hypothesis"),
        "MUTANT_REACH": str(REACH),
    }


def _digest(paths: list[Path]) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


def copy_to(folder: Path) -> Path:
    """Return a tree whose sources are a copy; what they read beside them stays where it is."""
    for origin in (ROOT, ROOT / "host"):
        place = folder / origin.relative_to(ROOT)
        place.mkdir()
        for path in origin.iterdir():
            if path not in {ROOT / "host", SOURCES, ROOT / ".git"}:
                (place / path.name).symlink_to(path)
    shutil.copytree(SOURCES, folder / "host" / "src")
    return folder


def noticed(mutant: Mutant, tests: list[str], limit_s: float, folder: Path) -> str | None:
    """Return by what a mutant was noticed in a copy of the sources, or None."""
    place = folder / mutant.path.relative_to(ROOT)
    place.write_bytes(mutant.source)
    try:
        return failure(tests, limit_s, folder)
    finally:
        shutil.copy2(mutant.path, place)


def failure(tests: list[str], limit_s: float, folder: Path) -> str | None:
    """Return what failed first with the sources of a copy, or None."""
    arguments = folder / "arguments"
    arguments.write_text("\n".join(tests))
    run = subprocess.Popen(
        [*PYTEST, "-x", f"@{arguments}"],
        cwd=ROOT,
        env=environment(folder / "host" / "src", folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        said = run.communicate(timeout=limit_s)[0].decode(errors="replace")
    except subprocess.TimeoutExpired:
        said = "it hung"
    finally:
        # Whatever the tests started goes with them; the group may be gone already.
        with suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)
        run.wait()
    if run.returncode == 0:
        return None
    named = [line for line in said.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return (named or said.splitlines()[-1:] or ["?"])[0]


def main() -> int:
    """Draw the sample, run each mutant, print who was not noticed and the share of who was."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    package = SOURCES / "resume_rig"
    by_glob = {
        glob: [p for p in package.glob(glob) if p.suffix == ".py"]
        for glob in sys.argv[3:] or MODULES
    }
    if empty := [glob for glob, found in by_glob.items() if not found]:
        print(f"no module is named {', '.join(empty)} below {package.relative_to(ROOT)}")
        return 2
    paths = {p for found in by_glob.values() for p in found}
    equal = tomllib.loads((Path(__file__).parent / "mutants_equal.toml").read_text())["equal"]
    known = {(each["was"], each["becomes"]): each["why"] for each in equal}
    every = [mutant for path in sorted(paths) for mutant in mutants_of(path)]
    # The sample stays the same, but for the ones left out, as their list grows.
    drawn = random.Random(seed).sample(every, len(every))
    sample = [each for each in drawn if (each.was, each.becomes) not in known][:number]
    print(f"{len(sample)} of {len(every)} mutants in {len(paths)} modules, seed {seed}", flush=True)
    reach = Reach()
    folders: SimpleQueue[Path] = SimpleQueue()
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(PROCESSES) as pool:
        for at in range(PROCESSES):
            folders.put(copy_to(Path(scratch, str(at))))
        # A copy that nothing was changed in: the quickest test of each file.
        quickest = {test.partition("::")[0]: test for test in reach.slowest_first()}
        if failed := failure([*quickest.values()], 600.0, Path(scratch, "0")):
            print(f"the tests fail on an unchanged copy, so they would show nothing: {failed}")
            return 2

        def run(mutant: Mutant) -> str | None:
            tests, seconds = reach.tests(mutant)
            folder = folders.get()
            try:
                return noticed(mutant, tests, LIMIT_S + 5 * seconds, folder) if tests else None
            finally:
                folders.put(folder)

        survivors = 0
        try:
            for mutant, by in zip(sample, pool.map(run, sample), strict=True):
                place = f"{mutant.path.relative_to(package)}:{mutant.line}"
                if by is None:
                    survivors += 1
                    nobody = "" if reach.tests(mutant)[0] else " (no test reaches it)"
                    print(f"{place}{nobody}\n  - {mutant.was}\n  + {mutant.becomes}", flush=True)
                elif os.environ.get("MUTANT_VERBOSE"):
                    print(f"{place} {by[:150]}", flush=True)
        finally:
            pool.shutdown(cancel_futures=True)
    share = 1 - survivors / len(sample)
    print(f"noticed {len(sample) - survivors} of {len(sample)} ({share:.1%}); aim {AIM:.0%}")
    return 0 if share >= AIM else 1


if __name__ == "__main__":
    sys.exit(main())
