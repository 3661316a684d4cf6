"""A second world: PCs, Windows logs and logic analysers that know nothing of the product.

Nothing here imports `resume_rig` but `judge.py`, and that one calls its command line alone.
"""
