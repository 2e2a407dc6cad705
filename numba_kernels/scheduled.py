"""A sweep over many workers, one per GPU, on any number of hosts: Dask hands out its combinations, the client keeps the file."""
import asyncio
import functools
import logging
import os
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

from numba_kernels.agreement import disagreements
from numba_kernels.drift import Reference
from numba_kernels.run import gpu_available, layout_of, pick_backend
from numba_kernels.sweep import header, without_gpu
from traffic_model.errors import Refusal

try:
    import distributed
except ImportError:  # optional: only sweep --scheduler asks for it
    distributed = None

LOCAL = "local"
MOST_LOCAL = 64  # worker processes on the CPU of one machine
CONNECT_S, WORKERS_S, POLL_S = 10.0, 60.0, 1.0  # patience: with a scheduler that is silent, with one without workers; between looks


class Workers:
    """A context: Dask's workers as the place of a sweep.

    address: a scheduler's, or "local" for one worker per GPU of this machine, or for `workers` on its CPU. Each worker takes one
    combination at a time; one that a lost worker had begun goes to another. Raises Refusal when Dask is missing, for a scheduler that
    does not answer or goes away, and for workers that differ in GPU, commit or counts.
    """

    def __init__(self, address: str, backend: str = "auto", workers: int | None = None):
        if distributed is None:
            raise Refusal("--scheduler needs Dask, which is not installed; pip install distributed, or leave --scheduler out.")
        if workers is not None and address != LOCAL:
            raise Refusal(f"workers says how many --scheduler {LOCAL} starts; a scheduler at an address has its own.")
        if workers is not None and not 1 <= workers <= MOST_LOCAL:
            raise Refusal(f"workers {workers} is not possible; it is how many local ones run on the CPU, 1 to {MOST_LOCAL}.")
        self._address, self._workers = address, workers
        self._cluster = self.client = None
        self.drifts: dict[str, float] = {}  # {worker's address: the largest drift of its reference}; empty where nothing is timed
        self.backend = ("cpu" if workers else pick_backend(backend)) if address == LOCAL else backend
        if workers and backend == "gpu":
            raise Refusal("workers is for the CPU; on GPUs a local sweep starts one worker for each.")

    def __enter__(self) -> "Workers":
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what goes wrong is said once, in a sentence
        try:
            if self._address != LOCAL and not _is_scheduler(self._address):
                raise TimeoutError
            self._cluster = _local_cluster(self.backend, self._workers or 1) if self._address == LOCAL else None
            self.client = distributed.Client(self._cluster or self._address, timeout=CONNECT_S)
            self.client.wait_for_workers(1, timeout=WORKERS_S)
            self._pick()
        except (OSError, ValueError) as error:
            self.__exit__()
            if isinstance(error, Refusal):
                raise
            what = "has no worker" if self.client else "does not answer"
            raise Refusal(f"the scheduler at {self._address!r} {what}; start one with `dask scheduler` and `dask worker`.") from None
        return self

    def __exit__(self, *_) -> None:
        for each in filter(None, (self.client, self._cluster)):
            each.close()

    def _pick(self) -> None:
        """"auto" becomes gpu where a worker offers the resource GPU, else cpu."""
        if self.backend == "auto":
            self.backend = "gpu" if any("GPU" in resources for resources in self._offered().values()) else "cpu"
        if not self._fit():
            name = self.backend.upper()
            raise Refusal(f"no worker at {self._address} offers the resource {name}; start them with `dask worker --resources {name}=1`.")

    def header(self, backend: str, l2: str) -> dict:
        """The header that every worker would write."""
        fit = self._fit()
        headers = list(self.client.run(header, backend, l2, workers=fit).values())
        for name in ("gpu", "commit"):
            if len(found := sorted({str(each[name]) for each in headers})) > 1:
                raise Refusal(f"the workers differ in {name}, {' and '.join(found)}; a file holds one: take a scheduler for each.")
        return headers[0]

    def measured(self, todo: list[dict], one: Callable[[dict], tuple[dict | None, str]]) -> Iterator[tuple[dict, dict | None, str]]:
        """As `Here.measured`; each line says its GPU and how far that drifted."""
        work = functools.partial(_work, one=one, middle=_middle(todo, one.keywords["target"]), sweep=uuid.uuid4().hex)
        todo, running, references = list(todo), {}, {}
        while todo or running:
            while todo and len(running) < len(self._waited_for()):
                each = todo.pop(0)
                running[self.client.submit(work, each, pure=False, retries=2, resources={self.backend.upper(): 1})] = each
            for future in self._ended(running):
                each = running.pop(future)
                try:
                    record, line, worker, looked, drift = future.result()
                except (distributed.client.FutureCancelledError, distributed.CancelledError):
                    raise self._gone() from None
                except distributed.scheduler.KilledWorker:
                    yield each, None, "left out: every worker that began it was lost"
                    continue
                if drift is not None:
                    self.drifts[worker] = max(drift, self.drifts.get(worker, drift), key=abs)
                if looked is not None:
                    references[worker] = looked
                    for sentence in disagreements(references.items()):
                        raise Refusal(sentence)
                yield each, record, line

    def _ended(self, running: dict) -> list:
        """The futures that ended by the next look; none while all still run."""
        try:
            return list(distributed.wait(list(running), timeout=POLL_S, return_when="FIRST_COMPLETED").done)
        except TimeoutError:
            return self._alive([])
        except (OSError, distributed.client.FutureCancelledError, distributed.CancelledError):
            raise self._gone() from None

    def _waited_for(self) -> list[str]:
        """The workers that can take a combination, once there is one."""
        until = time.monotonic() + WORKERS_S
        while not (fit := self._fit()):
            if time.monotonic() > until:
                raise Refusal(f"no worker is left at {self._address}; what was measured is kept, and the same command goes on from there.")
            time.sleep(POLL_S)
        return fit

    def _fit(self) -> list[str]:
        return [address for address, resources in self._offered().items() if resources.get(self.backend.upper(), 0) >= 1]

    def _offered(self) -> dict[str, dict]:
        """{worker's address: its resources}"""
        try:
            workers = self.client.scheduler_info(n_workers=-1)["workers"]
        except (OSError, TypeError, AttributeError):  # the client has no connection, or has lost it while it asked
            raise self._gone() from None
        return self._alive({address: worker["resources"] for address, worker in workers.items()})

    def _alive(self, answer):
        if self.client.status != "running":
            raise self._gone()
        return answer

    def _gone(self) -> Refusal:
        return Refusal(f"the scheduler at {self._address} went away; what was measured is kept, and the same command goes on from there.")


