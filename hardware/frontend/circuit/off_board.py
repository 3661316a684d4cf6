"""What belongs to the front end and stands on no board: in the hood, at the magnet, on a cable.

They are in the circuit, so that rules and simulations see what hangs on a connector, and in the
bill; netlist and layout leave them out.
"""

from frontend.circuit.catalogue import INPUT, POWER, TWO, Kind

COIL = Kind(
    "COIL", "L", "Intertec", "ITS-MS-2015-12VDC", "", TWO, 13.2, 0.4, 4.0,
    "a holding magnet of 12 V and 30 Ohm or more, 20 mm",
    "all: no public data sheet was found; measure field and temperature", "Device:L", 0.1,
)  # fmt: skip
SOLENOID = Kind(
    "SOLENOID", "L", "Magnet Schultz", "312-P-R1, 12 V, 25 %", "", TWO, 13.2, 1.0, 11.0,
    "a push solenoid of 12 V and 16 Ohm or more, with a spring; its figures into the margins",
    "inductance (estimated); read: force, power, spring, weight, 10 %, class B", "Device:L", 0.1,
)  # fmt: skip
SERVO = Kind(
    "SERVO", "M", "Hitec", "HS-311", "",
    (("1", "SIGNAL", INPUT), ("2", "V+", POWER), ("3", "V-", POWER)), 6.0, 1.0, 0.0,
    "any servo of 4.8 to 6 V that takes 0.8 A when stalled",
    "temperature (read: 4.8 to 6 V, 0.29 Nm, 0.7 and 0.8 A stalled, 43 g)", "Motor:Motor_Servo",
)  # fmt: skip
TIP = Kind(
    "TIP_CONTACT", "S", "hand-made", "two wires under a foil", "", TWO, 5.0, 0.01, 0.0,
    "a membrane switch", "all", "Switch:SW_Push",
)  # fmt: skip


def accessory(name: str, maker: str, number: str, alternatives: str = "", unread: str = "") -> Kind:
    """Return something that has no pins in the circuit, and still has to be bought."""
    return Kind(name, "A", maker, number, "", (), alternatives=alternatives, unread=unread)


PICO = accessory("PICO", "Raspberry Pi", "SC0917", "Pico H: with its pins soldered", "number")
ISOLATOR = accessory(
    "USB_ISOLATOR", "Adafruit", "2107",
    "any full-speed USB isolator (ADuM3160, ADuM4160) that gives 100 mA", "all",
)  # fmt: skip
JUMPER = accessory("JUMPER", "Wuerth Elektronik", "60900213421", "any jumper of 2.54 mm", "number")
RIBBON = accessory(
    "DUT_CABLE", "hand-made", "ribbon of 20 wires, 0.5 m, with a 2 x 10 plug",
    "sorted into ATX extension, front panel and probes; wire 20 is cut off",
)  # fmt: skip
PLUG = accessory(
    "SELFTEST_PLUG", "hand-made", "2 x 10 plug, wire 20 joined to wires 2, 6, 8, 10, 12",
    "takes the place of the DUT's cable",
)  # fmt: skip
MAGNET = accessory(
    "MAGNET", "Dhit", "030186 (MP 20x5x5, N38)",
    "any ring of NdFeB, 20 mm wide, 5 mm high, hole 5 mm, magnetised along its axis",
    "how its field spreads: calculated",
)  # fmt: skip
SERVO_ADAPTER = accessory(
    "SUPPLY_6V", "any", "6 V within 3 %, 2 A, two pins: floating",
    "5 V are too little: diode and fuse take up to 0.7 V, and the servo needs 4.8 V",
)  # fmt: skip
WALL_ADAPTER = accessory(
    "SUPPLY_12V", "Mean Well", "GST12E12-P1J", "12 V, 1 A, two pins: floating", "number"
)  # fmt: skip
