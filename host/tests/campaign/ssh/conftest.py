"""A real sshd on loopback, whose users find a stand-in for `wevtutil`."""

import getpass
import os
import shutil
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from resume_rig.campaign.dut.shell import DutShell, parse_dut_address
from resume_rig.campaign.dut.ssh_log import SshLog
from resume_rig.model.errors import RecordError
from resume_rig.timing.clocks import SystemClock

PATIENCE_S = 60.0
# A daemon is in no ordinary user's search path.
SBIN = "/usr/sbin:/usr/local/sbin:/sbin"


@dataclass(frozen=True, slots=True)
class Dut:
    """A DUT that answers over SSH.

    Attributes:
        folder: of the stand-in: its log, and what it is to do wrong.
        address: of the DUT.
        config: for ssh.
    """

    folder: Path
    address: str
    config: Path
    port: int

    def shell(self, address: str | None = None) -> DutShell:
        found = parse_dut_address(address or self.address)
        return DutShell(found, SystemClock(), self.config)

    def log(self, address: str | None = None) -> SshLog:
        return SshLog(self.shell(address), SystemClock())

    def write(self, lines: list[bytes]) -> None:
        (self.folder / "log.new").write_bytes(b"".join(lines))
        (self.folder / "log.new").replace(self.folder / "log.xml")

    def does(self, wrong: str) -> None:
        (self.folder / wrong).touch()

    def does_no_longer(self, wrong: str) -> None:
        (self.folder / wrong).unlink()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def key(path: Path) -> Path:
    words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)]
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL)
    return path


def install_stand_in(folder: Path) -> None:
    shutil.copy(Path(__file__).with_name("stand_in.py"), folder)
    command = folder / "wevtutil"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "{folder}/stand_in.py" "$@"\n')
    # A DUT without a Unix of its own.
    (folder / "uname").write_text("#!/bin/sh\necho not recognized >&2\nexit 1\n")
    for name in ("wevtutil", "uname"):
        (folder / name).chmod(0o755)


def configure(folder: Path, port: int) -> None:
    host_key, own_key = key(folder / "host_key"), key(folder / "own_key")
    shutil.copy(own_key.with_suffix(".pub"), folder / "authorized_keys")
    (folder / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {host_key}\nPidFile none\n"
        f"AuthorizedKeysFile {folder}/authorized_keys\nStrictModes no\nUsePAM no\n"
        f"UseDNS no\nPasswordAuthentication no\nPermitRootLogin prohibit-password\n"
        f"SetEnv PATH={folder}:/usr/bin:/bin\n"
    )
    public = host_key.with_suffix(".pub").read_text()
    (folder / "known_hosts").write_text(f"[127.0.0.1]:{port} {public}")
    (folder / "ssh_config").write_text(
        f"Host *\n  IdentityFile {own_key}\n  IdentitiesOnly yes\n"
        f"  UserKnownHostsFile {folder}/known_hosts\n  GlobalKnownHostsFile /dev/null\n"
    )


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dut]:
    daemon = shutil.which("sshd", path=os.environ.get("PATH", "") + os.pathsep + SBIN)
    if daemon is None or shutil.which("ssh") is None:
        pytest.skip("this machine has no OpenSSH server and client")
    if os.geteuid() == 0 and not Path("/run/sshd").is_dir():
        pytest.skip("sshd, started by root, needs /run/sshd")
    folder, port = tmp_path_factory.mktemp("dut"), free_port()
    folder.chmod(stat.S_IRWXU)
    install_stand_in(folder)
    configure(folder, port)
    words = [daemon, "-D", "-e", "-f", str(folder / "sshd_config")]
    with subprocess.Popen(words, stderr=subprocess.DEVNULL) as process:
        try:
            await_port(port, process)
            address = f"ssh:{getpass.getuser()}@127.0.0.1:{port}"
            dut = Dut(folder, address, folder / "ssh_config", port)
            try:
                dut.shell().run("true")
            except RecordError as error:
                pytest.skip(f"this machine's OpenSSH lets nobody in: {error}")
            yield dut
        finally:
            process.terminate()


def await_port(port: int, process: "subprocess.Popen[bytes]") -> None:
    for _ in range(int(PATIENCE_S * 50)):
        assert process.poll() is None, "sshd ended"
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    pytest.fail("sshd does not listen")


@pytest.fixture
def dut(served: Dut) -> Iterator[Dut]:
    yield served
    for wrong in ("cut", "denied", "wait"):
        (served.folder / wrong).unlink(missing_ok=True)
