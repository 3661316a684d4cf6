"""What `--log SOURCE` names: a DUT over SSH, a folder, or a file."""

from pathlib import Path

from resume_rig.campaign.dut_shell import DutShell, parse_dut_address
from resume_rig.campaign.folder_log import FolderLog
from resume_rig.campaign.os_log_source import FileLog, OsLogSource
from resume_rig.campaign.ssh_log import SshLog
from resume_rig.model.clock import Clock

SSH = "ssh:"


def log_source(text: str, clock: Clock, ssh_config: Path | None = None) -> OsLogSource:
    """Return where a campaign gets OS records from.

    Args:
        text: `ssh:USER@HOST[,HOST...][:PORT]`, or the path of a file or folder.
        clock: the campaign's.
        ssh_config: for ssh, in place of the user's own configuration.

    Raises:
        UsageError: an address that is not of its form.
    """
    if text.startswith(SSH):
        return SshLog(DutShell(parse_dut_address(text), clock, ssh_config), clock)
    path = Path(text)
    return FolderLog(path) if path.is_dir() else FileLog(path)
