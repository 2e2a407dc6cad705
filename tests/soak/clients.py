"""python tests/soak/clients.py [clients [runs]]: clients that each send runs through one queue to its worker, all at the same time.

Ends with status 1 if a run fails, one of its counts is not as predicted, the worker takes more memory with every round (on a GPU the
device's), or keeps any when it ends.
"""
import os
import subprocess
import sys
import threading
import time
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from app.running import verdict  # noqa: E402
from app.settings import OPENING, Settings  # noqa: E402
from app.worker.queue import PLACES, RunQueue  # noqa: E402
from numba_kernels.run import gpu_available  # noqa: E402
from traffic_model import AttentionProblem  # noqa: E402

SHAPES = list(product((256, 1024, 640), (64, 32), ("full", "causal"))) if gpu_available() else [(128, 16, "full"), (192, 16, "causal")]
KEPT = 1.10  # of what the first round left


def main(clients: int = 5, runs: int = 10) -> int:
    if clients > PLACES:
        sys.exit(f"{clients} clients at once are more than the {PLACES} places in line; take {PLACES} or fewer.")
    before, queue, failed, held, done = memory(None), RunQueue(), [], [], []

    def client(number: int) -> None:
        for turn in range(runs):
            n, d, mask = SHAPES[(number + turn) % len(SHAPES)]
            settings = Settings(AttentionProblem(n, d, heads=number + 1, mask=mask), OPENING.tiling, OPENING.gpu)
            job = queue.submit(settings)
            while not queue.look(job).ended:
                time.sleep(.05)
            wrong = [said for run in job.runs if "counted as predicted" not in (said := verdict(run, settings))]
            if job.state != "done" or wrong:
                failed.append(f"client {number}, run {turn}: {job.state} {job.sentence} {wrong}")
            done.append(job)
            if len(done) % (clients * max(1, runs // 5)) == 0:
                held.append(memory(queue.worker))

    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
    started = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.monotonic() - started
    queue.close()
    after = memory(None)
    print(f"{len(done)} runs of {clients} clients in {took:.0f} s, {len(failed)} failed; memory: {before:,} MiB before, "
          f"{', '.join(f'{each:,}' for each in held)} meanwhile, {after:,} after")
    print(*failed, sep="\n")
    return int(bool(failed) or held[-1] > KEPT * held[0] or after > before)


def memory(worker) -> int:
    """MiB in use: of the GPU where there is one, else of the worker's process, 0 when there is none."""
    if gpu_available():
        time.sleep(.5)  # the driver takes a moment to say so
        used = subprocess.run(["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"], capture_output=True, text=True)
        return int(used.stdout.splitlines()[0])
    if worker is None:
        return 0
    pages = int(Path(f"/proc/{worker.process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 2**20


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
