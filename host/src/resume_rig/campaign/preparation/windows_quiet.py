"""The checklist of what Microsoft's papers ask to be quiet, or the same each time, on Windows.

Each item has the section that asks for it. What a tool prints in its own language is read by what
no language changes: GUIDs, MAC addresses, instance ids, the registry's own names.
"""

import re
from collections.abc import Sequence
from typing import Final

from resume_rig.analysis.findings.advice import EMBEDDED, ON_OFF
from resume_rig.campaign.preparation.windows import registry_keys, registry_values
from resume_rig.model.preparation import Found, Item, Reply, Standing

_MAC: Final = re.compile(r"\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b", re.IGNORECASE)
_GUID: Final = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE)
_USB: Final = re.compile(r"\b(USB\\VID_[0-9A-F]{4}&PID_[0-9A-F]{4})(?!&MI_)", re.IGNORECASE)
_NAMED: Final = 6  # of what is found; the count says how many there are
_DISABLED: Final = "4"
_PLANS: Final = {
    "381b4222-f694-41f0-9685-ff5bb260df2e": "balanced",
    "8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c": "high performance",
    "a1841308-3541-4fab-bc81-f71556f20b4a": "power saver",
}
_CONTROL: Final = r"HKLM\SYSTEM\CurrentControlSet\Control"
_SOFTWARE: Final = r"HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion"
_WINLOGON: Final = r"HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Winlogon"
_PREFETCH: Final = rf"{_CONTROL}\Session Manager\Memory Management\PrefetchParameters"
_DESKTOP: Final = r"HKCU\Control Panel\Desktop"
_USER: Final = f"{ON_OFF}: User Interaction Effects on Performance Measurements"
_NETWORK: Final = f"{ON_OFF}: Network Connection Effects on Performance Measurements"


def quiet_items() -> tuple[Item, ...]:
    """Return the checklist."""
    return _ITEMS


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(name[:60] for name in names[:_NAMED])
    return shown + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")


def _value(reply: Reply, name: str) -> str | None:
    return registry_values(reply).get(name.lower())


def _auto_logon(replies: Sequence[Reply]) -> Found:
    on = _value(replies[0], "AutoAdminLogon") == "1"
    return Found.good_if(on, "on", "off")


def _account_control(replies: Sequence[Reply]) -> Found:
    value = _value(replies[0], "EnableLUA")
    return Found(Standing.NOTE, "off" if value == "0" else "on")


def _screen_saver(replies: Sequence[Reply]) -> Found:
    locks = _value(replies[0], "ScreenSaverIsSecure") == "1"
    return Found.good_if(not locks, "does not", "asks for it")


def _wireless(replies: Sequence[Reply]) -> Found:
    """A connected interface prints the address of its access point after its own."""
    interfaces = len(_GUID.findall(replies[0].text))
    if replies[0].status or not interfaces:
        return Found(Standing.NOTE, "no adapter answers: there is none, or it is switched off")
    connected = len(_MAC.findall(replies[0].text)) > interfaces
    return Found.good_if(not connected, "on and not connected", "on and connected")


def _usb(replies: Sequence[Reply]) -> Found:
    devices, disks = replies
    stored = _value(disks, "Count") or "0"
    if stored.isdecimal() and int(stored):
        return Found(Standing.CHANGE, f"{int(stored)} of mass storage")
    if devices.status:
        return Found(Standing.UNKNOWN, "no mass storage; this Windows lists no others")
    found = list(dict.fromkeys(each.upper() for each in _USB.findall(devices.text)))
    return Found(Standing.NOTE, f"{len(found)}: {_listed(found)}" if found else "none")


def _nfs(replies: Sequence[Reply]) -> Found:
    start = _value(replies[0], "Start")
    if start in {None, _DISABLED}:
        return Found(Standing.GOOD, "not installed" if start is None else "disabled")
    return Found(Standing.CHANGE, "is installed and may start")


def _post(replies: Sequence[Reply]) -> Found:
    took = _value(replies[0], "FwPOSTTime")
    if took is None or not took.isdecimal():
        return Found(Standing.UNKNOWN, "Windows does not report the firmware's time")
    return Found(Standing.NOTE, f"the last boot's firmware took {int(took) / 1000:.1f} s")


def _prefetcher(replies: Sequence[Reply]) -> Found:
    value = _value(replies[0], "EnablePrefetcher")
    if value is None:
        return Found(Standing.UNKNOWN, "EnablePrefetcher is not set")
    return Found.good_if(value == "3", f"EnablePrefetcher is {value[:20]}")


def _startup(replies: Sequence[Reply]) -> Found:
    names = list(dict.fromkeys(name for reply in replies for name in registry_values(reply)))
    return Found(Standing.NOTE, f"{len(names)}: {_listed(names)}" if names else "none")


def _hibernation(replies: Sequence[Reply]) -> Found:
    on = _value(replies[0], "HibernateEnabled") == "1"
    return Found(Standing.NOTE, "on" if on else "off")


