*** Settings ***
Documentation     A PC resumes from S3 in two seconds or less: BIOS + drivers, as its OS traces
...               them, held against what the wires show (SYSFUND-0004).

Resource          rig.resource

Suite Setup       A Campaign By Button Was Run
Suite Teardown    The Bench Is Let Go


*** Test Cases ***
Every Cycle Sleeps And Wakes
    Every Cycle Should Sleep And Wake

S3 Resume Takes At Most Two Seconds
    Resume Time Should Be At Most    2 s
    Campaign Should Pass

BIOS Hands Off As Soon As Advised
    [Documentation]    Advice warns and never fails.
    BIOS Time Is Advised To Be At Most    250 ms

OS Accounts For Every Cycle
    Every Cycle Should Have An OS Record

BIOS Time Can Be Believed
    There Should Be No Finding Of
    ...    bios-not-reported
    ...    tsc-not-reset
    ...    wrong-unit
    ...    bios-under-reported
    ...    bios-over-reported
    ...    firmware-disagrees

Nothing Is Hidden Before Sleep
    There Should Be No Finding Of    hidden-before-sleep
