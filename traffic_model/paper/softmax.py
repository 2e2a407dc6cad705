"""How often a softmax over one row touches each element, pass by pass (Milakov and Gimelshein, arXiv 1805.02867)."""
from collections.abc import Mapping

from traffic_model.paper.shape import READ, WRITE

Accesses = Mapping[tuple[str, str, str], int]  # (pass, array, direction): per element of the row
SAFE = {("maximum", "S", READ): 1, ("sum", "S", READ): 1, ("normalise", "S", READ): 1, ("normalise", "P", WRITE): 1}
ONLINE = {("maximum and sum", "S", READ): 1, ("normalise", "S", READ): 1, ("normalise", "P", WRITE): 1}
ON_CHIP = {("load", "S", READ): 1, ("store", "P", WRITE): 1}  # maximum, sum and normalising see the row in registers or shared memory


def per_element(passes: Accesses, direction: str) -> int:
    """Reads, or writes, of one element over all passes. naive's softmax is SAFE, tiled's ONLINE."""
    return sum(count for (_, _, way), count in passes.items() if way == direction)
