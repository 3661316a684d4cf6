"""What reaches the OS of a DUT: a program of the user's, SSH, or the simulation itself."""

from pathlib import Path

from resume_rig.campaign.dut_shell import DutShell, parse_dut_address
from resume_rig.campaign.hooks import program_words
from resume_rig.campaign.log_choice import SSH
from resume_rig.campaign.shell_control import ShellControl
from resume_rig.campaign.user_control import UserControl
from resume_rig.model.clock import Clock
from resume_rig.model.errors import UsageError
from resume_rig.rig.dut_control import DutControl


def dut_control(
    command: str | None,
    shell: str | None,
    clock: Clock,
    ssh_config: Path | None,
    store: Path,
    *,
    shown: bool = True,
) -> DutControl | None:
    """Return who tells a DUT's OS what to do; None where nothing was named.

    Args:
        command: a program of the user's own; goes before `shell`.
        shell: `ssh:USER@HOST[,HOST...][:PORT]`.
        clock: the campaign's.
        ssh_config: for ssh, in place of the user's own configuration.
        store: of the campaign, for the program.
        shown: whether what the program writes may stand between what the campaign says.

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
