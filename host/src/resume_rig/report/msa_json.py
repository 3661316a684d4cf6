"""The document of `msa --json` (schema resume-rig/msa/1)."""

from resume_rig.model.precision import Component, Deviation, MeasureStudy, Study
from resume_rig.report.json_text import Json, json_text, number_json, text_json

SCHEMA = "resume-rig/msa/1"


def study_document(study: Study) -> str:
    """Return the whole document, on one line."""
    document: dict[str, Json] = {
        "schema": SCHEMA,
        "sessions": [
            {"path": text_json(path), "unit": text_json(unit), "rig": text_json(rig)}
            for path, unit, rig in study.sessions
        ],
        "measures": [_measure(each) for each in study.measures],
        "notes": [text_json(each) for each in study.notes],
    }
    return json_text(document) + "\n"


def _measure(measure: MeasureStudy) -> dict[str, Json]:
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
