<#
Writes the sleep and wake events of this PC into a shared folder, without SSH or WinRM.

  powershell -ExecutionPolicy Bypass -File push-events.ps1 -Folder \\server\share\unit-7 -Register
  powershell -ExecutionPolicy Bypass -File push-events.ps1 -Folder \\server\share\unit-7
  powershell -ExecutionPolicy Bypass -File push-events.ps1 -Unregister

-Register (as administrator) makes a scheduled task that pushes after each wake and each start.
-Unregister removes it and the copy of this script that it runs. Without either it pushes once.

It reads events of four providers of the System log, and what Windows says of slow drivers, services
and programs (Diagnostics-Performance), and appends them, as Event XML, to FOLDER\COMPUTERNAME.xml
and FOLDER\COMPUTERNAME-delays.xml, from the last one on that is there. It keeps nothing on this PC,
sends nothing else, and needs nothing but Windows PowerShell 5.1.

The task runs as SYSTEM: on the share the computer's account (DOMAIN\NAME$) needs the right to
write. In a workgroup name a user of the share: -Credential (Get-Credential).
#>
param(
    [string] $Folder,
    [switch] $Register,
    [switch] $Unregister,
    [pscredential] $Credential
)
$ErrorActionPreference = 'Stop'
$task = 'resume-rig push-events'
$copy = Join-Path $env:ProgramFiles 'resume-rig\push-events.ps1'  # only administrators write there

if ($Unregister) {
    Unregister-ScheduledTask -TaskName $task -Confirm:$false
    Remove-Item -Recurse (Split-Path $copy)
    exit 0
}
if (-not $Folder) { throw '-Folder is missing: the shared folder that events are written into' }

if ($Register) {
    New-Item -ItemType Directory -Force (Split-Path $copy) | Out-Null
    Copy-Item -Force $PSCommandPath $copy
    $words = "-NoProfile -ExecutionPolicy Bypass -File `"$copy`" -Folder `"$Folder`""
    $class = Get-CimClass MSFT_TaskEventTrigger Root/Microsoft/Windows/TaskScheduler
    $wake = New-CimInstance -CimClass $class -ClientOnly
    $wake.Enabled = $true
    $wake.Subscription = "<QueryList><Query Id='0'><Select Path='System'>*[System[" +
        "Provider[@Name='Microsoft-Windows-Power-Troubleshooter'] and EventID=1]]" +
        '</Select></Query></QueryList>'
    $how = @{
        TaskName = $task
        Action   = New-ScheduledTaskAction -Execute 'powershell.exe' -Argument $words
        Trigger  = @($wake, (New-ScheduledTaskTrigger -AtStartup))
        Settings = New-ScheduledTaskSettingsSet -AllowStartIfOnBatteries `
            -DontStopIfGoingOnBatteries -MultipleInstances Queue
        User     = 'SYSTEM'
        RunLevel = 'Highest'
        Force    = $true
    }
    if ($Credential) {
        $how.User = $Credential.UserName
        $how.Password = $Credential.GetNetworkCredential().Password
    }
    Register-ScheduledTask @how | Out-Null
    exit 0
}

# After a wake the network may take a while.
for ($try = 1; -not (Test-Path $Folder); $try++) {
    if ($try -ge 60) { throw "$Folder cannot be reached" }
    Start-Sleep -Seconds 1
}

# What is new: all after the last number that is there, or all where the log was cleared since.
function Push([string] $log, [string] $which, [string] $file, [string] $missing) {
    $newest = Get-WinEvent -LogName $log -MaxEvents 1 -ErrorAction $missing
    if (-not $newest) { return }
    $last = 0
    if (Test-Path $file) {
        $there = [regex]::Matches((Get-Content -Tail 50 $file), '<EventRecordID>(\d+)</EventRecordID>')
        if ($there.Count) { $last = [long]$there[$there.Count - 1].Groups[1].Value }
    }
    if ($newest.RecordId -lt $last) { $last = 0 }
    $query = "*[System[$which and EventRecordID>$last]]"
    $reader = New-Object System.Diagnostics.Eventing.Reader.EventLogReader(
        (New-Object System.Diagnostics.Eventing.Reader.EventLogQuery($log, 'LogName', $query)))
    $lines = @(while ($found = $reader.ReadEvent()) { $found.ToXml() })
    if ($lines.Count) { [IO.File]::AppendAllText($file, ($lines -join "`n") + "`n") }
}

Push 'System' (
    "Provider[@Name='Microsoft-Windows-Power-Troubleshooter' or " +
    "@Name='Microsoft-Windows-Kernel-Power' or @Name='Microsoft-Windows-Kernel-General' or " +
    "@Name='Microsoft-Windows-Kernel-Boot']") (Join-Path $Folder "$env:COMPUTERNAME.xml") 'Stop'
# Windows may have found nothing slow yet, and not everybody may read what it found.
Push 'Microsoft-Windows-Diagnostics-Performance/Operational' 'EventID<400' (
    Join-Path $Folder "$env:COMPUTERNAME-delays.xml") 'SilentlyContinue'
