"""The committed board is that of the circuit, whole, and laid out by its rules."""

import csv
import hashlib
import itertools
import json
import math
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from frontend.circuit.facts import Facts
from frontend.circuit.netlist import nodes_of
from frontend.layout import finish, floorplan, silk
from frontend.layout.board_file import (
    Area,
    CommittedBoard,
    Pad,
    Track,
    in_area,
    read_board,
    unrouted,
)
from frontend.layout.fabrication import bill, placement
from frontend.layout.geometry import Point, Spot
from frontend.layout.routes import parsed, session

ROOT = Path(__file__).resolve().parents[3]
HOME = ROOT / "hardware" / "board"
FILE = HOME / "front-end.kicad_pcb"
KICAD = "/usr/bin/python3"


@pytest.fixture(scope="module")
def board() -> CommittedBoard:
    return read_board(FILE.read_text("utf-8"))


@pytest.fixture(scope="module")
def places() -> dict[str, Spot]:
    read = json.loads((HOME / "places.json").read_text("utf-8"))
    return {tag: Spot(*place) for tag, place in read.items()}


def test_its_netlist_is_that_of_the_circuit(board: CommittedBoard, wired: Facts) -> None:
    found: dict[str, set[tuple[str, str]]] = {}
    for pad in board.pads:
        if pad.net and pad.number:
            found.setdefault(pad.net, set()).add((pad.ref, pad.number))
    expected = {net: set(nodes) for net, nodes in nodes_of(wired).items()}
    assert found == expected


def test_every_part_of_the_circuit_stands_on_it_with_its_value(
    board: CommittedBoard, wired: Facts
) -> None:
    holes = {ref for ref in board.values if re.fullmatch(r"H\d", ref)}
    expected = {part.ref: part.value for part in wired.on_board()}
    assert {ref: board.values[ref] for ref in set(board.values) - holes} == expected
    assert len(holes) == len(floorplan.HOLES)


def test_it_is_no_larger_than_100_by_80_mm(board: CommittedBoard) -> None:
    xs, ys = [x for x, _y in board.edge], [y for _x, y in board.edge]
    assert max(xs) - min(xs) <= 100.0
    assert max(ys) - min(ys) <= 80.0
    assert {track.layer for track in board.tracks} <= {"F.Cu", "B.Cu"}


def test_nothing_is_unrouted(board: CommittedBoard) -> None:
    assert unrouted(board) == []


def test_a_track_that_is_missing_is_found_out(board: CommittedBoard) -> None:
    nets = {pad.net for pad in board.pads} - {"GND", ""}
    net = next(track.net for track in board.tracks if track.net in nets)
    less = replace(board, tracks=[track for track in board.tracks if track.net != net], vias=[])
    assert any(sentence.startswith(f"{net} is in ") for sentence in unrouted(less))


def test_kicads_own_check_of_just_this_file_found_nothing() -> None:
    stamp = json.loads((HOME / "drc.json").read_text("utf-8"))
    assert stamp["board_sha256"] == hashlib.sha256(FILE.read_bytes()).hexdigest()
    assert (stamp["faults"], stamp["unrouted"]) == ([], 0)


def test_tracks_and_vias_keep_the_makers_limits(board: CommittedBoard) -> None:
    rules = floorplan.RULES
    assert min(track.width for track in board.tracks) >= rules["min_track_width"]
    assert min(via.drill for via in board.vias) >= rules["min_through_hole_diameter"]
    assert min(via.size - via.drill for via in board.vias) >= 2 * rules["min_via_annular_width"]


def test_the_standby_supply_bears_3_a_and_is_sensed_at_the_shunts(board: CommittedBoard) -> None:
    assert floorplan.amperes_of_track(floorplan.STANDBY_MM) >= 3.0
    assert floorplan.amperes_of_track(1.0) < 3.0
    for net in ("DUT_5VSB_SUPPLY", "DUT_5VSB"):
        widths = [track.width for track in board.tracks if track.net == net]
        assert widths.count(floorplan.STANDBY_MM) == 2
    laid = floorplan.standby_tracks()
    for track in laid:
        if track.width_mm == floorplan.SENSE_MM:
            pad = track.points[0]
            wide = [one.points for one in laid if one.width_mm == floorplan.STANDBY_MM]
            assert any(pad in points for points in wide)


