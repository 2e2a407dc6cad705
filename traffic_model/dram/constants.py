"""The DRAM model's constants, from data/dram_constants.csv: what each means, where it was fitted, and when."""
from dataclasses import dataclass

from traffic_model.gpus import rows


@dataclass(frozen=True)
class Constants:
    """Shares are of the GPU's L2 unless the table says of what."""

    capacity_share: float
    sharpness: float
    copied: float
    favour: float
    crowd: float
    fill: float
    stall: float
    alone_capacity_share: float
    alone_sharpness: float
    read_capacity_share: float
    read_sharpness: float
    written_capacity_share: float
    written_sharpness: float
    written_weight: float
    early_share: float
    early_capacity_share: float
    early_sharpness: float
    half_written_capacity_share: float
    half_written_sharpness: float
    sweep_capacity_share: float
    sweep_sharpness: float
    half_capacity_share: float
    half_sharpness: float
    crowd_capacity_share: float
    crowd_sharpness: float
    crowd_written_share: float
    partial_share: float
    ahead_share: float
    always_lost: float
    launch_bytes: float
    dirty_share: float
    dirty_weight: float


def read() -> Constants:
    return Constants(**{row["name"]: float(row["value"]) for row in rows("dram_constants.csv")})


CONSTANTS = read()
