"""Printed parts as code: hood of the photodiode, arm of the magnet, bridge of the finger.

All lengths in millimetres. Z points up as the part lies on the printer's bed.
"""
