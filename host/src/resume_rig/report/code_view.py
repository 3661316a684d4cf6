"""The codes among the figures of records, counted, as people read them."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from resume_rig.model.component import Figure
from resume_rig.model.os_record import OsRecord
from resume_rig.report.code_names import code_name, is_code
from resume_rig.report.wording import kind_words

CODE_ROWS: Final = 200
_NO_NAME: Final = "-"


@dataclass(frozen=True, slots=True)
class CodeRow:
    """How often the records of a kind tell one code."""

    kind: str
    name: str
    code: str
    meaning: str
    count: str


def code_rows(records: Iterable[OsRecord]) -> tuple[CodeRow, ...]:
    """Return a row for each code that the records of a kind tell; at most CODE_ROWS.

    Of one figure the most frequent code comes first.
    """
    found: Counter[tuple[str, str, int]] = Counter()
    for record in records:
        for figure in record.figures:
            if not is_code(figure.name) or not float(figure.value).is_integer():
                continue
            key = (kind_words(record.kind), figure.name, int(figure.value))
            if key in found or len(found) < CODE_ROWS:
                found[key] += 1
    ordered = sorted(found.items(), key=lambda item: (*item[0][:2], -item[1], item[0][2]))
    return tuple(
        CodeRow(
            kind=kind,
            name=name,
            code=str(code),
            meaning=code_name(Figure(name, float(code))) or _NO_NAME,
            count=str(count),
        )
        for (kind, name, code), count in ordered
    )
