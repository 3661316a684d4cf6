"""The small start: a Pico on a breadboard, two photoMOS, a photodiode module, nothing soldered.

It keeps the two contacts and the hold limit. It has no clamps and no dead-man, and sees the button,
the power LED, PWR_OK and the light; a DUT's wires go through 470 kOhm to a transistor. Without
PWR_OK no campaign could tell that a desktop sleeps.
"""

from frontend.circuit.board import Board
from frontend.circuit.carrier import PICO_PINS
from frontend.circuit.catalogue import CATHODE_FIRST, PASSIVE, PHOTOMOS, POWER, TWO, Kind

SMALL_START = "small-start"
SHEET = "small_start"
ON_BREADBOARD = "board"

R_THT = Kind(
    "R_THT", "R", "Yageo", "MFR-25FBF52-{value}",
    "Resistor_THT:R_Axial_DIN0207_L6.3mm_D2.5mm_P10.16mm_Horizontal",
    TWO, 250.0, 0.0, 0.25, "any leaded resistor, 1 %, 250 mW", "number", "Device:R", 0.0135,
)  # fmt: skip
C_THT = Kind(
    "C_FILM", "C", "WIMA", "MKS2B042201H00",
    "Capacitor_THT:C_Rect_L7.2mm_W7.2mm_P5.00mm_FKS2_FKP2_MKS2_MKP2",
    TWO, 50.0, 0.0, 0.0, "2.2 uF, film or X7R, 25 V or more; no electrolytic", "number",
    "Device:C", 0.12,
)  # fmt: skip
DIODE_THT = Kind(
    "1N4148", "D", "onsemi", "1N4148", "Diode_THT:D_DO-35_SOD27_P7.62mm_Horizontal",
    CATHODE_FIRST, 100.0, 0.2, 0.5, "1N4148 of any maker", "all", "Diode:1N4148",
)  # fmt: skip
DARLINGTON = Kind(
    "BC517", "T", "onsemi", "BC517", "Package_TO_SOT_THT:TO-92_Inline",
    (("1", "C", PASSIVE), ("2", "B", "INPUT"), ("3", "E", PASSIVE)), 30.0, 1.0, 0.625,
    "MPSA13, MPSA14 (pins the other way round: E B C)", "gain (assumed: 30 000)",
    "Transistor_BJT:BC517",
)  # fmt: skip
TRANSISTOR = Kind(
    "BC547", "T", "onsemi", "BC547B", "Package_TO_SOT_THT:TO-92_Inline",
    (("1", "C", PASSIVE), ("2", "B", "INPUT"), ("3", "E", PASSIVE)), 45.0, 0.1, 0.625,
    "BC337, 2N3904 (pins the other way round: E B C)", "gain (assumed: 200 to 450)",
    "Transistor_BJT:BC547",
)  # fmt: skip
LIGHT_MODULE = Kind(
    "OPT101_MODULE", "U", "Texas Instruments", "OPT101 on a breakout board (CJMCU-101)", "module",
    (("1", "VCC", POWER), ("2", "GND", POWER), ("3", "OUT", "OUTPUT")), 36.0, 0.01, 0.0,
    "any breakout of the OPT101 with its internal 1 MOhm in use: pins 4 and 5 joined",
    "pins of the module (read of the OPT101: 2.7 to 36 V, 14 kHz, 28 us, 1 MOhm)",
)  # fmt: skip
PICO_H = Kind(
    "PICO_H", "A", "Raspberry Pi", "SC0917", "module",
    tuple((str(n), name, PASSIVE) for n, name in enumerate(PICO_PINS, 1)), 5.5, 0.3, 0.0,
    "Pico with soldered pins", "number",
)  # fmt: skip
PANEL = Kind(
    "FRONT_PANEL", "J", "hand-made", "jumper wires with one end male, one female",
    "cable", (("1", "1", PASSIVE), ("2", "2", PASSIVE), ("3", "3", PASSIVE), ("4", "4", PASSIVE)),
    50.0, 1.0, 0.0, "a front-panel Y cable", "",
)  # fmt: skip
TAP = Kind(
    "ATX_TAP", "J", "hand-made", "jumper wire, its pin pushed into the 24-pin plug from behind",
    "cable", (("1", "1", PASSIVE),), 50.0, 1.0, 0.0, "a 24-pin extension with pin 8 led out", "",
)  # fmt: skip
BREADBOARD = Kind("BREADBOARD", "A", "hand-made", "830 points, with a set of wires", "", ())


