"""Rungs and clocks of the race, in words."""
from enum import StrEnum

from traffic_model.vocabulary import Measure


class Rung(StrEnum):
    """What can run in a lane: the ladder's rungs, as the page calls them."""

    NAIVE = "naive"
    TILED = "tiled"
    FUSED = "fused"
    KV_OUTER = "K/V-outer"

    @property
    def algorithm(self) -> str:
        """As the rest of the project calls it."""
        return "fused_kv_outer" if self == Rung.KV_OUTER else str(self)

    @property
    def fused(self) -> bool:
        return self in (Rung.FUSED, Rung.KV_OUTER)

    @property
    def capital(self) -> str:
        """As a sentence begins with it."""
        return self[0].upper() + self[1:]


class Clock(StrEnum):
    """What passes at the same rate in both lanes."""

    COMPULSORY = "compulsory bytes"
    REQUESTED = "requested bytes"
    DRAM = "DRAM bytes"
    TIME = "measured time"
    STEPS = "steps"

    @property
    def measure(self) -> Measure | None:
        return {Clock.COMPULSORY: Measure.COMPULSORY, Clock.REQUESTED: Measure.REQUESTED}.get(self)

    @property
    def of_all_heads(self) -> bool:
        """Whether it counts every head, though one is drawn: what is known of a launch and not of a head."""
        return self in (Clock.DRAM, Clock.TIME)


SAYS = {  # beside the lane's name: what it does and in which order
    Rung.NAIVE: ["three kernels: S and P go to HBM and come back"],
    Rung.TILED: ["three kernels, through shared memory: S and P go to HBM and come back",
                 "three kernels, in tiles: S and P go to HBM and come back"],
    Rung.FUSED: ["one kernel, query tiles outside: S and P are never stored", "one kernel: S and P are never stored"],
    Rung.KV_OUTER: ["one kernel, key tiles outside: O and its statistics come and go", "one kernel, key tiles outside: O comes and goes"],
}
THREE = [["1  QKᵀ: write S", "1  write S", "1"], ["2  softmax: read S, write P", "2  softmax", "2"],
         ["3  PV: read P, write O", "3  read P", "3"]]
KERNELS = {  # labels of the bars, longest first
    Rung.NAIVE: THREE, Rung.TILED: THREE, Rung.FUSED: [["read Q, K, V, write O"]],
    Rung.KV_OUTER: [["read Q, K, V, write O", "Q, K, V, O"]],
}
