"""What the power manager tells around a cycle: requests, sessions, connectivity, shutdowns."""

from collections.abc import Callable

import pytest
from readings import both_orders, figures

from resume_rig.model.os_record import LogReading

Read = Callable[..., LogReading]

ACTIVE, SCREEN_OFF, STANDBY, ASLEEP = 0, 1, 2, 3


class Recorded:
    """Writes a DUT's events in their real order."""

    def __init__(self, write) -> None:
        self._write = write
        self._session = 1

    def session(self, previous: int, following: int, **values: object) -> str:
        self._session += 1
        told = {
            **{"BootId": 2, "Reason": 20, "PreviousSessionId": self._session - 1},
            **{"PreviousSessionType": previous, "PreviousSessionDurationInUs": 5_000_000},
            **{"PreviousEnergyCapacityAtStart": 62_000, "PreviousEnergyCapacityAtEnd": 61_500},
            **{"NextSessionId": self._session, "NextSessionType": following},
            **{"PowerStateAc": "false"},
        }
        return self._write.event("KP", 566, {**told, **values})

    def request(self, action: int = 2, state: int = 4) -> str:
        caller = r"\Device\HarddiskVolume3\Windows\explorer.exe"
        values = {"ApiCallerNameLength": 45, "ApiCallerName": caller}
        return self._write.event(
            "KP", 187, {**values, "SystemAction": action, "LightestSystemState": state}
        )

    def asleep(self, reason: object = 4) -> str:
        states = {"TargetState": 4, "EffectiveState": 4}
        return self._write.event(
            "KP", 42, states if reason is None else {**states, "Reason": reason}
        )

    def shutdown(self, action: int = 5, reason: int = 5) -> str:
        values = {"ShutdownActionType": action, "ShutdownEventCode": 0, "ShutdownReason": reason}
        return self._write.event("KP", 109, values)

    def connectivity(self, state: int = 2, reason: int = 6) -> str:
        return self._write.event("KP", 172, {"State": state, "Reason": reason})

    def sleep(self, *asked: str, reason: object = 4) -> list[str]:
        return [*asked, self.asleep(reason), *self._write.wake(601)]


@pytest.fixture
def recorded(write) -> Recorded:
    return Recorded(write)


def test_the_order_of_a_real_cycle(write, read: Read, recorded: Recorded) -> None:
    events = [
        *(recorded.session(ACTIVE, ASLEEP, Reason=15), *recorded.sleep(recorded.request())),
        recorded.session(ASLEEP, SCREEN_OFF, PowerStateAc="true"),
        recorded.session(SCREEN_OFF, ACTIVE, Reason=32, PreviousSessionDurationInUs=296_000),
        write.account(),
    ]
    (record,) = both_orders(read, events).records
    told = figures(record)
    del told["firmware_suspend_ms"], told["firmware_suspend_start_ms"]
    assert told == {
        **{"sleep_session_reason": 15, "on_ac_at_sleep": 0},
        **{"requested_action": 2, "requested_state": 4, "sleep_reason": 4},
        **{"sleep_session_us": 5_000_000, "wake_session_reason": 20, "on_ac_at_wake": 1},
        **{"sleep_energy_drain_mwh": 500, "screen_on_us": 296_000, "screen_on_reason": 32},
    }


@pytest.mark.parametrize(
    ("reason", "asked"), [(4, True), (None, True), (0, False), (7, False), (6, False)]
)
def test_a_request_led_to_the_sleep_that_says_so(
    write, read: Read, recorded: Recorded, reason: int | None, asked: bool
) -> None:
    events = [*recorded.sleep(recorded.request(), reason=reason), write.account()]
    (record,) = both_orders(read, events).records
    assert ("requested_action" in figures(record)) == asked


def test_a_request_leads_to_one_sleep_only(write, read: Read, recorded: Recorded) -> None:
    events = [
        *(*recorded.sleep(recorded.request()), write.account()),
        *(*recorded.sleep(), write.account(SleepDuration=1501)),
    ]
    first, second = both_orders(read, events).records
    assert "requested_action" in figures(first)
    assert "requested_action" not in figures(second)


def test_a_quick_second_sleep_keeps_its_own_session(write, read: Read, recorded: Recorded) -> None:
    """As in a real log: the next sleep begins before the account of the one before is written."""
    events = [
        *(recorded.session(ACTIVE, ASLEEP, Reason=1), *recorded.sleep(reason=0)),
        recorded.session(ASLEEP, SCREEN_OFF, PreviousSessionDurationInUs=7),
        recorded.session(SCREEN_OFF, ACTIVE, Reason=33),
        *(recorded.session(ACTIVE, ASLEEP, Reason=32), recorded.asleep(0), write.account()),
        *(*write.wake(602), write.account(SleepDuration=1501)),
    ]
    first, second = map(figures, both_orders(read, events).records)
    assert (first["sleep_session_reason"], first["sleep_session_us"]) == (1, 7)
    assert first["screen_on_reason"] == 33
    assert second["sleep_session_reason"] == 32
    assert "sleep_session_us" not in second


