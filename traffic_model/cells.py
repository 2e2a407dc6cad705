"""Short ways to write the cells of a prediction as a table."""
from traffic_model.ledger import Cell, Ledger
from traffic_model.vocabulary import Array, Direction, Measure, Space

HBM, SHARED = Space.HBM, Space.SHARED
READ, WRITE = Direction.READ, Direction.WRITE
Q, K, V, S, P, O, STATS = Array
SHARED_BYTES = 4  # an element in shared memory is fp32, and so are running O and STATS in HBM


def ledger(requested: dict, compulsory: dict) -> Ledger:
    """A kernel's ledger from two tables {(array, space, direction): bytes}."""
    cells = lambda table: {Cell(*key): value for key, value in table.items()}
    return Ledger.of(Measure.REQUESTED, cells(requested)) | Ledger.of(Measure.COMPULSORY, cells(compulsory))
