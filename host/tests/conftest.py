"""Fixtures that many tests share."""

import os
import signal
import sys
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import settings

from resume_rig.model.os_record import OsRecord, SleepKind, WakeSource

# Tests assert behaviour, not seconds: a busy machine is no failure.
settings.register_profile("resume-rig", deadline=None)
settings.load_profile("resume-rig")

# A shell starts its background jobs with SIGINT ignored, which every process below would inherit.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parents[2]

# Their modules take ten seconds and more; those of others a few.
LONG_MODULES = ("golden", "gui", "cli")


def known_on_wine() -> dict[str, str]:
    """Return tests that Wine cannot run, and why; none elsewhere, Windows itself included."""
    if sys.platform != "win32":
        return {}
    import ctypes

    if not hasattr(ctypes.windll.ntdll, "wine_get_version"):
        return {}
    known = tomllib.loads((ROOT / "host" / "tests" / "known_on_wine.toml").read_text("utf-8"))
    return {test: entry["reason"] for entry in known["known"] for test in entry["tests"]}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put long modules first, so that no worker is left alone with one; mark what is slow."""
    known = known_on_wine()
    for item in items:
        for test, reason in known.items():
            if item.nodeid.startswith(test):
                item.add_marker(pytest.mark.xfail(reason=reason, run=False))
        if "front_ends" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: item.path.parent.name not in LONG_MODULES)


@pytest.fixture
def fixtures_dir() -> Path:
    return ROOT / "fixtures"


@pytest.fixture
def shared_data() -> Path:
    """Real logs and traces beside the project (or where RESUME_RIG_SHARED_DATA says)."""
    place = Path(os.environ.get("RESUME_RIG_SHARED_DATA", ROOT.parent / "shared" / "data"))
    if not place.is_dir():
        pytest.skip(f"real logs are not at hand: {place} is not a folder")
    return place


@pytest.fixture(scope="session")
def record() -> Callable[..., OsRecord]:
    """Return an OS record; measured S3 unless fields say otherwise."""
    normal = OsRecord(
        source=0,
        record_id=1,
        kind=SleepKind.S3,
        sleep_time_utc_ns=None,
        wake_time_utc_ns=None,
        written_utc_ns=None,
        sleep_ms=1400,
        wake_ms=850,
        driver_init_ms=800,
        bios_init_ms=200,
        firmware_resume_ms=180,
        firmware_resume_count=1,
        hiber_read_ms=None,
        hiber_write_ms=None,
        hiber_pages=None,
        wake_source=WakeSource(1, "power button", ""),
    )

    def make(**fields: object) -> OsRecord:
        driver_ms = fields.get("driver_init_ms")
        if isinstance(driver_ms, int):  # a part of the wake
            fields.setdefault("wake_ms", max(850, driver_ms + 50))
        return replace(normal, **fields)

    return make
