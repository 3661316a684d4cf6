"""A Windows DUT's answers, in a localised Windows too: what is read are ids and numbers."""

from collections.abc import Mapping

import pytest

from resume_rig.campaign.dut.shell import Answer, DutKind
from resume_rig.campaign.preparation.doctor import items_for, look_at
from resume_rig.campaign.preparation.windows import (
    EVENTS_A_CYCLE,
    power_settings,
    registry_values,
    sleep_states,
)
from resume_rig.model.preparation import Found, Reply, Standing

HYBRID = "94ac6d29-73ce-41a6-809f-6363ba21b47e"
POWER_BUTTON = "7648efa3-dd9c-4e3e-b566-50f929386280"
SET_UP = {
    HYBRID: (0, 0),
    "29f6c1db-86da-48c5-9fdb-f2b67b1f44da": (0, 0),
    "7bc4a2f9-d8fc-4469-b07b-33eb785aaca0": (0, 0),
    "9d7815a6-7ee4-497e-8888-515a05f02364": (0, 0),
    "3c0bc021-c8a8-4e07-a973-6b14cbcb2b7e": (0, 0),
    "bd3b718a-0680-4d9d-8ab2-e1d2b4ac806d": (0, 0),
    "0e796bdb-100d-47d6-a2d5-f7d2daa51f51": (0, 0),
    POWER_BUTTON: (1, 1),
    "5ca83367-6e45-459f-a27b-476b1d01c936": (1, 1),
}
ENGLISH = ("Power Setting GUID", "Current AC Power Setting Index", "Current DC Power Setting Index")
GERMAN = ("GUID der Energieeinstellung", "Index der Netzstrom", "Index der Akku")
STATES = {
    "en": "The following sleep states are available on this system:\n"
    "    Standby (S3)\n    Hibernate\n\n"
    "The following sleep states are not available on this system:\n"
    "    Standby (S1)\n\tThe system firmware does not support this standby state.\n",
    "de": "Auf diesem System sind folgende Standbymodusfunktionen verfuegbar:\n"
    "    Standby (S0 Niedriger Energiestand) Netzwerk verbunden\n\n"
    "Die folgenden Standbymodusfunktionen sind nicht verfuegbar:\n"
    "    Standby (S3)\n\tDie Systemfirmware unterstuetzt diesen Standbystatus nicht.\n",
}


UNCONNECTED = (
    "Es ist 1 Schnittstelle auf dem System vorhanden:\n    Name          : WLAN\n"
    "    GUID          : 8a9b2c33-1f2e-4d5c-9b7a-0123456789ab\n"
    "    Physische Adresse : 00:11:22:33:44:55\n    Status        : Getrennt\n"
)
CONNECTED = UNCONNECTED + "    BSSID         : 66:77:88:99:aa:bb\n"


def plan(settings: Mapping[str, tuple[int, int]], words: tuple[str, str, str] = ENGLISH) -> str:
    """Print settings as `powercfg /qh` does."""
    lines = ["Power Scheme GUID: 381b4222-f694-41f0-9685-ff5bb260df2e  (Balanced)"]
    for guid, (mains, battery) in settings.items():
        lines += [
            "  Subgroup GUID: 238c9fa8-0aad-41ed-83f4-97be242c8f20  (Sleep)",
            f"    {words[0]}: {guid}  (something)",
            "      Minimum Possible Setting: 0x00000000",
            "      Possible Setting Index: 001",
            f"    {words[1]}: 0x{mains:08x}",
            f"    {words[2]}: 0x{battery:08x}",
            "",
        ]
    return "\r\n".join(lines)


def registry(name: str, kind: str, data: str) -> str:
    return f"\r\nHKEY_LOCAL_MACHINE\\SYSTEM\\Somewhere\r\n    {name}    {kind}    {data}\r\n\r\n"


