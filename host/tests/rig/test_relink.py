"""A link that is gone is opened anew, over a real port: the rig object stays the same."""

import pytest
from served_bench import served

from resume_rig.model.errors import BoardRebooted, LinkLost
from resume_rig.rig.dut_profile import load_dut_profile
from resume_rig.rig.link.open import open_rig
from resume_rig.rig.sim.bench import SimulatedBench
from resume_rig.timing.clocks import SystemClock


def new_bench(seed: int) -> SimulatedBench:
    return SimulatedBench(load_dut_profile("healthy-laptop"), SystemClock(), seed)


def test_a_cable_that_was_out_is_a_link_again_and_the_boot_is_told() -> None:
    bench = new_bench(1)
    with served(bench) as address:
        opened = open_rig(f"rfc2217:{address}")
        boot_id = opened.rig.info().boot_id
    with pytest.raises(LinkLost):
        opened.rig.levels()
    with pytest.raises(LinkLost):
        opened.reopen()

    with served(bench, int(address.rpartition(":")[2])):
        assert opened.reopen().boot_id == boot_id
        assert opened.rig.levels()
        bench.reboot()
        with pytest.raises(BoardRebooted):
            opened.rig.levels()
        assert opened.reopen().boot_id != boot_id
        assert opened.rig.levels()
        opened.rig.close()
