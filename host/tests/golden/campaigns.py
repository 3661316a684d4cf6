"""Campaigns on the simulated bench: a seed, a DUT, a plan and faults; and what is asked of each."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from golden import stores
from golden.ask import Answer, ask
from golden.frozen import Answers

_WRITTEN = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC(?=</p>|\. This file stands)")

EXPORTS = (
    ("junit.xml", "--to", "junit"),
    ("cycles.csv", "--to", "csv"),
    ("edges.csv", "--to", "csv", "--table", "edges"),
    ("findings.csv", "--to", "csv", "--table", "findings"),
    ("components.csv", "--to", "csv", "--table", "components"),
    ("cycle-2.vcd", "--to", "vcd", "--cycle", "2"),
    ("trace.json", "--to", "trace"),
    ("pwrtest.xml", "--to", "pwrtest-xml"),
)


@dataclass(frozen=True)
class Campaign:
    """One campaign.

    Attributes:
        words: of `run`, beside its seed, its store and its format.
        files: written before, by name; a fault plan is `faults.toml`.
        resumes: how often `run --resume` follows.
        exports: may be asked for, and for the whole document of the finished store.
    """

    words: str
    seed: int = 7
    rig: str = ""
    files: dict[str, str] = field(default_factory=dict)
    resumes: int = 0
    exports: bool = False

    @property
    def url(self) -> str:
        faults = ",faults=faults.toml" if "faults.toml" in self.files else ""
        return f"sim:clock=virtual,seed={self.seed}{self.rig}{faults}"


def fault(kind: str, *at_s: float, **more: object) -> str:
    """Return a fault of a plan, as TOML."""
    lines = [f"{name} = {value}" for name, value in more.items()]
    if at_s:
        lines.append(f"at_s = {list(at_s)}")
    return "\n".join(["[[fault]]", f'kind = "{kind}"', *lines, ""])


def dut(base: str, title: str, **tables: dict[str, object]) -> str:
    """Return a DUT profile, as TOML."""
    lines = [f'base = "{base}"', f'title = "{title}"']
    for name, table in tables.items():
        lines.append(f"[{name}]")
        for key, value in table.items():
            text = str(value).lower() if isinstance(value, bool) else repr(value).replace("'", '"')
            lines.append(f"{key} = {text}")
    return "\n".join(lines) + "\n"


WIRE = """
[wire]
lost_share = 1e-4
flipped_share = 1e-4
doubled_share = 1e-4
late_share = 0.002
late_ms = 350
"""

# Every second of the ways into sleep and out of it, and three states.
MIX = """
cycles = 12
warm_up = 2
order = "matrix"
state = ["S3", "S4"]
sleep_by = ["button", "lid", "command"]
wake_by = ["button", "timer"]
dwell_s = { from = 5, to = 30 }
press_ms = [60, 150, 400]
seed = 3
"""

STOPS = """
cycles = 40
order = "random"
sleep_by = ["button", "lid"]
wake_by = ["button", "lid", "none"]
dwell_s = [5, 8]
settle = "adaptive"
settle_limit_s = 30
[stop]
failures = 2
after_h = 1
"""

LATE = """
[timing.button_to_slp_s3]
median_ms = 75000
sigma = 0
min_ms = 75000
max_ms = 75000
"""

SHORT_LADDER = {"wait_ms": 4000, "off_ms": 1000, "boot_ms": 5000}

CAMPAIGNS: dict[str, Campaign] = {
    "laptop": Campaign("--cycles 12", exports=True),
    "laptop-again": Campaign("--cycles 12", seed=8),
    "laptop-dark": Campaign("--cycles 6 --requirement press-to-light-1s", rig=",light=none"),
    "desktop": Campaign("--dut healthy-desktop --cycles 8 --warm-up 3 --guard-band"),
    "slow-laptop": Campaign("--dut slow-laptop --cycles 6"),
    "slow-bios": Campaign("--dut slow-bios --cycles 12", seed=11),
    "slow-ec": Campaign("--dut slow-ec --cycles 8"),
    "hybrid": Campaign("--dut hybrid-sleep --state hybrid --cycles 6 --kind hybrid"),
    "s4": Campaign("--dut hibernates --state S4 --cycles 6 --requirement s4-20s", exports=True),
    "doze": Campaign("--dut doze-to-s4 --cycles 6 --dwell 8s"),
    "health": Campaign("--dut loses-devices --cycles 4 --health"),
    "drains": Campaign("--dut drains --state modern-standby --cycles 3 --dwell 30s --health"),
    "standby": Campaign(
        "--dut modern-standby --state modern-standby --cycles 6"
        " --requirement connected-standby-300ms"
    ),
    "fake-s3": Campaign("--dut fake-s3 --cycles 4"),
    "espi": Campaign("--dut espi-laptop --cycles 8 --requirement press-to-light-2s"),
    "double-reset": Campaign("--dut double-reset --cycles 12", seed=3),
    "under-reports": Campaign("--dut bios-under-reports --cycles 8"),
    "reports-zero": Campaign("--dut bios-reports-zero --cycles 4"),
    "ticks": Campaign("--dut fpdt-in-ticks --cycles 6"),
    "hidden": Campaign("--dut hidden-before-s3 --cycles 5"),
    "late-display": Campaign("--dut late-display --cycles 8"),
    "pwm": Campaign("--dut pwm-panel --cycles 4"),
    "tsc": Campaign("--dut tsc-not-reset --cycles 5"),
    "lid": Campaign("--dut lid-bounce --sleep-by lid --wake-by lid --cycles 5"),
    "idle": Campaign("--dut idle-sleeper --sleep-by idle --wake-by timer --cycles 5"),
    "boots": Campaign("--state S5 --cycles 4 --settle 15s --sleep-by command"),
    "strangers": Campaign(
        "--dut dut.toml --cycles 10",
        seed=5,
        files={
            "dut.toml": dut(
                "healthy-laptop",
                "Laptop that nothing distinguishes",
                behaviour={
                    "wakes_alone_share": 0.2,
                    "firmware_late_share": 0.2,
                    "firmware_late_ms": 20000,
                    "record_missing_share": 0.2,
                    "record_aborted_share": 0.2,
                    "record_doubled_share": 0.2,
                    "light_late_share": 0.2,
                    "light_late_ms": 700,
                },
            )
        },
        exports=True,
    ),
    "clock-set": Campaign(
        "--dut dut.toml --cycles 16",
        files={
            "dut.toml": dut(
                "healthy-laptop",
                "Laptop whose clock is set",
                behaviour={"clock_step_share": 0.15, "clock_step_ms": 4321},
            )
        },
    ),
    "mix": Campaign(
        "--plan plan.toml --dut dut.toml --kind S3 --kind S4",
        files={
            "plan.toml": MIX,
            "dut.toml": dut("healthy-laptop", "Laptop of all ways", recovery=SHORT_LADDER),
        },
    ),
    "stops": Campaign(
        "--plan plan.toml --dut dut.toml",
        files={
            "plan.toml": STOPS,
            "dut.toml": dut(
                "healthy-laptop",
                "Laptop that wakes alone",
                behaviour={"wakes_alone_share": 0.2},
                recovery=SHORT_LADDER,
            ),
        },
    ),
    "hangs": Campaign(
        "--dut dut.toml --cycles 14",
        seed=4,
        files={
            "dut.toml": dut(
                "healthy-laptop",
                "Laptop that hangs",
                behaviour={"hang_share": 0.3},
                recovery=SHORT_LADDER,
            )
        },
    ),
    "few-tries": Campaign(
        "--cycles 8 --dut dut.toml",
        files={
            "faults.toml": fault("never-sleeps", 11, 60, 120, for_s=8)
            + fault("never-wakes", 180, 260, for_s=40),
            "dut.toml": dut(
                "healthy-laptop",
                "Laptop that errs, with one try a step",
                recovery={**SHORT_LADDER, "tries": 1, "steps": ["press", "force-off"]},
            ),
        },
    ),
    # It wakes a quarter of a minute after it is given up, each time.
    "in-a-row": Campaign(
        "--dut dut.toml --cycles 20",
        seed=2,
        files={
            "dut.toml": dut(
                "healthy-laptop",
                "Laptop that always wakes late",
                recovery={**SHORT_LADDER, "wait_ms": 30_000, "in_a_row": 2},
            )
            + LATE
        },
    ),
    "wire": Campaign("--cycles 6", files={"faults.toml": WIRE}),
    "unplugged": Campaign(
        "--cycles 5", files={"faults.toml": fault("unplug", 12, for_s=400)}, resumes=1
    ),
    "resets": Campaign(
        "--cycles 9",
        files={
            "faults.toml": fault("board-reset", 17.4, 60)
            + fault("ring-overrun", 35)
            + fault("host-pause", 80, for_s=30)
        },
    ),
    "errs": Campaign(
        "--cycles 10 --dut dut.toml",
        files={
            "faults.toml": fault("never-sleeps", 11, for_s=8)
            + fault("dark", 90, for_s=10)
            + fault("never-wakes", 150, for_s=40)
            + fault("wakes-alone", 230, for_s=8),
            "dut.toml": dut("healthy-laptop", "Laptop that errs", recovery=SHORT_LADDER),
        },
        resumes=1,
    ),
    "log-errs": Campaign(
        "--cycles 14",
        files={
            "faults.toml": fault("log-cut", 12, for_s=15)
            + fault("log-late", 50, for_s=18)
            + fault("no-record", 80, for_s=8)
            + fault("zero-record", 110, for_s=8)
            + fault("clock-step", 130, by_s=-90)
        },
    ),
    # Long enough for a drift, with records that are read as they come.
    "long": Campaign(
        "--dut dut.toml --cycles 120 --no-ignore-first",
        rig=",light=none",
        files={
            "dut.toml": dut(
                "healthy-laptop",
                "Laptop of a long night",
                behaviour={
                    "clock_step_share": 0.02,
                    "clock_step_ms": -2500,
                    "record_missing_share": 0.1,
                    "record_doubled_share": 0.05,
                },
            )
        },
    ),
    "disk-full": Campaign(
        "--cycles 5",
        files={"faults.toml": fault("disk-full", 12, for_s=12)},
        resumes=2,
    ),
}


def played(name: str) -> Answers:
    """Play a campaign in the folder in which the process works; return all that is said of it."""
    campaign = CAMPAIGNS[name]
    store, page = f"{name}.rrs", f"{name}.html"
    for file, text in campaign.files.items():
        Path(file).write_text(text, encoding="utf-8")
    answers: Answers = {}
    run = ("run", "--rig", campaign.url, "--out", store, "--report", page, "--json")
    _keep(answers, "run", ask(*run, *campaign.words.split()))
    for turn in range(campaign.resumes):
        words = ("run", "--resume", store, "--report", page, "--json", "--progress", "json")
        # A fault plan is a file, which no store may name.
        named = ("--rig", campaign.url) if "faults.toml" in campaign.files else ()
        _keep(answers, f"resume {turn + 1}", ask(*words, *named))
    if not Path(store).exists():
        return answers
    answers["store"] = stores.dump(store)
    if Path(page).exists():
        answers["report"] = page_of(page)
    _keep(answers, "correlate", ask("correlate", store, *_judged(campaign), "--budget", "--all"))
    _keep(answers, "store info", ask("store", "info", store))
    if campaign.exports or campaign.resumes:
        _keep(answers, "correlate --json", ask("correlate", store, *_judged(campaign), "--json"))
        if answers["run: out"] == answers["correlate --json: out"]:
            answers["correlate --json: out"] = "as run said"
    _keep(answers, "store info --json", ask("store", "info", store, "--json"))
    _keep(answers, "store check", ask("store", "check", store))
    return here(answers, stores.machine(store))


def exported(name: str) -> Answers:
    """Write every export of a campaign that was played; return what they hold."""
    store = f"{name}.rrs"
    return here(dict(_exported(store)), stores.machine(store))


def here(answers: Answers, texts: Iterable[str]) -> Answers:
    """Return answers without what they say of this machine and this version."""
    for text in texts:
        answers = {key: answer.replace(text, "HERE") for key, answer in answers.items()}
    return answers


def _judged(campaign: Campaign) -> list[str]:
    """Return those words of `run` that say how to judge."""
    words = campaign.words.split()
    found: list[str] = []
    for i, word in enumerate(words):
        if word in {"--requirement", "--kind"}:
            found += words[i : i + 2]
        elif word == "--guard-band":
            found.append(word)
    return found


def _exported(store: str) -> Iterator[tuple[str, str]]:
    for file, *words in EXPORTS:
        answer = ask("export", store, *words, "--out", f"{store}-{file}")
        yield f"export {file}: told", told(answer)
        if Path(f"{store}-{file}").exists():
            yield f"export {file}", Path(f"{store}-{file}").read_text(encoding="utf-8")


def _keep(answers: Answers, key: str, answer: Answer) -> None:
    answers[f"{key}: out"] = answer.out
    answers[f"{key}: told"] = told(answer)


def page_of(path: str) -> str:
    """Return an HTML report without the time at which it was written."""
    text = Path(path).read_text(encoding="utf-8")
    return _WRITTEN.sub("WHEN", text)


def told(answer: Answer) -> str:
    """Return exit status and standard error."""
    return f"status {answer.status}\n{answer.err}"
