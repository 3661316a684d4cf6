"""What `run` says while it runs, in each of its modes."""

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from command_line import Command

from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.campaign.plan.plan import default_plan
from resume_rig.campaign.run.events import Asleep, CampaignBegan, CycleStarted, LinkReported
from resume_rig.campaign.run.hooks import Hooks
from resume_rig.campaign.store.store import Store
from resume_rig.cli.bench.progress import Progress, ProgressMode
from resume_rig.model.channel import Channel
from resume_rig.model.errors import shell_word

RUN = ("run", "--rig", "sim:clock=virtual,seed=7", "--cycles", "3", "--out", "x.rrs")


def test_json_is_one_document_a_line_and_standard_output_the_answer_alone(
    command: Command,
) -> None:
    said = command(*RUN, "--progress", "json", "--json")
    events = [json.loads(line) for line in said.err.splitlines()]
    assert [e["event"] for e in events[:2]] == ["began", "started"]
    cycles = [e for e in events if e["event"] == "cycle"]
    assert [e["cycle"] for e in cycles] == [1, 2, 3]
    assert cycles[-1]["outcomes"] == {"slept-and-woke": 3}
    assert cycles[-1]["left_ns"] == 0
    # The first one is not judged.
    assert [e["verdict_so_far"] for e in cycles] == ["NO-EVIDENCE", "PASS", "PASS"]
    asleep, woke = (next(e for e in events if e["event"] == name) for name in ("asleep", "woke"))
    assert (asleep["levels"]["SLP_S3"], woke["levels"]["SLP_S3"]) == (0, 1)
    answer = said.document["cycles"]
    assert isinstance(answer, list)
    assert [e["resume_ms"] for e in cycles] == [[c["inside"]["resume_ms"]] for c in answer]


def test_a_hang_is_told_as_soon_as_a_press_has_proven_it(command: Command) -> None:
    text = 'base = "healthy-laptop"\ntitle = "Hangs"\n[behaviour]\nhang_share = 0.5\n'
    Path("hangs.toml").write_text(text, encoding="utf-8")
    run = (*RUN[:4], "8", "--dut", "hangs.toml")
    said = command(*run, "--out", "a.rrs", "--progress", "json", "--json")
    events = [json.loads(line) for line in said.err.splitlines()]
    outcomes = {e["cycle"]: e["outcome"] for e in events if e["event"] == "cycle"}
    proven = {
        e["after_cycle"]: e["outcome"] for e in events if "after_cycle" in e if "outcome" in e
    }
    assert "hung-in-resume" in proven.values()
    assert all(outcomes[number] == "dark" for number in proven)
    cycles = said.document["cycles"]
    assert isinstance(cycles, list)
    assert [c["outcome"] for c in cycles] == list((outcomes | proven).values())
    campaign = said.document["campaign"]
    assert isinstance(campaign, dict)
    faults = "\n".join(campaign["faults"])
    assert faults.index("One more try did not help") < faults.index("Forcing it off")
    section = Path("a.html").read_text("utf-8").partition(f'id="cycle-{min(proven)}"')[2]
    steps = section.partition("<ol")[2].partition("</ol>")[0]
    assert steps.index("One more try did not help") < steps.index("Forcing it off")
    lines = command(*run, "--out", "b.rrs").err
    assert all(f"; so cycle {number} hung in resume." in lines for number in proven)


