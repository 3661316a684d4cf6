"""What PwrTest prints and writes as .log: the form of Microsoft's paper, and the newer one."""

import re
from typing import Final

from resume_rig.oslog.log_text import LogLines, head_text
from resume_rig.oslog.pwrtest_account import PwrTestAccounts, PwrTestTransition
from resume_rig.oslog.source_reading import SourceReading, SourceRequest

KIND: Final = "pwrtest-log"

# The paper writes NO.0 Transition--TargetState:S3; newer ones count, as in No.1 of 4, and space.
_BEGIN: Final = re.compile(
    r"NO\.\s*([0-9]{1,9})(?:\s+of\s+[0-9]{1,9})?\s+Transition\s*--\s*TargetState\s*:\s*(\S*)",
    re.IGNORECASE,
)
_STATE: Final = re.compile(
    r"NO\.\s*[0-9]{1,9}(?:\s+of\s+[0-9]{1,9})?\s+Transition\s*--\s*([^:]{1,200})",
    re.IGNORECASE,
)
_VALUE: Final = re.compile(r"([A-Za-z][A-Za-z _]{0,60}?)\s*:\s*(.*)")
_CAPABILITY: Final = re.compile(r"([A-Za-z][A-Za-z0-9_.]{0,60})\s*=\s*(.*)")
_HEAD: Final = re.compile(r"(?:^|[\r\n])[ \t]*Start:\s*PwrTest\b", re.IGNORECASE)
_ANY_BEGIN: Final = re.compile(
    r"(?:^|[\r\n])[ \t]*NO\.[0-9]{1,9}(?:\s+of\s+[0-9]{1,9})?\s+Transition\s*--", re.IGNORECASE
)
_END: Final = re.compile(r"End:\s*(\w+).*", re.IGNORECASE)
_SECTION: Final = re.compile(
    r"(?:SYSTEM_POWER_CAPABILITIES|System\s?Information)\s*:?", re.IGNORECASE
)
_DONE: Final = frozenset({"complete", "completed"})
_TEXT_LINES_LIMIT: Final = 64
_TEXT_CHARS_LIMIT: Final = 1024


def is_pwrtest_text(head: bytes) -> bool:
    """Whether a file that begins so is what PwrTest prints or its .log."""
    text = head_text(head)
    if text.startswith("<"):
        return False
    return _HEAD.search(text) is not None or _ANY_BEGIN.search(text) is not None


def read_pwrtest_text(request: SourceRequest) -> SourceReading:
    """Return the OS records of PwrTest's text.

    Raises:
        OSError: the file cannot be read.
    """
    transitions = _Transitions(PwrTestAccounts(request, KIND), keep_text=request.keep_text)
    for line in LogLines(request.path, transitions.accounts.tally):
        if (line := line.strip()) != "":
            transitions.take(line)
    return transitions.finish()


class _Transitions:
    """Takes lines; a transition ends where the next begins, or where the log says so.

    The newer form closes each with "Transition -- Complete"; once a log has shown that it does,
    a transition without it broke off. The form of the paper never does.
    """

    def __init__(self, accounts: PwrTestAccounts, *, keep_text: bool) -> None:
        self.accounts = accounts
        self._keep_text = keep_text
        self._transition: PwrTestTransition | None = None
        self._closes = False
        self._in_head = False

    def take(self, line: str) -> None:
        if (begin := _BEGIN.fullmatch(line)) is not None:
            self._begin(begin, line)
        elif (state := _STATE.fullmatch(line)) is not None:
            self._close("" if state[1].lower() in _DONE else state[1])
        elif (end := _END.fullmatch(line)) is not None:
            self._close("" if end[1].lower() == "pass" and not self._closes else "not complete")
        elif self._transition is not None:
            self._value(line)
        elif _SECTION.fullmatch(line) is not None:
            self._in_head = True
        elif self._in_head:
            self._identity(line)

    def finish(self) -> SourceReading:
        self._close("not complete" if self._closes else "")
        return self.accounts.finish()

    def _begin(self, begin: re.Match[str], line: str) -> None:
        self._close("not complete" if self._closes else "")
        self._in_head = False
        self._closes = self._closes or " of " in line.lower()
        self._transition = PwrTestTransition(number=begin[1])
        self._transition.take("TargetState", begin[2])
        if self._keep_text:
            self._transition.text.append(line)

    def _value(self, line: str) -> None:
        value = _VALUE.fullmatch(line)
        transition = self._transition
        if value is None or transition is None:
            return
        transition.take(value[1], value[2])
        if self._keep_text and len(transition.text) < _TEXT_LINES_LIMIT:
            transition.text.append(line[:_TEXT_CHARS_LIMIT])

    def _identity(self, line: str) -> None:
        pair = _CAPABILITY.fullmatch(line) or _VALUE.fullmatch(line)
        if pair is not None:
            self.accounts.identify(pair[1], pair[2])

    def _close(self, status: str) -> None:
        if self._transition is None:
            return
        self._transition.status = status
        self.accounts.add(self._transition)
        self._transition = None
