// A real row: m as steps over the scores, α under them, ℓ split into what was kept and what the tile added, and the error tile by tile.
const REAL = { left: 124, right: 1256, top: 84, bottom: 352, highest: 120, lowest: 318, names: 24, widest: 180, base: 580, tallest: 132 };

function drawRealRow(pen, film, moment) {
  const plan = realPlan(film, moment);
  drawDots(pen, film, plan);
  drawMaximum(pen, film, plan);
  drawAlphas(pen, film, plan);
  drawSums(pen, film, plan);
  drawErrors(pen, film, plan);
  drawFormula(pen, film.outcome[plan.index], REAL.names, 668, { size: 28, weight: 700 });
}

/** Where tiles and scores lie; made for every frame, from a few numbers. */
function realPlan({ steps, scores, sizes }, { index, share, seconds }) {
  const pitch = Math.min(REAL.widest, (REAL.right - REAL.left) / steps.length), seen = scores.flat();
  const highest = Math.max(...seen, 0), lowest = Math.min(...seen, 0) - 0.2, span = Math.max(2, highest - lowest);
  const level = (score) => REAL.highest + ((highest - score) / span) * (REAL.lowest - REAL.highest);
  const tallest = Math.max(...steps.flatMap(({ l, right }) => [l, right]), 1e-9);
  const left = (tile) => REAL.left + tile * pitch;
  return { index, share: seconds ? share : 0, pitch, left, middle: (tile) => left(tile + 0.5), end: left(steps.length), full: sizes[0],
           level, inRange: (m) => m !== null && m >= lowest, height: (sum) => (sum / tallest) * REAL.tallest };
}

function drawDots(pen, film, { index, share, pitch, left, middle, level, end, full }) {
  const { palette } = pen, { context } = pen, ground = palette.panel, quiet = { ink: palette.muted, ground };
  const panel = [REAL.left, REAL.top, end - REAL.left, REAL.bottom - REAL.top];
  pen.rectangle(panel, ground);
  pen.lines(film.steps.slice(1).map((_, tile) => [[left(tile + 1), REAL.top], [left(tile + 1), REAL.bottom]]), palette.line, 1);
  context.fillStyle = palette.data;
  film.scores.slice(0, index + 1).forEach((scores, tile) => scores.slice(0, tile < index ? scores.length : Math.ceil(scores.length * share))
    .forEach((score, place) => context.fillRect(left(tile) + ((place + 0.5) * pitch) / full - 1.5, level(score) - 1.5, 3, 3)));
  const number = { size: 18, align: "center", ...quiet };
  pen.inside(panel, () => film.steps.forEach((_, tile) => pen.text(`${tile + 1}`, middle(tile), 346, number)));
  const aside = { ink: palette.muted };
  pen.text("score s", REAL.names, 250, aside);
  pen.text("tile", REAL.names, 346, aside);
  if (film.masked) {
    const [{ m, m_words: lowest }] = film.steps, scores = m === null ? "s = −∞" : `s = m = ${lowest}, off this scale`;
    const style = { size: 26, align: "center", ...quiet, room: end - REAL.left - 20 };
    pen.inside(panel, () => pen.text([`every score is masked: ${scores}`, "masked"], (REAL.left + end) / 2, 214, style));
  }
}

/** m, which rises where a tile holds a larger score; that score is a large dot. */
function drawMaximum(pen, film, { index, share, left, pitch, level, inRange, full, end }) {
  const { palette } = pen, { fill, text } = palette.fused, shown = film.steps.slice(0, index + 1), pairs = [];
  const ground = palette.panel;
  shown.forEach(({ m }, tile) => {
    if (!inRange(m)) return;
    const right = left(tile) + pitch * (tile < index ? 1 : Math.max(0.02, share)), before = shown[tile - 1]?.m;
    if (tile && inRange(before) && before !== m) pairs.push([[left(tile), level(before) + 2.5], [left(tile), level(m) - 2.5]]);
    pairs.push([[left(tile), level(m)], [right, level(m)]]);
  });
  pen.lines(pairs, fill, 5);
  pen.inside([REAL.left, REAL.top, end - REAL.left, REAL.bottom - REAL.top], () => shown.forEach(({ m, m_words: words }, tile) => {
    if (!inRange(m) || (tile && shown[tile - 1].m === m)) return;
    const place = film.scores[tile].findIndex((score) => Math.abs(score - m) < 1e-3);
    if (place >= 0 && m) disc(pen, left(tile) + ((place + 0.5) * pitch) / full, level(m), fill);
    pen.text(words, left(tile) + 6, level(m) - 12, { size: 22, weight: 700, ink: text, ground, room: pitch + 20 });
  }));
  pen.text("m", REAL.names, film.masked ? 150 : Math.max(112, Math.min(200, level(film.steps[0].m) - 20)), { size: 28, weight: 700 });
}

