"""receipt: the sum that a lane's compulsory bytes come to, written so that anyone can add it up."""
from traffic_model import AttentionProblem


def receipt(algorithm: str, problem: AttentionProblem) -> str:
    """`4 × 1,048,576 (Q, K, V, O) + 4 × 67,108,864 (S, P out and back) = 272,629,760 B`: exact bytes of all heads of `problem`."""
    terms = _inputs_and_output(problem)
    if algorithm == "naive":  # S written and read, P written and read
        terms.append((4, problem.score_bytes, "S, P out and back" if problem.mask == "full" else "visible S, P out and back"))
    total = sum(count * size for count, size, _ in terms)
    return f"{' + '.join(f'{count} × {size:,} ({what})' for count, size, what in terms)} = {total:,} B"


def _inputs_and_output(problem: AttentionProblem) -> list[tuple[int, int, str]]:
    if problem.query_bytes == problem.key_bytes:
        return [(4, problem.query_bytes, "Q, K, V, O")]
    return [(2, problem.query_bytes, "Q, O"), (2, problem.key_bytes, "K, V")]
