"""Every kind of part that the front end uses: maker's number, footprint, pins, ratings.

`unread` names what nobody has compared with the maker's data sheet. What is not in it was read in
the data sheet or in a faithful copy of it.
"""

from dataclasses import dataclass

PASSIVE, INPUT, OUTPUT, POWER, OPEN = "PASSIVE", "INPUT", "OUTPUT", "PWRIN", "OPENCOLL"
TWO = (("1", "1", PASSIVE), ("2", "2", PASSIVE))
R0805 = "Resistor_SMD:R_0805_2012Metric"
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


def resistor(name: str, number: str, alternatives: str, unread: str = "number") -> Kind:
    """Return an 0805 resistor of 125 mW and 150 V; values are written into the maker's number."""
    return Kind(name, "R", "Yageo", number, R0805, TWO, 150.0, 0.0, 0.125, alternatives, unread)


R1 = resistor("R_1%", "RC0805FR-07{value}L", "any 0805, 1 %, 100 ppm/K, 125 mW")
R1206 = Kind(
    "R_1%_1206", "R", "Yageo", "RC1206FR-07{value}L", "Resistor_SMD:R_1206_3216Metric", TWO,
    200.0, 0.0, 0.25, "any 1206, 1 %, 100 ppm/K, 250 mW", "number",
)  # fmt: skip
R01 = resistor("R_0.1%", "RT0805BRD07{value}L", "any 0805, 0.1 %, 25 ppm/K")
C16 = Kind(
    "C_X7R", "C", "Murata", "GRM21BR71E{value}KA01L", C0805, TWO, 25.0,
    alternatives="any 0805, X7R, 10 %, 25 V or more", unread="number",
)  # fmt: skip
CNP0 = Kind(
    "C_NP0", "C", "Murata", "GRM2165C1H{value}JA01D", C0805, TWO, 50.0,
    alternatives="any 0805, C0G/NP0, 5 %, 50 V", unread="number",
)  # fmt: skip
C10U = Kind(
    "C_10u", "C", "Murata", "GRM31CR71E106KA12L", "Capacitor_SMD:C_1206_3216Metric", TWO, 25.0,
    alternatives="10 uF, X7R, 25 V, 1206 (no electrolytic: its leakage shortens the hold limit)",
    unread="number",
)  # fmt: skip
TVS = Kind(
    "TVS_5V", "D", "Nexperia", "PESD5V0U1UA", "Diode_SMD:D_SOD-323",
    (("1", "K", PASSIVE), ("2", "A", PASSIVE)), 5.0, 0.0, 0.0,
    "a unidirectional 5 V TVS diode of 3 pF or less, 8 kV contact, without a diode to a supply",
    "number in SOD-323, limits of capacitance and breakdown (read: 2.6 pF, 6.8 V, 9 kV contact)",
)  # fmt: skip
SCHOTTKY = Kind(
    "BAT54", "D", "Nexperia", "BAT54", SOT23,
    (("1", "A", PASSIVE), ("2", "NC", "NOCONNECT"), ("3", "K", PASSIVE)), 30.0, 0.2, 0.2,
    "BAT54 of any maker", "all",
)  # fmt: skip
LOW_LEAK = Kind(
    "BAS116", "D", "Nexperia", "BAS116", SOT23,
    (("1", "A", PASSIVE), ("2", "NC", "NOCONNECT"), ("3", "K", PASSIVE)), 75.0, 0.2, 0.25,
    "BAS416, or BAS116 of any maker; never a Schottky diode, which ends the hold limit when warm",
    "all",
)  # fmt: skip
CLAMP = Kind(
    "TVS_33V", "D", "Littelfuse", "SMAJ33A", "Diode_SMD:D_SMA",
    (("1", "K", PASSIVE), ("2", "A", PASSIVE)), 53.3, 7.5, 400.0,
    "SMAJ33A of any maker", "pulse current (read: 36.7 to 40.6 V, 53.3 V clamped, 400 W)",
)  # fmt: skip
FET = Kind(
    "BSS138", "Q", "onsemi", "BSS138", SOT23,
    (("1", "G", INPUT), ("2", "S", PASSIVE), ("3", "D", PASSIVE)), 50.0, 0.22, 0.35,
    "a 50 V FET with 1.5 V of threshold or less, for example 2N7002 selected; never a plain 2N7002",
)  # fmt: skip
COIL_FET = Kind(
    "AO3422", "Q", "Alpha & Omega", "AO3422", SOT23,
    (("1", "G", INPUT), ("2", "S", PASSIVE), ("3", "D", PASSIVE)), 55.0, 2.1, 1.25,
    "a 55 V FET that is rated at 2.5 V of gate",
)  # fmt: skip
PHOTOMOS = Kind(
    "AQY212EH", "K", "Panasonic", "AQY212EH", "Package_DIP:DIP-4_W7.62mm",
    (("1", "A", PASSIVE), ("2", "K", PASSIVE), ("3", "O1", PASSIVE), ("4", "O2", PASSIVE)),
    60.0, 0.05, 0.075, "TLP222A, G3VM-61A1 (slower or faster: run the button's deck)",
    "times (read: 60 V, 550 mA, driven by 5 mA)",
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
    "pinout, offset, greatest delay, voltage rating (read: typical delay 100 ns down, 115 ns up)",
)  # fmt: skip
REFERENCE = Kind(
    "REF3125", "U", "Texas Instruments", "REF3125AIDBZT", SOT23,
    (("1", "IN", POWER), ("2", "OUT", OUTPUT), ("3", "GND", POWER)), 7.0, 0.01, 0.0,
    "REF3025 (50 ppm/K) from 3.3 V; no LM4040: its 100 ppm/K alone are 0.35 % over 35 K", "all",
)  # fmt: skip
AMPLIFIER = Kind(
    "MCP6022", "U", "Microchip", "MCP6022-I/SN", "Package_SO:SOIC-8_3.9x4.9mm_P1.27mm",
    (
        ("1", "OUTA", OUTPUT), ("2", "INA-", INPUT), ("3", "INA+", INPUT), ("4", "VSS", POWER),
        ("5", "INB+", INPUT), ("6", "INB-", INPUT), ("7", "OUTB", OUTPUT), ("8", "VDD", POWER),
    ),
    7.0, 0.03, 0.0, "OPA2320; rail to rail, 10 MHz", "all",
)  # fmt: skip
PHOTODIODE = Kind(
    "BPW34", "D", "Vishay", "BPW34", "OptoDevice:Osram_DIL2_4.3x4.65mm_P5.08mm",
    (("1", "K", PASSIVE), ("2", "A", PASSIVE)), 60.0, 0.0, 0.215, "SFH206K, OSRAM BPW34S",
    "capacitance, sensitivity to white LED light (read: 5.4 x 4.3 x 3.2 mm, 7.5 mm2, 60 V)",
)  # fmt: skip
HALL = Kind(
    "DRV5023", "U", "Texas Instruments", "DRV5023AJQLPG", "Package_TO_SOT_THT:TO-92_Inline",
    (("1", "VCC", POWER), ("2", "GND", POWER), ("3", "OUT", OPEN)), 40.0, 0.03, 0.0,
    "a hall switch that looks all the time; never one that samples, as the DRV5032 does",
    "delay (read: 30 kHz, 6.9 mT on, 3.2 mT off, pins)",
)  # fmt: skip
CURRENT = Kind(
    "INA226", "U", "Texas Instruments", "INA226AIDGSR", "Package_SO:MSOP-10_3x3mm_P0.5mm",
    (
        ("1", "A1", INPUT), ("2", "A0", INPUT), ("3", "ALERT", OPEN), ("4", "SDA", PASSIVE),
        ("5", "SCL", INPUT), ("6", "VS", POWER), ("7", "GND", POWER), ("8", "VBUS", INPUT),
        ("9", "IN-", INPUT), ("10", "IN+", INPUT),
    ),
    36.0, 0.005, 0.0, "INA219 (7-bit address and gain differ)", "pinout",
)  # fmt: skip
SHUNT = Kind(
    "SHUNT_20m", "R", "Vishay", "WSL2512R0200FEA", "Resistor_SMD:R_2512_6332Metric", TWO,
    30.0, 0.0, 1.0, "20 mOhm, 1 %, 1 W, 2512", "number",
)  # fmt: skip
ISOLATOR = Kind(
    "USB_ISOLATOR", "A", "Adafruit", "2107", "Connector:module_by_cable",
    (("1", "VBUS2", OUTPUT), ("2", "GND2", PASSIVE), ("3", "D-", PASSIVE), ("4", "D+", PASSIVE)),
    2500.0, 0.1, 0.0, "any full-speed USB isolator (ADuM3160, ADuM4160) with an isolated supply",
    "all",
)  # fmt: skip
SERVO = Kind(
    "SERVO", "M", "TowerPro", "MG90S", "Connector_PinHeader_2.54mm:PinHeader_1x03_P2.54mm_Vertical",
    (("1", "SIGNAL", INPUT), ("2", "V+", POWER), ("3", "GND", POWER)), 6.0, 1.0, 0.0,
    "any 5 V servo with metal gears", "all",
)  # fmt: skip
TIMER = Kind(
    "TLC555", "U", "Texas Instruments", "TLC555CDR", "Package_SO:SOIC-8_3.9x4.9mm_P1.27mm",
    (
        ("1", "GND", POWER), ("2", "TRIG", INPUT), ("3", "OUT", OUTPUT), ("4", "RESET", INPUT),
        ("5", "CONT", PASSIVE), ("6", "THRES", INPUT), ("7", "DISCH", OPEN), ("8", "VDD", POWER),
    ),
    18.0, 0.1, 0.0, "any CMOS 555", "all",
)  # fmt: skip
TERMINAL = Kind(
    "TERMINAL_2", "J", "Phoenix Contact", "1715721",
    "TerminalBlock_Phoenix:TerminalBlock_Phoenix_MKDS-1,5-2-5.08_1x02_P5.08mm_Horizontal",
    TWO, 250.0, 10.0, 0.0, "any 5.08 mm screw terminal", "number, current",
)  # fmt: skip
KINDS = (
    R1, R1206, R01, C16, CNP0, C10U, TVS, SCHOTTKY, LOW_LEAK, CLAMP, FET, COIL_FET, PHOTOMOS,
    QUAD, REFERENCE, AMPLIFIER, PHOTODIODE, HALL, CURRENT, SHUNT, ISOLATOR, SERVO, TIMER, TERMINAL,
)  # fmt: skip


def header(pins: int) -> Kind:
    """Return a pin header of 2.54 mm with so many pins in a row."""
    return Kind(
        f"HEADER_{pins}", "J", "Wuerth Elektronik", f"613{pins:03d}11121",
        f"Connector_PinHeader_2.54mm:PinHeader_1x{pins:02d}_P2.54mm_Vertical",
        tuple((str(number), str(number), PASSIVE) for number in range(1, pins + 1)),
        250.0, 3.0, 0.0, "any 2.54 mm pin header", "number",
    )  # fmt: skip
