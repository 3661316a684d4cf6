"""What cycles, logs and campaigns come to: cycles as measured, verdicts, series, comparisons."""
