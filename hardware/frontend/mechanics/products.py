"""All printed parts, and the files that come of them."""

from frontend.mechanics.checks import faults_of_part
from frontend.mechanics.drawing import drawing_of
from frontend.mechanics.finger import BridgeSizes, TipSizes, finger_bridge, finger_tip
from frontend.mechanics.hood import HoodSizes, hood, hood_lid
from frontend.mechanics.magnet_arm import ArmSizes, magnet_arm
from frontend.mechanics.servo_arm import ServoArmSizes, servo_arm
from frontend.mechanics.solids import Part
from frontend.mechanics.stl import stl_of


def all_parts() -> tuple[Part, ...]:
    """Return every printed part at its stated sizes."""
    return (
        hood(HoodSizes()),
        hood_lid(HoodSizes()),
        magnet_arm(ArmSizes()),
        servo_arm(ServoArmSizes()),
        finger_bridge(BridgeSizes()),
        finger_tip(TipSizes()),
    )


def printed() -> tuple[dict[str, str], dict[str, bytes], list[str]]:
    """Return drawings and meshes by file name, and a sentence for each fault of a part."""
    parts = all_parts()
    drawings = {f"drawings/{part.name}.svg": drawing_of(part) for part in parts}
    meshes = {f"meshes/{part.name}.stl": stl_of(part.solid) for part in parts}
    return drawings, meshes, [fault for part in parts for fault in faults_of_part(part)]
