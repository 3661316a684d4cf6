"""Printed parts as code: hood of the photodiode, arms of magnet and servo, bridge of the finger.

All lengths in millimetres. Z points up as the part lies on the printer's bed.
"""
