"""What a DUT's own lists show of its cycles: a paragraph for a reader, and keys for a program."""

from collections.abc import Sequence
from statistics import median
from typing import Final

from resume_rig.model.result.cycle import ReconciledCycle
from resume_rig.model.result.health import CycleHealth, LinkReturn
from resume_rig.model.units import count_of
from resume_rig.report.text.json_text import Json, text_json

_LINKS_SHOWN: Final = 4


def health_sentences(cycles: Sequence[ReconciledCycle]) -> tuple[str, ...]:
    """Return how the DUT came back, by its own lists; nothing where nobody asked."""
    asked = [each.outside.health for each in cycles if each.outside.health is not None]
    if not asked:
        return ()
    compared = [each for each in asked if each.compared]
    changed = sum(bool(each.changed) for each in compared)
    took_ns = round(median(each.took_ns for each in asked))
    first = (
        f"Health: {len(compared)} of {count_of(len(asked), 'cycle')} compared before and after, "
        f"devices changed in {changed}, new errors in {sum(bool(e.errors) for e in compared)}; "
        f"the reports took {took_ns / 1e9:.1f} s a cycle (median)."
    )
    return (first, *_back_sentence(compared))


def _back_sentence(compared: Sequence[CycleHealth]) -> tuple[str, ...]:
    """Return when shell and links were back, as bounds: a report sees them no sooner."""
    told = []
    answered = [each.answered_by_ns for each in compared if each.answered_by_ns is not None]
    if answered:
        told.append(f"shell {_spread(answered)}")
    links: dict[str, list[int]] = {}
    for each in compared:
        for link in each.links:
            if link.up_by_ns is not None:
                links.setdefault(link.name, []).append(link.up_by_ns)
    told += [f"{name} {_spread(links[name])}" for name in list(links)[:_LINKS_SHOWN]]
    if not told:
        return ()
    return (f"Back after the trigger, at the latest, median (longest): {'; '.join(told)}.",)


def _spread(times_ns: Sequence[int]) -> str:
    middle_ns, worst_ns = round(median(times_ns)), max(times_ns)
    return f"{middle_ns / 1e9:.2f} s ({worst_ns / 1e9:.2f} s)"


def health_json(health: CycleHealth | None) -> dict[str, Json]:
    """Return the key of a cycle's health; none at all where nobody asked."""
    if health is None:
        return {}
    return {
        "health": {
            "compared": health.compared,
            "rebooted": health.rebooted,
            "devices": health.devices,
            "changed": [
                {
                    "change": each.change.value,
                    "id": text_json(each.id),
                    "name": text_json(each.name),
                    "problem_before": _text(each.problem_before),
                    "problem_after": _text(each.problem_after),
                }
                for each in health.changed
            ],
            "links": [_link(each) for each in health.links],
            "errors": [text_json(each) for each in health.errors],
            "errors_cut": health.errors_cut,
            "residencies_us": {text_json(each.name): each.gained_us for each in health.residencies},
            "answered_by_ns": health.answered_by_ns,
            "took_ns": health.took_ns,
        }
    }


def _text(text: str | None) -> Json:
    return None if text is None else text_json(text)


def _link(link: LinkReturn) -> dict[str, Json]:
    return {
        "name": text_json(link.name),
        "up": link.is_up,
        "down_until_ns": link.down_until_ns,
        "up_by_ns": link.up_by_ns,
    }
