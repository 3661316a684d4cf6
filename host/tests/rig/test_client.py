"""SmpRig in conversations [(command, request, reply), ...] over the in-process transport."""

from collections.abc import Callable
from typing import Any

import cbor2
import pytest
from raw_request import Packet, packed

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.edge import ClockExchange, Edge
from resume_rig.model.errors import (
    BoardRebooted,
    DeviceFault,
    LinkLost,
    ProtocolError,
    UsageError,
)
from resume_rig.rig.interface import ActionStart, EdgeBatch, Faults, Rig, SelfTestCheck
from resume_rig.rig.link.client import SmpRig
from resume_rig.rig.sim.opening import InProcessTransport
from resume_rig.rig.smp.client import SmpClient
from resume_rig.rig.smp.packet import Header, Operation
from resume_rig.timing.clocks import VirtualClock

Fields = dict[str, object]
Talk = Callable[..., SmpRig]
SILENCE = None


def test_info_is_parsed_and_unknown_keys_channels_and_actuators_are_left_out(
    talk: Talk, caplog: pytest.LogCaptureFixture, board_info: Fields
) -> None:
    rig: Rig = talk(info=board_info | {"cal": -120, "dutlog": "dut.xml", "new": {"a": [1]}})
    info = rig.info()
    assert (info.board, info.firmware, info.boot_id, info.clock_hz) == ("rig", "0.1.0", 77, 10**6)
    assert (info.calibration_ppb, info.dut_log) == (-120, "dut.xml")
    assert [c.channel for c in info.channels] == [Channel.PWR_OK, Channel.BUTTON]
    assert [(a.actuator, a.max_press_ns) for a in info.actuators] == [
        (Actuator.BUTTON, 10**9),
        (Actuator.LID, 0),
    ]
    assert [name for name in ("VBUS", "FAN") if name in caplog.text] == ["VBUS", "FAN"]


def test_a_board_without_calibration_and_log_says_so(talk: Talk) -> None:
    info = talk().info()
    assert (info.calibration_ppb, info.dut_log) == (None, None)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"proto": 3}, "the board speaks version 3 of the rig protocol.* speaks 1 and 2"),
        ({"proto": 0}, "the board speaks version 0 of the rig protocol.* speaks 1 and 2"),
        ({"nonce": "x"}, "answered info with 'x' for 'nonce'; allowed is a whole number"),
        ({"nonce": 2**63}, "for 'nonce'; allowed is a number from 0 to"),
        ({"boot": "x"}, "answered info with 'x' for 'boot'; allowed is a whole number"),
        ({"boot": True}, "answered info with True for 'boot'; allowed is a whole number"),
        ({"hz": -1}, "answered info with -1 for 'hz'; allowed is a number from 0 to"),
        ({"lease": 2**63}, "for 'lease'; allowed is a number from 0 to"),
        ({"fw": "x" * 201}, "for 'fw'; allowed is a text of at most 200 characters"),
        ({"board": None}, "answered info with nothing for 'board'"),
        ({"ch": 5}, "answered info with 5 for 'ch'; allowed is a list"),
        ({"ch": [["LED", 1]]}, "for 'ch'; allowed is a list of 4"),
        ({"ch": [["LED", 1, 1, "x"]]}, "with 'x' for 'uncertainty_ns'"),
        ({"ch": [["LED", 1, 1, 1]] * 33}, "for 'ch'; allowed is a list of at most 32"),
    ],
)
def test_an_info_of_a_wrong_shape_is_a_protocol_error(
    talk: Talk, changes: Fields, sentence: str, board_info: Fields
) -> None:
    with pytest.raises(ProtocolError, match=sentence):
        talk(info=board_info | changes).info()


def test_text_from_the_board_cannot_control_a_terminal(talk: Talk, board_info: Fields) -> None:
    assert talk(info=board_info | {"board": "rig\x1b[31m\n"}).info().board == "rig?[31m?"


