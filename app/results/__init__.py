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
    """Puts each table for which a file has markers between them, in the file's line ends. Raises Refusal for a file that has none, or has
    them twice, or one without its other."""
    try:
        text = path.read_bytes().decode()  # as it is, line ends included
    except (OSError, UnicodeDecodeError) as error:
        raise Refusal(f"the file {str(path)!r} cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8'}.") from None
    present = [name for name in TABLES if any(marker in text for marker in markers(name))]
    for name in present:
        start, end = markers(name)
        before, _, rest = text.partition(start)
        old, _, after = rest.partition(end)
        crossed = any(marker in old for each in TABLES for marker in markers(each))
        if text.count(start) != 1 or text.count(end) != 1 or end in before or crossed:
            raise Refusal(f"the file {str(path)!r} has the lines {start} and {end} not once each, one after the other; it stays as it is.")
        new_line = "\r\n" if f"{start}\r\n" in text else "\n"
        text = new_line.join([f"{before}{start}", *TABLES[name]().split("\n"), f"{end}{after}"])
    if not present:
        start, end = markers(next(iter(TABLES)))
        raise Refusal(f"the file {str(path)!r} has no place for a table; the first one goes between the lines {start} and {end}.")
    path.write_bytes(text.encode())
