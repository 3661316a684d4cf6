"""An exporter's rig by the serial number of its USB device, as udev would tell of it.

Runs where labgrid is; the devices are made up: python usb_rig.py PORT. Writes what it found, as
JSON.
"""

import json
import sys
from types import SimpleNamespace

from resume_rig.labgrid_rig.exporter import ResumeRigExport
from resume_rig.model.errors import LinkLost, UsageError
from resume_rig.rig.link.open import open_rig


def tty(serial: str, action: str) -> SimpleNamespace:
    """Return a serial port of a USB device, as pyudev tells of it."""
    nothing = SimpleNamespace(get=lambda key: None)
    usb = SimpleNamespace(properties={"SUBSYSTEM": "usb"}, attributes=nothing)
    return SimpleNamespace(
        properties={"SUBSYSTEM": "tty", "ID_SERIAL_SHORT": serial},
        attributes=nothing,
        ancestors=[usb],
        device_node=sys.argv[1],
        sys_path=f"/sys/{serial}",
        action=action,
    )


match = {"ID_SERIAL_SHORT": "0001"}
config = {"cls": "USBResumeRig", "params": {"match": match}, "avail": False}
export = ResumeRigExport(config, host="127.0.0.1", proxy="127.0.0.1", proxy_required=False)
export.poll()
found = {"before": export.avail, "shown": export.data["cls"]}
export.local.try_match(tty("0002", "add"))
export.poll()
found["another"] = export.avail
export.local.try_match(tty("0001", "add"))
export.poll()
found["plugged"] = (export.avail, export.params["port"], export.params["extra"]["usb_serial"])
export.acquire("laptop7")
url = f"rfc2217:127.0.0.1:{export.params['port']}"
opened = open_rig(url)
found["board"] = opened.rig.info().board
opened.rig.close()
export.local.try_match(tty("0001", "remove"))
export.poll()
found["unplugged"] = (export.avail, export.params["port"])
try:
    open_rig(url)
except LinkLost as error:
    found["then"] = str(error)
remote = ResumeRigExport(
    {"cls": "RawResumeRig", "params": {"port": sys.argv[1]}, "avail": True},
    host="lab1",
    proxy="lab1",
    proxy_required=False,
)
remote.acquire("laptop8")
remote.poll()
found["remote"] = (remote.params["host"], remote.params["extra"]["proxy_required"])
opened = open_rig(f"rfc2217:127.0.0.1:{remote.params['port']}")
opened.rig.close()
remote.release()
remote.poll()
try:
    ResumeRigExport(
        {"cls": "RawResumeRig", "params": {"port": "x", "listen": "0.0.0.0"}},
        host="lab1",
        proxy="lab1",
        proxy_required=False,
    )
except UsageError as error:
    found["everywhere"] = str(error)
sys.stdout.write(json.dumps(found) + "\n")
