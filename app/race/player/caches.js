// The caches' panel: what the kernel on show reads more than once, how much of it has been read for the first time, and the re-reads.
const CACHES = { x: 700, width: 112 }, GAUGE = { x: 36, width: 62, height: 20 };
const GAUGED = "qkspvo"; // in this order; statistics go with O

/** counted: whether re-reads stand beside what the clock counts; modelled DRAM bytes are of all heads and hold them already. */
function drawCaches(pen, lane, view, y, height, counted) {
  const { palette } = pen, { x, width } = CACHES, ground = palette.panel, middle = { ground, align: "center" };
  pen.box([x, y, width, height], { radius: 10, fill: ground, stroke: palette.line });
  pen.inside([x, y, width, height], () => {
    pen.text("Caches", x + width / 2, y + 24, { weight: 600, ink: palette.muted, ...middle });
    const kernel = (view.flight ?? view.pulse)?.kernel ?? lane.kernels.length;
    const shown = [...GAUGED].filter((array) => lane.uses[kernel].again.has(array));
    shown.forEach((array, index) => drawGauge(pen, lane, view, array, y + 42 + 36 * index));
    if (!counted) return;
    const words = lane.uses[kernel].again.has("stats") ? ["moved again", "again"] : "re-reads"; // scratch is written again too
    pen.text(words, x + width / 2, y + 150, { ink: palette.muted, room: width - 8, ...middle });
    pen.text(decimalBytes(lane.rereads[view.done]), x + width / 2, y + 178, { size: 22, weight: 600, room: width - 12, ...middle });
  });
}

/** One array's letter and first reads; dashed while it is read again. */
function drawGauge(pen, lane, view, array, y) {
  const { palette } = pen, x = CACHES.x + GAUGE.x, { width, height } = GAUGE, { share } = lane.progress(array, "read", view.done);
  pen.text(array.toUpperCase(), CACHES.x + 12, y + 18, { size: 22, weight: 600, ground: palette.panel });
  pen.box([x, y, width, height], { radius: 4, fill: palette.track });
  if (share) pen.box([x, y, width * share, height], { radius: 4, fill: palette.data });
  if (view.again.arrays.includes(array)) {
    pen.box([x, y, width, height], { radius: 4, stroke: palette[lane.name].fill, thick: 2.5, dash: [5, 4] });
  }
}
