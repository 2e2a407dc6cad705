// Matrices: where Q, K, V, S, P and O lie in the HBM panel, and the parts of them that exist there. Made once for a race.
const SIDE = 130, FEWEST = 0.5, BETWEEN = 146; // px of the longer side (the shorter is to scale down to half of it), and from S to P
const MATRICES_LEFT = 96, MATRICES_TOP = 46; // of S, from the sheet's left and from the panel's top
const BY_ROW = new Set(["q", "o", "stats"]), BY_COLUMN = new Set(["k", "v"]); // S and P have both indices
const SMALLEST_BLOCK = 5; // px from which single blocks are told apart

class Matrices {
  /** rows, columns: edges of the blocks in queries and keys; visible: the mask's edge as [query, keys it sees], or null. */
  constructor({ rows, columns, headDim, visible }) {
    const queries = rows.at(-1), keys = columns.at(-1), longer = Math.max(queries, keys);
    this.height = SIDE * Math.max(FEWEST, queries / longer);
    this.width = SIDE * Math.max(FEWEST, keys / longer);
    this.strip = Math.max(8, Math.min(20, (SIDE * headDim) / longer));
    this.tops = rows.map((row) => (this.height * row) / queries);
    this.lefts = columns.map((column) => (this.width * column) / keys);
    const x = MATRICES_LEFT, y = MATRICES_TOP, beside = this.strip + 6, p = x + SIDE + BETWEEN;
    this.place = { s: [x, y], q: [x - beside, y], k: [x, y - beside], p: [p, y], v: [p, y - beside], o: [p + this.width + 6, y] };
    this.place.stats = this.place.o; // a maximum and a sum beside each row of O
    Object.assign(this, { rows, columns, walks: new Map() });
    const edge = visible?.map(([row, seen]) => [(this.height * row) / queries, (this.width * seen) / keys]);
    this.visible = edge && stairs(edge, this.height);
  }

  /** The tiles that a lane walks, as a path from S's corner: a tile with one visible pair is walked whole. */
  walked(lane) {
    if (!this.walks.has(lane)) {
      const reach = this.tops.slice(0, -1).map(() => 0); // columns that each row of blocks walks
      lane.sweeps.forEach(({ stage, row, column, blocks }) => {
        if (stage === "keys") reach[row] = blocks;
        if (stage === "queries") for (let below = row; below < row + blocks; below++) reach[below] = column + 1;
      });
      this.walks.set(lane, stairs(reach.map((columns, row) => [this.tops[row], this.lefts[columns]]), this.height));
    }
    return this.walks.get(lane);
  }

  /** The whole array as [x, y, width, height]. */
  whole(array) {
    const [x, y] = this.place[array];
    return [x, y, BY_ROW.has(array) ? this.strip : this.width, BY_COLUMN.has(array) ? this.strip : this.height];
  }

  /** One block of an array. */
  block(array, row, column) {
    const [x, y, width, height] = this.whole(array), byRow = !BY_COLUMN.has(array), byColumn = !BY_ROW.has(array);
    return [x + (byColumn ? this.lefts[column] : 0), y + (byRow ? this.tops[row] : 0),
            byColumn ? this.lefts[column + 1] - this.lefts[column] : width, byRow ? this.tops[row + 1] - this.tops[row] : height];
  }

  /** The block {array, row, column} at a point given from the panel's top, or null. */
  find(x, y) {
    for (const array of "qkvspo") {
      const [left, top, width, height] = this.whole(array);
      if (x < left || y < top || x >= left + width || y >= top + height) continue;
      return { array, row: BY_COLUMN.has(array) ? null : firstAbove(this.tops, y - top) - 1,
               column: BY_ROW.has(array) ? null : firstAbove(this.lefts, x - left) - 1 };
    }
    return null;
  }

  /** Fills what of an array has moved: whole rows as one rectangle each, then the row in progress. */
  fill(pen, array, { entries, whole, blocks }, colour) {
    const [x, y, width] = this.whole(array);
    const row = (at, wide) => pen.context.rect(x, y + this.tops[at], wide, this.tops[at + 1] - this.tops[at]);
    const bar = ({ row: first, column, move }, count) => {
      if (column === null) return row(first, array === "o" ? width : this.lefts[count]);
      // down a column: what counts is where something moved for good
      return move.compulsory.slice(0, count).forEach((bytes, block) => bytes && row(first + block, width));
    };
    pen.context.beginPath(); // one path, so that rows thinner than a pixel leave no seams
    for (let entry = 0; entry < whole; entry++) bar(entries[entry], entries[entry].blocks);
    if (blocks) bar(entries[whole], blocks);
    pen.context.fillStyle = colour;
    pen.context.fill();
  }

  /** Lines in the colour of the ground between blocks that are large enough to be told apart. */
  grid(pen, array, ground) {
    const [x, y, width, height] = this.whole(array);
    const inner = (edges, whole) => (whole / (edges.length - 1) < SMALLEST_BLOCK ? [] : edges.slice(1, -1));
    const across = BY_COLUMN.has(array) ? [] : inner(this.tops, height).map((at) => [[x, y + at], [x + width, y + at]]);
    const down = BY_ROW.has(array) ? [] : inner(this.lefts, width).map((at) => [[x + at, y], [x + at, y + height]]);
    pen.lines([...across, ...down], ground, 1.5);
  }

  /** Hatches an array except for `path`, which is given from S's corner. */
  hatch(pen, array, path) {
    const [x, y, width, height] = this.whole(array), slants = [];
    for (let at = -height; at < width; at += 8) slants.push([[at, height], [at + height, 0]]);
    pen.at(x, y, () => {
      pen.clip(rectangular([0, 0, width, height]), () => pen.lines(slants, pen.palette.line, 1.5));
      pen.context.fillStyle = pen.palette.ground;
      pen.context.fill(path);
    });
  }
}

/** A path under stairs: each [top, width] holds down to the next one's top. */
function stairs(steps, bottom) {
  const path = new Path2D();
  path.moveTo(0, steps[0][0]);
  steps.forEach(([top, width], index) => {
    path.lineTo(width, top);
    path.lineTo(width, steps[index + 1]?.[0] ?? bottom);
  });
  path.lineTo(0, bottom);
  path.closePath();
  return path;
}

function rectangular(rectangle) {
  const path = new Path2D();
  path.rect(...rectangle);
  return path;
}
