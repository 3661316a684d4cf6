"""Prints the plans that a driver's campaigns would run by, as JSON; words come on standard input.

It runs where labgrid is installed.
"""

import json
import sys

from labgrid import Target

from resume_rig.campaign.plan.plan import Plan
from resume_rig.campaign.plan.plan_file import plan_to_mapping
from resume_rig.labgrid_rig import driver as driver_module
from resume_rig.labgrid_rig.driver import ResumeRigDriver
from resume_rig.labgrid_rig.resources import RawResumeRig
from resume_rig.model.errors import UsageError
from resume_rig.model.rig_url import RigUrl
from resume_rig.pytest_rig import running

plans = []


def catch(_bench: object, plan: Plan, *_: object, **__: object) -> None:
    """Keep the plan, and run nothing."""
    plans.append(plan_to_mapping(plan))
    raise UsageError("caught")


running.run_campaign = catch
driver_module.url_of = lambda _: RigUrl("sim:clock=virtual")
target = Target("t")
RawResumeRig(target, name=None, port="none")
driver = ResumeRigDriver(target, name=None)
target.activate(driver)
for words in json.load(sys.stdin):
    try:
        driver.run_campaign(**words)
    except UsageError as error:
        if str(error) != "caught":
            plans.append(str(error))
target.deactivate(driver)
sys.stdout.write(json.dumps(plans))
