"""Scenarios of the PC and of what is wired to it, each with its truth."""

from dataclasses import replace

from world.capture import SIGNALS, Analyser
from world.labs import Trial, life, plan_of, trial, windows_of
from world.unit import Plan, Random, draw


def _with_unit(random: Random, cycles: int, **given: object) -> Trial:
    lived = life(random, draw(random, **given), plan_of(random, cycles))
    return trial(random, lived)


def hidden_before(random: Random, cycles: int) -> Trial:
    """Time before the OS's own start of the sleep: EC, driver, policy."""
    return _with_unit(random, cycles, hidden_before=0.15 * 100 ** random.random())


def hidden_sleep(random: Random, cycles: int) -> Trial:
    """Time in the firmware before SLP_S3#, which FPDT does not report."""
    return _with_unit(random, cycles, hidden_sleep=0.1 * 50 ** random.random())


def hidden_clock(random: Random, cycles: int) -> Trial:
    """The OS's clock runs on after SleepDuration, as on a real laptop (0.3 to 0.45 s), and more."""
    return _with_unit(random, cycles, clock_tail=float(random.uniform(0.3, 1.2)))


def hidden_reset(random: Random, cycles: int) -> Trial:
    """Time between PLTRST# and TSC = 0 beyond the 300 ms that are assumed."""
    return _with_unit(random, cycles, reset_to_tsc=float(random.uniform(0.3, 1.5)))


def hidden_after(random: Random, cycles: int) -> Trial:
    """Time between the waking vector and the OS's reading of the RTC."""
    return _with_unit(random, cycles, hidden_after=0.03 * 30 ** random.random())


def bios_short(random: Random, cycles: int) -> Trial:
    """BIOS times below the truth, by 2 % to nearly all; FPDT lies along, or does not."""
    share = float(random.uniform(0.02, 0.98))
    return _with_unit(
        random,
        cycles,
        bios_factor=share,
        bios=float(random.uniform(0.4, 1.6)),
        firmware_tells_truth=bool(random.random() < 0.3),
    )


def bios_long(random: Random, cycles: int) -> Trial:
    """BIOS times above the truth, by 20 ms to 3 s."""
    return _with_unit(
        random,
        cycles,
        bios_offset=0.02 * 150 ** random.random(),
        firmware_tells_truth=bool(random.random() < 0.3),
    )


def bios_sometimes(random: Random, cycles: int) -> Trial:
    """BIOS times that are wrong in some cycles, either way."""
    offset = float(random.choice([-1, 1])) * 0.1 * 20 ** random.random()
    return _with_unit(
        random,
        cycles,
        bios_offset=offset,
        bios=float(random.uniform(0.6, 1.6)),
        bios_sometimes=float(random.uniform(0.05, 0.5)),
    )


def bios_garbage(random: Random, cycles: int) -> Trial:
    """BIOS times that are none: a TSC that ran on, microseconds, nanoseconds."""
    return _with_unit(random, cycles, garble=str(random.choice(["uptime", "us", "ns"])))


def double_reset(random: Random, cycles: int) -> Trial:
    """PLTRST# rises twice in some wakes, and the BIOS counts the second pass."""
    return _with_unit(random, cycles, double_reset=float(random.uniform(0.1, 1.0)))


def real_laptop(random: Random, cycles: int) -> Trial:
    """The figures of a real Windows 11 laptop: hybrid sleep, BIOS 798 ms, FPDT 695 ms."""
    unit = draw(
        random,
        hybrid=True,
        bios=0.798,
        firmware_less=0.1035,
        firmware_scatter=0.0012,
        suspend=2.4,
        clock_tail=0.43,
        firmware_suspend=0.0015,
        driver=0.87,
        user=0.03,
        scatter=0.13,
        tail=0.01,
        wake_path=0.05,
        power_good=0.03,
        reset_hold=0.09,
    )
    windows = windows_of(random)
    windows.build = 22000
    windows.rtc_rate = 15e-6
    lived = life(random, unit, plan_of(random, cycles), windows=windows)
    return trial(random, lived, ask=("--kind", "hybrid"))


def lid(random: Random, cycles: int) -> Trial:
    """The lid sleeps and wakes the unit."""
    lived = life(random, draw(random), replace(plan_of(random, cycles), lid=True))
    return trial(random, lived)