def shown_by(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr("resume_rig.cli.bench.progress.note_columns", lambda: 80)
    rig = SimpleNamespace(board="sim")
    requirement = load_requirement("sysfund-0004")
    identity: Any = SimpleNamespace(
        dut_name="laptop", rig=rig, requirement=requirement, is_simulated=False
    )
    progress = Progress(identity, ProgressMode.LINES, Hooks({}, {}))

    progress(CampaignBegan(Path("x.rrs"), default_plan(), 1, 0))
    progress(CycleStarted(1, 0, 4, {Channel.PWR_OK: 1}))
    progress(Asleep(1, 800_000_000, {Channel.PWR_OK: 0}))
    progress(LinkReported(0, 0, 0))
    return capsys.readouterr().err


def test_the_lines_of_status_are_gone_when_a_campaign_is_stopped(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    _, going, asleep, rest = shown_by(capsys, monkeypatch).split("\033[J")
    assert "cycle 1 going to sleep\nhigh: PWR_OK" in going
    # Up over two lines, so that nothing of them stays.
    assert going.endswith("\r\033[1A")
    assert "cycle 1 asleep after 800.0 ms\nlow: PWR_OK" in asleep
    assert asleep.endswith("\r\033[1A")
    assert rest == ""


def test_a_terminal_that_cannot_write_over_gets_lines_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    said = shown_by(capsys, monkeypatch)
    assert said == "4 S3 cycles on laptop, rig sim; store x.rrs\n"


def test_quiet_says_nothing_of_a_campaign_that_goes_well(command: Command) -> None:
    said = command(*RUN, "--progress", "quiet", "--json")
    assert said.status == 0
    assert said.err == ""


def test_lines_are_one_a_cycle(command: Command) -> None:
    said = command(*RUN, "--json")
    assert sum(line.startswith("cycle ") for line in said.err.splitlines()) == 3


def test_the_end_is_told_to_a_hook(command: Command, folder: Path) -> None:
    code = "import os; open('told', 'w').write(os.environ['RESUME_RIG_VERDICT'])"
    Path("hook.py").write_text(code, encoding="utf-8")
    hook = f"{sys.executable} {folder / 'hook.py'}"
    said = command(*RUN, "--json", "--on-end", hook)
    assert said.status == 0
    assert Path("told").read_text("utf-8") == "PASS"


@pytest.mark.parametrize("option", ["--on-failure", "--on-recovery", "--on-end"])
def test_a_command_that_is_none_is_refused_before_anything_moves(
    command: Command, option: str
) -> None:
    said = command(*RUN, option, "'open")
    assert said.status == 2
    assert "could not use the command" in said.err
    assert not Path("x.rrs").exists()


def events_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_every_line_is_json_whatever_happens(folder: Path) -> None:
    script = "import sys; print('\x1b[31m{'); print('}', file=sys.stderr); raise SystemExit(7)"
    Path("noisy.py").write_text(script, encoding="utf-8")
    text = 'base = "healthy-laptop"\ntitle = "Hangs"\n[behaviour]\nhang_share = 0.5\n'
    Path("hangs.toml").write_text(text, encoding="utf-8")
    noisy = f"{sys.executable} noisy.py"
    hooks = [word for event in ("failure", "recovery", "end") for word in (f"--on-{event}", noisy)]

    # Only a process of its own shows what its children write to its standard error.
    words = (*RUN[:4], "8", "--out", "x.rrs", "--dut", "hangs.toml", "--progress", "json")
    said = subprocess.run(
        [sys.executable, "-m", "resume_rig", *words, "--power-cycle", noisy, *hooks],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )

    events = events_of(said.stderr)
    assert any("ended with status 7" in e["text"] for e in events if e["event"] == "said")
    (verdict,) = (e for e in events if e["event"] == "verdict")
    assert verdict["verdict"] == "FAIL"
    assert (verdict["store"], verdict["report"]) == ("x.rrs", "x.html")
    assert events[-1] == {"event": "ended", "status": 1}
    assert said.returncode == 1
    assert "FAIL: " in said.stdout


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ((*RUN, "--dut", "nobody"), 2),
        (("run", "--resume", "nothing.rrs"), 2),
        (("run", "--rig", "serial:/nothing/there", "--out", "x.rrs"), 3),
    ],
    ids=["dut", "store", "port"],
)
def test_what_cannot_begin_is_told_to_a_machine_too(
    command: Command, words: tuple[str, ...], status: int
) -> None:
    said = command(*words, "--progress", "json")
    *sentences, end = events_of(said.err)
    assert [e["event"] for e in sentences] == ["said"]
    assert end == {"event": "ended", "status": status}
    assert said.status == status


def test_a_full_disk_is_told_to_the_command_on_end_with_the_answer_so_far(
    command: Command, folder: Path
) -> None:
    Path("full.toml").write_text(
        'seed = 7\n[[fault]]\nkind = "disk-full"\nat_s = 30\nfor_s = 600\n', encoding="utf-8"
    )
    code = (
        "import json, os, sys\n"
        "facts = {k: v for k, v in os.environ.items() if k.startswith('RESUME_RIG_')}\n"
        f"open({str(folder / 'told')!r}, 'w').write(json.dumps(facts))\n"
    )
    Path("hook.py").write_text(code, encoding="utf-8")
    rig = "sim:clock=virtual,seed=7,faults=full.toml"

    said = command(
        *("run", "--rig", rig, "--cycles", "9", "--out", "a b.rrs"),
        *("--on-end", f"{sys.executable} hook.py", "--progress", "json", "--json"),
    )

    told = json.loads(Path("told").read_text("utf-8"))
    assert said.status == 2
    assert told["RESUME_RIG_EVENT"] == "end"
    assert "is full" in told["RESUME_RIG_TEXT"]
    again = f"resume-rig run --resume {shell_word(Path('a b.rrs'))} --rig "
    assert f"`{again}" in told["RESUME_RIG_TEXT"]
    assert told["RESUME_RIG_VERDICT"] == said.document["verdict"]
    assert Path("a b.html").exists()


def test_a_store_of_another_process_ends_no_campaign(command: Command, folder: Path) -> None:
    assert command(*RUN).status == 0
    Path("hook.py").write_text("open('told', 'w').close()", encoding="utf-8")
    with Store.resume(Path("x.rrs")):
        said = command(
            *("run", "--resume", "x.rrs", "--on-end", f"{sys.executable} {folder / 'hook.py'}")
        )
    assert said.status == 2
    assert said.out == ""
    assert not Path("told").exists()
