"""Words for numbers, where only an s makes the difference."""


def plural(many: int, word: str) -> str:
    """1 lane, 1,024 lanes."""
    return f"{many:,} {word}{'s' * (many != 1)}"
