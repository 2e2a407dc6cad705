"""python -m app.worker.process: runs the jobs that come in on stdin and says on stdout how they go, a JSON object a line.

In:  {"job": number, "settings": …} or {"cancel": number}. The end of stdin ends the process at once: its server is gone.
Out: {"job", "kind", …} with kind progress (share, words), done (runs), refused (sentence, one_head_runs), cancelled or failed (sentence).
"""
import json
import os
import queue
import sys
import threading
from typing import TextIO

from app import running
from app.settings import Settings
from traffic_model import Refusal


class Cancelled(Exception):
    """The person no longer wants it."""


class Jobs:
    """What stdin asks for, read beside the run that goes on. Iterating gives (number, settings), waiting for each."""

    def __init__(self, lines: TextIO):
        self.lines, self.todo, self.unwanted = lines, queue.Queue(), set()
        threading.Thread(target=self._read, daemon=True).start()

    def __iter__(self):
        return iter(self.todo.get, None)

    def _read(self) -> None:
        for message in map(json.loads, self.lines):
            if "cancel" in message:
                self.unwanted.add(message["cancel"])
            else:
                self.todo.put((message["job"], Settings.from_record(message["settings"])))
        os._exit(0)


def main() -> None:
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever else prints does not disturb the answers
    jobs = Jobs(sys.stdin)
    for number, settings in jobs:
        said = lambda kind, number=number, **more: print(json.dumps(dict(job=number, kind=kind, **more)), file=answers, flush=True)

        def say(share: float, words: str, number=number, said=said) -> None:
            if number in jobs.unwanted:
                raise Cancelled
            said("progress", share=share, words=words)

        try:
            said("done", runs=running.run_both(settings, say))
        except Cancelled:
            said("cancelled")
        except Refusal as refusal:
            one_head = settings.with_one_head()
            said("refused", sentence=str(refusal), one_head_runs=one_head != settings and running.possible(one_head))
        except Exception as error:  # whatever a kernel or a driver raises is said; the next job gets a new process
            said("failed", sentence=f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
