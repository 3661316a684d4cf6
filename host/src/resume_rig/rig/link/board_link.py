"""The link to one board: requests of the rig group, and which boot their answers belong to."""

from typing import Final, TypeVar

from resume_rig.model.errors import BoardRebooted, DeviceFault, ProtocolError
from resume_rig.rig.commands.board import Identity, InfoRequest, RigRequest, TimeRequest
from resume_rig.rig.smp.client import DEFAULT_TIMEOUT_NS, DEFAULT_TRIES, Reply, SmpClient
from resume_rig.rig.smp.packet import Group
from resume_rig.rig.smp.refusal import SMP_LEVEL, RigCode, SmpCode
from resume_rig.rig.smp.request import Fields, Request

T = TypeVar("T")

# These can be the first sign of a reboot: the board's clock and its numbering began anew.
_DOUBTFUL_CODES: Final = frozenset(
    {RigCode.TOO_LATE, RigCode.TOO_EARLY, RigCode.CURSOR, RigCode.OTHER_BOOT}
)


class BoardLink:
    """Asks the board behind an SMP client, and notices when it is not the same boot any more.

    Args:
        client: on an open transport; whoever owns the link closes it.
        host: what this host calls itself, 0 to 2^32 - 1: an action of it keeps other hosts out.
    """

    def __init__(self, client: SmpClient, host: int) -> None:
        self._client = client
        self._host: Final = {"host": host}
        self._identity: Identity | None = None

    @property
    def name(self) -> str:
        """Return the URL of the rig, for sentences."""
        return self._client.name

    @property
    def identified(self) -> bool:
        """Tell whether the board ever said who it is."""
        return self._identity is not None

    def identity(self) -> Identity:
        """Return the board's identity, asking for it the first time."""
        return self._identity or self.identify()

    def identify(self) -> Identity:
        """Ask who the board is; its boot id is the valid one from now on."""
        try:
            _, fields = self.request(InfoRequest())
        except DeviceFault as e:
            if (e.group, e.code) == (SMP_LEVEL, SmpCode.NOT_SUPPORTED):
                raise ProtocolError(
                    f"{self._client.name} is no rig: the board there speaks SMP but has no rig "
                    f"group ({Group.RIG.value})"
                ) from e
            raise
        self._identity = InfoRequest().decode(fields)
        return self._identity

    def ask(self, request: RigRequest[T], timeout_ns: int = DEFAULT_TIMEOUT_NS) -> T:
        """Return the answer, which is of the boot that was identified."""
        return self.ask_stamped(request, timeout_ns)[1]

    def ask_stamped(
        self, request: RigRequest[T], timeout_ns: int = DEFAULT_TIMEOUT_NS
    ) -> tuple[Reply, T]:
        """Return the same, with the host's stamps of the very try that was answered."""
        identity = self.identity()
        try:
            reply, fields = self.request(request, timeout_ns)
        except DeviceFault as e:
            if e.group == Group.RIG and e.code in _DOUBTFUL_CODES:
                self._check_boot(self.request(TimeRequest())[1])
            raise
        self._check_boot(fields)
        return reply, request.decode(fields, identity)

    def request(
        self,
        request: Request,
        timeout_ns: int = DEFAULT_TIMEOUT_NS,
        tries: int = DEFAULT_TRIES,
    ) -> tuple[Reply, Fields]:
        """Return the reply with its stamps, and its fields, of whatever boot."""
        reply = self._client.request(request, timeout_ns=timeout_ns, tries=tries, common=self._host)
        return reply, Fields(reply.fields, request.name)

    def _check_boot(self, fields: Fields) -> None:
        """Raise BoardRebooted unless a reply is of the boot that was identified."""
        was, boot = self.identity().info.boot_id, fields.count("boot")
        if boot != was:
            raise BoardRebooted(
                f"the board of {self._client.name} rebooted: its boot id was {was} and is {boot}, "
                "so what it stamped before does not compare with what it stamps now"
            )
