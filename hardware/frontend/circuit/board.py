"""The drawing board: places parts of the catalogue in a SKiDL circuit, each with its tag.

Nets that end in a DUT's wire are called `DUT_*`, as in `pinmap.csv`.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from skidl import KICAD9, POWER, SKIDL, Circuit, Net, Part, Pin, set_default_tool

from frontend.circuit.catalogue import Kind, maker_number
from frontend.circuit.facts import GROUND, SUPPLIES, Facts, Placed

set_default_tool(KICAD9)


@dataclass(frozen=True, slots=True)
class Intent:
    """What SKiDL does not keep of a part: its function, its kind, what it has to bear."""

    sheet: str
    kind: Kind
    volts: float
    amperes: float


class Board:
    """One front end under construction."""

    def __init__(self) -> None:
        self.circuit = Circuit()
        self._nets: dict[str, Net] = {}
        self._intents: dict[str, Intent] = {}
        self._count: Counter[str] = Counter()

    def net(self, name: str) -> Net:
        """Return the net of that name."""
        if name not in self._nets:
            self._nets[name] = Net(name, circuit=self.circuit)
            if name in (*SUPPLIES, GROUND):
                self._nets[name].drive = POWER
        return self._nets[name]

    def place(
        self,
        sheet: str,
        tag: str,
        kind: Kind,
        pins: Mapping[str, str],
        value: str = "",
        volts: float = 0.0,
        amperes: float = 0.0,
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
        """
        name = f"{sheet}/{tag}"
        self._count[kind.prefix] += 1
        part = Part(
            name=kind.name,
            ref_prefix=kind.prefix,
            tool=SKIDL,
            pins=[Pin(num=n, name=pin, func=getattr(Pin.types, f)) for n, pin, f in kind.pins],
            value=value or kind.number,
            tag=name,
            footprint=kind.footprint,
            circuit=self.circuit,
            ref=f"{kind.prefix}{self._count[kind.prefix]}",
        )
        part.fields["MPN"] = maker_number(kind, value)
        part.fields["Manufacturer"] = kind.maker
        for number, pin, _function in kind.pins:
            net = self.net(pins[pin]) if pin in pins else self.circuit.NC
            net.connect(part[int(number)])
        self._intents[name] = Intent(sheet, kind, volts, amperes)

    def facts(self) -> Facts:
        """Return what SKiDL's circuit holds, for rules, lists and drawings."""
        placed = []
        for part in self.circuit.parts:
            intent = self._intents[part.tag]
            nets = {pin.name: pin.net.name for pin in part.pins if pin.net is not self.circuit.NC}
            placed.append(
                Placed(
                    ref=part.ref,
                    tag=part.tag,
                    sheet=intent.sheet,
                    kind=intent.kind,
                    value=str(part.value),
                    nets=nets,
                    volts=intent.volts,
                    amperes=intent.amperes,
                )
            )
        return Facts(tuple(placed))
