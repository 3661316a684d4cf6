"""The desktop application: a face, so it shows and forwards, and computes nothing of its own.

state/    what pages share, free of Qt: tables, wires, names of fields, work on stores
worker/   the thread that owns the rig, folds over its events, jobs in the background
widgets/  pieces that pages share: plots, tables, notices, actions with keys
app/      the window around the pages, which `request.VIEW_NAMES` names

The other folders are one page each: `view` shows it, and `state` is what it shows, free of Qt.
`start` keeps nothing; those of `bench` and `campaign` are in `worker`, drafts in `campaign`.
A page waits for a job in a `JobSlot`; `refresh` reads `desk.state`, and nothing else is kept.
"""
