"""Every kind of part that the front end uses: maker's number, footprint, pins, ratings.

`symbol` is the part of KiCad's libraries that pins are compared with (`frontend.library`).

`unread` names what nobody has compared with the maker's data sheet. What is not in it was read in
the data sheet or in a faithful copy of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

PASSIVE, INPUT, OUTPUT, POWER, OPEN = "PASSIVE", "INPUT", "OUTPUT", "PWRIN", "OPENCOLL"
TWO = (("1", "1", PASSIVE), ("2", "2", PASSIVE))
R0603 = "Resistor_SMD:R_0603_1608Metric"
C0603 = "Capacitor_SMD:C_0603_1608Metric"
C0805 = "Capacitor_SMD:C_0805_2012Metric"
SOT23 = "Package_TO_SOT_SMD:SOT-23"

PinOf = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of part. Ratings are absolute maxima; 0 where a part has none of that sort."""

    name: str
    prefix: str
    maker: str
    number: str
    footprint: str
    pins: tuple[PinOf, ...]
    """Number, name and electrical type of each pin."""
    rated_v: float = 0.0
    rated_a: float = 0.0
    rated_w: float = 0.0
    alternatives: str = ""
    unread: str = ""
    symbol: str = ""
    """Library and name of KiCad's symbol; another part's where its own is not there."""
    tolerance: float = 0.0
    """Share that the value is off at most, 0 to 60 degrees Celsius included."""


def maker_number(kind: Kind, value: str) -> str:
    """Return the maker's number of a part, with its value written the maker's way."""
    if "{value}" not in kind.number:
        return kind.number
    if kind.prefix == "R":
        letter = value[-1].upper() if value[-1] in "kM" else "R"
        digits = value.rstrip("kM")
        code = digits.replace(".", letter) if "." in digits else digits + letter
    else:
        picofarads = round(float(value[:-1]) * {"p": 1, "n": 1_000, "u": 1_000_000}[value[-1]])
        zeros = len(str(picofarads)) - 2
        code = f"{picofarads // 10**zeros}{zeros}"
    return kind.number.format(value=code)


RESISTOR, CAPACITOR, DIODE, ZENER = "Device:R", "Device:C", "Device:D", "Device:D_Zener"
CONNECTOR = "Connector_Generic:Conn_01x{pins:02d}"
CATHODE_FIRST = (("1", "K", PASSIVE), ("2", "A", PASSIVE))

