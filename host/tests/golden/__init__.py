"""Answers of the command line and files that it writes, frozen: they change on purpose or not.

Nothing here but `ask.py` imports `resume_rig`, and that calls its command line alone.
`python -m pytest host/tests/golden --refresh` freezes the answers anew and tells what changed.
"""
