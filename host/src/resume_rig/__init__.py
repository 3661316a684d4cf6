"""resume-rig: times how a PC resumes from sleep, from outside, and judges it."""

__version__ = "0.1.0"
