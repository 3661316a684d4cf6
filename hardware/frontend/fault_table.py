"""The fault tree as a page, and what of it must hold."""

from collections.abc import Mapping, Sequence

from frontend.faults import Effect

HEAD = """\
# What a broken part does to the DUT's button

Made by `make hardware`: each line is two to six simulations of the circuit, for the wired button
with pull-ups of 10 and 100 kOhm at the DUT. No part was broken on a bench.

"by itself" is a press, or a closed lid, though nothing is driven. "dead-man" tells whether one that
is commanded for ever ends when the heartbeat stops, "hold limit" whether it ends while the heart
beats on; a lid has none, as it stays closed for as long as a DUT sleeps.
"""
COLUMNS = """\
| part | fault | presses by itself | still presses | dead-man | hold limit |
|---|---|---|---|---|---|
"""


def words(effect: Effect) -> tuple[str, str, str, str]:
    """Return the cells that tell an effect."""
    return (
        "**yes**" if effect.presses_by_itself else "no",
        "yes" if effect.presses else "no",
        "works" if effect.dead_man else "lost",
        {True: "works", False: "lost", None: "none"}[effect.hold_limit],
    )


def table_of_faults(trees: Mapping[str, Sequence[Effect]], tried: int, moved: Sequence[str]) -> str:
    """Return the page, from the effects by the way to press and what moves a wire of the DUT."""
    page = HEAD
    for way, effects in trees.items():
        page += f"\n## {way.capitalize()}\n\n{COLUMNS}"
        for effect in effects:
            found = (effect.fault.tag, effect.fault.what) if effect.fault else ("none", "none")
            page += "| " + " | ".join((*found, *words(effect))) + " |\n"
    page += f"\n## DUT's wires\n\n{WIRES.format(tried=tried)}"
    page += "".join(f"- {sentence}\n" for sentence in moved) or "None does.\n"
    return page


WIRES = """\
Each part that a wire of the DUT meets, open and short, with every wire held as weakly as a DUT may
hold it: {tried} faults, each with all wires high and with all wires low.
Those that move a wire across its threshold, or the standby supply by a twentieth:

"""


def unsafe(effects: Sequence[Effect]) -> list[str]:
    """Return a sentence for each single fault that no limit ends."""
    found = []
    for effect in effects:
        name = f"{effect.fault.tag}, {effect.fault.what}" if effect.fault else "no fault"
        if effect.presses_by_itself:
            found.append(f"{name}: presses though nothing is driven")
        # A lid has no hold limit, and needs two faults: this one, and a command that is stuck.
        if not (effect.dead_man or effect.hold_limit or effect.hold_limit is None):
            found.append(f"{name}: neither dead-man nor hold limit ends a press")
        sound = effect.presses and effect.dead_man and effect.hold_limit is not False
        if effect.fault is None and not sound:
            found.append("no fault: the button does not work as it has to")
    return found
