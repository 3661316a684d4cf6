"""The application without a display, unless QT_QPA_PLATFORM names another one."""

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
