"""The front end's programs and packages, where they are installed."""

import pytest

from frontend.circuit.facts import Facts
from frontend.products import built
from frontend.simulation.ngspice import find_ngspice
from frontend.simulation.spread import DeckError

Built = tuple[dict[str, str], dict[str, Facts], list[str]]


@pytest.fixture(scope="session")
def ngspice() -> str:
    try:
        return find_ngspice()
    except DeckError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def front_ends() -> Built:
    return built()


@pytest.fixture(scope="session")
def wired(front_ends: Built) -> Facts:
    return front_ends[1]["pico-wired"]


@pytest.fixture(scope="session")
def no_access(front_ends: Built) -> Facts:
    return front_ends[1]["pico-no-access"]
