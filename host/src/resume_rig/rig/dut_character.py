"""Reads what sets a DUT apart: the `[known]` and `[behaviour]` tables of its profile."""

from dataclasses import fields
from typing import Any, Final

from resume_rig.model.dut_character import DutBehaviour, DutKnown
from resume_rig.model.os_record import SleepKind
from resume_rig.rig.dut_table import DutTable

_KNOWN: Final = (
    "residual_ms",
    "residual_half_width_ms",
    "firmware_extra_ms",
    "light_after_complete_max_ms",
)
_SLEEPS: Final = ("S3", "hybrid", "S4", "modern-standby")
# One whose button is set to shut it down is off, and boots when it is pressed.
_DOES: Final = (*_SLEEPS, "boot")
_SHARES: Final = tuple(f.name for f in fields(DutBehaviour) if f.name.endswith("_share"))
_FACTORS: Final = tuple(f.name for f in fields(DutBehaviour) if f.name.endswith("_factor"))
_TIMES: Final = tuple(f.name for f in fields(DutBehaviour) if f.name.endswith("_ns"))
_FLAGS: Final = ("tsc_resets", "resume_count_runs", "lit_by_firmware")
_COUNTS: Final = ("wake_source_type", "pwm_hz", "lid_bounces")
_MOST_FACTOR: Final = 10_000_000
_MOST_PWM_HZ: Final = 1_000_000
_MOST_BOUNCES: Final = 20
_HOUR_MS: Final = 3_600_000


def read_known(table: DutTable) -> DutKnown | None:
    """Return what healthy units have shown; None where the table is empty.

    Raises:
        UsageError: a key is not known, or out of range.
    """
    table.expect((), _KNOWN)
    if not table.values:
        return None
    has = table.values.__contains__
    if has("residual_ms") != has("residual_half_width_ms"):
        table.refuse(
            "residual_ms", "stands alone", "residual_ms and residual_half_width_ms go together"
        )
    late = "light_after_complete_max_ms"
    return DutKnown(
        residual_ns=table.ns("residual_ms", -_HOUR_MS) if has("residual_ms") else None,
        residual_half_width_ns=table.ns("residual_half_width_ms") if has("residual_ms") else 0,
        firmware_extra_ms=table.whole("firmware_extra_ms", 0) if has("firmware_extra_ms") else None,
        light_after_complete_max_ns=table.ns(late, -_HOUR_MS) if has(late) else None,
    )


def read_behaviour(table: DutTable) -> DutBehaviour:
    """Return how a simulated DUT errs; a sound one where the table is empty.

    Raises:
        UsageError: a key is not known, or out of range.
    """
    ms_of = {f"{name.removesuffix('_ns')}_ms": name for name in _TIMES}
    words = ("sleeps", "claims", "pwm_duty")
    table.expect((), (*words, *_SHARES, *_FACTORS, *_FLAGS, *_COUNTS, *ms_of))
    given: dict[str, Any] = {}
    for key in table.values:
        if key in _SHARES or key == "pwm_duty":
            given[key] = table.number(key, 1)
        elif key in _FACTORS:
            given[key] = table.number(key, _MOST_FACTOR)
        elif key in _FLAGS:
            given[key] = table.flag(key, default=True)
        elif key in _COUNTS:
            given[key] = table.whole(key, 0)
        elif key in ms_of:
            given[ms_of[key]] = table.ns(key, -_HOUR_MS if key == "clock_step_ms" else 0)
        else:
            allowed = _DOES if key == "sleeps" else _SLEEPS
            given[key] = SleepKind(table.choice(key, allowed))
    behaviour = DutBehaviour(**given)
    if behaviour.pwm_hz > _MOST_PWM_HZ:
        table.refuse("pwm_hz", f"is {behaviour.pwm_hz}", f"it takes 0 to {_MOST_PWM_HZ}")
    if behaviour.lid_bounces > _MOST_BOUNCES:
        table.refuse("lid_bounces", f"is {behaviour.lid_bounces}", f"it takes 0 to {_MOST_BOUNCES}")
    return behaviour
