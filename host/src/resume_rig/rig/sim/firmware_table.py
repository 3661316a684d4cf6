"""The table in which a simulated firmware keeps its own S3 times (ACPI FPDT), truly or not."""

from resume_rig.model.dut_character import DutBehaviour

_MOST_MS = 2**63 - 1


class FirmwareTable:
    """Times since a boot; empty when it is made.

    Args:
        extra_ms: by how much BiosInit is above FullResume.
    """

    def __init__(self, extra_ms: int) -> None:
        self._extra_ms = extra_ms
        self._count = 0
        self._full_ms = 0
        self._sum_ms = 0

    def resumed(self, bios_ms: int, errs: DutBehaviour) -> tuple[int, int, int]:
        """Count a resume; return ResumeCount, FullResume and AverageResume as the OS reads them."""
        if errs.resume_count_runs or not self._count:
            full_ms = max(bios_ms - self._extra_ms, 0) * errs.full_resume_factor
            self._full_ms = min(round(full_ms), _MOST_MS)
            self._count += 1
            self._sum_ms += self._full_ms
        average_ms = self._sum_ms * errs.average_factor / self._count
        return self._count, self._full_ms, int(average_ms)
