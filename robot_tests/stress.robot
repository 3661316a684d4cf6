*** Settings ***
Documentation     Many cycles in a row: none is lost, none fails, and the rig keeps up.

Resource          rig.resource

Suite Setup       A Long Campaign Was Run
Suite Teardown    The Bench Is Let Go

Test Tags         slow


*** Test Cases ***
Every Cycle Of Many Sleeps And Wakes
    Every Cycle Should Sleep And Wake

Failures Are Shown To Be Rare
    Failure Rate Should Be Shown At Most    ${STRESS_RATE}

Rig Keeps Up
    There Should Be No Finding Of    overrun    edge-lost    board-rebooted    lease-expired

Nothing Stays Unexplained
    There Should Be No Finding Of    unexplained


*** Keywords ***
A Long Campaign Was Run
    [Documentation]    As many cycles as this rung has time for.
    The Bench Is Ready
    Run Campaign    plan=${STRESS_PLAN}    cycles=${STRESS_CYCLES}    log=${LOG}
