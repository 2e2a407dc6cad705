"""What attention should move, and what it costs: words, shapes, closed forms. Standard library and numpy only."""
from traffic_model.errors import Refusal
from traffic_model.gpus import DEFAULT_GPU, Gpu, all_gpus, find_gpu
from traffic_model.kernel import Kernel
from traffic_model.ledger import Cell, Ledger
from traffic_model.predict import ALGORITHMS, Prediction, predict
from traffic_model.problem import AttentionProblem
from traffic_model.tiling import TILE_SIZES, Tiling
from traffic_model.vocabulary import Array, Direction, Measure, Space

__all__ = ["ALGORITHMS", "Array", "AttentionProblem", "Cell", "DEFAULT_GPU", "Direction", "Gpu", "Kernel", "Ledger", "Measure",
           "Prediction", "Refusal", "Space", "TILE_SIZES", "Tiling", "all_gpus", "find_gpu", "predict"]
