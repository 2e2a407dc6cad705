// One multiprocessor: what the shared memory and the registers of the block on show hold now.
const CHIP = { x: 836, width: 420 }, SLOT_TOPS = [33, 65, 97], SLOT_HEIGHT = 27, NOTE_TOP = 147;

function drawMultiprocessor(pen, race, lane, view, y, height) {
  const { palette } = pen, { x, width } = CHIP, quiet = { ink: palette.muted, ground: palette.panel };
  pen.box([x, y, width, height], { radius: 10, fill: palette.panel, stroke: palette.line });
  pen.inside([x, y, width, height], () => {
    pen.text(`One SM of ${race.gpu.multiprocessors}`, x + 12, y + 24, { weight: 600, ...quiet });
    pen.text(race.gpu.name, x + width - 12, y + 24, { align: "right", room: 200, ...quiet });
  });
  const now = heldNow(view);
  if (race.work) return drawBlackboard(pen, race, lane, now, [x, y]);
  const shared = [x + 10, y + 34, 196, height - 44], registers = [x + 216, y + 34, 194, height - 44];
  const holds = HELD[lane.name], room = (draw) => (slots) => draw(slots, lane, now);
  drawRoom(pen, lane, shared, "Shared memory", room(holds.shared), holds.shared === notUsed);
  const drawSlots = room(holds.registers), executed = lane.values && now && !now.blurred;
  const inRegisters = executed ? (slots) => drawExecuted(slots, race, lane, now, drawSlots) : drawSlots;
  drawRoom(pen, lane, registers, "Registers", inRegisters, false);
}

/** The event whose tiles are on the chip, or null; `blurred` when tiles pass too fast to be named. */
function heldNow(view) {
  const event = view.pulse ?? view.flight;
  return event && { ...event, blurred: view.pace === "kernel" };
}

/** A titled box; draw gets {slot(place, words, held, left, width), line(top, letter, words), note(words, top)} to fill it with. */
function drawRoom(pen, lane, [x, y, width, height], title, draw, dashed) {
  const { palette } = pen;
  pen.box([x, y, width, height], { fill: palette.ground, stroke: palette.line, dash: dashed ? [6, 6] : [] });
  pen.inside([x, y, width, height], () => {
    pen.text(title, x + 10, y + 25, { weight: 600, ink: palette.muted, room: width - 16 });
    draw({
      slot: (place, words, held, left = 10, wide = width - 20) =>
        drawSlot(pen, palette[lane.name], [x + left, y + SLOT_TOPS[place], wide], words, held),
      line: (at, letter, words) => {
        pen.text(letter, x + 10, y + at, { weight: 700, ink: palette[lane.name].text });
        pen.text(words, x + 10 + LETTER_WIDTH, y + at, { size: SMALLEST, room: width - LETTER_WIDTH - 16 });
      },
      note: (words, top = NOTE_TOP) => pen.text(words, x + width / 2, y + top, { ink: palette.muted, align: "center", room: width - 8 }),
      half: (width - 28) / 2,
    });
  });
}

/** A line of memory or registers: filled while something is in it. */
function drawSlot(pen, colours, [x, y, width], words, held) {
  const { ground, line, muted } = pen.palette, [fill, edge, ink] = held ? [colours.fill, colours.fill, colours.on] : [ground, line, muted];
  pen.box([x, y, width, SLOT_HEIGHT], { radius: 6, fill, stroke: edge, thick: 2 });
  pen.text(words, x + 9, y + 20, { weight: held ? 600 : 400, ink, ground: fill, room: width - 16 });
}

function notUsed({ note }) { note("not used", 90); }

/** A tile's name where it can be told, else only what it is. */
const tileName = (letter, index, now) => (index >= 0 && !now?.blurred ? `${letter}[${index}]` : `${letter} tile`);