def test_a_board_that_speaks_smp_without_the_rig_group_is_no_rig(talk: Talk) -> None:
    with pytest.raises(ProtocolError) as caught:
        talk(info={"rc": 8}).info()
    assert str(caught.value) == (
        "sim: is no rig: the board there speaks SMP but has no rig group (64)"
    )


def test_clocks_are_exchanged_with_the_stamps_of_the_same_request(talk: Talk) -> None:
    rig = talk(("time", {}, SILENCE), ("time", {}, {"boot": 77, "rx": 1000, "tx": 1400}))
    rig.info()  # 0.2 ms pass; then the first try waits 0.1 ms to send and 300 ms for its reply
    assert rig.exchange_clocks() == ClockExchange(300_300_000, 1000, 1400, 300_500_000)


@pytest.mark.parametrize(
    "reply", [{"boot": 77, "rx": 5, "tx": 4}, {"boot": 77, "rx": 5}, {"rx": 4, "tx": 5}]
)
def test_a_time_of_a_wrong_shape_is_a_protocol_error(talk: Talk, reply: Fields) -> None:
    with pytest.raises(ProtocolError, match="the board answered time with"):
        talk(("time", {}, reply)).exchange_clocks()


def test_edges_keep_their_numbers_and_tell_what_was_lost(talk: Talk) -> None:
    reply = {"boot": 77, "first": 12, "next": 20, "ovr": 2, "e": [5, 1, 6, 2, 7, 4], "x": 0}
    rig = talk(("edges", {"from": 10, "max": 128}, reply))
    assert rig.edges(10) == EdgeBatch(
        edges=(Edge(12, 5, Channel.PWR_OK, 1), Edge(14, 7, Channel.BUTTON, 0)),
        first=12,
        next_number=15,
        lost=2,
        overruns=2,
        more=True,
    )


def test_an_empty_batch_of_edges_asks_for_the_same_again(talk: Talk) -> None:
    reply = {"boot": 77, "first": 7, "next": 7, "ovr": 0, "e": []}
    rig = talk(("edges", {"from": 7, "max": 5}, reply))
    assert rig.edges(7, 5) == EdgeBatch((), 7, 7, 0, 0, False)


@pytest.mark.parametrize(
    "changes",
    [
        {"first": 9},
        {"next": 12},
        {"e": []},
        {"e": [1, 2, 3]},
        {"e": [1, 6]},
        {"e": [1, -1]},
        {"e": [1.5, 0]},
        {"e": b"\x01\x02"},
        {"ovr": None},
    ],
    ids=[
        "before the cursor",
        "beyond next",
        "stuck",
        "odd",
        "no such channel",
        "negative",
        "float",
        "bytes",
        "no count",
    ],
)
def test_edges_of_a_wrong_shape_are_a_protocol_error(talk: Talk, changes: Fields) -> None:
    good = {"boot": 77, "first": 10, "next": 13, "ovr": 0, "e": [5, 1, 6, 2, 7, 4]}
    with pytest.raises(ProtocolError, match="the board answered edges with"):
        talk(("edges", {"from": 10, "max": 128}, good | changes)).edges(10)


def test_levels_are_those_of_the_known_channels(talk: Talk) -> None:
    rig = talk(("levels", {}, {"boot": 77, "t": 9, "lv": 0b110}))
    assert rig.levels() == {Channel.PWR_OK: 0, Channel.BUTTON: 1}


