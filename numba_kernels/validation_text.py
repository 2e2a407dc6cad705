"""A validation as a table to be read."""
from traffic_model.tables import table
from traffic_model.units import decimal_bytes


def validation_text(validation) -> str:
    """A table per launch of a Validation, counted beside hardware, then what crossed L2 and DRAM."""
    wrong = len(validation.disagreements)
    verdict = "every count explained" if not wrong else f"{wrong} counts differ without a cause"
    return "\n".join([f"{validation.run.algorithm}, counted on {validation.run.backend} beside hardware: {verdict}",
                      *map(_kernel, validation.kernels), ""])


def _kernel(kernel) -> str:
    rows = [[each.space, each.direction, each.measure, f"{each.counted:,}", f"{each.hardware:,}",
             "equal" if each.agrees else each.cause or f"{each.hardware - each.counted:+,}"] for each in kernel.compared]
    lines = [f"{kernel.name}", table(["space", "direction", "measure", "counted B", "hardware B", ""], rows)]
    for name, moved in (("L2 emptied before", kernel.cold), ("L2 as it was left", kernel.warm)):
        if moved:
            lines.append(f"{name}: L2 gave {decimal_bytes(moved['l2_read_bytes'])}, DRAM read {decimal_bytes(moved['dram_read_bytes'])}, "
                         f"DRAM written {decimal_bytes(moved['dram_write_bytes'])}, {moved['duration_us']:,.1f} µs")
    return "\n" + "\n".join(lines).replace("\n", "\n  ")
