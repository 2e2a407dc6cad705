// Steps: every move of both lanes as a table, one a row, in the order of each lane: what the picture draws, to be added up elsewhere.
const STEP_COLUMNS = ["lane", "algorithm", "step", "kernel", "stage", "array", "direction", "first_query", "last_query", "first_key",
                      "last_key", "compulsory_bytes", "requested_bytes"];

/** CSV with a head. A block that lies across all queries or all keys leaves their cells empty. The clock of DRAM bytes adds its own. */
function stepsAsCsv({ lanes, rows, columns, clock }) {
  const lines = [[...STEP_COLUMNS, ...(clock.modelled ? ["dram_bytes_of_all_heads"] : [])].join(",")];
  for (const [index, lane] of lanes.entries()) {
    const whose = `${["upper", "lower"][index]},${lane.name}`;
    for (let step = 0; step < lane.count; step++) {
      const { kernel, stage, array, direction, row, column, compulsory, requested, cost } = lane.event(step);
      const queries = BY_COLUMN.has(array) ? "," : `${rows[row]},${rows[row + 1] - 1}`;
      const keys = BY_ROW.has(array) ? "," : `${columns[column]},${columns[column + 1] - 1}`;
      const bytes = [compulsory, requested, ...(clock.modelled ? [cost] : [])].join(",");
      lines.push(`${whose},${step + 1},${kernel},${stage},${array},${direction},${queries},${keys},${bytes}`);
    }
  }
  return `${lines.join("\n")}\n`;
}
