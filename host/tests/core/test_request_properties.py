"""Any bytes at all, handed to the compiled core as a request."""

import json
from pathlib import Path

import cbor2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from resume_rig._core import lib

S = 1_000_000_000
SMP_CODES = {0, 7, 8}
VECTORS = json.loads(
    (Path(__file__).resolve().parents[3] / "fixtures" / "wire" / "vectors.json").read_text("utf-8")
)
GOLDEN = [bytes.fromhex(entry["request"]["hex"]) for entry in VECTORS["exchanges"]]
READS = {
    "info",
    "time",
    "edges",
    "levels",
    "light",
    "faults",
    "onset",
    "loopback",
    "calibration",
    "samples",
    "keyboard",
    "power",
}

# Every command, and the number that the next one would have.
NEXT = 1 + max(entry["command"] for entry in VECTORS["exchanges"])
COMMANDS = st.one_of(st.integers(0, NEXT), st.integers(0, 2**32 - 1))
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**64), 2**64 - 1)
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | st.binary(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)
KEYS = st.sampled_from(
    [
        *("act", "dur", "tok", "at", "force", "closed", "from", "max", "base", "settle"),
        *("boot", "nonce", "ch", "n", "gap", "cal", "loop", "clear"),
    ]
) | st.text(max_size=4)
MAPS = st.dictionaries(KEYS, VALUES, max_size=6)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A golden request with a few bytes overwritten, inserted or cut away."""
    data = bytearray(draw(st.sampled_from(GOLDEN)))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(data)))
        length = draw(st.integers(0, 3))
        data[at : at + length] = draw(st.binary(max_size=3))
    return bytes(data)


def is_whole(payload: bytes) -> bool:
    """Whether the payload is one map of definite length, with nothing behind it."""
    decoded = cbor2.loads(payload)
    return isinstance(decoded, dict) and cbor2.dumps(decoded) == payload


@pytest.mark.slow
@settings(deadline=None, max_examples=300)
@given(
    requests=st.lists(
        st.tuples(
            COMMANDS,
            st.booleans(),
            st.one_of(st.binary(max_size=64), damaged(), MAPS.map(cbor2.dumps)),
            st.integers(0, 10 * S),
            st.integers(0, 300),
        ),
        max_size=12,
    )
)
def test_any_bytes_get_an_answer_that_can_be_read(make_board, requests: list) -> None:
    board = make_board(
        selftest=(("supply_mV", True, -3),), onset=(64, 1_000, 4_095), store_name="flash"
    )
    for number, (command, write, payload, step_ns, room) in enumerate(requests):
        board.now_ns += step_ns
        board.edge(number % 3, number % 2, board.now_ns)

        reply = board.request(command, payload, write=write, room=room)

        assert reply.rc in SMP_CODES
        assert len(reply.payload) <= room
        assert is_whole(reply.payload) if reply.rc == 0 else reply.payload == b""


def is_number(value: object, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def depth(value: object) -> int:
    """Return how many lists, maps and tags lie around the innermost item."""
    match value:
        case dict():
            return 1 + max((depth(inner) for inner in value.values()), default=0)
        case list():
            return 1 + max(map(depth, value), default=0)
        case int() if not -(2**64) <= value < 2**64:
            return 1
        case _:
            return 0


@settings(deadline=None)
@given(fields=MAPS, cursor=st.none() | st.integers(0, 1), most=st.none() | st.integers(0, 9))
def test_a_request_is_read_as_its_fields_say(
    make_board, fields: dict, cursor: int | None, most: int | None
) -> None:
    if cursor is not None:
        fields["from"] = cursor
    if most is not None:
        fields["max"] = most
    wanted = is_number(fields.get("from"), 2**32 - 1) and is_number(fields.get("max", 0), 2**32 - 1)
    board = make_board()
    board.edge(0, 1, 5)

    reply = board.request(lib.RIG_CMD_EDGES, cbor2.dumps(fields))

    if depth(fields) > 8:
        return
    if not wanted:
        assert reply.error == lib.RIG_ERR_BAD_REQUEST
    elif fields["from"] > 1:
        assert reply.error in {lib.RIG_ERR_CURSOR, 0}
    else:
        expected = [5, 1] if fields["from"] == 0 and fields.get("max", 1) > 0 else []
        assert reply.fields["e"] == expected


@settings(deadline=None)
@given(
    edges=st.integers(0, 40),
    room=st.integers(72, 400),
    boot_id=st.integers(0, 2**32 - 1),
    start_ns=st.integers(0, 2**64 - 100),
)
def test_pages_of_any_size_give_every_edge_once(
    make_board, edges: int, room: int, boot_id: int, start_ns: int
) -> None:
    board = make_board(edge_capacity=64, boot_id=boot_id)
    for number in range(edges):
        board.edge(1, 1 - number % 2, start_ns + number)

    cursor, found = 0, []
    while True:
        page = board.request(lib.RIG_CMD_EDGES, cbor2.dumps({"from": cursor}), room=room).fields
        assert page["first"] == cursor
        if not page["e"]:
            break
        found += page["e"][::2]
        cursor += len(page["e"]) // 2

    assert found == [start_ns + number for number in range(edges)]
    assert page["next"] == edges


@pytest.mark.parametrize("name", sorted(READS))
def test_reading_twice_gives_the_same(make_board, name: str) -> None:
    board = make_board(light_capacity=4, onset=(64, 1_000, 4_095))
    board.edge(0, 1, 5)
    command = getattr(lib, f"RIG_CMD_{name.upper()}")
    payload = cbor2.dumps({"from": 0} if name in {"edges", "light", "power"} else {})
    assert board.request(command, payload) == board.request(command, payload)


def test_a_hostile_depth_is_refused(make_board) -> None:
    nested = b"\xa1\x61x" + b"\x81" * 100_000 + b"\x01"
    assert make_board().request(lib.RIG_CMD_TIME, nested).error == lib.RIG_ERR_BAD_REQUEST
