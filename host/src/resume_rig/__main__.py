"""`python -m resume_rig`: the command line, where no script is installed."""

import sys

if __name__ == "__main__":
    from importlib import import_module

    sys.exit(import_module("resume_rig.cli.main").main())
