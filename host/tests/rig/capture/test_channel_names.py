"""Names of signals as schematics, boards and analysers spell them."""

import pytest

from resume_rig.model.channel import Channel
from resume_rig.model.errors import UsageError
from resume_rig.rig.capture.signals import channel_map_of, channel_of_name, schematic_name

SPELLINGS = {
    Channel.SLP_S3: "SLP_S3 SLP_S3# SLP_S3_N SLP_S3_L SLP_S3_B nSLP_S3 /SLP_S3 slp_s3# PM_SLP_S3#"
    " SLP-S3# SLP_S3*",
    Channel.SLP_S4: "SLP_S4# slp_s4_n nSLP_S4 SLPS4n",
    Channel.SLP_S5: "SLP_S5# SLP_S5_N",
    Channel.SLP_S0: "SLP_S0# SLP_S0_N PM_SLP_S0#",
    Channel.PLTRST: "PLTRST# PLT_RST# PLTRST_N PLTRST_L nPLTRST pltrst#[0]",
    Channel.PWR_OK: "PWR_OK PWROK pwr_ok PWR_GOOD PWRGD POWER_GOOD",
    Channel.BUTTON: "BUTTON PWRBTN# PWR_BTN PWRBTN_N PWR_BTN# PWRSW# POWER_BUTTON",
    Channel.LID: "LID LID# LID_SW LID_SW# LIDSW_N LID_SWITCH",
    Channel.BACKLIGHT: "BACKLIGHT backlight BKLT_EN",
    Channel.LED: "LED PWR_LED",
}
# A name that says "low when on", a name of something else, a name that only begins so.
NONE = "PWR_OK# LED_N nBACKLIGHT D0 SLP_SUS# N # _N RSMRST# SYS_PWROK SLP_S33 XLED1"


@pytest.mark.parametrize(
    ("name", "channel"),
    [(name, channel) for channel, names in SPELLINGS.items() for name in names.split()],
)
def test_the_usual_spellings_are_recognised(name: str, channel: Channel) -> None:
    assert channel_of_name(name) is channel


@pytest.mark.parametrize("name", ["", *NONE.split()])
def test_other_names_are_not(name: str) -> None:
    assert channel_of_name(name) is None


@pytest.mark.parametrize("channel", list(Channel))
def test_names_that_are_shown_are_accepted(channel: Channel) -> None:
    assert channel_of_name(schematic_name(channel)) is channel


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("BUTTON=D2", (Channel.BUTTON, ("D2", False))),
        ("BUTTON=~D2", (Channel.BUTTON, ("D2", True))),
        ("BUTTON=!D2", (Channel.BUTTON, ("D2", True))),
        ("PWRBTN#=Channel 2", (Channel.BUTTON, ("Channel 2", False))),
        ("slp_s3_n=SLP=S3", (Channel.SLP_S3, ("SLP=S3", False))),
    ],
)
def test_maps_of_the_command_line(text: str, found: tuple[Channel, tuple[str, bool]]) -> None:
    assert channel_map_of([text]) == dict([found])


@pytest.mark.parametrize("text", ["BUTTON", "BUTTON=", "BUTTON=~", "=D2", "RTC=D2", "LED_N=D2"])
def test_other_maps_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--channel"):
        channel_map_of([text])


def test_one_channel_is_mapped_once_however_it_is_spelled() -> None:
    with pytest.raises(UsageError, match="maps SLP_S3 a second time"):
        channel_map_of(["SLP_S3=D0", "SLP_S3#=D1"])
