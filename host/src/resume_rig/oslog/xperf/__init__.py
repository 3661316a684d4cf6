"""Traces of Windows as xperf and wpaexporter summarise them."""
