"""Whether evidence is of a PC or of a simulated bench: a property of it that every face shows."""

from collections.abc import Collection
from typing import Final

SIMULATED: Final = "SIMULATED: no PC was measured"
"""The band of what a simulated bench gave."""

_SIMULATED_BOARDS: Final = frozenset({"sim", "native_sim"})
"""What boards without a wire call themselves, before a slash: the bench in this package, and
Zephyr's native_sim, in any of its variants."""

_SIMULATED_SCHEMES: Final = frozenset({"sim", "native"})


def is_simulated_board(board: str) -> bool:
    """Return whether a board is a program, by what it calls itself."""
    return board.partition("/")[0] in _SIMULATED_BOARDS


def was_simulated(board: str, url: str) -> bool | None:
    """Return whether a rig of an older store was a simulated bench; None where nothing says so.

    Args:
        board: what it called itself.
        url: it was opened by; a port may have had either behind it.
    """
    known = is_simulated_board(board) or url.partition(":")[0] in _SIMULATED_SCHEMES
    return True if known else None


def evidence_text(simulated: bool | None) -> str:
    """Return what was measured, as an identity has it."""
    if simulated is None:
        return "not stated: a PC or a simulated bench"
    return SIMULATED if simulated else "a PC, at a board"


def band_of(each: Collection[bool | None], what: str) -> str:
    """Return the band of one or many campaigns; "" where none is known to be simulated.

    Args:
        each: of each, whether it is simulated; None where nobody states it.
        what: they are called, in the plural.
    """
    simulated = sum(one is True for one in each)
    if not simulated:
        return ""
    if simulated == len(each):
        return SIMULATED
    return f"PARTLY SIMULATED: no PC was measured in {simulated} of {len(each)} {what}"
