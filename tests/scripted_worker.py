"""A worker that does as its argument says, to see what the queue makes of it: echo, refuse, fail, hang, deaf, die, crash, memory,
poison, number or babble."""
import json
import os
import signal
import sys
import time

how, poisoned = sys.argv[1], False
say = lambda number, kind, **more: print(json.dumps(dict(job=number, kind=kind, **more)), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if "cancel" in message:
        if how == "echo":
            say(message["cancel"], "cancelled")
        continue
    number, n = message["job"], message["settings"]["problem"]["seq_len"]
    say(number, "progress", share=.5, words=f"N = {n}")
    if poisoned:
        say(number, "failed", sentence="CudaAPIError: [700] the context is dead")
    elif n == 128:
        say(number, "done", runs=[dict(n=n)])
    elif how == "refuse":
        say(number, "refused", sentence="it would take too long.", one_head_runs=True)
    elif how == "fail":
        say(number, "failed", sentence="RuntimeError: no luck")
    elif how == "hang":
        time.sleep(3600)
    elif how == "deaf":
        while True:
            say(number, "progress", share=.5, words="still here")
            time.sleep(.05)
    elif how == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif how == "memory":
        say(number, "failed", sentence="CudaAPIError: [2] Call to cuMemAlloc results in CUDA_ERROR_OUT_OF_MEMORY")
    elif how == "poison":
        poisoned = True
        say(number, "failed", sentence="CudaAPIError: [700] CUDA_ERROR_ILLEGAL_ADDRESS")
    elif how == "die":
        sys.exit(1)
    elif how == "number":
        print(5, flush=True)
    elif how == "babble":
        print("no JSON at all", flush=True)
