"""The program starts quickly because it imports late."""

import subprocess
import sys

import pytest

import resume_rig

HEAVY = {"numpy", "evtx", "jinja2", "serial", "cbor2", "cffi", "sqlite3", "vcd", "resume_rig._core"}


def modules_after(words: str) -> set[str]:
    program = (
        "import sys\n"
        "from resume_rig.cli.main import main\n"
        "try:\n"
        f"    main({words})\n"
        "except SystemExit:\n"
        "    pass\n"
        "print(chr(10) + ' '.join(sys.modules))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("words", ["['--version']", "['run', '--help']"], ids=["version", "help"])
def test_version_and_help_import_nothing_heavy(words: str) -> None:
    assert modules_after(words) & HEAVY == set()


def test_judging_a_log_imports_no_rig() -> None:
    loaded = modules_after("['log', 'no-such-file']")
    assert not {name for name in loaded if name.startswith(("resume_rig.rig", "serial"))}


def test_version_is_the_packages(command) -> None:
    said = command("--version")
    assert (said.status, said.out) == (0, f"resume-rig {resume_rig.__version__}\n")


@pytest.mark.parametrize(
    "verb",
    ["run", "log", "correlate", "report", "sim", "press", "lid", "watch", "selftest", "doctor"],
)
def test_every_verb_has_help_with_an_example(command, verb: str) -> None:
    said = command(verb, "--help")
    assert said.status == 0
    assert "example:\n  resume-rig " in said.out
    assert "--json" in said.out
