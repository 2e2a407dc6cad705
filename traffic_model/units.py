"""How numbers are written for people. Bytes are decimal (kB, MB, GB, TB); capacities are binary (KiB, MiB, GiB)."""

DECIMAL = ("B", "kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB")


def decimal_bytes(count: float) -> str:
    """Three significant digits. Below 1 kB the exact number of bytes.

    >>> decimal_bytes(2097152), decimal_bytes(68157440), decimal_bytes(999)
    ('2.10 MB', '68.2 MB', '999 B')
    """
    return _scaled(count, 1000, DECIMAL)


def decimal_tick(power: int) -> str:
    """10 to this power of bytes, as a tick: 100 B, 10 kB, 1 GB."""
    return f"{10 ** (power % 3)} {DECIMAL[power // 3]}"


def binary_bytes(count: float) -> str:
    """A capacity.

    >>> binary_bytes(232448), binary_bytes(50 * 2**20)
    ('227 KiB', '50 MiB')
    """
    return _scaled(count, 1024, ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"), trim=True)


def sequence_length(n: int) -> str:
    """A tick: 512, 1K, 4K, 1.5K stays 1,536."""
    return f"{n // 1024}K" if n >= 1024 and n % 1024 == 0 else f"{n:,}"


def milliseconds(ms: float) -> str:
    """Three significant digits in the unit that fits.

    >>> milliseconds(0.029), milliseconds(3.6), milliseconds(1540)
    ('29.0 µs', '3.60 ms', '1.54 s')
    """
    for factor, unit in ((1e-3, "s"), (1, "ms")):
        if ms * factor >= 0.9995:
            return f"{_digits(ms * factor)} {unit}"
    return f"{_digits(ms * 1e3)} µs"


def ratio(value: float) -> str:
    """Three significant digits below ten, whole numbers above.

    >>> ratio(65), ratio(6.5), ratio(1.04)
    ('65×', '6.50×', '1.04×')
    """
    return f"{value:,.0f}×" if value >= 99.5 else f"{_digits(value)}×" if value < 9.995 else f"{value:.0f}×"


def percent(share: float) -> str:
    """Never rounds up to 100 % or down to 0 %.

    >>> percent(1 / 65), percent(0.42), percent(0.9999), percent(0.0001)
    ('1.5 %', '42 %', '99 %', '< 0.1 %')
    """
    if share in (0, 1):
        return f"{share:.0%}".replace("%", " %")
    if share < 0.0005:
        return "< 0.1 %"
    return f"{100 * share:.1f} %" if share < 0.0995 else f"{min(99, round(100 * share))} %"


def plural(many: int, word: str) -> str:
    """1 lane, 1,024 lanes."""
    return f"{many:,} {word}{'s' * (many != 1)}"


def _scaled(count: float, base: int, units: tuple, trim: bool = False) -> str:
    if count < base:
        return f"{count:,.0f} {units[0]}"
    power = 1
    while power < len(units) - 1 and count >= base ** (power + 1) * 0.9995:
        power += 1
    value = count / base**power
    return f"{value:.4g} {units[power]}" if trim else f"{_digits(value)} {units[power]}"


def _digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 99.95 else f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"
