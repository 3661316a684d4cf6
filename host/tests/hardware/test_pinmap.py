"""The pin map and the firmware's overlays say the same, and what they say is sensible."""

import csv
import io
import os
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
BOARDS = ("rpi_pico", "nucleo_h743zi", "nucleo_f767zi", "nucleo_f446re", "nucleo_g474re")
COLUMNS = [
    "board",
    "function",
    "name",
    "net",
    "dut_net",
    "dut_level_mV",
    "threshold_mV",
    "mcu_pin",
    "active",
    "connector",
    "position",
    "timer",
    "unchecked",
    "note",
]
PINMAP = (ROOT / "hardware" / "pinmap.csv").read_text("utf-8")
OVERLAYS = {
    board: (ROOT / "firmware" / "boards" / f"{board}.overlay").read_text("utf-8")
    for board in BOARDS
}

# What the boards use themselves (Zephyr's board files and the boards' manuals).
NUCLEO_OWN = {
    "debug": "PA13 PA14 PB3",
    "USB": "PA8 PA9 PA10 PA11 PA12 PG6 PG7",
    "LEDs": "PB0 PB7 PB14 PE1",
    "user button": "PC13",
    "debug probe's serial port": "PD8 PD9",
    "Ethernet": "PA1 PA2 PA7 PB13 PC1 PC4 PC5 PG11 PG13",
    "oscillators": "PC14 PC15 PH0 PH1",
}
OWN_PINS = {
    "rpi_pico": {
        "console": "GP0 GP1",
        "supply, LED and sense": "GP23 GP24 GP25 GP29",
    },
    "nucleo_h743zi": NUCLEO_OWN,
    "nucleo_f767zi": NUCLEO_OWN,
    "nucleo_f446re": {
        "debug": "PA13 PA14 PB3",
        "debug probe's serial port": "PA2 PA3",
        "LED": "PA5",
        "user button": "PC13",
        "oscillators": "PC14 PC15 PH0 PH1",
    },
    "nucleo_g474re": {
        "debug": "PA13 PA14 PB3",
        "debug probe's serial port": "PA2 PA3",
        "BOOT0": "PB8",
        "LED": "PA5",
        "user button": "PC13",
        "oscillators": "PC14 PC15 PF0 PF1",
    },
}
PHASE_CHANNELS = {"PWR_OK", "SLP_S3", "PLTRST", "BACKLIGHT", "BUTTON"}

# Alternate functions of the timers on these pins, and the internal triggers at which they hear TIM3
# (data sheets of the parts; RM0433, RM0410 and RM0390, "TIMx internal trigger connection"; RM0440,
# "internal triggers").
ALTERNATE_FUNCTIONS = {
    "tim2": 1,
    "tim4": 2,
    "tim5": 2,
    "tim9": 3,
    "tim13": 9,
    "tim14": 9,
    "tim15": 4,
    "tim15 of nucleo_g474re": 1,
}
NO_SLAVE_MODE = 255
START_INPUTS = {
    "nucleo_h743zi": {"tim2": 2, "tim5": 2, "tim15": 1},
    "nucleo_f767zi": {"tim2": 2, "tim5": 1, "tim9": 1},
    "nucleo_f446re": {"tim2": 2, "tim5": 1, "tim4": 2},
    "nucleo_g474re": {"tim2": 2, "tim5": 2, "tim4": 2, "tim15": 2},
}
PINCTRL = {
    "nucleo_h743zi": "dts/st/h7/stm32h743zitx-pinctrl.dtsi",
    "nucleo_f767zi": "dts/st/f7/stm32f767zitx-pinctrl.dtsi",
    "nucleo_f446re": "dts/st/f4/stm32f446r(c-e)tx-pinctrl.dtsi",
    "nucleo_g474re": "dts/st/g4/stm32g474r(b-c-e)tx-pinctrl.dtsi",
}
# Boards whose photodiode a timer triggers; the others' converts by a thread.
TRIGGERED = ("nucleo_h743zi", "nucleo_f767zi", "nucleo_f446re")
# Overlays that add pins: the power monitor's bus, and keyboard with contact.
POWERED = ("nucleo_h743zi", "nucleo_f767zi")
KEYBOARDS = {"rpi_pico": "rpi_pico_keyboard"} | dict.fromkeys(POWERED, "nucleo_keyboard")


@dataclass(frozen=True, slots=True)
class Pin:
    board: str
    function: str
    name: str
    mcu_pin: str
    active: str


