"""Scenarios of sleeps that fail, or that nobody accounts for."""

from world.endings import ending
from world.labs import Trial, life, plan_of, trial
from world.modern import some, standby
from world.unit import Cycle, Phases, Plan, Random, Unit, draw


def _ended(random: Random, cycles: int, ended: str, question: str, **given: object) -> Trial:
    share = float(random.uniform(0.08, 0.4))
    unit = draw(random, **given)
    lived = life(random, unit, plan_of(random, cycles), happening=ending(ended, share))
    made = trial(random, lived)
    made.question = question
    return made


def aborts(random: Random, cycles: int) -> Trial:
    """Presses that lead to no sleep; the display is dark for 1 to 3 s."""
    return _ended(random, cycles, "aborted", "correlate")


def hibernation_boots(random: Random, cycles: int) -> Trial:
    """The log alone: hibernations, some of which became boots."""
    made = _ended(random, cycles, "boot", "log", hibernates=True, has_fpdt=False)
    made.arguments += ["--kind", "S4", "--limit-ms", "20000"]
    made.limit_ms = 20_000.0
    return made


def deaths(random: Random, cycles: int) -> Trial:
    """The log alone: some sleeps end in a boot, with SleepInProgress."""
    return _ended(random, cycles, "died", "log")


def dozes_log(random: Random, cycles: int) -> Trial:
    """The log alone: some sleeps become S4."""
    unit = draw(random, dozes=float(random.uniform(0.05, 0.6)))
    made = trial(random, life(random, unit, plan_of(random, cycles)))
    made.question = "log"
    return made


def _unaccounted(random: Random, cycles: int, question: str) -> Trial:
    slow = float(random.uniform(0.02, 0.15))

    def happening(unit: Unit, phases: Phases, cycle: Cycle) -> None:
        if phases.random.random() < slow or cycle.number == 2:
            late = float(phases.random.uniform(2.5, 6.0))
            cycle.complete += late
            cycle.awake += late
            cycle.light += late

    lived = life(random, draw(random), plan_of(random, cycles), happening=happening)
    lost = {c.record or 0 for c in lived.cycles if c.driver > 2.3}
    made = trial(random, lived, lost=frozenset(lost))
    made.question = question
    return made


def unaccounted(random: Random, cycles: int) -> Trial:
    """The slow wakes have no record: with wires and light."""
    return _unaccounted(random, cycles, "correlate")


def unaccounted_log(random: Random, cycles: int) -> Trial:
    """The same, of the log alone: Kernel-Power 42, 107 and 131 show them."""
    return _unaccounted(random, cycles, "log")


def standby_log(random: Random, cycles: int) -> Trial:
    """Modern Standby, the log alone; in half of the logs some sessions never end."""
    made = standby(random, cycles, some(random))
    return Trial(
        draw(random),
        [],
        set(),
        logs=[made.log],
        question="log",
        attempts=made.sessions,
        failed=made.died,
    )


def clean_log(random: Random, cycles: int) -> Trial:
    """Nothing is wrong, and the log is all there is."""
    made = trial(random, life(random, draw(random), Plan(cycles)))
    made.question = "log"
    return made
