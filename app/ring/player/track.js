// The track: GPUs in two rows, clockwise, and the way between them on which blocks go round.
const LEFT = 24, RIGHT = 1256;
const TRACK = { left: 64, right: 748, top: 284, bottom: 380 }; // the loop's rectangle
const ROWS = { top: 88, bottom: 416, height: 160, gap: 12, widest: 300 }; // of the GPUs above the loop and below
const CHIP = { width: 74, height: 30 };
const HEAD = 14; // px of an arrowhead

class Track {
  constructor(gpus) {
    const above = Math.ceil(gpus / 2);
    this.boxes = Array.from({ length: gpus }, (_, gpu) =>
      gpu < above ? place(gpu, above, ROWS.top) : place(gpus - 1 - gpu, gpus - above, ROWS.bottom));
    this.docks = this.boxes.map(([x, , width], gpu) => this.#along(x + width / 2, gpu < above));
  }

  /** Where a block is that has gone `share` of the way from one GPU to the next: [x, y]. */
  between(gpu, share) {
    const { docks } = this, from = docks[gpu], to = docks[(gpu + 1) % docks.length];
    return this.at(from + ((to - from + this.length) % this.length) * share);
  }

  get length() { return 2 * (TRACK.right - TRACK.left + TRACK.bottom - TRACK.top); }

  /** The point so far along the loop, clockwise from its upper left corner. */
  at(along) {
    const { left, right, top, bottom } = TRACK, wide = right - left, high = bottom - top, way = along % this.length;
    if (way < wide) return [left + way, top];
    if (way < wide + high) return [right, top + way - wide];
    if (way < 2 * wide + high) return [right - (way - wide - high), bottom];
    return [left, bottom - (way - 2 * wide - high)];
  }

  draw(pen) {
    const { left, right, top, bottom } = TRACK, { palette } = pen;
    pen.box([left, top, right - left, bottom - top], { radius: 0, stroke: palette.line, thick: 3 });
    pen.head(right, (top + bottom + HEAD) / 2, 0, HEAD, palette.muted);
    pen.head(left, (top + bottom - HEAD) / 2, 0, -HEAD, palette.muted);
    this.docks.forEach((dock, gpu) => {
      const [x, y] = this.at(dock), [, from, , height] = this.boxes[gpu], edge = y === top ? from + height : from;
      pen.lines([[[x, edge], [x, y]]], palette.line, 3);
    });
  }

  #along(x, above) {
    const { left, right, top, bottom } = TRACK;
    return above ? x - left : right - left + bottom - top + (right - x);
  }
}

/** The box at a place of a row of `count`. */
function place(index, count, y) {
  const room = TRACK.left + TRACK.right - 2 * LEFT, pitch = room / count, width = Math.min(ROWS.widest, pitch - ROWS.gap);
  return [LEFT + pitch * index + (pitch - width) / 2, y, width, ROWS.height];
}
