"""Wiring tables, one for each kind of DUT: which wire goes where, and what it lets the rig see."""

from dataclasses import dataclass

from frontend.circuit.facts import Facts


@dataclass(frozen=True, slots=True)
class Wire:
    """One wire between DUT and front end."""

    net: str
    place: str
    """Where it is found at the DUT."""
    remark: str = ""


@dataclass(frozen=True, slots=True)
class DutKind:
    """A kind of DUT, its wires, and what cannot be measured on it."""

    name: str
    title: str
    variant: str
    wires: tuple[Wire, ...]
    unseen: str


ATX = DutKind(
    "atx-desktop",
    "ATX desktop, no soldering",
    "pico-wired",
    (
        Wire("GND", "24-pin extension, pin 3 (black)", "first on, last off"),
        Wire("DUT_PWR_OK", "24-pin extension, pin 8 (grey)", "JP_PGOOD at ATX"),
        Wire("DUT_PS_ON", "24-pin extension, pin 16 (green)", "JP_SLP_S3 at PS_ON"),
        Wire("DUT_5VSB_SUPPLY", "24-pin extension, pin 9 (purple), supply's half", "cut the wire"),
        Wire("DUT_5VSB", "24-pin extension, pin 9 (purple), mainboard's half"),
        Wire(
            "DUT_PLTRST",
            "TPM header, reset",
            "3.3 or 1.8 V, both are read without a jumper; unchecked",
        ),
        Wire("DUT_PWRBTN", "front-panel header, PWR_SW, the pin at 3.3 or 5 V"),
        Wire("DUT_PWRBTN_GND", "front-panel header, PWR_SW, the pin at 0 V"),
        Wire("DUT_PLED", "front-panel header, PLED+", "JP_LED at PLED+ where it is switched"),
        Wire("DUT_PLED_MINUS", "front-panel header, PLED-", "JP_LED at PLED- where that is"),
    ),
    "SLP_S4# and SLP_S5# are not on any connector: S3 and S4 are told apart by the log and by the "
    "current of 5VSB. The channel SLP_S3 sees PS_ON# (pin 16) inverted: SLP_S3# as the super-I/O "
    "passes it on, later by what that takes, which nobody knows from outside.",
)
LAPTOP = DutKind(
    "laptop-test-points",
    "Laptop with test points, soldered",
    "pico-wired",
    (
        Wire("GND", "a screw on the ground plane", "first on, last off; battery unplugged"),
        Wire("DUT_SLP_S3", "test point or EC pin", "0.1 mm wire, fixed with glue"),
        Wire("DUT_SLP_S4", "test point or EC pin"),
        Wire("DUT_SLP_S5", "test point or EC pin", "often not routed"),
        Wire("DUT_PLTRST", "test point, TPM or M.2 slot (PERST#)"),
        Wire("DUT_PWR_OK", "ALL_SYS_PWRGD or a rail that comes up", "JP_PGOOD off: 1.2 to 5 V"),
        Wire(
            "DUT_RAIL",
            "the rail of these signals, always on",
            "only where they have 1.2 V or less; JP_LEVEL",
        ),
        Wire("DUT_PWRBTN", "power-button board, the pin at 3.3 V"),
        Wire("DUT_PWRBTN_GND", "power-button board, the pin at 0 V"),
        Wire("DUT_PLED", "power LED, anode", "JP_LED at PLED+ where it is switched"),
        Wire("DUT_PLED_MINUS", "power LED, cathode", "JP_LED at PLED- where that is"),
    ),
    "Where the EC talks eSPI, SLP_Sx# and PLTRST# reach it as virtual wires; the chipset's pins "
    "often still sequence the rails: look for them at the regulators' enables. A laptop without S3 "
    "has no edge on any of them: light, LED and current are what remains.",
)
NO_ACCESS = DutKind(
    "laptop-no-access",
    "Laptop that stays closed: finger, magnet, photodiode",
    "pico-no-access",
    (),
    "Nothing inside is seen. A press is known to 2 to 5 ms (the key's travel), the lid to 18 ms "
    "(where the DUT's own sensor switches); the light is as good as on every other DUT.",
)
SMALL = DutKind(
    "small-start",
    "Any desktop, the small start",
    "small-start",
    (
        Wire("DUT_PWRBTN_GND", "front-panel header, PWR_SW, the pin at 0 V", "Y: the case's too"),
        Wire(
            "DUT_PWRBTN", "front-panel header, PWR_SW, the pin at 3.3 or 5 V", "Y: the case's too"
        ),
        Wire("DUT_PLED", "front-panel header, PLED+", "Y; only where PLED+ is switched"),
        Wire("GND", "front-panel header, the ground of RESET or PLED", "first on, last off"),
        Wire("DUT_PWR_OK", "24-pin plug, pin 8 (grey), from behind", "beside the contact, not cut"),
    ),
    "Seen are the press, PWR_OK, the power LED and the light. S3 and S4 are told apart by the log "
    "alone, and so is what lies between PWR_OK and the light.",
)
DUT_KINDS = (ATX, LAPTOP, NO_ACCESS, SMALL)


def connector_of(facts: Facts, net: str) -> str:
    """Return where a wire goes at the front end: reference, name and position."""
    for part in facts.on(net):
        if part.kind.prefix == "J":
            pins = [pin for pin, found in part.nets.items() if found == net]
            return f"{part.ref} {part.value.split(',')[0]}, {pins[0]}"
    return ""


def wiring_of(kind: DutKind, facts: Facts) -> str:
    """Return the wiring table of a kind of DUT.

    Raises:
        ValueError: a wire has no connector at the front end.
    """
    lines = [f"# {kind.title}", "", f"Front end: `{kind.variant}`.", ""]
    if kind.wires:
        lines += ["| wire | at the DUT | at the front end | remark |", "|---|---|---|---|"]
    for wire in kind.wires:
        place = connector_of(facts, wire.net)
        if not place:
            raise ValueError(f"{kind.name}: no connector of {kind.variant} takes {wire.net}")
        lines.append(f"| `{wire.net}` | {wire.place} | {place} | {wire.remark} |")
    if kind.wires:
        lines.append("")
    lines += [kind.unseen, "", "Made by `make hardware`. Never tried on a DUT.", ""]
    return "\n".join(lines)
