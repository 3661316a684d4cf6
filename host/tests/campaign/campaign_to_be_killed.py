"""Runs a simulated campaign into the store named first; writes each cycle's number when done."""

import sys
from pathlib import Path

from resume_rig.campaign.plan.plan import default_plan, override
from resume_rig.campaign.run.campaign import CampaignParts, begin
from resume_rig.campaign.run.events import CampaignEvent, CycleDone
from resume_rig.campaign.store.identity import identify
from resume_rig.model.os_record import SleepKind
from resume_rig.model.result.verdict import Requirement
from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.link.open import open_rig


def tell(event: CampaignEvent) -> None:
    if isinstance(event, CycleDone):
        sys.stdout.write(f"{event.raw.number}\n")
        sys.stdout.flush()


def main(path: Path, cycles: int) -> None:
    dut = load_dut_profile("healthy-laptop")
    opened = open_rig("sim:clock=virtual,seed=7", dut=dut)
    identity = identify(
        rig_url=opened.url,
        rig=opened.rig.info(),
        dut=dut,
        requirement=Requirement("test-req", 1, "Title", "Source", (SleepKind.S3,), 2000, 250),
        created_utc_ns=2,
    )
    plan = override(default_plan(), cycles=cycles)
    begin(path, plan, identity, CampaignParts(opened.rig, opened.clock), tell)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
