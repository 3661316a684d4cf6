"""What the explanation of a class of findings holds."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Explained:
    """A class of findings, for a person who has one.

    Attributes:
        means: what is wrong, in a sentence or two.
        do: what to do about it.
        threshold: from where on it is a finding; empty where no number decides.
    """

    means: str
    do: str
    threshold: str = ""
