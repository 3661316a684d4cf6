*** Settings ***
Documentation     Ten readable lines: an acceptance test of how a laptop resumes.

Library           resume_rig.robot.ResumeRig    needs=0.1

Suite Setup       Open Rig    ${RIG}    dut=${DUT}
Suite Teardown    Close Rig


*** Variables ***
${RIG}    sim:clock=virtual,seed=7
${DUT}    healthy-laptop


*** Test Cases ***
The Laptop Resumes Within Two Seconds
    Run Campaign    cycles=20    dwell=10 s    settle=5 s
    Every Cycle Should Sleep And Wake
    Resume Time Should Be At Most    2 s
    Display Should Light Within    1500 ms
    Campaign Should Pass
