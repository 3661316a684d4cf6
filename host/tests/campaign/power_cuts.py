"""What a disk may hold after a power cut at any write of a campaign; shared with benchmarks.

A campaign runs under strace, which tells every write, truncation, name and sync of its store. A
disk keeps for certain what was synced; of what came after the last sync of a file it keeps any
part, in any order, and of the last write any number of sectors. Names count once their folder is
synced, before that as many as were given first.
"""

import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

STRACE: Final = shutil.which("strace")
_CALLS: Final = (
    "openat,close,pwrite64,write,ftruncate,fsync,fdatasync,unlink,unlinkat,link,linkat,"
    "rename,renameat,renameat2"
)
_LINE: Final = re.compile(r"^\d+ +(\w+)\((.*)\) = (-?\d+)")
_RESUMED: Final = re.compile(r"^<\.\.\. \w+ resumed>\s?(.*)")
_TEXT: Final = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
_FD: Final = re.compile(r"^(\d+)<")
_SECTOR: Final = 512
_DONE: Final = re.compile(rb'"event":"cycle".*?"cycle":(\d+)')

Write = tuple[int, bytes | None]  # place and bytes; a length and None: cut there


@dataclass
class File:
    """What one file holds.

    Attributes:
        synced: what the disk has for certain.
        pending: what was written since.
    """

    synced: bytearray = field(default_factory=bytearray)
    pending: list[Write] = field(default_factory=list)

    def sync(self) -> None:
        self.synced = self.after(self.pending)
        self.pending = []

    def after(self, writes: list[Write]) -> bytearray:
        content = bytearray(self.synced)
        for at, data in writes:
            if data is None:
                del content[at:]
                content.extend(bytes(at - len(content)))
            else:
                content.extend(bytes(max(0, at - len(content))))
                content[at : at + len(data)] = data
        return content


@dataclass
class Disk:
    """The files of a store by name, as they are and as the folder's last sync left them.

    Attributes:
        told: the last cycle that a user was told of as done.
        began: whether a user was told that the campaign began.
    """

    names: dict[str, File] = field(default_factory=dict)
    synced_names: dict[str, File] = field(default_factory=dict)
    told: int = 0
    began: bool = False


def record(folder: Path, cycles: int) -> list[str]:
    """Run a campaign into `folder`, and return what it asked of the system."""
    trace = folder / "trace"
    assert STRACE is not None
    words = ("run", "--rig", "sim:clock=virtual,seed=3", "--cycles", str(cycles))
    subprocess.run(
        [
            *(STRACE, "-f", "-y", "-xx", "-s", "300000", "-e", f"trace={_CALLS}"),
            *("-e", "signal=none", "-o", str(trace), sys.executable, "-m", "resume_rig"),
            *(*words, "--out", str(folder / "s.rrs"), "--progress", "json"),
        ],
        check=True,
        capture_output=True,
        timeout=600,
    )
    return trace.read_text("ascii", "replace").splitlines()


def replay(lines: list[str], folder: Path) -> Iterator[Disk]:
    """Yield the disk after each call that changes it or tells the user something.

    In the end it holds what the folder holds, or the record has not told all.
    """
    tape = _Tape(folder)
    for line in _whole(lines):
        match = _LINE.match(line)
        if match is not None and int(match[3]) >= 0 and tape.play(match[1], match[2], match[3]):
            yield tape.disk
    assert tape.disk.names
    for name, file in tape.disk.names.items():
        assert bytes(file.after(file.pending)) == (folder / name).read_bytes(), name


def _whole(lines: list[str]) -> Iterator[str]:
    """Yield calls in one piece; strace cuts one that another thread comes between."""
    begun: dict[str, str] = {}
    for line in lines:
        thread, _, rest = line.partition(" ")
        rest = rest.lstrip()
        if rest.endswith("<unfinished ...>"):
            begun[thread] = line.removesuffix("<unfinished ...>").rstrip()
        elif (resumed := _RESUMED.match(rest)) is not None:
            yield begun.pop(thread, "") + resumed[1]
        else:
            yield line


class _Tape:
    """Plays calls upon a disk."""

    def __init__(self, folder: Path) -> None:
        self.disk = Disk()
        self._folder = folder
        self._open: dict[int, File] = {}
        self._folders: set[int] = set()

    def play(self, call: str, words: str, came: str) -> bool:
        """Do what a call did; return whether it was of the store or told the user something."""
        texts = [bytes.fromhex(text.replace("\\x", "")) for text in _TEXT.findall(words)]
        of = _FD.match(words)
        number = int(of[1]) if of else -1
        if call == "openat":
            return self._opened(Path(texts[0].decode()), int(came), new="O_CREAT" in words)
        if call == "close":
            self._open.pop(number, None)
            self._folders.discard(number)
            return False
        if number == 2 and call == "write":
            self.disk.began = self.disk.began or b'"event":"began"' in texts[0]
            self.disk.told = max([self.disk.told, *map(int, _DONE.findall(texts[0]))])
            return True
        if number in self._folders:
            self.disk.synced_names = dict(self.disk.names)
            return True
        if number in self._open:
            self._written(self._open[number], call, words, texts)
            return True
        return self._named(call, [Path(text.decode()).name for text in texts])

    def _opened(self, path: Path, number: int, *, new: bool) -> bool:
        if path == self._folder:
            self._folders.add(number)
        elif _is_of_a_store(path, self._folder):
            if new:
                self.disk.names.setdefault(path.name, File())
            if path.name in self.disk.names:
                self._open[number] = self.disk.names[path.name]
                return new
        return False

    def _written(self, file: File, call: str, words: str, texts: list[bytes]) -> None:
        last = words.rpartition(",")[2]
        match call:
            case "pwrite64":
                file.pending.append((int(last), texts[0]))
            case "ftruncate":
                file.pending.append((int(last), None))
            case "fsync" | "fdatasync":
                file.sync()
            case _:
                raise AssertionError(f"{call} of a store is not foreseen")

    def _named(self, call: str, names: list[str]) -> bool:
        known = self.disk.names
        if not names or names[0] not in known:
            return False
        if call in ("link", "linkat", "rename", "renameat", "renameat2"):
            known[names[1]] = known[names[0]]
        if not call.startswith("link"):
            del known[names[0]]
        return True


def _is_of_a_store(path: Path, folder: Path) -> bool:
    # The index of a WAL is made anew by who opens a store first.
    return path.parent == folder and "s.rrs" in path.name and not path.name.endswith("-shm")


def cuts(disk: Disk, chance: random.Random, variants: int) -> Iterator[dict[str, bytes]]:
    """Yield what a disk may hold by name: all that waits, nothing of it, and parts at random."""
    for variant in range(variants):
        names = disk.names if variant != 1 and chance.random() < 0.8 else disk.synced_names
        yield {name: bytes(_kept(file, chance, variant)) for name, file in names.items()}


def _kept(file: File, chance: random.Random, variant: int) -> bytearray:
    match variant:
        case 0:
            return file.after(file.pending)
        case 1:
            return file.after([])
        case 2 if file.pending:
            *before, (at, data) = file.pending
            torn = None if data is None else data[: chance.randrange(0, len(data) + 1, _SECTOR)]
            return file.after([*before, (at, torn)])
    kept = [write for write in file.pending if chance.random() < 0.5]
    chance.shuffle(kept)
    return file.after(kept)


def lay(files: dict[str, bytes], folder: Path) -> Path:
    """Write such a disk into an empty folder, and return where its store is, if it is there."""
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder / "s.rrs"
