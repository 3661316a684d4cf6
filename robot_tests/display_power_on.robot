*** Settings ***
Documentation     A user presses the button and sees the display: timed by its light, on the
...               clock of the wires, and held against the moment that the OS calls complete.

Resource          rig.resource

Suite Setup       A Campaign By Button Was Run
Suite Teardown    The Bench Is Let Go
Test Setup        Skip Unless Bench Has    BACKLIGHT

Test Tags         needs-light


*** Test Cases ***
Display Lights Soon After The Press
    Display Should Light Within    ${DISPLAY_LIMIT}

Light Follows Resume Complete
    [Documentation]    A platform may say in its profile how late its display may be.
    Skip Unless Bench Has    PLTRST
    Light Should Follow Resume Complete Within    ${LIGHT_AFTER_COMPLETE}
    There Should Be No Finding Of    complete-before-light    unexplained

No Light Before The OS Runs
    There Should Be No Finding Of    lit-before-os    lit-asleep

Light Can Be Timed
    [Documentation]    A panel that is dimmed by PWM cannot be timed to a millisecond.
    Light Should Be Timed To    ${LIGHT_KNOWN_TO}