def good_answers() -> dict[str, str]:
    """What a DUT says that is set up; questions that are not here are refused, as absent ones."""
    return {
        "powercfg /a": STATES["en"],
        "/qh": plan(SET_UP),
        "HiberbootEnabled": registry("HiberbootEnabled", "REG_DWORD", "0x0"),
        "SysMain": registry("Start", "REG_DWORD", "0x2"),
        "MaintenanceDisabled": registry("MaintenanceDisabled", "REG_DWORD", "0x1"),
        "SystemStartOptions": registry("SystemStartOptions", "REG_SZ", " NOEXECUTE=OPTIN  FVEBOOT"),
        "Parameters /v Domain": registry("Domain", "REG_SZ", ""),
        "AutoAdminLogon": registry("AutoAdminLogon", "REG_SZ", "1"),
        "EnableLUA": registry("EnableLUA", "REG_DWORD", "0x1"),
        "ScreenSaverIsSecure": registry("ScreenSaverIsSecure", "REG_SZ", "0"),
        "netsh wlan": UNCONNECTED,
        "pnputil": "Instanz-ID: USB\\VID_04F2&PID_B6D9\\1\nInstanz-ID: USB\\ROOT_HUB30\\4\n",
        "USBSTOR": registry("Count", "REG_DWORD", "0x0"),
        "FwPOSTTime": registry("FwPOSTTime", "REG_DWORD", "0x2134"),
        "EnablePrefetcher": registry("EnablePrefetcher", "REG_DWORD", "0x3"),
        "HibernateEnabled": registry("HibernateEnabled", "REG_DWORD", "0x1"),
        "getactivescheme": "GUID des Energieschemas: 381b4222-f694-41f0-9685-ff5bb260df2e\n",
        "wevtutil gli": "creationTime: x\nfileSize: 20975616\nnumberOfLogRecords: 30000\n",
        "wevtutil gl System": "<channel><logging><maxSize>268435456</maxSize></logging></channel>",
    }


def found_with(changes: Mapping[str, str], cycles: int = 1000) -> dict[str, Found]:
    answers = good_answers() | dict(changes)

    def run(command: str) -> Answer:
        for part, text in answers.items():
            if part in command:
                return Answer(text.encode(), 0)
        return Answer(b"", 1)

    return {entry.item.name: entry.found for entry in look_at(run, cycles)}


def test_a_dut_that_is_set_up_needs_no_change() -> None:
    found = found_with({})
    assert len(found) == len(items_for(DutKind.WINDOWS, 1)) == 36
    assert {entry.standing for entry in found.values()} <= {Standing.GOOD, Standing.NOTE}


@pytest.mark.parametrize(
    ("item", "question", "text"),
    [
        ("sleep states", "powercfg /a", STATES["de"]),
        ("fast startup", "HiberbootEnabled", registry("HiberbootEnabled", "REG_DWORD", "0x1")),
        ("hybrid sleep", "/qh", plan(SET_UP | {HYBRID: (1, 0)})),
        ("hybrid sleep", "/qh", plan(SET_UP | {HYBRID: (0, 1)}, GERMAN)),
        ("power button", "/qh", plan(SET_UP | {POWER_BUTTON: (3, 1)})),
        ("scheduled maintenance", "MaintenanceDisabled", ""),
        ("network drives", r"HKCU\Network", "HKEY_CURRENT_USER\\Network\\Z\r\n"),
        ("power policies", "PowerSettings", "HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\x\r\n"),
        ("write filter", "uwfvol", registry("Start", "REG_DWORD", "0x0")),
        (
            "test-signed drivers",
            "SystemStartOptions",
            registry("SystemStartOptions", "REG_SZ", "TESTSIGNING NOEXECUTE=OPTIN"),
        ),
        (
            "kernel debugger",
            "SystemStartOptions",
            registry("SystemStartOptions", "REG_SZ", "DEBUG=LOCAL DEBUGPORT=1394"),
        ),
        ("driver verifier", "VerifyDrivers", registry("VerifyDrivers", "REG_SZ", "*")),
        ("auto-logon", "AutoAdminLogon", ""),
        ("screen saver", "ScreenSaverIsSecure", registry("ScreenSaverIsSecure", "REG_SZ", "1")),
        ("wireless", "netsh wlan", CONNECTED),
        ("USB devices", "USBSTOR", registry("Count", "REG_DWORD", "0x1")),
        ("NFS client", "NfsClnt", registry("Start", "REG_DWORD", "0x2")),
        ("prefetcher", "EnablePrefetcher", registry("EnablePrefetcher", "REG_DWORD", "0x0")),
        ("updates", "RebootRequired", "HKEY_LOCAL_MACHINE\\SOFTWARE\\x\\RebootRequired\r\n"),
        ("new drivers", "UserPnp", "<Event><System><EventID>20001</EventID></System></Event>"),
    ],
)
def test_what_is_not_as_it_should_be_is_found_and_nothing_else(
    item: str, question: str, text: str
) -> None:
    found = found_with({question: text})
    assert [name for name, e in found.items() if e.standing is Standing.CHANGE] == [item]


