"""Every word of a plan as an argument of the driver's campaigns."""

import dataclasses
import json
import os
import subprocess
from pathlib import Path

from labgrid_lab import PATIENCE_S, ROOT
from plan_words import ILLEGAL, LEGAL

from resume_rig.campaign.plan.plan import default_plan
from resume_rig.campaign.plan.plan_file import plan_to_mapping


def test_the_driver_has_every_word(labgrid_bin: Path, tmp_path: Path) -> None:
    rate = {"stop_failure_rate_below_percent": "1"}
    wrong = [{**(rate if "confidence" in key else {}), key: text} for key, text, _ in ILLEGAL]
    done = subprocess.run(
        [str(labgrid_bin / "python"), str(Path(__file__).with_name("plan_by_driver.py"))],
        input=json.dumps([*(words for words, _ in LEGAL), *wrong]),
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT / "host" / "src")},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    plans = [dataclasses.replace(default_plan(), **fields) for _, fields in LEGAL]
    assert found[: len(LEGAL)] == [plan_to_mapping(plan) for plan in plans]
    for (key, _, sentence), said in zip(ILLEGAL, found[len(LEGAL) :], strict=True):
        assert sentence.replace("WORD", key) in said
