"""python -m numba_kernels run | ring | sweep | validate | compare: attention that really runs, with every byte counted."""
import json
import sys
from pathlib import Path

from numba_kernels import nsight, saved
from numba_kernels.comparison_text import comparison_text
from numba_kernels.ports import COUNTING_MODES, WARPS
from numba_kernels.run import BACKENDS, L2_STATES, gpu_available, pick_backend, require_algorithm, require_how, resolve, run
from numba_kernels.sweep import header, open_runs, opened, sweep
from numba_kernels.validation_text import validation_text
from traffic_model import options
from traffic_model.errors import Refusal
from traffic_model.tables import ledger_rows, table, totals
from traffic_model.units import milliseconds

SWEEP_SAMPLES = 20


def show_run(arguments) -> None:
    problem, tiling, gpu = options.problem_of(arguments), options.tiling_of(arguments), options.gpu_of(arguments)
    how = dict(backend=arguments.backend, check=arguments.check, **_how(arguments))
    for algorithm in arguments.algorithm:  # nothing runs if one of them cannot
        resolve(algorithm, problem, tiling, gpu, **how)
    for algorithm in arguments.algorithm:
        result = run(algorithm, problem, tiling, gpu, **how)
        if arguments.json:
            print(json.dumps(result.record()))
            continue
        counted = f"counted: {totals(result.ledger)} through HBM" if result.ledger is not None else "not counted"
        print(f"{algorithm} on {result.backend}, {counted}; error against float64 {result.relative_error:.1e}")
        if result.accesses_checked:
            print("every access checked: no races, no unwritten reads, no indices outside")
        for kernel in result.kernels:
            times = sorted(kernel.times_ms or [])
            timed = f", {milliseconds(times[len(times) // 2])} (median of {len(times)})" if times else ""
            print(f"\n  {kernel.launch.name}: grid {kernel.launch.grid}, block {kernel.launch.block}{timed}")
            if kernel.ledger is not None:
                print("  " + table(*ledger_rows(kernel.ledger)).replace("\n", "\n  "))
        print()


def show_ring(arguments) -> None:
    from numba_kernels import ring_saved
    from numba_kernels.ring import resolve, ring
    from numba_kernels.ring_text import ring_text

    problem, tiling, gpu = options.problem_of(arguments), options.tiling_of(arguments), options.gpu_of(arguments)
    how = {name: getattr(arguments, name) for name in ("backend", "counting", "seed", "repeat", "warmup")}
    if arguments.out:
        _, backend = resolve(problem, tiling, gpu, arguments.gpus, **how)
        opened(arguments.out, header(backend, "warm"), ring_saved.read)
    found = ring(problem, tiling, gpu, arguments.gpus, **how)
    if arguments.out:
        saved.append(arguments.out, found.line)
    if arguments.json:
        print("\n".join(json.dumps(record) for record in [*(step.record() for step in found.steps), found.record()]))
    else:
        print(ring_text(found))


def do_sweep(arguments) -> None:
    if arguments.json:
        raise Refusal("sweep writes JSON Lines to --out already; leave --json out.")
    problems = _problems(arguments)
    for algorithm in arguments.algorithm:
        require_algorithm(algorithm)
    say = lambda line: print(line, file=sys.stderr, flush=True)
    if arguments.scheduler is None and arguments.workers is not None:
        raise Refusal("--workers says how many --scheduler local starts; add that, or leave it out.")
    if arguments.scheduler is None:
        _sweep(arguments, problems, pick_backend(arguments.backend), say)
    else:
        from numba_kernels.scheduled import Workers

        with Workers(arguments.scheduler, arguments.backend, arguments.workers) as workers:
            _sweep(arguments, problems, workers.backend, say, workers)
            for worker, drift in workers.drifts.items():
                say(f"{worker}: its reference drifted by {100 * drift:+.1f} %")
    print(f"{arguments.out}: {len(saved.read(arguments.out).runs)} runs")


def _problems(arguments) -> list:
    return [options.problem_of(arguments, dtype=dtype, mask=mask, head_dim=d, seq_len=n)
            for dtype in arguments.dtype for mask in arguments.mask for d in arguments.head_dim for n in arguments.seq_len]


def _sweep(arguments, problems: list, backend: str, say, place=None) -> None:
    if arguments.repeat is None:
        arguments.repeat = SWEEP_SAMPLES if backend == "gpu" else 0
    require_how(backend, arguments.counting, arguments.repeat, arguments.seed, arguments.warmup)
    sweep(arguments.out, arguments.algorithm, problems, arguments.tiles, options.gpu_of(arguments), backend, say, place=place,
          **_how(arguments))


def show_validation(arguments) -> None:
    from numba_kernels.validate import profiled_here, validate

    problem, tiling, target = options.problem_of(arguments), options.tiling_of(arguments), options.gpu_of(arguments)
    for algorithm in arguments.algorithm:
        resolve(algorithm, problem, tiling, target, "auto", WARPS, arguments.seed)
    exported = nsight.read_file(arguments.csv) if arguments.csv else []
    for algorithm in arguments.algorithm:
        result = run(algorithm, problem, tiling, target, "auto", WARPS, arguments.seed)
        launches = len(result.kernels)
        try:
            cold, warm = (exported[:launches], None) if arguments.csv else profiled_here(result, target, arguments.seed)
            exported = exported[launches:]
        except nsight.Unavailable as reason:
            print(f"{algorithm}: {reason}", file=sys.stderr)
            print(json.dumps(result.record()) if arguments.json else table(*ledger_rows(result.ledger)))
            continue
        validation = validate(result, cold, warm)
        print(json.dumps(validation.record()) if arguments.json else validation_text(validation))


