"""PwrTest's XML log, both generations of names, as a stream."""

import re
from collections.abc import Mapping
from typing import Final

from resume_rig.oslog.element_stream import scan_elements
from resume_rig.oslog.log_text import head_text
from resume_rig.oslog.pwrtest_account import PwrTestAccounts, PwrTestTransition
from resume_rig.oslog.source_reading import SourceReading, SourceRequest

KIND: Final = "pwrtest-xml"

_ROOT: Final = re.compile(r"<(?:[\w.\-]{1,64}:)?PwrTestLog[\s/>]", re.IGNORECASE)
_IDENTITY: Final = frozenset({"systeminformation", "system_power_capabilities"})


def is_pwrtest_xml(head: bytes) -> bool:
    """Whether a file that begins so is an XML log of PwrTest."""
    text = head_text(head)
    return text.startswith("<") and _ROOT.search(text) is not None


def read_pwrtest_xml(request: SourceRequest) -> SourceReading:
    """Return the OS records of an XML log of PwrTest.

    Raises:
        RecordError: it declares a document type or an entity.
    """
    taker = _Transitions(PwrTestAccounts(request, KIND), keep_text=request.keep_text)
    scan_elements(request.path, taker, taker.accounts.tally)
    return taker.finish()


class _Transitions:
    """Takes elements: `SleepTransition` with its values, and what identifies the DUT."""

    def __init__(self, accounts: PwrTestAccounts, *, keep_text: bool) -> None:
        self.accounts = accounts
        self._keep_text = keep_text
        self._transition: PwrTestTransition | None = None
        self._identity: list[str] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        tag = name.lower()
        if tag == "sleeptransition":
            self._close(cut=True)
            self._transition = PwrTestTransition(
                number=attributes.get("number", ""), status=attributes.get("status", "")
            )
            for attribute, value in attributes.items():
                self._transition.take(attribute, value)
        elif tag in _IDENTITY or self._identity:
            self._identity.append(tag)
            for attribute, value in attributes.items():
                self.accounts.identify(attribute, value)

    def end(self, name: str, text: str) -> None:
        if self._identity:
            self._identity.pop()
            if self._identity and text:
                self.accounts.identify(name, text)
        elif name.lower() == "sleeptransition":
            self._close(cut=False)
        elif self._transition is not None:
            known = self._transition.take(name, text)
            if known and self._keep_text:
                self._transition.text.append(f"{name}: {text}")

    def finish(self) -> SourceReading:
        self._close(cut=True)
        return self.accounts.finish()

    def _close(self, *, cut: bool) -> None:
        """Take a transition; one that the log breaks off in counts as not measured."""
        if self._transition is None:
            return
        if cut:
            self._transition.status = "not complete"
        self.accounts.add(self._transition)
        self._transition = None
