// The left panel by hand: the scores hang below the line m, and a weight is e to minus the distance. Raising m lengthens every older
// distance alike, so that one factor α corrects all older weights.
const SCORES = { x: 24, y: 84, width: 640, height: 400, base: 328, top: 151, bar: 84, left: 128, right: 652 };
const LOWEST_SPAN = 3, BOX = 1.5; // scores that the panel's height holds at least; height of a masked key's box, in scores

const keyLeft = (key) => 140 + key * 126 + (key > 1 ? 20 : 0);
const SPLIT = keyLeft(2) - 31; // between the tiles

function drawScores(pen, film, { index, share }) {
  const { palette } = pen, { x, y, width, height, base } = SCORES, quiet = { ink: palette.muted, ground: palette.panel };
  pen.box([x, y, width, height], { radius: 10, fill: palette.panel, stroke: palette.line });
  pen.inside([x, y, width, height], () => {
    for (const [words, dy] of [["score s", -8], ["weight", 52], ["row of V", 104]]) pen.text(words, 36, base + dy, quiet);
    const scale = scoreScale(film), line = lineNow(film, index, share);
    film.tiles.forEach((keys, tile) => keys.forEach((key, place) => {
      const at = keyLeft(2 * tile + place), shown = { tile, place: at, scale, index, share };
      if (tile && !index) drawUnread(pen, at, scale); else drawKey(pen, film, key, shown, line);
    }));
    pen.lines([[[SCORES.left, base], [SCORES.right, base]]], palette.muted, 2);
    ["tile 1", index ? "tile 2" : "tile 2: not read yet"].forEach((words, tile) => (
      pen.text(words, keyLeft(2 * tile) + 105, base + 142, { ...quiet, align: "center" })));
    drawLine(pen, film, index, share, scale, line);
  });
}

/** px per score, and where a score stands. */
function scoreScale({ tiles }) {
  const unit = (SCORES.base - SCORES.top) / Math.max(LOWEST_SPAN, ...tiles.flat().map(({ score }) => score ?? 0));
  return { unit, level: (score) => SCORES.base - score * unit };
}

/** m on its way from one tile's maximum to the next one's; null while there is none. */
function lineNow({ steps: [one, two] }, index, share) {
  if (one.m === null) return null;
  return index === 0 ? one.m : index === 1 ? between(one.m, two.m, share) : two.m;
}

/** A weight is measured from m as it is now; without rescaling it stays measured from its own tile's m. */
const measuredFrom = (film, tile, line) => (film.broken === "no rescale" ? film.steps[tile].m : line);

function drawUnread(pen, left, { unit, level }) {
  const { palette } = pen, style = { size: 28, weight: 700, align: "center", ink: palette.muted, ground: palette.panel };
  pen.box([left, level(BOX), SCORES.bar, BOX * unit], { radius: 0, stroke: palette.muted, dash: [6, 6] });
  pen.text("?", left + SCORES.bar / 2, level(BOX / 2) + 10, style);
}

function drawKey(pen, film, key, { tile, place, scale, index, share }, line) {
  const { palette } = pen, middle = place + SCORES.bar / 2, top = measuredFrom(film, tile, line), arriving = index === tile && share < 1;
  const center = { align: "center", ground: palette.panel }, strong = { ...center, weight: 700, ink: palette.fused.text };
  const masked = key.score === null;
  const gap = !masked ? key.score - top : top === null ? -Infinity : 0;
  const moving = index === 1 && share < 1 && top !== film.steps[tile].m;
  if (masked) drawMasked(pen, place, key.score_words, scale);
  else drawBar(pen, key, { place, middle, scale, grown: arriving ? share : 1, fresh: tile === (index ? 1 : 0) });
  if (gap && !masked && !arriving) drawDistance(pen, middle, top, key.score, scale, index === 1 && !tile ? film.steps[0].m : null);
  if (!arriving) {
    drawFormula(pen, `e^{${distance(gap)}}`, middle, SCORES.base + 38, { ...strong, size: 26 });
    pen.text(moving ? Math.exp(gap).toFixed(3) : weightAt(film, gap), middle, SCORES.base + 68, { ...strong, size: 24 });
  }
  pen.text(key.value, middle, SCORES.base + 104, { ...center, size: 22 });
}

/** The weight at a standing distance, as Python wrote it. */
const weightAt = (film, gap) => (gap === -Infinity ? "0" : film.weights[String(gap)]);

