"""Files that are there whole or not at all; their place is found and checked before the work."""

import errno
import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, Final

from resume_rig.model.errors import UsageError

_NUMBER_MOST: Final = 99_999
_STEM_CHARS: Final = 80


def check_place_of(path: Path) -> None:
    """Check that a file can be made at `path`, before the work that it is to report.

    Raises:
        UsageError: its folder is not there, or cannot be written to, or it is no file itself.
    """
    if path.exists() and not path.is_file():
        raise UsageError(f"could not write {path}: it is a folder or a device; name a file")
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        found = "may not be written to" if path.parent.is_dir() else "is not there"
        raise UsageError(
            f"could not write {path}: its folder {found}; name a file in a folder that can be "
            "written to"
        )


def remedy_of(error: OSError, usual: str) -> str:
    """Return what to do about a place that cannot be written to: a full disk is no wrong place."""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return "make room there, or name a place on another disk" if full else usual


def free_path(folder: Path, name: str, suffix: str = "") -> Path:
    """Return a path in a folder where nothing is: NAME-1, NAME-2 and so on.

    Raises:
        UsageError: there are too many.
    """
    for number in range(1, _NUMBER_MOST + 1):
        path = folder / f"{name}-{number}{suffix}"
        if not path.exists():
            return path
    raise UsageError(f"could not make {name} in {folder}: there are {_NUMBER_MOST:,} already")


def file_stem(text: str) -> str:
    """Return a name of a test or suite as a part of a file's name."""
    plain = (each if each.isalnum() and each.isascii() else "-" for each in text[:_STEM_CHARS])
    return "".join(plain) or "campaign"


def mask_of_files() -> int:
    """Return what new files are not allowed to others; it can be asked only by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_whole(path: Path, content: str | Iterable[str] | Callable[[IO[bytes]], None]) -> None:
    """Write a file so that it is there whole or not at all; a link stays, its target is written.

    Args:
        path: of the file.
        content: text, or what writes bytes.

    Raises:
        UsageError: the place cannot be written to.
    """
    temporary: str | None = None
    try:
        path = Path(os.path.realpath(path))
        if path.exists() and not path.is_file():
            raise UsageError(f"could not write {path}: it is a folder or a device; name a file")
        descriptor, temporary = tempfile.mkstemp(
            dir=path.parent, prefix=f".{path.name[:80]}.", suffix=".part"
        )
        if callable(content):
            with os.fdopen(descriptor, "wb") as raw:
                content(raw)
        else:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as stream:
                stream.writelines([content] if isinstance(content, str) else content)
        # mkstemp makes files for the owner alone; a report is for the team.
        Path(temporary).chmod(0o666 & ~mask_of_files())
        Path(temporary).replace(path)
    except OSError as error:
        reason = error.strerror or str(error)
        remedy = remedy_of(error, "name a file in a folder that can be written to")
        raise UsageError(f"could not write {path}: {reason}; {remedy}") from error
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)  # Ctrl-C leaves no half of a file either
