"""Every discovered family through the core, against the oracle."""
