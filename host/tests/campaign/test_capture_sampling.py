"""The truth lies within the bounds of a capture, at whatever rate its lines were sampled.

The captures are made here, of true times and by no code of the product: an instrument looks at its
lines at every sample, from a random phase on, and its tool writes what changed.
"""

import zipfile
from fractions import Fraction
from itertools import pairwise
from math import ceil
from pathlib import Path
from random import Random

import numpy as np
import pytest

from resume_rig.analysis.verdict.requirement import load_requirement
from resume_rig.campaign.answer.assessment import assess_capture
from resume_rig.model.errors import RecordError, UsageError
from resume_rig.model.os_record import LogReading
from resume_rig.model.result.cycle import Correlation, IntervalName
from resume_rig.model.result.judgement import CampaignFacts
from resume_rig.rig.capture.reading import read_capture
from resume_rig.rig.capture.sampling import StatedRate

NS = 10**9
LINES = ("PWRBTN#", "SLP_S3#", "PWR_OK", "PLTRST#", "BACKLIGHT")
FORMS: dict[str, tuple[int, ...] | None] = {
    "sigrok VCD": None,
    "plain VCD": None,
    "Saleae CSV": None,
    # sigrok counts whole units a sample in its CSV.
    "sigrok CSV": (100, 1_000, 12_500, 100_000, 1_000_000, 100_000_000),
    "sigrok session": (100, 3_000, 12_500, 100_000),
}
RATES_HZ = (100, 1_000, 3_000, 12_500, 20_000, 100_000, 1_000_000, 24_000_000, 100_000_000)


def true_edges(random: Random) -> tuple[list[tuple[Fraction, str, int]], list[dict[str, Fraction]]]:
    """Return the edges of three cycles, (s, line, level), and the true moments of each."""
    edges: list[tuple[Fraction, str, int]] = []
    moments = []
    at = Fraction(3)

    def after(low_ms: int, high_ms: int) -> Fraction:
        return Fraction(random.randrange(low_ms * 10**9, high_ms * 10**9), 10**12)

    for _ in range(3):
        asleep = at + after(900, 2_500)
        press = asleep + after(15_000, 30_000)
        awake = press + after(40, 90)
        power = awake + after(100, 300)
        reset = power + after(110, 200)
        light = reset + after(700, 1_900)
        edges += [(at, "PWRBTN#", 0), (at + after(80, 200), "PWRBTN#", 1)]
        edges += [(asleep + after(1, 3), line, 0) for line in ("PLTRST#", "PWR_OK")]
        edges += [(asleep - after(300, 500), "BACKLIGHT", 0), (asleep, "SLP_S3#", 0)]
        edges += [(press, "PWRBTN#", 0), (press + after(130, 220), "PWRBTN#", 1)]
        edges += [(awake, "SLP_S3#", 1), (power, "PWR_OK", 1), (reset, "PLTRST#", 1)]
        edges.append((light, "BACKLIGHT", 1))
        moments.append(
            {"asleep": asleep, "press": press, "awake": awake, "power": power, "reset": reset}
            | {"light": light}
        )
        at = light + after(12_000, 20_000)
    return sorted(edges), moments


def samples_of(
    edges: list[tuple[Fraction, str, int]], rate_hz: Fraction, phase: Fraction
) -> dict[int, dict[str, int]]:
    """Return what samples show a change, and which; sample n is taken at (n + phase) / rate."""
    found: dict[int, dict[str, int]] = {}
    for t, line, level in edges:
        found.setdefault(ceil(t * rate_hz - phase), {})[line] = level
    return dict(sorted(found.items()))


def rate_words(rate_hz: Fraction) -> str:
    for unit, scale in (("MHz", 10**6), ("kHz", 10**3), ("Hz", 1)):
        if rate_hz >= scale:
            return f"{float(rate_hz / scale):g} {unit}"
    raise ValueError(rate_hz)


