"""A new store comes into being whole or not at all: killed before, there is no file."""

import os
import secrets
import sqlite3
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from resume_rig.campaign import schema
from resume_rig.campaign.store_rows import Row
from resume_rig.model.errors import UsageError
from resume_rig.model.shell_word import shell_word

NAME_BYTES: Final = 240
"""Longest name of a store: a name has 255 bytes on most systems, and SQLite appends to it."""


def bring_forth(path: Path, identity: Iterable[Row]) -> None:
    """Make a store without cycles; it gets its name when all of it is on the disk.

    Args:
        path: of the store; no file may be there.
        identity: rows of the identity table.

    Raises:
        UsageError: the file is there already, or cannot be made.
    """
    if len(os.fsencode(path.name)) > NAME_BYTES:
        raise UsageError(
            f"could not make the store {path}: its name has more than {NAME_BYTES} bytes, and "
            "files beside it need a longer one; name it shorter"
        )
    part = path.with_name(f".{path.name[:80]}.{secrets.token_hex(4)}.part")
    try:
        _lay_out(part, identity)
        give_name(part, path)
    except FileExistsError:
        if not path.is_file():
            raise UsageError(
                f"could not make the store {path}: it is a folder or a device; name a new file"
            ) from None
        raise UsageError(
            f"could not make the store {path}: a file of that name is there; go on with it by "
            f"`resume-rig run --resume {shell_word(path)}`, or name another one"
        ) from None
    except sqlite3.Error as error:
        raise UsageError(f"could not make the store {path}: {schema.why(error)}") from error
    except OSError as error:
        raise UsageError(f"could not make the store {path}: {error.strerror or error}") from error
    finally:
        for suffix in ("", "-wal", "-shm"):
            part.with_name(part.name + suffix).unlink(missing_ok=True)


def _lay_out(part: Path, identity: Iterable[Row]) -> None:
    part.touch(exist_ok=False)
    connection = schema.connect_new(part)
    try:
        connection.execute("BEGIN IMMEDIATE")
        schema.lay_out(connection)
        connection.executemany("INSERT INTO identity VALUES (?, ?)", map(tuple, identity))
        connection.execute("COMMIT")
    finally:
        connection.close()


def give_name(part: Path, path: Path) -> None:
    """Let a store that is whole appear under its name, of which nobody else has one.

    Args:
        part: the store, under another name in the same folder or one below it.
        path: its name from now on.

    Raises:
        FileExistsError: a file of that name is there.
        OSError: the name cannot be given.
    """
    try:
        os.link(part, path)
    except FileExistsError:
        raise
    except OSError:
        # A file system without hard links. Who claims the name first has it.
        path.touch(exist_ok=False)
        part.replace(path)
    _settle(path.parent)


def _settle(folder: Path) -> None:
    """Let the new name survive a loss of power, where a folder can be synchronised."""
    if sys.platform != "win32":
        with suppress(OSError):
            opened = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(opened)
            finally:
                os.close(opened)
