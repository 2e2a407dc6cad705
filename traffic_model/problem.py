"""AttentionProblem: the shapes of one attention, what it must compute and the least it must move."""
import math
from dataclasses import dataclass

from traffic_model.errors import Refusal
from traffic_model.masks import MASKS
from traffic_model.units import plural

DTYPE_BYTES = {"float32": 4, "float16": 2, "bfloat16": 2}
HEAD_DIMS = range(16, 257)
LARGEST = dict(seq_len=2**24, kv_len=2**24, heads=65535, kv_heads=65535, batch=65535, head_dim=10**6)  # heads, batch: a grid's limit
LARGEST_SCALE = 1e6  # keeps scores of ordinary inputs far from the end of fp32


@dataclass(frozen=True)
class AttentionProblem:
    """softmax(scale · Q Kᵀ + mask) V with Q, O of shape [batch, heads, seq_len, head_dim] and K, V [batch, kv_heads, kv_len, head_dim].

    `kv_len` defaults to `seq_len`, `kv_heads` to `heads` (fewer: grouped-query attention), `scale` to 1/√head_dim.
    Raises Refusal, in one sentence, for a shape the kernels do not take.

    >>> problem = AttentionProblem(seq_len=4096, head_dim=64, mask="causal")
    >>> problem.visible_pairs == 4096 * 4097 // 2, problem.flops
    (True, 2148007936)
    """

    seq_len: int
    head_dim: int = 64
    heads: int = 1
    batch: int = 1
    kv_heads: int | None = None
    kv_len: int | None = None
    dtype: str = "float32"
    mask: str = "full"
    scale: float | None = None

    def __post_init__(self):
        set_default = lambda name, value: getattr(self, name) is None and object.__setattr__(self, name, value)
        set_default("kv_heads", self.heads)
        set_default("kv_len", self.seq_len)
        for name in ("seq_len", "kv_len", "heads", "kv_heads", "batch", "head_dim"):
            _require_positive(name, getattr(self, name))
        if self.head_dim not in HEAD_DIMS:
            nearest = min(max(self.head_dim, HEAD_DIMS[0]), HEAD_DIMS[-1])
            raise Refusal(f"head dim {self.head_dim} is not supported: the kernels take {HEAD_DIMS[0]} to {HEAD_DIMS[-1]}; "
                          f"the nearest is {nearest}.")
        if self.heads % self.kv_heads:
            raise Refusal(f"{self.kv_heads} key/value heads do not divide {self.heads} query heads; the nearest that does is "
                          f"{_nearest_divisor(self.heads, self.kv_heads)}.")
        _require_one_of("dtype", self.dtype, DTYPE_BYTES)
        _require_one_of("mask", self.mask, MASKS)
        set_default("scale", 1 / math.sqrt(self.head_dim))
        is_number = isinstance(self.scale, int | float) and not isinstance(self.scale, bool)
        if not (is_number and abs(self.scale) <= LARGEST_SCALE):  # NaN is neither
            raise Refusal(f"scale {self.scale} is not a number between −{LARGEST_SCALE:g} and {LARGEST_SCALE:g}; "
                          f"the usual one is 1/√d = {1 / math.sqrt(self.head_dim):.4g}.")

    @property
    def element_bytes(self) -> int:
        """Bytes of one element of Q, K, V, S, P and O in HBM."""
        return DTYPE_BYTES[self.dtype]

    @property
    def query_heads(self) -> int:
        """Query heads over the whole batch: batch × heads."""
        return self.batch * self.heads

    def keys_seen(self, row: int) -> int:
        """How many keys, from key 0 on, query row `row` sees."""
        return MASKS[self.mask](row, self.seq_len, self.kv_len)

    @property
    def visible_pairs(self) -> int:
        """(query, key) pairs of one head that the mask leaves; N·M when full, in closed form when causal."""
        n, m = self.seq_len, self.kv_len
        if self.mask == "full":
            return n * m
        shortest = max(0, n - m)  # rows before this one see nothing; the next sees max(1, M − N + 1) keys, then one more each
        first, last = self.keys_seen(shortest), m
        return (first + last) * (n - shortest) // 2

    @property
    def flops(self) -> int:
        """4·d per visible pair: a multiply and an add for each of the two products. Softmax's own arithmetic is not counted."""
        return 4 * self.head_dim * self.visible_pairs * self.query_heads

    @property
    def query_bytes(self) -> int:
        """Bytes of Q, and of O."""
        return self.query_heads * self.seq_len * self.head_dim * self.element_bytes

    @property
    def key_bytes(self) -> int:
        """Bytes of K, and of V."""
        return self.batch * self.kv_heads * self.kv_len * self.head_dim * self.element_bytes

    @property
    def score_bytes(self) -> int:
        """Bytes of the visible part of S, and of P: what three kernels move."""
        return self.query_heads * self.visible_pairs * self.element_bytes

    @property
    def compulsory_one_kernel_bytes(self) -> int:
        """One fused kernel reads Q, K, V once and writes O once: 4U for one full head, U = N·d elements."""
        return 2 * self.query_bytes + 2 * self.key_bytes

    @property
    def compulsory_three_kernel_bytes(self) -> int:
        """Three kernels also write and read S, and write and read P: 4U + 4W for one full head, W = N² elements."""
        return self.compulsory_one_kernel_bytes + 4 * self.score_bytes

    @property
    def score_matrix_bytes(self) -> int:
        """Bytes that S, and P, occupy in memory: the whole N×M matrix of every head, masked or not."""
        return self.query_heads * self.seq_len * self.kv_len * self.element_bytes

    @property
    def words(self) -> str:
        """N = 4,096 · M = 8,192 · 16 heads (4 key/value) · batch 2 · d = 64 · float32 · causal, less what goes without saying."""
        keys = f" · M = {self.kv_len:,}" * (self.kv_len != self.seq_len)
        return f"N = {self.seq_len:,}{keys} · {shape_words(self.record())}"

    def record(self) -> dict:
        """The problem as a JSON object; the words are the command line's."""
        return dict(batch=self.batch, heads=self.heads, kv_heads=self.kv_heads, seq_len=self.seq_len, kv_len=self.kv_len,
                    head_dim=self.head_dim, dtype=self.dtype, mask=self.mask, scale=self.scale)


def shape_words(problem: dict) -> str:
    """A problem's record in words, without its lengths."""
    heads, kv_heads, batch = problem["heads"], problem["kv_heads"], problem["batch"]
    words = [plural(heads, "head") + (f" ({kv_heads} key/value)" if kv_heads != heads else "")]
    words += [f"batch {batch}"] * (batch > 1)
    return " · ".join([*words, f"d = {problem['head_dim']}", problem["dtype"], problem["mask"]])


def _require_positive(name: str, value: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise Refusal(f"{name.replace('_', ' ')} {value} is not a whole number from 1 up; the smallest is 1.")
    if value > LARGEST[name]:
        raise Refusal(f"{name.replace('_', ' ')} {min(value, 10**18):,} is too large; "
                      f"the largest is {LARGEST[name]:,}.")


def _require_one_of(name: str, value: str, choices) -> None:
    if value not in choices:
        raise Refusal(f"{name} {value} is not known: choose {' or '.join(choices)}.")


def _nearest_divisor(number: int, near: int) -> int:
    return min((k for k in range(1, number + 1) if number % k == 0), key=lambda k: (abs(k - near), k))
