"""A damaged store: what is wrong is said, what can be read is kept, and nothing is made up."""

import dataclasses
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from resume_rig.campaign.store.raw import CycleRaw
from resume_rig.campaign.store.salvage import check_store, salvage
from resume_rig.campaign.store.schema import PAGE_BYTES
from resume_rig.campaign.store.store import Store
from resume_rig.cli.main import main
from resume_rig.model.errors import RecordError, UsageError

CYCLES = 12


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("salvage") / "whole.rrs"
    words = ["--rig", "sim:clock=virtual,seed=3", "--cycles", str(CYCLES), "--out", str(path)]
    assert main(["run", *words, "--json"]) == 0
    return path


@pytest.fixture
def damaged(whole: Path, tmp_path: Path) -> Callable[[Callable[[bytearray], None]], Path]:
    def make(harm: Callable[[bytearray], None]) -> Path:
        content = bytearray(whole.read_bytes())
        harm(content)
        path = tmp_path / "damaged.rrs"
        path.write_bytes(content)
        return path

    return make


def cycles_of(path: Path) -> dict[int, CycleRaw]:
    with Store.open(path) as store:
        return {raw.number: raw for raw in store.cycles()}


@pytest.fixture(scope="module")
def original(whole: Path) -> dict[int, CycleRaw]:
    return cycles_of(whole)


def zero_page(content: bytearray, page: int) -> None:
    content[page * PAGE_BYTES : (page + 1) * PAGE_BYTES] = bytes(PAGE_BYTES)


def test_a_whole_store_has_no_problem_and_is_salvaged_whole(whole: Path, tmp_path: Path) -> None:
    assert check_store(whole).problems == ()
    came = salvage(whole, tmp_path / "new.rrs")
    assert (len(came.kept), came.without_light, came.lost) == (CYCLES, (), ())
    assert cycles_of(tmp_path / "new.rrs") == cycles_of(whole)