/** Q, K and V tiles, and P where K was; the last ones of a query tile stay until the next one begins. */
function fusedShared({ slot, note, half }, { block }, now) {
  const blurred = Boolean(now?.blurred), key = !now ? -1 : now.stage === "keys" ? now.column : now.walked - 1;
  const value = now?.stage === "keys" && now.array === "k" ? key - 1 : key;
  const tile = (letter, index, place, ...where) => slot(place, tileName(letter, index, now), index >= 0 || blurred, ...where);
  tile("Q", now ? now.row : -1, 0);
  tile("K", key, 1, 10, half);
  tile("V", value, 1, 18 + half, half);
  slot(2, "P, where K was", value >= 0 || blurred);
  note(block.shared);
}

/** A thread's part of the scores s and weights p, of its rows' running maximum m and sum ℓ, and of the output so far. */
function fusedRegisters({ slot, note, half }, { block }, now) {
  const held = Boolean(now) && (now.blurred || now.stage !== "query"), row = now && !now.blurred ? `[${now.row}]` : "";
  slot(0, "s, p", held, 10, half);
  slot(0, "m, ℓ", held, 18 + half, half);
  slot(1, held ? [`o${row} so far`, `o${row}`] : "o", held);
  note(block.threads);
}

/** K and V stay while the query tiles pass. */
function outerShared({ slot, note }, { block }, now) {
  const column = now && now.stage !== "blind" ? now.column : -1, blurred = Boolean(now?.blurred);
  slot(0, tileName("K", column, now), column >= 0 || blurred);
  slot(1, tileName("V", column, now), (column >= 0 && !(now.stage === "load" && now.array === "k")) || blurred);
  note(block.shared);
}

/** Q, o and its statistics come in for one query tile and go out again. */
function outerRegisters({ slot, note, half }, { block }, now) {
  const held = Boolean(now) && (now.blurred || now.stage === "queries"), row = held && !now.blurred ? now.row : -1;
  slot(0, row < 0 ? "q" : `q[${row}]`, held, 10, half);
  slot(0, "m, ℓ", held, 18 + half, half);
  slot(1, row < 0 ? "o" : [`o[${row}] so far`, `o[${row}]`], held);
  note(block.threads);
}

/** By kernel: Q and K tiles and S on its way out; a maximum and a sum per thread; P and V tiles. */
function tiledShared({ slot, note, half }, { block }, now) {
  const blurred = Boolean(now?.blurred), at = now?.stage === "blind" || !now ? -1 : now.column, held = at >= 0 || blurred;
  if (now?.kernel === 2) slot(0, "maxima, sums", true);
  else if (now?.kernel === 3) {
    const walks = held && now.stage === "products";
    slot(0, walks && !blurred ? [`P[${now.row},${at}]`, "P tile"] : "P tile", walks || blurred);
    slot(1, tileName("V", walks ? at : -1, now), walks || blurred);
  } else {
    slot(0, tileName("Q", held ? now.row : -1, now), held, 10, half);
    slot(0, tileName("K", at, now), held, 18 + half, half);
    slot(1, "S, on its way out", held && (blurred || now.array === "s"));
  }
  note(block.shared);
}

function tiledRegisters({ slot, note }, { block }, now) {
  const held = { 1: "a block of S", 2: "m, ℓ of a row", 3: "a block of O" }[now?.kernel];
  slot(0, held ?? "idle", Boolean(held));
  note(now?.kernel === 2 ? "1 block per row" : block.threads);
}

const NAIVE_WORK = { // by stage: what a thread holds, and what there is a thread for
  blind: ["1 score", "score"], scores: ["1 score", "score"],
  maximum: ["row maximum", "row"], sum: ["row sum", "row"], normalise: ["max, sum → P", "row"],
  products: ["1 element of O", "element"], output: ["1 element of O", "element"],
};

function naiveRegisters({ slot, note }, lane, now) {
  const [held, thing] = now ? NAIVE_WORK[now.blurred && now.kernel === 2 ? "normalise" : now.stage] : ["idle", null];
  slot(0, held, Boolean(now));
  if (thing) note(`1 thread per ${thing}`);
}

const HELD = {
  naive: { shared: notUsed, registers: naiveRegisters }, tiled: { shared: tiledShared, registers: tiledRegisters },
  fused: { shared: fusedShared, registers: fusedRegisters }, fused_kv_outer: { shared: outerShared, registers: outerRegisters },
};
