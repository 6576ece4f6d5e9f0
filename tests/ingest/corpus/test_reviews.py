"""Labelled film reviews: split by film, each once, and none whose verdict is in doubt."""

from __future__ import annotations

import bz2
import csv
import io
from pathlib import Path

from ingest.corpus.reviews import is_held_out, labelled


def write(folder: Path, rows: list[tuple[str, str, str]]) -> Path:
    text = io.StringIO()
    csv.writer(text).writerows([("category", "text", "movie_name"), *rows])
    path = folder / "reviews.csv.bz2"
    path.write_bytes(bz2.compress(text.getvalue().encode()))
    return path


def test_reviews_are_split_by_film_and_doubtful_ones_left_out(tmp_path) -> None:
    names = [f"film{number}" for number in range(200)]
    kept = next(name for name in names if is_held_out(name))
    first, other, *_ = (name for name in names if not is_held_out(name))
    rows = [
        ("fresh", " good ", first),
        ("plot", "a plot", first),
        ("rotten", "bad", kept),
        ("fresh", "good", other),  # twice with one verdict: once
        ("fresh", "so so", first),
        ("rotten", "so so", other),  # two verdicts: not at all
        ("fresh", "both", first),
        ("fresh", "both", kept),  # in both parts: not at all
        ("rotten", "so so", first),  # and not when it comes again
        ("rotten", "", first),
    ]
    assert labelled(write(tmp_path, rows)) == ({"good": "fresh"}, {"bad": "rotten"})


def test_about_one_film_in_twenty_is_held_out() -> None:
    share = sum(is_held_out(f"film {number}") for number in range(4000)) / 4000
    assert 0.035 < share < 0.065
