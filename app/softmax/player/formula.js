// Formula: text with raised exponents, "e^{−1}", each part real text of 18 px or more in its own box.
const RAISED = 0.38, SMALL = 0.75; // of the size: how far an exponent stands above the line, and how large it is

/** Draws the formula with its left, middle or right at x; returns its width. */
function drawFormula(pen, whole, x, y, style = {}) {
  const { size = 20, weight = 400, align = "left" } = style, parts = formulaParts(pen, whole, size, weight);
  const width = parts.reduce((sum, part) => sum + part.width, 0);
  let left = x - width * { left: 0, center: 0.5, right: 1 }[align];
  for (const { text, own, raised, width: wide } of parts) {
    pen.text(text, left, y - (raised ? RAISED * size : 0), { ...style, size: own, align: "left" });
    left += wide;
  }
  return width;
}

const formulaWidth = (pen, whole, size, weight = 400) => formulaParts(pen, whole, size, weight).reduce((sum, { width }) => sum + width, 0);

function formulaParts(pen, whole, size, weight) {
  return whole.split(/\^\{(.+?)\}/).map((text, index) => {
    const raised = index % 2 === 1, own = raised ? Math.max(SMALLEST, Math.round(SMALL * size)) : size;
    return { text, own, raised, width: pen.width(text, own, weight) };
  }).filter(({ text }) => text);
}
