"""Figures and plots of a campaign as HTML for log.html.

They stand in a frame without rights (`sandbox`): its style does not touch the log, and whatever
text of a DUT is in it can run nothing. The page inside was escaped; here it is once more.
"""

from html import escape

from resume_rig.acceptance.assessment import Assessed
from resume_rig.report.hostile_text import encodable
from resume_rig.report.html import embedded_report

_HEIGHT_PX = 760


def figures_html(assessed: Assessed) -> str:
    """Return a frame with requirement, verdict, figures and plots; bounded for any campaign."""
    page = embedded_report(assessed.correlation, assessed.facts, "for this log")
    return (
        f'<iframe sandbox="" title="figures of the campaign" loading="lazy" '
        f'style="width:100%;height:{_HEIGHT_PX}px;border:1px solid #999" '
        f'srcdoc="{escape(encodable(page), quote=True)}"></iframe>'
    )
