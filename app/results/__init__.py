"""The README's tables of results, out of what was recorded: printed, or put between their markers in a file."""
from pathlib import Path

from app.results import compared, ladder
from traffic_model import Refusal

TABLES = {"ladder": ladder.table, "tensor cores": compared.table}


def markers(name: str) -> tuple[str, str]:
    """The lines between which a table stands in a file."""
    return f"<!-- results, {name}: python -m app results --into README.md -->", f"<!-- end of results, {name} -->"


def text() -> str:
    """All tables."""
    return "\n\n".join(table() for table in TABLES.values())


def write(path: Path) -> None:
    """Puts each table for which a file has markers between them. Raises Refusal for a file that has none."""
    try:
        text = path.read_bytes().decode()  # as it is, line ends included
    except (OSError, UnicodeDecodeError) as error:
        raise Refusal(f"the file {str(path)!r} cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8'}.") from None
    found = False
    for name, table in TABLES.items():
        start, end = markers(name)
        before, starts, rest = text.partition(start)
        _, ends, after = rest.partition(end)
        if starts and ends:
            found, text = True, f"{before}{start}\n{table()}\n{end}{after}"
    if not found:
        start, end = markers(next(iter(TABLES)))
        raise Refusal(f"the file {str(path)!r} has no place for a table; the first one goes between the lines {start} and {end}.")
    path.write_bytes(text.encode())