def test_coils_and_their_supply_have_their_width(board: CommittedBoard) -> None:
    coil = next(one for one in floorplan.CLASSES if one.name == "Coil")
    for net in coil.nets:
        widths = {track.width for track in board.tracks if track.net == net}
        assert widths == {coil.track_mm}, net
        assert floorplan.amperes_of_track(coil.track_mm) > 1.1  # what its fuse lets through


def test_the_supply_is_thin_only_where_a_monitor_hangs_on_it(board: CommittedBoard) -> None:
    thin = [t for t in board.tracks if t.net == "+3V3" and t.width < 0.4 - 1e-6]
    assert sum(math.dist(track.start, track.end) for track in thin) < 25.0


def test_each_capacitor_is_at_the_pin_that_it_holds(board: CommittedBoard, wired: Facts) -> None:
    parts = {part.tag: part for part in wired.on_board()}
    for tag, (owner, pin) in floorplan.NEAR.items():
        number = next(n for n, name, _type in parts[owner].kind.pins if name == pin)
        net = parts[owner].nets[pin]
        pads = [pad for pad in board.pads if pad.ref == parts[tag].ref and pad.net == net]
        pins = [p for p in board.pads if p.ref == parts[owner].ref and p.number == number]
        assert math.dist(pads[0].at, pins[0].at) <= floorplan.NEAR_MM, tag


def inside(point: tuple[float, float], net: str = floorplan.GUARD) -> bool:
    corners = [(x + 100.0, y + 60.0) for x, y in floorplan.GUARD_RING]
    return in_area(point, Area(net, "F.Cu", tuple(corners)))


def test_the_lights_summing_node_is_inside_its_guard_and_nothing_else_is(
    board: CommittedBoard,
) -> None:
    ring = {
        tuple(sorted((start, end)))
        for start, end in itertools.pairwise(
            (round(x + 100.0, 3), round(y + 60.0, 3)) for x, y in floorplan.GUARD_RING
        )
    }
    laid = {
        tuple(sorted((round(x, 3), round(y, 3)) for x, y in (track.start, track.end)))
        for track in board.tracks
        if (track.net, track.layer) == (floorplan.GUARD, "F.Cu")
    }
    assert ring <= laid
    above = [pad for pad in board.pads if "F.Cu" in pad.layers]
    assert {pad.ref for pad in above if pad.net == floorplan.SUMMING} == {"J5", "R53", "C18", "U2"}
    for pad in above:
        if pad.net != floorplan.GUARD:
            assert inside(pad.at) == (pad.net == floorplan.SUMMING), (pad.ref, pad.number)
    for track in board.tracks:
        if track.layer == "F.Cu" and track.net != floorplan.GUARD:
            middle = [(a + b) / 2 for a, b in zip(track.start, track.end, strict=True)]
            enclosed = inside((middle[0], middle[1]))
            assert enclosed == (track.net == floorplan.SUMMING), track
    assert {t.layer for t in board.tracks if t.net == floorplan.SUMMING} == {"F.Cu"}


def test_what_fits_stays_where_it_is_and_what_does_not_goes(board: CommittedBoard) -> None:
    laid = {finish.way_of(Track(one.net, "F.Cu", one.width_mm, *ends)) for one, ends in by_rule()}
    bare = replace(
        board, tracks=[one for one in board.tracks if finish.way_of(one) in laid], vias=[]
    )
    tracks, vias = finish.kept(board, bare)
    assert len(tracks) == len(board.tracks) - len(bare.tracks)
    assert len(vias) == len(board.vias)
    victim = next(track for track in tracks if track.net == "SENSE_PLTRST")
    newcomer = Pad("R999", "1", "GND", victim.start, (0.4, 0.4), frozenset(("F.Cu", "B.Cu")))
    less, _vias = finish.kept(board, replace(bare, pads=[*bare.pads, newcomer]))
    assert victim not in less
    assert len(less) < len(tracks)


def by_rule() -> Iterator[tuple[floorplan.Track, tuple[Point, Point]]]:
    for one in floorplan.laid_tracks():
        for start, end in itertools.pairwise(one.points):
            moved = tuple((x + 100.0, y + 60.0) for x, y in (start, end))
            yield one, (moved[0], moved[1])


