"""Requirements and limits, and the verdict by them on cycles, logs and campaigns."""
