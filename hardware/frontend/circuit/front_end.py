"""The whole front end, for each way to move the lid and the button."""

from dataclasses import dataclass

from frontend.circuit.board import Board
from frontend.circuit.carrier import accessories, carrier
from frontend.circuit.coil_drive import supply_entry
from frontend.circuit.comparison import place_comparisons
from frontend.circuit.connectors import choices, dut_wires, led_load, self_test, test_points
from frontend.circuit.dead_man import dead_man
from frontend.circuit.finger import finger
from frontend.circuit.lid import lid_magnet, lid_pilot, lid_servo
from frontend.circuit.logic_sense import Sense, inverted_sense, logic_sense
from frontend.circuit.photodiode import photodiode
from frontend.circuit.power_button import power_button
from frontend.circuit.pwr_ok import pwr_ok
from frontend.circuit.standby_current import standby_current
from frontend.circuit.thresholds import level, thresholds

LOGIC = (
    Sense("SLP_S3", "DUT_SLP_S3", "TH_LOGIC", "SLP_S3_TRUE", 3.4),
    *(
        Sense(name, f"DUT_{name}", "TH_LOGIC", f"SENSE_{name}", 3.4)
        for name in ("SLP_S4", "SLP_S5", "PLTRST")
    ),
)
PS_ON = Sense("PS_ON", "DUT_PS_ON", "TH_0V90", "PS_ON_INVERTED", 5.3)
LED = Sense("LED", "DUT_PLED", "TH_0V90", "LED_HIGH", 5.3)
LED_MINUS = Sense("LED_MINUS", "DUT_PLED_MINUS", "TH_0V90", "LED_LOW", 5.3)
BUTTON = Sense("BUTTON", "DUT_PWRBTN", "TH_0V81", "SENSE_BUTTON", 5.3)


@dataclass(frozen=True, slots=True)
class Variant:
    """What is built."""

    name: str
    wired_button: bool
    magnet: bool


VARIANTS = (Variant("pico-wired", True, True), Variant("pico-no-access", False, False))


def front_end(variant: Variant) -> Board:
    """Return the front end of a variant, on its drawing board."""
    board = Board()
    thresholds(board)
    level(board)
    comparisons = pwr_ok(board)
    comparisons += [logic_sense(board, sense) for sense in (*LOGIC, LED)]
    comparisons += [inverted_sense(board, sense) for sense in (PS_ON, LED_MINUS)]
    led_load(board)
    choices(board)
    comparisons.append(photodiode(board))
    dead_man(board)
    if variant.wired_button:
        power_button(board)
        comparisons.append(logic_sense(board, BUTTON))
    else:
        finger_tip = finger(board)
        comparisons.append(finger_tip)
    (lid_magnet if variant.magnet else lid_servo)(board)
    lid_pilot(board)
    standby_current(board)
    place_comparisons(board, comparisons)
    dut_wires(board, variant.wired_button)
    self_test(board)
    supply_entry(board, "supply_12v", "+12V", "12V", 12.6)
    if not variant.magnet:
        supply_entry(board, "supply_servo", "SERVO_6V", "6V", 6.2)
    carrier(board)
    test_points(board)
    accessories(board, 4, coil=True)
    return board
