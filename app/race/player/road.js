// The road under a lane's panels: the tile on its way between HBM and the multiprocessor, re-reads beside it, at the end the receipt.
const ROAD = { left: 24, right: 1256, from: 372, to: 984, height: 28, baseline: 21 }, DASHES = [5, 4];

/** S[2,61], K[3], O[12]. */
function blockName({ array, row, column }) {
  const place = BY_ROW.has(array) ? row : BY_COLUMN.has(array) ? column : `${row},${column}`;
  return `${array === "stats" ? "(m, ℓ)" : letter(array)}[${place}]`;
}

const letter = (array) => (array === "stats" ? "m, ℓ" : array.toUpperCase());
const letters = (arrays) => [...arrays].map(letter).join(", ");

/** What a lane comes to in the end, so that anyone can add it up. */
function receipts({ timed, lanes }, lane) {
  if (lane.receipt) return lane.receipt.map((words) => `receipt: ${words}`);
  if (!timed) return `receipt: ${grouped(lane.count)} moves of one block`;
  return `receipt, kernel by kernel: ${timed.milliseconds[lanes.indexOf(lane)].map(milliseconds).join(", ")}`;
}

function drawRoad(pen, race, lane, view, y) {
  const { flight, pulse, again, pace } = view, base = y + ROAD.baseline;
  pen.inside([ROAD.left, y, ROAD.right - ROAD.left, ROAD.height], () => {
    if (!flight && !pulse) pen.text(receipts(race, lane), 36, base, { weight: 600, room: ROAD.right - 48 });
    if (flight && pace === "kernel") drawTraffic(pen, lane, flight, y);
    else if (flight) drawFlight(pen, race, lane, flight, view, y);
    const blind = (flight ?? pulse)?.stage === "blind" && pace !== "kernel";
    if (blind) pen.text("these rows see no key", ROAD.right, base, { ink: pen.palette.muted, align: "right" });
    else if (again.arrays.length) drawAgain(pen, race, lane, view, y);
  });
}

/** The block in flight, at its place on the road. */
function drawFlight(pen, race, lane, flight, { fraction, pace }, y) {
  const colours = pen.palette[lane.name], name = blockName(flight), way = flight.direction;
  pen.text(`${way} ${name}`, 36, y + ROAD.baseline, { weight: 600, room: 196 });
  const bytes = race.clock.modelled ? flight.cost : race.clock.compulsory ? flight.compulsory : flight.requested;
  pen.text(decimalBytes(bytes), 244, y + ROAD.baseline, { room: 110 });
  drawLine(pen, colours.fill, y, way);
  const along = pace === "row" ? 0.5 : Math.min(0.88, Math.max(0.12, way === "read" ? fraction : 1 - fraction));
  drawLoad(pen, colours, name, along, y, way);
}

/** Tiles too fast to be told apart: what the kernel reads one way and writes the other. */
function drawTraffic(pen, lane, flight, y) {
  const { palette } = pen, colours = palette[lane.name], { read, write } = lane.uses[flight.kernel];
  pen.text("tile by tile, too fast to name", 36, y + ROAD.baseline, { ink: palette.muted, room: 310 });
  drawLine(pen, colours.fill, y, "both");
  drawLoad(pen, colours, letters(read), 1 / 3, y, "read");
  drawLoad(pen, colours, letters(write), 2 / 3, y, "write");
}

/** What moves again has no bytes of the compulsory clock, so no length on the road; alone, in steps, it says so on the left. */
function drawAgain(pen, race, lane, { flight, again }, y) {
  const { palette } = pen, colours = palette[lane.name], middle = y + ROAD.height / 2;
  const name = again.block ? blockName(again.block) : letters(again.arrays);
  const kept = race.clock.modelled && again.block?.compulsory > 0; // moved for the first time, and nothing of it crosses to DRAM
  if (!flight) {
    pen.text(`${again.block?.direction ?? "read"} ${name}${kept ? "" : " again"}`, 36, y + ROAD.baseline, { weight: 600, room: 310 });
    pen.lines([[[ROAD.from, middle], [ROAD.to, middle]]], colours.fill, 3, DASHES);
    drawLoad(pen, colours, name, 0.5, y, again.block?.direction ?? "read", DASHES);
  }
  const verb = again.block?.direction === "write" ? "rewrite" : "re-read";
  const free = [`${verb} ${name}: free on this clock`, `${verb} ${name}: free`, `${name} again: free`];
  const wordings = race.clock.compulsory ? free : kept ? [`${name} stays in L2`, "stays in L2"] : [`${name} again`];
  pen.text(wordings, ROAD.right, y + ROAD.baseline, { ink: palette.muted, align: "right", room: 244 });
}

function drawLine(pen, fill, y, way) {
  const middle = y + ROAD.height / 2;
  pen.lines([[[ROAD.from, middle], [ROAD.to, middle]]], fill);
  if (way !== "write") pen.head(ROAD.to + 12, middle, 16, 0, fill);
  if (way !== "read") pen.head(ROAD.from - 12, middle, -16, 0, fill);
}

/** What moves, in a box `along` the road, 0 at HBM and 1 at the chip: outlined when read, filled when written. */
function drawLoad(pen, colours, words, along, y, way, dash = []) {
  const { palette } = pen, width = pen.width(words, 20, 600) + 20, x = ROAD.from + (ROAD.to - ROAD.from) * along;
  const [ground, ink] = way === "read" ? [palette.ground, colours.text] : [colours.fill, colours.on];
  pen.box([x - width / 2, y, width, ROAD.height], { radius: 6, fill: ground, stroke: colours.fill, thick: 2.5, dash });
  pen.text(words, x, y + ROAD.baseline, { weight: 600, align: "center", ink, ground });
}

/** Dashes from the caches to the multiprocessor while something is read again. */
function drawShortcut(pen, lane, view, y) {
  if (!view.again.arrays.length) return;
  const { fill } = pen.palette[lane.name], from = CACHES.x + CACHES.width, to = CHIP.x, at = y + 98;
  pen.lines([[[from - 4, at], [to - 8, at]]], fill, 3, DASHES);
  pen.head(to + 4, at, 13, 0, fill);
}