@pytest.mark.parametrize("seed", range(16))
def test_what_is_kept_of_a_damaged_store_is_what_was_there(
    original: dict[int, CycleRaw],
    damaged: Callable[[Callable[[bytearray], None]], Path],
    tmp_path: Path,
    seed: int,
) -> None:
    chance = random.Random(seed)

    def harm(content: bytearray) -> None:
        for _ in range(chance.randint(1, 3)):
            zero_page(content, chance.randrange(len(content) // PAGE_BYTES))
        if seed % 4 == 0:
            del content[chance.randrange(len(content) // 2, len(content)) :]

    path = damaged(harm)
    before = path.read_bytes()
    new = tmp_path / "new.rrs"
    try:
        came = salvage(path, new)
    except RecordError:
        assert not new.exists()
    else:
        kept = cycles_of(new)
        assert set(kept) == set(came.kept)
        for number, raw in kept.items():
            if number not in {*came.without_light, *came.without_records}:
                assert raw == original[number]
            assert raw.edges == original[number].edges
        assert set(came.lost) == set(range(1, max(kept, default=0) + 1)) - set(kept)
        found = check_store(new)
        assert (found.problems, found.salvaged) == ((), came.sentence())
    assert path.read_bytes() == before


@pytest.mark.parametrize("seed", range(12))
def test_a_flipped_bit_never_passes_for_data(
    original: dict[int, CycleRaw],
    damaged: Callable[[Callable[[bytearray], None]], Path],
    tmp_path: Path,
    seed: int,
) -> None:
    chance = random.Random(seed)

    def harm(content: bytearray) -> None:
        for _ in range(40):
            content[chance.randrange(2 * PAGE_BYTES, len(content))] ^= 1 << chance.randrange(8)

    path = damaged(harm)
    new = tmp_path / "new.rrs"
    try:
        came = salvage(path, new)
    except RecordError:
        return
    for number, raw in cycles_of(new).items():
        wanted = original[number]
        if number in came.without_light:
            wanted = dataclasses.replace(wanted, light=(), lost_light=1)
        if number not in came.without_records:
            assert raw == wanted


def test_damage_that_can_be_decoded_is_found_by_its_checksum(
    whole: Path, original: dict[int, CycleRaw], tmp_path: Path
) -> None:
    path = tmp_path / "changed.rrs"
    shutil.copyfile(whole, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE cycle SET ended_host_ns = ended_host_ns + 1 WHERE number = 4")
        connection.commit()
    (problem,) = check_store(path).problems
    assert "cycle 4 is damaged: the checksum" in problem
    came = salvage(path, tmp_path / "new.rrs")
    assert came.lost == (4,)


@pytest.fixture(scope="module")
def metered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("salvage") / "metered.rrs"
    words = ["--rig", "sim:clock=virtual,seed=3,power=ina226", "--cycles", "3", "--out", str(path)]
    assert main(["run", *words, "--json"]) == 0
    return path


def test_samples_of_power_are_salvaged(metered: Path, tmp_path: Path) -> None:
    came = salvage(metered, tmp_path / "new.rrs")
    kept = cycles_of(tmp_path / "new.rrs")
    assert came.without_power == ()
    assert "power" not in came.sentence()
    assert kept == cycles_of(metered)
    assert all(raw.power is not None and raw.power.t_ns for raw in kept.values())


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE power SET crc = crc + 1 WHERE cycle = 2",
        "UPDATE power SET lost = 'many' WHERE cycle = 2",
        "UPDATE power SET samples = 'text' WHERE cycle = 2",
        "UPDATE power SET samples = x'00', crc = 3523407757 WHERE cycle = 2",
        "DELETE FROM power WHERE cycle = 2",
    ],
)
def test_samples_of_power_that_are_damaged_cost_no_more_than_themselves(
    metered: Path, tmp_path: Path, harm: str
) -> None:
    path = tmp_path / "changed.rrs"
    shutil.copyfile(metered, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(harm)
        connection.commit()
    came = salvage(path, tmp_path / "new.rrs")
    assert (len(came.kept), came.lost, came.without_power) == (3, (), (2,))
    assert "samples of power lost: 2" in came.sentence()
    wanted = cycles_of(metered)
    wanted[2] = dataclasses.replace(wanted[2], power=None, lost_power=0)
    assert cycles_of(tmp_path / "new.rrs") == wanted


def test_a_table_of_power_that_is_lost_with_the_first_page_is_told(
    metered: Path, tmp_path: Path
) -> None:
    content = bytearray(metered.read_bytes())
    zero_page(content, 0)
    path = tmp_path / "damaged.rrs"
    path.write_bytes(content)
    came = salvage(path, tmp_path / "new.rrs")
    assert (len(came.kept), came.without_power) == (3, (1, 2, 3))


def test_a_first_page_that_is_destroyed_costs_nothing(
    whole: Path, damaged: Callable[[Callable[[bytearray], None]], Path], tmp_path: Path
) -> None:
    came = salvage(damaged(lambda content: zero_page(content, 0)), tmp_path / "new.rrs")
    assert len(came.kept) == CYCLES
    assert cycles_of(tmp_path / "new.rrs") == cycles_of(whole)


def test_a_damaged_store_is_said_to_be_damaged(
    damaged: Callable[[Callable[[bytearray], None]], Path],
) -> None:
    found = check_store(damaged(lambda content: zero_page(content, 12)))
    assert found.problems
    assert all(text.endswith(".") and "\n" not in text for text in found.problems)


def test_a_salvaged_store_says_so_in_its_report(
    damaged: Callable[[Callable[[bytearray], None]], Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = damaged(lambda content: content.__delitem__(slice(len(content) * 2 // 3, None)))
    salvage(path, tmp_path / "new.rrs")
    capsys.readouterr()
    main(["correlate", str(tmp_path / "new.rrs"), "--json"])
    assert "cycles of a damaged store" in capsys.readouterr().out


def test_a_cycle_that_is_lost_after_the_salvage_is_a_problem(
    damaged: Callable[[Callable[[bytearray], None]], Path], tmp_path: Path
) -> None:
    new = tmp_path / "new.rrs"
    came = salvage(damaged(lambda content: zero_page(content, len(content) // PAGE_BYTES - 1)), new)
    last = max(came.kept)
    with closing(sqlite3.connect(new)) as connection:
        connection.execute("UPDATE identity SET value = ? WHERE name = 'salvage_to'", (last - 2,))
        connection.execute("DELETE FROM cycle WHERE number = ?", (last - 1,))
        connection.commit()
    assert check_store(new).problems == (f"Cycle {last - 1} is missing.",)


def test_a_salvage_that_breaks_off_leaves_no_store(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit, done = Store.commit_cycle, []

    def commit_some(store: Store, raw: CycleRaw) -> None:
        if len(done) == CYCLES // 2:
            raise KeyboardInterrupt
        done.append(raw.number)
        commit(store, raw)

    monkeypatch.setattr(Store, "commit_cycle", commit_some)
    with pytest.raises(KeyboardInterrupt):
        salvage(whole, tmp_path / "new.rrs")
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten_and_no_other_file_is_taken_for_a_store(
    whole: Path, tmp_path: Path
) -> None:
    there = tmp_path / "there.rrs"
    there.write_text("precious", encoding="utf-8")
    with pytest.raises(UsageError, match="name a new file"):
        salvage(whole, there)
    assert there.read_text("utf-8") == "precious"
    for content in (b"", b"hello", bytes(100_000), random.Random(1).randbytes(100_000)):
        other = tmp_path / "other.bin"
        other.write_bytes(content)
        with pytest.raises(RecordError):
            salvage(other, tmp_path / "new.rrs")
        assert not (tmp_path / "new.rrs").exists()
