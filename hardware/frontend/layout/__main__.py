"""Makes the board: `python3 -m frontend.layout BUILD HOME --java JAVA --router JAR`.

BUILD takes what is large (gerbers, logs), HOME the project's files. Runs under KiCad's Python.
Exit status 0 where the board is whole, 1 where a rule is broken or a connection is missing.
"""

import argparse
import hashlib
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import pcbnew

from frontend.circuit.facts import GROUND, Facts
from frontend.circuit.front_end import VARIANTS, front_end
from frontend.circuit.netlist import nodes_of
from frontend.layout import autorouter, fabrication, finish, floorplan, kicad, placement, silk
from frontend.layout.board_file import read_board
from frontend.layout.geometry import Spot
from frontend.layout.routes import Route, Via, session

NAME = "front-end"
SEED, ROUNDS = 3, 2_500


def bare(facts: Facts, spots: Mapping[str, Spot]) -> tuple[pcbnew.BOARD, dict[str, object]]:
    """Return the board with its parts and what is laid by rule, not yet routed."""
    board = kicad.new_board()
    kicad.add_edge(board)
    kicad.add_holes(board)
    nets = kicad.add_nets(board, nodes_of(facts))
    for part in facts.on_board():
        kicad.add_part(board, part, spots[part.tag], nets)
    for track in floorplan.laid_tracks():
        for start, end in zip(track.points, track.points[1:], strict=False):
            route = Route(track.net, "F.Cu", track.width_mm, start, end)
            kicad.add_track(board, route, nets[track.net], locked=True)
    return board, nets


def of_older(older: Path, board: pcbnew.BOARD, build: Path) -> tuple[list[Route], list[Via]]:
    """Return what still fits of an older board, counted from the board's corner."""
    new = build / "bare.kicad_pcb"
    pcbnew.SaveBoard(str(new), board)
    both = (read_board(path.read_text("utf-8")) for path in (older, new))
    tracks, vias = finish.kept(*both)
    x, y = kicad.ORIGIN
    routes = [
        Route(t.net, t.layer, t.width, *((px - x, py - y) for px, py in (t.start, t.end)))
        for t in tracks
    ]
    return routes, [Via(v.net, (v.at[0] - x, v.at[1] - y), v.size, v.drill) for v in vias]


def wired(
    facts: Facts,
    spots: Mapping[str, Spot],
    routed: tuple[list[Route], list[Via]],
    extra: Path | None,
) -> pcbnew.BOARD:
    """Return the whole board, from its routes and what finishes it."""
    board, nets = bare(facts, spots)
    tracks, vias = routed
    if extra is not None and extra.is_file():
        more = json.loads(extra.read_text("utf-8"))
        x, y = kicad.ORIGIN
        for net, layer, width, *ends in more["tracks"]:
            start, end = (ends[0] - x, ends[1] - y), (ends[2] - x, ends[3] - y)
            tracks.append(Route(net, layer, width, start, end))
        for net, across, down, size, drill in more["vias"]:
            vias.append(Via(net, (across - x, down - y), size, drill))
    # In one order, as KiCad's generator names them one after another.
    for track in sorted(tracks, key=lambda one: (one.net, one.layer, one.start, one.end)):
        kicad.add_track(board, track, nets[track.net])
    for via in sorted(vias, key=lambda one: (one.net, one.at)):
        kicad.add_via(board, via, nets[via.net])
    kicad.add_ground(board, nets)
    for label in silk.labels_of(facts, spots, kicad.outlines_of(facts)):
        kicad.add_label(board, label)
    return board


def faults_of(report: str, missing: int) -> list[str]:
    """Return what a DRC report counts, one sentence for each kind."""
    found = {}
    for what in ("DRC violations", "unconnected pads", "Footprint errors"):
        counted = re.search(rf"\*\* Found (\d+) {what} \*\*", report)
        found[what] = int(counted[1]) if counted else -1
    if missing:
        found["missing connections"] = missing
    return [f"{count} {what}" for what, count in found.items() if count]


