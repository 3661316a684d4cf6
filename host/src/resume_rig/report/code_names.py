"""What the codes among a record's figures mean, in words.

The numbers are those of Windows' enumerations: POWER_ACTION, POWER_MONITOR_REQUEST_REASON and
SYSTEM_POWER_STATE of the SDK's winnt.h, POWER_POLICY_DEVICE_TYPE of the kernel's symbols for what
led to a sleep or a shutdown. The states and reasons of connectivity are in the order in which the
messages of Kernel-Power have them.
"""

from collections.abc import Mapping
from typing import Final

from resume_rig.model.component import Figure

_TRIGGERS: Final[Mapping[int, str]] = {
    0: "button or lid",
    1: "thermal zone",
    2: "battery",
    3: "memory",
    4: "application",
    5: "kernel",
    6: "hibernation after sleep, by time",
    7: "system idle",
    8: "wake alarm",
    9: "fan",
    10: "battery saver",
    11: "hibernation after sleep, user away",
    12: "hibernation after sleep, user away, without a wake",
    13: "hibernation after sleep, battery budget",
    14: "hibernation after sleep, battery reserve, without a wake",
    15: "system",
}
_ACTIONS: Final[Mapping[int, str]] = {
    0: "none",
    2: "sleep",
    3: "hibernate",
    4: "shutdown",
    5: "restart",
    6: "power off",
    7: "eject",
    8: "display off",
}
_STATES: Final[Mapping[int, str]] = {
    0: "unspecified",
    1: "working",
    2: "S1",
    3: "S2",
    4: "S3",
    5: "S4",
    6: "off",
}
_SESSION_REASONS: Final[Mapping[int, str]] = dict(
    enumerate(
        (
            *("unknown", "power button", "remote connection", "SC_MONITORPOWER", "user input"),
            *("mains or battery", "user's display burst", "PoSetSystemState"),
            *("SetThreadExecutionState", "full wake", "session unlocked", "screen off asked for"),
            *("idle time-out", "policy change", "sleep button", "lid", "number of batteries"),
            *("grace period", "graphics Plug and Play", "dynamic partitioning"),
            *("sleep, hibernation or shutdown", "system idle", "proximity", "thermal standby"),
            *("resume of the PDC", "resume from S4", "terminal", "PDC signal"),
            *("mains or battery, suppressed", "S4 or S5 entered", "WinRT", "keyboard", "mouse"),
            *("touchpad or touch", "pen", "accelerometer", "HID", "user present"),
            *("session switched", "input initialisation"),
        )
    )
)
_YES_NO: Final[Mapping[int, str]] = {0: "no", 1: "yes"}
_CODES: Final[Mapping[str, Mapping[int, str]]] = {
    "sleep_reason": _TRIGGERS,
    "shutdown_reason": _TRIGGERS,
    "shutdown_action": _ACTIONS,
    "shutdown_event_code": {},
    "requested_action": _ACTIONS,
    "requested_state": _STATES,
    "wake_from_state": _STATES,
    "wake_requester_ac": {},
    "wake_requester_dc": {},
    "sleep_session_reason": _SESSION_REASONS,
    "wake_session_reason": _SESSION_REASONS,
    "screen_on_reason": _SESSION_REASONS,
    "standby_session_reason": _SESSION_REASONS,
    "standby_left_reason": _SESSION_REASONS,
    "entry_reason": _SESSION_REASONS,
    "exit_reason": _SESSION_REASONS,
    "standby_connectivity": {0: "connected", 1: "restricted", 2: "disconnected"},
    "standby_connectivity_reason": dict(
        enumerate(
            (
                *("none", "policy setting", "enforced", "device compliance", "smart presence"),
                *("pending tasks", "NIC compliance"),
            )
        )
    ),
    "boot_type": {0: "cold boot", 1: "fast startup", 2: "resume from S4"},
    "last_shutdown_good": _YES_NO,
    "last_boot_good": _YES_NO,
    "on_ac_at_sleep": _YES_NO,
    "on_ac_at_wake": _YES_NO,
    "power_button_pressed": _YES_NO,
    "bugcheck_code": {},
    "sleep_in_progress": {},
    "transition_status": {},
    "transition_successful": _YES_NO,
}


def is_code(name: str) -> bool:
    """Whether a figure of this name is a code: to take its median means nothing."""
    return name in _CODES


def code_name(figure: Figure) -> str | None:
    """Return what a code means; None of a figure that is none, or whose number has no name."""
    names = _CODES.get(figure.name, {})
    value = float(figure.value)
    return names.get(int(value)) if value.is_integer() else None
