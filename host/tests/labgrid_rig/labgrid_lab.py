"""A whole labgrid lab on loopback: a coordinator, an exporter, two simulated rigs, two users.

labgrid lives in an environment of its own (`make labgrid-test` makes it), so that all of its parts
run as processes, as they do in a lab.
"""

import os
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples" / "labgrid"
PATIENCE_S = 120
QUICK_LAPTOP = """\
base = "healthy-laptop"
title = "Laptop that boots at once"
[recovery]
boot_ms = 10000
"""


@dataclass(frozen=True)
class Ended:
    """What a command did; both of its streams."""

    status: int
    said: str


@dataclass
class Lab:
    """The lab; its users differ by the name of their machine."""

    folder: Path
    bin: Path
    coordinator: str
    rigs: dict[str, str] = field(default_factory=dict)

    def environment(self, place: str) -> Path:
        """Return the example's environment of a place, with a DUT that boots at once."""
        text = (EXAMPLES / f"{place}.yaml").read_text("utf-8")
        assert "dut: healthy-laptop" in text
        (self.folder / "quick.toml").write_text(QUICK_LAPTOP, "utf-8")
        path = self.folder / f"{place}.yaml"
        path.write_text(text.replace("healthy-laptop", "quick.toml"), "utf-8")
        return path

    def start(self, user: str, *words: str) -> "subprocess.Popen[str]":
        """Start a program of labgrid's environment as one of the users."""
        return subprocess.Popen(
            [str(self.bin / words[0]), *words[1:]],
            cwd=self.folder,
            env=clean_environment(
                LG_COORDINATOR=self.coordinator, LG_HOSTNAME=f"{user}-pc", LG_USERNAME=user
            ),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    @contextmanager
    def started(self, user: str, program: Path, *words: str) -> "Iterator[subprocess.Popen[str]]":
        """A Python program of one of the users, killed at the end of the block if it still runs."""
        with self.start(user, "python", str(program), *words) as process:
            try:
                yield process
            finally:
                process.kill()

    def run(self, user: str, *words: str) -> Ended:
        """Run such a program to its end."""
        process = self.start(user, *words)
        said, _ = process.communicate(timeout=PATIENCE_S)
        return Ended(process.returncode, said)

    def client(self, user: str, *words: str) -> Ended:
        """Run labgrid-client."""
        return self.run(user, "labgrid-client", *words)


def clean_environment(**more: str) -> dict[str, str]:
    """Return this process's environment without what would lead labgrid elsewhere."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("LG_")}
    return {**kept, **more}


@contextmanager
def process(log: Path, words: list[str], ready: str, **more: str) -> Iterator[re.Match[str]]:
    """Run a server for the length of the block; wait for the line that says it is ready."""
    with log.open("w") as said:
        server = subprocess.Popen(
            words,
            cwd=log.parent,
            env=clean_environment(PYTHONUNBUFFERED="1", **more),
            stdout=said,
            stderr=subprocess.STDOUT,
        )
    try:
        yield awaited(log, ready, server)
    finally:
        server.send_signal(signal.SIGTERM)
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def awaited(log: Path, pattern: str, server: "subprocess.Popen[bytes]") -> re.Match[str]:
    """Return where a log says something."""
    for _ in range(PATIENCE_S * 20):
        if found := re.search(pattern, log.read_text("utf-8", "replace")):
            return found
        try:
            server.wait(0.05)
        except subprocess.TimeoutExpired:
            continue
        break
    raise AssertionError(f"{server.args} did not say {pattern}: {log.read_text('utf-8')}")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])
