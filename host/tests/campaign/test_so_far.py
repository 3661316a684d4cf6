"""The verdict while a campaign runs is that of the judged campaign, where nothing is in doubt."""

import json
from pathlib import Path
from typing import Any

import pytest

from resume_rig.cli.main import main

RUN = ("run", "--rig", "sim:clock=virtual,seed=5,light=none", "--progress", "json", "--json")


def verdicts(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[list[str], str]:
    main([*RUN, "--out", "x.rrs", *words])
    told = capsys.readouterr()
    events = [json.loads(line) for line in told.err.splitlines()]
    answer: dict[str, Any] = json.loads(told.out)
    return [e["verdict_so_far"] for e in events if e["event"] == "cycle"], answer["verdict"]


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        (("--cycles", "4"), "PASS"),
        (("--cycles", "4", "--dut", "slow-laptop"), "FAIL"),
        (("--cycles", "3", "--state", "S4", "--dut", "hibernates"), "NO-EVIDENCE"),
        (("--cycles", "3", "--requirement", "press-to-light-2s"), "NO-EVIDENCE"),
        (("--cycles", "3", "--limit-ms", "100"), "FAIL"),
        (("--cycles", "3", "--limit-ms", "100", "--warm-up", "3"), "NO-EVIDENCE"),
    ],
    ids=["healthy", "slow", "another-state", "share", "limit", "warm-up"],
)
def test_it_ends_as_the_campaign_does(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], verdict: str
) -> None:
    so_far, judged = verdicts(capsys, *words)
    assert (so_far[-1], judged) == (verdict, verdict)


def test_a_dut_that_hangs_fails_at_once_and_for_good(capsys: pytest.CaptureFixture[str]) -> None:
    hangs = 'base = "healthy-laptop"\ntitle = "x"\n[behaviour]\nhang_share = 0.3\n'
    Path("hangs.toml").write_text(hangs, encoding="utf-8")
    so_far, judged = verdicts(capsys, "--cycles", "12", "--dut", "hangs.toml")
    assert judged == "FAIL"
    first = so_far.index("FAIL")
    assert set(so_far[first:]) == {"FAIL"}
    assert "FAIL" not in so_far[:first]


def test_records_that_are_lost_take_a_pass_back_while_it_runs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lost = '[[fault]]\nkind = "no-record"\nat_s = [60]\nfor_s = 400\n'
    Path("lost.toml").write_text(lost, encoding="utf-8")
    sim = "sim:clock=virtual,seed=5,light=none,faults=lost.toml"
    so_far, judged = verdicts(capsys, "--cycles", "12", "--rig", sim)

    assert (so_far[-1], judged) == ("NO-EVIDENCE", "NO-EVIDENCE")
    assert "PASS" in so_far