def test_a_press_that_is_repeated_carries_the_same_token_and_the_next_one_another(
    talk: Talk, said: Any
) -> None:
    first = {"act": 1, "dur": 200, "tok": 500, "boot": 77}
    second = {"act": 1, "dur": 9, "tok": 501, "boot": 77, "at": 4000, "force": True}
    second["nonce"] = 2**62
    rig = talk(
        ("press", first, SILENCE),
        ("press", first, SILENCE),
        ("press", first, {"boot": 77, "start": 10, "end": 210}),
        ("press", second, {"boot": 77, "start": 4000, "end": 4009}),
    )
    assert rig.press(Actuator.BUTTON, 200) == ActionStart(10, 210)
    assert rig.press(Actuator.BUTTON, 9, at_ns=4000, force_off=True) == ActionStart(4000, 4009)
    assert said.operations == [Operation.READ] + [Operation.WRITE] * 4


def test_what_is_hard_to_undo_shows_the_nonce_of_the_boot_that_info_was_asked_in(
    talk: Talk, board_info: Fields
) -> None:
    forced = {"act": 1, "dur": 9, "tok": 500, "boot": 77, "force": True, "nonce": 2**62}
    later = forced | {"tok": 501, "boot": 78, "nonce": 5}
    rig = talk(
        ("bootloader", {"boot": 77, "nonce": 2**62}, {"err": {"group": 64, "rc": 6}}),
        ("permit", {"boot": 77, "nonce": 2**62}, {"boot": 77, "until": 9}),
        ("press", forced, {"err": {"group": 64, "rc": 12}}),
        ("time", {}, {"boot": 78, "rx": 1, "tx": 2}),
        ("info", {}, board_info | {"boot": 78, "nonce": 5}),
        ("press", later, {"boot": 78, "start": 1, "end": 10}),
        ("permit", {"boot": 78, "nonce": 5}, {"boot": 78, "until": 9}),
    )
    with pytest.raises(DeviceFault, match="busy"):
        rig.leave_for_bootloader()
    rig.permit()
    with pytest.raises(BoardRebooted, match="its boot id was 77 and is 78"):
        rig.press(Actuator.BUTTON, 9, force_off=True)
    rig.info()
    rig.press(Actuator.BUTTON, 9, force_off=True)
    rig.permit()


def test_a_board_of_version_1_is_asked_as_it_knows_it_and_the_host_says_so_once(
    talk: Talk, caplog: pytest.LogCaptureFixture, board_info: Fields
) -> None:
    old = {key: value for key, value in board_info.items() if key != "nonce"} | {"proto": 1}
    forced = {"act": 1, "dur": 9, "tok": 500, "boot": 77, "force": True}
    rig = talk(
        ("press", forced, {"boot": 77, "start": 1, "end": 10}),
        ("info", {}, old),
        ("bootloader", {"boot": 77}, {"boot": 77, "t": 9}),
        info=old,
    )
    rig.press(Actuator.BUTTON, 9, force_off=True)
    assert not rig.info().guarded
    rig.permit()
    rig.leave_for_bootloader()
    assert [line for line in caplog.messages if "speaks" in line] == [
        "sim: speaks version 1 of the rig protocol, in which a board acts for whoever reaches its "
        "port; update its firmware"
    ]


def test_a_board_that_wants_another_nonce_is_a_sentence(talk: Talk) -> None:
    sight = {"boot": 77, "nonce": 2**62}
    rig = talk(("bootloader", sight, {"err": {"group": 64, "rc": 23}}))
    with pytest.raises(DeviceFault) as caught:
        rig.leave_for_bootloader()
    assert str(caught.value) == (
        "the board refused bootloader: no-nonce (23), it does this only for a host that has asked "
        "it who it is in this boot"
    )


def test_the_nonce_is_in_nothing_that_is_shown(talk: Talk) -> None:
    rig = talk()
    info = rig.info()
    assert info.guarded
    assert str(2**62) not in repr(info)


