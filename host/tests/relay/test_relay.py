"""The rig as Dasharo's relay board: requests as its clients make them, and bad ones."""

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from queue import Queue
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.acceptance.bench import BenchInUse, open_bench
from resume_rig.acceptance.held_line import HeldLines
from resume_rig.acceptance.single_actions import PowerActions, SingleActions
from resume_rig.model.channel import Channel
from resume_rig.model.errors import LinkLost, UsageError
from resume_rig.relay.gpio import Gpios
from resume_rig.relay.server import serve_relay

S = 1_000_000_000
GPIO = "/api/v1/gpio"


@dataclass
class Supply:
    """A switch of the supply that notes what it was told."""

    told: list[bool]
    problem: str | None = None

    def start(self, *, on: bool) -> None:
        self.told.append(on)

    def succeeded(self) -> bool | None:
        return self.problem is None

    def stop(self) -> None: ...


class Relay:
    """The GPIOs of one simulated bench."""

    def __init__(self, dut: str = "healthy-desktop", problem: str | None = None) -> None:
        self.bench: BenchInUse = open_bench("sim:clock=virtual,seed=7", dut)
        lock = threading.RLock()
        self.supply = Supply([], problem)
        self.lines = HeldLines(self.bench, lock)
        actions = SingleActions(self.bench)
        self.gpios = Gpios(actions, PowerActions(actions, self.supply), self.lines, lock)

    def ask(self, method: str, number: object, **wish: object) -> tuple[int, Any]:
        body = json.dumps(wish).encode() if wish else b"{}"
        found = self.gpios.answer(method, f"{GPIO}/{number}", body)
        return found.status, found.document

    def wait(self, seconds: float) -> None:
        self.bench.opened.clock.sleep_ns(round(seconds * S))

    def close(self) -> None:
        self.lines.close()
        self.bench.close()


@pytest.fixture
def relay() -> Iterator[Relay]:
    relay = Relay()
    yield relay
    relay.close()


def test_the_lists_keys_are_those_of_the_board(relay: Relay) -> None:
    found = relay.gpios.answer("GET", GPIO, b"")

    assert found.status == 200
    assert [each["id"] for each in found.document] == [0, 8, 9, 13]
    assert all(set(each) == {"id", "state", "direction", "time"} for each in found.document)


def test_six_seconds_of_the_button_switch_off_and_one_second_on(relay: Relay) -> None:
    assert relay.ask("GET", 13)[1]["state"] == 1

    assert relay.ask("PATCH", 9, state=1, direction="out", time=6)[0] == 200
    relay.wait(7)
    assert relay.ask("GET", 13)[1]["state"] == 0

    relay.ask("PATCH", 9, state=1, direction="out", time="1")  # Robot Framework sends text
    relay.wait(4)
    assert relay.ask("GET", 13)[1]["state"] == 1


def test_a_button_that_is_held_already_is_a_rig_that_is_busy(relay: Relay) -> None:
    assert relay.ask("PATCH", 9, state=1, time=1)[0] == 200

    status, document = relay.ask("PATCH", 9, state=1, time=6)

    assert status == 503
    assert "the button is still held" in document["detail"]


def test_a_button_without_a_time_stays_until_it_is_let_go(relay: Relay) -> None:
    relay.ask("PATCH", 9, state=1, direction="out", time=0)
    relay.wait(0.5)
    assert relay.ask("GET", 9)[1]["state"] == 1

    relay.ask("PATCH", 9, state=0, direction="out", time=0)
    relay.wait(0.5)

    assert relay.ask("GET", 9)[1]["state"] == 0


def test_a_reset_is_off_and_on(relay: Relay) -> None:
    assert relay.ask("PATCH", 8, state=1, direction="out", time=1)[0] == 200

    edges = relay.bench.rig.edges(0).edges
    assert [each.level for each in edges if each.channel is Channel.PWR_OK] == [0, 1]


def test_the_supply_goes_to_the_users_command(relay: Relay) -> None:
    relay.ask("PATCH", 0, state=0, direction="out", time=0)
    assert relay.ask("GET", 0)[1]["state"] == 0
    relay.ask("PATCH", 0, state=1, direction="out", time=0)

    assert relay.ask("GET", 0)[1]["state"] == 1
    assert relay.supply.told == [False, True]


