"""From the circuit to a board: placed by rules, routed, checked, drawn; `make board` runs it."""
