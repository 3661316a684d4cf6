"""Fixtures that many tests share."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Tests assert behaviour, not seconds: a busy machine is no failure.
settings.register_profile("resume-rig", deadline=None)
settings.load_profile("resume-rig")

ROOT = Path(__file__).resolve().parents[2]


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
