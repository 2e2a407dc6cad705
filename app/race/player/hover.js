// Hover: the block under the pointer in an HBM panel, its rows and keys, and how often it has moved so far.

/** Lines of text for a point of the sheet, or null where there is no block. */
function blockUnder(race, { views }, x, y) {
  for (const [index, lane] of race.lanes.entries()) {
    const found = race.matrices.find(x, y - LANE_TOPS[index] - HBM_BELOW);
    if (!found) continue;
    const { done } = views[index], numbers = [...numbersIn(race, found), ...executedIn(race, lane, found, done)];
    return [placeInWords(race.matrices, found), touchesInWords(lane, found, done), ...numbers];
  }
  return null;
}

/** S[3,5]: queries 192 to 255, keys 320 to 383. */
const placeInWords = (matrices, block) => `${blockName(block)}: ${spans(matrices, block)}`;

function spans({ rows, columns }, { array, row, column }) {
  const span = (edges, at) => `${grouped(edges[at])} to ${grouped(edges[at + 1] - 1)}`;
  const queries = !BY_COLUMN.has(array) && `queries ${span(rows, row)}`, keys = !BY_ROW.has(array) && `keys ${span(columns, column)}`;
  return [queries, keys].filter(Boolean).join(", ");
}

/** By hand: the numbers of the block, a line a row. */
function numbersIn(race, block) {
  const lines = race.numbers?.[block.array] ? numbersOf(race, block) : [];
  return lines.map((line) => line.map((number) => number.padStart(5, "\u2007")).join(" "));
}

/** The numbers of a block as they are written, row by row. */
function numbersOf({ numbers, matrices: { rows, columns } }, { array, row, column }) {
  const [from, to] = BY_COLUMN.has(array) ? [columns[column], columns[column + 1]] : [rows[row], rows[row + 1]];
  const across = "sp".includes(array) ? [columns[column], columns[column + 1]] : [0, Infinity];
  return numbers[array].slice(from, to).map((line) => line.slice(...across));
}

function touchesInWords(lane, { array, row, column }, done) {
  const { read, write } = touches(lane, array, row, column, done);
  if ("sp".includes(array) && !lane.tracks[`${array} write`]) return "never stored";
  const words = [["written", write], ["read", read]].filter(([, { count }]) => count)
    .map(([verb, { count, bytes }]) => `${verb} ${grouped(count)}×, ${decimalBytes(bytes)}`);
  return words.length ? `so far ${words.join("; ")}` : "not touched yet";
}

/** How often a block has been read and written after `done` events, and the bytes requested: {read: {count, bytes}, write: …}. */
function touches(lane, array, row, column, done) {
  const sums = { read: { count: 0, bytes: 0 }, write: { count: 0, bytes: 0 } };
  for (const sweep of lane.sweeps) {
    if (sweep.first >= done) break;
    for (const [place, move] of sweep.moves.entries()) {
      if (move.array !== array) continue;
      for (const block of blocksAt(sweep, row, column)) {
        if (sweep.first + block * sweep.moves.length + place >= done || !move.requested[block]) continue;
        sums[move.direction].count++;
        sums[move.direction].bytes += move.requested[block];
      }
    }
  }
  return sums;
}

/** Which blocks of a sweep lie at this row and column; null stands for any: a block of Q moves at every column of its row. */
function blocksAt(sweep, row, column) {
  const down = sweep.column !== null, [fixed, at, first] = down ? [column, row, sweep.row] : [row, column, 0];
  if (fixed !== null && fixed !== (down ? sweep.column : sweep.row)) return [];
  if (at === null) return Array.from({ length: sweep.blocks }, (_, block) => block);
  return at >= first && at < first + sweep.blocks ? [at - first] : [];
}
