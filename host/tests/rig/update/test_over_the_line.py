"""The command line against a board behind a real TCP socket, with the real framing."""

import contextlib
import json
import os
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import pytest

from resume_rig.cli.main import main
from resume_rig.rig.smp.framing import Decoder, encode


class Board(Protocol):
    """The fake of conftest.py, as far as these tests touch it."""

    slots: list[bytes | None]
    confirmed: bool
    accepts: bool

    def handle(self, data: bytes) -> bytes | None: ...


class Server:
    """Serves the board to one client after another; can cut a connection in the middle."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"socket:127.0.0.1:{self._listener.getsockname()[1]}"
        self.cut_after_packets: list[int] = []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        with contextlib.suppress(OSError):  # where closing is enough to end `accept`
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(60)

    def _run(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                self._serve(connection)

    def _serve(self, connection: socket.socket) -> None:
        decoder, packets = Decoder(), 0
        limit = self.cut_after_packets.pop(0) if self.cut_after_packets else None
        while data := connection.recv(4096):
            for packet in decoder.feed(data):
                packets += 1
                if packets == limit:
                    return
                reply = self._board.handle(packet)
                if reply is not None:
                    connection.sendall(encode(reply))


@pytest.fixture
def server(board: Board) -> Iterator[Server]:
    found = Server(board)
    yield found
    found.close()


@pytest.fixture
def image(tmp_path: Path, make_bytes: Callable[..., bytes]) -> Path:
    path = tmp_path / "new.bin"
    path.write_bytes(make_bytes((2, 0, 0, 0)))
    return path


Captured = pytest.CaptureFixture[str]


def test_status_is_one_document(server: Server, capsys: Captured) -> None:
    assert main(["firmware", "status", "--rig", server.url, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "resume-rig/firmware-status/1"
    assert document["board"] == "rig"
    assert [slot["version"] for slot in document["slots"]] == ["1.0.0"]


def test_status_in_words(server: Server, capsys: Captured) -> None:
    assert main(["firmware", "status", "--rig", server.url]) == 0
    out = capsys.readouterr().out
    assert out.startswith("rig runs firmware 0.1.0.\nslot 0  1.0.0")
    assert out.endswith("runs, confirmed\n")


@pytest.mark.slow
def test_an_update_over_tcp_survives_a_cut(
    server: Server, board: Board, image: Path, capsys: Captured
) -> None:
    server.cut_after_packets = [1000, 4]  # the first connection only looks
    status = main(["firmware", "update", str(image), "--rig", server.url, "--json"])
    captured = capsys.readouterr()
    assert status == 0
    document = json.loads(captured.out)
    assert (document["outcome"], document["resumptions"]) == ("confirmed", 1)
    assert document["after"]["slots"][0]["version"] == "2.0.0"
    assert "going on where the upload stopped" in captured.err
    assert f"of {image.stat().st_size} bytes (100 %)" in captured.err


def test_a_board_that_went_back_is_a_fault(
    server: Server, board: Board, image: Path, capsys: Captured
) -> None:
    board.accepts = False
    assert main(["firmware", "update", str(image), "--rig", server.url]) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "is it signed with this board's key?" in captured.err


@pytest.mark.parametrize("name", ["missing.bin", "."])
def test_a_file_that_cannot_be_read_is_named(name: str, tmp_path: Path, capsys: Captured) -> None:
    path = str(tmp_path / name)
    assert main(["firmware", "update", path, "--rig", "socket:127.0.0.1:1"]) == 2
    assert capsys.readouterr().err.startswith(f"resume-rig: could not read the image {path}")


def test_what_is_no_image_is_refused_before_the_port_is_opened(
    tmp_path: Path, capsys: Captured
) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("no firmware", encoding="ascii")
    assert main(["firmware", "update", str(path), "--rig", "socket:127.0.0.1:1"]) == 2
    assert "is no firmware to send" in capsys.readouterr().err


@pytest.mark.parametrize("url", ["sim:", "native:zephyr.exe", "nonsense"])
def test_a_bench_without_a_board_is_refused(url: str, image: Path, capsys: Captured) -> None:
    assert main(["firmware", "update", str(image), "--rig", url]) == 2
    assert "names no board whose firmware can be updated" in capsys.readouterr().err


def test_without_smpclient_one_sentence_says_how_to_get_it(
    image: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert main(["firmware", "update", str(image), "--rig", "socket:127.0.0.1:1"]) == 2
    assert 'pip install "resume-rig[dfu]"' in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals need POSIX")
def test_a_port_that_a_campaign_holds_is_refused(image: Path, capsys: Captured) -> None:
    import serial

    master, slave = os.openpty()
    path = os.ttyname(slave)
    campaign = serial.Serial(path, exclusive=True)
    try:
        assert main(["firmware", "update", str(image), "--rig", f"serial:{path}"]) == 3
    finally:
        campaign.close()
        os.close(slave)
        os.close(master)
    assert "another program has it open" in capsys.readouterr().err
