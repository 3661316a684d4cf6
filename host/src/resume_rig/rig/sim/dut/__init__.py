"""The simulated DUT: a discrete-event machine, its OS with clock and log, its panel, faults."""