R1 = Kind(
    "R_1%", "R", "Yageo", "RC0603FR-07{value}L", R0603, TWO, 75.0, 0.0, 0.1,
    "any 0603, 1 %, 100 ppm/K, 100 mW", "number", RESISTOR, 0.0135,
)  # fmt: skip
R1206 = Kind(
    "R_1%_1206", "R", "Yageo", "RC1206FR-07{value}L", "Resistor_SMD:R_1206_3216Metric", TWO,
    200.0, 0.0, 0.25, "any 1206, 1 %, 100 ppm/K, 250 mW", "number", RESISTOR, 0.0135,
)  # fmt: skip
R01 = Kind(
    "R_0.1%", "R", "Yageo", "RT0603BRD07{value}L", R0603, TWO, 75.0, 0.0, 0.1,
    "any 0603, 0.1 %, 25 ppm/K", "number", RESISTOR, 0.002,
)  # fmt: skip
C16 = Kind(
    "C_X7R", "C", "Murata", "GRM188R71E{value}KA01D", C0603, TWO, 25.0,
    alternatives="any 0603, X7R, 10 %, 25 V or more", unread="number", symbol=CAPACITOR,
    tolerance=0.12,
)  # fmt: skip
CNP0 = Kind(
    "C_NP0", "C", "Murata", "GRM1885C1H{value}JA01D", C0603, TWO, 50.0,
    alternatives="any 0603, C0G/NP0, 5 %, 50 V", unread="number", symbol=CAPACITOR,
    tolerance=0.055,
)  # fmt: skip
C2U2 = Kind(
    "C_2u2", "C", "Murata", "GRM21BR71E225KA73L", C0805, TWO, 25.0,
    alternatives="2.2 uF, X7R, 25 V, 0805 (no electrolytic: its leakage shortens the hold limit)",
    unread="number", symbol=CAPACITOR, tolerance=0.2,
)  # fmt: skip
C22U = Kind(
    "C_22u", "C", "Murata", "GRM32ER71E226KE15L", "Capacitor_SMD:C_1210_3225Metric", TWO, 25.0,
    alternatives="22 uF, X7R, 25 V, 1210", unread="number", symbol=CAPACITOR, tolerance=0.2,
)  # fmt: skip
BULK = Kind(
    "C_BULK", "C", "Panasonic", "EEE-FT1V101AP", "Capacitor_SMD:CP_Elec_6.3x7.7",
    (("1", "+", PASSIVE), ("2", "-", PASSIVE)), 35.0,
    alternatives="100 uF, 35 V, 6.3 x 7.7 mm", unread="number", symbol="Device:C_Polarized",
    tolerance=0.2,
)  # fmt: skip
TVS = Kind(
    "TVS_5V", "D", "Nexperia", "PESD5V0U1UA", "Diode_SMD:D_SOD-323", CATHODE_FIRST, 5.0, 0.0, 0.0,
    "a unidirectional 5 V TVS diode of 3 pF or less, 8 kV contact, without a diode to a supply",
    "number in SOD-323, limits of capacitance and breakdown (read: 2.6 pF, 6.8 V, 9 kV contact)",
    ZENER,
)  # fmt: skip
SCHOTTKY = Kind(
    "BAT54J", "D", "Nexperia", "BAT54J,115", "Diode_SMD:D_SOD-323F", CATHODE_FIRST, 30.0, 0.2, 0.2,
    "BAT54WS of any maker (SOD-323)", "all", "Diode:BAT54J",
)  # fmt: skip
LOW_LEAK = Kind(
    "BAS416", "D", "Nexperia", "BAS416,115", "Diode_SMD:D_SOD-323", CATHODE_FIRST, 75.0, 0.2, 0.25,
    "any 75 V diode of 5 nA, SOD-323; never a Schottky diode, which ends the hold limit when warm",
    "all", "Diode:BAS316",
)  # fmt: skip
CLAMP = Kind(
    "TVS_33V", "D", "Littelfuse", "SMAJ33A", "Diode_SMD:D_SMA", CATHODE_FIRST, 53.3, 7.5, 400.0,
    "SMAJ33A of any maker", "pulse current (read: 36.7 to 40.6 V, 53.3 V clamped, 400 W)", ZENER,
)  # fmt: skip
SUPPLY_CLAMP = Kind(
    "TVS_15V", "D", "Littelfuse", "SMAJ15A", "Diode_SMD:D_SMA", CATHODE_FIRST, 24.4, 16.4, 400.0,
    "SMAJ15A of any maker", "all", ZENER,
)  # fmt: skip
POWER_DIODE = Kind(
    "MBRA340", "D", "onsemi", "MBRA340T3G", "Diode_SMD:D_SMA", CATHODE_FIRST, 40.0, 3.0, 1.5,
    "any Schottky diode of 40 V, 3 A, SMA", "number", "Diode:MBRA340",
)  # fmt: skip
FUSE = Kind(
    "PTC_1A1", "F", "Bourns", "MF-MSMF110/16-2", "Fuse:Fuse_1812_4532Metric", TWO, 16.0, 1.1, 0.8,
    "any resettable fuse of 1.1 A, 16 V, 1812", "number, currents", "Device:Polyfuse",
)  # fmt: skip
FET = Kind(
    "BSS138", "Q", "onsemi", "BSS138", SOT23,
    (("1", "G", INPUT), ("2", "S", PASSIVE), ("3", "D", PASSIVE)), 50.0, 0.22, 0.35,
    "a 50 V FET with 1.5 V of threshold or less, for example 2N7002 selected; never a plain 2N7002",
    symbol="Transistor_FET:BSS138",
)  # fmt: skip
COIL_FET = Kind(
    "AO3422", "Q", "Alpha & Omega", "AO3422", SOT23,
    (("1", "G", INPUT), ("2", "S", PASSIVE), ("3", "D", PASSIVE)), 55.0, 2.1, 1.25,
    "a 55 V FET that is rated at 2.5 V of gate", symbol="Transistor_FET:AO3400A",
)  # fmt: skip
HIGH_FET = Kind(
    "AO3401A", "Q", "Alpha & Omega", "AO3401A", SOT23,
    (("1", "G", INPUT), ("2", "S", PASSIVE), ("3", "D", PASSIVE)), 30.0, 4.0, 1.4,
    "any P-channel FET of 30 V and 0.1 Ohm at 4.5 V", "number", "Transistor_FET:AO3401A",
)  # fmt: skip
PHOTOMOS = Kind(
    "AQY212EH", "K", "Panasonic", "AQY212EH", "Package_DIP:DIP-4_W7.62mm",
    (("1", "A", PASSIVE), ("2", "K", PASSIVE), ("3", "O1", PASSIVE), ("4", "O2", PASSIVE)),
    60.0, 0.05, 0.075, "TLP222A, G3VM-61A1 (slower or faster: run the button's study)",
    "times (read: 60 V, 550 mA, driven by 5 mA)", "Relay_SolidState:TLP222A",
)  # fmt: skip
QUAD = Kind(
    "TLV9034", "U", "Texas Instruments", "TLV9034PWR", "Package_SO:TSSOP-14_4.4x5mm_P0.65mm",
    (
        ("1", "OUT2", OUTPUT), ("2", "OUT1", OUTPUT), ("3", "V+", POWER), ("4", "IN1-", INPUT),
        ("5", "IN1+", INPUT), ("6", "IN2-", INPUT), ("7", "IN2+", INPUT), ("8", "IN3-", INPUT),
        ("9", "IN3+", INPUT), ("10", "IN4-", INPUT), ("11", "IN4+", INPUT), ("12", "V-", POWER),
        ("13", "OUT4", OUTPUT), ("14", "OUT3", OUTPUT),
    ),
    6.0, 0.01, 0.0, "none: push-pull outputs and inputs without a diode to the supply are needed",
    "offset, input current, greatest delay, voltage rating (read: 100 ns down, 115 ns up, typical)",
    "Comparator:LM339",
)  # fmt: skip
REFERENCE = Kind(
    "REF3125", "U", "Texas Instruments", "REF3125AIDBZT", SOT23,
    (("1", "IN", POWER), ("2", "OUT", OUTPUT), ("3", "GND", POWER)), 7.0, 0.01, 0.0,
    "REF3025 (50 ppm/K) from 3.3 V; no LM4040: its 100 ppm/K alone are 0.35 % over 35 K",
    "all but pins", "Reference_Voltage:REF3025",
)  # fmt: skip
AMPLIFIER = Kind(
    "MCP6024", "U", "Microchip", "MCP6024-I/SL", "Package_SO:SOIC-14_3.9x8.7mm_P1.27mm",
    (
        ("1", "OUTA", OUTPUT), ("2", "INA-", INPUT), ("3", "INA+", INPUT), ("4", "VDD", POWER),
        ("5", "INB+", INPUT), ("6", "INB-", INPUT), ("7", "OUTB", OUTPUT), ("8", "OUTC", OUTPUT),
        ("9", "INC-", INPUT), ("10", "INC+", INPUT), ("11", "VSS", POWER), ("12", "IND+", INPUT),
        ("13", "IND-", INPUT), ("14", "OUTD", OUTPUT),
    ),
    7.0, 0.03, 0.0, "OPA4320; rail to rail, 10 MHz", "all but pins",
    "Amplifier_Operational:MCP6004",
)  # fmt: skip
PHOTODIODE = Kind(
    "BPW34", "D", "Vishay", "BPW34", "OptoDevice:Osram_DIL2_4.3x4.65mm_P5.08mm",
    CATHODE_FIRST, 60.0, 0.0, 0.215, "SFH206K, OSRAM BPW34S",
    "capacitance, sensitivity to white LED light (read: 5.4 x 4.3 x 3.2 mm, 7.5 mm2, 60 V)",
    "Sensor_Optical:BPW34",
)  # fmt: skip
HALL = Kind(
    "DRV5023", "U", "Texas Instruments", "DRV5023AJQLPG", "Package_TO_SOT_THT:TO-92_Inline",
    (("1", "VCC", POWER), ("2", "GND", POWER), ("3", "OUT", OPEN)), 40.0, 0.03, 0.0,
    "a hall switch that looks all the time; never one that samples, as the DRV5032 does",
    "delay (read: 30 kHz, 6.9 mT on, 3.2 mT off, pins)", "Sensor_Magnetic:DRV5033AJxLPG",
)  # fmt: skip
CURRENT = Kind(
    "INA226", "U", "Texas Instruments", "INA226AIDGSR", "Package_SO:MSOP-10_3x3mm_P0.5mm",
    (
        ("1", "A1", INPUT), ("2", "A0", INPUT), ("3", "ALERT", OPEN), ("4", "SDA", PASSIVE),
        ("5", "SCL", INPUT), ("6", "VS", POWER), ("7", "GND", POWER), ("8", "VBUS", INPUT),
        ("9", "IN-", INPUT), ("10", "IN+", INPUT),
    ),
    36.0, 0.005, 0.0, "INA219 (7-bit address and gain differ)", "", "Sensor_Energy:INA226",
)  # fmt: skip
SHUNT = Kind(
    "SHUNT_40m", "R", "Vishay", "WSL2512R0400FEA", "Resistor_SMD:R_2512_6332Metric", TWO,
    30.0, 0.0, 1.0, "40 mOhm, 1 %, 1 W, 2512", "number", RESISTOR, 0.0135,
)  # fmt: skip
TRIMMER = Kind(
    "TRIMMER_10k", "RV", "Bourns", "3386P-1-103LF",
    "Potentiometer_THT:Potentiometer_Bourns_3386P_Vertical",
    (("1", "1", PASSIVE), ("2", "2", PASSIVE), ("3", "3", PASSIVE)), 300.0, 0.0, 0.5,
    "any 10 kOhm trimmer with three pins in a triangle of 2.5 mm", "number",
    "Device:R_Potentiometer", 0.1,
)  # fmt: skip
TIMER = Kind(
    "TLC555", "U", "Texas Instruments", "TLC555CDR", "Package_SO:SOIC-8_3.9x4.9mm_P1.27mm",
    (
        ("1", "GND", POWER), ("2", "TRIG", INPUT), ("3", "OUT", OUTPUT), ("4", "RESET", INPUT),
        ("5", "CONT", PASSIVE), ("6", "THRES", INPUT), ("7", "DISCH", OPEN), ("8", "VDD", POWER),
    ),
    18.0, 0.1, 0.0, "any CMOS 555", "all but pins", "Timer:TLC555xD",
)  # fmt: skip
TERMINAL = Kind(
    "TERMINAL_2", "J", "Phoenix Contact", "1715721",
    "TerminalBlock_Phoenix:TerminalBlock_Phoenix_MKDS-1,5-2-5.08_1x02_P5.08mm_Horizontal",
    TWO, 250.0, 10.0, 0.0, "any 5.08 mm screw terminal", "number, current",
    CONNECTOR.format(pins=2),
)  # fmt: skip
BOX_HEADER = Kind(
    "BOX_HEADER_20", "J", "Wuerth Elektronik", "61202021621",
    "Connector_IDC:IDC-Header_2x10_P2.54mm_Vertical",
    tuple((str(number), str(number), PASSIVE) for number in range(1, 21)),
    250.0, 1.0, 0.0, "any box header of 2 x 10 pins, 2.54 mm, with a notch", "number",
    "Connector_Generic:Conn_02x10_Odd_Even",
)  # fmt: skip
TEST_POINT = Kind(
    "TEST_POINT", "TP", "none", "pad", "TestPoint:TestPoint_Pad_D1.5mm",
    (("1", "1", PASSIVE),), 250.0, 1.0, 0.0, "a bare pad: nothing is placed", "",
    "Connector:TestPoint",
)  # fmt: skip


