"""Settings and run records to draw: runs that counted exactly what is predicted, with given times."""
from app import records
from app.settings import Settings
from traffic_model import DEFAULT_GPU, AttentionProblem, Measure, Tiling, find_gpu, predict

DEFAULT = Settings(AttentionProblem(4096, 64, 16), Tiling(), find_gpu(DEFAULT_GPU))
ODD = Settings(AttentionProblem(1000, 80, 8, 2, 2, mask="causal"), Tiling(32, 16), find_gpu("T4"))  # ragged, grouped, two of a batch


def run_record(settings: Settings, algorithm: str, times_ms=(1.0, 2.0, 3.0), backend="gpu") -> dict:
    """times_ms: each kernel's samples."""
    prediction = predict(algorithm, settings.problem, settings.tiling, settings.gpu)
    kernels = [dict(name=k.name, times_ms=list(times_ms) if backend == "gpu" else None) for k in prediction.kernels]
    ledger = prediction.ledger.only(Measure.REQUESTED).records()
    return prediction.record() | dict(ledger=ledger, measures=["requested"], backend=backend, relative_error=1e-7, kernels=kernels)


def recording(settings: Settings, lengths: list[int]) -> tuple[dict, list[dict]]:
    """A shipped file's header and its stamped runs: both algorithms at each length."""
    header = dict(gpu="NVIDIA H200", date="2026-11-29", l2="warm", copy_gb_per_s=4000.0)
    return header, records.shipped(header, [run_record(settings.at(n), a) for n in lengths for a in records.ALGORITHMS])
