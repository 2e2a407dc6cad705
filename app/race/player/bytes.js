// What the clock has counted so far, to scale: the whole width is what the longer lane takes.
const BAR = { x: 24, width: 1232, height: 28, baseline: 21, gap: 3, thinnest: 2 };

/** This lane's kernels one after another, filled as far as the clock has come. */
function drawBytes(pen, race, lane, clock, y) {
  const { palette } = pen, scale = BAR.width / race.clock.last, moved = Math.min(clock, lane.total);
  pen.inside([BAR.x, y, BAR.width, BAR.height], () => {
    lane.kernels.forEach((wordings, index) => drawKernel(pen, lane, wordings, index, { scale, moved, y }));
    if (lane === race.clock.leader) drawRatio(pen, race, lane, { scale, moved, y, after: labelOutside(pen, lane, scale, y) });
  });
  if (lane !== race.clock.leader) { // where the other lane is done
    pen.head(BAR.x + race.clock.first * scale, y + BAR.height - 1, 0, -9, palette[race.clock.leader.name].fill);
  }
}

function drawKernel(pen, lane, wordings, index, { scale, moved, y }) {
  const colours = pen.palette[lane.name], from = lane.kernelEnds[index], to = lane.kernelEnds[index + 1];
  const last = index + 1 === lane.kernels.length, thinnest = lane.kernels.length === 1 ? BAR.thinnest : 0;
  const x = BAR.x + from * scale, width = Math.max(thinnest, (to - from) * scale - (last ? 0 : BAR.gap));
  const full = width * Math.max(0, Math.min(1, (moved - from) / (to - from)));
  pen.rectangle([x, y, width, BAR.height], pen.palette.track);
  if (full) pen.rectangle([x, y, Math.min(width, Math.max(BAR.thinnest, full)), BAR.height], colours.fill);
  const words = wordings.find((choice) => fitsIn(pen, choice, width));
  if (words) drawInTwoInks(pen, colours, words, x + (width - pen.width(words, 20, 600)) / 2, y, x + full);
}

const fitsIn = (pen, words, width) => pen.width(words, 20, 600) < width - 24;

/** A single kernel's label goes beside a bar that is too short for it. Returns where free room begins. */
function labelOutside(pen, lane, scale, y) {
  const width = Math.max(BAR.thinnest, lane.total * scale), [words] = lane.kernels[0];
  const beside = lane.kernels.length === 1 && !fitsIn(pen, words, width);
  if (!beside) return BAR.x + width + 12;
  return BAR.x + width + 36 + pen.text(words, BAR.x + width + 12, y + BAR.baseline, { weight: 600, ink: pen.palette[lane.name].text });
}

/** How many times fewer: beside the shorter bar, or at its end where no room is left. */
function drawRatio(pen, race, lane, { scale, moved, y, after }) {
  const factor = race.clock.last / race.clock.first, same = factor <= 1 + TIE, right = BAR.x + BAR.width;
  const short = same ? "equal" : race.clock.fewer(factor).replace(` ${race.clockName}`, "");
  const wordings = [same ? `equal ${race.clockName}` : race.clock.fewer(factor), short];
  if (race.timed?.both) return; // tiling and fusion together are no ratio of either
  if (race.identity && race.clock.compulsory && !same) wordings.unshift(`${wordings[0]} = ${race.identity}`);
  const words = wordings.find((choice) => pen.width(choice, 24, 700) <= right - after);
  if (words) return pen.text(words, right, y + BAR.baseline + 1, { size: 24, weight: 700, align: "right" });
  const left = BAR.x + lane.total * scale - 12 - pen.width(short, 20, 600);
  return drawInTwoInks(pen, pen.palette[lane.name], short, left, y, BAR.x + moved * scale);
}

/** Text on a bar that is filled up to `edge`: in the ink of the fill where it has come, in that of the track beyond. */
function drawInTwoInks(pen, colours, words, left, y, edge) {
  const { palette } = pen, write = (ink, ground) => pen.text(words, left, y + BAR.baseline, { weight: 600, ink, ground });
  pen.clip(rectangular([edge, y, WIDTH - edge, BAR.height]), () => write(palette.ink, palette.track));
  pen.clip(rectangular([0, y, edge, BAR.height]), () => write(colours.on, colours.fill));
  pen.boxes.at(-1).second = true; // the same words in the other ink
}
