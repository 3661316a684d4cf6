"""The board in KiCad, by its Python module `pcbnew`: this is the only place that knows it.

Runs under the Python that KiCad was built for (Debian: /usr/bin/python3).
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import pcbnew

from frontend.circuit.catalogue import maker_number
from frontend.circuit.facts import GROUND, Facts, Placed
from frontend.layout import floorplan
from frontend.layout.geometry import Box, Outline, Point, Spot
from frontend.layout.routes import Route, Via
from frontend.layout.silk import Label

FOOTPRINTS = Path("/usr/share/kicad/footprints")
ORIGIN: Point = (100.0, 60.0)
"""Where the board's corner is on KiCad's sheet."""
LAYERS = {"F.Cu": pcbnew.F_Cu, "B.Cu": pcbnew.B_Cu}
OUTPUTS = (
    ("F_Cu", pcbnew.F_Cu), ("B_Cu", pcbnew.B_Cu), ("F_Mask", pcbnew.F_Mask),
    ("B_Mask", pcbnew.B_Mask), ("F_Paste", pcbnew.F_Paste), ("F_Silkscreen", pcbnew.F_SilkS),
    ("B_Silkscreen", pcbnew.B_SilkS), ("Edge_Cuts", pcbnew.Edge_Cuts),
)  # fmt: skip


JUSTIFY = {
    -1: pcbnew.GR_TEXT_HJUSTIFY_LEFT,
    0: pcbnew.GR_TEXT_HJUSTIFY_CENTER,
    1: pcbnew.GR_TEXT_HJUSTIFY_RIGHT,
}


def iu(millimetres: float) -> int:
    """Return KiCad's units; its own conversion cuts off, and a track would creep at each run."""
    return round(millimetres * float(pcbnew.IU_PER_MM))


def at(point: Point) -> pcbnew.wxPoint:
    """Return a point of the board on KiCad's sheet."""
    return pcbnew.wxPoint(iu(point[0] + ORIGIN[0]), iu(point[1] + ORIGIN[1]))


def footprint(name: str) -> pcbnew.FOOTPRINT:
    """Return a footprint of KiCad's libraries."""
    library, item = name.split(":")
    found = pcbnew.FootprintLoad(str(FOOTPRINTS / f"{library}.pretty"), item)
    if found is None:
        raise SystemExit(f"make board: KiCad has no footprint {name}; install kicad-footprints")
    found.SetFPID(pcbnew.LIB_ID(library, item))
    return found


def outline_of(name: str) -> Outline:
    """Return pads and courtyard of a footprint."""
    shape = footprint(name)
    pads = {
        pad.GetNumber(): (pcbnew.ToMM(pad.GetPosition().x), pcbnew.ToMM(pad.GetPosition().y))
        for pad in shape.Pads()
        if pad.GetNumber()
    }
    courtyard = None
    for item in shape.GraphicalItems():
        if item.GetLayer() == pcbnew.F_CrtYd:
            box = item.GetBoundingBox()
            if courtyard is None:
                courtyard = box
            courtyard.Merge(box)
    if courtyard is None:
        courtyard = shape.GetBoundingBox()
    edges = (courtyard.GetLeft(), courtyard.GetTop(), courtyard.GetRight(), courtyard.GetBottom())
    return Outline(pads, Box(*(pcbnew.ToMM(edge) for edge in edges)))


def outlines_of(facts: Facts) -> dict[str, Outline]:
    """Return the outlines of all footprints of a circuit."""
    names = sorted({part.kind.footprint for part in facts.on_board()})
    return {name: outline_of(name) for name in names}


def new_board() -> pcbnew.BOARD:
    """Return an empty board of two layers with the design rules of a common maker."""
    board = pcbnew.BOARD()
    board.SetCopperLayerCount(2)
    rules = board.GetDesignSettings()
    rules.m_TrackMinWidth = iu(floorplan.RULES["min_track_width"])
    rules.m_MinClearance = iu(floorplan.RULES["min_clearance"])
    rules.m_ViasMinSize = iu(floorplan.RULES["min_via_diameter"])
    rules.m_MinThroughDrill = iu(floorplan.RULES["min_through_hole_diameter"])
    rules.m_CopperEdgeClearance = iu(floorplan.RULES["min_copper_edge_clearance"])
    rules.m_HoleToHoleMin = iu(floorplan.RULES["min_hole_to_hole"])
    return board


def project_of(name: str) -> str:
    """Return KiCad's project file: rules and net classes, which it keeps there."""
    classes = [
        {
            "name": one.name,
            "track_width": one.track_mm,
            "clearance": one.clearance_mm,
            "via_diameter": one.via_mm,
            "via_drill": one.drill_mm,
            "nets": list(one.nets),
        }
        for one in floorplan.CLASSES
    ]
    project = {
        "board": {"design_settings": {"rules": dict(floorplan.RULES)}},
        "meta": {"filename": f"{name}.kicad_pro", "version": 1},
        "net_settings": {"classes": classes, "meta": {"version": 2}},
    }
    return json.dumps(project, indent=2, sort_keys=True) + "\n"


def corners_of(box: Box) -> tuple[Point, ...]:
    """Return the corners of a rectangle in their order."""
    return (
        (box.left, box.top),
        (box.right, box.top),
        (box.right, box.bottom),
        (box.left, box.bottom),
    )


def add_edge(board: pcbnew.BOARD) -> None:
    """Draw the outline."""
    box = floorplan.EDGE
    corners = corners_of(box)
    for first, second in zip(corners, (*corners[1:], corners[0]), strict=True):
        line = pcbnew.PCB_SHAPE(board)
        line.SetShape(pcbnew.SHAPE_T_SEGMENT)
        line.SetLayer(pcbnew.Edge_Cuts)
        line.SetWidth(iu(0.1))
        line.SetStart(at(first))
        line.SetEnd(at(second))
        board.Add(line)


