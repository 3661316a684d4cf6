"""The golden vectors: what CBOR, the CDDL and the compiled core say of the same bytes."""

import json
import re
from pathlib import Path

import cbor2
import pytest

VECTORS = json.loads(
    (Path(__file__).resolve().parents[3] / "fixtures" / "wire" / "vectors.json").read_text("utf-8")
)
EXCHANGES = {entry["name"]: entry for entry in VECTORS["exchanges"]}
MESSAGES = [
    pytest.param(message, id=f"{entry['name']}-{side}")
    for entry in VECTORS["exchanges"]
    for side in ("request", "reply")
    if (message := entry.get(side)) and message["message"]
] + [pytest.param(entry, id=entry["name"]) for entry in VECTORS["standalone"]]


def in_rule_order(fields: dict, cddl: str, message: str) -> dict:
    """Order keys as a rule does: zcbor's validator, unlike CDDL, takes maps to be ordered."""
    rule = re.search(rf"^{message} = .*?^(?=\S)", re.sub(" *;.*", "", cddl) + "\n.", re.M | re.S)
    assert rule is not None
    place = {key: rule.group().find(f'"{key}"') for key in fields}
    return dict(sorted(fields.items(), key=lambda pair: (place[pair[0]] < 0, place[pair[0]])))


def start(make_board, name: str):
    description = {key: freeze(value) for key, value in VECTORS["boards"][name].items()}
    history = description.pop("history")
    board = make_board(**description)
    for step in history:
        do_step(board, step)
    return board


def freeze(value):
    """Lists as tuples, as a plan has them."""
    return tuple(map(freeze, value)) if isinstance(value, list) else value


def thaw(fields: dict) -> dict:
    """JSON has no byte strings: a text h'...' stands for one, as in CBOR's diagnostic notation."""
    return {
        key: bytes.fromhex(found[1])
        if isinstance(value, str) and (found := re.fullmatch("h'([0-9a-f]*)'", value))
        else value
        for key, value in fields.items()
    }


def do_step(board, step) -> None:
    match step:
        case {"edge": [channel, level, t_ns]}:
            board.edge(channel, level, t_ns)
        case {"sample": [t_ns, counts]}:
            board.sample(t_ns, counts)
        case {"samples": [t_ns, times, *counts]}:
            board.samples(t_ns, counts * times)
        case {"power": [t_ns, bus_uv, current_ua]}:
            board.power(t_ns, bus_uv, current_ua)
        case {"tick": t_ns}:
            board.tick(t_ns)
        case str():
            assert exchange(board, EXCHANGES[step]).rc == 0


def exchange(board, entry: dict):
    board.now_ns = entry["now_ns"]
    return board.request(
        entry["command"],
        bytes.fromhex(entry["request"]["hex"]),
        write=entry["op"] == "write",
        rx_ns=entry["rx_ns"],
    )


@pytest.mark.parametrize("entry", EXCHANGES.values(), ids=EXCHANGES.keys())
def test_the_core_answers_as_the_vector_says(make_board, entry: dict) -> None:
    board = start(make_board, entry["board"])
    for step in entry.get("before", []):
        do_step(board, step)

    reply = exchange(board, entry)

    assert reply.rc == entry.get("smp_rc", 0)
    assert reply.payload.hex() == entry.get("reply", {"hex": ""})["hex"]


@pytest.mark.parametrize("message", MESSAGES)
def test_the_bytes_are_what_cbor_makes_of_the_fields(message: dict) -> None:
    fields = thaw(message["fields"])
    assert cbor2.dumps(fields).hex() == message["hex"]
    assert cbor2.loads(bytes.fromhex(message["hex"])) == fields


@pytest.mark.parametrize("message", MESSAGES)
def test_the_bytes_are_what_the_cddl_asks_for(conforms, cddl: str, message: dict) -> None:
    fields = cbor2.loads(bytes.fromhex(message["hex"]))
    assert conforms(message["message"], in_rule_order(fields, cddl, message["message"]))


@pytest.mark.parametrize(
    ("message", "fields"),
    [
        ("time-reply", {"boot": 1, "rx": 2}),
        ("time-reply", {"boot": 1, "rx": 2.5, "tx": 3}),
        ("edges-request", {"from": "0"}),
        ("press-request", {"act": 256, "dur": 1, "tok": 1, "boot": 1}),
        ("press-request", {"act": 0, "dur": 1, "tok": 1}),
        ("error-reply", {"err": {"group": 63, "rc": 1}}),
    ],
    ids=[
        "key missing",
        "a time that is no integer",
        "text",
        "actuator too large",
        "no boot",
        "another group",
    ],
)
def test_the_cddl_refuses_what_is_wrong(conforms, message: str, fields: dict) -> None:
    assert not conforms(message, fields)


def test_every_message_of_the_cddl_has_a_vector(cddl: str) -> None:
    messages = set(re.findall(r"^([\w-]+-(?:request|reply)) = ", cddl, re.M))
    shown = {param.values[0]["message"] for param in MESSAGES}
    assert messages
    assert messages - shown == set()
    assert shown - messages == set()


def test_every_error_code_of_the_cddl_has_a_vector(cddl: str) -> None:
    codes = {int(code) for code in re.findall(r"^; {2,3}(\d+) ", cddl, re.M)}
    shown = {
        fields["err"]["rc"] for param in MESSAGES if "err" in (fields := param.values[0]["fields"])
    }
    assert codes == set(range(1, 24))
    assert codes - shown == set()


def test_no_two_exchanges_share_a_name() -> None:
    assert len(EXCHANGES) == len(VECTORS["exchanges"])