def show_comparison(arguments) -> None:
    from numba_kernels.compare import COUNTING, compare
    from numba_kernels.libraries import PACKAGES, require_alike

    problems, gpu = _problems(arguments), options.gpu_of(arguments)
    for algorithm in arguments.algorithm:
        require_algorithm(algorithm)
    if not gpu_available():
        raise Refusal("compare measures on a GPU and this machine shows none; the Time page has what was recorded on one.")
    require_how("gpu", COUNTING, arguments.repeat, arguments.seed, arguments.warmup)
    if arguments.repeat == 0:
        raise Refusal("compare sets times beside each other and --repeat 0 takes none; the smallest is 1.")
    for problem in problems:
        require_alike(problem)
    held = open_runs(arguments.out, header("gpu", "warm", PACKAGES)) if arguments.out else set()
    for problem in problems:
        found = compare(arguments.algorithm, problem, arguments.tiles, gpu, arguments.seed, arguments.repeat, arguments.warmup,
                        say=lambda name: print(name, file=sys.stderr, flush=True))
        for each in filter(None, (one.record for one in found.compared)):
            if arguments.out and saved.key(each) not in held:
                saved.append(arguments.out, each)
            if arguments.json:
                print(json.dumps(each))
        if not arguments.json:
            print(comparison_text(found), end="\n\n")


def _how(arguments) -> dict:
    return {name: getattr(arguments, name) for name in ("counting", "seed", "repeat", "warmup", "l2")}


def main(argv: list[str] | None = None) -> int:
    parser = options.Parser(prog="python -m numba_kernels", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=options.Parser)
    running = commands.add_parser("run", help="run on this machine, count, compare with float64")
    circling = commands.add_parser("ring", help="one sequence over several GPUs that hand K/V blocks on in a circle")
    sweeping = commands.add_parser("sweep", help="many runs into one file; goes on where it stopped")
    validating = commands.add_parser("validate", help="the counts beside Nsight Compute's, on this machine or from a file")
    comparing = commands.add_parser("compare", help="the ladder beside PyTorch's kernels, on the same inputs, on a GPU")
    options.add_one_problem_options(circling, json_help="one JSON object per GPU and step, then one of all")
    for command in (running, sweeping, validating, comparing):
        options.add_problem_options(command, lists=command in (sweeping, comparing))
    for command in (running, circling, sweeping, validating, comparing):
        command.add_argument("--seed", type=options.whole_number, default=0, help="of the normal inputs (0)")
    samples = {running: (0, "0"), circling: (0, "0"), sweeping: (None, f"{SWEEP_SAMPLES} on a GPU, else 0"), comparing: (30, "30")}
    for command, (repeat, said) in samples.items():
        command.add_argument("--repeat", type=options.whole_number, default=repeat, metavar="R", help=f"time samples, gpu only ({said})")
        command.add_argument("--warmup", type=options.whole_number, default=3, metavar="W", help="untimed replays before them (3)")
    for command in (running, circling, sweeping):
        command.add_argument("--backend", choices=BACKENDS, default="auto", help="where (auto: gpu, else cpu)")
        command.add_argument("--counting", choices=COUNTING_MODES, default="requests", help="what to count (requests)")
    for command in (running, sweeping):
        command.add_argument("--l2", choices=L2_STATES, default="warm", help="L2 before each time sample (warm)")
    validating.add_argument("--csv", type=Path, metavar="FILE", help="ncu's raw page of the same launches in the same order, exported "
                            "elsewhere with --csv --page raw --print-units base; the counts may then come from the cpu backend")
    validating.set_defaults(command=show_validation)
    running.add_argument("--check", action="store_true", help="look for races, unwritten reads and indices outside first, cpu only")
    running.set_defaults(command=show_run)
    circling.add_argument("--gpus", type=options.whole_number, default=2, metavar="G", help="in the ring; on cpu and simulator all members "
                          "are in this process (2)")
    circling.add_argument("--out", type=Path, metavar="FILE.jsonl", help="a file of rings to add this one to")
    circling.set_defaults(command=show_ring)
    sweeping.add_argument("--out", type=Path, required=True, metavar="FILE.jsonl")
    sweeping.add_argument("--scheduler", metavar="local|ADDRESS", help="hand the runs to Dask's workers: one per GPU of this machine, or "
                          "those of a scheduler (this process)")
    sweeping.add_argument("--workers", type=options.whole_number, metavar="W", help="with --scheduler local: so many, on the cpu backend")
    sweeping.set_defaults(command=do_sweep)
    comparing.add_argument("--out", type=Path, metavar="FILE.jsonl", help="a file of runs to add the measurements to")
    comparing.set_defaults(command=show_comparison, algorithm="fused,fused_tensor_core", dtype="bfloat16", heads="16")
    arguments = parser.parse_args(argv)
    return options.run_command(arguments.command, arguments)


if __name__ == "__main__":
    sys.exit(main())
