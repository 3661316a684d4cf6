"""SKiDL's electrical rules check and its netlist, without what differs from run to run."""

import re

import skidl

from frontend.circuit.board import Board

CHANGING = (
    re.compile(r'^ *\((?:date|source) "[^"]*"\)\n', re.MULTILINE),
    re.compile(r'^ *\(field\n *\(name "SKiDL Line"\) "[^"]*"\)\n?', re.MULTILINE),
)


def electrical_faults(board: Board) -> list[str]:
    """Return what SKiDL's ERC counts, one sentence for errors and one for warnings."""
    board.circuit.ERC()
    counts = {"errors": skidl.erc_logger.error.count, "warnings": skidl.erc_logger.warning.count}
    return [f"SKiDL's ERC found {count} {what}" for what, count in counts.items() if count]


def netlist_of(board: Board) -> str:
    """Return the netlist in KiCad's format; the same bytes for the same circuit."""
    text: str = board.circuit.generate_netlist(file_="front-end.net")
    for changing in CHANGING:
        text = changing.sub("", text)
    return text if text.endswith("\n") else f"{text}\n"
