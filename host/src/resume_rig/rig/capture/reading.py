"""Reads a capture file of either form; the form is told from its content, not from its name."""

import io
from collections.abc import Mapping
from pathlib import Path

from resume_rig.model.channel import Channel
from resume_rig.model.errors import RecordError
from resume_rig.rig.capture.csv_capture import read_csv
from resume_rig.rig.capture.gathering import Capture
from resume_rig.rig.capture.vcd_capture import read_vcd

_SNIFFED_BYTES = 4096


def read_capture(path: Path, channel_map: Mapping[Channel, tuple[str, bool]]) -> Capture:
    """Return the edges of a VCD or CSV capture.

    Args:
        path: of the file.
        channel_map: channel -> (signal, inverted). A signal is named by its leaf or by its dotted
            path; signals that are named as a channel need no entry.

    Raises:
        RecordError: the file cannot be read, or is neither VCD nor CSV.
        UsageError: the channel map does not fit; the text lists the signals.
    """
    what = f"Reading the capture {str(path)!r}"
    try:
        with path.open("rb") as file:
            beginning = file.read(_SNIFFED_BYTES)
            file.seek(0)
            if beginning.lstrip().startswith(b"$"):
                return read_vcd(file, channel_map, what)
            if b"\0" in beginning:
                raise RecordError(f"{what}: it is a binary file; allowed are VCD and CSV.")
            with io.TextIOWrapper(file, encoding="utf-8-sig", newline="") as text:
                return read_csv(text, channel_map, what)
    except OSError as error:
        raise RecordError(f"{what}: {error.strerror or error}.") from error
