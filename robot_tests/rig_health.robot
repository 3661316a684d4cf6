*** Settings ***
Documentation     The rig is fit to measure, and does no harm.

Resource          rig.resource

Suite Setup       The Bench Is Ready
Suite Teardown    The Bench Is Let Go


*** Test Cases ***
Everything Is Ready For A Campaign
    Rig Should Be Healthy

Board Passes Its Own Tests
    Self Test Should Pass

Board And Host Clock Are Tied
    Clock Bound Should Be At Most    1 ms

Interlock Refuses A Press That Could Cut The Power
    Rig Should Refuse Press    3 s

Board Lets Go When The Host Is Silent
    [Documentation]    A DUT that its lid puts to sleep is awake in the end.
    Skip Unless Bench Has    LID
    Rig Should Let Go When Host Is Silent

Rig Measures Its Own Latency
    [Tags]    needs-plug
    [Setup]    The Bench Has A Plug In Place Of The DUT
    Latency Should Be Known To
    ...    ${LATENCY_SPREAD}
    ...    BUTTON
    ...    PWR_OK
    ...    SLP_S3
    ...    changes=${LATENCY_CHANGES}
    ...    gap=${LATENCY_GAP}
    [Teardown]    The Bench Is Let Go
