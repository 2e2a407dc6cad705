"""python tests/check_occupancy_on_gpu.py, on a machine with a GPU: the model's blocks per multiprocessor beside the driver's own answer.

The ladder's kernels are compiled with ever fewer registers (the compiler is told the most it may use) and asked about with random block
sizes and dynamic shared memory, through cuOccupancyMaxActiveBlocksPerMultiprocessor. Prints each disagreement; exit status 1 if any.
"""
import random
import sys
from pathlib import Path

from cuda.bindings import driver

sys.path.insert(0, str(Path(__file__).parent.parent))
from numba_kernels import fused_kv_outer, gpu, naive  # noqa: E402
from numba_kernels.device import cuda  # noqa: E402
from traffic_model import AttentionProblem, Tiling, find_gpu  # noqa: E402
from traffic_model.layout import LAYOUTS  # noqa: E402
from traffic_model.occupancy import THREADS_PER_BLOCK, BlockUse, occupancy  # noqa: E402
from traffic_model.tables import table  # noqa: E402

MOST_REGISTERS = {naive: (16, 24, 32, 40), fused_kv_outer: (48, 56, 64, 72, 80, 96, 104, 120, 128, 152, 168, 200, 224, 255)}
LAUNCHES = 20  # per compiled kernel: 360 in all
ALGORITHMS = {naive: "naive", fused_kv_outer: "fused_kv_outer"}


def compiled(module, most_registers: int):
    """(registers and static shared bytes as compiled, the driver's handle), with all of the opt-in shared memory allowed."""
    problem = AttentionProblem(1024)
    layout = LAYOUTS[ALGORITHMS[module]].resolve(problem, Tiling(), this_gpu())
    text, signature = gpu.text_and_signature(module.kernels(problem, layout)[-1], "off")
    kernel = cuda.jit(text, fastmath=gpu.FASTMATH, max_registers=most_registers)
    kernel.compile(signature)
    function = gpu._function(kernel)
    device = cuda.get_current_device()
    limit = device.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN - function.attrs.shared
    attribute = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    check(driver.cuKernelSetAttribute(attribute, limit, driver.CUkernel(int(function.handle)), driver.CUdevice(device.id)))
    return kernel, function.attrs.regs, function.attrs.shared, driver.CUfunction(int(function.handle))  # a CUkernel may stand for it


def this_gpu():
    """The table's entry for the current device."""
    name = cuda.get_current_device().name
    return find_gpu(name.decode() if isinstance(name, bytes) else name)


def check(answer):
    """The driver's values, or a RuntimeError."""
    error, *values = answer
    if error != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(f"CUDA driver: {error.name}")
    return values[0] if values else None


def main() -> int:
    model, draw, rows, asked, keep = this_gpu(), random.Random(0), [], 0, []
    for module, registers_allowed in MOST_REGISTERS.items():
        for most in registers_allowed:
            kernel, registers, static, handle = compiled(module, most)
            keep.append(kernel)  # its module is unloaded with it
            for _ in range(LAUNCHES):
                threads = draw.choice([draw.randint(1, THREADS_PER_BLOCK), 32 * draw.randint(1, THREADS_PER_BLOCK // 32)])
                shared = draw.choice([0, draw.randint(0, 16384), draw.randint(0, model.shared_limit_bytes - static)])
                found = occupancy(BlockUse(threads, registers, static + shared), model)
                said = check(driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(handle, threads, shared))
                asked += 1
                if said != found.blocks:
                    rows.append([registers, threads, static + shared, found.blocks, said, " and ".join(found.limiting)])
        print(f"{ALGORITHMS[module]}: {asked} configurations so far, {len(rows)} disagreements", flush=True)
    if rows:
        print(table(["registers", "threads", "shared B", "model", "driver", "model's limit"], rows))
    print(f"{model.driver_name}: {asked - len(rows)} of {asked} agree")
    return 1 if rows else 0


if __name__ == "__main__":
    sys.exit(main())
