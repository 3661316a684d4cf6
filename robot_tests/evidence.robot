*** Settings ***
Documentation     What was measured is kept, whatever happens, and can be handed over.

Resource          rig.resource

Suite Setup       The Bench Is Ready
Suite Teardown    The Bench Is Let Go


*** Test Cases ***
A Killed Campaign Goes On Where It Stopped
    [Tags]    slow
    ${store} =    Run Campaign And Kill It After    2    cycles=4
    Resume Campaign    ${store}    log=${LOG}
    Cycles Should Come To    slept-and-woke    at_least=4
    Cycles Should Come To    interrupted    at_least=0    at_most=1

Evidence Is Whole And Says The Same
    A Campaign By Button Is There
    ${folder} =    Write Evidence
    Evidence Should Be Whole    ${folder}
    JUnit Should Agree    ${folder}/junit.xml

A Store Is Judged Again Without A Rig
    A Campaign By Button Is There
    ${store} =    Run Campaign Once    by-button
    Load Campaign    ${store}    requirement=press-to-light-2s
    Every Cycle Should Sleep And Wake


*** Keywords ***
A Campaign By Button Is There
    [Documentation]    The campaign of other suites, or a new one.
    Run Campaign Once    by-button    cycles=${CYCLES}    dwell=${DWELL}    log=${LOG}
