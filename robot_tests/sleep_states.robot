*** Settings ***
Documentation     A DUT sleeps as deep as it was asked to, and its OS tells the truth about it.

Resource          rig.resource

Suite Setup       A Campaign By Button Was Run
Suite Teardown    The Bench Is Let Go


*** Test Cases ***
S3 Is S3 On The Wires
    Skip Unless Bench Has    SLP_S3    SLP_S4
    Wires Should Show    S3

S3 Is S3 To The OS
    OS Records Should Show    S3

Wires And OS Agree
    There Should Be No Finding Of    state-mismatch

No S3 Dozes On To S4
    There Should Be No Finding Of    dozed

A Sleeping DUT Stays Asleep Until It Is Woken
    [Documentation]    One sleep, step by step.
    Put DUT To Sleep    by=BUTTON
    DUT Should Stay Asleep For    6 s
    DUT Should Be    S3
    Wake DUT    by=BUTTON
    DUT Should Be    awake

S4 Is S4
    [Documentation]    The OS is told to hibernate, because a button does one of both only.
    [Tags]    needs-os-command
    A Campaign Of Another State Was Run    S4
    Every Cycle Should Sleep And Wake
    Wires Should Show    S4
    OS Records Should Show    S4

Hybrid Sleep Resumes From RAM
    [Tags]    needs-os-command
    A Campaign Of Another State Was Run    hybrid
    Every Cycle Should Sleep And Wake
    Wires Should Show    S3
    OS Records Should Show    hybrid

Fast Startup Is What The OS Calls It
    [Tags]    needs-os-command
    A Campaign Of Another State Was Run    fast-startup
    Every Cycle Should Sleep And Wake
    OS Records Should Show    fast-startup


*** Keywords ***
A Campaign Of Another State Was Run
    [Documentation]    Judged by nothing but what the tests ask: SYSFUND-0004 speaks of S3.
    [Arguments]    ${state}
    Run Campaign
    ...    state=${state}
    ...    sleep_by=COMMAND
    ...    cycles=${STATE_CYCLES}
    ...    warm_up=0
    ...    dwell=${DWELL}
    ...    settle=${SETTLE}
    ...    log=${LOG}
