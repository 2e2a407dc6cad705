// The right panel by hand: what a row keeps, as bars. At the rescale the old length stays as a ghost; marks show the right values.
const KEPT = { x: 680, y: 84, width: 576, height: 400, bars: 798, room: 236, bar: 40, values: 1240, elbow: 1104 };

function drawKept(pen, film, moment) {
  const { palette } = pen, { x, y, width, height } = KEPT, { index, share } = moment, [one, two] = film.steps, ground = palette.panel;
  const strong = { size: 28, weight: 700, ground };
  pen.box([x, y, width, height], { radius: 10, fill: ground, stroke: palette.line });
  pen.inside([x, y, width, height], () => {
    pen.text("kept on chip", 696, 110, { ink: palette.muted, ground });
    pen.text("m", 696, 152, strong);
    const m = index === 0 ? one.m_words : index === 1 && two.m !== one.m ? `${one.m_words} → ${two.m_words}` : two.m_words;
    pen.text(m, KEPT.bars, 152, strong);
    const longestL = Math.max(one.l, two.l, film.right.l, 1e-9), longestO = Math.max(...one.o, ...two.o, ...film.right.o, 1e-9);
    drawKeptBar(pen, film, moment, { name: "ℓ", top: 178, per: KEPT.room / longestL, of: ({ l }) => l, kept: two.kept_l });
    [0, 1].forEach((c) => drawKeptBar(pen, film, moment, { name: `O[${c}]`, top: 236 + 50 * c, per: KEPT.room / longestO,
                                                           of: ({ o }) => o[c], kept: two.kept_o[c] }));
    drawAlpha(pen, film, index);
    pen.lines([[[696, 350], [1240, 350]]], palette.line, 1.5);
    [0, 1].forEach((c) => drawOut(pen, film, moment, c));
  });
}

/** One kept number: what is left of the older tiles, what this tile adds, and at the rescale what α took away. of: picks it from a step. */
function drawKeptBar(pen, film, { index, share }, { name, top, per, of, kept }) {
  const { palette } = pen, { fill, back, on } = palette.fused, [one, two] = film.steps, ground = palette.panel, x = KEPT.bars;
  const old = index === 0 ? 0 : index === 1 ? between(of(one), kept, share) : kept;
  const added = index === 0 ? of(one) * share : index === 1 ? 0 : (of(two) - kept) * (index === 2 ? share : 1);
  pen.text(name, 696, top + 30, { size: 28, weight: 700, ground });
  const shown = index === 0 ? one.words : index === 1 ? two.kept_words : two.words;
  pen.text(of(shown), KEPT.values, top + 30, { size: 28, weight: 700, align: "right", ground });
  pen.rectangle([x, top, per * old, KEPT.bar], back);
  pen.rectangle([x + per * old, top, per * added, KEPT.bar], fill);
  if (name === "ℓ") {
    const inner = { align: "right", ink: on, ground: fill };
    if (per * old > 66) pen.text("tile 1", x + 6, top + 27, { ground: back });
    if (per * added > 66) pen.text(index ? "tile 2" : "tile 1", x + per * (old + added) - 8, top + 27, inner);
  }
  const end = x + per * (old + added), right = of(film.right.words), free = KEPT.values - pen.width(of(shown), 28, 700) - 12;
  if (index === 1 && of(one) > kept) drawGhost(pen, x + per * of(one), end, top);
  if (index >= 2 && film.broken && !film.harmless && Math.abs(of(film.right) - of(two)) > 1e-4 * of(two)) {
    drawMark(pen, x + per * of(film.right), top);
    const after = Math.max(end, x + per * of(film.right)) + 10;
    if (right !== of(two.words)) pen.text(`not ${right}`, after, top + 28, { ground, room: free - after });
  }
}

/** The length that α takes away, dashed, and an arrow from α to what is left. */
function drawGhost(pen, from, to, top) {
  const { palette } = pen, middle = top + KEPT.bar / 2;
  pen.box([to, top, from - to, KEPT.bar], { radius: 0, stroke: palette.ink, thick: 2, dash: [6, 5] });
  pen.lines([[[KEPT.elbow, middle], [to + 16, middle]]], palette.ink, 2);
  pen.head(to + 6, middle, -12, 0, palette.ink);
  pen.text("× α", KEPT.elbow - 12, top + 12, { weight: 600, align: "right", ground: palette.panel });
}

const drawMark = (pen, x, top) => pen.lines([[[x, top - 4], [x, top + 44]]], pen.palette.ink, 5);

/** α in a box of its own when it acts, quiet afterwards. */
function drawAlpha(pen, film, index) {
  if (!index) return;
  const { palette } = pen, [one, two] = film.steps, acts = index === 1 && two.alpha < 1 && film.broken !== "no rescale" && one.m !== null;
  const words = one.m === null ? "no α: nothing kept" : film.broken === "no rescale" && two.alpha < 1 ? `α = ${film.alpha} not applied`
    : `α = e^{${one.m_words}−${two.m_words.replace("−", "")}} = ${film.alpha}`;
  const power = film.masked || one.m === two.m ? `α = e^{0} = ${film.alpha}` : words, shown = one.m === null ? words : power;
  if (acts) {
    pen.lines([[[KEPT.elbow, 166], [KEPT.elbow, 306]]], palette.ink, 2);
    pen.box([940, 116, 300, 50], { fill: palette.ink });
  }
  const size = formulaWidth(pen, shown, 28, 700) > 290 ? 24 : 28;
  drawFormula(pen, shown, 1090, 151, { size, weight: 700, align: "center", ink: acts ? palette.ground : palette.muted,
                                       ground: acts ? palette.ink : palette.panel });
}

/** The output: empty until ℓ divides O, then beside its exact value. */
function drawOut(pen, film, { index, share }, c) {
  const { palette } = pen, top = 366 + 54 * c, x = KEPT.bars, [, two] = film.steps, done = index === 3, ground = palette.panel;
  const longest = Math.max(10, ...two.out, ...film.exact.out), per = 190 / longest, exact = film.exact.out[c];
  pen.text(`out[${c}]`, 696, top + 29, { size: 26, weight: 700, ink: done ? palette.ink : palette.muted, ground });
  if (!done) {
    pen.box([x, top, 190, KEPT.bar], { radius: 0, stroke: palette.muted, dash: [6, 6] });
    pen.text("O / ℓ, at the end", x + 12, top + 27, { ink: palette.muted, ground });
    if (c || film.harmless) return;
    pen.text(`so far ${film.so_far[index < 2 ? 0 : 1]}`, KEPT.values, top + 27, { weight: 600, align: "right", ground });
    return;
  }
  pen.rectangle([x, top, per * two.out[c] * share, KEPT.bar], palette.fused.fill);
  drawMark(pen, x + per * exact, top);
  drawFormula(pen, `exact ${film.exact.words[c]}`, x + per * Math.max(two.out[c], exact) + 14, top + 28, { size: 22, ground });
  pen.text(two.out_words[c], KEPT.values, top + 30, { size: 28, weight: 700, align: "right", ground });
}
