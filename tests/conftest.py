"""Before anything imports torch."""

from ingest.threads import yield_when_idle

yield_when_idle()
