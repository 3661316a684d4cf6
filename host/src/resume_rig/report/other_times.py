"""What a record without BiosInit and DriverInit tells instead, in a few words."""

from typing import Final

from resume_rig.model.os_record import OsRecord

# Figures of OsRecord.figures, most telling first; the words before their value.
_FIGURES: Final = (
    ("kernel_resume_ms", "kernel", 1.0),
    ("exit_latency_us", "exit", 1_000.0),
)


def other_times(record: OsRecord) -> str:
    """Return other times of the wake that an account gives, e.g. "firmware 412 ms".

    They stand beside the verdict and never in it: they are no times that SYSFUND-0004 speaks of.
    """
    parts = []
    if record.firmware_resume_ms is not None:
        parts.append(f"firmware {record.firmware_resume_ms} ms")
    values = {figure.name: figure.value for figure in record.figures}
    parts += [
        f"{word} {values[name] / per_ms:.0f} ms"
        for name, word, per_ms in _FIGURES
        if name in values
    ]
    return ", ".join(parts)
