// Details: what lies under the pointer, and every step as a table.
const STEP_COLUMNS = ["gpu", "step", "block", "kind", "visible_pairs", "hbm_bytes", "combined_bytes", "sent_bytes", "needless_bytes",
                      "received_bytes"];

/** Lines about the GPU or the pair at a point of the sheet, or null. */
function linesUnder(film, moment, x, y) {
  const gpu = film.track.boxes.findIndex(([left, top, width, height]) => within(x, left, width) && within(y, top, height));
  if (gpu >= 0) {
    const step = film.of(gpu, moment.index);
    return [`GPU ${gpu}: queries ${span(film.queries[gpu])}`, ...stepInWords(film, step)];
  }
  const met = film.steps.find((step) => {
    const [left, top, side] = cellOf(film, step.gpu, step.owner);
    return within(x, left, side) && within(y, top, side);
  });
  return met ? [`queries ${span(film.queries[met.gpu])}, keys ${span(film.keys[met.owner])}`, ...stepInWords(film, met)] : null;
}

function stepInWords(film, { step, owner, kind, pairs, hbm, combined, sent, needless, received }) {
  const work = `step ${step + 1}: ${kind === "skipped" ? `skips K/V ${owner}` : `K/V ${owner}, ${grouped(pairs)} pairs a head`}`;
  const copies = sent ? `NVLink: ${grouped(sent)} B out${needless ? ", needless" : ""}, ${grouped(received)} B in` : "NVLink: nothing";
  const part = combined ? `, ${grouped(combined)} B of it running o, m and ℓ` : "";
  return [work, `HBM: ${grouped(hbm)} B${film.measure === "requested" ? part : ""}`, copies];
}

function ringAsCsv(film) {
  const lines = film.steps.map((s) => [s.gpu, s.step + 1, s.owner, s.kind, s.pairs, s.hbm, s.combined, s.sent, s.needless, s.received]);
  return `${[STEP_COLUMNS, ...lines].map((cells) => cells.join(",")).join("\n")}\n`;
}

const span = ([first, last]) => `${grouped(first)} to ${grouped(last)}`;
const within = (value, from, size) => value >= from && value < from + size;
