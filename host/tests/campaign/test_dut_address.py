"""Addresses of DUTs: what ssh is given is what the user wrote, and never an option of ssh."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.campaign.dut.shell import DutAddress, parse_dut_address
from resume_rig.model.errors import UsageError


@pytest.mark.parametrize(
    ("text", "user", "hosts", "port"),
    [
        ("ssh:lab@dut", "lab", ("dut",), None),
        ("ssh:lab@dut.local:2222", "lab", ("dut.local",), 2222),
        ("ssh:lab@dut,10.0.0.7:22", "lab", ("dut", "10.0.0.7"), 22),
        ("ssh:DOM\\lab@dut", "DOM\\lab", ("dut",), None),
        ("ssh:lab@[fe80::1%eth0]:22", "lab", ("fe80::1%eth0",), 22),
    ],
)
def test_what_is_allowed(text: str, user: str, hosts: tuple[str, ...], port: int | None) -> None:
    assert parse_dut_address(text) == DutAddress(text, user, hosts, port)


@pytest.mark.parametrize(
    "text",
    [
        "ssh:",
        "ssh:dut",
        "ssh:@dut",
        "ssh:lab@",
        "ssh:lab@-oProxyCommand=x",
        "ssh:-l@dut",
        "ssh:lab@dut:0",
        "ssh:lab@dut:70000",
        "ssh:lab@dut;reboot",
        "ssh:lab@a,,b",
        "ssh:lab@dut name",
    ],
)
def test_what_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"allowed is ssh:USER@HOST"):
        parse_dut_address(text)


@given(st.text(max_size=60))
def test_no_host_or_user_is_ever_an_option(text: str) -> None:
    try:
        found = parse_dut_address(f"ssh:{text}")
    except UsageError:
        return
    assert not any(word.startswith("-") for word in (found.user, *found.hosts))
