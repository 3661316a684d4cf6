"""The scenarios: what may come to the command line, by name."""

import zlib
from collections.abc import Callable

import numpy as np

from world import log_cases, unit_cases
from world.labs import Trial
from world.unit import Random

SCENARIOS: dict[str, Callable[[Random, int], Trial]] = {
    made.__name__.replace("_", "-"): made
    for made in (
        log_cases.own,
        log_cases.own_even,
        log_cases.own_cut,
        log_cases.short,
        unit_cases.real_laptop,
        unit_cases.lid,
        log_cases.foreign_random,
        log_cases.foreign_even,
        log_cases.foreign_script,
        log_cases.foreign_model,
        log_cases.merged,
        log_cases.merged_files,
        unit_cases.hidden_before,
        unit_cases.hidden_sleep,
        unit_cases.hidden_clock,
        unit_cases.hidden_reset,
        unit_cases.hidden_after,
        unit_cases.bios_short,
        unit_cases.bios_long,
        unit_cases.bios_sometimes,
        unit_cases.bios_garbage,
        unit_cases.double_reset,
        log_cases.lost_random,
        log_cases.lost_slow,
        log_cases.few_records,
        log_cases.near_limit,
        log_cases.resleep,
        log_cases.zeros,
        log_cases.steps_logged,
        log_cases.steps_silent,
        log_cases.steps_within,
        log_cases.synchronised,
        log_cases.daylight,
        log_cases.boots,
        log_cases.sessions,
        unit_cases.strangers,
        unit_cases.overnight,
        unit_cases.dozes,
        unit_cases.lit_by_firmware,
        unit_cases.dimmed,
        unit_cases.cut_capture,
        unit_cases.coarse,
        unit_cases.fine,
        unit_cases.wires,
        unit_cases.names,
        log_cases.compare_same,
        log_cases.compare_slower,
        log_cases.compare_sessions,
        log_cases.compare_sessions_slower,
    )
}


def made(scenario: str, seed: int, cycles: int | None = None) -> Trial:
    """Return the trial of a scenario and a seed; 12 to 120 cycles unless given."""
    random = np.random.default_rng((zlib.crc32(scenario.encode()), seed))
    size = round(12 * 10 ** random.random())
    return SCENARIOS[scenario](random, size if cycles is None else cycles)
