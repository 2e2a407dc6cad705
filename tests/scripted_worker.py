"""A worker that does as its argument says, to see what the queue makes of it: echo, refuse, fail, hang, deaf, die, number or babble."""
import json
import sys
import time

how = sys.argv[1]
say = lambda number, kind, **more: print(json.dumps(dict(job=number, kind=kind, **more)), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if "cancel" in message:
        if how == "echo":
            say(message["cancel"], "cancelled")
        continue
    number, n = message["job"], message["settings"]["problem"]["seq_len"]
    say(number, "progress", share=.5, words=f"N = {n}")
    if n == 128:
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
    elif how == "die":
        sys.exit(1)
    elif how == "number":
        print(5, flush=True)
    elif how == "babble":
        print("no JSON at all", flush=True)
