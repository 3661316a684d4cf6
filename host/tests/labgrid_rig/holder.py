"""A user of labgrid's that closes the lid and keeps it closed until killed; runs where labgrid is.

python holder.py ENVIRONMENT
"""

import sys
import threading

from labgrid import Environment

from resume_rig.model.channel import Actuator

rig = Environment(sys.argv[1]).get_target().get_driver("ResumeRigDriver")
rig.target.activate(rig)
rig.hold(Actuator.LID, None)
while not rig.is_held(Actuator.LID):
    pass
sys.stdout.write(f"LID {rig.levels()['LID']}\n")
sys.stdout.flush()
threading.Event().wait()
