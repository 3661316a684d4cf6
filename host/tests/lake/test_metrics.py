"""Metrics: what a campaign shows while it runs, and a real Prometheus that fetches it."""

import json
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("prometheus_client", reason="the extra metrics is not here; `make lab-test`")

from prometheus_client import CollectorRegistry, generate_latest

from resume_rig.acceptance.metrics import Metrics, served_metrics
from resume_rig.guard import http
from resume_rig.model.errors import UsageError
from resume_rig.model.result.verdict import Verdict

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "lab"
PATIENCE_S = 700
RIGS = 10


def fetched(address: str) -> str:
    # Without what the environment says of proxies: all of this is on loopback.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(address, timeout=20) as answer:
        text: str = answer.read().decode("utf-8")
    return text


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def awaited(what: Callable[[], Any], needed: "Sequence[subprocess.Popen[bytes]]" = ()) -> Any:
    """Return what comes to be true, while the processes that it needs run."""
    for _ in range(PATIENCE_S * 2):
        assert [each.args for each in needed if each.poll() is not None] == []
        try:
            if found := what():
                return found
        except (urllib.error.URLError, ConnectionError):
            pass
        time.sleep(0.5)
    raise AssertionError("it did not come")


def test_a_campaign_without_events_shows_no_evidence() -> None:
    registry = CollectorRegistry()
    metrics = Metrics(registry, now_s=lambda: 5.0)

    text = generate_latest(registry).decode()
    assert 'resume_rig_verdict{verdict="NO-EVIDENCE"} 1.0' in text
    assert 'resume_rig_failure_rate_bound{side="upper"} 1.0' in text
    assert 'resume_rig_cycles_total{outcome="hung-in-resume"} 0.0' in text
    metrics.conclude(Verdict.FAIL)
    assert 'resume_rig_verdict{verdict="FAIL"} 1.0' in generate_latest(registry).decode()


def test_an_address_that_is_taken_or_none_is_one_sentence(command) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with (
            pytest.raises(UsageError, match=r"name an address of this machine and a port"),
            served_metrics("127.0.0.1", port),
        ):
            pass
    for wrong in ("9400", "127.0.0.1:", "127.0.0.1:70000", "localhost:http"):
        said = command("run", "--metrics", wrong, "--rig", "sim:clock=virtual")
        assert said.status == 2
        assert "is not HOST:PORT" in said.err


@pytest.mark.parametrize("sent", [b"", b"GET /metrics HTTP/1.1\r\nHost: x\r\n", b"\x16\x03\x01"])
def test_a_client_that_does_not_ask_is_hung_up_on_and_keeps_nobody_out(
    sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "REQUEST_S", 0.5)
    with served_metrics("127.0.0.1", 0) as (_, address), ExitStack() as stack:
        port = int(address.rpartition(":")[2].partition("/")[0])
        crowd = [
            stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=20))
            for _ in range(http.CONNECTIONS_MOST * 2)
        ]
        for stranger in crowd:
            stranger.sendall(sent)
        assert "resume_rig_verdict" in fetched(address)
        for stranger in crowd:
            try:
                while stranger.recv(4096):
                    pass
            except ConnectionError:
                pass


def test_what_a_campaign_did_is_what_it_shows(command, folder: Path) -> None:
    rig = ("--rig", "sim:clock=virtual,seed=4", "--dut", "slow-laptop", "--cycles", "5")
    fetch = f"{sys.executable} {folder / 'fetch.py'}"
    (folder / "fetch.py").write_text(
        "import os, re, urllib.request\n"
        "open_ = urllib.request.build_opener(urllib.request.ProxyHandler({})).open\n"
        f"text = open_('http://127.0.0.1:{(port := free_port())}/metrics').read()\n"
        "open('shown.txt', 'wb').write(text)\n"
    )

    words = ("--metrics", f"127.0.0.1:{port}", "--on-end", fetch, "--out", "a.rrs")
    said = command("run", *rig, *words)

    assert said.status == 1
    text = (folder / "shown.txt").read_text()
    assert 'resume_rig_cycles_total{outcome="slept-and-woke"} 5.0' in text
    assert "resume_rig_resume_seconds_count 5.0" in text
    assert 'resume_rig_resume_seconds_bucket{le="2.0"} 0.0' in text
    assert "resume_rig_display_seconds_count 5.0" in text
    assert "resume_rig_failed_cycles 4.0" in text  # the first is not judged
    assert "resume_rig_judged_cycles 4.0" in text
    assert 'resume_rig_verdict{verdict="FAIL"} 1.0' in text
    info = re.search(r"resume_rig_campaign_info\{(.*)\} 1.0", text)
    assert info is not None
    assert 'dut="slow-laptop"' in info.group(1)
    assert 'store="a.rrs"' in info.group(1)


