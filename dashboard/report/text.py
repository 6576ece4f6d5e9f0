"""Numbers as people read them."""

import math


def number(value: float | None) -> str:
    """Three significant digits, or a dash; a true minus sign."""
    if value is None:
        return "–"
    if value == 0:
        return "0"
    decimals = max(0, 2 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{decimals}f}" if decimals <= 6 else f"{value:.1e}"
    return text.replace("-", "−")


def interval(low: float | None, high: float | None) -> str:
    """Both ends with as many decimals as the more exact one needs for two digits of the width."""
    if low is None or high is None:
        return "none"
    width = high - low
    decimals = max(0, min(6, 1 - math.floor(math.log10(width)))) if width > 0 else 3
    return f"[{low:.{decimals}f}, {high:.{decimals}f}]".replace("-", "−")