def add_holes(board: pcbnew.BOARD) -> None:
    """Add the mounting holes."""
    for number, hole in enumerate(floorplan.HOLES, 1):
        shape = footprint("MountingHole:MountingHole_3.2mm_M3")
        shape.SetReference(f"H{number}")
        shape.Reference().SetVisible(False)
        shape.Value().SetVisible(False)
        shape.SetPosition(at(hole))
        board.Add(shape)


def add_part(board: pcbnew.BOARD, part: Placed, spot: Spot, nets: Mapping[str, object]) -> None:
    """Add a part in its place with its nets."""
    shape = footprint(part.kind.footprint)
    shape.SetReference(part.ref)
    shape.SetValue(part.value)
    shape.SetProperty("MPN", maker_number(part.kind, part.value))
    shape.SetProperty("Function", part.tag)
    shape.SetPosition(at((spot.x, spot.y)))
    shape.SetOrientationDegrees(spot.degrees)
    shape.Reference().SetVisible(False)
    shape.Value().SetVisible(False)
    by_number = part.by_number()
    for pad in shape.Pads():
        if pad.GetNumber() in by_number:
            pad.SetNet(nets[by_number[pad.GetNumber()]])
    board.Add(shape)


def add_nets(board: pcbnew.BOARD, names: Iterable[str]) -> dict[str, object]:
    """Add nets in their order and return them by name."""
    nets = {}
    for number, name in enumerate(names, 1):
        nets[name] = pcbnew.NETINFO_ITEM(board, name, number)
        board.Add(nets[name])
    return nets


def add_track(board: pcbnew.BOARD, route: Route, net: object, locked: bool = False) -> None:
    """Add one straight track."""
    track = pcbnew.PCB_TRACK(board)
    track.SetStart(at(route.start))
    track.SetEnd(at(route.end))
    track.SetWidth(iu(route.width_mm))
    track.SetLayer(LAYERS[route.layer])
    track.SetNet(net)
    track.SetLocked(locked)
    board.Add(track)


def add_via(board: pcbnew.BOARD, via: Via, net: object) -> None:
    """Add one via."""
    item = pcbnew.PCB_VIA(board)
    item.SetPosition(at(via.at))
    item.SetDrill(iu(via.drill_mm))
    item.SetWidth(iu(via.diameter_mm))
    item.SetNet(net)
    board.Add(item)


def add_zone(board: pcbnew.BOARD, net: object, layer: str, box: Box, priority: int) -> None:
    """Add a copper area."""
    zone = pcbnew.ZONE(board)
    zone.SetLayer(LAYERS[layer])
    zone.SetNet(net)
    zone.SetPriority(priority)
    zone.SetLocalClearance(iu(0.25))
    zone.SetMinThickness(iu(0.25))
    zone.SetThermalReliefGap(iu(0.25))
    zone.SetThermalReliefSpokeWidth(iu(0.4))
    zone.SetIslandRemovalMode(pcbnew.ISLAND_REMOVAL_MODE_ALWAYS)
    outline = zone.Outline()
    outline.NewOutline()
    for corner in corners_of(box):
        point = at(corner)
        outline.Append(point.x, point.y)
    board.Add(zone)


def add_label(board: pcbnew.BOARD, label: Label) -> None:
    """Write on the silkscreen."""
    item = pcbnew.PCB_TEXT(board)
    item.SetText(label.text)
    item.SetPosition(at(label.at))
    item.SetLayer(pcbnew.B_SilkS if label.back else pcbnew.F_SilkS)
    item.SetMirrored(label.back)
    item.SetTextSize(pcbnew.wxSize(iu(label.size_mm), iu(label.size_mm)))
    item.SetTextThickness(iu(max(0.12, label.size_mm * 0.15)))
    item.SetTextAngle(label.degrees * 10)
    item.SetHorizJustify(JUSTIFY[label.justify])
    board.Add(item)


def unrouted(board: pcbnew.BOARD) -> int:
    """Return how many connections are missing."""
    board.BuildConnectivity()
    return int(board.GetConnectivity().GetUnconnectedCount())


def fill(board: pcbnew.BOARD) -> None:
    """Fill all copper areas."""
    pcbnew.ZONE_FILLER(board).Fill(board.Zones())


def plot(board: pcbnew.BOARD, folder: Path) -> None:
    """Write gerbers and the drill file, as a common maker wants them."""
    control = pcbnew.PLOT_CONTROLLER(board)
    options = control.GetPlotOptions()
    options.SetOutputDirectory(str(folder))
    options.SetPlotFrameRef(False)
    options.SetUseGerberProtelExtensions(False)
    options.SetUseGerberX2format(True)
    options.SetCreateGerberJobFile(False)
    options.SetSubtractMaskFromSilk(True)
    options.SetUseAuxOrigin(False)
    for name, layer in OUTPUTS:
        control.SetLayer(layer)
        control.OpenPlotfile(name, pcbnew.PLOT_FORMAT_GERBER, name)
        control.PlotLayer()
    control.ClosePlot()
    drill = pcbnew.EXCELLON_WRITER(board)
    drill.SetOptions(False, False, pcbnew.wxPoint(0, 0), True)
    drill.SetFormat(True)
    drill.CreateDrillandMapFilesSet(str(folder), True, False)


GROUND_LAYERS = ("F.Cu", "B.Cu")


def add_ground(board: pcbnew.BOARD, nets: Mapping[str, object]) -> None:
    """Add ground on both sides."""
    for layer in GROUND_LAYERS:
        add_zone(board, nets[GROUND], layer, floorplan.EDGE.grown(-0.5), 0)