def vcd(samples: dict[int, dict[str, int]], rate_hz: Fraction, comment: str) -> bytes:
    """Return a VCD in ns; times are rounded, as a tool has to where a sample is no whole ns."""
    codes = {line: chr(ord("!") + n) for n, line in enumerate(LINES)}
    head = [comment, "$timescale 1 ns $end"]
    head += [f"$var wire 1 {code} {line} $end" for line, code in codes.items()]
    head += ["$enddefinitions $end", "#0 " + " ".join(f"1{code}" for code in codes.values())]
    body = [
        f"#{round(n * NS / rate_hz)} " + " ".join(f"{v}{codes[k]}" for k, v in changed.items())
        for n, changed in samples.items()
    ]
    return "\n".join([*head, *body, f"#{round(last(samples, rate_hz) * NS / rate_hz)}\n"]).encode()


def last(samples: dict[int, dict[str, int]], rate_hz: Fraction) -> int:
    return max(samples) + int(12 * rate_hz)


def table(samples: dict[int, dict[str, int]], rate_hz: Fraction, text: str, unit: int) -> bytes:
    """Return a CSV below `text`; times in 1/unit s, without a fraction where unit is not 1."""
    levels = dict.fromkeys(LINES, 1)
    rows = [text]
    for n, changed in {0: {}, **samples, last(samples, rate_hz): {}}.items():
        levels |= changed
        t = n / rate_hz
        time = f"{float(t):.9f}" if unit == 1 else str(int(t * unit))
        rows.append(",".join([time, *map(str, levels.values())]))
    return ("\n".join(rows) + "\n").encode()


def write(path: Path, form: str, samples: dict[int, dict[str, int]], rate_hz: Fraction) -> Path:
    words = rate_words(rate_hz)
    if form.endswith("VCD"):
        stated = f"$comment\n  Acquisition with 5/8 channels at {words}\n$end"
        path.write_bytes(vcd(samples, rate_hz, stated if form == "sigrok VCD" else ""))
    elif form == "sigrok CSV":
        unit = next(1000**n for n in range(1, 5) if 1000**n >= rate_hz)
        head = f"; Samplerate: {words}\nTime," + ",".join(LINES)
        path.write_bytes(table(samples, rate_hz, head, unit))
    elif form == "Saleae CSV":
        path.write_bytes(table(samples, rate_hz, "Time [s]," + ",".join(LINES), 1))
    else:
        marks = [0, *samples, last(samples, rate_hz)]
        levels, content = dict.fromkeys(LINES, 1), b""
        for here, there in pairwise(marks):
            levels |= samples.get(here, {})
            bits = sum(level << n for n, level in enumerate(levels.values()))
            content += bytes([bits]) * (there - here)
        probes = "".join(f"probe{n}={line}\n" for n, line in enumerate(LINES, start=1))
        meta = f"[device 1]\ncapturefile=logic-1\nsamplerate={words}\nunitsize=1\n{probes}"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("metadata", meta)
            archive.writestr("logic-1-1", content)
    return path


def assessed(path: Path, stated: StatedRate | None = None) -> tuple[Correlation, CampaignFacts]:
    return assess_capture(
        path,
        read_capture(path, {}),
        LogReading((), ()),
        requirement=load_requirement("sysfund-0004"),
        dut=None,
        report_path=None,
        sample_rate=stated,
    )


ENDS = {
    IntervalName.ASLEEP: ("asleep", "awake"),
    IntervalName.PRESS_TO_SLP_S3: ("press", "awake"),
    IntervalName.SLP_S3_TO_PWR_OK: ("awake", "power"),
    IntervalName.PWR_OK_TO_PLTRST: ("power", "reset"),
    IntervalName.PRESS_TO_PLTRST: ("press", "reset"),
    IntervalName.PLTRST_TO_LIGHT: ("reset", "light"),
}


# A minute of fast samples is too much for a test.
CASES = [
    (form, rate) for form, rates in FORMS.items() for rate in (RATES_HZ if rates is None else rates)
]


@pytest.mark.parametrize(("form", "rate"), CASES)
def test_the_truth_lies_within_every_bound(tmp_path: Path, form: str, rate: int) -> None:
    rate_hz = Fraction(rate)
    random = Random(f"{form} {rate}")
    compared = 0
    for _ in range(2):
        edges, moments = true_edges(random)
        samples = samples_of(edges, rate_hz, Fraction(random.random()))
        correlation, _ = assessed(write(tmp_path / "capture", form, samples, rate_hz))
        for cycle, true in zip(correlation.cycles, moments, strict=True):
            for name, found in cycle.outside.intervals.items():
                if name not in ENDS:
                    continue
                start, end = (true[moment] for moment in ENDS[name])
                error_ns = found.value_ns - (end - start) * NS
                assert abs(error_ns) <= found.bound_ns, (name, float(error_ns), found)
                compared += 1
                if name is IntervalName.SLP_S3_TO_PWR_OK:
                    # No wider than it has to be: one sample, and what is assumed of any analyser.
                    assert found.bound_ns <= NS / rate_hz * 1.01 + 102_000 + 100_000
    assert compared >= 30


