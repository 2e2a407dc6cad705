"""The DRAM model's constants, from data/dram_constants.csv: what each means, where it was fitted, and when."""
from dataclasses import dataclass

from traffic_model.gpus import rows


@dataclass(frozen=True)
class Constants:
    """Shares are of the GPU's L2 unless the table says of what."""

    capacity_share: float
    sharpness: float
    written_capacity_share: float
    written_sharpness: float
    stream_sharpness: float
    early_share: float
    early_capacity_share: float
    early_sharpness: float
    loop_sharpness: float
    side_capacity_share: float
    side_sharpness: float
    always_lost: float
    favour: float
    spread: float
    stall: float
    partial_share: float
    launch_bytes: float
    dirty_share: float
    dirty_weight: float


def read() -> Constants:
    return Constants(**{row["name"]: float(row["value"]) for row in rows("dram_constants.csv")})


CONSTANTS = read()
