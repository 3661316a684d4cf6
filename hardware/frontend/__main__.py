"""Builds what comes of the front end's sources: `python -m frontend OUT [--quick]`.

Exit status 0 where all is within its limits, 1 where something is not, 2 where a program or a
package is missing.
"""

import argparse
import os
import sys
from pathlib import Path

from frontend.simulation.campaign import ALL_STUDIES, carry_all_out, table_of, with_draws
from frontend.simulation.delay_table import toml_of
from frontend.simulation.ngspice import DeckError, find_ngspice


def main() -> int:
    """Build into the folder that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m frontend", description=__doc__)
    parser.add_argument("out", type=Path, help="folder for what is made")
    parser.add_argument("--quick", action="store_true", help="nominal runs only, no delay table")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    options = parser.parse_args()
    try:
        ngspice = find_ngspice()
    except DeckError as error:
        print(f"make hardware: {error}", file=sys.stderr)
        return 2
    studies = with_draws(ALL_STUDIES, 0) if options.quick else ALL_STUDIES
    outcomes = carry_all_out(ngspice, studies, options.jobs)
    print(table_of(outcomes))
    failed = any(outcome.failures for outcome in outcomes)
    options.out.mkdir(parents=True, exist_ok=True)
    if not options.quick and not failed:
        (options.out / "delays.toml").write_text(toml_of(outcomes), "utf-8")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
