"""The desktop application: a face, so it shows and forwards, and computes nothing of its own.

state/    what is seen, free of Qt: folds over events, tables, drafts
worker/   the thread that owns the rig, and jobs in the background
widgets/  pieces that every view shares: plots, tables, notices
views/    one page of the window each; `views/registry.py` lists them
"""
