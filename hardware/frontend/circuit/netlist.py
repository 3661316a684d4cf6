"""The netlist in KiCad's format, of what stands on the board."""

from frontend.circuit.catalogue import maker_number
from frontend.circuit.facts import Facts, Placed


def nodes_of(facts: Facts) -> dict[str, list[tuple[str, str]]]:
    """Return reference and pin number of each pin on the board, by net, all sorted."""
    nodes: dict[str, list[tuple[str, str]]] = {}
    for part in facts.on_board():
        for number, net in part.by_number().items():
            nodes.setdefault(net, []).append((part.ref, number))
    return {net: sorted(nodes[net]) for net in sorted(nodes)}


def component(part: Placed) -> str:
    """Return a part's lines."""
    return (
        f'    (comp (ref "{part.ref}")\n'
        f'      (value "{part.value}")\n'
        f'      (footprint "{part.kind.footprint}")\n'
        "      (fields\n"
        f'        (field (name "Manufacturer") "{part.kind.maker}")\n'
        f'        (field (name "MPN") "{maker_number(part.kind, part.value)}")\n'
        f'        (field (name "Function") "{part.tag}")))'
    )


def netlist_of(facts: Facts) -> str:
    """Return the netlist; the same bytes for the same circuit."""
    lines = ['(export (version "E")', "  (components"]
    lines += [component(part) for part in facts.on_board()]
    lines[-1] += ")"
    lines.append("  (nets")
    for code, (net, nodes) in enumerate(nodes_of(facts).items(), 1):
        lines.append(f'    (net (code "{code}") (name "{net}")')
        lines += [f'      (node (ref "{ref}") (pin "{pin}"))' for ref, pin in nodes]
        lines[-1] += ")"
    lines[-1] += "))"
    return "\n".join(lines) + "\n"
