"""Captures of logic analysers with the event logs beside them, as the independent world made them.

They are frozen too, in `inputs/`: numpy draws them, and its last digits depend on the processor.
`python -m golden.captures` (in host/tests) draws them anew.
"""

import json
import lzma
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from golden.ask import Answer, ask
from golden.campaigns import page_of, told
from golden.frozen import INPUTS, Answers


@dataclass(frozen=True)
class Case:
    """A scenario of the world, and what is asked of it beside the document.

    Attributes:
        scenario: of `world.scenarios`.
        seed: of it.
        cycles: how many.
        more: further calls of `correlate`, each by its words.
        logs: ask `log` of its logs as well.
    """

    scenario: str
    seed: int = 1
    cycles: int = 10
    more: tuple[str, ...] = ()
    logs: bool = False


CAPTURES: dict[str, Case] = {
    "own": Case("own", more=("--all --budget", "--report page.html", "--guard-band --json")),
    "own-even": Case("own-even", 2, 14),
    "short": Case("short", 3, more=("--pair 1=150 --json",)),
    "real-laptop": Case("real-laptop", 1, 24),
    "lid": Case("lid"),
    "foreign-random": Case("foreign-random", 2, 14),
    "foreign-script": Case("foreign-script", 7, 24),
    "merged": Case("merged", 1, 24),
    "hidden-before": Case("hidden-before", 4),
    "hidden-sleep": Case("hidden-sleep", 8, 12),
    "hidden-reset": Case("hidden-reset", 1, 14),
    "hidden-after": Case("hidden-after", 2),
    "bios-short": Case("bios-short", 2, 14, more=("",)),
    "bios-sometimes": Case("bios-sometimes", 2, 24),
    "bios-garbage": Case("bios-garbage", 5),
    "double-reset": Case("double-reset", 2),
    "lost-random": Case("lost-random", 2, 60, logs=True),
    "lost-slow": Case("lost-slow", 1, 40),
    "few-records": Case("few-records", 2, 30),
    "near-limit": Case(
        "near-limit", 1, 20, more=("--guard-band --json", "--no-guard-band"), logs=True
    ),
    "resleep": Case("resleep", 2, 14),
    "zeros": Case("zeros", 2, 14),
    "steps-silent": Case("steps-silent", 6, 60),
    "steps-within": Case("steps-within", 11, 40),
    "synchronised": Case("synchronised", 2, 20),
    "daylight": Case("daylight", 2, 20),
    "boots": Case("boots", 1, 14),
    "sessions": Case("sessions", 19, 20),
    "strangers": Case("strangers", 1, 14),
    "overnight": Case("overnight", 1, 12),
    "dozes": Case("dozes", 1, 10, more=("",)),
    "lit-by-firmware": Case("lit-by-firmware"),
    "dimmed": Case("dimmed", 1, 3),
    "cut-capture": Case("cut-capture", 1, 6),
    "coarse": Case("coarse", 7),
    "fine": Case("fine", 2, 8),
    "wires": Case("wires", 1, 8),
    "no-slp": Case("wires", 2, 8),
    "names": Case("names", 1, 6),
    "long-lost": Case("lost-random", 5, 500),
    "long-steps": Case("steps-silent", 3, 500),
    "long-merged": Case("merged", 2, 500),
}


def played(name: str) -> Answers:
    """Ask of a capture in the folder in which the process works; return all that is said of it."""
    files, words = _unpacked(name)
    answers: Answers = {}
    _keep(answers, "--json", ask("correlate", *files, *words, "--json"))
    if CAPTURES[name].logs:
        _keep(answers, "log --json", ask("log", *files[2:], "--json"))
    for more in CAPTURES[name].more:
        _keep(answers, more or "plain", ask("correlate", *files, *words, *more.split()))
    page = Path("page.html")
    if page.exists():
        answers["report"] = page_of("page.html")
        page.unlink()
    return answers


def _unpacked(name: str) -> tuple[list[str], list[str]]:
    """Write a case's files; return their words and those that say how the capture is wired."""
    packed = json.loads(lzma.decompress((INPUTS / f"{name}.json.xz").read_bytes()))
    for file, text in packed["files"].items():
        Path(file).write_text(text, encoding="utf-8")
    capture, *logs = packed["files"]
    return [capture, "--log", *logs], packed["arguments"]


def _keep(answers: Answers, key: str, answer: Answer) -> None:
    answers[f"{key}: out"] = answer.out
    answers[f"{key}: told"] = told(answer)


def _drawn() -> Iterator[tuple[str, dict[str, object]]]:
    from world.scenarios import made

    for name, case in CAPTURES.items():
        trial = made(case.scenario, case.seed, case.cycles)
        files = {f"{name}.{trial.form}": trial.capture}
        files |= {f"{name}-{i}.xml": text for i, text in enumerate(trial.logs)}
        yield name, {"files": files, "arguments": trial.arguments}


if __name__ == "__main__":
    INPUTS.mkdir(exist_ok=True)
    for drawn, packed_now in _drawn():
        place = INPUTS / f"{drawn}.json.xz"
        text_now = json.dumps(packed_now, ensure_ascii=False)
        place.write_bytes(lzma.compress(text_now.encode(), preset=9 | lzma.PRESET_EXTREME))
