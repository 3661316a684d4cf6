"""A bench whose board is a native_sim image, with one thread between the image and a simulated DUT.

The thread starts the image, keeps the DUT a few milliseconds ahead of time, so that its edges are
stamped with their own times however late the thread comes to run, and ends the image. The image
never outlives it: the kernel kills it with that thread (see launcher), and `Image.stop` ends it
with all that it may have started. It has a process group of its own, so that Ctrl-C reaches us
alone and actuators are released before it goes. Nothing stays in the file system.
"""

import contextlib
import logging
import os
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import IO, Final, TypeVar

from resume_rig.model.clock import Clock
from resume_rig.model.errors import LinkLost, RigError, RigGone, UsageError
from resume_rig.model.units import NS_PER_MS
from resume_rig.rig.native import launcher
from resume_rig.rig.native.wires import PinChange, Wired, Wires

logger = logging.getLogger(__name__)

_TERMINAL: Final = re.compile(rb"^SMP at (/dev/[\x21-\x7e]{1,100})\r?\n", re.MULTILINE)
# Assumed: these decide how much of an image's output is read at once, kept and shown, and when one
# that does not end is killed.
_READ_BYTES: Final = 4096
_KEPT_BYTES: Final = 2048
_SHOWN_CHARACTERS: Final = 200
_GRACE_S: Final = 1.0
PATIENCE_NS: Final = 5_000 * NS_PER_MS
# Longer than a thread on a busy machine waits for its turn (p99 with twice as many busy loops as
# cores: 4 ms).
AHEAD_NS: Final = 20 * NS_PER_MS
_NOT_YET_NS: Final = NS_PER_MS
# Contacts move no sooner after the command than this, so that their edges are sent ahead, too; a
# real one takes up to 2.9 ms. Both edges of a press are equally late, and a press counts as sensed.
CONTACT_LEAD_NS: Final = 5 * NS_PER_MS
# A rebooted image does not know where to send its outputs.
_GREETING_NS: Final = 20 * NS_PER_MS
_START_POLL_NS: Final = 2 * NS_PER_MS
_NOTICE_S: Final = 0.5
_JOIN_S: Final = 5.0


def check_image(path: Path) -> None:
    """Refuse what cannot be started.

    Raises:
        UsageError: not Linux, no such file, or not one that this user may execute.
    """
    if not sys.platform.startswith("linux"):
        raise UsageError(f"cannot start {path}: native_sim images run on Linux only")
    if not path.exists():
        raise UsageError(f"cannot start {path}: there is no such file; allowed is a zephyr.exe")
    if not path.is_file() or not os.access(path, os.X_OK):
        raise UsageError(
            f"cannot start {path}: it is no file that this user may execute; allowed is the "
            "zephyr.exe of a native_sim build"
        )


class Image:
    """A started image.

    Args:
        path: of the image; checked by `check_image` before.
        arguments: of its command line.

    Attributes:
        terminal: path of the pseudo-terminal that carries SMP; None until the image has named it.
    """

    def __init__(self, path: Path, arguments: list[str]) -> None:
        self.terminal: str | None = None
        self._path = path
        self._output = b""
        here = [sys.executable, "-I", "-S", str(launcher.__file__), str(os.getpid())]
        self._process = subprocess.Popen(
            [*here, str(path.absolute()), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
            process_group=0,
        )

    @property
    def pid(self) -> int:
        """Return its process id."""
        return self._process.pid

    def fileno(self) -> int:
        """Return what select waits on for output."""
        return self._out.fileno()

    def listen(self) -> bool:
        """Take output, after select has found some; return False at the image's end."""
        data = os.read(self.fileno(), _READ_BYTES)
        self._output += data
        found = _TERMINAL.search(self._output)
        if self.terminal is None and found is not None:
            self.terminal = found[1].decode("ascii")
        self._output = self._output[-_KEPT_BYTES:]
        return bool(data)

    def exit_clause(self) -> str:
        """End what may be left of an image whose output ended; return how it did, as a clause."""
        status = self._reap()
        how = f"ended with status {status}"
        if status < 0:
            how = f"was ended by signal {-status}"
            with contextlib.suppress(ValueError):
                how += f" ({signal.Signals(-status).name})"
        return f"{how}{self.output_clause()}"

    def output_clause(self) -> str:
        """Return the last line of its output, as a clause, bounded: it may be anything."""
        lines = self._output.decode("utf-8", "replace").split("\n")
        words = [" ".join(line.split()) for line in lines]
        last = next((line for line in reversed(words) if line), "")
        shown = "".join(c if c.isprintable() else "?" for c in last[:_SHOWN_CHARACTERS])
        return f'; its last output was "{shown}"' if shown else "; it wrote no output"

    def stop(self) -> None:
        """End the image, politely first so that an instrumented one can write its findings."""
        if self._process.returncode is None:
            self._signal(signal.SIGTERM)
            self._drain()
        self._reap()
        self._out.close()

    @property
    def _out(self) -> IO[bytes]:
        assert self._process.stdout is not None  # it is a pipe
        return self._process.stdout

    def _drain(self) -> None:
        """Wait until everybody who could write output is gone, or the time of grace is over."""
        while select.select([self._out], [], [], _GRACE_S)[0]:
            if not os.read(self.fileno(), _READ_BYTES):
                return

    def _reap(self) -> int:
        if self._process.returncode is None:
            # Before it is waited for, so that its process group cannot be anybody else's yet.
            self._signal(signal.SIGKILL)
        return self._process.wait()

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, number)