def _is_scheduler(address: str) -> bool:
    """Whether Dask's greeting is answered there. Whatever else listens at an address may send anything, or nothing for ever."""
    async def greet() -> bool:
        try:
            comm = await asyncio.wait_for(distributed.comm.connect(address, timeout=CONNECT_S), CONNECT_S)
        except Exception:
            return False
        comm.abort()
        return True

    with ThreadPoolExecutor(1) as thread:  # this thread may be in a loop of its own, as a notebook's is
        return thread.submit(asyncio.run, greet()).result()


def _local_cluster(backend: str, workers: int):
    """A scheduler on this machine with a worker process per GPU, pinned to it, or with some on the CPU that share its cores."""
    if backend == "gpu" and gpu_available():
        environments = [{"CUDA_VISIBLE_DEVICES": each} for each in _visible_gpus()]
    else:
        environments = [{"NUMBA_NUM_THREADS": str(max(1, (os.cpu_count() or 1) // workers))}] * workers
    return distributed.SpecCluster(
        workers={number: {"cls": distributed.Nanny, "options": dict(
            nthreads=1, env=environment, resources={backend.upper(): 1}, memory_limit=0, host="127.0.0.1", dashboard=False,
            silence_logs=logging.CRITICAL)} for number, environment in enumerate(environments)},
        scheduler={"cls": distributed.Scheduler, "options": dict(host="127.0.0.1", port=0, dashboard=False)}, silence_logs=logging.CRITICAL)


def _visible_gpus() -> list[str]:
    """As CUDA_VISIBLE_DEVICES names them: what it names already, else all."""
    named = os.environ.get("CUDA_VISIBLE_DEVICES")
    if named:
        return named.split(",")
    from numba_kernels.device import cuda

    return [str(number) for number in range(len(cuda.gpus))]


def _middle(todo: list[dict], target) -> dict | None:
    """The reference: the middle one by work of the combinations that can run; None if none can."""
    can_run = sorted((each for each in todo if _legal(each, target)), key=lambda each: each["problem"].flops)
    return can_run[len(can_run) // 2] if can_run else None


def _legal(each: dict, target) -> bool:
    try:
        return bool(layout_of(**each, target=target))
    except Refusal:
        return False


_references: dict[str, Reference] = {}  # in a worker's process: the reference of each sweep, by its name


def _work(each: dict, one: Callable[[dict], tuple], middle: dict | None, sweep: str) -> tuple:
    """On a worker: (line for the file, how it went, the worker's address, the reference's run if it was due, its drift)."""
    reference = _references.setdefault(sweep, Reference(lambda: one(middle)[0] if middle else None))
    looked, (record, line) = reference.look(), one(each)
    if record is not None:
        record |= dict(measured_on=_measured_on(record["backend"]) | dict(drift=reference.drift))
    if reference.drift is not None:
        line += f"  drift {100 * reference.drift:+.1f} %"
    return record, line, distributed.get_worker().address, looked, reference.drift


def _measured_on(backend: str) -> dict:
    if backend != "gpu":
        return dict(gpu=without_gpu(backend))
    from numba_kernels import machine  # asks the CUDA driver

    return dict(gpu=machine.gpu_name()) | machine.sensors(os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0])
