"""warps: distinct bytes, sectors and wavefronts of every access; or one warp access, lane by lane."""
import json

from traffic_model import options
from traffic_model.errors import Refusal
from traffic_model.layout.common import WARP
from traffic_model.predict import Prediction, predict
from traffic_model.tables import ledger_rows, table
from traffic_model.vocabulary import Measure
from traffic_model.warps.access import Access
from traffic_model.warps.explain import Kind, cell_of, count, kinds, lanes

MOST_KINDS = 8  # in a table


def add(commands) -> None:
    command = commands.add_parser("warps", help="distinct bytes, sectors, wavefronts; one warp access lane by lane")
    options.add_problem_options(command)
    command.add_argument("--access", metavar="'K hbm read'", help="lane by lane: an array, hbm or shared, read or write")
    command.add_argument("--kind", type=options.whole_number, metavar="I", help="of that access, the most frequent kind being 1 (1)")
    command.set_defaults(command=show)


def show(arguments) -> None:
    problem, tiling, gpu = options.problem_of(arguments), options.tiling_of(arguments), options.gpu_of(arguments)
    if arguments.access is None and arguments.kind is not None:
        raise Refusal("--kind is one of the kinds of an access and needs --access, such as --access 'K hbm read'.")
    predictions = [predict(algorithm, problem, tiling, gpu) for algorithm in arguments.algorithm]
    answer = _every_access if arguments.access is None else _one_access
    for said in [answer(prediction, arguments) for prediction in predictions]:
        print(json.dumps(said) if arguments.json else said)


def _every_access(prediction: Prediction, arguments) -> dict | str:
    if arguments.json:
        return _named(prediction) | dict(kernels=[kernel.record() for kernel in prediction.warps])
    said = [f"{prediction.algorithm}, predicted: what its warps name\n"]
    for kernel, threads in zip(prediction.warps, prediction.kernels):
        header, rows = ledger_rows(kernel.ledger | threads.ledger.only(Measure.REQUESTED))
        said.append(f"  {kernel.name}\n  " + table(header, rows).replace("\n", "\n  ") + "\n")
    return "\n".join(said)


def _one_access(prediction: Prediction, arguments) -> dict | str:
    kernel, found = kinds(prediction.algorithm, prediction.problem, prediction.layout, cell_of(arguments.access))
    chosen = 1 if arguments.kind is None else arguments.kind
    if not 1 <= chosen <= len(found):
        raise Refusal(f"kind {chosen} of {prediction.algorithm}'s {found[0].access.cell} is not there: it has kinds 1 to {len(found)}; "
                      f"the nearest is {min(max(chosen, 1), len(found))}.")
    kind = found[chosen - 1]
    if arguments.json:
        return _named(prediction) | dict(kernel=kernel, access=str(kind.access.cell), kinds=len(found), kind=chosen) | kind.record()
    shown = [(number, each) for number, each in enumerate(found, 1) if number <= MOST_KINDS or number == chosen]
    return "\n".join([
        f"{prediction.algorithm}, {kernel}: {kind.access.cell}\n", _kinds_table(shown),
        *([f"and {len(found) - len(shown):,} more kinds"] if len(found) > len(shown) else []),
        f"\nKind {chosen}, the one at the lowest address, elements of {kind.access.size} B:\n", _lanes_table(kind), ""])


def _named(prediction: Prediction) -> dict:
    return dict(algorithm=prediction.algorithm, problem=prediction.problem.record(), tiling=prediction.tiling.record(),
                layout=prediction.layout.record())


def _kinds_table(shown: list[tuple[int, Kind]]) -> str:
    """A line per kind: how many there are, and what each of them names."""
    name, _ = count(shown[0][1].access)
    columns = {
        "kind": lambda number, kind: number,
        "warp accesses": lambda number, kind: kind.access.times,
        "lanes": lambda number, kind: len(lanes(kind.access)),
        "requested B": lambda number, kind: kind.access.bytes(Measure.REQUESTED),
        "distinct B": lambda number, kind: kind.access.bytes(Measure.DISTINCT),
        name: lambda number, kind: count(kind.access)[1],
        "fewest possible": lambda number, kind: kind.access.fewest,
    }
    if name == "wavefronts":
        columns["conflicts"] = lambda number, kind: kind.conflicts
    if shown[0][1].unpadded:
        columns["without padding"] = lambda number, kind: count(kind.unpadded)[1]
    return table(list(columns), [[column(number, kind) for column in columns.values()] for number, kind in shown])


def _lanes_table(kind: Kind) -> str:
    """A line per lane of the warp, – where it does not take part."""
    padded, bare = _by_lane(kind.access), _by_lane(kind.unpadded) if kind.unpadded else {}
    places = list(next(iter(padded.values())))
    header = ["lane", *places, *(f"{place} without padding" for place in places[::2] if bare)]
    row = lambda lane: [*padded[lane].values(), *(bare[lane][place] for place in places[::2] if bare)]
    absent = ["–"] * (len(header) - 1)
    return table(header, [[lane, *(row(lane) if lane in padded else absent)] for lane in range(WARP)])


def _by_lane(access: Access) -> dict[int, dict[str, int]]:
    """{lane: {"element": …, "byte": …, "sector" or "bank": …}}."""
    return {each.pop("lane"): each for each in lanes(access)}
