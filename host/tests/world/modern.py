"""Modern Standby in the System log: Kernel-Power 506 and 507 alone, and no Power-Troubleshooter.

Fields are those of the manifest of build 18990 and of a Windows 11 log.
"""

from dataclasses import dataclass

from world.labs import windows_of
from world.oslog import Windows, xml_of
from world.unit import Random

POWER = "Microsoft-Windows-Kernel-Power"


@dataclass
class Standby:
    """Sessions of Modern Standby, their log and what is true of them."""

    log: str
    sessions: int
    died: int
    exits_us: list[int]


def standby(random: Random, sessions: int, died: float) -> Standby:
    """Return a log of sessions, of which a share never ends."""
    windows = windows_of(random)
    windows.build = 22000
    windows.boot(0.0)
    now, exits, dead = 30.0, [], 0
    for number in range(sessions):
        now += float(random.uniform(60.0, 1800.0))
        windows.write(
            windows.clock(now),
            POWER,
            506,
            3,
            {
                "Reason": int(random.choice([15, 12, 20])),
                "BatteryRemainingCapacityOnEnter": 40000,
                "BatteryFullChargeCapacityOnEnter": 50000,
                "ScenarioInstanceId": number,
            },
        )
        length = float(random.uniform(120.0, 7200.0))
        now += length
        if number and random.random() < died:
            dead += 1
            _boot(windows, now)
            continue
        exits.append(_left(windows, now, length, random))
    return Standby(xml_of([(windows, windows.events)]), sessions, dead, exits)


def _left(windows: Windows, now: float, length: float, random: Random) -> int:
    latency = int(random.lognormal(12.4, 0.3))  # some 240 ms
    share = float(random.uniform(0.4, 0.99))
    windows.write(
        windows.clock(now),
        POWER,
        507,
        5,
        {
            "EnergyDrain": int(length / 10),
            "ActiveResidencyInUs": int(length * 3e4),
            "NonDripsTimeActivatedInUs": 100,
            "FirstDripsEntryInUs": 500_000,
            "DripsResidencyInUs": int(length * 1e6 * share),
            "DurationInUs": int(length * 1e6),
            "DripsTransitions": 5,
            "FullChargeCapacityRatio": 90,
            "AudioPlaying": "false",
            "Reason": 1,
            "ExitLatencyInUs": latency,
            "HwDripsResidencyInUs": int(length * 0.9e6 * share),
        },
    )
    return latency


def _boot(windows: Windows, now: float) -> None:
    windows.boot(now)
    windows.write(windows.clock(now + 1.0), "Microsoft-Windows-Kernel-Boot", 27, 1, {"BootType": 0})
    data = {"BugcheckCode": 0, "SleepInProgress": 0, "ConnectedStandbyInProgress": "true"}
    windows.write(windows.clock(now + 2.0), POWER, 41, 6, data)


def some(random: Random) -> float:
    """Return a share of sessions that never end: none in half of the logs."""
    return 0.0 if random.random() < 0.5 else float(random.uniform(0.05, 0.3))
