"""The link to one board: requests of the rig group, and which boot their answers belong to."""

from collections.abc import Mapping
from typing import Final

from resume_rig.model.errors import BoardRebooted, DeviceFault, ProtocolError
from resume_rig.rig.smp import rig_replies
from resume_rig.rig.smp.client import DEFAULT_TIMEOUT_NS, DEFAULT_TRIES, Reply, SmpClient
from resume_rig.rig.smp.fields import Fields
from resume_rig.rig.smp.packet import Group, Operation, RigCommand
from resume_rig.rig.smp.refusal import SMP_LEVEL, RigCode, SmpCode
from resume_rig.rig.smp.rig_replies import Identity

# These can be the first sign of a reboot: the board's clock and its numbering began anew.
_DOUBTFUL_CODES: Final = frozenset(
    {RigCode.TOO_LATE, RigCode.TOO_EARLY, RigCode.CURSOR, RigCode.OTHER_BOOT}
)
# An enum's names are slow to ask for.
_WHAT: Final = {command: command.name.lower() for command in RigCommand}


class BoardLink:
    """Asks the board behind an SMP client, and notices when it is not the same boot any more.

    Args:
        client: on an open transport; whoever owns the link closes it.
    """

    def __init__(self, client: SmpClient) -> None:
        self._client = client
        self._identity: Identity | None = None

    @property
    def name(self) -> str:
        """Return the URL of the rig, for sentences."""
        return self._client.name

    @property
    def identified(self) -> bool:
        """Tell whether the board ever said who it is."""
        return self._identity is not None

    def known(self) -> Identity:
        """Return the board's identity, asking for it the first time."""
        return self._identity or self.identify()

    def identify(self) -> Identity:
        """Ask who the board is; its boot id is the valid one from now on."""
        try:
            _, fields = self.ask(Operation.READ, RigCommand.INFO, {})
        except DeviceFault as e:
            if (e.group, e.code) == (SMP_LEVEL, SmpCode.NOT_SUPPORTED):
                raise ProtocolError(
                    f"{self._client.name} is no rig: the board there speaks SMP but has no rig "
                    f"group ({Group.RIG.value})"
                ) from e
            raise
        self._identity = rig_replies.parse_identity(fields)
        return self._identity

    def ask(
        self,
        operation: Operation,
        command: RigCommand,
        request: Mapping[str, object],
        timeout_ns: int = DEFAULT_TIMEOUT_NS,
        tries: int = DEFAULT_TRIES,
    ) -> tuple[Reply, Fields]:
        """Ask; return the reply with its stamps, and its fields."""
        reply = self._client.request(
            operation, Group.RIG, command, request, timeout_ns=timeout_ns, tries=tries
        )
        return reply, Fields(reply.fields, _WHAT[command])

    def checked(
        self,
        operation: Operation,
        command: RigCommand,
        request: Mapping[str, object],
        timeout_ns: int = DEFAULT_TIMEOUT_NS,
    ) -> Fields:
        """Ask, and make sure that the answer is of the boot that is known."""
        try:
            _, fields = self.ask(operation, command, request, timeout_ns)
        except DeviceFault as e:
            if e.group == Group.RIG and e.code in _DOUBTFUL_CODES:
                self.check_boot(self.ask(Operation.READ, RigCommand.TIME, {})[1])
            raise
        self.check_boot(fields)
        return fields

    def check_boot(self, fields: Fields) -> None:
        """Raise BoardRebooted unless a reply is of the boot that is known."""
        known, boot = self._identity or self.identify(), fields.count("boot")
        was = known.info.boot_id
        if boot != was:
            raise BoardRebooted(
                f"the board of {self._client.name} rebooted: its boot id was {was} and is {boot}, "
                "so what it stamped before does not compare with what it stamps now"
            )
