"""Colours between two others, and the ink that can be read on them."""
DARK, LIGHT = "#000000", "#ffffff"  # nothing short of black keeps 4.5:1 on every colour


def mix(one: str, other: str, share: float) -> str:
    """From one at 0 to the other at 1, both #rrggbb; a share beyond is cut off."""
    share = max(0.0, min(1.0, share))
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in zip(_channels(one), _channels(other)))


def ink_on(fill: str) -> str:
    """Dark or light, whichever has more contrast on the fill; one of the two always has 4.5:1."""
    return max(DARK, LIGHT, key=lambda ink: contrast(ink, fill))


def contrast(one: str, other: str) -> float:
    """WCAG 2 contrast ratio of two #rrggbb colours."""
    low, high = sorted(map(_luminance, (one, other)))
    return (high + .05) / (low + .05)


def _luminance(colour: str) -> float:
    linear = (c / 12.92 if c <= .03928 else ((c + .055) / 1.055) ** 2.4 for c in (channel / 255 for channel in _channels(colour)))
    return sum(weight * c for weight, c in zip((.2126, .7152, .0722), linear))


def _channels(colour: str) -> list[int]:
    return [int(colour[i:i + 2], 16) for i in (1, 3, 5)]