def main() -> int:
    """Make the board."""
    parser = argparse.ArgumentParser(prog="python3 -m frontend.layout", description=__doc__)
    parser.add_argument("build", type=Path)
    parser.add_argument("home", type=Path)
    parser.add_argument("--java", default="java")
    parser.add_argument("--router", type=Path)
    parser.add_argument("--keep", type=Path, help="keep what fits of this board, do not route")
    parser.add_argument("--session", type=Path, help="take this session, do not route")
    parser.add_argument("--extra", type=Path, help="tracks that the autorouter left to `finish`")
    parser.add_argument("--spots", type=Path, help="keep these places; find room for what has none")
    options = parser.parse_args()
    build, home = options.build.resolve(), options.home.resolve()
    for folder in (build, home, build / "gerbers"):
        folder.mkdir(parents=True, exist_ok=True)
    facts = front_end(VARIANTS[0]).facts()
    places = json.loads(options.spots.read_text("utf-8")) if options.spots else {}
    known = {tag: Spot(*place) for tag, place in places.items()}
    outlines = kicad.outlines_of(facts)
    spots, length, bad = placement.placed(facts, outlines, SEED, 0 if known else ROUNDS, known)
    print(f"placed: {length:.0f} mm of wires, no room for {', '.join(bad) or 'none'}")
    if bad:
        return 1
    places = {tag: [spot.x, spot.y, spot.degrees] for tag, spot in sorted(spots.items())}
    (home / "places.json").write_text(json.dumps(places, indent=0) + "\n", "utf-8")
    target = home / f"{NAME}.kicad_pcb"
    routed = options.session or build / f"{NAME}.ses"
    if options.session is None and options.keep is None:
        design = build / f"{NAME}.dsn"
        board, nets = bare(facts, spots)
        kicad.add_zone(board, nets[GROUND], "B.Cu", floorplan.EDGE.grown(-0.5), 0)
        pcbnew.ExportSpecctraDSN(board, str(design))
        text = autorouter.tuned(design.read_text("utf-8"), list(nodes_of(facts)))
        design.write_text(text, "utf-8")
        autorouter.route(options.java, options.router, design, routed, build / "freerouting.log")
    if options.keep:
        routes = of_older(options.keep, bare(facts, spots)[0], build)
    else:
        routes = session(routed.read_text("utf-8"), kicad.ORIGIN)
    pcbnew.KIID.SeedGenerator(SEED)  # Else each run names all parts and tracks anew.
    board = wired(facts, spots, routes, options.extra)
    pcbnew.SaveBoard(str(target), board)
    (home / f"{NAME}.kicad_pro").write_text(kicad.project_of(NAME), "utf-8")
    # Only a board that was loaded can be filled: this one knows its project.
    board = pcbnew.LoadBoard(str(target))
    kicad.fill(board)
    pcbnew.SaveBoard(str(target), board)
    report = build / "drc.txt"
    pcbnew.WriteDRCReport(board, str(report), pcbnew.EDA_UNITS_MILLIMETRES, True)
    missing = kicad.unrouted(board)
    faults = faults_of(report.read_text("utf-8"), missing)
    kicad.plot(board, build / "gerbers")
    (home / "bill.csv").write_text(fabrication.bill(facts), "utf-8")
    sheet = fabrication.placement(facts, spots, floorplan.HEIGHT)
    (home / "placement.csv").write_text(sheet, "utf-8")
    digest = hashlib.sha256(target.read_bytes()).hexdigest()
    stamp = {
        "board_sha256": digest,
        "kicad": pcbnew.Version(),
        "faults": faults,
        "unrouted": missing,
    }
    (home / "drc.json").write_text(json.dumps(stamp, indent=1, sort_keys=True) + "\n", "utf-8")
    for fault in faults:
        print(f"make board: {fault}; see {report}", file=sys.stderr)
    print(f"{len(facts.on_board())} parts, {len(board.GetTracks())} tracks and vias")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
