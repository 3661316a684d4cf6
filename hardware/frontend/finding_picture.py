"""Pictures of where signals are: plugs by number and colour, M.2 slots by counting from the key.

Places are those of public documents, each named in its picture; none was probed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from frontend.drawing import COLOURS, MARGIN, box, sheet_of, text, wire

WIDTH = 960.0
CELL = 34.0
DUT, GROUND, NEVER, PLAIN = COLOURS["DUT"], COLOURS["GROUND"], "#000000", "#ffffff"


@dataclass(frozen=True, slots=True)
class Slot:
    """An M.2 slot: its key's contacts, and where PERST# is."""

    key: str
    gone: range
    perst: int
    used_by: str

    @property
    def contacts(self) -> list[int]:
        """The even contacts, those of PERST#'s row, from number 74 down."""
        return [number for number in range(74, 0, -2) if number not in self.gone]

    @property
    def from_key(self) -> int:
        """How many contacts PERST# is from the key, the one beside the key being 1."""
        if self.perst > self.gone[-1]:
            between = range(self.gone[-1] + 1, self.perst + 1)
        else:
            between = range(self.perst, self.gone[0])
        return sum(number % 2 == 0 for number in between)

    @property
    def side(self) -> str:
        """Which side of the key PERST# is on."""
        return "higher" if self.perst > self.gone[-1] else "lower"


# PCI-SIG, M.2 specification: keys and PERST#; the same in nodeloop.org/guides/m2-pinout-guide.
SLOTS = (
    Slot("M", range(59, 67), 50, "SSD"),
    Slot("E", range(24, 32), 52, "WiFi"),
    Slot("B", range(12, 20), 50, "SSD, WWAN"),
)
# Intel 336521, ATX 3.0 design guide.
ATX24 = {8: ("PWR_OK", DUT), 16: ("PS_ON#", DUT), 9: ("5VSB", DUT), 3: ("COM", GROUND)}
# Intel, Front Panel I/O Connectivity Design Guide, 2.2.2; DH61HO Technical Product Specification.
PANEL = {
    1: "HDD LED", 3: "HDD LED", 5: "RESET", 7: "RESET", 9: "", 2: "PLED+", 4: "PLED-",
    6: "PWR_SW", 8: "PWR_SW",
}  # fmt: skip
WIRES_12VO = (
    ("green", "PS_ON#", "to PS_ON, wire 4", DUT),
    ("grey", "PWR_OK", "to PWR_OK, wire 2", DUT),
    ("black", "COM", "to GND, wire 1", GROUND),
    ("purple", "12VSB", "NEVER to 5VSB of the board: it is 12 V", NEVER),
    ("yellow", "12 V", "to nothing", NEVER),
)
TREE = (
    ("0 V in S5, S3 and S0", "ground, or nothing: look elsewhere", NEVER),
    ("5 or 3.3 V in S5 and S3, 0 V in S0", "PS_ON#: wire 4", DUT),
    ("0 V in S5 and S3, 5 V or 3.3 V in S0, 0.1 to 0.5 s after the fan", "PWR_OK: wire 2", DUT),
    ("0 V in S5 and S3, a supply's voltage in S0 at once", "a rail: leave it", NEVER),
    ("the same voltage in all three", "standby: 5VSB only if it is 5 V", GROUND),
    ("0 V in S5 and S3, 5 or 3.3 V in S0 before the fan turns", "an inverted PS_ON: wire 2", DUT),
    ("more than 5 V at any time", "no wire of the rig goes there", NEVER),
)


def cell(x: float, y: float, label: str, fill: str) -> list[str]:
    """Return one pin of a plug."""
    tone = "#000000" if fill == PLAIN else "#ffffff"
    return [box(x, y, 28, 28, fill), text(x + 14, y + 18, label, "middle", tone)]


def rows(lines: Sequence[tuple[str, str, str]], y: float, middle: float) -> tuple[list[str], float]:
    """Return what is seen at the left, what it is at the right, an arrow between; and the end."""
    drawn = []
    for seen, means, tone in lines:
        drawn += [
            text(middle - 30, y, seen, "end"),
            wire(middle - 22, y - 4, middle - 6, y - 4, tone),
            text(middle, y, means, "start", tone),
        ]
        y += 24
    return drawn, y


