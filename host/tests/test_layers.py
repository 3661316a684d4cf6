"""The house's one rule of direction: a package imports only packages below it."""

import ast
from pathlib import Path

import pytest

import resume_rig

PACKAGE = Path(resume_rig.__file__).parent

# docs/explanation/architecture.md draws this; packages on one floor do not know each other.
FLOORS = {
    "model": 0,
    "oslog": 1,
    "timing": 1,
    "rig": 2,
    "analysis": 2,
    "campaign": 3,
    "report": 3,
    "acceptance": 4,
    "gui": 5,
    "pytest_rig": 5,
    "relay": 5,
    "robot": 5,
    "labgrid_rig": 6,  # its campaigns are those of a pytest test
    "cli": 6,  # `resume-rig gui` opens the window
}
MODULES = sorted(PACKAGE.rglob("*.py"))


def package_of(module: Path) -> str | None:
    """Return the package that a file belongs to; None for the root's own files."""
    parts = module.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else None


def imported_packages(source: str) -> set[str]:
    """Return the project's packages that a source imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                dotted = [name.name for name in names]
            case ast.ImportFrom(module=str(module), level=0, names=names):
                dotted = [f"{module}.{name.name}" for name in names]
            case ast.ImportFrom(level=level) if level > 0:
                dotted = ["resume_rig.<relative>"]
            case _:
                continue
        found |= {name.split(".")[1] for name in dotted if name.startswith("resume_rig.")}
    return found


def forbidden(source: str, package: str) -> set[str]:
    """Return the packages that a source of `package` imports and must not."""
    floor = FLOORS[package]
    allowed = {name for name, height in FLOORS.items() if height < floor} | {package}
    return imported_packages(source) - allowed - {"_core", "__version__"}


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_what_lies_below_it(module: Path) -> None:
    package = package_of(module)
    if package is None:
        assert imported_packages(module.read_text("utf-8")) == set()
        return
    assert package in FLOORS, f"{package} has no floor; give it one in this test and in the docs"
    assert forbidden(module.read_text("utf-8"), package) == set()


@pytest.mark.parametrize(
    ("package", "source", "expected"),
    [
        ("model", "import resume_rig.timing.clocks", {"timing"}),
        ("oslog", "from resume_rig.timing import clocks", {"timing"}),
        ("rig", "def f():\n    from resume_rig.analysis import match", {"analysis"}),
        ("rig", "from ..model import edge", {"<relative>"}),
        ("cli", "from resume_rig.campaign import store", set()),
    ],
    ids=["up", "sideways", "inside a function", "relative", "down"],
)
def test_the_check_itself_sees_a_wrong_arrow(package: str, source: str, expected: set[str]) -> None:
    assert forbidden(source, package) == expected


def test_only_the_simulated_bench_touches_the_compiled_core() -> None:
    users = {
        str(module.relative_to(PACKAGE).as_posix())
        for module in MODULES
        if "_core" in imported_packages(module.read_text("utf-8"))
    }
    assert all(user.startswith("rig/sim/") for user in users), users


def test_no_module_is_longer_than_400_lines() -> None:
    long = {
        str(module.relative_to(PACKAGE)): lines
        for module in MODULES
        if (lines := len(module.read_text("utf-8").splitlines())) > 400
    }
    assert long == {}
