"""The answer of `msa`: its document (schema resume-rig/msa/1) and its tables for a terminal."""

from collections.abc import Iterator

from resume_rig.analysis.compare.samples import HEADLINES
from resume_rig.analysis.verdict.measures import measure_words
from resume_rig.model.result.comparison import Component, Deviation, MeasureStudy, Study
from resume_rig.model.units import (
    capitalised,
    count_of,
)
from resume_rig.report.text.json_text import Json, json_text, number_json, text_json
from resume_rig.report.text.terminal_style import Column, TerminalStyle
from resume_rig.report.text.wording import (
    MISSING,
)

SCHEMA = "resume-rig/msa/1"


def study_document(study: Study) -> str:
    """Return the whole document, on one line."""
    document: dict[str, Json] = {
        "schema": SCHEMA,
        "sessions": [
            {"path": text_json(path), "unit": text_json(unit), "rig": text_json(rig)}
            for path, unit, rig in study.sessions
        ],
        "measures": [_measure_document(each) for each in study.measures],
        "notes": [text_json(each) for each in study.notes],
    }
    return json_text(document) + "\n"


def _measure_document(measure: MeasureStudy) -> dict[str, Json]:
    return {
        "name": text_json(measure.name),
        "mean_ms": number_json(measure.mean_ms),
        "values": measure.values,
        "units": measure.units,
        "rigs": measure.rigs,
        "sessions": measure.sessions,
        "components": [_component(each) for each in measure.components],
        "repeatability": _deviation(measure.repeatability),
        "reproducibility": _deviation(measure.reproducibility),
        "total": _deviation(measure.total),
        "grr_percent": number_json(measure.grr_percent),
        "distinct_categories": measure.categories,
        "session_cycles": measure.session_cycles,
        "session_mean_sd_ms": number_json(measure.session_mean_ms),
    }


def _component(component: Component) -> dict[str, Json]:
    return {
        "source": component.source.value,
        **_deviation(component.deviation),
        "degrees_of_freedom": component.freedom,
        "variance_share": number_json(component.share),
        "contains_session": component.contains_session,
    }


def _deviation(deviation: Deviation) -> dict[str, Json]:
    return {
        "sd_ms": number_json(deviation.sd_ms),
        "low_ms": number_json(deviation.low_ms),
        "high_ms": number_json(deviation.high_ms),
    }


_LIMIT_FACTOR = 2.8
"""ISO 5725-6: two results differ by less than 2.8 standard deviations in 95 of 100 pairs."""


def study_table(study: Study, style: TerminalStyle, *, show_all: bool) -> Iterator[str]:
    """Yield the whole answer of `msa`; of other times than the headline ones with `show_all`."""
    sessions = study.sessions
    units, rigs = ({each[place] for each in sessions} for place in (1, 2))
    yield style.paragraph(
        f"{count_of(len(sessions), 'session')} of {count_of(len(units), 'unit')} on "
        f"{count_of(len(rigs), 'rig')}. Standard deviations in ms, with 95 % confidence intervals."
    )
    for note in study.notes:
        yield style.paragraph(f"Note: {note}")
    headlines = [each for each in study.measures if each.name in HEADLINES]
    shown = study.measures if show_all or not headlines else headlines
    if not shown:
        yield style.paragraph("No time has sessions with two cycles.")
    for measure in shown:
        yield "\n"
        yield from _measure_table(measure, style)
    if len(shown) < len(study.measures):
        more = count_of(len(study.measures) - len(shown), "more time")
        yield "\n"
        yield style.paragraph(f"{more}: --all and --json have them.")


def _measure_table(measure: MeasureStudy, style: TerminalStyle) -> Iterator[str]:
    yield style.paragraph(
        f"{capitalised(measure_words(measure.name))}: mean {measure.mean_ms:.1f} ms of "
        f"{count_of(measure.values, 'value')}"
    )
    parts = measure.components
    named = [each.source.value + (" + session" if each.contains_session else "") for each in parts]
    rows = [
        *((n, c.deviation, str(c.freedom), c.share) for n, c in zip(named, parts, strict=True)),
        ("total", measure.total, "", 1.0),
    ]
    columns = [
        Column("source", [name for name, _, _, _ in rows], right=False),
        Column("sd", [_figures(sd.sd_ms) for _, sd, _, _ in rows]),
        Column("95 % interval", [_interval(sd) for _, sd, _, _ in rows]),
        Column("share of variance", [f"{share * 100:.1f} %" for _, _, _, share in rows], drop=1),
        Column("df", [freedom for _, _, freedom, _ in rows], drop=2),
    ]
    yield from style.table(columns, rule=0)
    repeat, reproduce = measure.repeatability.sd_ms, measure.reproducibility.sd_ms
    limits = [
        f"s_{name} = {_figures(sd)} ms (limit {name} = {_figures(_LIMIT_FACTOR * sd)} ms)"
        for name, sd in (("r", repeat), ("R", reproduce))
    ]
    yield style.paragraph(f"ISO 5725-2: {', '.join(limits)}.")
    if measure.grr_percent is not None:
        text = f"Gauge R&R: {measure.grr_percent:.0f} % of the total variation"
        if measure.categories is not None:
            text += f", {measure.categories} distinct categories"
        yield style.paragraph(f"{text}.")
    yield style.paragraph(
        f"The mean of a session of {count_of(measure.session_cycles, 'cycle')} has a standard "
        f"deviation of {_figures(measure.session_mean_ms)} ms."
    )


def _interval(deviation: Deviation) -> str:
    if deviation.low_ms is None or deviation.high_ms is None:
        return MISSING
    return f"{_figures(deviation.low_ms)} to {_figures(deviation.high_ms)}"


def _figures(value_ms: float) -> str:
    """Return a time with three figures, and no exponent."""
    return f"{value_ms:.0f}" if value_ms >= 100 else f"{value_ms:.3g}"
