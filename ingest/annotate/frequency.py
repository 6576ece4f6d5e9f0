"""How frequent words are in a language: the Zipf scale of the package wordfreq."""

from collections.abc import Callable
from contextlib import redirect_stderr, suppress
from functools import lru_cache
from importlib.util import find_spec
from io import StringIO

from warehouse.errors import UsageError

_KEPT = 100_000
"""Forms whose frequency is remembered."""


class Frequencies:
    """Word frequencies of one language."""

    def __init__(self, language: str, look_up: Callable[[str, str], float]) -> None:
        self.language = language
        self.zipf: Callable[[str], float] = lru_cache(_KEPT)(lambda form: look_up(form, language))
        """log10 of a form's occurrences per billion words; 0 for what the list does not hold."""


def frequencies(language: str) -> tuple[Frequencies | None, str | None]:
    """Frequencies of a language, or None and why there are none.

    Raises UsageError for a language that wordfreq does not know.
    """
    if find_spec("wordfreq") is None:
        return None, "no word frequencies (zipf): wordfreq is not installed: pip install 'lenshouse[annotate]'"
    import wordfreq

    known = wordfreq.available_languages()
    if language not in known:
        msg = f"--language {language}: wordfreq knows no such language: use one of {', '.join(sorted(known))}"
        raise UsageError(msg)
    try:
        with redirect_stderr(StringIO()), suppress(UnicodeError):
            wordfreq.zipf_frequency("字", language)
    except ImportError as error:  # it cuts Chinese, Japanese and Korean into words by packages of their own
        return None, f"no word frequencies (zipf): {error} (pip install 'wordfreq[cjk]')"
    return Frequencies(language, wordfreq.zipf_frequency), None
