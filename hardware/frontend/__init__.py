"""The front end as code: its circuits, simulations, rules and drawings.

It is no part of the Python package that measures; `make hardware` runs it.
"""
