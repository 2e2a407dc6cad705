// Executed: what the tile at work held in a run that really happened, as ranges over its rows, in the place of the registers' slots.
const LINE_TOPS = [50, 76, 102], SOURCE_TOP = 125, LETTER_WIDTH = 26;

/** By the rung's kind, stage, array and direction: [letter, value, at which key tile instead of the event's]; else the block that moves. */
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

/** [letter, range] of what an event works with; empty where the run has nothing to show. */
function workedWith(lane, now) {
  const { stage, array, direction, row, column, compulsory } = now, final = array === "o" && direction === "write" && compulsory;
  const names = WORKED_WITH[lane.name.startsWith("fused") ? "online" : "stored"][`${stage} ${array} ${direction}`];
  if (!names || final) return [[array.toUpperCase(), valueAt(lane, now)]].filter(([, range]) => range);
  const tile = { before: column - 1, last: lane.values.m[row].length - 1 };
  return names.map(([letter, name, when]) => [letter, lane.values[name]?.[row][tile[when] ?? column]]).filter(([, range]) => range);
}

/** The range of the values of one block of Q, K, V, S, P or O, where the run kept them. */
function valueAt({ values }, { array, row, column }) {
  if (BY_ROW.has(array)) return values[{ o: "out" }[array] ?? array]?.[row][0];
  return BY_COLUMN.has(array) ? values[array][column][0] : values[array]?.[row][column];
}

function executedRegisters({ line, note }, race, lane, lines) {
  lines.forEach(([letter, range], place) => line(LINE_TOPS[place], letter, range));
  note(race.executed.short, SOURCE_TOP);
  if (lane.block.threads) note(lane.block.threads);
}

/** Under the pointer: the block's values once they exist. */
function executedIn(race, lane, block, done) {
  const range = lane.values && valueAt(lane, block), stored = lane.tracks[`${block.array} write`];
  if (!range || (stored && !touches(lane, block.array, block.row, block.column, done).write.count)) return [];
  const where = "sp".includes(block.array) && !stored ? "in registers" : "values";
  return [`${where} ${range}, ${race.executed.source}`];
}
