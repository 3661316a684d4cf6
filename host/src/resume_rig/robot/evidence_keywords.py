"""Keywords that hand a campaign over: report, JUnit, evidence."""

from pathlib import Path

from resume_rig.acceptance.campaigning import write_report
from resume_rig.acceptance.evidence import Exporter, write_evidence
from resume_rig.acceptance.evidence_checks import evidence_is_whole, junit_says
from resume_rig.model.errors import UsageError
from resume_rig.robot.arguments import sentence
from resume_rig.robot.keywords import Keywords
from resume_rig.robot.output_folder import new_place


class EvidenceKeywords(Keywords):
    """Keywords that hand the campaign over that was run or loaded last."""

    @sentence("Write Report")
    def write_report(self, path: str) -> str:
        """Write the HTML report to ``path``; a campaign that was run here has one already."""
        return str(write_report(self._held.campaign(), Path(path)))

    @sentence("Write JUnit")
    def write_junit(self, path: str) -> str:
        """Write the campaign as JUnit XML, a case a requirement, for systems beside Robot."""
        self._exporter().write("junit", Path(path))
        return path

    @sentence("Write Evidence")
    def write_evidence(self, folder: str | None = None) -> str:
        """Write report, JUnit, tables, waves, trace and store into a new folder with a manifest.

        Returns the folder; without a name it is a new one in the output folder.
        """
        place = new_place("evidence") if folder is None else Path(folder)
        write_evidence(self._exporter(), place)
        return str(place)

    @sentence("Evidence Should Be Whole")
    def evidence_should_be_whole(self, folder: str) -> str:
        """Check every file of a folder of evidence against its manifest."""
        return self._held.expect(evidence_is_whole(Path(folder)))

    @sentence("JUnit Should Agree")
    def junit_should_agree(self, path: str) -> str:
        """Check that a JUnit file gives the campaign's verdict."""
        verdict = self._held.campaign().correlation.verdict
        return self._held.expect(junit_says(Path(path), verdict))

    def _exporter(self) -> Exporter:
        assessed = self._held.campaign()
        if assessed.store is None:
            raise UsageError("could not export the campaign: it is of no store")
        return Exporter(assessed.store, assessed.facts.requirement)
