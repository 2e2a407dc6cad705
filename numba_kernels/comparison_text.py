"""A comparison as a table to be read."""
from traffic_model.tables import table
from traffic_model.units import milliseconds


def comparison_text(comparison) -> str:
    """A line per kernel of a Comparison, the fastest first: time, rate, share of the measured ceiling, error against float64."""
    p, ceiling = comparison.problem, comparison.ceiling_tflops
    ran = sorted((each for each in comparison.compared if each.record is not None), key=lambda each: each.ms)
    rows = [[each.name, milliseconds(each.ms), f"{each.tflops:.0f}", f"{100 * each.tflops / ceiling:.0f} %",
             f"{each.record['relative_error']:.1e}"] for each in ran]
    said = [f"{p.words}; median device times, L2 warm",
            f"a matrix product of {p.dtype} reaches {ceiling:.0f} TFLOP/s here", "",
            table(["kernel", "time", "TFLOP/s", "of that product", "error"], rows)]
    return "\n".join([*said, *(f"{each.name}: {each.refused}" for each in comparison.compared if each.record is None)])
