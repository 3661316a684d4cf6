"""The tables of `msa` for a terminal."""

from collections.abc import Iterator

from resume_rig.analysis.compare_samples import HEADLINES
from resume_rig.analysis.measures import measure_words
from resume_rig.model.precision import Deviation, MeasureStudy, Study
from resume_rig.model.units import count_of
from resume_rig.report.terminal_style import Column, TerminalStyle, fitting_columns, table_lines
from resume_rig.report.wording import MISSING

_LIMIT_FACTOR = 2.8
"""ISO 5725-6: two results differ by less than 2.8 standard deviations in 95 of 100 pairs."""


def study_table(
    study: Study, *, everything: bool, unicode: bool = True, width: int = 120
) -> Iterator[str]:
    """Yield the whole answer of `msa` in pieces to be written as they are.

    Args:
        study: what to show.
        everything: other times than the headline ones, too.
        unicode: more than ASCII may be written.
        width: of the terminal, in cells; columns give way where it is short.
    """
    style = TerminalStyle(colour=False, unicode=unicode, width=width)
    sessions = study.sessions
    units, rigs = ({each[place] for each in sessions} for place in (1, 2))
    yield style.paragraph(
        f"{count_of(len(sessions), 'session')} of {count_of(len(units), 'unit')} on "
        f"{count_of(len(rigs), 'rig')}. Standard deviations in ms, with 95 % confidence intervals."
    )
    for note in study.notes:
        yield style.paragraph(f"Note: {note}")
    headlines = [each for each in study.measures if each.name in HEADLINES]
    shown = study.measures if everything or not headlines else headlines
    if not shown:
        yield style.paragraph("No time has sessions with two cycles.")
    for measure in shown:
        yield "\n"
        yield from _measure(measure, style)
    if len(shown) < len(study.measures):
        more = count_of(len(study.measures) - len(shown), "more time")
        yield "\n"
        yield style.paragraph(f"{more}: --all and --json have them.")


def _measure(measure: MeasureStudy, style: TerminalStyle) -> Iterator[str]:
    yield style.paragraph(
        f"{measure_words(measure.name)}: mean {measure.mean_ms:.1f} ms of "
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
    for index, line in enumerate(table_lines(fitting_columns(columns, style.width))):
        yield f"{line}\n"
        if index == 0:
            yield style.rule(len(line))
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
