"""Where a rig is: a port of this machine, a USB device, or a port that an exporter shares."""

import attr
from labgrid.factory import target_factory
from labgrid.resource.base import SerialPort
from labgrid.resource.common import NetworkResource, Resource
from labgrid.resource.udev import USBSerialPort
from labgrid.util.proxy import proxymanager

from resume_rig.model.rig_url import RigUrl


@target_factory.reg_resource
@attr.s(eq=False)
class RawResumeRig(SerialPort, Resource):
    """A rig at a port that has a name of its own, e.g. one of /dev/serial/by-id."""

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        if not self.port:
            raise ValueError(
                "a RawResumeRig needs its port, for example port: /dev/serial/by-id/..."
            )


@target_factory.reg_resource
@attr.s(eq=False)
class USBResumeRig(USBSerialPort):
    """A rig by the serial number of its USB device: `match: {ID_SERIAL_SHORT: '0001'}`."""


@target_factory.reg_resource
@attr.s(eq=False)
class NetworkResumeRig(NetworkResource):
    """A rig that an exporter shares as RFC 2217; there is a port while a place has it."""

    port = attr.ib(
        default=None, validator=attr.validators.optional(attr.validators.instance_of(int))
    )


def url_of(resource: RawResumeRig | USBResumeRig | NetworkResumeRig) -> RigUrl:
    """Return the URL by which the rig is opened from here, through labgrid's proxies."""
    if isinstance(resource, NetworkResumeRig):
        host, port = proxymanager.get_host_and_port(resource)
        return RigUrl(f"rfc2217:{f'[{host}]' if ':' in host else host}:{port}")
    return RigUrl(f"serial:{resource.port}")
