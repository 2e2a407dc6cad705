// Below, by hand: the worksheet, one line a step, the present one framed.
const SHEET = { top: 494, pitch: 49, name: 38, maximum: 138, sum: 256, output: 600, right: 1250, size: 22 };

function drawByHand(pen, film, moment) {
  drawScores(pen, film, moment);
  drawKept(pen, film, moment);
  const columns = sheetColumns(pen, film.lines);
  const shown = film.asks ? film.lines.slice(0, moment.index + 1) : film.lines; // the names of the lines to come would answer
  shown.forEach((cells, line) => drawSheetLine(pen, cells, columns, line, moment.index));
}

/** Where the cells begin and how much room they have: the sums start after the widest maximum, the quotient may run up to the output. */
function sheetColumns(pen, lines) {
  const widest = Math.max(...lines.slice(0, -1).map(([, maximum]) => pen.width(maximum, SHEET.size, 600)));
  const sum = Math.max(SHEET.sum, SHEET.maximum + widest + 16), room = (left, right) => ({ left, room: right - left - 10 });
  const { name, maximum, output, right } = SHEET;
  return [room(name, maximum), room(maximum, output), room(sum, output), room(output, right + 10)];
}

function drawSheetLine(pen, cells, columns, line, now) {
  const { palette } = pen, y = SHEET.top + SHEET.pitch * line, box = [LEFT, y, RIGHT - LEFT, 45];
  const present = line === now, read = line <= now, ground = present ? palette.panel : palette.ground;
  if (present) pen.box(box, { fill: ground, stroke: palette.fused.text, thick: 2.5 });
  pen.inside(box, () => cells.slice(0, read ? cells.length : 1).forEach((words, column) => {
    const weight = present || !column ? 600 : 400, { left, room } = columns[column];
    const style = { weight, size: fitting(pen, words, weight, room), ink: read ? palette.ink : palette.muted, ground };
    if (words) drawFormula(pen, words, left, y + 31, style);
  }));
}

/** 22 px, or as much smaller as the room needs, down to 18. */
function fitting(pen, words, weight, room) {
  let { size } = SHEET;
  while (size > SMALLEST && formulaWidth(pen, words, size, weight) > room) size--;
  return size;
}
