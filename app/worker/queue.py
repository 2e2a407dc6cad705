"""RunQueue: one worker process behind one line of jobs, for all sessions of a server."""
import json
import queue
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from app import hosting
from app.settings import Settings
from traffic_model import Refusal

ROOT = Path(__file__).resolve().parents[2]
COMMAND = (sys.executable, "-m", "app.worker.process")
PLACES = 8  # jobs that may wait
SILENT_SECONDS = 120  # a worker that says nothing for so long hangs: the longest it is busy without a word is a compilation
UNWATCHED_SECONDS = 180  # a job whose session has not looked for so long is given up: its tab is closed. A hidden tab looks once a minute
CANCEL_SECONDS = 10  # a worker that does not stop within these is replaced
ENDED = ("done", "refused", "failed", "cancelled")


@dataclass
class Job:
    """One run that a session asked for. state: waiting, running, or one of ENDED; share: done, 0 to 1; words: what is happening;
    runs: what came of it; sentence: why nothing did."""

    number: int
    settings: Settings
    state: str = "waiting"
    share: float = 0.0
    words: str = ""
    runs: list[dict] = field(default_factory=list)
    sentence: str = ""
    one_head_runs: bool = False
    looked: float = field(default_factory=time.monotonic)
    unwanted_since: float | None = None

    @property
    def ended(self) -> bool:
        return self.state in ENDED


class RunQueue:
    """Jobs are run in the order they came. Safe to use from any thread; the worker starts with the first job and is replaced when it
    hangs or dies, or a job failed in it."""

    def __init__(self, command: tuple[str, ...] = COMMAND, places: int = PLACES, silent_seconds: float = SILENT_SECONDS,
                 cancel_seconds: float = CANCEL_SECONDS):
        self.command, self.places, self.silent_seconds, self.cancel_seconds = command, places, silent_seconds, cancel_seconds
        self.waiting: list[Job] = []
        self.numbers, self.worker, self.changed = 0, None, threading.Condition()
        threading.Thread(target=self._serve, daemon=True).start()

    def submit(self, settings: Settings) -> Job:
        """A job at the end of the line. Raises Refusal if the line is full, or the host wants no kernel to run."""
        hosting.require_kernels()
        with self.changed:
            if len(self.waiting) >= self.places:
                raise Refusal(f"busy: {len(self.waiting)} runs wait for this machine already; try again in a minute.")
            self.numbers += 1
            job = Job(self.numbers, settings)
            self.waiting.append(job)
            self.changed.notify_all()
        return job

    def look(self, job: Job) -> Job:
        """The job as it stands, its place in line in its words. A job nobody looks at is given up."""
        with self.changed:
            job.looked = time.monotonic()
            if job.state == "waiting":
                ahead = self.waiting.index(job) + 1 if job in self.waiting else 0
                job.words = f"Waiting: {ahead} {'run has' if ahead == 1 else 'runs have'} to end first." if ahead else "Starting"
        return job

    def cancel(self, job: Job) -> None:
        """Takes a waiting job out of the line; stops a running one at its next word of progress."""
        with self.changed:
            job.unwanted_since = job.unwanted_since or time.monotonic()
            if job in self.waiting:
                self.waiting.remove(job)
                job.state = "cancelled"

    def close(self) -> None:
        """Ends the worker; another job would start a new one."""
        if self.worker:
            self.worker.end()
            self.worker = None

    def _serve(self) -> None:
        while True:
            with self.changed:
                self.changed.wait_for(lambda: self.waiting)
                job = self.waiting.pop(0)
                job.state, job.words = ("cancelled", "") if _unwatched(job) else ("running", "Starting")
            if not job.ended:
                try:
                    self._run(job)
                except Exception as error:  # whatever happened, the next job gets its chance
                    self.close()
                    job.sentence, job.state = f"the run could not be followed: {type(error).__name__}: {error}", "failed"

    def _run(self, job: Job) -> None:
        if self.worker is None or not self.worker.alive:
            self.worker = Worker(self.command)
        self.worker.send(job=job.number, settings=job.settings.record())
        heard, told = time.monotonic(), False
        while not job.ended:
            message = self.worker.hear(.2)
            now = time.monotonic()
            if message and message["job"] == job.number:  # not a late word about the job before
                heard = now
                _take(job, message)
            if _unwatched(job):
                job.unwanted_since = job.unwanted_since or now
            if job.unwanted_since and not told:
                self.worker.send(cancel=job.number)
                told = True
            if job.ended:
                break
            if message is None and not self.worker.alive:
                self._give_up(job, "failed", "the worker stopped while it ran this; a new one takes the next run")
            elif now - heard > self.silent_seconds:
                self._give_up(job, "failed", f"the worker said nothing for {self.silent_seconds:g} s and was replaced")
            elif job.unwanted_since and now - job.unwanted_since > self.cancel_seconds:
                self._give_up(job, "cancelled", "")
        if job.state == "failed":  # a kernel that faulted leaves a process in which no other can run
            self.close()

    def _give_up(self, job: Job, state: str, sentence: str) -> None:
        self.close()
        job.sentence, job.state = sentence, state


class Worker:
    """The process, and what it says: read by a thread, so that waiting for it can end."""

    def __init__(self, command: tuple[str, ...]):
        self.process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")
        self.said = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def alive(self) -> bool:
        """Whether more may be heard: it runs, or has left words unread."""
        return self.process.poll() is None or not self.said.empty()

    def send(self, **message) -> None:
        try:
            print(json.dumps(message), file=self.process.stdin, flush=True)
        except OSError:
            pass  # it is dead, which `alive` will say

    def hear(self, seconds: float) -> dict | None:
        """Its next message, or None if it says nothing for so long."""
        try:
            return self.said.get(timeout=seconds)
        except queue.Empty:
            return None

    def end(self) -> None:
        self.process.kill()
        self.process.wait()

    def _listen(self) -> None:
        for line in self.process.stdout:
            try:
                message = json.loads(line)
                self.said.put(message | dict(job=message["job"], kind=message["kind"]))
            except (ValueError, TypeError, KeyError):
                break  # not what a worker says: as good as dead
        self.process.kill()


def _take(job: Job, message: dict) -> None:
    """What the worker says of the job, into the job; that it has ended comes last."""
    for name in ("share", "words", "runs", "sentence", "one_head_runs"):
        setattr(job, name, message.get(name, getattr(job, name)))
    if message["kind"] in ENDED:
        job.state = message["kind"]


def _unwatched(job: Job) -> bool:
    return time.monotonic() - job.looked > UNWATCHED_SECONDS