def test_tokens_of_two_rigs_do_not_start_alike(said: Any, board_info: Fields) -> None:
    tokens: set[object] = set()
    for _ in range(3):
        clock = VirtualClock()

        def answer(data: bytes) -> bytes:
            header = Packet.unpack(data).header
            fields = cbor2.loads(Packet.unpack(data).payload)
            tokens.update({fields["tok"]} if "tok" in fields else set())
            payload = cbor2.dumps(board_info | {"start": 1, "end": 2})
            reply = Header(header.operation + 1, 64, header.sequence, header.command, len(payload))
            return packed(reply) + payload

        SmpRig(SmpClient(InProcessTransport(answer, clock), clock)).press(Actuator.BUTTON, 5)
    assert len(tokens) > 1


def test_the_lid_stays_closed_until_it_is_opened(talk: Talk) -> None:
    rig = talk(
        ("lid", {"closed": True, "tok": 500, "boot": 77}, {"boot": 77, "start": 10}),
        (
            "lid",
            {"closed": False, "tok": 501, "boot": 77, "at": 90},
            {"boot": 77, "start": 90, "end": 90},
        ),
    )
    assert rig.lid(closed=True) == ActionStart(10, None)
    assert rig.lid(closed=False, at_ns=90) == ActionStart(90, 90)


def test_an_actuator_that_the_board_lacks_is_refused_with_what_it_has(
    talk: Talk, board_info: Fields
) -> None:
    rig = talk(info=board_info | {"act": [["BUTTON", 5]]})
    with pytest.raises(DeviceFault) as caught:
        rig.lid(closed=True)
    assert (caught.value.group, caught.value.code) == (64, 3)
    assert str(caught.value) == (
        "could not move LID on sim:: it has no such actuator (actuators present: BUTTON)"
    )


@pytest.mark.parametrize("duration_ns", [-1, 2**63])
def test_a_time_that_the_wire_cannot_carry_is_a_usage_error(talk: Talk, duration_ns: int) -> None:
    with pytest.raises(UsageError, match=f"a press of {duration_ns} ns is not possible"):
        talk().press(Actuator.BUTTON, duration_ns)


def test_a_refusal_by_the_interlock_is_a_device_fault(talk: Talk) -> None:
    refused = {"err": {"group": 64, "rc": 6}}
    rig = talk(("press", {"act": 1, "dur": 5, "tok": 500, "boot": 77}, refused))
    with pytest.raises(DeviceFault, match=r"the board refused press: busy \(6\)") as caught:
        rig.press(Actuator.BUTTON, 5)
    assert (caught.value.group, caught.value.code) == (64, 6)


def test_selftest_faults_and_release_are_parsed(talk: Talk) -> None:
    faults = {"boot": 77, "reset": "pin", "wdt": 1, "eovr": 2, "lovr": 3, "ref": 4, "lease": 5}
    checks = [["ring_edges", True, -3], ["button_ns", False, 9]]
    rig = talk(
        ("selftest", {}, {"boot": 77, "ok": False, "checks": checks}),
        ("faults", {}, faults | {"up": 6}),
        ("release", {}, {"boot": 77, "t": 1}),
    )
    assert rig.selftest() == (
        SelfTestCheck("ring_edges", True, -3),
        SelfTestCheck("button_ns", False, 9),
    )
    assert rig.faults() == Faults("pin", 1, 2, 3, 4, 5, 6)
    rig.release()


ASKING: dict[str, tuple[Callable[[SmpRig], object], Fields, Fields]] = {
    "time": (lambda r: r.exchange_clocks(), {}, {"rx": 1, "tx": 2}),
    "edges": (
        lambda r: r.edges(0),
        {"from": 0, "max": 128},
        {"first": 0, "next": 0, "ovr": 0, "e": []},
    ),
    "levels": (lambda r: r.levels(), {}, {"t": 1, "lv": 0}),
    "press": (
        lambda r: r.press(Actuator.BUTTON, 5),
        {"act": 1, "dur": 5, "tok": 500, "boot": 77},
        {"start": 1, "end": 6},
    ),
    "lid": (lambda r: r.lid(True), {"closed": True, "tok": 500, "boot": 77}, {"start": 1}),
    "release": (lambda r: r.release(), {}, {"t": 1}),
    "light": (lambda r: r.arm_light(5), {"dur": 5}, {"until": 5}),
    "selftest": (lambda r: r.selftest(), {}, {"ok": True, "checks": []}),
    "onset": (lambda r: r.onset(), {}, {"st": 0}),
    "loopback": (lambda r: r.loopback(), {}, {"st": 0}),
    "calibration": (lambda r: r.calibration(), {}, {"xtal": True, "store": "none"}),
    "samples": (
        lambda r: r.samples(0),
        {"from": 0},
        {"st": 0, "t0": 0, "first": 0, "next": 0, "s": b""},
    ),
}


