*** Settings ***
Documentation    Promises to whoever measures how a PC resumes. The same suites run on every
...              rung: a simulated bench, the real firmware on native_sim, a physical bench.
