"""Event trace logs (ETL): the files that wpr, xperf, xbootmgr and logman write."""