def _plan(replies: Sequence[Reply]) -> Found:
    guid = _GUID.search(replies[0].text)
    if guid is None:
        return Found(Standing.UNKNOWN, "powercfg does not report it")
    return Found(Standing.NOTE, _PLANS.get(guid[0].lower(), guid[0].lower()))


def _updates(replies: Sequence[Reply]) -> Found:
    waits = any(registry_keys(reply) for reply in replies)
    return Found.good_if(not waits, "none wait", "wait for a restart")


_ITEMS: Final = (
    Item(
        "auto-logon",
        "on: nobody is there to type after a boot or a recovery, and the wait counts as boot time",
        (f'reg query "{_WINLOGON}" /v AutoAdminLogon',),
        _auto_logon,
        f'reg add "{_WINLOGON}" /v AutoAdminLogon /t REG_SZ /d 1 /f, with DefaultUserName and '
        "DefaultPassword, or Sysinternals' Autologon, which keeps the password encrypted",
        source=_USER,
    ),
    Item(
        "user account control",
        "off (EnableLUA 0) where xbootmgr runs: its question stops the run; a campaign by SSH "
        "asks nothing and can do with it on",
        (rf"reg query {_SOFTWARE}\Policies\System /v EnableLUA",),
        _account_control,
        rf"reg add {_SOFTWARE}\Policies\System /v EnableLUA /t REG_DWORD /d 0 /f, then restart",
        source=_USER,
    ),
    Item(
        "screen saver",
        "asks for no password on resume: xbootmgr sleeps only without",
        (f'reg query "{_DESKTOP}" /v ScreenSaverIsSecure',),
        _screen_saver,
        f'reg add "{_DESKTOP}" /v ScreenSaverIsSecure /t REG_SZ /d 0 /f',
        source=f"{ON_OFF}: Other Test Notes",
    ),
    Item(
        "wireless",
        "on and not connected: its driver is measured, its network is not; use a cable for SSH",
        ("netsh wlan show interfaces",),
        _wireless,
        "netsh wlan disconnect, and no profile that connects by itself",
        source=_NETWORK,
    ),
    Item(
        "USB devices",
        "only those that are built in: the initialisation of others may take seconds",
        (
            "pnputil /enum-devices /connected /class USB",
            r"reg query HKLM\SYSTEM\CurrentControlSet\Services\USBSTOR\Enum /v Count",
        ),
        _usb,
        "unplug them",
        source=f"{EMBEDDED}: Services",
    ),
    Item(
        "NFS client",
        "disabled: it adds 20 to 45 s to some boots",
        (r"reg query HKLM\SYSTEM\CurrentControlSet\Services\NfsClnt /v Start",),
        _nfs,
        "sc config NfsClnt start= disabled",
        source=f"{EMBEDDED}: Services",
    ),
    Item(
        "fast POST",
        "on in the firmware's set-up: extended memory tests only lengthen the boot",
        (rf'reg query "{_CONTROL}\Session Manager\Power" /v FwPOSTTime',),
        _post,
        "the firmware's set-up (fast boot, quick boot)",
        source=f"{ON_OFF}: BIOSInitialization Performance Vulnerabilities",
    ),
    Item(
        "prefetcher",
        "3 (boot and applications), and trained: untrained boots took 47.5 s, trained ones 17.2 s",
        (f'reg query "{_PREFETCH}" /v EnablePrefetcher',),
        _prefetcher,
        f'reg add "{_PREFETCH}" /v EnablePrefetcher /t REG_DWORD /d 3 /f, then restart six times '
        "(xbootmgr -prepSystem)",
        source=f"{ON_OFF}: Prefetcher Effects on Boot Performance Measurements",
    ),
    Item(
        "startup applications",
        "as shipped, and the same in campaigns that are compared: they run on after the desktop",
        tuple(
            rf"reg query {root}\Software\Microsoft\Windows\CurrentVersion\{key}"
            for root in ("HKLM", "HKCU")
            for key in ("Run", "RunOnce")
        ),
        _startup,
        source=f"{ON_OFF}: PostBoot Performance Vulnerabilities",
    ),
    Item(
        "hibernation",
        "on where S4, hybrid sleep or fast startup is measured; the same in all campaigns",
        (rf"reg query {_CONTROL}\Power /v HibernateEnabled",),
        _hibernation,
        "powercfg /hibernate on",
        source=f"{ON_OFF}: Sleep and Hibernate Transitions",
    ),
    Item(
        "power plan",
        "the same in campaigns that are compared",
        ("powercfg /getactivescheme",),
        _plan,
        "powercfg /setactive SCHEME_BALANCED",
    ),
    Item(
        "updates",
        "none that wait for a restart: they run in the next boot, and new drivers are checked "
        "for 15 minutes",
        (
            rf'reg query "{_SOFTWARE}\WindowsUpdate\Auto Update\RebootRequired"',
            rf'reg query "{_SOFTWARE}\Component Based Servicing\RebootPending"',
        ),
        _updates,
        "shutdown /r /t 0, then leave it idle for 15 minutes",
        source=f"{ON_OFF}: Other Test Notes",
    ),
)
