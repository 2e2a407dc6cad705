"""The one way Tilescope says no.

Refusal (a ValueError): the request cannot be served. Its text is one sentence that gives the value, the rule and the nearest valid
choice; the command lines print it and exit with 2, the dashboard shows it and stays usable.
"""


class Refusal(ValueError):
    """A request that cannot be served; `str()` is the sentence to show."""


def sentence(text: str) -> str:
    """A refusal's text with a capital, unless it begins with a name such as runs.jsonl, which stays as it is.

    >>> sentence("page traffik is not known."), sentence("runs.jsonl cannot be read.")
    ('Page traffik is not known.', 'runs.jsonl cannot be read.')
    """
    first = text.partition(" ")[0]
    return text if {".", "/", "_"} & set(first.rstrip(".,:")) else text[0].upper() + text[1:]
