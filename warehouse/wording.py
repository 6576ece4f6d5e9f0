"""Words that messages share."""


def plural(n: int, noun: str) -> str:
    """'1 run', '2,000 runs'."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
