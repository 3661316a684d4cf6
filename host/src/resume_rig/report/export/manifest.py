"""The list of a folder's files with their SHA-256, in the form that `sha256sum --check` reads."""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

NAME: Final = "MANIFEST.sha256"


def manifest_lines(folder: Path, files: Iterable[Path]) -> Iterator[str]:
    """Yield a line for each of `files`, sorted by name.

    Raises:
        OSError: one cannot be read.
    """
    names = sorted((path.relative_to(folder).as_posix(), path) for path in files)
    for name, path in names:
        with path.open("rb") as stream:
            yield f"{hashlib.file_digest(stream, 'sha256').hexdigest()}  {name}\n"
