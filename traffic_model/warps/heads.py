"""Where the heads of the batch start in an array, as bases."""
from traffic_model.problem import AttentionProblem
from traffic_model.vocabulary import SECTOR
from traffic_model.warps.bases import Bases


def query_heads(problem: AttentionProblem, elements: int, size: int | None = None) -> Bases:
    """All query heads of an array that has so many elements per head, of `size` bytes, those of the storage type by default."""
    return Bases.steps(elements, problem.query_heads, SECTOR // (size or problem.element_bytes))


def kv_heads(problem: AttentionProblem, elements: int) -> Bases:
    """All key/value heads, each for every query head that uses it."""
    return Bases.steps(elements, problem.batch * problem.kv_heads, SECTOR // problem.element_bytes, problem.heads // problem.kv_heads)
