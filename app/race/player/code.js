// Code: the line of kernel text that moves the block on show, in the lane's heading.
const TYPEWRITER = 'ui-monospace, "SFMono-Regular", Menlo, Consolas, "DejaVu Sans Mono", monospace';
const PASSES = { maximum: 0, statistics: 0, sum: 1 }; // of the accesses with one name, the first ones in the text; else the last

/** The text of an event's access; of several with one name that of its pass, and of a running O the scratch's until it is final. */
function lineOf(lane, { kernel, array, direction, stage, compulsory }) {
  const lines = lane.code[`${kernel} ${array} ${direction}`] ?? [];
  const place = lines.length === 1 || array === "stats" ? 0 : stage === "queries" ? Number(!compulsory) : PASSES[stage] ?? lines.length - 1;
  return lines[place];
}

/** Draws it in `room` px, cut where it is longer. Returns whether there was one to draw. */
function drawCode(pen, lane, { flight, pulse, pace }, x, y, room) {
  const event = pulse ?? flight, line = event && pace !== "kernel" && lineOf(lane, event), { family } = pen;
  if (!line) return false;
  pen.family = TYPEWRITER;
  const fits = Math.floor(room / pen.width("0", SMALLEST));
  pen.text(line.length > fits ? `${line.slice(0, fits - 1)}…` : line, x, y, { size: SMALLEST });
  pen.family = family;
  return true;
}
