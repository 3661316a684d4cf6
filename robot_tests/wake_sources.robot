*** Settings ***
Documentation     Button and lid wake the DUT alike, nothing else does, and the OS names the one
...               that did.

Resource          rig.resource

Suite Setup       A Campaign By Button Was Run
Suite Teardown    The Bench Is Let Go


*** Test Cases ***
Only The Button Wakes The DUT
    A Campaign By Button Is Judged
    There Should Be No Finding Of    wake-not-ours    never-woke

OS Names The Button
    A Campaign By Button Is Judged
    There Should Be No Finding Of    wake-source-mismatch

Lid Puts To Sleep And Wakes
    A Campaign By Lid Was Run
    Every Cycle Should Sleep And Wake

OS Names The Lid
    A Campaign By Lid Was Run
    There Should Be No Finding Of    wake-source-mismatch

Lid Lights The Display As Soon As The Button
    [Tags]    needs-light
    Skip Unless Bench Has    BACKLIGHT    LID
    A Campaign By Lid Was Run
    Display Should Light Within    ${DISPLAY_LIMIT}    wake_by=LID

A DUT That Nobody Wakes Stays Asleep
    [Tags]    slow
    Run Campaign    cycles=2    warm_up=0    wake_by=NONE    dwell=${DWELL}    log=${LOG}
    There Should Be No Finding Of    wake-not-ours

Timer Wakes The DUT
    [Tags]    needs-os-command
    Run Campaign    cycles=2    warm_up=0    wake_by=TIMER    dwell=${TIMER_DWELL}    log=${LOG}
    Every Cycle Should Sleep And Wake


*** Keywords ***
A Campaign By Button Is Judged
    [Documentation]    Takes the campaign that the suite setup ran.
    Run Campaign Once    by-button
