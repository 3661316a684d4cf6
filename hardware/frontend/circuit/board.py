"""The drawing board: places parts of the catalogue, each with its tag.

Nets that end in a DUT's wire are called `DUT_*`, as in `pinmap.csv`.
"""

from collections import Counter
from collections.abc import Mapping

from frontend.circuit.catalogue import Kind
from frontend.circuit.facts import BOARD, Facts, Placed


class Board:
    """One front end under construction."""

    def __init__(self) -> None:
        self._placed: dict[str, Placed] = {}
        self._count: Counter[str] = Counter()

    def place(
        self,
        sheet: str,
        tag: str,
        kind: Kind,
        pins: Mapping[str, str],
        value: str = "",
        volts: float = 0.0,
        amperes: float = 0.0,
        where: str = BOARD,
    ) -> None:
        """Place a part.

        Args:
            sheet: the function that it belongs to.
            tag: its name in the function; sheet and tag together name it for good.
            kind: what it is.
            pins: names of its pins and of the nets that they go to; the others stay open.
            value: as printed on it.
            volts: greatest voltage over it that is meant to be.
            amperes: greatest current that is meant to be.
            where: the board, or what its cable leads to.

        Raises:
            ValueError: a name that is taken, or a pin that the kind does not have.
        """
        name = f"{sheet}/{tag}"
        known = {pin for _number, pin, _type in kind.pins}
        if name in self._placed:
            raise ValueError(f"{name} is placed twice")
        if strange := sorted(set(pins) - known):
            raise ValueError(f"{name}: {kind.name} has no pin {', '.join(strange)}")
        self._count[kind.prefix] += 1
        ref = f"{kind.prefix}{self._count[kind.prefix]}"
        in_order = {pin: pins[pin] for _number, pin, _type in kind.pins if pin in pins}
        self._placed[name] = Placed(
            ref, name, sheet, kind, value or kind.number, in_order, volts, amperes, where
        )

    def facts(self) -> Facts:
        """Return what was placed, for rules, lists, drawings and the layout."""
        return Facts(tuple(self._placed.values()))