def test_what_the_dut_does_not_do_is_a_502_with_its_sentence() -> None:
    relay = Relay(problem="the command psu ended with status 3")
    status, document = relay.ask("PATCH", 0, state=0)
    relay.close()

    assert status == 502
    assert document["detail"].endswith("off: the command psu ended with status 3")


@pytest.mark.parametrize(
    ("method", "path", "body", "answer"),
    [
        ("GET", "/", b"", "404 there is no /; allowed are GPIOs 0 (supply)"),
        ("GET", f"{GPIO}/12", b"", "404 8 (reset), 9 (power button) and 13"),
        ("GET", f"{GPIO}/9/../0", b"", "404 allowed are"),
        ("PATCH", f"{GPIO}/13", b"{}", "400 the power LED can only be read"),
        ("PATCH", f"{GPIO}/9", b"", "400 is a JSON object with state and time"),
        ("PATCH", f"{GPIO}/9", b"[" * 3000, "400 is a JSON object with state and time"),
        ("PATCH", f"{GPIO}/9", b'{"state": 2}', "400 the state '2' is not allowed; it is 0 or 1"),
        ("PATCH", f"{GPIO}/9", b'{"time": 99}', "400 '99' is not allowed; it is 0 to 12 s"),
        ("PATCH", f"{GPIO}/9", b'{"time": NaN}', "400 is not allowed; it is 0 to 12 s"),
        ("PATCH", f"{GPIO}/9", b'{"time": -1}', "400 is not allowed; it is 0 to 12 s"),
        ("PATCH", f"{GPIO}/9", b'{"time": "soon"}', "400 the time 'soon' is not allowed"),
    ],
)
def test_a_bad_request_is_told_what_is_allowed(
    relay: Relay, method: str, path: str, body: bytes, answer: str
) -> None:
    status, _, words = answer.partition(" ")
    found = relay.gpios.answer(method, path, body)

    assert found.status == int(status)
    assert words in found.document["detail"]
    assert relay.bench.rig.levels()[Channel.BUTTON] == 1


def test_no_body_breaks_it() -> None:
    relay = Relay()

    @given(st.binary(max_size=40) | st.text('{}[]":,0129.e-stae', max_size=30).map(str.encode))
    def send(body: bytes) -> None:
        assert relay.gpios.answer("PATCH", f"{GPIO}/13", body).status == 400

    send()
    relay.close()


def test_a_lost_link_is_told_and_opened_anew(relay: Relay, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> dict[Channel, int]:
        raise LinkLost("lost serial:there: the port is gone")

    with monkeypatch.context() as patched:
        patched.setattr(relay.bench.rig, "levels", gone)
        assert relay.ask("GET", 13) == (502, {"detail": "lost serial:there: the port is gone"})

    assert relay.ask("GET", 13)[0] == 200


def test_over_http_a_client_gets_json_and_reasons(relay: Relay) -> None:
    ready: Queue[str] = Queue()
    threading.Thread(
        target=serve_relay, args=(relay.gpios, "127.0.0.1", 0, ready.put), daemon=True
    ).start()
    base = ready.get(timeout=20)

    def ask(method: str, path: str, body: bytes | None = None) -> Any:
        request = urllib.request.Request(f"{base}{path}", data=body, method=method)
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)

    assert ask("GET", f"{GPIO}/13") == {"id": 13, "state": 1, "direction": "in", "time": 0}
    assert ask("PATCH", f"{GPIO}/9", b'{"state": 1, "time": 1}')["id"] == 9
    with pytest.raises(urllib.error.HTTPError, match="404: there is no /api/v1/gpio/7; allowed"):
        ask("GET", f"{GPIO}/7")
    with pytest.raises(urllib.error.HTTPError, match="400: a PATCH has a Content-Length of up to"):
        ask("PATCH", f"{GPIO}/9", b"x" * 5000)


def test_a_port_that_is_taken_is_told(relay: Relay) -> None:
    with pytest.raises(UsageError, match=r"could not serve on 127.0.0.1:99999: 0 to 65535"):
        serve_relay(relay.gpios, "127.0.0.1", 99_999, print)
