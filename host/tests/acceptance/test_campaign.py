"""A campaign that a fault ended, in the hands of a test system: what is left to be judged."""

from pathlib import Path

import pytest

from resume_rig.acceptance.bench import open_bench
from resume_rig.acceptance.campaign import CampaignBroken, run_campaign
from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.campaign.plan.plan import default_plan, override

FULL = """
[[fault]]
kind = "disk-full"
at_s = 25
for_s = 4000
"""


def test_a_disk_that_is_full_leaves_an_answer_and_a_report(tmp_path: Path) -> None:
    faults, store = tmp_path / "full.toml", tmp_path / "night.rrs"
    faults.write_text(FULL, "utf-8")
    bench = open_bench(f"sim:clock=virtual,seed=7,faults={faults}", "healthy-laptop")
    try:
        with pytest.raises(CampaignBroken, match=r"is full: 0 MB are left.*goes on") as broken:
            run_campaign(
                bench, override(default_plan(), cycles=8), store, load_requirement("sysfund-0004")
            )
    finally:
        bench.close()

    assert len(broken.value.assessed.correlation.cycles) == 3
    assert store.with_suffix(".html").exists()
