// The GPUs: the block each has, how far it is with it, and what it has moved; on the track the blocks that are handed on.
const LABEL = 70; // px that the words before its bytes take

function drawMembers(pen, film, moment) {
  const { track } = film;
  track.draw(pen);
  track.boxes.forEach((box, gpu) => drawMember(pen, film, moment, gpu, box));
  drawWay(pen, film, moment);
}

function drawMember(pen, film, moment, gpu, [x, y, width, height]) {
  const { palette } = pen, { fused } = palette, ground = palette.panel, quiet = { ink: palette.muted, ground };
  const now = film.during(moment, gpu), moved = film.moved(moment, gpu), room = width - 24;
  const right = { align: "right", weight: 600, size: width < 200 ? 18 : 20, room: room - LABEL, ground };
  pen.box([x, y, width, height], { radius: 10, fill: ground, stroke: now && !moment.rests ? palette.ink : palette.line });
  pen.inside([x, y, width, height], () => {
    pen.text(`GPU ${gpu}`, x + 12, y + 30, { size: 22, weight: 700, ground });
    drawBlock(pen, film.holds(moment, gpu), x + width - 12 - CHIP.width / 2, y + 23, true);
    pen.text(film.rowsOf(film.queries[gpu]), x + 12, y + 60, { size: 18, room, ...quiet });
    drawWork(pen, now, moment, [x + 12, y + 72, room, 22]);
    pen.text("HBM", x + 12, y + 122, { size: 18, ...quiet });
    pen.text(decimalBytes(moved.hbm), x + width - 12, y + 122, right);
    pen.text("NVLink", x + 12, y + 148, { size: 18, ...quiet });
    pen.text(decimalBytes(moved.sent), x + width - 12, y + 148, { ...right, ink: fused.text });
  });
}

/** How far it is with its block, the whole length being the busiest GPU's work in this step; hatched where it has none. */
function drawWork(pen, now, moment, [x, y, width, height]) {
  const { palette } = pen;
  pen.rectangle([x, y, width, height], palette.track);
  if (!now) return;
  if (now.kind === "skipped") return hatch(pen, [x, y, width, height], palette.muted);
  pen.rectangle([x, y, width * Math.min(now.share, moment.share), height], palette.fused.fill);
  pen.lines([[[x + width * now.share, y], [x + width * now.share, y + height]]], palette.ink, 2);
}

/** K/V of a GPU: filled where it is at work, outlined where it is a copy on its way. */
function drawBlock(pen, owner, x, y, held) {
  const { palette } = pen, { fill, on, text } = palette.fused, { width, height } = CHIP, ground = held ? fill : palette.ground;
  pen.box([x - width / 2, y - height / 2, width, height], { radius: 6, fill: ground, stroke: fill, thick: 2.5 });
  pen.text(`K/V ${owner}`, x, y + 7, { weight: 600, align: "center", ink: held ? on : text, ground });
}

/** Copies on their way to the next GPU, and in the middle what goes on. */
function drawWay(pen, film, moment) {
  const x = (TRACK.left + TRACK.right) / 2, y = (TRACK.top + TRACK.bottom) / 2;
  const high = TRACK.bottom - TRACK.top, wide = TRACK.right - TRACK.left;
  pen.inside([TRACK.left + CHIP.width / 2, TRACK.top + CHIP.height / 2, wide - CHIP.width, high - CHIP.height], () =>
    pen.text(film.wayWords(moment), x, y + 8, { size: 22, weight: 600, align: "center", room: wide - CHIP.width - 8 }));
  pen.inside([LEFT, TRACK.top - CHIP.height / 2, 2 * (x - LEFT), high + CHIP.height], () => {
    for (const step of film.onTheirWay(moment)) drawBlock(pen, step.owner, ...film.track.between(step.gpu, moment.share), false);
  });
}

/** Slanted lines over a rectangle, or over the path in it. */
function hatch(pen, [x, y, width, height], stroke, path = along([x, y], [x + width, y], [x + width, y + height], [x, y + height])) {
  const lines = [];
  for (let at = -height; at < width; at += 9) lines.push([[x + at, y + height], [x + at + height, y]]);
  pen.clip(path, () => pen.lines(lines, stroke, 1.5));
}

/** The area between points. */
function along(...points) {
  const path = new Path2D();
  points.forEach(([x, y]) => path.lineTo(x, y));
  path.closePath();
  return path;
}