@pytest.mark.skipif(
    shutil.which("promtool") is None, reason="there is no promtool (Debian: apt install prometheus)"
)
def test_the_alert_rules_do_what_they_say() -> None:
    for words in (["check", "rules", "alerts.yml"], ["test", "rules", "alerts_test.yml"]):
        ended = subprocess.run(
            ["promtool", *words], cwd=EXAMPLES, capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr


@contextmanager
def prometheus(folder: Path, targets: list[str]) -> Iterator[str]:
    """A Prometheus on loopback with the example's configuration, which fetches each second."""
    for name in ("prometheus.yml", "alerts.yml"):
        text = (EXAMPLES / name).read_text().replace("15s", "1s")
        (folder / name).write_text(text)
    (folder / "rigs.json").write_text(json.dumps([{"targets": targets}]))
    address = f"127.0.0.1:{free_port()}"
    words = ["prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=data"]
    with (
        (folder / "prometheus.log").open("w") as log,
        subprocess.Popen(
            [*words, f"--web.listen-address={address}"], cwd=folder, stdout=log, stderr=log
        ) as server,
    ):
        try:
            awaited(lambda: fetched(f"http://{address}/-/ready"))
            yield f"http://{address}"
        finally:
            server.terminate()


def asked(address: str, expression: str) -> list[dict[str, object]]:
    """Return what Prometheus answers."""
    query = urllib.parse.urlencode({"query": expression})
    found = json.loads(fetched(f"{address}/api/v1/query?{query}"))
    assert found["status"] == "success", found
    result: list[dict[str, object]] = found["data"]["result"]
    return result


@pytest.mark.slow
@pytest.mark.timeout(1800)  # ten rigs in real time, on however few processors
@pytest.mark.skipif(
    shutil.which("prometheus") is None, reason="there is no prometheus (Debian: apt install it)"
)
def test_a_real_prometheus_fetches_ten_rigs(
    tmp_path: Path, lab_environment: dict[str, str]
) -> None:
    ports = [free_port() for _ in range(RIGS)]
    program = [sys.executable, "-m", "resume_rig", "run", "--progress", "quiet"]
    rigs: list[subprocess.Popen[bytes]] = []
    with ExitStack() as stack:
        for number, port in enumerate(ports):
            dut = "slow-laptop" if number < 2 else "healthy-laptop"
            words = ["--rig", f"sim:seed={number}", "--dut", dut, "--cycles", "1000"]
            words += ["--dwell", "5s", "--settle", "1s", "--warm-up", "0"]
            words += ["--metrics", f"127.0.0.1:{port}", "--out", str(tmp_path / f"{number}.rrs")]
            said = stack.enter_context((tmp_path / f"{number}.log").open("w"))
            rig = subprocess.Popen(
                [*program, *words], env=lab_environment, cwd=tmp_path, stdout=said, stderr=said
            )
            stack.callback(rig.wait)
            stack.callback(rig.kill)
            rigs.append(rig)
        address = stack.enter_context(prometheus(tmp_path, [f"127.0.0.1:{p}" for p in ports]))

        awaited(lambda: asked(address, f"sum(resume_rig_running) == {RIGS}"), rigs)
        cycled = "count(sum by (instance) (resume_rig_cycles_total) >= 2)"
        awaited(lambda: asked(address, f"{cycled} == {RIGS}"))
        judged = 'count(resume_rig_verdict{verdict=~"FAIL|PASS"} == 1)'
        awaited(lambda: asked(address, f"{judged} == {RIGS}"))
        slow = asked(address, 'resume_rig_verdict{verdict="FAIL"} == 1')
        names = asked(address, "count by (dut) (resume_rig_campaign_info)")
        dashboard = json.loads((EXAMPLES / "grafana-dashboard.json").read_text())
        drawn = {
            target["expr"]: len(asked(address, target["expr"]))
            for panel in dashboard["panels"]
            for target in panel["targets"]
        }
        alert = awaited(
            lambda: asked(address, 'ALERTS{alertname="TooManyCyclesFail", alertstate="firing"}')
        )

    instances = {f"127.0.0.1:{port}" for port in ports}
    assert {row["metric"]["instance"] for row in slow} == {f"127.0.0.1:{p}" for p in ports[:2]}
    assert {row["metric"]["dut"]: row["value"][1] for row in names} == {
        "slow-laptop": "2",
        "healthy-laptop": str(RIGS - 2),
    }
    assert {row["metric"]["instance"] for row in alert} <= instances - {
        f"127.0.0.1:{p}" for p in ports[2:]
    }
    assert [expression for expression, rows in drawn.items() if rows == 0] == []
