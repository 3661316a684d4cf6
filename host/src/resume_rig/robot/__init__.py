"""The rig inside Robot Framework: `Library    resume_rig.robot.ResumeRig`."""

from resume_rig.robot.library import ResumeRig

__all__ = ["ResumeRig"]