def desktop_picture() -> str:
    """Return the plugs of a desktop."""
    y = 2.0 * MARGIN
    drawn = [text(MARGIN, y, "24-pin plug, seen from the side of its wires, latch at the top")]
    for pin in range(1, 25):
        column, line = (pin - 1) % 12, (pin - 1) // 12
        name, fill = ATX24.get(pin, ("", PLAIN))
        # From behind, number 1 is at the lower right; numbers 13 to 24 are on the latch's side.
        x, top = MARGIN + (11 - column) * CELL, y + 38 + (1 - line) * CELL
        drawn += cell(x, top, str(pin), fill)
        if name:
            at = top - 8 if line else top + (58 if pin == 9 else 42)
            drawn.append(text(x + 14, at, name, "middle", fill))
    drawn += [
        text(470, y + 40, "colours: PWR_OK grey, PS_ON# green,"),
        text(470, y + 58, "5VSB purple, COM black"),
        text(470, y + 84, "A plug that does not agree in number AND"),
        text(470, y + 102, "colour is none of ATX: see the table."),
    ]
    y += 170
    drawn.append(text(MARGIN, y, "ATX12VO: 10 pins, by colour; numbers differ by the view drawn"))
    lines, y = rows([(f"{c}, {n}", to, tone) for c, n, to, tone in WIRES_12VO], y + 26, 240)
    drawn += lines
    y += 24
    drawn.append(text(MARGIN, y, "Front panel, 9 pins of Intel's guide, as most boards have it"))
    for pin in range(1, 11):
        x, top = MARGIN + 80 + (pin - 1) // 2 * 96.0, y + 40 + (pin + 1) % 2 * CELL
        if pin == 10:
            drawn.append(text(x + 14, top + 18, "no pin", "middle"))
            continue
        name = PANEL[pin]
        wanted = name.startswith("PW") or name.startswith("PL")
        drawn += cell(x, top, str(pin), DUT if wanted else PLAIN)
        drawn.append(text(x + 14, top - 8 if pin % 2 else top + 42, name, "middle"))
    y += 150
    drawn += [
        text(MARGIN, y, "PWR_SW: the pin at 3.3 or 5 V to wire 17, that at 0 V to wire 18."),
        text(MARGIN, y + 18, "Sources: Intel 336521 (ATX 3.0), 613768 (ATX12VO), Front Panel I/O"),
        text(MARGIN, y + 36, "Connectivity Design Guide. Never probed with this rig."),
    ]
    return sheet_of(drawn, WIDTH, y + 56, "signals of a desktop")


def slot_drawn(slot: Slot, y: float) -> list[str]:
    """Return a slot's row of even contacts, key and PERST# marked."""
    drawn = [
        text(
            MARGIN, y,
            f"M.2 slot with key {slot.key} ({slot.used_by}), its row of even contacts: PERST# is "
            f"number {slot.perst}",
        ),
        text(
            MARGIN, y + 18,
            f"count {slot.from_key} contacts from the key, on the side of the {slot.side} numbers",
        ),
    ]  # fmt: skip
    for number in range(74, 0, -2):
        x = MARGIN + (74 - number) / 2 * 24.0
        if number in slot.gone:
            continue
        fill = DUT if number == slot.perst else PLAIN
        drawn.append(box(x, y + 34, 14, 34, fill))
        if number in (74, 2, slot.perst, slot.gone[0] - 1, slot.gone[-1] + 1):
            drawn.append(text(x + 7, y + 84, str(number), "middle", DUT if fill == DUT else NEVER))
        elif number in (slot.gone[0] - 2, slot.gone[-1] + 2):
            drawn.append(text(x + 7, y + 84, str(number), "middle"))
    middle = MARGIN + (74 - (slot.gone[0] + slot.gone[-1]) / 2) / 2 * 24.0 + 7
    drawn.append(text(middle, y + 56, "key", "middle"))
    return drawn


def laptop_picture() -> str:
    """Return the M.2 slots, and what to look for beside them."""
    y = 2.0 * MARGIN
    drawn: list[str] = []
    for slot in SLOTS:
        drawn += slot_drawn(slot, y)
        y += 116
    drawn.append(text(MARGIN, y, "What else there is, easiest first"))
    lines, y = rows(
        [
            ("power button's own board, 2 to 4 wires", "the pin at 3.3 V: wire 17", DUT),
            ("enable of the 5 V and 3.3 V S0 switches", "SLP_S3#: wire 6", DUT),
            ("enable of the memory's regulator", "SLP_S4#: wire 8", DUT),
            ("power-good of the CPU's regulator (VR_READY)", "PWR_OK: wire 2", DUT),
            ("rail of 1.2 V or less of these signals", "RAIL: wire 14, jumper RAIL/2", DUT),
        ],
        y + 26,
        480,
    )
    drawn += lines
    drawn += [
        text(
            MARGIN,
            y + 8,
            "Contacts and keys: PCI-SIG, M.2. Check each with the voltmeter",
        ),
        text(MARGIN, y + 26, "in S0, S3 and S5 before you solder. Never probed with this rig."),
    ]
    return sheet_of(drawn, WIDTH, y + 46, "signals of a laptop")


def proprietary_picture() -> str:
    """Return what a voltmeter says of an unknown plug."""
    y = 2.0 * MARGIN
    drawn = [text(MARGIN, y, "A plug of the maker's own: voltmeter at each wire, in S5, S3 and S0")]
    lines, y = rows(TREE, y + 30, 560)
    drawn += lines
    drawn += [
        text(MARGIN, y + 10, "A button in a ladder of resistors (neither open nor 0 Ohm between"),
        text(MARGIN, y + 28, "its wires): do not put contacts there, use the finger."),
    ]
    return sheet_of(drawn, WIDTH, y + 48, "signals of a proprietary desktop")


def finding_pictures() -> dict[str, str]:
    """Return the pictures by file name."""
    return {
        "wiring/finding-desktop.svg": desktop_picture(),
        "wiring/finding-laptop.svg": laptop_picture(),
        "wiring/finding-proprietary.svg": proprietary_picture(),
    }
