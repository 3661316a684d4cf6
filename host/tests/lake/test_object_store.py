"""A lake in a bucket: moto's S3, on loopback; and the bucket that cannot be reached."""

import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("deltalake", reason="the extra lab is not here; `make lab-test` has it")
pytest.importorskip("moto", reason="moto's S3 is not here; `make lab-test` has it")

from made_facts import Made, made_facts

from resume_rig.lake.tables import Added, Lake, LakeUnreachable


@pytest.fixture
def bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An empty bucket; its server ends with the test, or when the test ends it."""
    log = tmp_path / "moto.log"
    with log.open("w") as said:
        server = subprocess.Popen(
            [sys.executable, "-u", "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"],
            stdout=said,
            stderr=said,
        )
    try:
        address = None
        while address is None:
            assert server.poll() is None, log.read_text()
            address = re.search(r"Running on (http://\S+)", log.read_text())
        endpoint = address.group(1)
        for name, text in {
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_ALLOW_HTTP": "true",
            "AWS_ACCESS_KEY_ID": "made",
            "AWS_SECRET_ACCESS_KEY": "made",
            "AWS_REGION": "us-east-1",
            "NO_PROXY": "127.0.0.1",
            "no_proxy": "127.0.0.1",
        }.items():
            monkeypatch.setenv(name, text)
        request = urllib.request.Request(f"{endpoint}/lab", method="PUT")
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request).close()
        yield "s3://lab/lake"
    finally:
        server.kill()
        server.wait()


@pytest.mark.slow
def test_a_bucket_holds_a_lake(bucket: str, command) -> None:
    lake, one = Lake(bucket), Made(unit="one")

    assert lake.add(made_facts(one)) is Added.NEW
    assert lake.add(made_facts(Made(unit="two"))) is Added.NEW
    assert lake.add(made_facts(one)) is Added.REPLACED

    asked = command("query", bucket, "SELECT count(*) FROM cycles", "--json").document
    assert asked["rows"] == [[2 * Made().cycles]]
    assert command("fleet", bucket).status == 0


@pytest.mark.slow
def test_a_bucket_that_nobody_serves_is_unreachable(
    bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")

    with pytest.raises(LakeUnreachable, match="could not add to the lake s3://lab/lake"):
        Lake(bucket).add(made_facts(Made()))
