"""Where Robot Framework writes to, and names in there that nobody has yet."""

from pathlib import Path

from robot.libraries.BuiltIn import BuiltIn, RobotNotRunningError

from resume_rig.model.errors import UsageError

_MOST = 100_000


def new_place(name: str, suffix: str = "") -> Path:
    """Return a path in the output folder where nothing is: NAME-1, NAME-2 and so on.

    Raises:
        UsageError: there are too many.
    """
    folder = Path(_variable("${OUTPUT_DIR}", "."))
    for number in range(1, _MOST):
        path = folder / f"{name}-{number}{suffix}"
        if not path.exists():
            return path
    raise UsageError(f"could not make {name} in {folder}: there are {_MOST - 1:,} already")


def suite_name() -> str:
    """Return the name of the running suite, fit for a file."""
    last = _variable("${SUITE_NAME}", "campaign").rpartition(".")[2].lower()
    return "".join(c if c.isalnum() and c.isascii() else "-" for c in last)[:60] or "campaign"


def _variable(name: str, otherwise: str) -> str:
    try:
        return str(BuiltIn().get_variable_value(name, otherwise))
    except RobotNotRunningError:
        return otherwise
