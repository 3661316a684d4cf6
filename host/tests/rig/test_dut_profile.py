"""DUT profiles: the shipped ones are sound, and wrong ones are refused with file, key, allowed."""

import tomllib
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from resume_rig.model.channel import Actuator, Channel
from resume_rig.model.dut import SOUND, PlatformConstants
from resume_rig.model.errors import UsageError
from resume_rig.rig.dut_profile import load_dut_profile, shipped_profiles

MS = 1_000_000


def test_the_shipped_profiles_are_listed() -> None:
    assert shipped_profiles() == (
        "bios-reports-zero",
        "bios-under-reports",
        "double-reset",
        "doze-to-s4",
        "drains",
        "espi-laptop",
        "fake-s3",
        "fpdt-in-ticks",
        "healthy-desktop",
        "healthy-laptop",
        "hibernates",
        "hidden-before-s3",
        "hybrid-sleep",
        "idle-sleeper",
        "late-display",
        "late-wake",
        "lid-bounce",
        "loses-devices",
        "modern-standby",
        "pwm-panel",
        "resume-hang",
        "slow-bios",
        "slow-ec",
        "slow-laptop",
        "standby-doze",
        "tsc-not-reset",
        "wakes-alone",
        "wakes-by-device",
        "wakes-by-nothing-else",
    )


@pytest.mark.parametrize("name", shipped_profiles())
def test_a_character_differs_from_its_base_where_it_says_so_alone(
    name: str, fixtures_dir: Path
) -> None:
    raw: dict[str, Any] = tomllib.loads((fixtures_dir / "duts" / f"{name}.toml").read_text("utf-8"))
    if "base" not in raw:
        assert load_dut_profile(name).behaviour == SOUND
        return
    own, base = load_dut_profile(name), load_dut_profile(raw["base"])
    changed = {f.name for f in fields(own) if getattr(own, f.name) != getattr(base, f.name)}
    field_of = {"idle_s": "idle_ns", "known": "platform"}
    assert changed == {"name"} | {field_of.get(key, key) for key in raw} - {"base"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('base = "no-such"', "\"base\" is 'no-such'"),
        ('base = "fake-s3"', "a base that has a base itself"),
        ("base = 1", '"base" is 1'),
        ('base = "healthy-laptop"\nbehaviour = 1', '"behaviour" is 1'),
        ('base = "healthy-laptop"\nidle_s = 5', '"idle_s" is 5'),
        ('base = "healthy-laptop"\nidle_s = 4000', '"idle_s" is 4000'),
        ('base = "healthy-laptop"\n[behaviour]\nhangs = 1', '"behaviour.hangs" is not known'),
        ('base = "healthy-laptop"\n[behaviour]\nhang_share = 2', '"behaviour.hang_share" is 2'),
        ('base = "healthy-laptop"\n[behaviour]\nsleeps = "S9"', "\"behaviour.sleeps\" is 'S9'"),
        ('base = "healthy-laptop"\n[behaviour]\ntsc_resets = 0', '"behaviour.tsc_resets" is 0'),
        ('base = "healthy-laptop"\n[behaviour]\nlid_bounces = 99', '"behaviour.lid_bounces" is'),
        ('base = "healthy-laptop"\n[behaviour]\npwm_hz = 2000000', '"behaviour.pwm_hz" is'),
        ('base = "healthy-laptop"\n[known]\nresidual_ms = 3', "go together"),
        ('base = "healthy-laptop"\n[known]\nresidual = 3', '"known.residual" is not known'),
        ('base = "healthy-laptop"\n[timing]\nsuspend = 1', '"timing.suspend" is 1'),
    ],
)
def test_a_wrong_character_is_refused_in_one_sentence(
    tmp_path: Path, text: str, found: str
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(UsageError) as refusal:
        load_dut_profile(str(path))
    assert found in str(refusal.value)
    assert str(path) in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_what_is_known_of_a_platform_is_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        'base = "healthy-desktop"\n[known]\nresidual_ms = -305\nresidual_half_width_ms = 80\n'
        "firmware_extra_ms = 24\nlight_after_complete_max_ms = -10\n",
        "utf-8",
    )
    platform = load_dut_profile(str(path)).platform
    assert platform == PlatformConstants(-305 * MS, 80 * MS, 24, -10 * MS)
    assert load_dut_profile("healthy-desktop").platform is None


def test_part_of_a_phase_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('base = "healthy-laptop"\n[timing]\nuser_init = { median_ms = 100 }\n', "utf-8")
    base = load_dut_profile("healthy-laptop").timing
    mine = load_dut_profile(str(path)).timing
    assert mine == replace(base, user_init=replace(base.user_init, median_ns=100 * MS))


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
    with pytest.raises(UsageError, match=r"healthy-desktop, healthy-laptop, .*slow-laptop.*path"):
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
    spreads = [key for spread in raw.get("timing", {}).values() for key in spread]
    assert {key for key in spreads if not key.endswith("_ms")} <= {"sigma"}