def test_a_coarse_capture_is_named_and_its_sampling_stands_in_the_budget(tmp_path: Path) -> None:
    edges, _ = true_edges(Random(7))
    path = write(tmp_path / "a.vcd", "sigrok VCD", samples_of(edges, Fraction(1_000), Fraction(0)),
                 Fraction(1_000))  # fmt: skip
    _, facts = assessed(path)

    assert facts.identity["sample rate"] == "1 kHz (the capture's header)"
    assert any(note.startswith("At 1 kHz an edge is up to ") for note in facts.faults)
    budget = next(each for each in facts.budgets if each.name == "slp_s3_to_pwr_ok_ns")
    rows = {row.name: row for row in budget.rows}
    for edge in ("SLP_S3# rising", "PWR_OK rising"):
        row = rows[f"sampling of the capture, {edge}"]
        assert (row.half_width_ns, row.source) == (500_000, "1 kHz (the capture's header)")


def test_a_rate_that_nobody_states_is_read_off_the_times(tmp_path: Path) -> None:
    edges, _ = true_edges(Random(8))
    for rate in (3_000, 48_000, 1_000_000):
        rate_hz = Fraction(rate)
        path = write(
            tmp_path / "a.vcd", "plain VCD", samples_of(edges, rate_hz, Fraction(1, 3)), rate_hz
        )
        _, facts = assessed(path)
        assert facts.identity["sample rate"] == f"{rate_words(rate_hz)} (assumed from the times)"
        assert "set it with --sample-rate." in " ".join(facts.faults)
        assert ("sample at 100 kHz or more." in " ".join(facts.faults)) == (rate < 100_000)


def test_who_knows_the_rate_says_it_and_is_contradicted_by_the_times(tmp_path: Path) -> None:
    edges, _ = true_edges(Random(9))
    rate_hz = Fraction(1_000_000)
    samples = samples_of(edges, rate_hz, Fraction(0))
    path = write(tmp_path / "a.vcd", "plain VCD", samples, rate_hz)

    _, right = assessed(path, StatedRate(rate_hz, "--sample-rate"))
    assert right.faults == ()
    _, wrong = assessed(path, StatedRate(Fraction(500), "--sample-rate"))
    assert "lie between the samples of 500 Hz, which --sample-rate states" in wrong.faults[0]


def test_too_few_times_are_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "a.vcd"
    head = "$timescale 1 ns $end $var wire 1 ! SLP_S3# $end $enddefinitions $end\n"
    path.write_text(f"{head}#0 1! #1000000000 0! #9000000000 1! #30000000000")

    with pytest.raises(
        UsageError, match="too few to show it; name the rate, such as --sample-rate"
    ):
        assessed(path)
    correlation, _ = assessed(path, StatedRate(Fraction(10**6), "--sample-rate"))
    assert len(correlation.cycles) == 1


def test_a_clock_on_a_power_line_is_refused_and_noise_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.vcd"
    head = b"$timescale 1 us $end $var wire 1 ! SLP_S3# $end $enddefinitions $end\n#0 1!\n"
    n = np.arange(1, 500_001)

    def body(period_us: int) -> bytes:
        return b"".join(b"#%d %d!\n" % (k * period_us, 1 - k % 2) for k in n.tolist())

    path.write_bytes(head + body(1_000))
    with pytest.raises(RecordError, match=r"SLP_S3# changes 500000 times, allowed are 400000"):
        assessed(path, StatedRate(Fraction(10**6), "--sample-rate"))
    path.write_bytes(head + body(1))
    _, facts = assessed(path, StatedRate(Fraction(10**6), "--sample-rate"))
    assert any(note.startswith("SLP_S3#: 499999 of its edges came") for note in facts.faults)