def test_what_is_neither_right_nor_wrong_is_noted_in_any_language() -> None:
    startup = registry("Mailer", "REG_SZ", "C:\\mailer.exe")
    found = found_with({r"HKCU\Software": startup, "netsh wlan": ""})
    told = {name: entry.text for name, entry in found.items() if entry.standing is Standing.NOTE}
    assert told["USB devices"] == "1: USB\\VID_04F2&PID_B6D9"
    assert told["fast POST"] == "the last boot's firmware took 8.5 s"
    assert told["power plan"] == "balanced"
    assert told["startup applications"] == "1: mailer"
    assert told["wireless"].startswith("no adapter answers")


def test_each_item_that_is_to_be_set_says_how_and_those_of_the_papers_say_where() -> None:
    for item in items_for(DutKind.WINDOWS, 1):
        assert item.wanted
        assert not item.source or ": " in item.source
    assert sum(bool(item.source) for item in items_for(DutKind.WINDOWS, 1)) >= 15


def test_the_log_must_have_room_for_the_campaign() -> None:
    bytes_a_record = 20975616 / 30000
    fits = int(268435456 / bytes_a_record / EVENTS_A_CYCLE)
    assert found_with({}, cycles=fits)["event log"].standing is Standing.GOOD
    assert found_with({}, cycles=fits + 1)["event log"].standing is Standing.CHANGE


def test_a_domain_is_noted_and_not_condemned() -> None:
    found = found_with({"Parameters /v Domain": registry("Domain", "REG_SZ", "corp.example")})
    assert found["domain"] == Found(Standing.NOTE, "belongs to corp.example")


def test_a_setting_that_the_plan_lacks_is_unknown() -> None:
    settings = {guid: values for guid, values in SET_UP.items() if guid != HYBRID}
    assert found_with({"/qh": plan(settings)})["hybrid sleep"].standing is Standing.UNKNOWN


@pytest.mark.parametrize("words", [ENGLISH, GERMAN], ids=["English", "German"])
def test_power_settings_are_read_by_guid(words: tuple[str, str, str]) -> None:
    settings = power_settings(Reply(0, plan(SET_UP | {HYBRID: (1, 900)}, words)))
    assert (settings[HYBRID].mains, settings[HYBRID].battery) == (1, 900)
    assert settings.keys() >= SET_UP.keys()


@pytest.mark.parametrize(("language", "states"), [("en", {"S3"}), ("de", {"S0"})])
def test_sleep_states_are_those_below_the_first_heading(language: str, states: set[str]) -> None:
    assert sleep_states(Reply(0, STATES[language])) == states


def test_registry_values_keep_their_spaces_and_survive_nonsense() -> None:
    text = registry("A name", "REG_DWORD", "0xnonsense") + registry("B", "REG_SZ", "two words")
    assert registry_values(Reply(0, text)) == {"a name": "0", "b": "two words"}
