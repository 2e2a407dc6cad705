// Which queries meet which keys, and in which step: a row per GPU, a column per block. A causal mask leaves the upper right.
const PAIRS = { x: 816, y: 88, width: 440, height: 488, top: 160, left: 872, across: 368, largest: 184 };

/** [x, y, side] of the cell of a GPU and a block. */
function cellOf({ gpus }, gpu, owner) {
  const side = Math.min(PAIRS.largest, Math.floor(PAIRS.across / gpus)), left = PAIRS.left + (PAIRS.across - side * gpus) / 2;
  return [left + side * owner, PAIRS.top + side * gpu, side];
}

function drawPairs(pen, film, moment) {
  const { palette } = pen, { x, y, width, height } = PAIRS, ground = palette.panel, quiet = { size: 18, ink: palette.muted, ground };
  pen.box([x, y, width, height], { radius: 10, fill: ground, stroke: palette.line });
  pen.inside([x, y, width, height], () => {
    pen.text("In which step queries meet keys", x + 16, y + 30, { size: 22, weight: 700, ground });
    for (let place = 0; place < film.gpus; place++) {
      const [left, , side] = cellOf(film, 0, place), [start, top] = cellOf(film, place, 0);
      pen.text(`K/V ${place}`.slice(side < 64 ? 4 : 0), left + side / 2, PAIRS.top - 10, { ...quiet, align: "center" });
      pen.text(`Q ${place}`, start - 10, top + side / 2 + 7, { ...quiet, align: "right" });
    }
    film.steps.forEach((step) => drawPair(pen, film, moment, step));
    const [left, , side] = cellOf(film, 0, 0), low = PAIRS.top + side * film.gpus;
    pen.text(film.pairWords, left + (side * film.gpus) / 2, low + 30, { ...quiet, align: "center", room: width - 32 });
  });
}

function drawPair(pen, film, moment, step) {
  const { palette } = pen, { fused } = palette, [x, y, side] = cellOf(film, step.gpu, step.owner), inner = side - 3;
  const done = step.step < moment.done, now = step.step === moment.index && moment.seconds > 0;
  const [ground, ink] = done ? [fused.fill, fused.on] : now ? [fused.back, palette.ink] : [palette.track, palette.ink];
  const [one, two, three, four] = [[x, y], [x + inner, y], [x + inner, y + inner], [x, y + inner]]; // clockwise
  if (step.kind === "skipped") hatch(pen, [x, y, inner, inner], palette.muted);
  else {
    if (step.kind === "diagonal") hatch(pen, [x, y, inner, inner], palette.muted, along(one, two, three));
    pen.context.fillStyle = ground;
    pen.context.fill(step.kind === "full" ? along(one, two, three, four) : along(one, three, four));
    pen.text(String(step.step + 1), x + 7, y + inner - 7, { size: side < 60 ? 18 : 22, weight: 600, ink, ground });
  }
  if (now) pen.box([x, y, inner, inner], { radius: 0, stroke: palette.ink, thick: 2.5 });
}