def sense(board: Board, name: str, wire: str, out: str) -> None:
    """Place a wire's sense: a transistor that takes microamperes, and inverts."""
    place = board.place
    place(SHEET, f"R_{name}", R_THT, {"1": wire, "2": f"{name}_BASE"}, "470k", 5.3)
    pins = {"C": out, "B": f"{name}_BASE", "E": "GND"}
    place(SHEET, f"T_{name}", TRANSISTOR, pins, volts=3.4, amperes=0.001)
    place(SHEET, f"R_{name}_UP", R_THT, {"1": "+3V3", "2": out}, "10k", 3.4)


def small_start() -> Board:
    """Return the small start."""
    board = Board()
    place = board.place
    place(SHEET, "R_LED1", R_THT, {"1": "DRIVE_BUTTON", "2": "A1"}, "270", 2.4, 0.009)
    pins = {"A": "A1", "K": "GND", "O1": "DUT_PWRBTN", "O2": "MID"}
    place(SHEET, "K1", PHOTOMOS, pins, volts=5.3, amperes=0.009)
    place(SHEET, "R_HOLD_IN", R_THT, {"1": "DRIVE_BUTTON", "2": "HOLD"}, "1k", 3.4, 0.004)
    place(SHEET, "C_HOLD", C_THT, {"1": "HOLD", "2": "HELD"}, "2.2u", 3.4)
    place(SHEET, "R_HOLD", R_THT, {"1": "HELD", "2": "GND"}, "1.5M", 3.4)
    place(SHEET, "D_HOLD", DIODE_THT, {"A": "GND", "K": "HELD"}, volts=3.4, amperes=0.004)
    place(SHEET, "R_BASE", R_THT, {"1": "HELD", "2": "BASE"}, "1M", 3.4)
    place(
        SHEET, "T_HOLD", DARLINGTON, {"C": "K2", "B": "BASE", "E": "GND"}, volts=3.4, amperes=0.015
    )
    place(SHEET, "R_LED2", R_THT, {"1": "+3V3", "2": "A2"}, "150", 2.3, 0.015)
    pins = {"A": "A2", "K": "K2", "O1": "MID", "O2": "DUT_PWRBTN_GND"}
    place(SHEET, "K2", PHOTOMOS, pins, volts=5.3, amperes=0.015)
    sense(board, "BUTTON", "DUT_PWRBTN", "SENSE_BUTTON")
    sense(board, "LED", "DUT_PLED", "SENSE_LED")
    sense(board, "PWR_OK", "DUT_PWR_OK", "SENSE_PWR_OK")
    wires = {"1": "DUT_PWRBTN", "2": "DUT_PWRBTN_GND", "3": "DUT_PLED", "4": "GND"}
    place(SHEET, "J_PANEL", PANEL, wires, "PANEL", volts=5.3, amperes=0.02, where="cable")
    tap = {"1": "DUT_PWR_OK"}
    place(SHEET, "J_TAP", TAP, tap, "PWR_OK", volts=5.3, amperes=0.001, where="cable")
    module = {"VCC": "+3V3", "GND": "GND", "OUT": "SENSE_LIGHT"}
    place(SHEET, "U1", LIGHT_MODULE, module, "OPT101", volts=3.4, amperes=0.001, where="panel")
    nets = {
        "GP2": "SENSE_PWR_OK", "GP8": "SENSE_LED", "GP9": "SENSE_BUTTON", "GP14": "DRIVE_BUTTON",
        "GP26": "SENSE_LIGHT", "3V3": "+3V3", "GND38": "GND", "AGND": "GND",
    }  # fmt: skip
    place(SHEET, "PICO", PICO_H, nets, "Pico H", volts=3.4, amperes=0.1, where="breadboard")
    place(SHEET, "BREADBOARD", BREADBOARD, {}, where="bench")
    return board


PRICES_EUR = {
    "PICO_H": 6.0, "BREADBOARD": 5.0, "AQY212EH": 3.0, "BC517": 0.5, "BC547": 0.1, "1N4148": 0.1,
    "R_THT": 0.1, "C_FILM": 1.0, "OPT101_MODULE": 10.0, "FRONT_PANEL": 4.0, "ATX_TAP": 0.1,
}  # fmt: skip
"""What one of a kind costs in a shop for hobbyists, VAT included: assumed. Of none a public price
with a date was found, but for the Pico without pins: 4 USD, without VAT, at its launch in 2021."""
SHOPS = "shops for electronics: Reichelt, Conrad, Farnell, Mouser"
HOBBY = "shops for hobbyists and marketplaces"
SOLD_BY = {
    "PICO_H": "raspberrypi.com lists its resellers", "BREADBOARD": HOBBY, "AQY212EH": SHOPS,
    "BC517": SHOPS, "BC547": SHOPS, "1N4148": SHOPS, "R_THT": SHOPS, "C_FILM": SHOPS,
    "OPT101_MODULE": f"{HOBBY}: CJMCU-101", "FRONT_PANEL": HOBBY, "ATX_TAP": HOBBY,
}  # fmt: skip
"""Where one is sold."""
