"""The scenarios: what may come to the command line, by name."""

import zlib
from collections.abc import Callable

import numpy as np

from world import (
    claim_cases,
    ending_cases,
    log_cases,
    statistics_cases,
    unit_cases,
    which_cases,
    wire_cases,
)
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
        claim_cases.mixed_short,
        claim_cases.mixed_long,
        claim_cases.mixed_constant,
        claim_cases.mixed_zero,
        claim_cases.mixed_unit,
        claim_cases.updated,
        claim_cases.constant,
        claim_cases.garbage_log,
        claim_cases.slewed,
        claim_cases.zones,
        which_cases.unit_changed,
        which_cases.restarted,
        which_cases.twice,
        which_cases.twice_log,
        which_cases.overlap,
        which_cases.overlap_log,
        which_cases.overlap_fleet,
        wire_cases.upside_down,
        wire_cases.upside_down_other,
        wire_cases.swapped,
        wire_cases.floating,
        wire_cases.lamps,
        wire_cases.keyboard,
        wire_cases.pwm_slow,
        wire_cases.logo,
        wire_cases.fades,
        ending_cases.aborts,
        ending_cases.hibernation_boots,
        ending_cases.deaths,
        ending_cases.dozes_log,
        ending_cases.unaccounted,
        ending_cases.unaccounted_log,
        ending_cases.standby_log,
        ending_cases.clean_log,
        statistics_cases.runs,
        statistics_cases.ar1,
        statistics_cases.compare_ar1,
        statistics_cases.compare_drift,
        statistics_cases.compare_drift_same,
        statistics_cases.compare_six,
        statistics_cases.compare_three,
        statistics_cases.fleet_equal,
        statistics_cases.fleet_odd,
    )
}


def made(scenario: str, seed: int, cycles: int | None = None) -> Trial:
    """Return the trial of a scenario and a seed; 12 to 120 cycles unless given."""
    random = np.random.default_rng((zlib.crc32(scenario.encode()), seed))
    size = round(12 * 10 ** random.random())
    return SCENARIOS[scenario](random, size if cycles is None else cycles)
