// Pen: draws on the race's own 1280×720 sheet and remembers every text box, so that a test can check their places.
const WIDTH = 1280, HEIGHT = 720, SMALLEST = 18;

class Pen {
  constructor(context, palette, family) {
    Object.assign(this, { context, palette, family, boxes: [], panel: [0, 0, WIDTH, HEIGHT] });
    context.textBaseline = "alphabetic";
    context.lineJoin = "round";
  }

  /** What `draw` writes belongs into this rectangle. */
  inside(rectangle, draw) {
    const outer = this.panel;
    this.panel = rectangle;
    draw();
    this.panel = outer;
  }

  rectangle([x, y, width, height], fill) {
    this.context.fillStyle = fill;
    this.context.fillRect(x, y, width, height);
  }

  /** A rounded box: fill and stroke are colours or null. */
  box([x, y, width, height], { radius = 8, fill = null, stroke = null, thick = 1.5, dash = [] }) {
    const { context } = this;
    context.beginPath();
    context.roundRect(x, y, width, height, radius);
    if (fill) { context.fillStyle = fill; context.fill(); }
    if (stroke) this.#stroke(stroke, thick, dash);
  }

  /** Straight lines, each from its first point to its second. */
  lines(pairs, stroke, thick = 3, dash = []) {
    this.context.beginPath();
    for (const [[x, y], [u, v]] of pairs) {
      this.context.moveTo(x, y);
      this.context.lineTo(u, v);
    }
    this.#stroke(stroke, thick, dash);
  }

  /** A filled arrowhead with its tip at (x, y); dx, dy: the way it points, in px. */
  head(x, y, dx, dy, fill) {
    const { context } = this, half = 0.55;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x - dx - dy * half, y - dy + dx * half);
    context.lineTo(x - dx + dy * half, y - dy - dx * half);
    context.fillStyle = fill;
    context.fill();
  }

  width(text, size, weight = 400) {
    const font = `${weight} ${size}px ${this.family}`;
    if (font !== this.font) this.context.font = this.font = font;
    return this.context.measureText(text).width;
  }

  /**
   * Text, or the first of several wordings that fits into `room` px; the last one may shrink to 18 px and then be squeezed. `ground`: the
   * colour beneath. Returns the width drawn.
   */
  text(wordings, x, y, style = {}) {
    const { weight = 400, align = "left", room = Infinity, ink, ground } = { ...this.palette, ...style };
    let { size = 20 } = style, natural;
    const fits = (choice) => { natural = this.width(choice, size, weight); return natural <= room; };
    const text = [wordings].flat().find(fits) ?? [wordings].flat().at(-1);
    while (natural > room && size > SMALLEST) natural = this.width(text, --size, weight);
    const width = Math.min(natural, room), left = x - width * { left: 0, center: 0.5, right: 1 }[align];
    this.context.fillStyle = ink;
    this.context.fillText(text, left, y, width + 0.5);
    const box = { x: left, y: y - 0.78 * size, width, height: size };
    this.boxes.push({ text, ...box, size, squeezed: natural / width, panel: this.panel, ink, ground });
    return width;
  }

  /** Draws shapes, not text, with (x, y) as the origin. */
  at(x, y, draw) { this.#apart(() => this.context.translate(x, y), draw); }

  /** Draws only inside a path. */
  clip(path, draw) { this.#apart(() => this.context.clip(path), draw); }

  #apart(change, draw) {
    this.context.save();
    change();
    draw();
    this.context.restore();
    this.font = null; // restored to whatever it was
  }

  #stroke(stroke, thick, dash) {
    const { context } = this;
    context.strokeStyle = stroke;
    context.lineWidth = thick;
    context.setLineDash(dash);
    context.stroke();
    context.setLineDash([]);
  }
}
