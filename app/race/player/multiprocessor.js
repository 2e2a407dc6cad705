// One multiprocessor: what the shared memory and the registers of the block on show hold now.
const CHIP = { x: 836, width: 420 }, SLOT_TOPS = [33, 65, 97], SLOT_HEIGHT = 27, NOTE_TOP = 147;

function drawMultiprocessor(pen, race, lane, view, y, height) {
  const { palette } = pen, { x, width } = CHIP, quiet = { ink: palette.muted, ground: palette.panel };
  pen.box([x, y, width, height], { radius: 10, fill: palette.panel, stroke: palette.line });
  pen.inside([x, y, width, height], () => {
    pen.text(`One SM of ${race.gpu.multiprocessors}`, x + 12, y + 24, { weight: 600, ...quiet });
    pen.text(race.gpu.name, x + width - 12, y + 24, { align: "right", room: 200, ...quiet });
  });
  const now = heldNow(view), shared = [x + 10, y + 34, 196, height - 44], registers = [x + 216, y + 34, 194, height - 44];
  const naive = lane.name === "naive";
  drawRoom(pen, shared, "Shared memory", naive ? notUsed : (room) => fusedShared(room, race.block, now), naive);
  drawRoom(pen, registers, "Registers", (room) => (naive ? naiveRegisters(room, now) : fusedRegisters(room, race.block, now)), false);
}

/** The event whose tiles are on the chip, or null; `blurred` when tiles pass too fast to be named. */
function heldNow(view) {
  const event = view.pulse ?? view.flight;
  return event && { ...event, blurred: view.pace === "kernel" };
}

/** A titled box; draw gets {slot(place, words, held, left, width), note(words)} to fill it with. */
function drawRoom(pen, [x, y, width, height], title, draw, dashed) {
  const { palette } = pen;
  pen.box([x, y, width, height], { fill: palette.ground, stroke: palette.line, dash: dashed ? [6, 6] : [] });
  pen.inside([x, y, width, height], () => {
    pen.text(title, x + 10, y + 25, { weight: 600, ink: palette.muted, room: width - 16 });
    draw({
      slot: (role, place, words, held, left = 10, wide = width - 20) =>
        drawSlot(pen, palette[role], [x + left, y + SLOT_TOPS[place], wide], words, held),
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

/** Q, K and V tiles, and P where K was; the last ones of a query tile stay until the next one begins. */
function fusedShared({ slot, note, half }, block, now) {
  const blurred = Boolean(now?.blurred), key = !now ? -1 : now.stage === "keys" ? now.column : now.walked - 1;
  const value = now?.stage === "keys" && now.array === "k" ? key - 1 : key;
  const tile = (letter, index, place, ...where) => {
    const held = index >= 0 || blurred;
    slot("fused", place, held && !blurred ? `${letter}[${index}]` : `${letter} tile`, held, ...where);
  };
  tile("Q", now ? now.row : -1, 0);
  tile("K", key, 1, 10, half);
  tile("V", value, 1, 18 + half, half);
  slot("fused", 2, "P, where K was", value >= 0 || blurred);
  note(block.shared);
}

/** A thread's part of the scores s and weights p, of its rows' running maximum m and sum ℓ, and of the output so far. */
function fusedRegisters({ slot, note, half }, block, now) {
  const held = Boolean(now) && (now.blurred || now.stage !== "query"), row = now && !now.blurred ? `[${now.row}]` : "";
  slot("fused", 0, "s, p", held, 10, half);
  slot("fused", 0, "m, ℓ", held, 18 + half, half);
  slot("fused", 1, held ? [`o${row} so far`, `o${row}`] : "o", held);
  note(`${block.threads} threads`);
}

const NAIVE_WORK = { // by stage: what a thread holds, and what there is a thread for
  blind: ["1 score", "score"], scores: ["1 score", "score"],
  maximum: ["row maximum", "row"], sum: ["row sum", "row"], normalise: ["max, sum → P", "row"],
  products: ["1 element of O", "element"], output: ["1 element of O", "element"],
};

function naiveRegisters({ slot, note }, now) {
  const [held, thing] = now ? NAIVE_WORK[now.blurred && now.kernel === 2 ? "normalise" : now.stage] : ["idle", null];
  slot("naive", 0, held, Boolean(now));
  if (thing) note(`1 thread per ${thing}`);
}
