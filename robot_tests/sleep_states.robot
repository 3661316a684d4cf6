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
    OS Records Should Tell Of    S3

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
