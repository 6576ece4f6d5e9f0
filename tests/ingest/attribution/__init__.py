"""The numerical core against the oracle, scipy and hand calculation."""
