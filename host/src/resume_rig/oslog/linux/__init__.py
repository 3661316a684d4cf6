"""Logs of Linux: kernel messages, suspend traces, values of sysfs, the firmware's own table."""