function disc({ context }, x, y, fill) {
  context.beginPath();
  context.arc(x, y, 6, 0, 2 * Math.PI);
  context.fillStyle = fill;
  context.fill();
}

/** α of every tile, framed where it is not 1; crossed out where it is not applied. */
function drawAlphas(pen, film, { index, left, middle, pitch }) {
  const { palette } = pen, skipped = film.broken === "no rescale";
  pen.text("α", REAL.names, 389, { size: 28, weight: 700 });
  film.steps.slice(0, index + 1).forEach(({ alpha, alpha_words: words }, tile) => {
    if (!words) return;
    const acts = alpha < 1, box = [left(tile) + 2, 364, pitch - 4, 36], fill = acts && !skipped ? palette.ink : palette.ground;
    const style = acts ? { size: 22, weight: 700, ink: skipped ? palette.ink : palette.ground } : { ink: palette.muted };
    if (acts) pen.box(box, { radius: 7, fill, stroke: palette.ink, thick: 2, dash: skipped ? [5, 4] : [] });
    pen.inside(box, () => pen.text(words, middle(tile), 389, { ...style, align: "center", ground: fill, room: pitch - 8 }));
  });
}

/** ℓ: below what was kept, above what the tile added, dashed what α took away; where it is wrong a mark at the right sum. */
function drawSums(pen, film, { index, share, left, middle, pitch, height, end }) {
  const { palette } = pen, { fill, back } = palette.fused, { base } = REAL, wide = pitch - 16;
  pen.text("ℓ", REAL.names, base - 50, { size: 28, weight: 700 });
  film.steps.slice(0, index + 1).forEach(({ alpha, l_before: before, kept, l, right, l_words: words }, tile) => {
    const moving = tile === index ? share : 1, x = left(tile) + 8;
    const low = height(between(before, kept, Math.min(1, 2 * moving))), high = low + height(l - kept) * Math.max(0, 2 * moving - 1);
    pen.rectangle([x, base - low, wide, low], back);
    pen.rectangle([x, base - high, wide, high - low], fill);
    const ghost = film.broken !== "no rescale" && alpha < 1 && tile ? height(before) : 0;
    const wrong = film.broken && !film.masked && Math.abs(right - l) > 1e-3 * right;
    if (ghost > high + 2) pen.box([x, base - ghost, wide, ghost - high], { radius: 0, stroke: palette.ink, thick: 2, dash: [6, 5] });
    if (wrong) pen.lines([[[x - 5, base - height(right)], [x + wide + 5, base - height(right)]]], palette.ink, 4);
    const marked = wrong && height(right) > high - 2 && height(right) < high + 30 ? height(right) + 4 : high;
    const top = ghost - marked > 30 ? marked : Math.max(marked, ghost);
    pen.text(words, middle(tile), base - top - 8, { weight: 600, align: "center", room: pitch - 2 });
  });
  pen.lines([[[REAL.left, base], [end, base]]], palette.muted, 2);
}

function drawErrors(pen, film, { index, middle, pitch }) {
  pen.text(film.error_name, REAL.names, 616, { ink: pen.palette.muted, room: REAL.left - REAL.names - 4 });
  film.steps.slice(0, index + 1).forEach(({ error, wrong }, tile) => (
    pen.text(error, middle(tile), 616, { align: "center", weight: wrong ? 700 : 400, room: pitch - 4 })));
}
