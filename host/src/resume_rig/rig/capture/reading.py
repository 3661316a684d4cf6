"""Reads a capture of any form; its form is recognised by content, not by name."""

import re
from collections.abc import Mapping
from pathlib import Path

from resume_rig.model.channel import Channel
from resume_rig.model.errors import RecordError, UsageError
from resume_rig.oslog.reading import format_of
from resume_rig.rig.capture.csv_capture import COMMENTS, TimeColumn, read_csv
from resume_rig.rig.capture.gathering import Capture
from resume_rig.rig.capture.saleae_binary import MAGIC as SALEAE_MAGIC
from resume_rig.rig.capture.saleae_binary import digital_files, read_saleae
from resume_rig.rig.capture.signals import channel_of_name
from resume_rig.rig.capture.sigrok_session import MAGIC as ZIP_MAGIC
from resume_rig.rig.capture.sigrok_session import read_sigrok
from resume_rig.rig.capture.vcd_capture import read_vcd

ALLOWED = (
    "VCD, CSV, a sigrok session (.sr), and Saleae's binary export (a folder of digital_0.bin ...)"
)

_SNIFFED_BYTES = 4096


def read_capture(
    path: Path,
    channel_map: Mapping[Channel, tuple[str, bool]],
    time_column: TimeColumn | None = None,
) -> Capture:
    """Return the edges of a capture of another instrument.

    Args:
        path: of the file, or of the folder of Saleae's binary export.
        channel_map: channel -> (signal, inverted). A signal is named by its leaf or by its dotted
            path; signals that are named as a channel need no entry.
        time_column: which column of a CSV file is the time, and its unit; else it is the first one.

    Raises:
        RecordError: the capture cannot be read, or is of another form.
        UsageError: the channel map does not fit; the text lists the signals.
    """
    what = f"Reading the capture {str(path)!r}"
    try:
        if path.is_dir():
            _refuse_column(time_column, what)
            return _read_folder(path, channel_map, what)
        with path.open("rb") as file:
            beginning = file.read(_SNIFFED_BYTES)
            file.seek(0)
            if beginning.startswith((SALEAE_MAGIC, ZIP_MAGIC)) or beginning.lstrip().startswith(
                b"$"
            ):
                _refuse_column(time_column, what)
            if beginning.startswith(SALEAE_MAGIC):
                return read_saleae([path], channel_map, what)
            if beginning.startswith(ZIP_MAGIC):
                return read_sigrok(file, channel_map, what)
            if beginning.lstrip().startswith(b"$"):
                return read_vcd(file, channel_map, what)
            if b"\0" in beginning:
                raise RecordError(f"{what}: it is another binary file; allowed are {ALLOWED}.")
            return read_csv(file, channel_map, what, time_column)
    except OSError as error:
        raise RecordError(f"{what}: {error.strerror or error}.") from error


def _refuse_column(column: TimeColumn | None, what: str) -> None:
    """Check that no column is named of what is no table.

    Raises:
        UsageError: one is, or a unit is.
    """
    if column is not None and (column.title or column.unit):
        raise UsageError(
            f"{what}: it is no CSV table, and its form states its times; leave out --time-column "
            "and --time-unit."
        )


def is_capture(path: Path) -> bool:
    """Return whether a file or a folder looks like a capture; what is wrong, reading it finds.

    A table of times is one where a title is a channel's, or the first one is a time: logs are
    tables, too.
    """
    try:
        if path.is_dir():
            return bool(digital_files(path))
        if not path.is_file():
            return False
        with path.open("rb") as file:
            beginning = file.read(_SNIFFED_BYTES)
    except OSError:
        return False
    if beginning.startswith((SALEAE_MAGIC, ZIP_MAGIC)) or beginning.lstrip().startswith(b"$"):
        return True
    if b"\0" in beginning or format_of(beginning) is not None:
        return False
    lines = beginning.decode("utf-8", "replace").splitlines()
    titles = next((line for line in lines if line and line[0] not in COMMENTS), "")
    cells = [cell.strip(' "') for cell in re.split(r"[,;\t]", titles)]
    has_channel = any(channel_of_name(cell) is not None for cell in cells[1:])
    return len(cells) > 1 and (has_channel or cells[0].lower().startswith("time"))


def _read_folder(path: Path, channel_map: Mapping[Channel, tuple[str, bool]], what: str) -> Capture:
    files = digital_files(path)
    if not files:
        raise RecordError(
            f"{what}: it is a directory without digital_0.bin ...; allowed are {ALLOWED}."
        )
    return read_saleae(files, channel_map, what)
