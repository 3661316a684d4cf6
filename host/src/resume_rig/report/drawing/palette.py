"""The colours of every picture: reports take them as CSS variables, the application as values.

Fills of phases are those of Okabe and Ito (2008). A channel has one hue in both sets; its lines
were searched for the greatest least difference (OKLab) as people without red, green or blue cones
see them (Machado, Oliveira and Fernandes, 2009), at a contrast of 3:1 or more against the paper
(WCAG 2.1, 1.4.11). host/tests/report/test_palette.py computes both again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Final

from resume_rig.model.channel import Channel


@dataclass(frozen=True, slots=True)
class Colours:
    """One set, as `#rrggbb`.

    Attributes:
        page: behind the cards of a report. paper: of cards and plots.
        amber: a doubt about an answer. failed, passed, none: grounds of a verdict's word.
        marginal: ground of MARGINAL; its word is in `on_marginal`.
        hidden: lines of the hatch that stands for time that nobody reports.
        edge: around fills, so that pale ones end somewhere.
        lanes: of each channel's line.
    """

    dark: bool
    page: str
    paper: str
    card: str
    ink: str
    soft: str
    line: str
    blue: str
    hatch: str
    hidden: str
    limit: str
    passed: str
    failed: str
    edge: str
    lanes: Mapping[Channel, str]
    amber: str = "#8a5a00"
    none: str = "#636b73"
    sky: str = "#56b4e9"
    orange: str = "#e69f00"
    green: str = "#009e73"
    yellow: str = "#f0e442"
    vermillion: str = "#d55e00"
    purple: str = "#cc79a7"
    marginal: str = "#f0e442"
    on_marginal: str = "#16191c"
    on_colour: str = "#ffffff"
    on_fill: str = "#101214"
    on_bios: str = "#ffffff"

    def lane(self, channel: Channel) -> str:
        """Return the colour of a channel's line; each line has its name, too."""
        return self.lanes[channel]


LIGHT: Final = Colours(
    dark=False,
    page="#f4f5f7",
    paper="#ffffff",
    card="#f6f7f8",
    ink="#16191c",
    soft="#555e66",
    line="#d5dade",
    blue="#0072b2",
    hatch="#7b848c",
    hidden="#8a5a00",
    limit="#b34700",
    passed="#00694d",
    failed="#b34700",
    edge="#16191c",
    lanes=MappingProxyType(
        {
            Channel.SLP_S3: "#0b4361",
            Channel.SLP_S4: "#4387f1",
            Channel.SLP_S5: "#230450",
            Channel.SLP_S0: "#6807a9",
            Channel.PWR_OK: "#9b5009",
            Channel.PLTRST: "#197569",
            Channel.BACKLIGHT: "#a4851d",
            Channel.LED: "#e61dab",
            Channel.BUTTON: "#75300d",
            Channel.LID: "#4e0b00",
        }
    ),
)
DARK: Final = Colours(
    dark=True,
    page="#0e1113",
    paper="#14171a",
    card="#1d2226",
    ink="#e9ecee",
    soft="#a5afb7",
    line="#373f46",
    blue="#2f8cda",
    hatch="#8c969e",
    hidden="#e6a23c",
    limit="#ef7a2d",
    passed="#007a5a",
    failed="#b84b00",
    edge="#0b0d0f",
    on_bios="#101214",
    lanes=MappingProxyType(
        {
            Channel.SLP_S3: "#69cbf4",
            Channel.SLP_S4: "#7495ed",
            Channel.SLP_S5: "#8651db",
            Channel.SLP_S0: "#bad5a2",
            Channel.PWR_OK: "#f1bf30",
            Channel.PLTRST: "#9ffaee",
            Channel.BACKLIGHT: "#fbfe7a",
            Channel.LED: "#e1208c",
            Channel.BUTTON: "#9f5e1a",
            Channel.LID: "#e9817a",
        }
    ),
)


def css_variables() -> str:
    """Return both sets as rules of a style sheet: dark where the reader's screen is."""
    return (
        f":root {{ color-scheme: light dark; {_variables(LIGHT)} }}\n"
        "@media screen and (prefers-color-scheme: dark) {\n"
        f"  :root {{ {_variables(DARK)} }}\n}}\n"
        + "".join(
            f"svg .{lane_class(each)} {{ stroke: var(--{lane_class(each)}); }}\n"
            for each in Channel
        )
    )


def lane_class(channel: Channel) -> str:
    """Return the class that the style sheet knows a channel's line by."""
    return f"lane-{channel.value.lower().replace('_', '-')}"


def _variables(colours: Colours) -> str:
    plain = {
        each.name.replace("_", "-"): getattr(colours, each.name)
        for each in fields(colours)
        if each.name not in {"dark", "lanes"}
    }
    lanes = {lane_class(channel): colours.lane(channel) for channel in Channel}
    return " ".join(f"--{name}: {value};" for name, value in (plain | lanes).items())