/** −2, −∞; on the way between two whole distances −1.6. */
const distance = (gap) => (gap === -Infinity ? "−∞" : Number.isInteger(gap) ? `${gap || 0}` : gap.toFixed(1)).replace("-", "−");

function drawBar(pen, key, { place, middle, scale, grown, fresh }) {
  const { palette } = pen, { fill, back, on } = palette.fused, height = key.score * scale.unit, top = SCORES.base - height * grown;
  pen.rectangle([place, top - 1, SCORES.bar, height * grown + 2], fresh ? fill : back);
  const style = { weight: 700, align: "center" }, size = Math.min(30, Math.floor(height) - 4);
  if (size < 20) return pen.text(key.score_words, middle, scale.level(key.score) - 10, { ...style, size: 30, ground: palette.panel });
  if (height * grown < size + 3) return 0;
  const base = top + size * 0.9 + Math.min(9, (height - size) / 2 - 1);
  return pen.text(key.score_words, middle, base, { ...style, size, ink: fresh ? on : palette.ink, ground: fresh ? fill : back });
}

function drawMasked(pen, place, words, { unit, level }) {
  const { palette } = pen, { bar } = SCORES, box = [place, level(BOX), bar, BOX * unit], slants = [];
  for (let at = -box[3]; at < box[2]; at += 10) slants.push([[place + at, SCORES.base], [place + at + box[3], box[1]]]);
  pen.clip(rectangular(box), () => pen.lines(slants, palette.line, 1.5));
  pen.box(box, { radius: 0, stroke: palette.muted, dash: [6, 6] });
  pen.rectangle([place + 2, level(BOX / 2) - 14, bar - 4, 28], palette.panel);
  pen.text(words, place + bar / 2, level(BOX / 2) + 7, { weight: 600, align: "center", ground: palette.panel, room: bar - 4 });
}

function rectangular(rectangle) {
  const path = new Path2D();
  path.rect(...rectangle);
  return path;
}

/** An arrow from the line down to the score, and how long it is; `was`: where the line was, to be kept clear of. */
function drawDistance(pen, middle, top, score, { unit, level }, was) {
  const { palette } = pen, from = level(top) + 3, to = level(score) - (score * unit >= 24 ? 2 : 38), length = to - from;
  if (length < 16) return;
  pen.lines([[[middle, from], [middle, to - 8]]], palette.ink, 2);
  pen.head(middle, to, 0, 11, palette.ink);
  if (length < 25) return;
  const center = (from + to) / 2, old = was === null ? -Infinity : level(was), clear = Math.abs(center - old) > 15;
  const at = clear ? center : old + 17 + 11 < to ? old + 17 : old - 17;
  pen.text(distance(score - top), middle + 10, at + 8, { size: 22, weight: 600, ground: palette.panel });
}

/** The line m over what it is measured for; at the rescale also where it was. Without rescaling each tile keeps its own. */
function drawLine(pen, film, index, share, { level }, line) {
  const { palette } = pen, { steps: [one, two], broken } = film, ground = palette.panel, strong = { size: 26, weight: 700, ground };
  const rule = (m, from, to, words) => {
    pen.lines([[[from, level(m)], [to, level(m)]]], palette.ink, 5);
    pen.text(words, from, level(m) - 12, strong);
  };
  const end = index ? SCORES.right : SPLIT - 6;
  if (line === null) return pen.text("m = −∞: no score yet", SCORES.left, 139, strong);
  if (film.masked) return rule(BOX, SCORES.left, end, `m = ${(index ? two : one).m_words}`);
  if (broken === "no rescale" && index && two.m > one.m) {
    rule(one.m, SCORES.left, SPLIT - 6, `from m = ${one.m_words}`);
    return rule(two.m, SPLIT + 6, SCORES.right, `from m = ${two.m_words}`);
  }
  const moving = line !== one.m && line !== two.m, words = moving ? line.toFixed(1) : (line === one.m ? one : two).m_words;
  rule(line, SCORES.left, end, `m = ${words}`);
  if (index !== 1 || two.m === one.m) return 0;
  pen.lines([[[SCORES.left, level(one.m)], [SPLIT - 6, level(one.m)]]], palette.ink, 2.5, [7, 6]);
  return pen.text(`m was ${one.m_words}`, 36, level(one.m) + 7, { weight: 600, ground, room: SCORES.left - 40 });
}
