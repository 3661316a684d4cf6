"""WakeSourceType means different things on different builds."""

import pytest

from resume_rig.oslog.source.records import decode_wake_source


@pytest.mark.parametrize(
    ("source_type", "build", "name"),
    [
        (0, None, "unknown"),
        (1, None, "power button"),
        (2, None, "sleep button"),
        (3, None, "S4 doze to hibernate"),
        (1, 7600, "power button"),
        (3, 22000, "S4 doze to hibernate"),
        (4, 7601, "device"),
        (5, 7601, "timer"),
        (6, 10240, "timer of a legacy driver"),
        (7, 7601, "unknown"),
        (7, 10240, "possibly a timer"),
        (4, 17134, "predicted presence"),
        (5, 17134, "device"),
        (6, 22000, "timer"),
        (7, 22000, "timer of a legacy driver"),
        (8, 26100, "possibly a timer"),
        (9, 22000, "unknown"),
        (5, None, "unknown"),
        (5, 15063, "unknown"),
        (4294967295, 22000, "unknown"),
        (None, 22000, "unknown"),
    ],
)
def test_a_number_is_named_as_its_build_means_it(
    source_type: int | None, build: int | None, name: str
) -> None:
    source = decode_wake_source(source_type, "", build)
    assert (source.type, source.name) == (source_type, name)


@pytest.mark.parametrize("build", [None, 10240, 15063, 22000])
def test_the_acpi_alarm_is_a_timer_although_it_is_a_device(build: int | None) -> None:
    source = decode_wake_source(5, "ACPI Wake Alarm", build)
    assert (source.name, source.text) == ("timer", "ACPI Wake Alarm")


def test_a_button_stays_a_button_whatever_the_text_says() -> None:
    assert decode_wake_source(1, "ACPI Wake Alarm", 22000).name == "power button"


def test_a_text_is_bounded() -> None:
    assert len(decode_wake_source(5, "x" * 100_000, 22000).text) == 1000
