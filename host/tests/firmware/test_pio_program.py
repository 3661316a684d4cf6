"""The change detector of the RP2040: the words of pio_program.h, run one cycle after the other.

The emulator knows no IRQ instruction; one that does not wait takes a cycle and changes no register,
so it is run as a `mov y, y`.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pioemu import State, clock_cycles_reached, emulate

HEADER = (
    Path(__file__).resolve().parents[3] / "firmware/drivers/edge_source/pio_program.h"
).read_text("utf-8")
LINES = [
    (int(word, 16), " ".join(text.split()))
    for word, text in re.findall(r"(0x[0-9a-f]{4}), /\* (.*?)\*/", HEADER)
]
WORDS = [word for word, _text in LINES]
IRQ_0_REL = 0xC010
NOP = 0xA042
FULL = (1 << 32) - 1
START = 1_000_000
SOURCES = ("pins", "x", "y", "null", None, "status", "isr", "osr")
DESTINATIONS = ("pins", "x", "y", None, "exec", "pc", "isr", "osr")
CONDITIONS = ("", "!x, ", "x--, ", "!y, ", "y--, ", "x!=y, ", "pin, ", "!osre, ")

# When inputs become what, in cycles; sorted, the first at 0.
Changes = Sequence[tuple[int, int]]


def constant(name: str) -> int:
    found = re.search(rf"#define {name} (\d+)", HEADER)
    assert found is not None
    return int(found[1])


ROUND = constant("PIO_ROUND_CYCLES")
LOOP = constant("PIO_LOOP")
PUSH_BITS = constant("PIO_PUSH_BITS")


def text_of(word: int, labels: dict[int, str]) -> str:
    """What the datasheet calls a word; delays and side-sets are none."""
    kind, low, high = word >> 13, word & 31, (word >> 5) & 7
    assert word & 0x1F00 == 0, "no delay, no side-set"
    if kind == 0:
        return f"jmp {CONDITIONS[high]}{labels[low]}"
    if kind == 2:
        return f"in {SOURCES[high]}, {low or 32}"
    if kind == 5 and low < 8:
        return f"mov {DESTINATIONS[high]}, {SOURCES[low]}"
    if word == IRQ_0_REL:
        return "irq 0 rel"
    raise AssertionError(f"{word:#06x} is no word of this program")


def inputs_of(changes: Changes) -> Callable[[int], int]:
    times = [time for time, _inputs in changes]

    def inputs(clock: int) -> int:
        return changes[bisect_right(times, clock) - 1][1]

    return inputs


def run(
    changes: Changes, cycles: int, counter: int = START, drained: bool = True
) -> tuple[list[tuple[int, int]], State]:
    """The records that come out, as (counter, inputs), and where the machine then is."""
    state = State(program_counter=LOOP, x_register=counter, y_register=changes[0][1])
    words: list[int] = []
    inputs = inputs_of(changes)

    def at(clock: int) -> int:
        return inputs(clock)

    for _before, after in emulate(
        [NOP if word == IRQ_0_REL else word for word in WORDS],
        stop_when=clock_cycles_reached(cycles),
        initial_state=state,
        input_source=at,
        auto_push=True,
        push_threshold=PUSH_BITS,
        shift_isr_right=False,
        wrap_target=LOOP,
        wrap_top=len(WORDS) - 1,
    ):
        state = after
        while drained and state.receive_fifo:
            words.append(state.receive_fifo.popleft())
    return list(zip(words[::2], words[1::2], strict=True)), state


def expected(changes: Changes, cycles: int, counter: int = START) -> list[tuple[int, int]]:
    """What a sample in the second cycle of each round sees; a record takes one more round."""
    inputs = inputs_of(changes)
    last, sample = changes[0][1], 1
    records = []
    while sample < cycles:
        now = inputs(sample)
        if now != last:
            records.append(((counter - sample // ROUND) & FULL, now))
            last = now
            sample += ROUND
        sample += ROUND
    return records


def test_the_words_are_what_the_text_beside_them_says() -> None:
    labels = {i: text.split(":")[0] for i, (_word, text) in enumerate(LINES) if ":" in text}
    assert labels[LOOP] == "loop"
    assert len(WORDS) == 12
    for word, text in LINES:
        said = text.split(":")[-1].split(" - ")[0].strip()
        assert said == text_of(word, labels)


def test_a_round_without_a_change_takes_5_cycles_and_one_tick() -> None:
    for rounds in (1, 2, 100):
        records, state = run([(0, 0x155)], rounds * 5)
        assert records == []
        assert state.x_register == START - rounds
        assert state.program_counter == LOOP


def test_a_change_takes_two_rounds_and_two_ticks() -> None:
    for cycles, ticks in ((10, 2), (15, 3), (20, 4)):
        _records, state = run([(0, 0), (1, 4)], cycles)
        assert state.x_register == START - ticks
        assert state.program_counter == LOOP


@pytest.mark.parametrize("phase", range(2 * 5))
def test_an_edge_of_any_phase_is_counted_in_the_round_whose_sample_saw_it(phase: int) -> None:
    at = 100 + phase
    records, _state = run([(0, 0), (at, 1 << 10)], 200)
    # Round n samples in cycle 5 n + 1: the first at or after the edge.
    assert records == [(START - -(-(at - 1) // 5), 1 << 10)]


@pytest.mark.parametrize("phase", range(5))
def test_edges_80_ns_apart_are_both_seen_and_shorter_pulses_may_not_be(phase: int) -> None:
    at = 50 + phase
    both, _state = run([(0, 0), (at, 1), (at + 10, 0)], 200)
    assert [inputs for _counter, inputs in both] == [1, 0]
    assert both[0][0] - both[1][0] == 2
    short, _state = run([(0, 0), (at, 1), (at + 4, 0)], 200)
    assert len(short) == (2 if any((at + i) % 5 == 1 for i in range(4)) else 0)


def test_channels_that_change_in_one_sample_are_one_record() -> None:
    records, _state = run([(0, 0b0001), (52, 0b0011), (55, 0b0110)], 100)
    assert records == [(START - 11, 0b0110)]


@pytest.mark.parametrize("counter", range(8))
@pytest.mark.parametrize("at", range(1, 26, 5))
def test_the_counter_goes_on_below_zero_wherever_it_wraps(counter: int, at: int) -> None:
    changes = [(0, 0), (at, 8), (at + 10, 0), (60, 8)]
    records, state = run(changes, 100, counter)
    assert records == expected(changes, 100, counter)
    assert records[-1] == ((counter - 12) & FULL, 8)
    assert state.x_register == (counter - 20) & FULL


def test_a_full_queue_stops_the_machine_and_no_word_is_lost() -> None:
    changes = [(0, 0), (10, 1), (40, 2), (70, 4)]
    _records, state = run(changes, 200, drained=False)
    first, second = expected(changes, 200)[:2]
    assert list(state.receive_fifo) == [*first, *second]
    # It waits in the third change with its counter, not yet pushed: the words stay in step.
    assert state.input_shift_register.contents == expected(changes, 200)[2][0]


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(1, 30), st.integers(0, 0x3FFFFFFF)), max_size=12),
    st.integers(0, FULL),
)
def test_any_inputs_give_the_records_that_sampling_them_gives(
    steps: list[tuple[int, int]], counter: int
) -> None:
    changes = [(0, 0)]
    for wait, inputs in steps:
        changes.append((changes[-1][0] + wait, inputs))
    cycles = (changes[-1][0] // 5 + 6) * 5
    records, _state = run(changes, cycles, counter)
    assert records == expected(changes, cycles - 15, counter)
