"""What one answer states, counted against the truth."""

import contextlib
import io
import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from resume_rig.cli.main import main
from world.labs import Trial

NS = 1e9

# Statements that accuse nobody and are not called certain: false ones are counted, and no lie.
# Odd units are named at a rate, as statistics are.
UNSURE = ("finding", "suspicion", "odd unit")


@dataclass
class Coverage:
    """How many stated intervals hold the truth."""

    stated: int = 0
    expanded: int = 0
    bound: int = 0

    def add(self, stated: dict[str, int], truth: float, late: float = 0.0) -> bool:
        """Count one interval of a value with its widths, in nanoseconds; does its bound hold?

        The truth is any moment from `truth` to `late` seconds after it.
        """
        low, high = truth * NS, (truth + late) * NS
        off = max(low - stated["value"], stated["value"] - high, 0.0)
        self.stated += 1
        self.expanded += off <= stated["expanded"]
        self.bound += off <= stated["bound"]
        return off <= stated["bound"]


@dataclass
class Judgement:
    """Statements of one answer by kind; those that are false, and what it missed, by name."""

    cycles: int = 0
    own: int = 0  # cycles whose record is in the log
    right: int = 0  # pairs called certain that are
    stated: Counter[str] = field(default_factory=Counter)
    false: Counter[tuple[str, str]] = field(default_factory=Counter)  # kind, what is false
    missed: Counter[str] = field(default_factory=Counter)
    verdict: str = ""
    intervals: dict[str, Coverage] = field(default_factory=dict)
    # Intervals of the campaign as a whole that are stated at 95 %: do they hold the truth?
    campaign: dict[str, bool] = field(default_factory=dict)
    refused: str = ""

    def state(self, kind: str, what: str, *, true: bool) -> None:
        """Count one statement."""
        self.stated[kind] += 1
        if not true:
            self.false[kind, what] += 1

    @property
    def lies(self) -> list[str]:
        """What is stated as certain and is false."""
        return [
            f"{n} x {kind}: {what}"
            for (kind, what), n in sorted(self.false.items())
            if kind not in UNSURE
        ]


def ask(arguments: list[str]) -> tuple[int, str, str]:
    """Run the command line in this process; return exit status, standard output and error."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main(arguments)
        except SystemExit as left:
            status = left.code
    return (status if isinstance(status, int) else 2), out.getvalue(), err.getvalue()


def answer(trial: Trial, folder: Path) -> tuple[int, dict[str, Any] | str]:
    """Write the trial's files and ask its question; return the document, or the refusal."""
    logs = written(folder, "System", trial.logs)
    limits = _limits(trial.arguments)
    if trial.question == "correlate":
        capture = folder / f"capture.{trial.form}"
        capture.write_text(trial.capture, encoding="utf-8")
        asked = ["correlate", str(capture), "--log", *logs, *trial.arguments]
    elif trial.question == "compare":
        candidates = written(folder, "candidate", trial.candidates)
        one = len(logs) == len(candidates) == 1
        sides = [*logs, *candidates]
        sides = sides if one else ["--base", *logs, "--candidate", *candidates]
        asked = ["compare", *sides, *limits]
    else:
        alone = ["--jobs", "1"] if trial.question == "fleet" else []
        asked = [trial.question, *logs, *limits, *alone]
    status, out, err = ask([*asked, "--json"])
    return status, json.loads(out) if out.startswith("{") else (err or out).strip()


def _limits(arguments: list[str]) -> list[str]:
    """Return what is not about the wires."""
    pairs = zip(arguments[::2], arguments[1::2], strict=True)
    return [part for pair in pairs if pair[0] != "--channel" for part in pair]


def written(folder: Path, name: str, texts: list[str]) -> list[str]:
    """Write texts as files; return their paths."""
    paths = [folder / f"{name}-{i}.xml" for i in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    return [str(path) for path in paths]
