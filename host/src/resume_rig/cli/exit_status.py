"""Exit statuses of the command line contract."""

from typing import assert_never

from resume_rig.model.errors import ResumeRigError, RigError
from resume_rig.model.verdict import Verdict

DONE = 0
FAILED = 1
USAGE = 2
FAULT = 3
UNDECIDED = 4
INTERNAL = 70
STOPPED = 130


def status_of_verdict(verdict: Verdict) -> int:
    """Return 0 for PASS, 1 for FAIL, 4 for MARGINAL and NO-EVIDENCE."""
    match verdict:
        case Verdict.PASS:
            return DONE
        case Verdict.FAIL:
            return FAILED
        case Verdict.MARGINAL | Verdict.NO_EVIDENCE:
            return UNDECIDED
        case _:
            assert_never(verdict)


def status_of_error(error: ResumeRigError) -> int:
    """Return 3 for what the rig or the DUT did, 2 for what the user gave."""
    return FAULT if isinstance(error, RigError) else USAGE
