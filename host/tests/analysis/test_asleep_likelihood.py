"""How much a time asleep says for a record, beside when it was written."""

import numpy as np
import pytest

from resume_rig.analysis.match.likelihood import Noise, gains_without_lag
from resume_rig.analysis.match.times import FROM_IMAGE_BITS, UNKNOWN, CycleTimes, Entries

ONE = np.ones(1)
NONE = np.zeros(1, dtype=np.int64)
NOT_KNOWN = np.full(1, np.nan)
NO_READING = np.full(1, UNKNOWN, dtype=np.int32)


def worth(excess_s: float, noise: Noise, *, from_image: bool) -> float:
    """Return the log-likelihood of a record whose OS tells of so much more time asleep."""
    cycles = CycleTimes(
        0, 100 * ONE, NONE, 20 * ONE, NONE, NO_READING, 0, ONE, None, 0 * ONE, NOT_KNOWN, NOT_KNOWN
    )
    entries = Entries(
        base_ns=0,
        at_s=100 * ONE,
        record=NONE,
        rank=NONE,
        log_weight=0 * ONE,
        half_s=0 * ONE,
        widest_s=0.0,
        asleep_s=(20 + excess_s) * ONE,
        kind=np.array([FROM_IMAGE_BITS if from_image else 0]),
        reading=NO_READING,
        settings_s=0 * ONE,
        source=NONE,
        before=np.full(1, -1),
        awake_s=NOT_KNOWN,
        took_s=NOT_KNOWN,
        resume_s=NOT_KNOWN,
    )
    found = gains_without_lag(cycles, entries, NONE, 0 * ONE, noise)
    return float(found.gain[0])


@pytest.mark.parametrize("half_s", [3.0, 9.0])
def test_an_image_is_written_as_unevenly_as_the_campaign_shows(half_s: float) -> None:
    noise = Noise(asleep_bias_s=0.3, image_bias_s=12.0, image_half_s=half_s)

    near, apart, far = (
        worth(12.0 + excess, noise, from_image=True) for excess in (0.0, half_s / 2, 2 * half_s)
    )

    assert near - apart < 0.1
    assert near - far > 1.0


def test_images_of_one_size_are_held_no_closer_than_plain_sleeps() -> None:
    noise = Noise(asleep_bias_s=0.3, image_bias_s=12.0, image_half_s=0.01)

    for excess_s in (0.0, 0.6, 1.2, 3.0):
        image = worth(12.0 + excess_s, noise, from_image=True)
        assert image == pytest.approx(worth(0.3 + excess_s, noise, from_image=False))
