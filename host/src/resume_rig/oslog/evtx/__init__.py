"""Binary Windows event logs: records by the `evtx` library, the audit of what a log lacks ours."""
