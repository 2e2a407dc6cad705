"""paper: published figures beside the model."""
import json

from traffic_model.paper import GPT2_MEDIUM, Comparison, Shape, comparisons, total_bytes, unpublished
from traffic_model.tables import table
from traffic_model.units import decimal_bytes

PARTS = {"equal": "What must come out as published", "at least": "Times: not below bytes ÷ the datasheet's bandwidth",
         "at most": "Speeds: not above the datasheet's peak, nor compulsory bytes at its bandwidth"}


def add(commands) -> None:
    command = commands.add_parser("paper", help="published figures beside the model, with the difference")
    command.add_argument("--json", action="store_true", help="one JSON object per figure and line")
    command.set_defaults(command=show)


def show(arguments) -> None:
    if arguments.json:
        for each in comparisons():
            print(json.dumps(each.record()))
        for name, shape, moves in unpublished():
            print(json.dumps(dict(subject=name, shape=vars(shape), unit="B", paper=None, model=total_bytes(moves), moves=[
                dict(step=step, array=array, direction=way, bytes=count) for (step, array, way), count in moves.items()])))
        return
    for relation, title in PARTS.items():
        print(f"{title}:\n")
        print(table(["table", "subject", "at", "", "paper", "model", "unit", "difference", "holds", "figure"],
                    [_row(each) for each in comparisons() if each.relation == relation]), end="\n\n")
    print("Model only, no figure of these is published here:\n")
    print(table(["algorithm", "shape", "requested or per step"],
                [[name, _shape(shape), decimal_bytes(total_bytes(moves))] for name, shape, moves in unpublished()]))
    print("\nSources:", *dict.fromkeys(each.figure.source for each in comparisons()), sep="\n  ")


def _row(each: Comparison) -> list:
    f = each.figure
    return [f.table, f.subject, "" if f.setting is None else f"{f.setting:,}", f.quantity, f.text, f"{each.model:,.4g}", f.unit,
            f"{100 * each.difference:+.2f} %", "yes" if each.holds else "NO", f.kind]


def _shape(shape: Shape) -> str:
    queries = "" if shape.n == shape.m else f"N {shape.n:,}, "
    return "GPT-2 medium" if shape == GPT2_MEDIUM else f"{queries}M {shape.m:,}, d {shape.d}, {shape.heads} heads"
