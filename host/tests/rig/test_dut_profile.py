"""DUT profiles: the shipped ones are sound, and wrong ones are refused with file, key, allowed."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.errors import UsageError
from resume_rig.rig.dut_profile import load_dut_profile, shipped_profiles

MS = 1_000_000


def test_the_shipped_profiles_are_listed() -> None:
    assert shipped_profiles() == ("healthy-desktop", "healthy-laptop", "slow-laptop")


@pytest.mark.parametrize("name", ["healthy-desktop", "healthy-laptop"])
def test_a_healthy_unit_always_meets_the_requirement(name: str) -> None:
    timing = load_dut_profile(name).timing
    assert timing.bios_init.max_ns < 250 * MS
    assert timing.bios_init.max_ns + timing.driver_init.max_ns < 1_500 * MS


def test_the_slow_laptop_always_breaks_the_requirement_and_the_advice() -> None:
    timing = load_dut_profile("slow-laptop").timing
    assert timing.bios_init.min_ns > 500 * MS
    assert timing.bios_init.min_ns + timing.driver_init.min_ns > 2_100 * MS


def test_a_desktop_has_no_lid() -> None:
    profile = load_dut_profile("healthy-desktop")
    assert profile.chassis == "desktop"
    assert profile.actuators == (Actuator.BUTTON,)
    assert Channel.LID not in profile.channels


@pytest.fixture
def write_profile(tmp_path: Path, fixtures_dir: Path) -> Callable[[str, str], Path]:
    """Return a writer of healthy-laptop.toml with one text replaced."""
    good = (fixtures_dir / "duts" / "healthy-laptop.toml").read_text("utf-8")

    def write(old: str, new: str) -> Path:
        assert old in good
        path = tmp_path / "mine.toml"
        path.write_text(good.replace(old, new, 1), "utf-8")
        return path

    return write


def test_a_profile_is_read_by_path_and_named_after_its_file(
    write_profile: Callable[[str, str], Path],
) -> None:
    profile = load_dut_profile(str(write_profile("median_ms = 46,", "median_ms = 46.5,")))
    assert profile.name == "mine"
    assert profile.timing.debounce.median_ns == 46_500_000
    assert profile.timing.debounce.sigma == 0.02


def test_the_lid_moves_sleep_by_default(write_profile: Callable[[str, str], Path]) -> None:
    path = write_profile("lid_close_sleeps = true\nlid_open_wakes = true\n", "")
    profile = load_dut_profile(str(path))
    assert (profile.lid_close_sleeps, profile.lid_open_wakes) == (True, True)


BAD_PROFILES = [
    pytest.param('title = "', 'titel = "', '"titel" is not known', id="unknown key"),
    pytest.param("os_build = 22000\n", "", '"os_build" is missing', id="missing key"),
    pytest.param(
        "debounce = { median_ms = 46,",
        "debounce = { median_ms = -46,",
        '"timing.debounce.median_ms" is -46',
        id="negative time",
    ),
    pytest.param(
        "sigma = 0.02",
        'sigma = "wide"',
        "\"timing.debounce.sigma\" is 'wide'",
        id="text for number",
    ),
    pytest.param(
        "sigma = 0.02", "sigma = nan", '"timing.debounce.sigma" is nan', id="not a number"
    ),
    pytest.param("sigma = 0.02", "sigma = true", '"timing.debounce.sigma" is True', id="flag"),
    pytest.param("os_build = 22000", "os_build = 1.5", '"os_build" is 1.5', id="not whole"),
    pytest.param("os_build = 22000", "os_build = true", '"os_build" is True', id="flag for whole"),
    pytest.param('"PLTRST"', '"PLTSRT"', "\"channels\" names 'PLTSRT'", id="unknown channel"),
    pytest.param('"PLTRST"', '"PWR_OK"', '"channels" names a line twice', id="channel twice"),
    pytest.param('["BUTTON", "LID"]', "[]", '"actuators" is []', id="no actuator"),
    pytest.param('["BUTTON", "LID"]', "[1]", '"actuators" names 1', id="actuator of wrong type"),
    pytest.param('"laptop"', '"tablet"', "\"chassis\" is 'tablet'", id="unknown chassis"),
    pytest.param('product = "Notebook 14"', 'product = " "', '"product" is', id="blank text"),
    pytest.param("= true\nlid_open", "= 1\nlid_open", '"lid_close_sleeps" is 1', id="not a flag"),
    pytest.param(
        "min_ms = 44, max_ms = 52",
        "min_ms = 50, max_ms = 44",
        '"timing.debounce.median_ms" lies outside',
        id="range upside down",
    ),
    pytest.param(
        "reset_to_tsc_max_ms = 60", "reset_to_tsc_max_ms = 30", "reset_to_tsc_max_ms", id="claim"
    ),
    pytest.param("suspend = {", "suspend = 800 # {", '"timing.suspend" is 800', id="no table"),
    pytest.param("median_ms = 800", "median_ms = 1e9", '"timing.suspend.median_ms"', id="too long"),
    pytest.param("[timing]", "[timing", "Cannot read DUT profile", id="not TOML"),
]


@pytest.mark.parametrize(("old", "new", "found"), BAD_PROFILES)
def test_a_wrong_profile_is_refused_in_one_sentence(
    write_profile: Callable[[str, str], Path], old: str, new: str, found: str
) -> None:
    path = write_profile(old, new)
    with pytest.raises(UsageError) as refusal:
        load_dut_profile(str(path))
    text = str(refusal.value)
    assert found in text
    assert str(path) in text
    assert "\n" not in text


@pytest.mark.parametrize("name", ["no-such-unit", "", "/no/such/file.toml", "."])
def test_an_unknown_profile_lists_what_there_is(name: str) -> None:
    with pytest.raises(UsageError, match=r"healthy-desktop, healthy-laptop, slow-laptop.*path"):
        load_dut_profile(name)


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "binary.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="Cannot read DUT profile"):
        load_dut_profile(str(path))


def test_a_huge_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "huge.toml"
    path.write_bytes(b"#" * 70_000)
    with pytest.raises(UsageError, match="larger than 65536 bytes"):
        load_dut_profile(str(path))


@pytest.mark.parametrize("name", shipped_profiles())
def test_every_number_of_a_shipped_profile_says_its_unit(name: str, fixtures_dir: Path) -> None:
    raw: dict[str, Any] = tomllib.loads((fixtures_dir / "duts" / f"{name}.toml").read_text("utf-8"))
    spreads = [key for spread in raw["timing"].values() for key in spread]
    assert {key for key in spreads if not key.endswith("_ms")} == {"sigma"}