@pytest.mark.parametrize("command", ASKING)
def test_a_reply_of_another_boot_is_noticed_until_info_is_asked_again(
    talk: Talk, command: str, board_info: Fields
) -> None:
    ask, request, reply = ASKING[command]
    later = dict(request) | ({"tok": 502, "boot": 78} if "tok" in request else {})
    middle = dict(request) | ({"tok": 501} if "tok" in request else {})
    rig = talk(
        (command, request, {**reply, "boot": 78}),
        (command, middle, {**reply, "boot": 78}),
        ("info", {}, board_info | {"boot": 78}),
        (command, later, {**reply, "boot": 78}),
    )
    for _ in range(2):
        with pytest.raises(BoardRebooted, match="its boot id was 77 and is 78"):
            ask(rig)
    assert rig.info().boot_id == 78
    ask(rig)


def test_a_cursor_that_is_refused_because_the_board_rebooted_is_a_reboot(talk: Talk) -> None:
    refused = {"err": {"group": 64, "rc": 9}}
    rig = talk(
        ("edges", {"from": 90, "max": 128}, refused),
        ("time", {}, {"boot": 78, "rx": 1, "tx": 2}),
    )
    with pytest.raises(BoardRebooted):
        rig.edges(90)


def test_a_cursor_that_is_refused_by_the_same_boot_is_a_device_fault(talk: Talk) -> None:
    refused = {"err": {"group": 64, "rc": 9}}
    rig = talk(
        ("edges", {"from": 90, "max": 128}, refused),
        ("time", {}, {"boot": 77, "rx": 1, "tx": 2}),
    )
    with pytest.raises(DeviceFault, match="the cursor is ahead of what was captured"):
        rig.edges(90)


def test_a_download_goes_on_from_the_offset_to_the_end(said: Any, talk: Talk) -> None:
    rig = talk(
        ("file", {"name": "dut.xml", "off": 0}, {"off": 0, "data": b"abc", "len": 5}),
        ("file", {"name": "dut.xml", "off": 3}, SILENCE),
        ("file", {"name": "dut.xml", "off": 3}, {"off": 3, "data": b"de"}),
        ("file", {"name": "dut.xml", "off": 4}, {"off": 4, "data": b"e"}),
        ("file", {"name": "dut.xml", "off": 5}, {"off": 5, "data": b""}),
        ("file", {"name": "empty", "off": 0}, {"off": 0, "data": b"", "len": 0}),
    )
    rig.info()
    assert rig.download("dut.xml", 0) == b"abcde"
    assert rig.download("dut.xml", 4) == b"e"
    assert rig.download("empty", 0) == b""


@pytest.mark.parametrize(
    "reply",
    [{"off": 2, "data": b"x"}, {"off": 3, "data": "x"}, {"off": 3}, {"data": b"x"}],
    ids=["offset", "text", "no data", "no offset"],
)
def test_a_download_of_a_wrong_shape_is_a_protocol_error(talk: Talk, reply: Fields) -> None:
    rig = talk(("file", {"name": "f", "off": 3}, reply))
    rig.info()
    with pytest.raises(ProtocolError, match="the board answered download of f with"):
        rig.download("f", 3)


