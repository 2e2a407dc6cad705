"""Occupancy: how many blocks of a kernel one multiprocessor holds at once, what stops the next one, and by how much.

The rules are the vendor's, as CUDA's own calculator states them (cuda_occupancy.h): a block's registers are allocated per warp, in units,
in each of the multiprocessor's partitions; its shared memory is rounded up to a granularity and includes what the driver reserves. The
opt-in limit of shared memory is assumed, and that all of it may serve as such. tests/check_occupancy_on_gpu.py asks the driver.
"""
from dataclasses import dataclass, replace

from traffic_model.errors import Refusal
from traffic_model.gpus import Gpu
from traffic_model.layout.common import WARP, Launch, ceil_div

THREADS_PER_BLOCK = 1024  # at most, on every GPU in the table
REGISTERS, SHARED, WARPS, BLOCKS = "registers", "shared memory", "warps", "blocks"


@dataclass(frozen=True)
class BlockUse:
    """What one block takes: threads, registers per thread as compiled, bytes of shared memory (static and dynamic).

    Raises Refusal for what no GPU launches: no or too many threads, negative sizes.
    """

    threads: int
    registers: int
    shared_bytes: int = 0

    def __post_init__(self):
        if not 1 <= self.threads <= THREADS_PER_BLOCK:
            raise Refusal(f"{self.threads} threads per block: a block has 1 to {THREADS_PER_BLOCK}; "
                          f"the nearest is {min(max(self.threads, 1), THREADS_PER_BLOCK)}.")
        for name, value in (("registers per thread", self.registers), ("bytes of shared memory", self.shared_bytes)):
            if value < 0:
                raise Refusal(f"{value} {name}: it is a number from 0 up; the nearest is 0.")

    @property
    def warps(self) -> int:
        return ceil_div(self.threads, WARP)


@dataclass(frozen=True)
class Occupancy:
    """limits: the blocks per multiprocessor that each resource alone would allow. A resource that is not used sets no limit."""

    use: BlockUse
    gpu: Gpu
    limits: dict[str, int]

    @property
    def blocks(self) -> int:
        """Blocks per multiprocessor; 0 where not even one can be launched."""
        return min(self.limits.values())

    @property
    def warps(self) -> int:
        """Resident warps per multiprocessor."""
        return self.blocks * self.use.warps

    @property
    def share(self) -> float:
        """Resident warps of those the multiprocessor could hold: what is called occupancy."""
        return self.warps / self.gpu.warps_per_multiprocessor

    @property
    def limiting(self) -> tuple[str, ...]:
        """The resources that stop the next block."""
        return tuple(name for name, blocks in self.limits.items() if blocks == self.blocks)

    @property
    def for_another(self) -> dict[str, int]:
        """The most a block may take of each limiting resource for one more to fit: registers per thread, bytes, warps; 0 if none helps."""
        rules = {REGISTERS: (lambda n: _by_registers(replace(self.use, registers=n), self.gpu), self.use.registers),
                 SHARED: (lambda n: _by_shared(replace(self.use, shared_bytes=n), self.gpu), self.use.shared_bytes),
                 WARPS: (lambda n: self.gpu.warps_per_multiprocessor // n, self.use.warps), BLOCKS: (lambda n: 0, 0)}
        return {name: _largest(lambda n, name=name: rules[name][0](n) > self.blocks, rules[name][1]) for name in self.limiting}

    def record(self) -> dict:
        """The occupancy as a JSON object."""
        return dict(gpu=self.gpu.name, **vars(self.use), blocks=self.blocks, warps=self.warps, occupancy=self.share, limits=self.limits,
                    limiting=list(self.limiting), for_another=self.for_another)


def occupancy(use: BlockUse, gpu: Gpu) -> Occupancy:
    """Blocks of this use that one multiprocessor of this GPU holds, by resource. Exact, see the module's text for the rules."""
    limits = {REGISTERS: _by_registers(use, gpu), SHARED: _by_shared(use, gpu),
              WARPS: gpu.warps_per_multiprocessor // use.warps, BLOCKS: gpu.blocks_per_multiprocessor}
    return Occupancy(use, gpu, {name: blocks for name, blocks in limits.items() if blocks is not None})


def launch_occupancy(launch: Launch, gpu: Gpu, registers: int | None = None) -> Occupancy:
    """Occupancy of one launch, with `registers` per thread as compiled or, if None, as many as its launch bounds leave the compiler."""
    x, y, z = launch.block
    threads = x * y * z
    if registers is None:
        registers = most_registers(threads, launch.resident_blocks, gpu)
    return occupancy(BlockUse(threads, registers, launch.shared_bytes), gpu)


def most_registers(threads: int, blocks: int, gpu: Gpu) -> int:
    """The most registers per thread with which `blocks` blocks of `threads` threads fit their registers; 0 if none does."""
    fits = lambda registers: _by_registers(BlockUse(threads, registers), gpu) >= blocks
    return _largest(fits, gpu.registers_per_thread)


def shared_allocated(use: BlockUse, gpu: Gpu) -> int:
    """Bytes of shared memory that a block takes of its multiprocessor: its own and the reserved ones, rounded up."""
    return _up(use.shared_bytes + gpu.reserved_shared_bytes, gpu.shared_allocation_bytes)


def registers_allocated(use: BlockUse, gpu: Gpu) -> int:
    """Registers that one warp of the block takes."""
    return _up(use.registers * WARP, gpu.register_allocation)


def _by_registers(use: BlockUse, gpu: Gpu) -> int | None:
    per_warp = registers_allocated(use, gpu)
    if not per_warp:
        return None
    if use.registers > gpu.registers_per_thread:
        return 0
    warps = gpu.registers_per_multiprocessor // gpu.partitions // per_warp * gpu.partitions
    return warps // use.warps


def _by_shared(use: BlockUse, gpu: Gpu) -> int | None:
    if use.shared_bytes > gpu.shared_limit_bytes:
        return 0
    allocated = shared_allocated(use, gpu)
    return gpu.shared_kib_per_multiprocessor * 1024 // allocated if allocated else None


def _largest(allows, below: int) -> int:
    """The largest number from 1 up to `below` that `allows`, which holds for all numbers up to it; 0 if for none."""
    low, high = 0, below
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if allows(middle) else (low, middle - 1)
    return low


def _up(number: int, unit: int) -> int:
    return ceil_div(number, unit) * unit
