"""A request of any group, command and map: also one that the host never sends."""

from resume_rig.rig.smp.packet import Group, Operation
from resume_rig.rig.smp.request import Request


def raw_request(
    operation: Operation,
    group: int,
    command: int,
    fields: dict[str, object] | None = None,
    name: str = "time",
) -> Request:
    class Raw(Request):
        def fields(self) -> dict[str, object]:
            return fields or {}

    Raw.operation, Raw.group, Raw.command, Raw.name = operation, group, command, name
    return Raw()


RESET = raw_request(Operation.WRITE, Group.OS, 5, name="reset")
