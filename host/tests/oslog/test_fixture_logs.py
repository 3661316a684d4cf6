"""The project's own example logs say what their README promises."""

from pathlib import Path

from resume_rig.oslog.reading import read_logs


def test_four_s3_cycles(fixtures_dir: Path) -> None:
    reading = read_logs([fixtures_dir / "logs" / "four-s3-cycles.xml"])
    found = [(r.kind.value, r.bios_init_ms, r.driver_init_ms, r.resume_ms) for r in reading.records]
    assert found == [
        ("S3", 812, 1240, 2052),
        ("S3", 798, 780, 1578),
        ("S3", 801, 815, 1616),
        ("S3", 799, 792, 1591),
    ]
    assert [record.firmware_resume_ms for record in reading.records] == [708, 694, 697, 695]
    assert (reading.sources[0].os_build, reading.sources[0].integrity.problems) == (22631, ())


def test_every_kind_newest_first(fixtures_dir: Path) -> None:
    reading = read_logs([fixtures_dir / "logs" / "every-kind.xml"])
    found = [(r.kind.value, r.resume_ms, r.wake_source.name) for r in reading.records]
    assert found == [
        ("S3", 1598, "power button"),
        ("hybrid", 1615, "device"),
        ("S4", 9044, "unknown"),
        ("fast-startup", None, "unknown"),
        ("S1", None, "power button"),
        ("doze", None, "S4 doze to hibernate"),
        ("aborted", None, "timer"),
    ]
    assert reading.records[1].wake_source.text == 'USB 3.1 Host Controller <1.10> & "Hub"'
    assert reading.sources[0].integrity.problems == ()


def test_what_the_power_manager_told(fixtures_dir: Path) -> None:
    reading = read_logs([fixtures_dir / "logs" / "power-notes.xml"])
    slept, standby = reading.records
    assert reading.sources[0].integrity.problems == ()
    told = [{figure.name: figure.value for figure in record.figures} for record in (slept, standby)]
    assert (slept.kind, slept.resume_ms, standby.kind) == ("S3", 1614, "modern-standby")
    assert {name: told[0][name] for name in told[0] if not name.startswith("firmware")} == {
        **{"checkpoint_ms": 30, "attributes": 33573888, "no_multi_stage_resume_reason": 0},
        **{"sleep_session_reason": 32, "on_ac_at_sleep": 1},
        **{"requested_action": 2, "requested_state": 4, "sleep_reason": 4},
        **{"wake_from_state": 4, "wake_requester_ac": 0, "wake_requester_dc": 0},
        **{"clock_jump_us": 598_600_000, "sleep_session_us": 601_000_000},
        **{"sleep_to_clock_stop_us": 1_700_000},
        **{"wake_session_reason": 20, "on_ac_at_wake": 0, "sleep_energy_drain_mwh": 120},
        "full_charge_mwh": 60_000,
        **{"screen_on_us": 296_000, "screen_on_reason": 33},
        **{"shutdown_action": 5, "shutdown_event_code": 0, "shutdown_reason": 5},
        **{"standby_connectivity": 2, "standby_connectivity_reason": 6},
        "os_started": 1,
    }
    assert told[1]["standby_session_us"] == 1_800_000_000
    assert (told[1]["standby_session_reason"], told[1]["standby_left_reason"]) == (12, 31)
    assert (told[1]["standby_connectivity"], told[1]["exit_latency_us"]) == (1, 412_000)


def test_sleep_diagnostics(fixtures_dir: Path) -> None:
    reading = read_logs([fixtures_dir / "logs" / "sleep-diagnostics.html"])
    assert [record.kind.value for record in reading.records] == [
        *("S3", "S3", "S4", "aborted", "shutdown"),
    ]
