"""The desktop application: a face, so it shows and forwards, and computes nothing of its own.

state/    what is seen, free of Qt: folds over events, tables, drafts
worker/   the thread that owns the rig, and jobs in the background
widgets/  pieces that every page shares: plots, tables, notices
app/      the window around the pages; `app/menus.py` lists them

The other folders are one page each: bench, campaign, explorer, compare, limits, log.
"""
