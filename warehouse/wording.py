"""Words that messages share."""


def plural(n: int, noun: str) -> str:
    """'1 run', '2,000 runs'."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def printable(text: str) -> str:
    """Text that cannot move a cursor, change colours or reorder its neighbours."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
