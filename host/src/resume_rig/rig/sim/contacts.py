"""The simulated front end's moving parts: command to contact, as the sense channel sees it."""

from collections.abc import Mapping
from typing import Final

from resume_rig.model.channel import Actuator
from resume_rig.model.dut import Spread

_MS = 1_000_000

# photoMOS across the power switch: command to pin 0.50 +/- 0.22 ms, release 0.06 to 2.9 ms, by
# simulation. Coil under the lid's Hall sensor: about 24 ms to close and 4 ms to open.
CONTACT_DELAY: Final[Mapping[tuple[Actuator, bool], Spread]] = {
    (Actuator.BUTTON, True): Spread(500_000, 0.4, 200_000, 1_200_000),
    (Actuator.BUTTON, False): Spread(400_000, 0.8, 60_000, 2_900_000),
    (Actuator.LID, True): Spread(24 * _MS, 0.1, 15 * _MS, 40 * _MS),
    (Actuator.LID, False): Spread(4 * _MS, 0.2, 2 * _MS, 15 * _MS),
}
"""By actuator and whether it is driven from then on."""