def body_after(text: str, start: int) -> str:
    """Return what stands between the brace that opens at or after start and its partner."""
    first = text.index("{", start) + 1
    depth = 1
    for at in range(first, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return text[first:at]
    raise ValueError("an overlay ends inside a node")


def gpio(board: str, body: str, key: str) -> tuple[str, str]:
    """Return pin and active level of a GPIO property."""
    found = re.search(rf"(?<![\w-]){key} = <&gpio(\w) (\d+) \(?([\w |]+)\)?>;", body)
    if found is None:
        raise ValueError(f"{board}: no {key} of the usual form in {body!r}")
    port, number, flags = found[1], int(found[2]), found[3].split(" | ")
    polarities = {"GPIO_ACTIVE_HIGH": "high", "GPIO_ACTIVE_LOW": "low"}
    active = [polarities[flag] for flag in flags if flag in polarities]
    if len(active) != 1 or len(flags) != 1:
        raise ValueError(f"{board}: {key} has the flags {flags}; one polarity and nothing else")
    return (f"GP{number}" if board == "rpi_pico" else f"P{port.upper()}{number}"), active[0]


def light_pin(board: str, text: str) -> Pin:
    """Return the analogue input of the photodiode."""
    found = re.search(r"(?<![\w-])io-channels = <&(adc\d?) (\d+)>;", text)
    if found is None:
        raise ValueError(f"{board}: no io-channels of the usual form")
    adc, number = found[1], int(found[2])
    body = body_after(text, text.index(f"\n&{adc} {{"))
    if f"reg = <{number}>;" not in body:
        raise ValueError(f"{board}: {adc} has no channel {number}")
    if board == "rpi_pico":
        return Pin(board, "light", "LIGHT", f"GP{26 + number}", "")
    pinctrl = re.search(rf"pinctrl-0 = <&{adc}_inp?{number}_(p[a-k]\d+)>;", body)
    if pinctrl is None:
        raise ValueError(f"{board}: {adc} does not set the pin of its channel {number} up")
    return Pin(board, "light", "LIGHT", pinctrl[1].upper(), "")


def overlay_pins(board: str, text: str) -> list[Pin]:
    """Return the pins of an overlay in the order of its channels and actuators."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    pins = []
    for function in ("channel", "actuator"):
        node = body_after(text, text.index(f"{function}s {{"))
        for child in re.finditer(r"[\w-]+ \{", node):
            body = body_after(node, child.start())
            name = re.search(rf'{function} = "(\w+)";', body)
            if name is None:
                raise ValueError(f"{board}: a child of {function}s without a name: {body!r}")
            pins.append(Pin(board, function, name[1], *gpio(board, body, "gpios")))
        if function == "actuator":
            pins.append(Pin(board, "heartbeat", "HEARTBEAT", *gpio(board, node, "heartbeat-gpios")))
    return [*pins, light_pin(board, text)]


def rows_of(text: str) -> list[dict[str, str]]:
    """Return the lines of the pin map."""
    reader = csv.DictReader(io.StringIO(text), strict=True)
    assert reader.fieldnames == COLUMNS
    rows = list(reader)
    assert all(None not in row and None not in row.values() for row in rows)
    return rows


def mapped_pins(board: str, text: str) -> list[Pin]:
    """Return the pins of a board that the firmware uses, in the order of the pin map."""
    keys = ("board", "function", "name", "mcu_pin", "active")
    return [
        Pin(*(row[key] for key in keys))
        for row in rows_of(text)
        if row["board"] == board and row["function"] not in {"reserved", "option"}
    ]


def reserved_of(board: str) -> dict[str, dict[str, str]]:
    return {
        row["name"]: row
        for row in rows_of(PINMAP)
        if row["board"] == board and row["function"] == "reserved"
    }


def options_of(board: str) -> dict[str, str]:
    return {
        row["name"]: row["mcu_pin"]
        for row in rows_of(PINMAP)
        if row["board"] == board and row["function"] == "option"
    }


def channels_of(board: str) -> list[dict[str, str]]:
    return [
        row for row in rows_of(PINMAP) if row["board"] == board and row["function"] == "channel"
    ]


@pytest.mark.parametrize("board", BOARDS)
def test_pin_map_and_overlay_agree_in_pins_polarity_and_order(board: str) -> None:
    assert mapped_pins(board, PINMAP) == overlay_pins(board, OVERLAYS[board])


def test_the_pin_map_has_just_the_boards_that_have_pins() -> None:
    assert {row["board"] for row in rows_of(PINMAP)} == set(BOARDS)


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(r"(gpios = <&gpio\w) 1", r"\1 2", id="another-number"),
        pytest.param("GPIO_ACTIVE_HIGH", "GPIO_ACTIVE_LOW", id="another-polarity"),
        pytest.param("GPIO_ACTIVE_HIGH", "(GPIO_ACTIVE_HIGH | GPIO_PULL_UP)", id="a-pull"),
        pytest.param(r'channel = "SLP_S3"', 'channel = "SLP_S4"', id="another-channel"),
        pytest.param(r"\blid \{[^}]*\};", "", id="no-lid"),
        pytest.param(r"\tslp-s4 \{", '\tx { channel = "LED"; };\n\tslp-s4 {', id="no-gpios"),
        pytest.param(r"heartbeat-gpios = [^;]*;", "", id="no-heartbeat"),
        pytest.param(r"io-channels = <&(adc1?) \d+>", r"io-channels = <&\1 2>", id="other-light"),
        pytest.param(r"\n&adc1? ", "\n&adc2 ", id="other-adc"),
        pytest.param(r'(?s)(actuator = "LID";).*', r"\1", id="cut-off"),
    ],
)
def test_an_overlay_that_was_altered_is_found_out(board: str, old: str, new: str) -> None:
    altered, times = re.subn(old, new, OVERLAYS[board], count=1)
    assert times == 1
    with pytest.raises((AssertionError, ValueError)):
        assert mapped_pins(board, PINMAP) == overlay_pins(board, altered)


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(r"(BOARD,.*SLP_S3,.*,)(GP\d+|P[A-K]\d+)(,)", r"\1GP22\3", id="another-pin"),
        pytest.param(r"(BOARD,.*PWR_OK,.*),high,", r"\1,low,", id="another-polarity"),
        pytest.param(r"BOARD,actuator,LID,.*\n", "", id="a-line-less"),
        pytest.param(r"(BOARD,channel,LED,.*\n)", r"\1\1", id="a-line-twice"),
        pytest.param(r"(BOARD,channel,SLP_S3,.*\n)(.*\n)", r"\2\1", id="another-order"),
        pytest.param(r"(BOARD,channel,LED,.*)\n", r"\1,more\n", id="a-column-more"),
        pytest.param(r"threshold_mV", "threshold", id="another-heading"),
    ],
)
def test_a_pin_map_that_was_altered_is_found_out(board: str, old: str, new: str) -> None:
    altered, times = re.subn(old.replace("BOARD", board), new, PINMAP, count=1)
    assert times == 1
    with pytest.raises(AssertionError):
        assert mapped_pins(board, altered) == overlay_pins(board, OVERLAYS[board])


@pytest.mark.parametrize("board", BOARDS)
def test_no_pin_is_used_twice_or_used_by_the_board_itself(board: str) -> None:
    rows = [row for row in rows_of(PINMAP) if row["board"] == board]
    own = {pin: use for use, pins in OWN_PINS[board].items() for pin in pins.split()}
    assert {row["mcu_pin"]: own[row["mcu_pin"]] for row in rows if row["mcu_pin"] in own} == {}
    for columns in (("mcu_pin",), ("net",), ("connector", "position")):
        values = [tuple(row[column] for column in columns) for row in rows]
        assert len(set(values)) == len(values), columns


def test_the_channels_of_the_pico_lie_side_by_side_for_one_state_machine() -> None:
    numbers = [int(row["mcu_pin"].removeprefix("GP")) for row in channels_of("rpi_pico")]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


@pytest.mark.parametrize("board", BOARDS)
def test_what_is_wired_for_later_firmware_is_no_pin_of_today(board: str) -> None:
    reserved = reserved_of(board)
    level = ["LEVEL"] if board == "rpi_pico" else []
    power = [] if board in POWERED else ["STANDBY_SDA", "STANDBY_SCL"]
    assert list(reserved) == ["PWR_OK_LOW", "LIGHT_FINE", *power, *level]
    used = {pin.mcu_pin for pin in overlay_pins(board, OVERLAYS[board])}
    assert {row["mcu_pin"] for row in reserved.values()} & used == set()
    for row in reserved.values():
        assert "the firmware does not read it yet" in row["note"]


@pytest.mark.parametrize("board", BOARDS)
def test_options_are_the_pins_of_the_overlays_that_add_them(board: str) -> None:
    found: dict[str, str] = {}
    if board in POWERED:
        overlay = (ROOT / "firmware" / "boards" / "nucleo_power.overlay").read_text("utf-8")
        pins = re.search(r"on I2C1 \((\w+) clock, (\w+) data", overlay)
        assert pins is not None
        found = {"STANDBY_SDA": pins[2], "STANDBY_SCL": pins[1]}
    if board in KEYBOARDS:
        text = (ROOT / "firmware" / "boards" / f"{KEYBOARDS[board]}.overlay").read_text("utf-8")
        found["CONTACT"] = gpio(board, body_after(text, text.index("contact {")), "gpios")[0]
    assert options_of(board) == found


@pytest.mark.parametrize("board", POWERED)
def test_the_board_file_has_the_monitors_bus_at_the_pins_of_the_map(board: str) -> None:
    files = list(Path(os.environ.get("ZEPHYR_BASE", "-")).glob(f"boards/st/{board}/{board}.dts"))
    if not files:
        pytest.skip("needs a Zephyr: ZEPHYR_BASE names no folder with its board files")
    options = options_of(board)
    names = (f"i2c1_{line}_{options[f'STANDBY_{line.upper()}'].lower()}" for line in ("scl", "sda"))
    assert f"pinctrl-0 = <{' '.join(f'&{name}' for name in names)}>;" in files[0].read_text("utf-8")


def test_the_pico_has_the_next_channel_beside_the_others() -> None:
    last = channels_of("rpi_pico")[-1]["mcu_pin"]
    assert reserved_of("rpi_pico")["PWR_OK_LOW"]["mcu_pin"] == f"GP{int(last[2:]) + 1}"


@pytest.mark.parametrize("board", BOARDS[1:])
def test_the_next_channel_of_an_stm32_can_be_captured_and_interrupt(board: str) -> None:
    row = reserved_of(board)["PWR_OK_LOW"]
    assert re.fullmatch(r"TIM\d+_CH[1-4]", row["timer"])
    assert row["timer"] not in {channel["timer"] for channel in channels_of(board)}
    lines = {re.sub(r"^P[A-K]", "", channel["mcu_pin"]) for channel in channels_of(board)}
    assert re.sub(r"^P[A-K]", "", row["mcu_pin"]) not in lines


@pytest.mark.parametrize("board", BOARDS[1:])
def test_each_channel_of_an_stm32_has_an_interrupt_line_and_a_capture_input(board: str) -> None:
    channels = channels_of(board)
    lines = {re.sub(r"^P[A-K]", "", row["mcu_pin"]) for row in channels}
    assert len(lines) == len(channels)
    timers = [row["timer"] for row in channels]
    assert len(set(timers)) == len(channels)
    assert all(re.fullmatch(r"TIM\d+_CH[1-4]", timer) for timer in timers)
    wide = {row["name"] for row in channels if row["timer"].startswith(("TIM2_", "TIM5_"))}
    assert wide == PHASE_CHANNELS


def test_what_is_said_of_the_dut_is_the_same_for_all_boards() -> None:
    columns = ("net", "dut_net", "dut_level_mV", "threshold_mV", "active", "note")
    facts: dict[tuple[str, str], set[tuple[str, ...]]] = {}
    for row in rows_of(PINMAP):
        key = (row["function"], row["name"])
        facts.setdefault(key, set()).add(tuple(row[column] for column in columns))
    assert {key: told for key, told in facts.items() if len(told) > 1} == {}


def test_a_threshold_lies_between_nothing_and_the_level() -> None:
    for row in rows_of(PINMAP):
        if row["threshold_mV"]:
            assert 0 < int(row["threshold_mV"]) < int(row["dut_level_mV"]), row
        assert set(row["unchecked"].split()) <= set(COLUMNS)


def cells(node: str, key: str) -> list[str]:
    """Return what stands between the brackets of a property."""
    found = re.search(rf"(?<![\w-]){key} = <([^>]*)>;", node)
    if found is None:
        raise ValueError(f"no {key} in {node!r}")
    return found[1].split()


def overlay_captures(board: str, text: str) -> dict[str, str]:
    """Return timer and input of each channel as the pin map writes them.

    Raises:
        ValueError: the overlay does not agree with itself about pins and timers.
    """
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    node = body_after(text, text.index("channels {"))
    timers = [name.removeprefix("&timers") for name in cells(node, "capture-timers")]
    names = re.findall(r'"(tim\d+)"', node)
    inputs = dict(zip(names, map(int, cells(node, "capture-start-inputs")), strict=True))
    expected = {f"tim{n}": START_INPUTS[board].get(f"tim{n}", NO_SLAVE_MODE) for n in timers}
    if list(inputs.items()) != list(expected.items()):
        raise ValueError(f"{board}: timers start at {inputs}, not at {expected}")
    captures: dict[str, str] = {}
    connected = []
    for child in re.finditer(r"[\w-]+ \{", node):
        body = body_after(node, child.start())
        timer = cells(body, "capture-timer")[0].removeprefix("&timers")
        number = cells(body, "capture-input")[0]
        pin, _active = gpio(board, body, "gpios")
        name = re.search(r'channel = "(\w+)";', body)
        if name is None or timer not in timers:
            raise ValueError(f"{board}: TIM{timer} captures nobody or is not among {timers}")
        captures[name[1]] = f"TIM{timer}_CH{number}"
        connected.append(f"&tim{timer}_ch{number}_{pin.lower()}")
    if sorted(connected) != sorted(cells(node, "pinctrl-0")):
        raise ValueError(f"{board}: pinctrl-0 does not connect just {connected}")
    others = [cells(node, "capture-start-timer")[0]]
    if board in TRIGGERED:
        others.append(cells(text, "timer")[0])
    for number in [*timers, *(name.removeprefix("&timers") for name in others)]:
        if body_after(text, text.index(f"\n&timers{number} {{")).strip() != 'status = "okay";':
            raise ValueError(f"{board}: TIM{number} is not enabled, or has a driver of Zephyr's")
    return captures


@pytest.mark.parametrize("board", BOARDS[1:])
def test_each_channel_is_captured_where_the_pin_map_says(board: str) -> None:
    mapped = {row["name"]: row["timer"] for row in channels_of(board)}
    assert overlay_captures(board, OVERLAYS[board]) == mapped


@pytest.mark.parametrize("board", BOARDS[1:])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(r"capture-input = <3>", "capture-input = <2>", id="another-input"),
        pytest.param(r"capture-timer = <&timers2>", "capture-timer = <&timers5>", id="a-timer"),
        pytest.param(r"(capture-timers = <&timers5) &timers2", r"\1", id="a-timer-less"),
        pytest.param(r"&tim2_ch1_pa15 ", "", id="a-pin-without-its-function"),
        pytest.param(r"&tim2_ch1_pa15", "&tim2_ch1_pa5", id="another-pin"),
        pytest.param(r"(capture-start-inputs = <\d) 2", r"\1 3", id="another-trigger"),
        pytest.param(r"(&timers3 \{\s*status = )\"okay\"", r'\1"disabled"', id="no-starter"),
        pytest.param(r"(&timers2 \{)", r"\1 st,prescaler = <9>;", id="a-prescaler"),
        pytest.param(r"gpios = <&gpiob 10 ", "gpios = <&gpiob 12 ", id="another-gpio"),
    ],
)
def test_a_capture_that_was_altered_is_found_out(board: str, old: str, new: str) -> None:
    altered, times = re.subn(old, new, OVERLAYS[board], count=1)
    assert times == 1
    mapped = {row["name"]: row["timer"] for row in channels_of(board)}
    with pytest.raises((AssertionError, ValueError)):
        assert overlay_captures(board, altered) == mapped


@pytest.mark.parametrize("board", TRIGGERED)
def test_a_trigger_of_light_that_is_not_enabled_is_found_out(board: str) -> None:
    altered, times = re.subn(r"(?<=\t)(timer = <&timers)\d", r"\g<1>7", OVERLAYS[board], count=1)
    assert times == 1
    with pytest.raises(ValueError, match=r"substring not found|TIM7"):
        overlay_captures(board, altered)


@pytest.mark.parametrize("board", BOARDS[1:])
def test_the_vendor_knows_each_pin_with_its_alternate_function(board: str) -> None:
    modules = os.environ.get("ZEPHYR_MODULES", "").split(";")
    found = [path for module in modules if (path := Path(module) / PINCTRL[board]).is_file()]
    if not found:
        pytest.skip("needs hal_stm32: ZEPHYR_MODULES names no folder with its pinctrl files")
    known = found[0].read_text("utf-8")
    for row in channels_of(board):
        timer = row["timer"].split("_")[0].lower()
        pin = row["mcu_pin"]
        node = f"{row['timer'].lower()}_{pin.lower()}"
        body = body_after(known, known.index(f" {node}: "))
        number = ALTERNATE_FUNCTIONS.get(f"{timer} of {board}", ALTERNATE_FUNCTIONS.get(timer))
        function = f"('{pin[1]}', {pin[2:]}, AF{number})"
        assert body.split() == f"pinmux = <STM32_PINMUX{function}>;".split()
