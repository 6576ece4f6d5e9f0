"""Every page in a real browser: it opens, keeps its filters in the address, and gives its data away."""

from __future__ import annotations

import io
import os
from pathlib import Path

import polars as pl
import pytest
from playwright.sync_api import Browser, Page

import warehouse
from dashboard.app import PAGES

SCREENSHOTS = Path(os.environ.get("LENSHOUSE_SCREENSHOTS", "build/screenshots"))
"""Where pictures of the pages are kept; CI keeps them as artefacts."""

DRAWN = "svg => [...svg.querySelectorAll('path, text')].map(e => e.getAttribute('d') || e.textContent).join()"
"""Everything in a chart that numbers decide."""

FIRST = next(iter(PAGES))


def url_of(address: str, page: str) -> str:
    return address if page == FIRST else f"{address}/{page}"


def settle(tab: Page) -> None:
    """Wait until the script has run and its charts are drawn."""
    tab.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]', timeout=120_000)
    tab.wait_for_function("document.querySelectorAll('[data-stale=\"true\"]').length === 0", timeout=120_000)


def look(tab: Page, url: str) -> None:
    tab.goto(url)
    tab.wait_for_selector("h1", timeout=120_000)
    settle(tab)
    assert tab.locator('[data-testid="stException"]').count() == 0, tab.inner_text("body")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens(page: str, scheme: str, tab: Page, address: str) -> None:
    tab.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    look(tab, url_of(address, page))
    assert tab.inner_text("h1") == PAGES[page][0]
    assert tab.title() != "owned"
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    tab.wait_for_timeout(500)  # charts fade in
    tab.screenshot(path=SCREENSHOTS / f"{page}-{scheme}.png", full_page=True)


def test_a_link_restores_the_view(tab: Page, address: str) -> None:
    look(tab, url_of(address, "change"))
    before = tab.url
    tab.get_by_role("radio", name="offdiag").or_(tab.get_by_role("button", name="offdiag")).first.click()
    tab.wait_for_url(lambda url: url != before)
    settle(tab)
    link = tab.url
    assert "offdiag" in link
    look(tab, link)
    assert tab.url == link
    chosen = tab.locator('[data-testid="stButtonGroup"] button[aria-checked="true"], [kind="segmented_controlActive"]')
    assert "offdiag" in chosen.all_inner_texts()


def test_downloads_are_what_the_query_gives(tab: Page, address: str, warehouse_file: Path) -> None:
    look(tab, url_of(address, "change"))
    popovers = tab.locator('[data-testid="stPopover"] button')
    body = tab.locator('[data-testid="stPopoverBody"]')
    popovers.filter(has_text="SQL").first.click()
    query = body.locator("code").first.inner_text()
    tab.keyboard.press("Escape")
    popovers.filter(has_text="Save").first.click()
    files = {}
    for kind in ("CSV", "Parquet", "PNG", "SVG"):
        with tab.expect_download() as started:
            body.get_by_role("button", name=kind).click()
        files[kind] = Path(started.value.path()).read_bytes()
    expected = warehouse.open(warehouse_file).sql(query)
    assert expected.height > 0
    assert pl.read_parquet(io.BytesIO(files["Parquet"])).equals(expected)
    assert pl.read_csv(io.BytesIO(files["CSV"]), schema=expected.schema).equals(expected)
    assert files["PNG"].startswith(b"\x89PNG") and files["SVG"].startswith(b"<svg")


def test_twenty_sessions_see_the_same(chromium: Browser, address: str) -> None:
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    tabs = [context.new_page() for _ in range(20)]
    for tab in tabs:
        tab.goto(url_of(address, "change"), wait_until="commit")
    seen = set()
    for tab in tabs:
        tab.wait_for_selector('[data-testid="stVegaLiteChart"] svg', timeout=120_000)
        settle(tab)
        assert tab.locator('[data-testid="stException"]').count() == 0
        seen.add(tab.locator('[data-testid="stVegaLiteChart"] svg').first.evaluate(DRAWN))
    context.close()
    assert len(seen) == 1 and len(seen.pop()) > 1000
