"""Times and numbers of event logs to integers."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.model.errors import RecordError
from resume_rig.oslog.source.records import parse_utc_ns, parse_whole

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected_ns"),
    [
        pytest.param("1970-01-01T00:00:00Z", 0, id="no fraction"),
        pytest.param("1970-01-01T00:00:01.Z", 1_000_000_000, id="bare point"),
        pytest.param("1970-01-01T00:00:00.5Z", 500_000_000, id="1 digit"),
        pytest.param("1970-01-01T00:00:00.123456Z", 123_456_000, id="6 digits"),
        pytest.param("1970-01-01T00:00:00.1234567Z", 123_456_700, id="7 digits"),
        pytest.param("1970-01-01T00:00:00.123456789Z", 123_456_789, id="9 digits"),
        pytest.param("1970-01-01T00:00:00.9999999999Z", 999_999_999, id="10 digits are cut"),
        pytest.param("1969-12-31T23:59:59.9Z", -100_000_000, id="before 1970"),
        pytest.param("1970-01-01T01:00:00+01:00", 0, id="east"),
        pytest.param("1969-12-31T19:00:00-0500", 0, id="west"),
        pytest.param("1970-01-01T00:00:01", 1_000_000_000, id="no zone is UTC"),
        pytest.param(" 1970-01-01T00:00:01Z\n", 1_000_000_000, id="blanks around"),
        pytest.param("1970-01-01T00:00:01.0000001Z UTC", 1_000_000_100, id="evtx library"),
        pytest.param("116444736000000001", 100, id="FILETIME"),
        pytest.param("0x19DB1DED53E8001", 100, id="FILETIME hex"),
        pytest.param("1601-01-01T00:00:00.0000000Z", None, id="FILETIME 0 as a date"),
        pytest.param("1600-12-31T19:00:00Z", None, id="FILETIME 0 in the west"),
        pytest.param("0", None, id="FILETIME 0"),
        pytest.param("0x0", None, id="FILETIME 0 hex"),
        pytest.param("", None, id="empty"),
    ],
)
def test_a_time_becomes_whole_nanoseconds(text: str, expected_ns: int | None) -> None:
    assert parse_utc_ns(text) == expected_ns


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("yesterday", id="word"),
        pytest.param("2024-02-30T00:00:00Z", id="30 February"),
        pytest.param("2024-13-01T00:00:00Z", id="month 13"),
        pytest.param("2024-01-01T24:00:00Z", id="hour 24"),
        pytest.param("2024-01-01T00:60:00Z", id="minute 60"),
        pytest.param("0000-01-01T00:00:00Z", id="year 0"),
        pytest.param("9999-12-31T00:00:00Z", id="beyond int64"),
        pytest.param("30828-09-14T02:48:05Z", id="largest FILETIME"),
        pytest.param("9223372036854775807", id="largest FILETIME as a number"),
        pytest.param("99999999999999999999999", id="huge number"),
        pytest.param("-5", id="negative"),
        pytest.param("２０２４-01-01T00:00:00Z", id="digits of another script"),
        pytest.param("2024-01-01T00:00:00.1e5Z", id="exponent"),
    ],
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(RecordError, match=r"could not read a (time|number): found "):
        parse_utc_ns(text)


@given(
    st.datetimes(datetime(1700, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC)),
    st.integers(0, 9),
    st.integers(0, 999),
)
def test_any_time_equals_exact_arithmetic(moment: datetime, digits: int, nanos: int) -> None:
    fraction = f"{moment.microsecond:06d}{nanos:03d}"[:digits]
    text = moment.strftime(f"{moment.year:04d}-%m-%dT%H:%M:%S") + (f".{fraction}" if digits else "")
    whole_s = (moment.replace(microsecond=0) - EPOCH) // timedelta(seconds=1)
    kept_ns = int(fraction.ljust(9, "0")) if digits else 0
    assert parse_utc_ns(text + "Z") == whole_s * 1_000_000_000 + kept_ns


@given(st.integers(1, 210_000_000_000_000_000))
def test_filetime_number_and_hex_agree(ticks: int) -> None:
    expected_ns = (ticks - 116_444_736_000_000_000) * 100
    if abs(expected_ns) < 1 << 63:
        assert parse_utc_ns(str(ticks)) == parse_utc_ns(hex(ticks)) == expected_ns


@given(st.text(max_size=60))
def test_any_text_gives_a_time_none_or_a_record_error(text: str) -> None:
    try:
        time_ns = parse_utc_ns(text)
    except RecordError:
        return
    assert time_ns is None or -(1 << 63) < time_ns < 1 << 63


@pytest.mark.parametrize(
    ("text", "expected"),
    [("0", 0), ("798", 798), ("0x31E", 798), (" 7 ", 7), ("4294967295", 4294967295), ("", None)],
)
def test_a_whole_number_is_decimal_or_hex(text: str, expected: int | None) -> None:
    assert parse_whole(text, maximum=(1 << 32) - 1) == expected


@pytest.mark.parametrize("text", ["-1", "4294967296", "1.5", "ten", "0x", "1e3", "9" * 5000, "٣"])
def test_what_is_no_whole_number_is_refused(text: str) -> None:
    with pytest.raises(RecordError, match="allowed is 0 to 4294967295"):
        parse_whole(text, maximum=(1 << 32) - 1)
