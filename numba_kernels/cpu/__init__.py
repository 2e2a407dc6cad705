'''The cpu backend: the very kernel text that a GPU runs, on the processor, with every port access counted exactly.

A GPU runs the threads of a block side by side, and `cuda.syncthreads()` makes each wait for all. One processor thread can do the same
work in another order: run thread 0 to the next barrier, then thread 1, and so on, then all of them to the barrier after it. So the text
is cut at its barriers, each piece is put into a loop over the block's threads, and Numba's ordinary compiler makes fast code of it.

Before, with threads = 32:

    thread = cuda.threadIdx.x
    total = float32(0)
    for first in range(0, n, threads):
        shared.write(tally, PUT, tile, thread, hbm.read(tally, X_READ, X, first + thread))
        cuda.syncthreads()
        for k in range(threads):
            total += shared.read(tally, GET, tile, k)
        cuda.syncthreads()
    hbm.write(tally, Y_WRITE, Y, thread, total)

After:

    # every thread, from the start
    for thread_x in range(32):
        this_thread = uint64(thread_x)
        thread = thread_x
        total = float32(0)
        total_of[this_thread] = total
    for first in range(0, n, 32):
        # every thread, inside the loop of line 3
        for thread_x in range(32):
            thread = thread_x
            Q_hbm_read_bytes += 4
            S_shared_write_bytes += 4
            tile[uint64(thread)] = X[uint64(first + thread)]
        # every thread, after the barrier of line 5
        for thread_x in range(32):
            this_thread = uint64(thread_x)
            total = total_of[this_thread]
            for k in range(32):
                S_shared_read_bytes += 4
                total += tile[uint64(k)]
            total_of[this_thread] = total
    # every thread, after the loop of line 3
    for thread_x in range(32):
        this_thread = uint64(thread_x)
        thread = thread_x
        total = total_of[this_thread]
        O_hbm_write_bytes += 4
        Y[uint64(thread)] = total

What happened, with the file that does it:

  constants, coordinates   closed-over numbers and the block's shape become literals, and branches that they decide are dropped
  tally, inline            ports become plain indexing, and before it one addition per access to the total of its cell
  memory, fills            shared arrays exist once, for one block after the other; local ones get a row per thread if they are needed later
  registers                short local arrays lie where the compiler takes them apart, and makes vectors of elements treated alike (compile)
  webs, uniform            `first` is the same for all threads, so its loop, which holds barriers, may stay outside the thread loops;
                           were it not, threads could part at a barrier, and the kernel is refused with the line
  fission                  the cut
  lifetimes, dtypes        `total` lives across barriers: one element per thread, of its own type; `thread` is worked out anew
  threads, emit, header    the source: one module that needs numpy, Numba and, for local arrays, registers
  compile, cache, launch   machine code kept on disk, the grid run by several threads in chunks, with progress and cancellation

The source has four more forms. They call more compiled functions of this package.

  warps    Threads run in groups of 32, the lanes of a warp, and each access writes its index into a log: a row for each iteration of the
           loops around it, a column for each lane. When the last lane is through, a row is one warp access, exactly as the lanes of a
           GPU would make it together, and is measured: distinct bytes, sectors, wavefronts (steps, warps, warp_log). Every access of
           every warp is; what a warp does between two barriers must fit into 2^17 rows, or the launch is refused.
  trace    The same, but the rows are kept and told in order, for one block: `trace`, and `movements` put together by line.
  watch    At barriers that the caller chooses, what each thread holds is copied to a log, for one block: `watch`, and watched.
  check    Every index is looked at before it is used. Each element of an array has a shadow that remembers who wrote and read it since
           which barrier (guards, shadow). `check` reports races, reads of shared memory that nobody wrote and indices outside their
           array, each with file, line, array, index and the two threads.

What it is not: threads take turns, so outside `check` a race (a missing barrier) gives some result without a word, and so does an index
outside its array; races between one warp's lanes are races here too; and times say nothing about a GPU.
'''
from numba_kernels.cpu.check import Fault, Faulty, check, require_no_faults
from numba_kernels.cpu.generate import generate
from numba_kernels.cpu.launch import launch
from numba_kernels.cpu.moved import Moved, moved
from numba_kernels.cpu.trace import Movement, WarpAccess, movements, trace
from numba_kernels.cpu.unfaithful import Unfaithful
from numba_kernels.cpu.watch import watch
from numba_kernels.host import allocate, free_bytes, get, put, resources
from numba_kernels.spec import KernelSpec

__all__ = ["Fault", "Faulty", "Moved", "Movement", "Unfaithful", "WarpAccess", "allocate", "check", "free_bytes", "get", "launch", "moved",
           "movements", "put", "require_no_faults", "resources", "source", "trace", "watch"]


def source(spec: KernelSpec, counting: str) -> str:
    """The generated source of a kernel, to be read. Raises Unfaithful for a text that cannot be run faithfully."""
    return generate(spec, counting).source