_T = TypeVar("_T")
_Waitable = Image | Wires | socket.socket


class NativeBench:
    """One image and one DUT; nothing is started until `start`.

    Args:
        image: path of the zephyr.exe.
        dut: lives from when it was made.
        clock: CLOCK_MONOTONIC_RAW (timing.clocks.SystemClock); only read.
        name: what sentences call the bench.
        patience_ns: how long the image may take to serve SMP.
    """

    def __init__(
        self,
        image: Path,
        dut: Wired,
        clock: Clock,
        name: str,
        patience_ns: int = PATIENCE_NS,
    ) -> None:
        self._path = image
        self._dut = dut
        self._clock = clock
        self._name = name
        self._patience_ns = patience_ns
        self._lock = threading.Lock()
        self._sent = self._late = self._worst_ns = 0
        self._terminal = ""
        self._pid = 0
        self._problem: RigError | UsageError | None = None
        self._ready = threading.Event()
        self._ended = threading.Event()
        self._wake, self._woken = socket.socketpair()
        self._thread = threading.Thread(target=self._run, name=f"bench of {name}", daemon=True)

    def start(self) -> str:
        """Start the image; return the path of the pseudo-terminal that carries SMP.

        Raises:
            UsageError: there is no such image, or it cannot be executed.
            LinkLost: it ended, or served no SMP in time; it is gone by then.
        """
        try:
            check_image(self._path)
            self._thread.start()
            self._ready.wait()
            if not self._terminal:
                raise self._problem or LinkLost(f"could not start {self._path}: it was ended")
        except BaseException:  # Ctrl-C while an image starts must not leave it there
            self.close()
            raise
        return self._terminal

    @property
    def pid(self) -> int:
        """Return the image's process id; 0 before it was started."""
        return self._pid

    def log_text_from(self, offset: int) -> bytes:
        """Return the DUT's event log from a byte offset to its present end."""
        with self._lock:
            return self._dut.log_text_from(offset)

    def log_document(self) -> str:
        """Return the DUT's event log as one XML document."""
        with self._lock:
            return self._dut.log_document()

    def in_its_world(self, act: Callable[[int], _T]) -> _T:
        """Let something happen to the DUT at a moment that it has not lived yet.

        Args:
            act: is given that moment, and called while nobody else speaks to the DUT.
        """
        with self._lock:
            return act(self._clock.now_ns() + AHEAD_NS + _NOT_YET_NS)

    def wait(self) -> RigError | UsageError | None:
        """Wait until the image has ended; return why it did, None after `close`."""
        while not self._ended.wait(_JOIN_S):
            pass
        return self._problem

    def loss(self) -> RigError | UsageError | None:
        """Return why the image ended if it did so just now or before; None while it runs."""
        self._ended.wait(_NOTICE_S)
        return self._problem

    def close(self) -> None:
        """End the image; may be called twice."""
        if self._wake.fileno() < 0:
            return
        self._wake.close()
        if self._thread.ident is not None:
            self._thread.join(_JOIN_S)
        self._woken.close()
        if self._late:
            logger.warning(
                "%s: %d of %d edges were sent late, up to %.1f ms: this machine was busy, and "
                "their stamps are late by as much",
                self._name,
                self._late,
                self._sent,
                self._worst_ns / NS_PER_MS,
            )

    # --- the thread

    def _run(self) -> None:
        try:
            with ExitStack() as stack:
                wires = stack.enter_context(closing(Wires()))
                image = stack.enter_context(self._started(wires))
                if self._terminal:
                    self._ready.set()
                    self._serve(image, wires)
        except OSError as error:
            self._problem = RigGone(f"lost {self._name}: {error.strerror or error}")
        finally:
            self._ended.set()
            self._ready.set()

    @contextmanager
    def _started(self, wires: Wires) -> Iterator[Image]:
        """Start the image and connect the wires; the folder they met in goes at once."""
        with ExitStack() as stack:
            with tempfile.TemporaryDirectory(prefix="resume-rig-") as folder:
                place = Path(folder) / "wires"
                image = Image(self._path, [f"-rig-wires={place}"])
                stack.callback(image.stop)
                self._pid = image.pid
                self._await_image(image, wires, place)
            yield image

    def _await_image(self, image: Image, wires: Wires, place: Path) -> None:
        deadline_ns = self._clock.now_ns() + self._patience_ns
        while (left_ns := deadline_ns - self._clock.now_ns()) > 0:
            if image.terminal is not None and wires.connect(place):
                self._terminal = image.terminal
                return
            pause_ns = left_ns if image.terminal is None else _START_POLL_NS
            readable, _, _ = select.select(self._or_woken(image), [], [], pause_ns / 1e9)
            if self._woken in readable:
                return
            if image in readable and not image.listen():
                self._problem = self._no_image(image.exit_clause())
                return
        waited = f"served no SMP within {self._patience_ns / 1e9:g} s{image.output_clause()}"
        self._problem = self._no_image(waited)

    def _or_woken(self, *others: _Waitable) -> list[_Waitable]:
        return [*others, self._woken]

    def _no_image(self, what: str) -> LinkLost:
        return LinkLost(
            f"could not start {self._path}: it {what}; allowed is the zephyr.exe of this "
            "firmware's native_sim build"
        )

    def _serve(self, image: Image, wires: Wires) -> None:
        """Pass changes both ways until `close`, or until the image is gone."""
        try:
            for change in self._dut.standing():
                wires.send(change)
            while self._turn(image, wires):
                pass
        except TimeoutError:
            self._problem = RigGone(f"lost {self._name}: the image hangs and was ended")
        except ConnectionError:
            self._problem = RigGone(f"lost {self._name}: the image {image.exit_clause()}")

    def _turn(self, image: Image, wires: Wires) -> bool:
        self._send_ahead(wires)
        readable, _, _ = select.select(self._or_woken(image, wires), [], [], self._pause_s())
        if self._woken in readable:
            return False
        if wires in readable:
            self._take_outputs(wires)
        if image in readable and not image.listen():
            self._problem = RigGone(f"lost {self._name}: the image {image.exit_clause()}")
            return False
        if wires not in readable:
            wires.greet()
        return True

    def _send_ahead(self, wires: Wires) -> None:
        with self._lock:
            changes = self._dut.live(self._clock.now_ns() + AHEAD_NS)
        for change in changes:
            wires.send(change)
            late_ns = self._clock.now_ns() - change.t_ns
            self._sent += 1
            self._late += late_ns > 0
            self._worst_ns = max(self._worst_ns, late_ns)

    def _take_outputs(self, wires: Wires) -> None:
        changes: list[PinChange] = list(wires.outputs())
        with self._lock:
            for outputs in changes:
                self._dut.drive(outputs, self._clock.now_ns() + CONTACT_LEAD_NS)

    def _pause_s(self) -> float:
        """Return how long nothing is to be sent."""
        next_ns = self._dut.next_ns()
        if next_ns is None:
            return _GREETING_NS / 1e9
        left_ns = next_ns - AHEAD_NS - self._clock.now_ns()
        return min(max(left_ns, 0), _GREETING_NS) / 1e9
