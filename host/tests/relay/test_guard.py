"""Who may ask the relay: names, pages of other sites, tokens."""

import base64
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resume_rig.guard.token import is_loopback, token_of
from resume_rig.model.errors import UsageError
from resume_rig.relay.server import Guard

TOKEN = "a-token-of-the-lab"
OPEN = Guard(frozenset({"localhost", "rig-host"}))
LOCKED = Guard(token=TOKEN)
HERE = ["127.0.0.1:8000"]


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1:8000", "10.0.0.7", "[::1]:8000", "[fe80::1]"),
        *("localhost", "LOCALHOST:8000", "rig-host:80", "rig-host."),
    ],
)
def test_an_address_and_its_own_names_are_served(host: str) -> None:
    assert OPEN.refusal([host], [], []) is None


@pytest.mark.parametrize(
    ("hosts", "status"),
    [
        (["evil.example:8000"], 403),  # its name was made to point here
        (["localhost.evil.example"], 403),
        (["127.0.0.1.evil.example"], 403),
        (["127.0.0.1@evil.example"], 403),
        (["[evil.example]:8000"], 403),
        (["localhost:http"], 403),
        (["[::1"], 403),
        ([""], 403),
        ([], 400),
        (["localhost", "evil.example"], 400),
    ],
)
def test_another_name_is_refused(hosts: list[str], status: int) -> None:
    refused = OPEN.refusal(hosts, [], [])

    assert refused is not None
    assert refused.status == status


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "https://127.0.0.1:8000", "http://127.0.0.1:8001", ""],
)
def test_a_page_of_another_site_is_refused(origin: str) -> None:
    refused = OPEN.refusal(HERE, [origin], [])

    assert refused is not None
    assert refused.status == 403
    assert OPEN.refusal(HERE, ["http://127.0.0.1:8000"], []) is None
    assert OPEN.refusal(HERE, ["http://127.0.0.1:8000", origin], []) is not None


def basic(password: str) -> str:
    return "Basic " + base64.b64encode(f"lab:{password}".encode()).decode()


@pytest.mark.parametrize("sent", [f"Bearer {TOKEN}", f"bearer  {TOKEN} ", basic(TOKEN)])
def test_the_token_opens(sent: str) -> None:
    assert LOCKED.refusal(HERE, [], [sent]) is None


@pytest.mark.parametrize(
    "sent",
    [
        [],
        [""],
        ["Bearer"],
        [f"Bearer {TOKEN}x"],
        [f"Bearer {TOKEN[:-1]}"],
        ["Bearer \xe9" * 9],
        [TOKEN],
        [basic("")],
        ["Basic !"],
        [f"Bearer {TOKEN}", f"Bearer {TOKEN}"],
    ],
)
def test_without_the_token_nothing_does(sent: list[str]) -> None:
    refused = LOCKED.refusal(HERE, [], sent)

    assert refused is not None
    assert refused.status == 401
    assert TOKEN not in refused.document["detail"]


def test_a_token_is_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def compare(sent: bytes, known: bytes) -> bool:
        compared.append((sent, known))
        return False

    monkeypatch.setattr(hmac, "compare_digest", compare)
    LOCKED.refusal(HERE, [], [f"Bearer {TOKEN}"])
    LOCKED.refusal(HERE, [], [])

    assert compared == [(TOKEN.encode(), TOKEN.encode()), (b"", TOKEN.encode())]


@given(host=st.text(max_size=40), origin=st.text(max_size=40), sent=st.text(max_size=60))
def test_no_header_breaks_it(host: str, origin: str, sent: str) -> None:
    refused = LOCKED.refusal([host], [origin], [sent])

    assert refused is not None
    assert refused.document["detail"].isprintable()


@pytest.mark.parametrize("text", [f"{TOKEN}\n", f"  {TOKEN}  \r\nand more", "x" * 256])
def test_a_tokens_file(text: str) -> None:
    assert token_of(text, "there") == text.partition("\n")[0].strip()


@pytest.mark.parametrize(
    "text", ["", "\n" + TOKEN, "short", "x" * 257, "a token of the lab", "é" * 20]
)
def test_what_is_no_token_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="there holds no token in its first line; allowed are 16"):
        token_of(text, "there")


@pytest.mark.parametrize(
    ("host", "alone"),
    [
        *((host, True) for host in ("127.0.0.1", "127.8.8.8", "::1", "localhost")),
        *((host, False) for host in ("0.0.0.0", "::", "10.0.0.7", "rig-host", "")),
    ],
)
def test_which_addresses_only_this_machine_reaches(host: str, alone: bool) -> None:
    assert is_loopback(host) is alone
