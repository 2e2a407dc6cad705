// Blackboard: by hand, the numbers that a lane works with, in the place of the multiprocessor's two rooms: the block that moves, or what
// the threads hold of its queries.
const BOARD = { x: 10, y: 34, width: 400, height: 154, heads: 51, rows: 75, pitch: 23, labels: 28, between: 10, padding: 4 };
const SCORES = ["s", "scores"], MAXIMUM = ["m", "m"], ALPHA = ["α", "alpha"], WEIGHTS = ["p", "weights"], SUM = ["ℓ", "l"];
const OUTPUT = ["o", "o"], PRODUCT = ["o", "product"];
const TOP = [...MAXIMUM, "last"], TOTAL = [...SUM, "last"]; // a row's own, after its last key tile
const KEPT = [[...MAXIMUM, "before"], [...SUM, "before"]], KEPT_OUTPUT = [...OUTPUT, "before"]; // from the key tile before
const RAISED = [[SCORES, MAXIMUM, ALPHA, SUM], [SCORES, MAXIMUM, ALPHA]], ADDED = [[WEIGHTS, OUTPUT], [OUTPUT]];

/**
 * By the rung's kind, stage, array and direction: [letter, one of race.work, at which key tile instead of the event's], as choices of which
 * the first that fits is written. What is not here writes the numbers of its block.
 */
const WRITTEN = {
  online: {
    "keys k read": RAISED, "keys v read": ADDED, "queries q read": RAISED, "queries o read": [[KEPT_OUTPUT]],
    "queries stats read": [KEPT], "queries o write": ADDED, "queries stats write": [[MAXIMUM, SUM]],
  },
  stored: {
    "scores k read": [[SCORES]], "maximum s read": [[SCORES, MAXIMUM]], "sum s read": [[SCORES, TOP, ["ℓ", "sum"]]],
    "normalise s read": [[SCORES, TOP, TOTAL]], "products v read": [[["P", "shares"], PRODUCT], [PRODUCT]],
  },
};

/** now: the event whose tiles are on the chip, or null. */
function drawBlackboard(pen, race, lane, now, [left, top]) {
  const { palette } = pen, x = left + BOARD.x, y = top + BOARD.y, rectangle = [x, y, BOARD.width, BOARD.height];
  pen.box(rectangle, { fill: palette.ground, stroke: palette.line });
  pen.inside(rectangle, () => {
    const title = (words) => pen.text(words, x + 10, y + 25, { ink: palette.muted, weight: 600, room: BOARD.width - 20 });
    if (!now) return title("done");
    const { words, first, groups } = onBoard(pen, race, lane, now);
    title(words);
    const label = { size: SMALLEST, align: "right", ink: palette.muted }, [{ cells }] = groups;
    cells.forEach((_, row) => pen.text(String(first + row), x + BOARD.labels - 8, y + BOARD.rows + BOARD.pitch * row, label));
    groups.reduce((at, group) => at + drawGroup(pen, lane, group, at, y), x + BOARD.labels);
  });
}

/** The title, the number of the first row, and groups of columns {letter, cells, wide: px of a column}. */
function onBoard(pen, race, lane, now) {
  const { matrices, work } = race, { rows, columns } = matrices, { array, row, column } = now, choices = choicesFor(lane, now);
  const group = (letter, cells) =>
    ({ letter, cells, wide: Math.max(...cells.flat().map((text) => pen.width(text, SMALLEST))) + 2 * BOARD.padding });
  if (!choices) {
    const words = placeInWords(matrices, now), first = BY_COLUMN.has(array) ? columns[column] : rows[row];
    return { words, first, groups: [group(letter(array), numbersOf(race, now))] };
  }
  const tile = { before: column - 1, last: columns.length - 2 };
  const cells = (of, when) => work[of].slice(rows[row], rows[row + 1]).map((tiles) => tiles[tile[when] ?? column]);
  const made = choices.map((groups) => groups.map(([letter, of, when]) => group(letter, cells(of, when))));
  const width = (groups) => groups.reduce((sum, { cells: [line], wide }) => sum + line.length * wide + BOARD.between, 0);
  const groups = made.find((choice) => width(choice) <= BOARD.width - BOARD.labels) ?? made.at(-1);
  return { words: spans(matrices, { array: "s", row, column }), first: rows[row], groups };
}

function choicesFor(lane, { stage, array, direction, column, compulsory }) {
  const written = WRITTEN[lane.name.startsWith("fused") ? "online" : "stored"];
  if (stage !== "queries" || direction === "read" && column) return written[`${stage} ${array} ${direction}`];
  if (direction === "read") return RAISED; // at the first key tile nothing has been kept
  return array === "o" && compulsory ? null : written[`queries ${array} write`]; // null: the output itself
}

/** A letter over its columns of numbers. Returns the width taken. */
function drawGroup(pen, lane, { letter, cells, wide }, x, y) {
  const { palette } = pen, colours = palette[lane.name], width = cells[0].length * wide, height = BOARD.pitch * cells.length;
  pen.text(letter, x + width / 2, y + BOARD.heads, { weight: 700, align: "center", ink: colours.text });
  pen.box([x, y + BOARD.rows - 17, width, height], { radius: 4, stroke: colours.fill, thick: 2 });
  cells.forEach((line, row) => line.forEach((text, column) => {
    const right = x + (column + 1) * wide - BOARD.padding;
    pen.text(text, right, y + BOARD.rows + BOARD.pitch * row, { size: SMALLEST, align: "right" });
  }));
  return width + BOARD.between;
}
