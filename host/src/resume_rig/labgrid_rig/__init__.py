"""The rig inside labgrid: `imports: [resume_rig.labgrid_rig]` in an environment's file.

Only where labgrid is; it brings a pyserial of its own, and so lives in an environment of its own.
Importing this is what makes labgrid know the classes.
"""

from resume_rig.labgrid_rig.driver import (
    ResumeRigDriver,
    ResumeRigOutputDriver,
    ResumeRigStrategy,
    Status,
)
from resume_rig.labgrid_rig.resources import NetworkResumeRig, RawResumeRig, USBResumeRig

__all__ = [
    "NetworkResumeRig",
    "RawResumeRig",
    "ResumeRigDriver",
    "ResumeRigOutputDriver",
    "ResumeRigStrategy",
    "Status",
    "USBResumeRig",
]
