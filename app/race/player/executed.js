// Executed: what the tile at work held in a run that really happened, as ranges over its rows: in the place of the registers' slots, or
// below them where a block only moves.
const LINE_TOPS = [48, 71, 94], MOVED_TOP = 117, SOURCE_TOP = 121, LETTER_WIDTH = 30;

/** By the rung's kind, stage, array and direction: [letter, value, at which key tile instead of the event's]. */
const WORKED_WITH = {
  online: {
    "keys k read": [["s", "s"], ["m", "m"], ["α", "alpha"]], "keys v read": [["p", "p"], ["ℓ", "l"], ["o", "o"]],
    "queries q read": [["m", "m"], ["α", "alpha"], ["ℓ", "l"]], "queries o read": [["o", "o", "before"]],
    "queries stats read": [["m", "m", "before"], ["ℓ", "l", "before"]], "queries stats write": [["m", "m"], ["ℓ", "l"]],
    "queries o write": [["o", "o"]],
  },
  stored: {
    "scores k read": [["s", "s"]], "maximum s read": [["s", "s"], ["m", "m"]], "statistics s read": [["s", "s"], ["m", "m"]],
    "sum s read": [["s", "s"], ["m", "m", "last"]], "normalise s read": [["s", "s"], ["m", "m", "last"]],
  },
};

/** [letter, range] of what an event works with; empty for a block that only moves. */
function workedWith(lane, { stage, array, direction, row, column, compulsory }) {
  const final = array === "o" && direction === "write" && compulsory, kind = lane.name.startsWith("fused") ? "online" : "stored";
  const tile = { before: column - 1, last: lane.values.m[row]?.length - 1 }, names = WORKED_WITH[kind][`${stage} ${array} ${direction}`];
  if (!names || final) return [];
  return names.map(([letter, name, when]) => [letter, lane.values[name]?.[row][tile[when] ?? column]]).filter(([, range]) => range);
}

/** The range of the values of one block of Q, K, V, S, P or O, where the run kept them. */
function valueAt({ values }, { array, row, column }) {
  if (BY_ROW.has(array)) return values[{ o: "out" }[array] ?? array]?.[row][0];
  return BY_COLUMN.has(array) ? values[array][column][0] : values[array]?.[row][column];
}

/** Draws the registers' room: draw(slots) is what stands there without a run. */
function drawExecuted(slots, race, lane, now, draw) {
  const lines = workedWith(lane, now), range = valueAt(lane, now);
  draw(lines.length ? { ...slots, slot: () => {} } : slots);
  lines.forEach(([letter, words], place) => slots.line(LINE_TOPS[place], letter, words));
  if (lines.length) slots.note(race.executed.short, SOURCE_TOP);
  else if (range) slots.line(MOVED_TOP, now.array.toUpperCase(), range);
}

/** Under the pointer: the block's values once they exist. */
function executedIn(race, lane, block, done) {
  const range = lane.values && valueAt(lane, block), stored = lane.tracks[`${block.array} write`];
  if (!range || (stored && !touches(lane, block.array, block.row, block.column, done).write.count)) return [];
  const where = "sp".includes(block.array) && !stored ? "in registers" : "values";
  return [`${where} ${range}, ${race.executed.source}`];
}
