"""The compiled core and the CDDL name the same commands and errors."""

import re

from resume_rig._core import lib


def c_names(prefix: str) -> dict[int, str]:
    """Return the header's constants with this prefix: value to name in the CDDL's spelling."""
    return {
        getattr(lib, name): name.removeprefix(prefix).lower().replace("_", "-")
        for name in dir(lib)
        if name.startswith(prefix)
    }


def test_error_codes_are_those_of_the_cddl(cddl: str) -> None:
    documented = {
        int(code): name for code, name in re.findall(r"^; {2,3}(\d+) ([\w-]+) ", cddl, re.M)
    }
    assert c_names("RIG_ERR_") == documented


def test_commands_are_those_of_the_cddl(cddl: str) -> None:
    documented = {
        int(number): name for number, name in re.findall(r"^; --- (\d+) (\w+)", cddl, re.M)
    }
    assert c_names("RIG_CMD_") == documented


def test_the_protocol_is_that_of_the_cddl_and_the_vectors(cddl: str, vectors: dict) -> None:
    heading = re.search(r"SMP group (\d+), protocol version (\d+)", cddl)
    assert heading is not None
    assert tuple(map(int, heading.groups())) == (lib.RIG_SMP_GROUP, lib.RIG_PROTOCOL_VERSION)
    assert (vectors["group"], vectors["protocol"]) == (lib.RIG_SMP_GROUP, lib.RIG_PROTOCOL_VERSION)
