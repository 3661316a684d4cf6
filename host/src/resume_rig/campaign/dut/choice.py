"""What the words of a user name: where OS logs come from, and what reaches the DUT's OS."""

from pathlib import Path

from resume_rig.campaign.dut.log_source import FileLog, FolderLog, OsLogSource
from resume_rig.campaign.dut.own_log import WEVTUTIL, remote_event_log
from resume_rig.campaign.dut.shell import DutShell, ShellControl, parse_dut_address
from resume_rig.campaign.dut.ssh_log import SshLog
from resume_rig.campaign.dut.user_program import UserControl, program_words
from resume_rig.model.clock import Clock
from resume_rig.model.errors import UsageError
from resume_rig.rig.interface import DutControl

SSH = "ssh:"


def log_source(text: str, clock: Clock, ssh_config: Path | None = None) -> OsLogSource:
    """Return where a campaign gets OS records from.

    `text` is `ssh:USER@HOST[,HOST...][:PORT]`, `wevtutil:HOST`, or the path of a file or folder;
    `ssh_config` takes the place of the user's own configuration.

    Raises:
        UsageError: an address that is not of its form.
    """
    if text.startswith(SSH):
        return SshLog(DutShell(parse_dut_address(text), clock, ssh_config), clock)
    if text.startswith(WEVTUTIL):
        return SshLog(remote_event_log(text, clock), clock)
    path = Path(text)
    return FolderLog(path) if path.is_dir() else FileLog(path)


def dut_control(
    command: str | None,
    shell: str | None,
    clock: Clock,
    ssh_config: Path | None,
    store: Path,
    *,
    shown: bool = True,
) -> DutControl | None:
    """Return what commands a DUT's OS; None where nothing was named.

    `command` is a program of the user's own, which finds the path of `store`, and goes before
    `shell`, an `ssh:USER@HOST[,HOST...][:PORT]`. What the program writes may stand between lines of
    the campaign where it is `shown`.

    Raises:
        UsageError: a command that names no program, or an address that is not of its form.
    """
    if command is not None:
        return UserControl(program_words(command), {"store": str(store)}, shown=shown)
    if shell is None:
        return None
    if not shell.startswith(SSH):
        raise UsageError(f"--dut-shell {shell!r}; allowed is ssh:USER@HOST[,HOST...][:PORT]")
    return ShellControl(DutShell(parse_dut_address(shell), clock, ssh_config))
