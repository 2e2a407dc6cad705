"""Settings: what the sidebar chooses, as one value that travels."""
from dataclasses import asdict, dataclass, replace

from traffic_model import DEFAULT_GPU, AttentionProblem, Gpu, Tiling, find_gpu
from traffic_model.problem import shape_words

LENGTHS = sorted([2**k for k in range(7, 18)] + [3 * 2**k for k in range(6, 16)])  # offered: 128, 192, 256, 384 … 131072


@dataclass(frozen=True)
class Settings:
    """One problem, one tiling, one GPU."""

    problem: AttentionProblem
    tiling: Tiling
    gpu: Gpu

    @property
    def n(self) -> int:
        return self.problem.seq_len

    def at(self, n: int) -> "Settings":
        """The same settings at another sequence length, with as many keys as queries."""
        return replace(self, problem=replace(self.problem, seq_len=n, kv_len=n))

    def with_one_head(self) -> "Settings":
        return replace(self, problem=replace(self.problem, heads=1, kv_heads=1, batch=1))

    def record(self) -> dict:
        """As plain values, for another process."""
        return dict(problem=self.problem.record(), tiling=self.tiling.record(), gpu=asdict(self.gpu))

    @property
    def caption(self) -> str:
        """What a slide says below its title: N = 4,096 · 16 heads · d = 64 · float16 · full · 64×64 tiles · H200 SXM."""
        return f"N = {self.n:,} · {self.conditions} · {self.gpu.name}"

    @property
    def options(self) -> str:
        """As the command lines take them."""
        p = self.problem
        return (f"--seq-len {self.n} --head-dim {p.head_dim} --heads {p.heads} --kv-heads {p.kv_heads} --batch {p.batch} "
                f"--dtype {p.dtype} --mask {p.mask} --block-q {self.tiling.block_q} --block-k {self.tiling.block_k} "
                f'--gpu "{self.gpu.name}"')

    @classmethod
    def from_record(cls, record: dict) -> "Settings":
        return cls(AttentionProblem(**record["problem"]), Tiling(**record["tiling"]), Gpu(**record["gpu"]))

    @property
    def conditions(self) -> str:
        """What every chart states beside its measures: 16 heads · d = 64 · float32 · full · 64×64 tiles."""
        return f"{shape_words(self.problem.record())} · {self.tiling} tiles"


OPENING = Settings(AttentionProblem(4096, 64, heads=16, dtype="float16"), Tiling(), find_gpu(DEFAULT_GPU))  # what the dashboard opens with
