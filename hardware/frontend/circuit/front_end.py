"""The whole front end, for one MCU board and one way to move the lid and the button."""

from dataclasses import dataclass

from frontend.circuit.board import Board
from frontend.circuit.carrier import carrier, mapped_pins
from frontend.circuit.comparison import place_comparisons
from frontend.circuit.connectors import choices, dut_wires, led_load, loop_back, usb_isolation
from frontend.circuit.dead_man import dead_man
from frontend.circuit.finger import finger
from frontend.circuit.lid import lid_magnet, lid_pilot, lid_servo
from frontend.circuit.logic_sense import Sense, guarded_sense, inverted_sense, logic_sense
from frontend.circuit.photodiode import photodiode
from frontend.circuit.power_button import power_button
from frontend.circuit.pwr_ok import pwr_ok
from frontend.circuit.standby_current import standby_current
from frontend.circuit.thresholds import level_jumper, thresholds

LOGIC = (
    Sense("SLP_S3", "DUT_SLP_S3", "TH_LOGIC", "SLP_S3_TRUE", 3.4),
    *(
        Sense(name, f"DUT_{name}", "TH_LOGIC", f"SENSE_{name}", 3.4)
        for name in ("SLP_S4", "SLP_S5", "PLTRST")
    ),
)
PS_ON = Sense("PS_ON", "DUT_PS_ON", "TH_1V65", "PS_ON_INVERTED", 5.3, "10k", feedback="2M")
LED = Sense("LED", "DUT_PLED", "TH_1V65", "LED_HIGH", 5.3, "47k", feedback="10M")
LED_MINUS = Sense("LED_MINUS", "DUT_PLED_MINUS", "TH_1V65", "LED_LOW", 5.3, "47k", feedback="2M")
BUTTON = Sense("BUTTON", "DUT_PWRBTN", "TH_0V81", "SENSE_BUTTON", 3.4, "10k", "100k", "22M", "4.7M")


@dataclass(frozen=True, slots=True)
class Variant:
    """What is built."""

    name: str
    mcu: str
    wired_button: bool
    magnet: bool


VARIANTS = (
    Variant("pico-wired", "rpi_pico", True, True),
    Variant("pico-no-access", "rpi_pico", False, False),
    Variant("h743zi-wired", "nucleo_h743zi", True, True),
    Variant("f767zi-wired", "nucleo_f767zi", True, True),
)


def front_end(variant: Variant) -> Board:
    """Return the front end of a variant, on its drawing board."""
    board = Board()
    thresholds(board)
    level_jumper(board)
    comparisons = pwr_ok(board)
    comparisons += [logic_sense(board, sense) for sense in (*LOGIC, LED)]
    comparisons += [inverted_sense(board, sense) for sense in (PS_ON, LED_MINUS)]
    led_load(board)
    choices(board)
    comparisons.append(photodiode(board))
    dead_man(board)
    if variant.wired_button:
        power_button(board)
        comparisons.append(guarded_sense(board, BUTTON))
    else:
        comparisons.append(finger(board))
    (lid_magnet if variant.magnet else lid_servo)(board)
    lid_pilot(board)
    standby_current(board)
    place_comparisons(board, comparisons)
    dut_wires(board, variant.wired_button)
    loop_back(board)
    usb_isolation(board, variant.magnet or not variant.wired_button, not variant.magnet)
    carrier(board, mapped_pins(variant.mcu))
    return board
