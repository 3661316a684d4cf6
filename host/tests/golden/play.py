"""Every case of the net: `python -m golden.play` (in host/tests) tells which answers changed.

It takes cases as words, or plays all. It leaves zone, language and hash seed as the caller set
them, and stops at the first case that changed with `--first`.
"""

import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from golden import campaigns, captures, logs, stores
from golden.ask import ask, settled
from golden.campaigns import page_of, told
from golden.frozen import Answers, differences, thawed

RIG = ("--rig", "sim:clock=virtual,seed=7")
SIDES = ("--base", "laptop.rrs", "laptop-again.rrs", "--candidate", "slow-bios.rrs", "slow-ec.rrs")
STUDY = ("laptop.rrs", "laptop-again.rrs", "slow-bios.rrs", "slow-ec.rrs")
MANY = (*STUDY, "slow-laptop.rrs", "desktop.rrs", "hangs.rrs", "strangers.rrs")
LOGS_OF_MANY = (
    *("two-s3-cycles.xml", "four-s3-cycles.xml", "every-kind.xml"),
    *("diagnostics-performance.xml", "pwrtest-new-names.xml", "s3resume.txt"),
)

OF_MANY: dict[str, tuple[str, ...]] = {
    "compare": ("compare", "laptop.rrs", "slow-bios.rrs", "--html", "compare.html"),
    "compare --json": ("compare", "laptop.rrs", "slow-bios.rrs", "--json"),
    "compare, one session": (
        *("compare", "laptop.rrs", "slow-bios.rrs", "--one-session-is-enough", "--json"),
    ),
    "compare, alike": ("compare", "laptop.rrs", "laptop-again.rrs", "--matters", "20", "--json"),
    "compare, sessions": ("compare", *SIDES, "--json"),
    "compare, hangs": ("compare", "laptop.rrs", "hangs.rrs"),
    "fleet": ("fleet", *MANY, "--jobs", "1", "--all", "--html", "fleet.html"),
    "fleet --json": ("fleet", *MANY, "--jobs", "1", "--units", "store", "--json"),
    "fleet, logs": ("fleet", *LOGS_OF_MANY, "laptop.rrs", "--jobs", "1"),
    "fleet, logs --json": ("fleet", *LOGS_OF_MANY, "--jobs", "1", "--json"),
    "fleet, by none": ("fleet", *STUDY, "--jobs", "1", "--by", "none", "--matters", "1", "--json"),
    "msa": ("msa", *STUDY, "--all"),
    "msa --json": ("msa", "--design", "design.csv", "--json"),
    "msa, stores": ("msa", *STUDY, "--units", "store", "--json"),
    "report": ("report", "laptop.rrs", "--out", "again.html", "--json"),
    "salvage": ("store", "salvage", "laptop.rrs", "--out", "salvaged.rrs", "--json"),
    "fleet, a copy": (
        *("fleet", "laptop.rrs", "salvaged.rrs", "noise.bin", "desktop.rrs"),
        *("--jobs", "1", "--json"),
    ),
    "faults": ("store", "faults", "log-errs.rrs"),
    "exports": ("export", "laptop.rrs", "--to", "csv", "--out", "x.csv", "--json"),
    "with a log": ("correlate", "laptop.rrs", "--log", "two-s3-cycles.xml", "--json"),
    "limit, wires": ("correlate", "laptop.rrs", "--limit-ms", "900", "--json"),
    "selftest": ("selftest", *RIG, "--json"),
    "press": ("press", *RIG, "--json"),
    "lid": ("lid", "close", *RIG, "--for", "2s", "--json"),
    "power": ("power", "state", *RIG, "--json"),
    "watch": ("watch", *RIG, "--for", "2s", "--json"),
}

DESIGN = """path,unit,rig
laptop.rrs,A,1
laptop-again.rrs,A,2
slow-bios.rrs,B,1
slow-ec.rrs,B,2
"""


class Stage:
    """Plays cases in the folder in which the process works, each once."""

    def __init__(self) -> None:
        self._played: dict[str, Answers] = {}

    def answers(self, case: str) -> Answers:
        """Return the answers of a case."""
        if case not in self._played:
            self._played[case] = CASES[case](self)
        return self._played[case]

    def of_many(self) -> Answers:
        """Ask of several campaigns, and of a rig alone."""
        machines: set[str] = set()
        for store in (*MANY, "log-errs.rrs"):
            self.answers(f"campaign-{store.removesuffix('.rrs')}")
            machines |= set(stores.machine(store))
        Path("design.csv").write_text(DESIGN, encoding="utf-8")
        logs.lay_out()
        answers: Answers = {}
        for key, words in OF_MANY.items():
            answer = ask(*words)
            answers[f"{key}: out"], answers[f"{key}: told"] = answer.out, told(answer)
        for page in ("compare.html", "fleet.html", "again.html"):
            answers[page] = page_of(page)
        answers["salvaged"] = stores.dump("salvaged.rrs")
        return campaigns.here(answers, machines)

    def exports(self, name: str) -> Answers:
        """Export a campaign."""
        self.answers(f"campaign-{name}")
        return campaigns.exported(name)


def _campaign(name: str) -> Callable[[Stage], Answers]:
    return lambda stage: campaigns.played(name)


def _exports(name: str) -> Callable[[Stage], Answers]:
    return lambda stage: stage.exports(name)


def _capture(name: str) -> Callable[[Stage], Answers]:
    return lambda stage: captures.played(name)


def _log(name: str) -> Callable[[Stage], Answers]:
    return lambda stage: logs.log_answers(name)


CAMPAIGNS = {f"campaign-{name}": _campaign(name) for name in campaigns.CAMPAIGNS}
CAMPAIGNS |= {
    f"exports-{name}": _exports(name) for name, each in campaigns.CAMPAIGNS.items() if each.exports
}
CAMPAIGNS["many"] = Stage.of_many
CAPTURES = {f"capture-{name}": _capture(name) for name in captures.CAPTURES}
LOGS = {f"log-{name}": _log(name) for name in logs.FILES}
LOGS["questions"] = lambda stage: logs.question_answers()
# A third of the net's time, for long campaigns and for exports of what others cover.
SLOW = {
    *("campaign-long", "exports-laptop", "exports-strangers"),
    *("capture-long-lost", "capture-long-steps", "capture-long-merged"),
}
CASES: dict[str, Callable[[Stage], Answers]] = {**CAMPAIGNS, **CAPTURES, **LOGS}


def timed(cases: Iterable[str]) -> list[object]:
    """Return cases as parameters of a test, the slow ones marked."""
    return [pytest.param(case, marks=pytest.mark.slow) if case in SLOW else case for case in cases]


def main(words: list[str]) -> int:
    """Play cases, and tell what differs from what is frozen."""
    first = "--first" in words
    changed = 0
    with tempfile.TemporaryDirectory() as folder, settled(Path(folder), given=True):
        logs.lay_out()
        stage = Stage()
        for case in [word for word in words if word != "--first"] or CASES:
            for difference in differences(thawed(case), stage.answers(case)):
                print(f"{case}: {difference}")  # noqa: T201
                changed += 1
            if first and changed:
                break
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