def test_closing_releases_first_and_a_board_that_is_silent_does_not_hinder_it(talk: Talk) -> None:
    rig = talk(("release", {}, SILENCE), ("release", {}, SILENCE))
    rig.info()
    rig.close()
    rig.close()
    with pytest.raises(LinkLost, match="it is closed"):
        rig.levels()


def refused_for(code: int, left_ns: int) -> Fields:
    return {"err": {"group": 64, "rc": code}, "left": left_ns}


def test_a_press_too_soon_behind_the_last_one_is_asked_for_again_in_time(talk: Talk) -> None:
    request = {"act": 1, "dur": 10**8, "tok": 500, "boot": 77}
    accepted = {"boot": 77, "start": 5, "end": 9}
    rig = talk(("press", request, refused_for(17, 80_000_000)), ("press", request, accepted))
    assert rig.press(Actuator.BUTTON, 10**8) == ActionStart(5, 9)


def test_a_lid_too_soon_behind_its_opening_is_asked_for_again_in_time(talk: Talk) -> None:
    request = {"closed": True, "tok": 500, "boot": 77}
    accepted = {"boot": 77, "start": 5}
    rig = talk(("lid", request, refused_for(17, 80_000_000)), ("lid", request, accepted))
    assert rig.lid(closed=True) == ActionStart(5, None)


def test_a_host_that_was_killed_is_waited_for_until_the_lease_has_let_go(talk: Talk) -> None:
    request = {"closed": True, "tok": 500, "boot": 77}
    accepted = {"boot": 77, "start": 5}
    others = [("lid", request, {"err": {"group": 64, "rc": 19}})] * 11
    rig = talk(*others, ("lid", request, refused_for(17, 80_000_000)), ("lid", request, accepted))
    assert rig.lid(closed=True) == ActionStart(5, None)


def test_a_host_that_lives_is_not_waited_for_longer_than_a_lease_and_a_rest(talk: Talk) -> None:
    request = {"act": 1, "dur": 10**8, "tok": 500, "boot": 77}
    refused = ("press", request, {"err": {"group": 64, "rc": 19}})
    rig = talk(*[refused] * 4 * 61)  # each quarter of a second of a lease of 60 s and 1 s
    with pytest.raises(DeviceFault) as caught:
        rig.press(Actuator.BUTTON, 10**8)
    assert str(caught.value) == (
        "the board refused press: other-host (19), another host drives the button or the lid; "
        "it has to let go first"
    )


@pytest.mark.parametrize(
    ("code", "left_ns", "sentence"),
    [
        (17, 0, "too-soon (17), too soon after the last release for the DUT to see two presses"),
        (
            17,
            2 * 10**9,
            "too-soon (17), too soon after the last release for the DUT to see two presses; "
            "allowed in 2.000 s",
        ),
        (
            18,
            2_700_000_000,
            "too-much (18), more pressing in so short a time could be one long press to the DUT; "
            "allowed in 2.700 s",
        ),
    ],
)
def test_what_a_host_does_not_wait_for_is_a_sentence(
    talk: Talk, code: int, left_ns: int, sentence: str
) -> None:
    request = {"act": 1, "dur": 10**8, "tok": 500, "boot": 77}
    rig = talk(("press", request, refused_for(code, left_ns)))
    with pytest.raises(DeviceFault) as caught:
        rig.press(Actuator.BUTTON, 10**8)
    assert str(caught.value) == f"the board refused press: {sentence}"
    assert (caught.value.code, caught.value.left_ns) == (code, left_ns)


def test_a_press_at_a_time_is_not_asked_for_again(talk: Talk) -> None:
    request = {"act": 1, "dur": 10**8, "tok": 500, "boot": 77, "at": 7}
    rig = talk(("press", request, refused_for(17, 80_000_000)))
    with pytest.raises(DeviceFault, match="too-soon"):
        rig.press(Actuator.BUTTON, 10**8, at_ns=7)
