"""What is said of a sleep without an account, and of which log nothing can be said."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from resume_rig.model.os_record import KINDS, Ending, OsRecord, SleepKind

UNCLEAN: Final = "Kernel-Power 41: the PC was not shut down before that boot."
LEFT: Final[Mapping[Ending, str]] = {
    Ending.RESUMED: "Windows logged no Power-Troubleshooter 1 for this wake, so it has no times.",
    Ending.BECAME_BOOT: "It ended in a boot instead of a resume.",
    Ending.REFUSED: "Windows began this sleep and stayed awake.",
    Ending.OPEN: "The log ends before this sleep does.",
    Ending.NOT_SHOWN: "The log does not show wakes, so how this sleep ended is not known.",
}
_BY_LACK_OF_A_WAKE: Final[Mapping[Ending, frozenset[str]]] = {
    each: frozenset({LEFT[each], UNCLEAN})
    for each in (Ending.REFUSED, Ending.OPEN, Ending.BECAME_BOOT)
}
"""Endings that only the lack of a wake speaks for, with the notes of a record that has no more."""


def ending_not_shown(record: OsRecord) -> OsRecord:
    """Return a record as one of a log that shows no wakes, not even of sleeps that ended in one.

    Windows 7 has no Kernel-Power 107 and no Reason in Kernel-General 1, and exports are filtered.
    What only the lack of a wake speaks for is not known there; a death, and a boot by Kernel-Boot's
    own words, are.
    """
    bare = None if record.ended is None else _BY_LACK_OF_A_WAKE.get(record.ended)
    if bare is None or not bare.issuperset(record.notes):
        return record
    states = record.target_state, record.effective_state
    return replace(
        record,
        kind=KINDS.get(states, SleepKind.UNKNOWN),
        ended=Ending.NOT_SHOWN,
        notes=(LEFT[Ending.NOT_SHOWN],),
    )
