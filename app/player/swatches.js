// Swatches: at most 255 colours for a whole film. The theme's own are kept exactly; the shades at the edges of text share the rest.
const MOST_SWATCHES = 255, ALIKE = 8; // levels of 256, as a distance over three channels, up to which two shades share a swatch
const OPAQUE = 0xff << 24;

class Swatches {
  /** exact: colours "#rrggbb"; counts: how often each colour was seen, colours as pixels hold them: 0xaabbggrr, signed. */
  constructor(exact, counts) {
    this.colours = []; // red, green, blue, red, …
    this.known = new Map(); // the swatch of every colour that has been asked for
    for (const text of new Set(exact.map((colour) => colour.toLowerCase()))) {
      this.#add(OPAQUE | parseInt(text.slice(1).match(/../g).reverse().join(""), 16));
    }
    for (const [colour] of [...counts].sort((a, b) => b[1] - a[1])) {
      if (this.colours.length === 3 * MOST_SWATCHES) break;
      if (this.#nearest(colour).distance > ALIKE ** 2) this.#add(colour);
    }
  }

  /** The number of the swatch that is nearest to a pixel's colour. */
  index(colour) {
    let swatch = this.known.get(colour);
    if (swatch === undefined) this.known.set(colour, swatch = this.#nearest(colour).swatch);
    return swatch;
  }

  #add(colour) {
    this.known.set(colour, this.colours.length / 3);
    this.colours.push(colour & 255, (colour >> 8) & 255, (colour >> 16) & 255);
  }

  #nearest(colour) {
    const { colours } = this, red = colour & 255, green = (colour >> 8) & 255, blue = (colour >> 16) & 255;
    let swatch = 0, distance = Infinity;
    for (let at = 0; at < colours.length; at += 3) {
      const far = (colours[at] - red) ** 2 + (colours[at + 1] - green) ** 2 + (colours[at + 2] - blue) ** 2;
      if (far < distance) [swatch, distance] = [at / 3, far];
    }
    return { swatch, distance };
  }
}

/** Adds to how often each colour appears. */
const tally = (pixels, counts) =>
  runs(pixels, (colour, from, to) => { counts.set(colour, (counts.get(colour) ?? 0) + to - from); });

/** Equal neighbours are taken together, since most of a picture is flat: each(colour, from, to, the latter excluded). */
function runs(pixels, each) {
  for (let from = 0, to = 0; from < pixels.length; from = to) {
    const colour = pixels[from];
    while (to < pixels.length && pixels[to] === colour) to++;
    each(colour, from, to);
  }
}
