"""Hover: what timed points say when they are pointed at."""
from collections.abc import Iterable

from traffic_model.units import milliseconds


def timed(records: Iterable[dict], where: str = "") -> list[str]:
    """records: of whole algorithms or of their kernels (see app/records.py); where: " on A100 SXM4", for instance."""
    return [f"{', '.join(r[name] for name in ('algorithm', 'kernel') if name in r)}{where}, timed<br>"
            f"N = {r['n']:,}: median {milliseconds(r['median_ms'])} of {r['samples']} samples<br>"
            f"10–90 %: {milliseconds(r['p10_ms'])} to {milliseconds(r['p90_ms'])}<br>{r['source']}" for r in records]
