"""Saved queries: one a file, whose leading comment is its title."""

from warehouse import sqlfiles


def examples() -> dict[str, str]:
    """Title -> text without it, in the order of the files."""
    found = {}
    for file in sqlfiles.folder("examples"):
        title, text = file.text.split("\n", 1)
        found[title.removeprefix("--").strip()] = text.strip()
    return found
