"""Reports of powercfg: sleep studies and system power reports."""
