"""Pictures of the finished board, both sides, from its gerbers.

Needs gerbonara, which draws what a maker would make of the files.
"""

import argparse
import re
import sys
from pathlib import Path

from gerbonara import LayerStack

DIGITS = re.compile(r"-?\d+\.\d{3,}")


def rounded(text: str) -> str:
    """Return a picture with two decimals: a hundredth of a millimetre, and a third of the size."""
    return DIGITS.sub(lambda found: f"{float(found[0]):.2f}", text)


def main() -> int:
    """Draw both sides."""
    parser = argparse.ArgumentParser(prog="python -m frontend.layout.picture", description=__doc__)
    parser.add_argument("gerbers", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    stack = LayerStack.open(options.gerbers)
    options.out.mkdir(parents=True, exist_ok=True)
    for side in ("top", "bottom"):
        drawn = str(stack.to_pretty_svg(side=side))
        (options.out / f"{side}.svg").write_text(rounded(drawn) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