def test_a_screen_that_goes_on_later_is_no_part_of_the_wake(
    write, read: Read, recorded: Recorded
) -> None:
    events = [
        *(*recorded.sleep(), recorded.session(ASLEEP, ACTIVE)),
        *(
            recorded.session(ACTIVE, SCREEN_OFF),
            recorded.session(SCREEN_OFF, ACTIVE),
            write.account(),
        ),
        *(recorded.session(ACTIVE, SCREEN_OFF), recorded.session(SCREEN_OFF, ACTIVE)),
    ]
    (record,) = both_orders(read, events).records
    assert "sleep_session_us" in figures(record)
    assert "screen_on_us" not in figures(record)


def test_without_a_battery_there_is_no_drain(write, read: Read, recorded: Recorded) -> None:
    empty = {"PreviousEnergyCapacityAtStart": 0, "PreviousEnergyCapacityAtEnd": 0}
    events = [*recorded.sleep(), recorded.session(ASLEEP, SCREEN_OFF, **empty), write.account()]
    (record,) = both_orders(read, events).records
    assert "sleep_energy_drain_mwh" not in figures(record)


def test_connectivity_stands_with_the_next_record_of_its_boot(
    write, read: Read, recorded: Recorded
) -> None:
    events = [
        *(write.boot(22000), recorded.connectivity(0, 0), recorded.connectivity(2, 6)),
        *(*recorded.sleep(), write.account(), *recorded.sleep(), write.account(SleepDuration=1501)),
        *(recorded.connectivity(1, 1), write.boot(22000)),
        *(*recorded.sleep(), write.account(SleepDuration=1502)),
    ]
    first, second, third = map(figures, both_orders(read, events).records)
    assert (first["standby_connectivity"], first["standby_connectivity_reason"]) == (2, 6)
    assert "standby_connectivity" not in second | third


def test_a_shutdown_stands_with_the_first_record_after_it(
    write, read: Read, recorded: Recorded
) -> None:
    events = [
        *(write.boot(22000), *recorded.sleep(), write.account()),
        *(recorded.shutdown(), write.event("KG", 13, {}), write.boot(22000)),
        *(*recorded.sleep(), write.account(SleepDuration=1501)),
        *(*recorded.sleep(), write.account(SleepDuration=1502)),
    ]
    first, second, third = map(figures, both_orders(read, events).records)
    assert "shutdown_action" not in first | third
    assert [second[f"shutdown_{what}"] for what in ("action", "event_code", "reason")] == [5, 0, 5]


def test_a_shutdown_two_boots_before_is_not_told(write, read: Read, recorded: Recorded) -> None:
    events = [
        *(write.boot(22000), recorded.shutdown(), write.boot(22000), write.boot(22000)),
        *(*recorded.sleep(), write.account()),
    ]
    (record,) = both_orders(read, events).records
    assert "shutdown_action" not in figures(record)


def test_a_death_tells_of_the_shutdown_that_had_begun(
    write, read: Read, recorded: Recorded
) -> None:
    events = [
        *(write.boot(22000), *recorded.sleep(), write.account(), recorded.asleep(0)),
        *(recorded.shutdown(6, 2), write.boot(22000)),
        write.event("KP", 41, {"BugcheckCode": 0, "SleepInProgress": 4}),
        *(*recorded.sleep(), write.account(SleepDuration=1501)),
    ]
    _, died, last = both_orders(read, events).records
    assert (died.kind, figures(died)["shutdown_action"]) == ("died-in-sleep", 6)
    assert figures(died)["shutdown_reason"] == 2
    assert "shutdown_action" not in figures(last)


def test_modern_standby_tells_why_its_session_changed(
    write, read: Read, recorded: Recorded
) -> None:
    events = [
        *(recorded.session(SCREEN_OFF, STANDBY, Reason=12), write.event("KP", 506, {"Reason": 12})),
        *(recorded.connectivity(), recorded.session(STANDBY, ACTIVE, Reason=31)),
        write.event("KP", 507, {"Reason": 31, "DurationInUs": 10}),
    ]
    (record,) = both_orders(read, events).records
    assert figures(record) == {
        **{"entry_reason": 12, "exit_reason": 31, "duration_us": 10},
        **{"standby_session_reason": 12, "standby_connectivity": 2},
        **{"standby_connectivity_reason": 6, "standby_session_us": 5_000_000},
        "standby_left_reason": 31,
    }


def test_a_standby_that_is_over_is_no_part_of_a_sleep(
    write, read: Read, recorded: Recorded
) -> None:
    events = [
        *(write.event("KP", 506, {"Reason": 12}), write.event("KP", 507, {"Reason": 31})),
        *(recorded.session(STANDBY, ACTIVE), recorded.session(SCREEN_OFF, STANDBY)),
        *(*recorded.sleep(), write.account()),
    ]
    _, slept = both_orders(read, events).records
    assert not [name for name in figures(slept) if name.startswith("standby_")]


@pytest.mark.parametrize("text", ["x", "-3", "99999999999999999999999"])
def test_a_number_that_cannot_be_read_is_told(
    write, read: Read, recorded: Recorded, text: str
) -> None:
    odd = {"PreviousSessionDurationInUs": text}
    events = [*recorded.sleep(), recorded.session(ASLEEP, SCREEN_OFF, **odd), write.account()]
    reading = both_orders(read, events)
    assert "sleep_session_us" not in figures(reading.records[0])
    assert reading.sources[0].integrity.problems == (
        "1 number could not be read and counts as not reported.",
    )