def test_connectors_are_at_the_edges_and_nothing_tall_is_below_the_pico(
    wired: Facts, places: dict[str, Spot]
) -> None:
    for tag, spot in floorplan.FIXED.items():
        assert places[tag] == spot
    for part in wired.on_board():
        spot = places[part.tag]
        inside = (
            floorplan.PICO.left < spot.x < floorplan.PICO.right
            and floorplan.PICO.top < spot.y < floorplan.PICO.bottom
        )
        if inside and part.tag not in floorplan.FIXED:
            assert not floorplan.is_tall(part), part.tag


def test_the_silkscreen_names_revision_channels_and_polarity(board: CommittedBoard) -> None:
    texts = [text for text, _layer in board.texts]
    together = "\n".join(texts)
    assert silk.TITLE in texts
    for word in ("PWR_OK", "SLP_S3", "SLP_S4", "SLP_S5", "PLTRST", "PS_ON", "PWRBTN+", "PLED-"):
        assert word in together, word
    for words in silk.PLUGS.values():
        assert f"{words[0]}: {words[1]}" in texts
    for words in silk.JUMPERS.values():
        assert words in together


def test_bill_and_placement_are_those_of_the_board(
    board: CommittedBoard, wired: Facts, places: dict[str, Spot]
) -> None:
    assert (HOME / "bill.csv").read_text("utf-8") == bill(wired)
    text = (HOME / "placement.csv").read_text("utf-8")
    assert text == placement(wired, places, floorplan.HEIGHT)
    left = min(x for x, _y in board.edge)
    low = max(y for _x, y in board.edge)
    for row in csv.DictReader(text.splitlines()):
        x, y, degrees = board.places[row["Designator"]]
        assert float(row["Mid X"][:-2]) == pytest.approx(x - left, abs=1e-3)
        assert float(row["Mid Y"][:-2]) == pytest.approx(low - y, abs=1e-3)
        assert float(row["Rotation"]) == pytest.approx(degrees % 360)


def test_kicad_itself_finds_the_board_whole(tmp_path: Path) -> None:
    probe = [KICAD, "-c", "import pcbnew; print(pcbnew.Version())"]
    if (
        shutil.which(KICAD) is None
        or subprocess.run(probe, capture_output=True, check=False).returncode
    ):
        pytest.skip("needs KiCad's Python module pcbnew")
    for name in ("front-end.kicad_pcb", "front-end.kicad_pro"):
        shutil.copy(HOME / name, tmp_path / name)
    program = (
        "import pcbnew, sys; b = pcbnew.LoadBoard(sys.argv[1]); b.BuildConnectivity(); "
        "pcbnew.WriteDRCReport(b, sys.argv[2], pcbnew.EDA_UNITS_MILLIMETRES, True); "
        "print(b.GetConnectivity().GetUnconnectedCount())"
    )
    report = tmp_path / "drc.txt"
    done = subprocess.run(
        [KICAD, "-c", program, str(tmp_path / "front-end.kicad_pcb"), str(report)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split()[-1] == "0"
    text = report.read_text("utf-8")
    assert "** Found 0 DRC violations **" in text
    assert "** Found 0 unconnected pads **" in text


def test_a_session_is_read_as_tracks_and_vias() -> None:
    text = """(session x (base_design x) (routes (resolution um 10) (parser (host_cad x))
      (network_out (net "+3V3"
        (wire (path F.Cu 4000 1010000 -620000 1020000 -620000 1020000 -630000))
        (via "Via[0-1]_600:300_um" 1020000 -630000)))))"""
    tracks, vias = session(text, (100.0, 60.0))
    assert [(t.net, t.layer, t.width_mm, t.start, t.end) for t in tracks] == [
        ("+3V3", "F.Cu", 0.4, (1.0, 2.0), (2.0, 2.0)),
        ("+3V3", "F.Cu", 0.4, (2.0, 2.0), (2.0, 3.0)),
    ]
    assert [(v.net, v.at, v.diameter_mm, v.drill_mm) for v in vias] == [
        ("+3V3", (2.0, 3.0), 0.6, 0.3)
    ]


@pytest.mark.parametrize("text", ["(a (b)", "(a))"])
def test_a_file_that_is_cut_off_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="parenthesis"):
        parsed(text)
