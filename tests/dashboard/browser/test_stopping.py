"""A query that never ends, in a real browser: Cancel ends it, and so does leaving the page."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable

from playwright.sync_api import Page

ENDLESS = "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t) SELECT max(n) FROM t"


def running(server: int) -> int:
    """Queries that run in processes of the server."""
    listed = subprocess.run(["ps", "-eo", "ppid,args"], capture_output=True, text=True, check=True).stdout
    lines = [line.split(None, 1) for line in listed.splitlines()]
    return sum(parent == str(server) and "warehouse.guarded_process" in arguments for parent, arguments in lines)


def start(tab: Page, address: str, server: int) -> None:
    tab.goto(f"{address}/sql")
    tab.locator("textarea").wait_for(timeout=120_000)
    tab.locator("textarea").fill(ENDLESS)
    tab.keyboard.press("Control+Enter")
    tab.get_by_role("button", name="Cancel").wait_for(timeout=90_000)
    wait_until(lambda: running(server) == 1)


def wait_until(holds: Callable[[], bool], seconds: float = 90) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it does not come about"
        time.sleep(0.1)


def test_cancel_ends_the_query(tab: Page, address: str, server: int) -> None:
    start(tab, address, server)
    tab.get_by_role("button", name="Cancel").click()
    tab.get_by_text("the query was cancelled").wait_for(timeout=90_000)
    wait_until(lambda: running(server) == 0)
    tab.locator("textarea").fill("SELECT 6 * 7 AS answer")
    tab.keyboard.press("Control+Enter")
    tab.get_by_text("1 row in").wait_for(timeout=90_000)


def test_leaving_the_page_ends_the_query(tab: Page, address: str, server: int) -> None:
    start(tab, address, server)
    tab.get_by_role("link", name="Change").click()
    tab.wait_for_url("**/change*")
    wait_until(lambda: running(server) == 0)
