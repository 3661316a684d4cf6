*** Settings ***
Documentation    A key, a dry contact and a magic packet wake a DUT that is armed for them, and a DUT
...              that is not armed is told as such.

Resource         rig.resource

Test Setup       Open Rig    ${RIG_URL}    dut=wakes-by-device
Test Teardown    The Bench Is Let Go

Test Tags        needs-simulated-dut


*** Test Cases ***
A Key Wakes The DUT
    Run Campaign    cycles=2    warm_up=0    wake_by=KEYBOARD    dwell=${DWELL}
    Every Cycle Should Sleep And Wake

A Contact Wakes The DUT
    Run Campaign    cycles=2    warm_up=0    wake_by=CONTACT    dwell=${DWELL}
    Every Cycle Should Sleep And Wake

A Magic Packet Wakes The DUT
    Run Campaign    cycles=2    warm_up=0    wake_by=LAN    dwell=${DWELL}
    Every Cycle Should Sleep And Wake

A Key Wakes It Once
    Press Key
    Put DUT To Sleep
    Wake DUT    KEYBOARD

A Contact Wakes It Once
    Put DUT To Sleep
    Wake DUT    CONTACT
    Set Contact    closed
    Set Contact    open

A Packet Wakes It Once
    Put DUT To Sleep
    Wake DUT    LAN

A DUT That Is Not Armed Stays Asleep
    Close Rig
    Open Rig    ${RIG_URL}    dut=wakes-by-nothing-else
    Run Campaign    cycles=1    warm_up=0    wake_by=KEYBOARD    dwell=${DWELL}
    Cycles Should Come To    never-woke
    There Should Be A Finding Of    wake-not-armed