def coarse(random: Random, cycles: int) -> Trial:
    """Sample rates of 1 kHz to 100 kHz, in each form of file."""
    analyser = Analyser(
        rate=float(random.choice([1e3, 2e3, 5e3, 1e4, 2e4, 2.5e4, 5e4, 1e5])),
        ppm=float(random.uniform(-50, 50)),
        form=str(random.choice(["vcd", "vcd-old", "csv"])),
    )
    lived = life(random, draw(random), plan_of(random, cycles))
    return trial(random, lived, analyser=analyser)


def fine(random: Random, cycles: int) -> Trial:
    """Sample rates of 4 MHz to 100 MHz, and short pulses on the power lines."""
    analyser = Analyser(
        rate=float(random.choice([4e6, 12e6, 24e6, 1e8])),
        ppm=float(random.uniform(-50, 50)),
        form=str(random.choice(["vcd", "vcd-old", "csv"])),
    )
    lived = life(random, draw(random), plan_of(random, cycles))
    return trial(random, lived, analyser=analyser, glitches=0.2)


def wires(random: Random, cycles: int) -> Trial:
    """Some lines are not wired, and some are inverted."""
    kept = ["BUTTON", str(random.choice(["SLP_S3#", "PWR_OK"]))]
    kept += [name for name in SIGNALS if name not in kept and random.random() < 0.6]
    turned = tuple(name for name in kept if random.random() < 0.25)
    analyser = Analyser(
        wired=tuple(kept),
        inverted=turned,
        form=str(random.choice(["vcd", "csv"])),
        ppm=float(random.uniform(-50, 50)),
    )
    lived = life(random, draw(random), plan_of(random, cycles))
    return trial(random, lived, analyser=analyser)


SPELLINGS = {
    "BUTTON": ("PWRBTN#", "PWR_BTN", "PWRBTN_N", "BUTTON"),
    "SLP_S3#": ("SLP_S3#", "SLP_S3_N", "SLP_S3"),
    "SLP_S4#": ("SLP_S4#", "SLP_S4_N", "SLP_S4"),
    "PWR_OK": ("PWR_OK", "PWROK", "pwr_ok"),
    "PLTRST#": ("PLTRST#", "PLTRST_N", "PLTRST"),
    "BACKLIGHT": ("BACKLIGHT", "backlight"),
}


def names(random: Random, cycles: int) -> Trial:
    """Signals are named as on a schematic, and no map is given."""
    chosen = tuple((name, str(random.choice(spelled))) for name, spelled in SPELLINGS.items())
    analyser = Analyser(names=chosen, wired=tuple(SPELLINGS), ppm=float(random.uniform(-50, 50)))
    lived = life(random, draw(random), plan_of(random, cycles))
    return trial(random, lived, analyser=analyser, mapped=False)


def strangers(random: Random, cycles: int) -> Trial:
    """Somebody else sends the unit to sleep and wakes it by its keyboard, now and then."""
    return _with_unit(random, cycles, strangers=float(random.uniform(0.05, 0.4)))


def lit_by_firmware(random: Random, cycles: int) -> Trial:
    """The firmware lights the panel before the OS runs."""
    return _with_unit(random, cycles, lit_by_firmware=True, bios=float(random.uniform(0.5, 2.0)))


def dozes(random: Random, cycles: int) -> Trial:
    """Some sleeps become S4, as on a laptop that hibernates after a while."""
    return _with_unit(random, cycles, dozes=float(random.uniform(0.05, 0.6)))


def dimmed(random: Random, cycles: int) -> Trial:
    """A panel at less than full brightness: BACKLIGHT is a PWM."""
    lived = life(random, draw(random), plan_of(random, min(cycles, 7)))
    pwm = (float(random.choice([220.0, 300.0])), float(random.uniform(0.1, 0.9)))
    return trial(random, lived, dimmed=pwm)


def cut_capture(random: Random, cycles: int) -> Trial:
    """The capture begins in the first sleep, and ends in the last one."""
    lived = life(random, draw(random), plan_of(random, cycles))
    last = lived.cycles[-1]
    return trial(
        random,
        lived,
        cut=(8.5, last.light + 15.0 - last.slp_fall - float(random.uniform(0.5, 3.0))),
    )


def overnight(random: Random, cycles: int) -> Trial:
    """Sleeps of half an hour to eight hours: clocks drift apart in each."""
    plan = Plan(min(cycles, 30), (1800.0, float(random.uniform(3600.0, 8 * 3600.0))), (10.0, 60.0))
    lived = life(random, draw(random), plan)
    return trial(random, lived, analyser=Analyser(rate=1e6, ppm=float(random.uniform(-50, 50))))
