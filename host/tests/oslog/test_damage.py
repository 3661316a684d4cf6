"""Damaged logs of every sort: an answer or a refusal, and never a number that nobody wrote."""

import sys
from collections import Counter
from pathlib import Path

import pytest

from resume_rig.model.errors import RecordError
from resume_rig.oslog.event.xml_export import EventXmlStream
from resume_rig.oslog.source.problems import ProblemTally

HERE = Path(__file__).parent
FIXTURES = HERE.parents[2] / "fixtures" / "logs"


@pytest.fixture
def oracle_module(monkeypatch: pytest.MonkeyPatch):
    """reading_oracle.py and mutations.py, as the benchmark finds them."""
    monkeypatch.syspath_prepend(str(HERE))
    import reading_oracle

    yield reading_oracle
    for name in ("reading_oracle", "mutations"):
        sys.modules.pop(name, None)


def test_damaged_event_xml_is_never_silently_wrong(oracle_module, tmp_path: Path) -> None:
    paths = sorted(FIXTURES.glob("*.xml"))
    oracle = oracle_module.ReadingOracle(paths)
    samples = [path.read_bytes() for path in paths]
    path = tmp_path / "log"
    answers: Counter[str] = Counter()
    for content in oracle_module.damaged(1, samples, 300, oracle_module.XML_DAMAGE):
        path.write_bytes(content)
        answers[oracle.answer(path)] += 1
    assert answers.total() == 300
    assert min(answers["read"], answers["refused"], answers["changed"]) > 0


def test_damaged_evtx_is_never_silently_wrong(
    oracle_module, shared_data: Path, tmp_path: Path
) -> None:
    source = shared_data / "eventlog" / "win10-15063-desktop-s1.evtx"
    oracle = oracle_module.ReadingOracle([source])
    path = tmp_path / "log"
    answers: Counter[str] = Counter()
    sample = source.read_bytes()[: 4096 + 7 * 65536]
    for content in oracle_module.damaged(2, [sample], 100, oracle_module.EVTX_DAMAGE):
        path.write_bytes(content)
        answers[oracle.answer(path)] += 1
    assert answers.total() == 100
    assert answers["read"] > 0


def test_the_oracle_sees_a_number_that_nobody_wrote(oracle_module) -> None:
    from resume_rig.oslog.reading import read_logs

    (record, *_) = read_logs([FIXTURES / "two-s3-cycles.xml"], keep_text=True).records
    wrong = type(record)(
        **{
            **{name: getattr(record, name) for name in record.__slots__},
            "driver_init_ms": 1,
        }
    )
    with pytest.raises(oracle_module.Unexplained, match="DriverInitDuration"):
        oracle_module._demand_that_the_log_says_so(wrong)


def test_a_line_without_an_end_is_read_in_little_memory() -> None:
    tally = ProblemTally()
    stream = EventXmlStream("log", tally, keep_text=False)
    block = b"<Event>" + b"x" * (1 << 20)
    held = 0
    for number in range(100):
        list(stream.feed(block[7 * (number > 20) :]))
        held = max(held, stream.held_chars)
    list(stream.feed(b"", final=True))
    stream.finish()
    assert held < 4 << 20
    assert not tally.integrity().ok


def test_an_entity_bomb_is_refused_before_it_goes_off(tmp_path: Path) -> None:
    from resume_rig.oslog.reading import read_logs

    path = tmp_path / "log"
    path.write_text(
        "<Events xmlns='http://schemas.microsoft.com/win/2004/08/events/event'>"
        + '<!DOCTYPE a [<!ENTITY b "'
        + "ha" * 1000
        + '">]>'
    )
    with pytest.raises(RecordError, match="document type or entity declaration"):
        read_logs([path])
