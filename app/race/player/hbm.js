// The HBM panel: the six arrays, filled where they exist in HBM, lighter where they have been read back.
const HBM = { x: 24, width: 652, height: 198 };

function drawHbm(pen, race, lane, view, top) {
  const { palette } = pen, panel = [HBM.x, top, HBM.width, HBM.height], words = { ink: palette.muted, ground: palette.panel };
  pen.box(panel, { radius: 10, fill: palette.panel, stroke: palette.line });
  pen.inside(panel, () => {
    pen.text("HBM", HBM.x + 12, top + 24, { weight: 600, ...words });
    pen.text(`peak ${race.gpu.bandwidth}`, HBM.x + HBM.width - 12, top + 24, { align: "right", ...words });
    drawLetters(pen, race.matrices, top);
    drawCounts(pen, race.matrices, lane, view, top);
    pen.at(0, top, () => drawArrays(pen, race.matrices, lane, view));
    for (const array of ["s", "p"]) if (!lane.tracks[`${array} write`]) drawGhost(pen, race.matrices, lane, view, array, top);
  });
}

function drawArrays(pen, matrices, lane, view) {
  const { palette } = pen;
  for (const array of ["q", "k", "v"]) {
    pen.rectangle(matrices.whole(array), palette.data);
    matrices.grid(pen, array, palette.panel);
  }
  for (const array of ["s", "p"]) if (lane.tracks[`${array} write`]) drawStored(pen, matrices, lane, view, array);
  pen.rectangle(matrices.whole("o"), palette.ground);
  drawScratch(pen, matrices, lane, view);
  matrices.fill(pen, "o", lane.progress("o", "write", view.done), palette[lane.name].fill);
  matrices.grid(pen, "o", palette.ground);
  pen.box(grown(matrices.whole("o"), 1), { radius: 0, stroke: palette.line });
  const now = view.flight ?? view.pulse;
  if (now && view.pace !== "kernel") outline(pen, matrices.block(now.array, now.row, now.column), palette.ink, !view.flight);
}

/** A running O is in HBM from its first visit on, lighter until it is final. */
function drawScratch(pen, matrices, lane, { done }) {
  const first = lane.sweeps.find(({ stage }) => stage === "queries");
  if (!first) return;
  const place = first.moves.findIndex(({ array, direction }) => array === "o" && direction === "write"), { moves, blocks, row } = first;
  const rows = Math.max(0, Math.min(blocks, Math.ceil((done - first.first - place) / moves.length))), [x, y, width] = matrices.whole("o");
  pen.rectangle([x, y + matrices.tops[row], width, matrices.tops[row + rows] - matrices.tops[row]], pen.palette[lane.name].back);
}

/** S or P of a lane that writes it to HBM: only visible pairs exist, the rest is hatched. */
function drawStored(pen, matrices, lane, view, array) {
  const { palette } = pen, colours = palette[lane.name], whole = matrices.whole(array), [x, y, width, height] = whole;
  const blocks = () => {
    matrices.fill(pen, array, lane.progress(array, "write", view.done), colours.fill);
    matrices.fill(pen, array, lane.progress(array, "read", view.done), colours.back);
    matrices.grid(pen, array, palette.ground);
  };
  pen.rectangle(whole, palette.ground);
  if (matrices.visible) {
    matrices.hatch(pen, array, matrices.visible);
    pen.at(x, y, () => pen.clip(matrices.visible, () => pen.at(-x, -y, blocks)));
  } else blocks();
  pen.box(grown([x, y, width, height], 1), { radius: 0, stroke: palette.line });
}

/** S or P of a lane that never stores it: dashed, skipped tiles hatched, with the tile that exists for one step. */
function drawGhost(pen, matrices, lane, view, array, top) {
  const { palette } = pen, [x, y, width, height] = matrices.whole(array), now = view.pulse ?? view.flight;
  const lines = pen.width("never stored", 20) + 8 < width ? ["never stored"] : ["never", "stored"];
  const wide = Math.max(...lines.map((line) => pen.width(line, 20))) + 8;
  const words = [x + (width - wide) / 2, y + height / 2 - 12 * lines.length, wide, 24 * lines.length];
  pen.at(0, top, () => {
    pen.rectangle([x, y, width, height], palette.ground);
    if (matrices.visible) matrices.hatch(pen, array, matrices.walked(lane));
    pen.box(grown([x, y, width, height], 1), { radius: 0, stroke: palette.muted, dash: [7, 6] });
    pen.rectangle(words, palette.ground);
    if (!["keys", "queries"].includes(now?.stage) || view.pace === "kernel") return;
    const tile = matrices.block(array, now.row, now.column);
    if (!meet(tile, words) || holds(tile, words)) outline(pen, tile, palette[lane.name].fill, true);
  });
  lines.forEach((line, index) => pen.text(line, x + width / 2, top + words[1] + 18 + 24 * index, { ink: palette.muted, align: "center" }));
}

/** The inputs' letters beside them. */
function drawLetters(pen, matrices, top) {
  const strong = { size: 22, weight: 600, ground: pen.palette.panel }, { s, p, q } = matrices.place;
  pen.text("Q", q[0] - 8, top + s[1] + matrices.height / 2 + 8, { ...strong, align: "right" });
  pen.text("K", s[0] + matrices.width + 10, top + s[1] - 8, strong);
  pen.text("V", p[0] - 10, top + p[1] - 8, { ...strong, align: "right" });
}

/** Beside S, P and O its letter and how much of it went out and came back, in bytes. */
function drawCounts(pen, matrices, lane, view, top) {
  const { palette } = pen, { s, o } = matrices.place, ground = palette.panel;
  const count = (array, x, y) => {
    const stored = lane.tracks[`${array} write`], colours = palette[lane.name];
    pen.text(array.toUpperCase(), x, y, { size: 24, weight: 700, ground, ink: stored ? palette.ink : palette.muted });
    const line = (word, direction, at, fill) => {
      pen.rectangle([x, at - 13, 12, 12], fill);
      pen.text(`${word} ${percent(lane.progress(array, direction, view.done).share)}`, x + 18, at, { ground, room: COUNT_ROOM });
    };
    if (stored) line("out", "write", y + 26, colours.fill);
    if (lane.tracks[`${array} read`]) line("back", "read", y + 51, colours.back);
  };
  count("s", s[0] + matrices.width + 12, top + s[1] + 18);
  count("p", o[0] + matrices.strip + 12, top + s[1] + 18);
  count("o", o[0] + matrices.strip + 12, top + s[1] + 110);
}

const COUNT_ROOM = 108;
const meet = ([x, y, width, height], [u, v, w, h]) => x < u + w && u < x + width && y < v + h && v < y + height;
const holds = ([x, y, width, height], [u, v, w, h]) => x <= u && y <= v && u + w <= x + width && v + h <= y + height;
const grown = ([x, y, width, height], by) => [x - by, y - by, width + 2 * by, height + 2 * by];

/** A frame around a block, never smaller than the eye can find; dashes need some length to be seen as such. */
function outline(pen, [x, y, width, height], stroke, dashed) {
  const wide = Math.max(width, 7), high = Math.max(height, 7), dash = dashed && Math.min(wide, high) > 12 ? [4, 3] : [];
  pen.box([x + (width - wide) / 2 - 1, y + (height - high) / 2 - 1, wide + 2, high + 2], { radius: 0, stroke, thick: 3, dash });
}
