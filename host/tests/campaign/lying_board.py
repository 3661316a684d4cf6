"""A board that lies: its replies are well-formed, and what they say is changed at random.

Shared with benchmarks.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import cbor2

from resume_rig.rig.sim.bench import SmpServer

_RATES = (0.002, 0.01, 0.05, 0.3)
_ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2**31, 2**32 - 1, 2**53, 2**61, 2**63 - 1, 2**64 - 1, -(2**63)),
    *(0.5, float("nan"), float("inf"), "", "x", "\u202e\x1b[2J", "é" * 300, b"", b"\xff" * 30),
    *([], {}, [[]], [None] * 300, {"": None}),
)


@contextmanager
def lying(chance: random.Random) -> Iterator["Liar"]:
    """Let every simulated board lie in the block."""
    liar, reply = Liar(chance), SmpServer._reply

    def told(server: SmpServer, group: int, command: int, write: bool, payload: bytes) -> bytes:
        return liar.told(command, reply(server, group, command, write, payload))

    with patch.object(SmpServer, "_reply", told):
        yield liar


class Liar:
    """Changes the replies of a simulated board.

    Args:
        chance: draws what is changed, and when.

    Attributes:
        lies: how many replies were changed.
    """

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._rate = chance.choice(_RATES)
        # Half of the liars lie about one thing alone: what answers keeps to the rest.
        self._about = chance.choice((None, chance.randrange(24)))
        self._silent_for = chance.choice((0, 0, 20, 100))
        self.lies = 0

    def told(self, number: int, body: bytes) -> bytes:
        """Return the reply to a command, or what is told in its place."""
        self._silent_for -= 1
        if self._silent_for >= 0 or (self._about is not None and number != self._about):
            return body
        if self._chance.random() >= (self._rate if self._about is None else 0.3):
            return body
        said: Any = cbor2.loads(body)
        for _ in range(self._chance.choice((1, 1, 3))):
            said = self._changed(said)
        self.lies += 1
        return cbor2.dumps(said)

    def _changed(self, said: Any) -> Any:
        chance = self._chance
        if isinstance(said, dict) and said and chance.random() < 0.95:
            key = chance.choice(list(said))
            rest = {name: each for name, each in said.items() if name != key}
            return rest if chance.random() < 0.1 else {**said, key: self._changed(said[key])}
        if isinstance(said, list) and said and chance.random() < 0.9:
            at = chance.randrange(len(said))
            twice = chance.random() < 0.2
            return [*said[:at], *([said[at]] * twice), self._changed(said[at]), *said[at + 1 :]]
        if isinstance(said, int) and chance.random() < 0.7:
            step = chance.choice((1, 1000, 10**6, 10**9, 10**12, 2**32))
            return max(0, chance.choice((said + step, said - step, said * 2, said // 2)))
        if isinstance(said, bytes) and said and chance.random() < 0.7:
            content = bytearray(said)
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
            return bytes(content)
        return chance.choice(_ODD)
