*** Settings ***
Documentation    A DUT that hangs, stays dark or boots is told from one that resumed, and is brought
...              back; what happened is kept.

Resource         rig.resource

Test Teardown    The Bench Is Let Go

Test Tags        needs-simulated-dut    destructive


*** Test Cases ***
A DUT That Hangs In Its Resume Is Brought Back
    [Tags]    slow
    The Bench Has A DUT That    hangs-often
    Run Campaign    cycles=8    warm_up=0    dwell=${DWELL}
    Cycles Should Come To    hung-in-resume
    Cycles Should Come To    slept-and-woke
    Every Recovery Should Succeed    at_least=1
    Campaign Verdict Should Be    FAIL

A DUT That Stays Dark Is Not Taken For One That Woke
    The Bench Has A DUT That    stays-dark
    Run Campaign    cycles=3    warm_up=0    dwell=${DWELL}
    Cycles Should Come To    dark
    There Should Be A Finding Of    dark
    Campaign Verdict Should Be    FAIL

A DUT That Boots Is Not Taken For One That Resumed
    The Bench Has A DUT That    shuts-down
    Run Campaign    cycles=2    warm_up=0    dwell=${DWELL}    settle=15 s
    Cycles Should Come To    rebooted    at_least=2
    There Should Be A Finding Of    rebooted
    Campaign Verdict Should Be    FAIL