def header(pins: int) -> Kind:
    """Return a pin header of 2.54 mm with so many pins in a row."""
    return Kind(
        f"HEADER_{pins}", "J", "Wuerth Elektronik", f"613{pins:03d}11121",
        f"Connector_PinHeader_2.54mm:PinHeader_1x{pins:02d}_P2.54mm_Vertical",
        tuple((str(number), str(number), PASSIVE) for number in range(1, pins + 1)),
        250.0, 3.0, 0.0, "any 2.54 mm pin header", "number", CONNECTOR.format(pins=pins),
    )  # fmt: skip


def plug_socket(pins: int) -> Kind:
    """Return a keyed connector of 2.5 mm for a cable that leaves the board."""
    return Kind(
        f"XH_{pins}", "J", "JST", f"B{pins}B-XH-A(LF)(SN)",
        f"Connector_JST:JST_XH_B{pins}B-XH-A_1x{pins:02d}_P2.50mm_Vertical",
        tuple((str(number), str(number), PASSIVE) for number in range(1, pins + 1)),
        250.0, 3.0, 0.0, f"XH of any maker, {pins} pins", "number", CONNECTOR.format(pins=pins),
    )  # fmt: skip


def socket(names: Sequence[str]) -> Kind:
    """Return a socket of 2.54 mm for one row of a module's pins."""
    pins = len(names)
    return Kind(
        f"SOCKET_{pins}", "J", "Wuerth Elektronik", f"613{pins:03d}11821",
        f"Connector_PinSocket_2.54mm:PinSocket_1x{pins:02d}_P2.54mm_Vertical",
        tuple((str(number), name, PASSIVE) for number, name in enumerate(names, 1)),
        250.0, 3.0, 0.0, "any 2.54 mm socket, 8.5 mm high", "number", CONNECTOR.format(pins=pins),
    )  # fmt: skip
